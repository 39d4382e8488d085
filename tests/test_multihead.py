"""Lesson 04: its figures and dials, and the experiment with one head or several."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import pytest
import torch

from course_utils import data, heads_diagrams, heads_dials, heads_experiment, heads_pictures, relations
from course_utils.relation_net import RelationNet

matplotlib.use("Agg")
from matplotlib.patches import Rectangle

ROOT = Path(__file__).parents[1]


@pytest.fixture
def net() -> RelationNet:
    torch.manual_seed(0)
    return RelationNet(4, width=32, heads=2, head_width=4, position="rope", angle=heads_experiment.ANGLE).eval()


# --- the experiment


def test_a_silenced_head_hands_over_nothing_and_comes_back(net: RelationNet) -> None:
    images = relations.two_relations(5, seed=3).images
    handed: list[torch.Tensor] = []
    net.out.register_forward_hook(lambda _, given, __: handed.append(given[0]))
    with torch.no_grad():
        whole = net(images)
        with heads_experiment.silenced(net, 1):
            without = net(images)
        again = net(images)
    assert torch.equal(whole, again)
    assert not torch.allclose(whole, without)
    assert torch.equal(handed[1][..., :4], handed[0][..., :4])
    assert not handed[1][..., 4:].any()
    for head in (-1, 2):
        with pytest.raises(ValueError, match="heads 0 to 1"), heads_experiment.silenced(net, head):
            pass


def test_a_head_comes_back_after_an_error_too(net: RelationNet) -> None:
    images = relations.two_relations(2, seed=3).images
    with torch.no_grad():
        whole = net(images)
        with pytest.raises(KeyError), heads_experiment.silenced(net, 0):
            raise KeyError
        assert torch.equal(net(images), whole)


def test_answers_count_each_question() -> None:
    scenes = relations.two_relations(200, seed=5)

    class Says(torch.nn.Module):
        def __init__(self, labels: torch.Tensor) -> None:
            super().__init__()
            self.labels = labels

        def forward(self, images: torch.Tensor) -> torch.Tensor:
            return torch.nn.functional.one_hot(self.labels, 4).float()

    assert heads_experiment.answers(Says(scenes.labels), scenes) == (1, 1)
    assert heads_experiment.answers(Says(scenes.labels ^ 1), scenes) == (1, 0)
    assert heads_experiment.answers(Says(scenes.labels ^ 2), scenes) == (0, 1)


def test_gates_are_shared_out_among_shapes_and_the_rest(net: RelationNet) -> None:
    scenes = relations.two_relations(20, seed=6)
    by_head, even = heads_experiment.listened_to(net, scenes)
    assert by_head.shape == (2, 4)
    torch.testing.assert_close(by_head.sum(1), torch.ones(2))
    torch.testing.assert_close(even.sum(), torch.tensor(1.0))
    net.qkv.weight.data.zero_()
    net.qkv.bias.data.zero_()  # all scores are 0
    torch.testing.assert_close(heads_experiment.listened_to(net, scenes)[0], even.expand(2, 4))


def test_a_longer_run_begins_with_the_shorter_one(monkeypatch: pytest.MonkeyPatch) -> None:
    few = (relations.two_relations(128, seed=1), relations.two_relations(40, seed=2))
    monkeypatch.setattr(heads_experiment, "pictures", lambda: few)
    short, long = (heads_experiment.train(1, seed=3, epochs=epochs) for epochs in (1, 2))
    assert long.accuracies[:1] == short.accuracies
    assert len(heads_experiment.with_one_silent(long.net)) == 2


# --- figures


def test_two_questions_carry_their_numbers() -> None:
    pictures = {"A": data.draw_picture("bird", size=32)}
    answers = torch.tensor([[[0.711, 0.0]] * 4])
    figure, axes = heads_pictures.two_questions(pictures, answers, torch.full((1, 4), -0.5), "claim")
    assert [text.get_text() for text in axes[0, 3].texts] == ["0.711", "0"] * 4
    assert [text.get_text() for text in axes[0, 5].texts] == ["-0.500"] * 4
    assert axes[0, 1].images[0].get_clim() == (0, 1)
    figure.canvas.draw()
    with pytest.raises(ValueError, match="answers"):
        heads_pictures.two_questions(pictures, answers[0], torch.zeros(1, 4), "")


def test_cells_keep_the_colour_of_their_token() -> None:
    x = torch.arange(4).view(2, 2)
    names = [["a1", "a2"], ["b1", "b2"]]
    figure, axes = heads_pictures.cells_in_heads({"x": x, "turned": x.T, "blocks": x[:, None]}, names, "claim")
    assert [text.get_text() for text in axes[1].texts] == ["a1", "b1", "a2", "b2"]
    colours = [patch.get_facecolor() for patch in axes[1].patches[:4]]
    assert colours[0] == colours[2] != colours[1] == colours[3]
    figure.canvas.draw()
    for wrong in ({}, {"x": x + 1}, {"x": x - 1}, {"x": x[0]}):
        with pytest.raises(ValueError, match="places"):
            heads_pictures.cells_in_heads(wrong, names, "")


def test_weights_stand_above_their_gates() -> None:
    figure, axes = heads_pictures.weights_and_gates(
        [("one", torch.eye(3))] * 2, [("two", torch.full((4, 4), 0.25))] * 2, "claim"
    )
    assert axes.shape == (2, 2)
    assert axes[1, 0].images[0].get_clim() == (0, 1)
    figure.canvas.draw()
    for gates in ([], [("two", torch.full((4, 4), 1.5))], [("two", torch.zeros(3, 3))]):
        with pytest.raises(ValueError, match="weights_and_gates"):
            heads_pictures.weights_and_gates([("one", torch.eye(3))], gates, "")


def test_pictures_and_bars_refuse_what_does_not_fit() -> None:
    figure, axes = heads_pictures.relation_pictures(torch.zeros(2, 1, 8, 8), ["one", "two"], "claim")
    assert [ax.get_title() for ax in axes] == ["one", "two"]
    figure.canvas.draw()
    with pytest.raises(ValueError, match="labels"):
        heads_pictures.relation_pictures(torch.zeros(2, 1, 8, 8), ["one"], "")
    figure, ax = heads_pictures.questions_without({"both": (1, 0.5)}, ("left", "above"), "claim")
    assert {text.get_text() for text in ax.texts} == {"1.00", "0.50", "guessing"}
    figure.canvas.draw()
    with pytest.raises(ValueError, match="two"):
        heads_pictures.questions_without({"both": (1,)}, ("left", "above"), "")


def test_shares_fill_their_bars() -> None:
    figure, ax = heads_pictures.shared_out({"one": [0.25, 0.75], "two": torch.tensor([0.5, 0.5])}, ["a", "b"], "claim")
    assert [text.get_text() for text in ax.texts] == ["0.25", "0.50", "0.75", "0.50"]
    last = ax.patches[-1]
    assert isinstance(last, Rectangle)
    assert last.get_x() + last.get_width() == 1
    figure.canvas.draw()
    for row in ([0.5, 0.2], [1.0], [0.2] * 5):
        with pytest.raises(ValueError, match="sum to 1"):
            heads_pictures.shared_out({"one": row}, ["a", "b"] if len(row) < 5 else list("abcde"), "")


def test_diagrams_name_their_parts() -> None:
    figure, ax = heads_diagrams.two_head_network()
    words = {text.get_text() for text in ax.texts}
    assert {"head 1", "head 2", "$W_O$", "side by side"} <= words
    figure.canvas.draw()
    figure, ax = heads_diagrams.fused_rows(3, 64, ("K", 3), "claim")
    assert "rows 320 to 383" in {text.get_text() for text in ax.texts}
    figure.canvas.draw()
    for wrong in (("X", 1), ("Q", 0), ("Q", 4)):
        with pytest.raises(ValueError, match="fused_rows"):
            heads_diagrams.fused_rows(3, 64, wrong, "")


# --- the picker


def test_the_picker_goes_from_head_to_head() -> None:
    gates = torch.stack([torch.eye(4), torch.eye(4).flip(1)])  # head 1: everyone itself; head 2: the opposite one
    picker = heads_dials.head_picker(torch.zeros(1, 8, 8), gates, (2, 2), start=(0, 1))
    assert "Head 1, query in row 0, column 1: it listens most to (0, 1)" in picker.picture
    picker.controls["head"].value = 2
    assert "Head 2, query in row 0, column 1: it listens most to (1, 0)" in picker.picture
    assert picker.words(head=2, row=1, column=1).endswith("with 1.00 of its gates.")
    for shape in ((4, 4), (2, 3, 3)):
        with pytest.raises(ValueError, match="need gates"):
            heads_dials.head_picker(torch.zeros(1, 8, 8), torch.zeros(shape), (2, 2))
    with pytest.raises(ValueError, match="outside"):
        heads_dials.head_picker(torch.zeros(1, 8, 8), gates, (2, 2), start=(2, 0))
