"""Drawn diagrams of lesson 04: a network with two heads, and the rows of a projection that makes Q, K and V at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from course_utils.diagrams import COMPUTED, INK, LEARNED, PLAIN, _arrow, _box, _canvas, _circle, _label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["fused_rows", "two_head_network"]

#: Queries, keys, values: safe for colour-blind readers and different in grey; then the ink on it.
ROLES = (("Q", "#0072B2", "white"), ("K", "#E69F00", "black"), ("V", "#F0E442", "black"))


def two_head_network(title: str = "Yellow is learned and fixed, blue is computed anew") -> tuple[Figure, Axes]:
    """A picture's way through two heads, from left to right: two paths that meet in the output projection."""
    figure, ax = _canvas(12, 4.2, (-1.0, 15.4), (-2.85, 2.6), title)
    _box(ax, 0.0, 0.0, "tokens X", PLAIN)
    for side, head in ((1, "1"), (-1, "2")):
        y = 1.35 * side
        for offset, name in ((0.62, "Q"), (0.0, "K"), (-0.62, "V")):
            _arrow(ax, (0.75, 0.0), (1.65, y + offset))
            _box(ax, 2.2, y + offset, f"$W_{name}^{head}$", LEARNED, (1.0, 0.5))
        _arrow(ax, (2.7, y + 0.62), (3.35, y + 0.2))
        _arrow(ax, (2.7, y), (3.35, y + 0.08))
        _box(ax, 4.3, y + 0.15, "softmax($QK^T$/√d)", COMPUTED, (1.9, 0.6))
        _arrow(ax, (5.25, y + 0.15), (5.85, y + 0.05))
        _arrow(ax, (2.7, y - 0.62), (5.85, y - 0.2))
        _box(ax, 6.4, y, "· V", COMPUTED, (1.1, 0.6))
        _arrow(ax, (6.95, y), (7.75, 0.25 * side))
        _label(ax, 4.3, y + 0.75, f"head {head}", centred=True)
    _box(ax, 8.6, 0.0, "side by side", PLAIN, (1.7, 0.6))
    _arrow(ax, (9.45, 0.0), (9.95, 0.0))
    _box(ax, 10.4, 0.0, "$W_O$", LEARNED, (0.9, 0.6))
    _arrow(ax, (10.85, 0.0), (11.35, 0.0))
    _circle(ax, 11.7, 0.0, "+", PLAIN)
    _arrow(ax, (0.0, -0.28), (0.0, -2.6), head=False, dashed=True)
    _arrow(ax, (0.0, -2.6), (11.7, -2.6), head=False, dashed=True)
    _arrow(ax, (11.7, -2.6), (11.7, -0.35), dashed=True)
    _label(ax, 9.3, -2.3, "residual", centred=True)
    _arrow(ax, (12.05, 0.0), (12.3, 0.0))
    _box(ax, 13.1, 0.0, "average", PLAIN, (1.5, 0.6))
    _arrow(ax, (13.85, 0.0), (14.15, 0.0))
    _box(ax, 14.65, 0.0, "Linear", LEARNED, (1.0, 0.6))
    return figure, ax


def fused_rows(heads: int, width: int, picked: tuple[str, int], title: str) -> tuple[Figure, Axes]:
    """The outputs of one linear layer in a line, cut into Q, K and V, and each of them into heads; one is framed.

    Args:
        heads: how many.
        width: of one head.
        picked: the role "Q", "K" or "V", and the head, counted from 1.
        title: what the figure shows, as a sentence.

    Raises:
        ValueError: there is no such role or head.
    """
    names = [name for name, _, _ in ROLES]
    if picked[0] not in names or not 1 <= picked[1] <= heads:
        raise ValueError(f"fused_rows frames one of Q, K, V and a head from 1 to {heads}, not {picked}.")
    figure, ax = _canvas(10.5, 2.3, (-0.3, 3 * heads + 0.3), (-0.9, 1.7), title)
    for role, (name, colour, ink) in enumerate(ROLES):
        for head in range(heads):
            x = role * heads + head
            _block(ax, x, f"{name}\nhead {head + 1}", colour, ink)
            _label(ax, x + 0.02, -0.25, str(x * width))
    last = 3 * heads * width - 1
    ax.text(3 * heads - 0.02, -0.25, str(last), ha="right", va="center", fontsize=10, color=INK)
    x = names.index(picked[0]) * heads + picked[1] - 1
    _block(ax, x, "", "none", INK, edge=5.0)
    _label(ax, x + 0.5, 1.35, f"rows {x * width} to {(x + 1) * width - 1}", bold=True, centred=True)
    _label(ax, 1.5 * heads, -0.7, f"number of the row of the weight matrix; each block has {width}", centred=True)
    return figure, ax


def _block(ax: Any, x: float, text: str, colour: str, ink: str, edge: float = 1.0) -> None:
    from matplotlib.patches import Rectangle

    ax.add_patch(Rectangle((x, 0), 1, 1, facecolor=colour, edgecolor=INK, linewidth=edge, zorder=3 if edge > 1 else 2))
    ax.text(x + 0.5, 0.5, text, ha="center", va="center", fontsize=10, color=ink)
