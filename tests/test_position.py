"""Lesson 05: its signs, its figures and dials, and the experiment that they show."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
import pytest
import torch

from course_utils import position_arrows, position_experiment, position_pictures, position_stalled

matplotlib.use("Agg")

ROOT = Path(__file__).parents[1]


# --- signs


def test_signs_are_ink_on_an_empty_margin() -> None:
    drawn = {name: position_pictures.sign(name) for name in position_pictures.SIGNS}
    for name, ink in drawn.items():
        assert ink.shape == (24, 24)
        assert ink.min() == 0, name
        assert ink.max() > 0.9, name
        for side in (ink[:3], ink[-3:], ink[:, :3], ink[:, -3:]):
            assert not side.any(), name
    pairs = [(a, b) for a in drawn for b in drawn if a < b]
    assert all((drawn[a] - drawn[b]).abs().sum() > 20 for a, b in pairs)
    with pytest.raises(ValueError, match="no sign"):
        position_pictures.sign("boat")


def test_a_block_has_its_signs_in_reading_order() -> None:
    block = position_pictures.block(position_pictures.RA)
    assert block.shape == (48, 48)
    torch.testing.assert_close(block[24:, :24], position_pictures.sign("arm"))
    torch.testing.assert_close(block[:24, 24:], position_pictures.sign("sun"))
    with pytest.raises(ValueError, match="four"):
        position_pictures.block(["sun"])


# --- the experiment


def test_held_out_pictures_are_others() -> None:
    learn, unseen = position_experiment.pictures(0)
    assert (len(learn.labels), len(unseen.labels)) == (2000, 1000)
    assert not torch.equal(learn.centres[:1000], unseen.centres)
    assert position_experiment.pictures(1)[0].centres.tolist() != learn.centres.tolist()


@pytest.mark.parametrize("name", list(position_experiment.MODELS))
def test_every_network_answers_and_learns(name: str) -> None:
    make, factor = position_experiment.MODELS[name]
    model = make()
    assert model(torch.zeros(3, 1, 32, 32)).shape == (3, 2)
    assert factor == (10 if "10 × rate" in name else 1)


def test_a_run_is_the_same_again_and_follows_the_bias(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(position_experiment, "LEARNED", 640)
    monkeypatch.setattr(position_experiment, "HELD_OUT", 50)
    first, again = (position_experiment.run("bias = 10 · b′", 3, epochs=1, show=False) for _ in range(2))
    assert (first.accuracies, first.largest, first.gradients) == (again.accuracies, again.largest, again.gradients)
    assert len(first.largest) == len(first.gradients) == 2  # 20 updates
    bias = first.model.bias
    assert isinstance(bias, torch.Tensor)
    assert first.largest[-1] == pytest.approx(10 * bias.abs().max().item())
    default, faster = (position_experiment.run(f"bias, {rate} rate", 3, 1, show=False) for rate in ("default", "10 ×"))
    assert 3 < faster.largest[0] / default.largest[0] < 30
    for wrong in (("boat", 1), ("RoPE", 0)):
        with pytest.raises(ValueError, match="at least one epoch"):
            position_experiment.run(wrong[0], 0, epochs=wrong[1])


def test_pooled_early_a_cnn_is_blind_for_what_lies_far_apart() -> None:
    """Square and disc exchange their places: no window of 5 x 5 pixels sees both."""
    images = torch.zeros(2, 1, 32, 32)
    for picture, (square, disc) in enumerate([(8, 20), (20, 8)]):
        images[picture, 0, 10:17, square : square + 4] = 1
        images[picture, 0, 12:15, disc : disc + 2] = 1
    torch.manual_seed(0)
    early, late = position_experiment.cnn_early().eval(), position_experiment.cnn_late().eval()
    with torch.no_grad():
        assert early(images)[0].tolist() == pytest.approx(early(images)[1].tolist(), abs=1e-5)
        assert (late(images)[0] - late(images)[1]).abs().max() > 1e-4


# --- figures


def test_a_grid_names_addresses_and_offsets() -> None:
    figure, axes = position_pictures.addresses_and_offsets(3, (1, 2), "claim")
    texts = [[text.get_text() for text in ax.texts] for ax in axes]
    assert (texts[0][0], texts[1][0], texts[1][5]) == ("0, 0", "-1, -2", "0, 0")
    figure.canvas.draw()
    with pytest.raises(ValueError, match="no patch"):
        position_pictures.addresses_and_offsets(3, (3, 0), "")


def test_pictures_refuse_what_does_not_fit() -> None:
    rows = torch.zeros(2, 5)
    for figure, _ in (
        position_pictures.inked({"a": torch.zeros(4, 4), "b": torch.ones(4, 4)}, "claim", grid=2),
        position_pictures.outputs_and_average({"a": rows}, ("one", "two"), "claim"),
        position_pictures.bias_tables(torch.randn(2, 5, 5), "claim"),
        position_pictures.nine_gates(torch.zeros(9, 5, 5), torch.ones(3, 3), (2, 2), "claim"),
    ):
        figure.canvas.draw()
    with pytest.raises(ValueError, match="matrices"):
        position_pictures.inked({}, "")
    with pytest.raises(ValueError, match="tokens"):
        position_pictures.outputs_and_average({"a": rows}, ("one",), "")
    with pytest.raises(ValueError, match="heads"):
        position_pictures.bias_tables(torch.zeros(2, 4, 4), "")
    with pytest.raises(ValueError, match="kernel"):
        position_pictures.nine_gates(torch.zeros(8, 5, 5), torch.ones(3, 3), (2, 2), "")


def test_gates_run_from_zero_to_one() -> None:
    _, axes = position_pictures.nine_gates(torch.zeros(9, 5, 5), torch.ones(3, 3), (2, 2), "claim")
    assert {ax.images[0].get_clim() for ax in axes.flat} == {(0, 1)}
    assert axes[0, 2].get_title().startswith("offset -1, 1")


def test_training_is_drawn_seed_by_seed() -> None:
    figure, ax = position_stalled.seed_lines(
        {"a": torch.rand(3, 8)}, "claim", every=10, ylabel="b", levels={"need": 0.5}, slopes={"reach": 0.01}
    )
    assert len(ax.lines) == 3 + 1 + 1
    assert ax.lines[0].get_xdata()[-1] == 80
    figure.canvas.draw()
    _, ax = position_stalled.seed_table({"a": [0.5, 0.7], "b": [0.9]}, "claim")
    assert [text.get_text() for text in ax.texts] == ["0.60", "0.90"]
    figure, axes = position_stalled.learning_curves({str(i): [0.5, 0.6] for i in range(7)}, "claim")
    assert axes.shape == (2, 5)
    for wrong in (
        lambda: position_stalled.seed_lines({"a": torch.rand(3)}, "", every=1, ylabel=""),
        lambda: position_stalled.seed_table({}, ""),
        lambda: position_stalled.learning_curves({}, ""),
    ):
        with pytest.raises(ValueError, match="draws"):
            wrong()


# --- arrows


def test_a_score_depends_on_the_offset() -> None:
    assert position_arrows.score(2, 5) == pytest.approx(0.0707, abs=1e-4)
    assert position_arrows.score(5, 8) == pytest.approx(position_arrows.score(2, 5))
    _, (left, right) = position_arrows.arrows(2, 5, "claim")
    assert {"q at 2", "k at 5"} <= {text.get_text() for text in left.texts}
    assert right.get_title() == "offset +3: score 0.071"


def test_the_shift_turns_both_arrows_and_keeps_the_score() -> None:
    dial = position_arrows.arrow_dial()
    assert "[0.54, 0.84]" in dial.picture
    assert "score is 0.071" in dial.picture
    dial.controls["shift"].value = 3
    assert "[-0.80, 0.60]" in dial.picture
    assert "[-0.65, -0.76]" in dial.picture
    assert "score is 0.071" in dial.picture


def test_planes_add_and_move_with_the_query() -> None:
    _, axes = position_arrows.score_planes((3, 2), "claim")
    by_column, by_row, both = (np.asarray(ax.images[0].get_array()) for ax in axes)
    assert both == pytest.approx(by_column + by_row)
    assert both.argmax() == 3 * 7 + 2
    dial = position_arrows.plane_dial()
    dial.controls["theta"].value = 1.0
    assert "one right and below 1.08" in dial.picture
    with pytest.raises(ValueError, match="no place"):
        position_arrows.score_planes((7, 0), "")


def test_scores_are_drawn_over_the_offset() -> None:
    _, axes = position_arrows.scores_against_offset({"a": torch.eye(3)}, "claim")
    assert sorted(set(axes[1, 0].lines[0].get_xdata().tolist())) == [-2, -1, 0, 1, 2]
    with pytest.raises(ValueError, match="square"):
        position_arrows.scores_against_offset({"a": torch.zeros(2, 3)}, "")
