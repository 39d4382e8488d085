"""Drawn diagrams of lessons: boxes and arrows that say which part of a layer does what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["attention_boxes", "gate_readers", "transformer_block"]

#: Safe for colour-blind readers, and different in grey: learned, computed, plain.
LEARNED, COMPUTED, PLAIN = "#f2c14e", "#7fb2e5", "#f4f4f4"
INK = "#222222"
#: Width and height of one box.
BOX = (1.5, 0.55)


def attention_boxes(title: str = "Every box is a part that we have built") -> tuple[Figure, Axes]:
    """The attention diagram of every paper, from the tokens X up to the output, with our word for each box beside it.

    Source: drawn after Vaswani et al. (2017), figure 2, without its mask.
    """
    figure, ax = _canvas(9.5, 6.0, (-1.2, 9.6), (-0.5, 7.1), title)
    columns = {"Q": 0.0, "K": 2.0, "V": 4.0}
    _box(ax, 2.0, 0.0, "tokens X", PLAIN)
    for name, x in columns.items():
        _arrow(ax, (2.0, 0.28), (x, 0.92))
        _box(ax, x, 1.2, f"Linear $W_{name}$", LEARNED)
        _label(ax, x + 0.12, 1.85, name, bold=True)
    _arrow(ax, (0.0, 1.48), (0.9, 2.22))
    _arrow(ax, (2.0, 1.48), (1.1, 2.22))
    column = [(2.5, "MatMul $QK^T$"), (3.6, "Scale ÷√d"), (4.7, "SoftMax")]
    for y, name in column:
        _box(ax, 1.0, y, name, COMPUTED)
    for low, high in ((2.5, 3.6), (3.6, 4.7)):
        _arrow(ax, (1.0, low + 0.28), (1.0, high - 0.28))
    _box(ax, 2.4, 5.9, "MatMul · V", COMPUTED)
    _arrow(ax, (1.0, 4.98), (2.1, 5.62))
    _arrow(ax, (4.0, 1.48), (2.8, 5.62))
    _arrow(ax, (2.4, 6.18), (2.4, 6.75))
    _label(ax, 2.55, 6.6, "one mixed value for each token")
    words = [
        (1.2, "Q: what each token asks for\nK: what each token has\nV: what each token hands over"),
        (2.5, "every query against every key: the scores"),
        (3.6, "the temperature: keeps the gates soft"),
        (4.7, "one soft pool for each row: the gates"),
        (5.9, "the gated sum of what is handed over"),
    ]
    for y, text in words:
        _label(ax, 5.3, y, text)
    _legend(ax, 5.3, 0.0)
    return figure, ax


def gate_readers(title: str = "SwiGLU's gate reads every unit, SiLU's gate only its own") -> tuple[Figure, np.ndarray]:
    """Four units and their gates twice: each gate reads its own unit (SiLU), and each reads all of them (SwiGLU)."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.9), layout="constrained")
    figure.suptitle(title)
    for ax, everything in zip(axes, (False, True), strict=True):
        _clear(ax, (-0.6, 5.6), (-0.6, 3.9))
        for k in range(4):
            y = 3 - k
            _circle(ax, 0, y, f"$\\hat y_{k + 1}$", PLAIN)
            _box(ax, 2.7, y + 0.2, "gate", COMPUTED, (0.9, 0.4))
            _circle(ax, 4.2, y, "×", PLAIN)
            for j in range(4) if everything else (k,):
                _arrow(ax, (0.26, 3 - j), (2.22, y + 0.2), width=1.0 if everything else 1.6)
            _arrow(ax, (3.15, y + 0.2), (3.96, y + 0.06))
            _arrow(ax, (0.26, y - 0.04), (3.94, y - 0.06), dashed=True)
            _arrow(ax, (4.46, y), (5.2, y))
        name = "SwiGLU: $\\hat y$ ⊙ SiLU($\\hat y W^T$)" if everything else "SiLU: $\\hat y_k$ · σ($\\hat y_k$)"
        ax.set_title(name, fontsize=11)
    axes[0].set_xlabel("solid: what the gate reads · dashed: the value it lets through")
    axes[0].xaxis.set_visible(True)
    axes[0].set_xticks([])
    return figure, axes


def transformer_block(
    title: str = "Attention combines across tokens, the MLP works on each one",
) -> tuple[Figure, Axes]:
    """A pre-norm transformer block from left to right: two branches that are each added to the stream."""
    figure, ax = _canvas(10, 3.4, (-0.8, 12.3), (-1.3, 2.6), title)
    _arrow(ax, (0.35, 0), (11.3, 0), width=2.2)
    _label(ax, -0.7, 0, "X\n(T, f)")
    _label(ax, 11.4, 0, "X′\n(T, f)")
    branches = [(1.0, "Attention", "across tokens", LEARNED), (6.2, "SwiGLU MLP", "each token alone", LEARNED)]
    for x, name, what, colour in branches:
        _arrow(ax, (x, 0), (x, 1.2), head=False)
        _arrow(ax, (x, 1.2), (x + 0.45, 1.2))
        _box(ax, x + 0.95, 1.2, "Norm", PLAIN, (1.0, 0.6))
        _arrow(ax, (x + 1.45, 1.2), (x + 1.85, 1.2))
        _box(ax, x + 2.75, 1.2, name, colour, (1.8, 0.6))
        _label(ax, x + 2.75, 1.85, what, centred=True)
        _arrow(ax, (x + 3.65, 1.2), (x + 4.1, 1.2), head=False)
        _arrow(ax, (x + 4.1, 1.2), (x + 4.1, 0.3))
        _circle(ax, x + 4.1, 0, "+", PLAIN)
    _label(ax, 5.7, -0.75, "the residual stream: each branch adds to X; the block is stacked L times", centred=True)
    return figure, ax


def _canvas(
    width: float, height: float, x: tuple[float, float], y: tuple[float, float], title: str
) -> tuple[Figure, Axes]:
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(width, height), layout="constrained")
    _clear(ax, x, y)
    ax.set_title(title)
    return figure, ax


def _clear(ax: Axes, x: tuple[float, float], y: tuple[float, float]) -> None:
    ax.set(xlim=x, ylim=y, xticks=[], yticks=[])
    for side in ax.spines.values():
        side.set_visible(False)


def _box(ax: Axes, x: float, y: float, text: str, colour: str, size: Sequence[float] = BOX) -> None:
    from matplotlib.patches import FancyBboxPatch

    width, height = size
    corner = (x - width / 2, y - height / 2)
    style = "round,pad=0,rounding_size=0.08"
    ax.add_patch(FancyBboxPatch(corner, width, height, boxstyle=style, facecolor=colour, edgecolor=INK, zorder=3))
    ax.text(x, y, text, ha="center", va="center", fontsize=10, color=INK, zorder=4)


def _circle(ax: Axes, x: float, y: float, text: str, colour: str) -> None:
    # a marker stays round whatever the axes' scales are
    ax.plot([x], [y], marker="o", markersize=21, markerfacecolor=colour, markeredgecolor=INK, zorder=3)
    ax.text(x, y, text, ha="center", va="center", fontsize=11, color=INK, zorder=4)


def _arrow(ax: Axes, start: Any, end: Any, *, width: float = 1.2, dashed: bool = False, head: bool = True) -> None:
    style = {"arrowstyle": "-|>" if head else "-", "color": INK, "linewidth": width, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", end, start, arrowprops={**style, "linestyle": "--" if dashed else "-"}, zorder=2)


def _label(ax: Axes, x: float, y: float, text: str, *, bold: bool = False, centred: bool = False) -> None:
    weight, side = ("bold" if bold else "normal"), ("center" if centred else "left")
    ax.text(x, y, text, ha=side, va="center", fontsize=10, fontweight=weight, color=INK)


def _legend(ax: Axes, x: float, y: float) -> None:
    """What the colours of boxes mean."""
    for i, (colour, text) in enumerate(
        ((LEARNED, "learned, the same for all"), (COMPUTED, "computed, fresh each time"))
    ):
        _box(ax, x + 0.15, y + 0.22 - 0.44 * i, "", colour, (0.3, 0.26))
        _label(ax, x + 0.45, y + 0.22 - 0.44 * i, text)
