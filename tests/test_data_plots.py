"""The drawn data, the house figures and the settings: shapes, limits, determinism, and clear refusals."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator

import matplotlib
import numpy as np
import pytest
import torch
import torch.nn.functional as F

from course_utils import data, plots, settings

matplotlib.use("Agg")


@pytest.fixture
def keep_generators() -> Iterator[None]:
    """Put the global generators and the number of threads back: other tests share this process."""
    kept = random.getstate(), np.random.get_state(), torch.get_rng_state(), torch.get_num_threads()
    yield
    random.setstate(kept[0])
    np.random.set_state(kept[1])
    torch.set_rng_state(kept[2])
    torch.set_num_threads(kept[3])
    torch.set_flush_denormal(False)


# --- data


def test_the_hand_example_gives_the_numbers_of_the_lecture() -> None:
    hand = data.sky_or_sea()
    q, k_A, k_B = F.linear(hand.A, hand.W_q), F.linear(hand.A, hand.W_k), F.linear(hand.B, hand.W_k)
    assert q.tolist() == [[2, 2]] * 4
    for k, picture, row in ((k_A, hand.A, [1, 0.711, 0]), (k_B, hand.B, [1, 0, 0.711])):
        assert (q @ k.mT).tolist() == [[0, 2, 0, 0]] * 4
        out = F.scaled_dot_product_attention(q, k, F.linear(picture, hand.W_v), scale=1.0)
        torch.testing.assert_close(out, torch.tensor([row] * 4), atol=5e-4, rtol=0)


def test_only_the_object_tells_picture_a_from_picture_b() -> None:
    hand = data.sky_or_sea()
    assert [i for i in range(4) if not torch.equal(hand.A[i], hand.B[i])] == [data.QUADRANTS.index("top right")]
    bird, boat = data.draw_picture("bird"), data.draw_picture("boat")
    differs = (bird != boat).any(0)
    assert differs[:32, 32:].any()
    differs[:32, 32:] = False
    assert not differs.any()


def test_the_hand_example_is_fresh_each_time() -> None:
    data.sky_or_sea().A.zero_()
    assert data.sky_or_sea().A.sum() == 5


@pytest.mark.parametrize("kind", data.KINDS)
@pytest.mark.parametrize("quadrant", range(4))
@pytest.mark.parametrize("size", [16, 64])
def test_an_object_lies_in_its_quadrant_only(kind: data.Kind, quadrant: int, size: int) -> None:
    image = data.draw_picture(kind, quadrant, size)
    assert image.shape == (3, size, size)
    assert image.dtype == torch.float32
    assert image.min() >= 0
    assert image.max() <= 1
    half = size // 2
    background = image[:, half if quadrant < 2 else 0, 0]  # in a quadrant that is not this one
    touched = (image != background[:, None, None]).any(0)
    rows, columns = torch.nonzero(touched, as_tuple=True)
    assert len(rows) > 0.03 * half * half
    assert set((rows // half * 2 + columns // half).tolist()) == {quadrant}


@pytest.mark.parametrize(
    ("kind", "quadrant", "size"), [("cat", 1, 64), ("bird", 4, 64), ("bird", 1, 15), ("bird", 1, 8)]
)
def test_draw_picture_refuses_what_it_cannot_draw(kind: str, quadrant: int, size: int) -> None:
    with pytest.raises(ValueError, match=r"kind|quadrant|size"):
        data.draw_picture(kind, quadrant, size)  # type: ignore[arg-type]


def test_drawn_pictures_have_the_promised_shapes_and_use_every_case() -> None:
    drawn = data.sky_or_sea_pictures(200, size=16, seed=3)
    assert drawn.images.shape == (200, 3, 16, 16)
    assert drawn.images.dtype == torch.float32
    assert drawn.images.min() >= 0
    assert drawn.images.max() <= 1
    assert drawn.labels.shape == drawn.quadrants.shape == (200,)
    assert drawn.labels.dtype == torch.int64
    cases = torch.bincount(drawn.labels * 4 + drawn.quadrants, minlength=8)
    assert len(cases) == 8
    assert cases.min() >= 10


def test_the_seed_decides_and_the_global_generators_are_left_alone(keep_generators: None) -> None:
    torch.manual_seed(1)
    np.random.seed(1)
    before = torch.get_rng_state(), np.random.get_state()[1].copy()  # type: ignore[index]
    first, again, other = (data.sky_or_sea_pictures(5, seed=seed) for seed in (7, 7, 8))
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert not torch.equal(first.images, other.images)
    assert torch.equal(torch.get_rng_state(), before[0])
    assert (np.random.get_state()[1] == before[1]).all()  # type: ignore[index]


def test_three_quadrants_say_nothing_about_the_label() -> None:
    """Mean colour and spread of the empty quadrants are the same for sky and sea, up to chance."""
    drawn = data.sky_or_sea_pictures(2000, size=16, seed=0)
    blocks = drawn.images.unfold(2, 8, 8).unfold(3, 8, 8).permute(0, 2, 3, 1, 4, 5).reshape(2000, 4, -1)
    empty = torch.arange(4) != drawn.quadrants[:, None]
    for statistic in (blocks.mean(-1), blocks.std(-1)):
        sky, sea = (statistic[(drawn.labels == label)[:, None] & empty] for label in (0, 1))
        error = (sky.var() / (len(sky) / 3) + sea.var() / (len(sea) / 3)).sqrt()
        assert (sky.mean() - sea.mean()).abs() < 4 * error


def test_no_pictures_and_impossible_numbers() -> None:
    assert data.sky_or_sea_pictures(0).images.shape == (0, 3, 32, 32)
    with pytest.raises(ValueError, match="count"):
        data.sky_or_sea_pictures(-1)
    with pytest.raises(ValueError, match="size"):
        data.sky_or_sea_pictures(1, size=17)


# --- plots


def test_gates_are_drawn_from_zero_to_one_whatever_they_are() -> None:
    gates = torch.full((4, 4), 0.25, requires_grad=True)
    figure, ax = plots.gate_map(gates, data.QUADRANTS, data.QUADRANTS, "an even split")
    assert ax.images[0].get_clim() == (0, 1)
    assert ax.get_title() == "an even split"
    assert [label.get_text() for label in ax.get_yticklabels()] == list(data.QUADRANTS)
    assert [text.get_text() for text in ax.texts] == [".250"] * 16
    assert ax.get_ylabel().startswith("query")
    assert ax.get_xlabel().startswith("key")
    figure.canvas.draw()


def test_gates_are_written_without_a_zero_in_front_however_small_they_are() -> None:
    _, ax = plots.gate_map([[4.86e-24, 1.0, -1e-9], [0.0963, 0.9037, 0]])
    assert [text.get_text() for text in ax.texts] == [".000", "1.000", ".000", ".096", ".904", ".000"]


@pytest.mark.parametrize("more", ["", ", and what each of the others does"])
def test_a_long_title_goes_on_in_a_second_line_and_stays_inside_the_figure(more: str) -> None:
    title = "First picture, object bottom right: who looks where" + more
    figure, ax = plots.gate_map(torch.eye(4), title=title)
    figure.canvas.draw()
    box = ax.title.get_window_extent()
    assert ax.get_title().replace("\n", " ") == title
    assert box.x0 >= 0
    assert box.x1 <= figure.bbox.x1


@pytest.mark.parametrize("gates", [[[0.0, 2.0]], [[-0.1, 1.1]], [[float("nan"), 1.0]]])
def test_numbers_that_are_no_gates_are_refused(gates: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="score_grid"):
        plots.gate_map(gates)


def test_heat_maps_need_one_matrix_and_names_that_fit() -> None:
    for draw in (plots.gate_map, plots.score_grid, plots.feature_map):
        with pytest.raises(ValueError, match="matrix"):
            draw(torch.zeros(2, 3, 3))
        with pytest.raises(ValueError, match="matrix"):
            draw(torch.zeros(0, 3))
        with pytest.raises(ValueError, match="names"):
            draw(torch.zeros(2, 3), ["only one"])


def test_scores_may_be_any_numbers() -> None:
    figure, ax = plots.score_grid(torch.tensor([[-3.0, 5], [-torch.inf, -0.0]]))
    assert ax.images[0].get_clim() == (-3, 5)
    assert [text.get_text() for text in ax.texts] == ["-3", "5", "-inf", "0"]
    figure.canvas.draw()


def test_a_feature_map_names_tokens_and_features() -> None:
    hand = data.sky_or_sea()
    _, ax = plots.feature_map(hand.B, data.QUADRANTS, data.FEATURES)
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("token", "feature")


def test_large_heat_maps_carry_no_numbers() -> None:
    _, ax = plots.gate_map(torch.full((50, 50), 0.02))
    assert not ax.texts


def test_expected_and_yours_share_a_scale_and_frame_what_differs() -> None:
    expected = torch.arange(12.0).reshape(3, 4)
    yours = expected.clone()
    yours[1, 2], yours[2, 0] = 100, float("nan")
    figure, axes = plots.expected_and_yours(expected, yours, "the matrix of scores")
    assert axes[0].images[0].get_clim() == axes[1].images[0].get_clim() == (0, 11)
    assert len({patch.get_xy() for patch in axes[1].patches}) == 2
    assert axes[1].get_xlabel().startswith("2 of 12 differ")
    assert "nan" in [text.get_text() for text in axes[1].texts]
    assert figure.get_suptitle() == "the matrix of scores"
    figure.canvas.draw()


@pytest.mark.parametrize(
    "yours",
    [
        torch.zeros(0, 3),
        torch.tensor(3.0),
        torch.full((2, 2), float("nan")),
        torch.full((2, 3), float("inf")),
        torch.randn(2, 3, 4, 5),
        torch.tensor([True, False]),
        torch.tensor([[1 + 2j, 3]]),
        torch.zeros(300, 2),
        torch.zeros(2, 3, dtype=torch.bfloat16),
        torch.ones(2, 3, requires_grad=True),
        np.zeros((2, 3)),
        [[1.0, 2.0]],
    ],
    ids=lambda yours: f"{type(yours).__name__} {tuple(np.shape(yours))}",
)
def test_expected_and_yours_draws_whatever_was_returned(yours: object) -> None:
    for first, second in ((torch.randn(2, 3), yours), (yours, torch.randn(2, 3)), (yours, yours)):
        figure, axes = plots.expected_and_yours(first, second)
        assert axes.shape == (2,)
        figure.canvas.draw()


def test_pictures_draws_tensors_lists_and_one_image() -> None:
    bird, boat = data.draw_picture("bird"), data.draw_picture("boat")
    for images, count in (([bird, boat], 2), (torch.stack([bird, boat]), 2), (bird, 1), (bird.numpy(), 1)):
        figure, axes = plots.pictures(images, title="claim")
        assert axes.shape == (count,)
        assert len(axes[0].lines) == 2
        assert figure.get_suptitle() == "claim"
    _, axes = plots.pictures(bird, ["A"], boundaries=False)
    assert not axes[0].lines
    assert axes[0].get_title() == "A"


def test_pictures_refuses_what_is_no_picture() -> None:
    bird = data.draw_picture("bird")
    for images in (torch.zeros(2, 1, 8, 8), [bird, torch.zeros(64, 64)], []):
        with pytest.raises(ValueError, match=r"\(3, h, w\)"):
            plots.pictures(images)
    with pytest.raises(ValueError, match="titles"):
        plots.pictures([bird], ["A", "B"])


def test_matplotlib_is_imported_by_the_first_figure_only() -> None:
    code = "import sys; from course_utils import data, plots, settings; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- settings


def test_prepare_seeds_every_generator(keep_generators: None) -> None:
    def draws() -> tuple[float, float, float]:
        return random.random(), float(np.random.rand()), float(torch.rand(()))

    settings.prepare(5)
    first = draws()
    settings.prepare(5)
    assert draws() == first
    settings.prepare(6)
    assert all(a != b for a, b in zip(draws(), first, strict=True))


def test_prepare_limits_threads_but_never_raises_them(keep_generators: None) -> None:
    torch.set_num_threads(4)
    settings.prepare()
    assert torch.get_num_threads() == settings.THREADS
    torch.set_num_threads(1)
    settings.prepare(threads=8)
    assert torch.get_num_threads() == 1


def test_prepare_flushes_subnormal_numbers(keep_generators: None) -> None:
    settings.prepare()
    if torch.set_flush_denormal(True):  # False on processors that cannot
        assert torch.tensor(1e-38).div(100).item() == 0


@pytest.mark.parametrize(("seed", "threads"), [(-1, 1), (2**32, 1), (0, 0)])
def test_prepare_refuses_impossible_settings(seed: int, threads: int) -> None:
    with pytest.raises(ValueError, match=r"seed|threads"):
        settings.prepare(seed, threads)
