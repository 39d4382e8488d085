"""Figures of gates inside a window: where it lies on a digit, its values, gates and gradients, and who mixes how.

As in `plots`: each function returns `(figure, axes)` and takes the claim as its title; gates run from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils.plots import COLOURS, _array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["hard_and_soft", "mixing_maps", "pages_with_gates", "top_edges", "window_on_digit", "window_story"]

#: The frame around a window, and the two kinds of gates beside each other.
FRAME, HARD, SOFT = "#D55E00", "#999999", "#0072B2"
#: Gradients are drawn on a scale that is white at 0, with orange below and violet above.
SIGNED = "PuOr"


def top_edges(digit: Tensor) -> Tensor:
    """The top-edge map (28, 28) of a digit (1, 28, 28): how much brighter it gets from above to below, 0 or more."""
    filter_ = torch.tensor([[-1.0, -2, -1], [0, 0, 0], [1, 2, 1]])
    return F.relu(2.5 * F.conv2d(digit[None], filter_[None, None], padding=1))[0, 0]  # about 0 to 10


def window_on_digit(
    digit: Any, feature: Any, place: tuple[int, int], title: str, gates: Any = None
) -> tuple[Figure, np.ndarray]:
    """A digit, its feature map with one 2 x 2 window framed, and the four values of the window.

    Args:
        digit: (h, w) or (1, h, w).
        feature: (h, w), the map that is pooled.
        place: row and column of the window, counted in windows.
        title: what the figure shows, as a sentence.
        gates: (4,) the window's gates in reading order, drawn beside its values.

    Raises:
        ValueError: the window lies outside the map.
    """
    from matplotlib import pyplot as plt
    from matplotlib.patches import Rectangle

    values, (row, column) = _array(feature), place
    if not (0 <= 2 * row < values.shape[0] - 1 and 0 <= 2 * column < values.shape[1] - 1):
        raise ValueError(f"There is no window {place} in a map of shape {values.shape}.")
    panels = 3 if gates is None else 4
    figure, axes = plt.subplots(1, panels, figsize=(3.2 * panels, 3.5), layout="constrained")
    axes[0].imshow(_array(digit).reshape(values.shape), cmap="gray_r")
    axes[0].set(title="the digit", xticks=[], yticks=[])
    axes[1].imshow(values, cmap=COLOURS)
    axes[1].set(title="its top-edge map", xticks=[], yticks=[])
    for ax in axes[:2]:
        for colour, width in (("white", 4.0), (FRAME, 2.0)):
            corner = (2 * column - 0.5, 2 * row - 0.5)
            ax.add_patch(Rectangle(corner, 2, 2, fill=False, edgecolor=colour, linewidth=width))
    window = values[2 * row : 2 * row + 2, 2 * column : 2 * column + 2]
    _square(axes[2], window, COLOURS, (0.0, max(float(values.max()), 1e-9)), "the window's four values")
    if gates is not None:
        _square(axes[3], _array(gates).reshape(2, 2), COLOURS, (0.0, 1.0), "their gates (0 to 1)", 3)
    figure.suptitle(title)
    return figure, axes


def window_story(values: Any, gates: Any, gradient: Any, title: str, top: Any = None) -> tuple[Figure, np.ndarray]:
    """One 2 x 2 window three times: its values, the gates that they get, and who hears which gradient.

    Args:
        values, gates, gradient: (4,) in reading order.
        title: what the figure shows, as a sentence.
        top: the upper end of the values' colours, such as the map's largest; the window's own, if it is not given.

    Raises:
        ValueError: not four numbers each, or gates outside [0, 1].
    """
    from matplotlib import pyplot as plt

    rows = [_array(each).reshape(-1) for each in (values, gates, gradient)]
    if any(row.shape != (4,) for row in rows) or rows[1].min() < -1e-4 or rows[1].max() > 1 + 1e-4:
        raise ValueError("window_story draws four values, four gates in [0, 1] and four gradients.")
    figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.3), layout="constrained")
    squares = [row.reshape(2, 2) for row in rows]
    top = max(float(rows[0].max() if top is None else top), 1e-9)
    _square(axes[0], squares[0], COLOURS, (min(0.0, float(rows[0].min())), top), "values")
    _square(axes[1], squares[1], COLOURS, (0.0, 1.0), "gates (0 to 1)", 3)
    most = max(1.0, float(np.abs(rows[2]).max()))
    _square(axes[2], squares[2], SIGNED, (-most, most), "gradient of the output (white: 0)", 3)
    figure.suptitle(title)
    return figure, axes


def hard_and_soft(values: Any, hard: Any, soft: Any, title: str) -> tuple[Figure, Axes]:
    """The gradient that each value of a window hears from a hard gate and from a soft one, as bars in pairs."""
    from matplotlib import pyplot as plt

    names = [f"v = {value:.2f}" for value in _array(values)]
    figure, ax = plt.subplots(figsize=(6.8, 3.5), layout="constrained")
    kinds = (("hard max", hard, HARD, "//", -0.2), ("softmax, τ = 1", soft, SOFT, "", 0.2))
    for name, heard, colour, hatch, shift in kinds:
        row = _array(heard)
        bars = ax.bar(np.arange(len(row)) + shift, row, 0.4, color=colour, hatch=hatch, edgecolor="white", label=name)
        ax.bar_label(bars, [f"{number:.3f}" if abs(number) % 1 else f"{number:.0f}" for number in row], padding=2)
    ax.axhline(0, color="black", linewidth=0.8)
    ax.set_xticks(range(len(names)), names)
    ax.set(title=title, ylabel="gradient of the output", ylim=(-0.12, 1.15))
    ax.legend(frameon=False, loc="upper left")
    return figure, ax


def mixing_maps(images: Sequence[Any], weights: Mapping[str, Sequence[Any]], title: str) -> tuple[Figure, np.ndarray]:
    """Which weight each pixel gets in its 2 x 2 window: one row for each image, one column for each kind of pool.

    Args:
        images: of (h, w), the maps that are pooled.
        weights: for each kind of pool, one map (h, w) of weights for each image, drawn from 0 to 1.
        title: what the figure shows, as a sentence.

    Raises:
        ValueError: other numbers of maps than of images.
    """
    from matplotlib import pyplot as plt

    if any(len(maps) != len(images) for maps in weights.values()):
        raise ValueError(f"mixing_maps needs a map for each of {len(images)} images.")
    size = (3.0 * (1 + len(weights)) + 0.6, 2.9 * len(images) + 0.5)
    figure, axes = plt.subplots(len(images), 1 + len(weights), figsize=size, squeeze=False, layout="constrained")
    for row, image in enumerate(images):
        axes[row, 0].imshow(_array(image), cmap=COLOURS)
        for column, (name, maps) in enumerate(weights.items(), 1):
            heat = axes[row, column].imshow(_array(maps[row]), cmap=COLOURS, vmin=0, vmax=1)
            axes[row, column].set_title(name, fontsize=11)
        axes[row, 0].set_title("what is pooled", fontsize=11)
    for ax in axes.flat:
        ax.set(xticks=[], yticks=[])
    figure.colorbar(heat, ax=list(axes[:, -1]), label="weight in its window")
    figure.suptitle(title)
    return figure, axes


def pages_with_gates(tokens: Any, gates: Mapping[str, Any], title: str, titles: Sequence[str] = ()) -> tuple[Any, Any]:
    """Pages of digits, and under each digit the gate that it gets, as bars from 0 to 1.

    Args:
        tokens: (n, T, side * side), dark where large.
        gates: for each kind of pool (n, T); none: only the pages are drawn.
        title: what the figure shows, as a sentence.
        titles: one for each page.

    Raises:
        ValueError: gates or titles that do not fit the pages.
    """
    from matplotlib import pyplot as plt

    pages, listening = _array(tokens), {name: _array(each) for name, each in gates.items()}
    count, length = pages.shape[:2]
    if any(each.shape != (count, length) for each in listening.values()) or len(titles) not in (0, count):
        raise ValueError(f"{count} pages of {length} digits need as many gates and titles.")
    side, rows = round(pages.shape[2] ** 0.5), 1 + len(listening)
    heights = [1.0, *[0.8] * len(listening)] * count
    size = (1.25 * length + 1.2, count * (1.5 + 1.1 * len(listening)) + 0.5)
    figure, axes = plt.subplots(
        count * rows, 1, figsize=size, squeeze=False, layout="constrained", gridspec_kw={"height_ratios": heights}
    )
    for page in range(count):
        ax = axes[page * rows, 0]
        framed = np.pad(pages[page].reshape(length, side, side), ((0, 0), (1, 1), (2, 2)))
        ax.imshow(framed.transpose(1, 0, 2).reshape(side + 2, -1), cmap="gray_r", vmin=0, vmax=1, aspect="auto")
        ax.set(xticks=[], yticks=[], title=titles[page] if titles else "")
        for i, (name, each) in enumerate(listening.items(), 1):
            low = axes[page * rows + i, 0]
            bars = low.bar(range(length), each[page], color=SOFT, width=0.6)
            low.bar_label(bars, [f"{gate:.2f}" for gate in each[page]], fontsize=8, padding=1)
            low.set(xlim=(-0.5, length - 0.5), ylim=(0, 1.25), xticks=[], yticks=[0, 1], ylabel=name)
    figure.suptitle(title)
    return figure, axes[:, 0]


def _square(
    ax: Axes, square: np.ndarray, colours: str, limits: tuple[float, float], title: str, digits: int = 2
) -> None:
    """A 2 x 2 heat map with its numbers written in."""
    low, high = limits
    ax.imshow(square, cmap=colours, vmin=low, vmax=high)
    for (row, column), number in np.ndenumerate(square):
        share = (number - low) / (high - low)
        dark = abs(share - 0.5) > 0.35 if colours == SIGNED else share < 0.55
        text = f"{number:.{digits}f}" if number else "0"
        ax.text(column, row, text, ha="center", va="center", size=13, color="white" if dark else "black")
    ax.set(title=title, xticks=[], yticks=[])
