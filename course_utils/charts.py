"""Figures of numbers: curves, bars and small matrices side by side.

As in `plots`: each function returns `(figure, axes)`, takes the claim as its title, and uses colours and marks that
differ also for colour-blind readers and in grey.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from course_utils.plots import COLOURS, _array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["bars", "curves", "side_by_side"]

#: Okabe and Ito's colours, each with a mark and a dash of its own.
STYLES = (("#0072B2", "o", "-"), ("#D55E00", "s", "--"), ("#009E73", "^", "-."), ("#CC79A7", "D", ":"))


def curves(
    x: Sequence[float],
    lines: Mapping[str, Any],
    title: str,
    *,
    xlabel: str,
    ylabel: str,
    log: str = "",
    ylim: tuple[float, float] | None = None,
) -> tuple[Figure, Axes]:
    """One curve for each named row of numbers over the same x.

    Args:
        x: the places measured.
        lines: name to numbers, as many as `x`; at most four curves.
        title: what the figure shows, as a sentence.
        xlabel, ylabel: what the axes are.
        log: "x", "y" or "xy": which axes are logarithmic.
        ylim: limits of y; gates get (0, 1).

    Raises:
        ValueError: no curve, more than four, or numbers that do not fit `x`.
    """
    from matplotlib import pyplot as plt

    if not 1 <= len(lines) <= len(STYLES):
        raise ValueError(f"curves draws 1 to {len(STYLES)} lines, not {len(lines)}.")
    figure, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
    for (name, values), (colour, mark, dash) in zip(lines.items(), STYLES, strict=False):
        numbers = _array(values)
        if numbers.shape != (len(x),):
            raise ValueError(f"{name}: numbers of shape {numbers.shape} do not fit {len(x)} places.")
        ax.plot(x, numbers, color=colour, marker=mark, linestyle=dash, label=name)
    for axis, name in ((ax.set_xscale, "x"), (ax.set_yscale, "y")):
        if name in log:
            axis("log")
    if "x" in log:
        ax.set_xticks(list(x), [f"{each:,g}" for each in x])
        ax.minorticks_off()
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title, **({"ylim": ylim} if ylim else {}))
    ax.grid(alpha=0.3)
    if len(lines) > 1:
        ax.legend(frameon=False)
    return figure, ax


def side_by_side(
    matrices: Mapping[str, Any], title: str, *, unit: str, sides: tuple[str, str], digits: int = 2
) -> tuple[Figure, Any]:
    """Small matrices as heat maps on one scale from 0 to the largest number, their numbers written in with `digits`.

    Raises:
        ValueError: one of them is no matrix.
    """
    from matplotlib import pyplot as plt

    shown = {name: _array(matrix) for name, matrix in matrices.items()}
    if not shown or any(matrix.ndim != 2 for matrix in shown.values()):
        raise ValueError("side_by_side draws matrices, at least one.")
    top = max(matrix.max() for matrix in shown.values()) or 1.0
    figure, axes = plt.subplots(
        1, len(shown), figsize=(3.3 * len(shown) + 0.8, 3.4), squeeze=False, layout="constrained"
    )
    for ax, (name, matrix) in zip(axes[0], shown.items(), strict=True):
        image = ax.imshow(matrix, cmap=COLOURS, vmin=0, vmax=top)
        for (row, column), number in np.ndenumerate(matrix):
            colour = "white" if number < 0.55 * top else "black"
            ax.text(column, row, "0" if number == 0 else f"{number:.{digits}f}", ha="center", va="center", color=colour)
        ax.set(title=name, ylabel=sides[0], xlabel=sides[1], xticks=range(matrix.shape[1]), yticks=range(len(matrix)))
    figure.colorbar(image, ax=list(axes[0]), label=unit)
    figure.suptitle(title)
    return figure, axes[0]


def bars(
    values: Any, title: str, *, names: Sequence[str] | None = None, ylabel: str, ylim: tuple[float, float] | None = None
) -> tuple[Figure, Axes]:
    """A bar for each number, with the number above it.

    Args:
        values: (n,).
        title: what the figure shows, as a sentence.
        names: of the bars; without them they are counted from 0.
        ylabel: what is measured.
        ylim: limits of y; gates get (0, 1).

    Raises:
        ValueError: not one row of numbers, or names that do not fit.
    """
    from matplotlib import pyplot as plt

    row = _array(values)
    if row.ndim != 1 or not len(row) or (names is not None and len(names) != len(row)):
        raise ValueError(f"bars draws one row of numbers with as many names, not shape {row.shape} and {names}.")
    figure, ax = plt.subplots(figsize=(max(3.5, 1.1 * len(row) + 1.2), 3.2), layout="constrained")
    drawn = ax.bar(range(len(row)), row, color=STYLES[0][0])
    for bar, number in zip(drawn, row, strict=True):
        # Above its bar, or, where that would run into the title, inside of it.
        inside = ylim is not None and number > ylim[0] + 0.93 * (ylim[1] - ylim[0])
        below = inside or number < 0
        ax.annotate(
            f"{number:.3f}".rstrip("0").rstrip("."),
            (bar.get_x() + bar.get_width() / 2, number),
            xytext=(0, -3 if below else 2),
            textcoords="offset points",
            ha="center",
            va="top" if below else "bottom",
            color="white" if inside else "black",
        )
    ax.set_xticks(range(len(row)), list(names) if names is not None else [str(i) for i in range(len(row))])
    ax.set(title=title, ylabel=ylabel, **({"ylim": ylim} if ylim else {}))
    ax.margins(y=0.12)
    return figure, ax
