"""Figures of pooling: a small network as grids, windows with their gates, and where gradients go.

As in `plots`: each function returns `(figure, axes)` and takes the claim as its title; gates run from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from course_utils.plots import COLOURS, _array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["gated_sums", "heard_pixels", "network_grids", "window_gates"]

#: What is laid over a picture: an open gate, and the frame of a window.
OPEN, FRAME = "#D55E00", "#0072B2"
#: The windows of a 4 x 4 channel.
NAMES = ("top left", "top right", "bottom left", "bottom right")


def network_grids(grids: Sequence[tuple[str, Any]], scores: Any, title: str) -> tuple[Figure, np.ndarray]:
    """Named matrices in a row, an arrow from each to the next, and bars of class scores at the end.

    A matrix of 4 x 4 is drawn with the lines of its four windows.

    Raises:
        ValueError: no matrix, or something that is none.
    """
    from matplotlib import pyplot as plt

    shown = [(name, _array(grid)) for name, grid in grids]
    if not shown or any(grid.ndim != 2 for _, grid in shown):
        raise ValueError("network_grids draws matrices, at least one.")
    widths = [max(1.0, len(grid)) for _, grid in shown]
    figure, axes = plt.subplots(
        1, len(shown) + 1, figsize=(12.5, 3.4), width_ratios=[*widths, 3.0], layout="constrained"
    )
    for ax, (name, grid) in zip(axes, shown, strict=False):
        _numbered(ax, grid, limits=(min(0.0, grid.min()), max(1.0, grid.max())), size=8, decimals=3)
        if grid.shape == (4, 4):
            _window_lines(ax, 4, 2)
        ax.set_title(name, fontsize=10)
        ax.annotate("→", (1.0, 0.5), xycoords="axes fraction", xytext=(5, 0), textcoords="offset points",
                    fontsize=14, va="center")  # fmt: skip
    last = axes[-1]
    bars = last.barh(range(len(scores)), scores, color=FRAME)
    last.bar_label(bars, [f"{score:+.2f}" for score in scores], padding=3)
    last.set_yticks(range(len(scores)), [f"class {i + 1}" for i in range(len(scores))])
    last.invert_yaxis()
    last.set_xlim(min(0.0, *scores) - 1.2, max(0.0, *scores) + 1.2)
    last.axvline(0, color="black", linewidth=0.8)
    last.set_title("scores", fontsize=10)
    last.set_xticks([])
    figure.suptitle(title)
    return figure, axes


def gated_sums(channel: Any, gates: Any, title: str, names: Sequence[str] = NAMES) -> tuple[Figure, np.ndarray]:
    """The 2 x 2 windows of a channel as gated sums: a thick line passes its value, a thin dashed one does not.

    Args:
        channel: (h, w) values, (4, 4) for the names that are given here.
        gates: (windows, 4) the gate of each window's four values, windows and values in reading order.
        title: what the figure shows, as a sentence.
        names: one for each window.

    Raises:
        ValueError: shapes that do not fit, or a gate outside [0, 1].
    """
    from matplotlib import pyplot as plt

    values, opened = _array(channel), _array(gates)
    fits = values.ndim == 2 and not values.shape[0] % 2 and not values.shape[1] % 2 and values.size == 4 * len(names)
    if not fits or opened.shape != (len(names), 4):
        raise ValueError(f"{len(names)} windows do not fit a channel {values.shape} and gates {opened.shape}.")
    if opened.min() < -1e-4 or opened.max() > 1 + 1e-4:
        raise ValueError(f"Gates lie in [0, 1], these in [{opened.min():.3g}, {opened.max():.3g}].")
    in_windows = [
        values[2 * i :, 2 * j :][:2, :2].ravel() for i, j in np.ndindex(*(side // 2 for side in values.shape))
    ]
    figure, axes = plt.subplots(1, len(names), figsize=(2.9 * len(names), 3.2), squeeze=False, layout="constrained")
    for ax, name, row, gate in zip(axes[0], names, in_windows, opened, strict=True):
        _blank(ax, (-0.5, 3.6), (-0.6, 3.6))
        for i, (value, g) in enumerate(zip(row, gate, strict=True)):
            y = 3 - i
            _disc(ax, 0, y, f"{value:.1f}", "white")
            dash = "-" if g > 0 else ":"
            ax.plot([0.35, 2.3], [y, 1.5], color=OPEN if g > 0 else "#777777", linewidth=0.8 + 4 * g, linestyle=dash)
            box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
            ax.text(1.05, y + (1.5 - y) * 0.36, f"× {g:.3g}", fontsize=9, ha="center", va="center", bbox=box)
        _disc(ax, 2.55, 1.5, "Σ", "#f2c14e")
        ax.annotate(f"{(row * gate).sum():.3g}", (2.85, 1.5), (3.2, 1.5), fontsize=12, va="center",
                    arrowprops={"arrowstyle": "<-"})  # fmt: skip
        ax.set_title(name, fontsize=10)
    figure.suptitle(title)
    return figure, axes[0]


def window_gates(
    picture: Any, window: tuple[int, int], gates: Any, title: str, *, k: int = 2, arriving: float = 1.0
) -> tuple[Figure, np.ndarray]:
    """One window of a map: its values, its gates, what passes, and the gradient of each value.

    The gates are constants of the pool, so that the gradient of a value is its gate times the gradient that arrives.

    Args:
        picture: (h, w) the map that is pooled.
        window: row and column of the window, counted in windows.
        gates: (k * k,) in reading order.
        title: what the figure shows, as a sentence.
        k: side of a window.
        arriving: the gradient that arrives at the output.

    Raises:
        ValueError: a window outside of the map, or gates that do not fit it.
    """
    from matplotlib import pyplot as plt
    from matplotlib.patches import Rectangle

    whole, gate = _array(picture), _array(gates)
    (row, column), (height, width) = window, whole.shape
    if not (0 <= row < height // k and 0 <= column < width // k) or gate.shape != (k * k,):
        raise ValueError(f"window {window} and {gate.shape} gates do not fit windows of {k} x {k} in {whole.shape}.")
    values, gate = whole[row * k : row * k + k, column * k : column * k + k], gate.reshape(k, k)
    top = max(float(np.abs(whole).max()), 1e-9)
    figure, grid = plt.subplots(2, 4, figsize=(11, 4.6), layout="constrained", width_ratios=[2.2, 1, 1, 1])
    left = _joined(figure, grid)
    left.imshow(whole, cmap="gray_r", vmin=0, vmax=top)
    _window_lines(left, height, k, width=width, colour="#bbbbbb", thickness=0.4)
    for colour, thick in (("white", 4.0), (FRAME, 2.2)):
        left.add_patch(
            Rectangle((column * k - 0.5, row * k - 0.5), k, k, fill=False, edgecolor=colour, linewidth=thick, zorder=3)
        )
    left.set(title=f"window: row {row}, column {column}", xticks=[], yticks=[])
    panels = [
        (grid[0, 1], values, "values V", (0.0, top)),
        (grid[0, 2], gate, "× gates: hardmax(V)", (0.0, 1.0)),
        (grid[0, 3], values * gate, f"= passes; Σ = {(values * gate).sum():.3g}", (0.0, top)),
        (grid[1, 2], gate * arriving, "gradient of each value", (0.0, max(1.0, arriving))),
    ]
    for ax, numbers, name, limits in panels:
        _numbered(ax, numbers, limits=limits, size=10)
        ax.set_title(name, fontsize=10)
    back = grid[1, 3]
    _blank(back, (0, 1), (0, 1))
    back.text(0.62, 0.5, f"g = {arriving:g}\narrives", ha="center", va="center", fontsize=11)
    back.annotate("", (0.0, 0.5), (0.36, 0.5), arrowprops={"arrowstyle": "-|>", "linewidth": 2, "color": OPEN})
    _blank(grid[1, 1], (0, 1), (0, 1))
    grid[1, 1].text(0.5, 0.5, "backward:\ng × gate", ha="center", va="center", fontsize=11)
    figure.suptitle(title)
    return figure, np.array([left, *(panel[0] for panel in panels)])


def heard_pixels(picture: Any, heard: Sequence[tuple[str, Any]], title: str) -> tuple[Figure, np.ndarray]:
    """A map, once for each named mask (h, w), with a dot on each position that hears a gradient.

    Raises:
        ValueError: a mask of another shape than the map, or no mask.
    """
    from matplotlib import pyplot as plt

    whole, masks = _array(picture), [(name, _array(mask)) for name, mask in heard]
    if not masks or any(mask.shape != whole.shape for _, mask in masks):
        raise ValueError(f"heard_pixels needs masks of the map's shape {whole.shape}, at least one.")
    figure, axes = plt.subplots(1, len(masks), figsize=(3.9 * len(masks), 4.2), squeeze=False, layout="constrained")
    for ax, (name, mask) in zip(axes[0], masks, strict=True):
        ax.imshow(whole, cmap="gray_r")
        rows, columns = np.nonzero(mask)
        for colour, size in (("white", 22), (OPEN, 9)):
            ax.scatter(columns, rows, s=size, color=colour, linewidths=0)
        ax.set(title=f"{name}: {len(rows)} of {mask.size}", xticks=[], yticks=[])
    figure.suptitle(title)
    return figure, axes[0]


def _joined(figure: Figure, grid: np.ndarray) -> Axes:
    """The two panels of the first column as one."""
    place = grid[0, 0].get_gridspec()
    for ax in grid[:, 0]:
        ax.remove()
    return figure.add_subplot(place[:, 0])


def _numbered(ax: Axes, grid: np.ndarray, *, limits: tuple[float, float], size: int, decimals: int = 2) -> None:
    low, high = limits
    ax.imshow(grid, cmap=COLOURS, vmin=low, vmax=high)
    for (row, column), number in np.ndenumerate(grid):
        ink = "white" if (number - low) / (high - low) < 0.55 else "black"
        text = f"{number:.{decimals}f}".rstrip("0").rstrip(".") if number else "0"
        ax.text(column, row, text, ha="center", va="center", color=ink, fontsize=size)
    ax.set(xticks=[], yticks=[])


def _window_lines(
    ax: Axes, height: int, k: int, *, width: int | None = None, colour: str = "white", thickness: float = 2.0
) -> None:
    for edge in range(k, height, k):
        ax.axhline(edge - 0.5, color=colour, linewidth=thickness)
    for edge in range(k, width or height, k):
        ax.axvline(edge - 0.5, color=colour, linewidth=thickness)


def _blank(ax: Axes, x: tuple[float, float], y: tuple[float, float]) -> None:
    ax.set(xlim=x, ylim=y, xticks=[], yticks=[])
    for side in ax.spines.values():
        side.set_visible(False)


def _disc(ax: Axes, x: float, y: float, text: str, colour: str) -> None:
    ax.plot([x], [y], marker="o", markersize=25, markerfacecolor=colour, markeredgecolor="#222222", zorder=3)
    ax.text(x, y, text, ha="center", va="center", fontsize=10, zorder=4)
