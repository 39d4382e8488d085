"""Diagrams of lesson 06: a patch as a row of numbers, the way from pixels to scores, one block, and who reads whom.

As in `plots`: each function returns `(figure, axes)` and takes the claim as its title.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from course_utils.diagrams import COMPUTED, INK, LEARNED, PLAIN, _arrow, _box, _canvas, _circle, _label
from course_utils.plots import _array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["block_shapes", "hand_patch", "route", "who_reads_whom"]

#: Cells of a mask that may be read, and that may not.
OPEN, CLOSED = "#7fb2e5", "#f4f4f4"
#: How the three channels are told apart: by letter, and by a colour for those who see it.
CHANNELS = {"R": "#f3b0a6", "G": "#b8dfb0", "B": "#aec7ee"}
#: Boxes of a route that stand in one line.
LINE = 4


def hand_patch(pixels: Any, weight: Any, bias: Any, title: str) -> tuple[Figure, Axes]:
    """A patch of 2 x 2 pixels (left), its row of 12 numbers, channel by channel, and two weighted sums of it.

    Args:
        pixels: (3, 2, 2) in [0, 1].
        weight: (2, 12); `bias`: (2,).
        title: what the figure shows, as a sentence.

    Raises:
        ValueError: other shapes.
    """
    patch, rows, added = _array(pixels), _array(weight), _array(bias)
    if (patch.shape, rows.shape, added.shape) != ((3, 2, 2), (2, 12), (2,)):
        raise ValueError(f"hand_patch draws (3, 2, 2), (2, 12), (2,), not {patch.shape}, {rows.shape}, {added.shape}.")
    figure, ax = _canvas(11.5, 3.4, (-4.6, 15.2), (-0.2, 4.3), title)
    for place, name in enumerate("ABCD"):
        line, column = divmod(place, 2)
        colour = tuple(patch[:, line, column])
        ink = "white" if sum(colour) < 1.5 else "black"
        _cell(ax, -4.2 + column, 2.4 - line, name, colour, ink)
    numbers = patch.reshape(-1)
    for place, number in enumerate(numbers):
        channel = "RGB"[place // 4]
        _label(ax, place + 0.5, 3.8, f"{'ABCD'[place % 4]}.{channel}", centred=True)
        _cell(ax, place, 2.6, f"{number:g}", CHANNELS[channel])
        for output in range(2):
            factor = rows[output, place]
            _cell(ax, place, 1.2 - 1.1 * output, f"{factor:+g}" if factor else "0", LEARNED if factor else PLAIN)
    for y, text in ((3.1, "the row x"), (1.7, "weights 1"), (0.6, "weights 2")):
        ax.text(-0.2, y, text, ha="right", va="center", fontsize=9.5, color=INK)
    for output in range(2):
        total = float(rows[output] @ numbers)
        answer = f"{total:g} {'+' if added[output] >= 0 else '-'} {abs(added[output]):g} = {total + added[output]:g}"
        _label(ax, 12.3, 1.7 - 1.1 * output, answer, bold=True)
    _label(ax, 12.3, 3.1, "sum + bias")
    return figure, ax


def route(stops: Sequence[tuple[str, Any, bool]], title: str) -> tuple[Figure, Axes]:
    """Boxes in reading order, four in a line, with the shape of what leaves each beside its arrow.

    Args:
        stops: what a box does, the shape or words of what leaves it, and whether it has weights that learn.
        title: what the figure shows, as a sentence.

    Raises:
        ValueError: no stop.
    """
    if not stops:
        raise ValueError("route draws one box or more.")
    lines = -(-len(stops) // LINE)
    figure, ax = _canvas(11.5, 0.6 + 1.35 * lines, (-1.2, 4 * LINE - 1.6), (0.5 - 1.6 * lines, 0.9), title)
    for place, (name, shape, learns) in enumerate(stops):
        line, column = divmod(place, LINE)
        x, y = 4.0 * column, -1.6 * line
        _box(ax, x, y, name, LEARNED if learns else PLAIN, (2.2, 0.85))
        written = " x ".join(map(str, shape)) if isinstance(shape, (tuple, list)) else str(shape)
        if place + 1 < len(stops) and column + 1 < LINE:
            _arrow(ax, (x + 1.1, y), (x + 2.9, y))
            ax.text(x + 2.0, y + 0.12, written, ha="center", va="bottom", fontsize=8.5, color=INK)
        elif place + 1 < len(stops):
            _arrow(ax, (x, y - 0.42), (x, y - 0.75), head=False)
            _arrow(ax, (x, y - 0.75), (0, y - 0.75), head=False)
            _arrow(ax, (0, y - 0.75), (0, y - 1.17))
            ax.text(x / 2, y - 0.7, written, ha="center", va="bottom", fontsize=8.5, color=INK)
        else:
            ax.text(x + 1.25, y, written, ha="left", va="center", fontsize=9.5, fontweight="bold", color=INK)
    return figure, ax


def block_shapes(shapes: Mapping[str, Any], title: str) -> tuple[Figure, Axes]:
    """One pre-norm block as two branches on a stream, with a shape at every arrow.

    Args:
        shapes: what leaves `norm1`, `qkv`, `gates`, `messages`, `out`, `norm2`, `wide`, `narrow`; and the `stream`.
        title: what the figure shows, as a sentence.

    Raises:
        KeyError: a shape is missing.
    """
    figure, ax = _canvas(11.5, 5.2, (-0.9, 15.4), (-0.7, 6.2), title)
    branches = (
        (4.6, (("LayerNorm", "norm1", True), ("Q, K, V", "qkv", True), ("softmax", "gates", False),
               ("mix V", "messages", False), ("join, $W_O$", "out", True))),
        (1.4, (("LayerNorm", "norm2", True), ("Linear, GELU", "wide", True), ("Linear", "narrow", True))),
    )  # fmt: skip
    words = ("E: the tokens", "U: tokens with context", "E': the block's output")
    for line, (y, boxes) in enumerate(branches):
        stream = y + 1.0
        _label(ax, -0.6, stream + 0.3, f"{words[line]}, {_by(shapes['stream'])}")
        _arrow(ax, (-0.8, stream), (14.0, stream), width=2.2)
        _arrow(ax, (0.0, stream), (0.0, y), head=False)
        gap = 14.0 / (len(boxes) + 0.3)
        before = 0.0
        for place, (name, key, learns) in enumerate(boxes):
            x = 1.3 + gap * place
            _arrow(ax, (before, y), (x - 0.75, y))
            _box(ax, x, y, name, LEARNED if learns else COMPUTED, (1.5, 0.6))
            after = (x + 0.75 + (x + gap - 0.75 if place + 1 < len(boxes) else 14.0)) / 2
            ax.text(after, y - 0.38, _by(shapes[key]), ha="center", va="top", fontsize=8.5, color=INK)
            before = x + 0.75
        _arrow(ax, (before, y), (14.0, y), head=False)
        _arrow(ax, (14.0, y), (14.0, stream - 0.25))
        _circle(ax, 14.0, stream, "+", PLAIN)
    _arrow(ax, (14.3, 5.6), (15.1, 5.6), head=False)
    _arrow(ax, (15.1, 5.6), (15.1, 3.6), head=False)
    _arrow(ax, (15.1, 3.6), (-0.85, 3.6), head=False)
    _arrow(ax, (-0.85, 3.6), (-0.85, 2.4), head=False)
    _label(ax, 10.4, 2.7, words[2] + f", {_by(shapes['stream'])}")
    _label(ax, 0.3, 5.2, "attention: tokens exchange")
    _label(ax, 0.3, 2.0, "feed-forward: each token alone")
    _label(
        ax, 1.5, -0.3, "yellow: weights that were learned, the same for every picture · blue: computed anew for each"
    )
    return figure, ax


def who_reads_whom(masks: Mapping[str, tuple[Any, Sequence[str], Sequence[str]]], title: str) -> tuple[Figure, Any]:
    """Which query may read which key: one panel for each mask, a cross where it may not.

    Args:
        masks: name to the mask, (Tq, Tk) of booleans, True where the query may read; names of queries; names of keys.
        title: what the figure shows, as a sentence.

    Raises:
        ValueError: no mask, or names that do not fit one.
    """
    from matplotlib import pyplot as plt

    for name, (mask, queries, keys) in masks.items():
        if _array(mask).shape != (len(queries), len(keys)):
            raise ValueError(f"{name}: {len(queries)} queries and {len(keys)} keys, but a mask {_array(mask).shape}.")
    if not masks:
        raise ValueError("who_reads_whom draws one mask or more.")
    figure, axes = plt.subplots(1, len(masks), figsize=(3.8 * len(masks), 4.2), squeeze=False, layout="constrained")
    for ax, (name, (mask, queries, keys)) in zip(axes[0], masks.items(), strict=True):
        for (row, column), may in np.ndenumerate(_array(mask) > 0):
            _cell(ax, column - 0.5, row - 0.5, "" if may else "×", OPEN if may else CLOSED)
        ax.set(xlim=(-0.5, len(keys) - 0.5), ylim=(len(queries) - 0.5, -0.5), aspect="equal")
        ax.set_xticks(range(len(keys)), keys, fontsize=8.5)
        ax.set_yticks(range(len(queries)), queries, fontsize=8.5)
        ax.set(ylabel="query", xlabel="key")
        ax.set_title(name, fontsize=11)
    figure.suptitle(title)
    return figure, axes[0]


def _cell(ax: Axes, x: float, y: float, text: str, colour: Any, ink: str = INK) -> None:
    """A square with its corner at (x, y)."""
    from matplotlib.patches import Rectangle

    ax.add_patch(Rectangle((x, y), 1, 1, facecolor=colour, edgecolor=INK, linewidth=0.8))
    ax.text(x + 0.5, y + 0.5, text, ha="center", va="center", fontsize=10, color=ink)


def _by(shape: Any) -> str:
    return " x ".join(map(str, shape)) if isinstance(shape, (tuple, list)) else str(shape)
