"""Figures and dials of lessons: they draw what they say, refuse what they cannot draw, and move when a dial moves."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import matplotlib
import numpy as np
import pytest
import torch

from course_utils import charts, data, diagrams, scenes, widgets
from course_utils.described import described, png

matplotlib.use("Agg")
from matplotlib import pyplot as plt


@pytest.fixture
def gates() -> torch.Tensor:
    """Gates of 4 x 4 tokens, (16, 16): token i listens to itself with .5 and to its successor with .5."""
    return 0.5 * torch.eye(16) + 0.5 * torch.eye(16).roll(1, 1)


# --- curves, bars, matrices


def test_curves_differ_also_in_grey() -> None:
    figure, ax = charts.curves([1, 4, 16], {"a": [1, 2, 3], "b": torch.ones(3)}, "claim", xlabel="d", ylabel="gate",
                               log="x", ylim=(0, 1))  # fmt: skip
    assert ax.get_title() == "claim"
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_ylim()) == ("d", "gate", (0, 1))
    assert len({(line.get_color(), line.get_marker(), line.get_linestyle()) for line in ax.lines}) == 2
    assert len({line.get_marker() for line in ax.lines}) == len({line.get_linestyle() for line in ax.lines}) == 2
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "4", "16"]
    figure.canvas.draw()


def test_curves_refuses_what_does_not_fit() -> None:
    for lines in ({}, {"a": [1, 2]}, {str(i): [1, 2, 3] for i in range(5)}):
        with pytest.raises(ValueError, match=r"lines|places"):
            charts.curves([1, 2, 3], lines, "", xlabel="", ylabel="")


def test_bars_carry_their_numbers() -> None:
    _, ax = charts.bars(torch.tensor([0.096, 0.711]), "claim", names=["a", "b"], ylabel="gate", ylim=(0, 1))
    assert [text.get_text() for text in ax.texts] == ["0.096", "0.711"]
    assert [patch.get_height() for patch in ax.patches] == pytest.approx([0.096, 0.711])
    figure, ax = charts.bars([1.0, 0.965, -0.2], "claim", ylabel="gate", ylim=(-1, 1))
    figure.canvas.draw()
    title = ax.title.get_window_extent()
    assert not any(text.get_window_extent().overlaps(title) for text in ax.texts)
    with pytest.raises(ValueError, match="names"):
        charts.bars([1, 2], "", names=["only one"], ylabel="")
    with pytest.raises(ValueError, match="one row"):
        charts.bars(torch.zeros(2, 2), "", ylabel="")


def test_matrices_side_by_side_share_a_scale_and_write_zero_only_for_zero() -> None:
    figure, axes = charts.side_by_side({"a": [[0.0, 0.004]], "b": [[2.0, 1.0]]}, "claim", unit="u", sides=("r", "c"))
    assert {ax.images[0].get_clim() for ax in axes} == {(0, 2)}
    assert [text.get_text() for text in axes[0].texts] == ["0", "0.00"]
    assert figure.get_suptitle() == "claim"
    for wrong in ({}, {"a": [1.0, 2.0]}):
        with pytest.raises(ValueError, match="matrices"):
            charts.side_by_side(wrong, "", unit="", sides=("", ""))


# --- scenes


def test_quadrants_show_objects_as_strong_as_their_features() -> None:
    hand = data.sky_or_sea()
    faint = hand.A * torch.tensor([1, 0.5, 1])
    _, axes = scenes.quadrant_pictures({"x": hand.A, "half": faint}, "claim")
    full, half = (ax.images[0].get_array() for ax in axes)
    side = len(full) // 2
    sky = np.reshape(data.BLUE, (1, 1, 3))
    assert np.allclose(full[side:], sky)  # the lower quadrants hold nothing
    assert np.allclose(full[:side, :side], sky)
    assert np.allclose(half - sky, (full - sky) / 2)
    assert [text.get_text() for text in axes[0].texts][1] == "[1, 1, 0]"
    with pytest.raises(ValueError, match=r"\(4, 3\)"):
        scenes.quadrant_pictures({"x": torch.zeros(3, 3)}, "")


def test_arrows_are_as_wide_as_gates() -> None:
    gates = torch.tensor([[0.1, 0.7, 0.1, 0.1]] * 4)
    figure, axes = scenes.listening(data.draw_picture("bird"), gates, "claim")
    assert [ax.get_title() for ax in axes] == [f"{name} asks" for name in data.QUADRANTS]
    widths = [text.arrow_patch.get_linewidth() for text in axes[0].texts if getattr(text, "arrow_patch", None)]
    assert len(widths) == 3
    assert widths[0] > 3 * widths[1] == 3 * widths[2]
    assert [text.get_text() for text in axes[0].texts if text.get_text()] == ["0.100", "0.700", "0.100", "0.100"]
    figure.canvas.draw()
    with pytest.raises(ValueError, match=r"\(4, 4\)"):
        scenes.listening(data.draw_picture("bird"), gates[:3], "")


def test_gates_on_an_image_run_from_zero_to_one_and_lie_where_the_pixels_are(gates: torch.Tensor) -> None:
    figure, (left, right) = scenes.gates_on_image(torch.zeros(1, 10, 10), gates[5], 5, (4, 4), "claim")
    assert right.images[0].get_clim() == (0, 1)
    # tokens two pixels apart, in the middle of ten: the edges lie a token's width outside
    assert tuple(left.images[0].get_extent()) == (-1, 4, 4, -1)
    sizes = left.collections[0].get_sizes()
    assert (np.argsort(sizes)[-2:] == [5, 6]).all() or set(np.argsort(sizes)[-2:]) == {5, 6}
    assert all((line.get_xdata()[0], line.get_ydata()[0]) == (1, 1) for line in left.lines)
    figure.canvas.draw()


@pytest.mark.parametrize(("row", "query"), [([0.5] * 15, 0), ([0.5] * 16, 16), ([2.0] + [0.0] * 15, 0)])
def test_gates_that_do_not_fit_are_refused(row: list[float], query: int) -> None:
    with pytest.raises(ValueError, match=r"fit|\[0, 1\]"):
        scenes.gates_on_image(torch.zeros(8, 8), row, query, (4, 4), "")


def test_token_strengths_are_lengths() -> None:
    tokens = torch.tensor([[3.0, 4.0], [0.0, 0.0], [0.0, 1.0], [6.0, 8.0]])
    _, (_, right) = scenes.token_strengths(torch.zeros(4, 4), tokens, (2, 2), "claim")
    assert right.images[0].get_array().tolist() == [[5, 0], [1, 10]]
    with pytest.raises(ValueError, match="grid"):
        scenes.token_strengths(torch.zeros(4, 4), tokens, (2, 3), "")


# --- diagrams


def words(ax: Any) -> str:
    return " ".join(text.get_text() for text in ax.texts)


def test_the_attention_diagram_names_every_box() -> None:
    figure, ax = diagrams.attention_boxes()
    for box in ("W_Q", "W_K", "W_V", "QK^T", "√d", "SoftMax", "MatMul · V", "asks for", "has", "hands over"):
        assert box in words(ax)
    figure.canvas.draw()


def test_the_gates_of_swiglu_have_four_times_as_many_arrows_to_read_by() -> None:
    figure, axes = diagrams.gate_readers("claim")
    arrows = [sum(getattr(text, "arrow_patch", None) is not None for text in ax.texts) for ax in axes]
    assert arrows[1] - arrows[0] == 16 - 4
    assert figure.get_suptitle() == "claim"
    figure.canvas.draw()


def test_the_block_has_two_branches_that_are_added() -> None:
    figure, ax = diagrams.transformer_block()
    assert words(ax).count("+") == words(ax).count("Norm") == 2
    figure.canvas.draw()


# --- words for those who cannot see a figure


def test_a_figure_is_shown_with_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple[dict, dict]] = []
    monkeypatch.setattr("IPython.display.display", lambda bundle, raw, metadata: shown.append((bundle, metadata)))
    described(diagrams.transformer_block(), "a block")
    (bundle, metadata), *rest = shown
    assert bundle["image/png"].startswith(b"\x89PNG")
    assert metadata["image/png"]["alt"] == bundle["text/plain"] == "a block"
    assert not rest
    assert not plt.get_fignums()


# --- widgets


def test_moving_a_dial_draws_another_picture(gates: torch.Tensor) -> None:
    picker = widgets.gate_picker(torch.zeros(8, 8), gates, (4, 4), start=(1, 2))
    assert picker.values == {"row": 1, "column": 2}
    before = picker.picture
    assert 'alt="The token in row 1, column 2 listens most to row 1 column' in before
    picker.controls["row"].value = 3
    assert picker.values == {"row": 3, "column": 2}
    assert picker.picture != before
    assert "row 3, column 2" in picker.picture
    assert not plt.get_fignums()


def test_every_query_can_be_picked(gates: torch.Tensor) -> None:
    picker = widgets.gate_picker(torch.zeros(8, 8), gates, (4, 4))
    for row in range(4):
        for column in range(4):
            assert "1.00" in picker.words(row=row, column=column)
    assert (picker.controls["row"].max, picker.controls["column"].max) == (3, 3)


def test_a_page_without_widgets_gets_the_still_picture(gates: torch.Tensor) -> None:
    picker = widgets.gate_picker(torch.zeros(8, 8), gates, (4, 4))
    bundle, metadata = picker._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG")
    assert metadata["image/png"]["alt"] == bundle["text/plain"] == picker.words(row=0, column=0)


def test_the_dial_of_temperature_softens_the_gates() -> None:
    dial = widgets.temperature_dial([0.0, 4.0], ["a", "b"])
    tops = []
    for tau in (0.25, 1.0, 16.0):
        dial.controls["tau"].value = tau
        figure, ax = dial.draw(**dial.values)
        tops.append(max(patch.get_height() for patch in ax.patches))
        assert ax.get_ylim() == (0, 1)
        assert png(figure)
    assert tops == sorted(tops, reverse=True)
    assert tops[0] > 0.999
    assert tops[-1] == pytest.approx(1 / (1 + np.exp(-0.25)))


@pytest.mark.parametrize(
    "make",
    [
        lambda: widgets.gate_picker(torch.zeros(8, 8), torch.eye(15), (4, 4)),
        lambda: widgets.gate_picker(torch.zeros(8, 8), torch.eye(16), (4, 4), start=(4, 0)),
        lambda: widgets.temperature_dial([1.0]),
        lambda: widgets.temperature_dial(torch.zeros(2, 2)),
        lambda: widgets.explore(lambda: None, lambda: ""),
    ],
)
def test_dials_refuse_what_they_cannot_turn(make: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"gates|start|row|control"):
        make()


def test_a_figure_that_nobody_will_see_is_not_drawn_but_its_words_stay(monkeypatch, capsys) -> None:
    monkeypatch.setenv("COURSE_PICTURES", "no")
    figure, axes = plt.subplots()
    monkeypatch.setattr(figure, "savefig", None)  # whoever draws it fails
    described((figure, axes), "A line.")
    assert capsys.readouterr().out == "A line.\n"
    assert not plt.fignum_exists(figure.number)
