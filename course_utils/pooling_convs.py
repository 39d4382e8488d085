"""Figures of convolutions: variance under padding, the matrix of a 1-D convolution, gradients of tied weights.

As in `plots`: each function returns `(figure, axes)` and takes the claim as its title.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from course_utils.plots import COLOURS, _array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["moments", "outer_of_gradients", "padding_map", "tied_matrices", "two_filters"]

#: A colour for each tied weight, different in grey, too; the weight's name is written into each cell.
TIES = ("#0072B2", "#F0E442", "#D55E00", "#009E73", "#CC79A7")
GREY = "#e4e4e4"


def moments(steps: Mapping[str, Any], notes: Sequence[str], title: str) -> tuple[Figure, np.ndarray]:
    """A histogram of numbers for each named step, with a note below it.

    Raises:
        ValueError: no step, or notes that do not fit.
    """
    from matplotlib import pyplot as plt

    if not steps or len(notes) != len(steps):
        raise ValueError(f"moments needs steps and a note for each, not {len(steps)} and {len(notes)}.")
    figure, axes = plt.subplots(1, len(steps), figsize=(3 * len(steps), 3.1), squeeze=False, layout="constrained")
    for ax, (name, values), note in zip(axes[0], steps.items(), notes, strict=True):
        numbers = _array(values).ravel()
        reach = max(float(np.quantile(np.abs(numbers), 0.999)), 1e-12)
        ax.hist(numbers, bins=61, range=(-reach, reach), color=TIES[0], density=True)
        ax.set(title=name, yticks=[], xlabel=note)
        ax.tick_params(axis="x", labelsize=8)
        ax.locator_params(axis="x", nbins=5)
    axes[0, 0].set_ylabel("how often")
    figure.suptitle(title)
    return figure, axes[0]


def padding_map(
    variance: Any, title: str, *, k: int = 3, limits: tuple[float, float] = (0.0, 1.1)
) -> tuple[Figure, Axes]:
    """The variance at each position with the ring of padding around it, and a filter on a corner, an edge, the middle.

    Args:
        variance: (h, w).
        title: what the figure shows, as a sentence.
        k: side of the filter, odd.
        limits: of the colours.

    Raises:
        ValueError: no matrix, or a filter with an even side.
    """
    from matplotlib import pyplot as plt
    from matplotlib.patches import Rectangle

    numbers = _array(variance)
    if numbers.ndim != 2 or k % 2 == 0:
        raise ValueError(f"padding_map takes a matrix and an odd k, not shape {numbers.shape} and {k}.")
    (height, width), half = numbers.shape, k // 2
    figure, ax = plt.subplots(figsize=(6.6, 5.4), layout="constrained")
    image = ax.imshow(numbers, cmap=COLOURS, vmin=limits[0], vmax=limits[1])
    for row in range(-half, height + half):
        for column in range(-half, width + half):
            if not (0 <= row < height and 0 <= column < width):
                ax.text(column, row, "0", ha="center", va="center", color="#888888", fontsize=8)
    for row, column in ((0, 0), (0, width // 2), (height // 2, width // 2)):
        real = (min(row, half) + half + 1) * (min(column, half) + half + 1)
        for colour, thick in (("black", 4.0), ("white", 2.0)):
            corner = (column - half - 0.5, row - half - 0.5)
            ax.add_patch(Rectangle(corner, k, k, fill=False, edgecolor=colour, linewidth=thick, zorder=3))
        box = {"facecolor": "white", "edgecolor": "black", "pad": 2, "linewidth": 0.6}
        text = f"{real} real inputs\n{numbers[row, column]:.2f}"
        ax.text(column + half + 0.9, row + half + 0.9, text, fontsize=9, va="top", bbox=box, zorder=4)
    ax.set(xlim=(-half - 1, width + half), ylim=(height + half, -half - 1), xlabel="column", ylabel="row", title=title)
    ax.set_xticks(range(0, width, 2))
    ax.set_yticks(range(0, height, 2))
    figure.colorbar(image, ax=ax, label="variance of the output")
    return figure, ax


def two_filters(picture: Any, row: Any, kernel: Any, place: tuple[int, int], title: str) -> tuple[Figure, np.ndarray]:
    """One filter in 2-D on a picture and its row in 1-D on a line of it, at the same place, with their sums.

    Raises:
        ValueError: a picture or filter that is no matrix.
    """
    from matplotlib import pyplot as plt
    from matplotlib.patches import Rectangle

    whole, line, weights = _array(picture), _array(row)[None], _array(kernel)
    if whole.ndim != 2 or weights.ndim != 2:
        raise ValueError("two_filters takes a picture and a filter with two dimensions each.")
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.6), layout="constrained")
    for ax, numbers, used, name in (
        (axes[0], whole, weights, "2-D: 3 × 3 weights"),
        (axes[1], line, weights[:1], "1-D: 3 weights"),
    ):
        top, left = (place[0] if len(numbers) > 1 else 0), place[1]
        ax.imshow(numbers, cmap="gray_r", vmin=0, vmax=4)
        for (i, j), number in np.ndenumerate(numbers):
            ax.text(j, i, f"{number:g}", ha="center", va="center", fontsize=9, color="black")
        for (i, j), weight in np.ndenumerate(used):
            place_of = (left + j, top + i + 0.3)
            ax.text(*place_of, f"×{weight:g}", ha="center", va="center", fontsize=8, color="#A03000", fontweight="bold")
        shape = used.shape
        ax.add_patch(Rectangle((left - 0.5, top - 0.5), shape[1], shape[0], fill=False, edgecolor=TIES[0], linewidth=3))
        total = (numbers[top : top + shape[0], left : left + shape[1]] * used).sum()
        ax.set(title=f"{name}: the products in the frame sum to {total:g}", xticks=[], yticks=[])
        ax.title.set_fontsize(10)
    figure.suptitle(title)
    return figure, axes


def tied_matrices(
    which: Mapping[str, Any],
    title: str,
    *,
    frames: Mapping[str, tuple[str, int]] | None = None,
    sides: Sequence[tuple[str, str]] = (),
) -> tuple[Figure, np.ndarray]:
    """Matrices whose cells hold copies of few weights: one colour and name for each weight, an empty cell for a zero.

    Args:
        which: name to a matrix of whole numbers: 1 for w₁, 2 for w₂ and so on, 0 for a zero.
        title: what the figure shows, as a sentence.
        frames: name to ("row" or "column", index): what is framed in that matrix.
        sides: for each matrix what its rows are, and its columns.

    Raises:
        ValueError: no matrix, or more weights than colours.
    """
    from matplotlib import pyplot as plt
    from matplotlib.patches import Rectangle

    shown = {name: _array(matrix).astype(int) for name, matrix in which.items()}
    if not shown or any(
        matrix.ndim != 2 or not 0 <= matrix.min() <= matrix.max() <= len(TIES) for matrix in shown.values()
    ):
        raise ValueError(f"tied_matrices draws matrices of whole numbers from 0 to {len(TIES)}.")
    figure, axes = plt.subplots(1, len(shown), figsize=(4.5 * len(shown), 4.6), squeeze=False, layout="constrained")
    for ax, (name, matrix) in zip(axes[0], shown.items(), strict=True):
        for (row, column), weight in np.ndenumerate(matrix):
            colour = TIES[weight - 1] if weight else "white"
            ax.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=colour, edgecolor=GREY))
            ink = "white" if weight in (1, 3, 4) else "black"
            ax.text(column, row, f"$w_{weight}$" if weight else "0", ha="center", va="center",
                    color=ink if weight else "#aaaaaa", fontsize=10)  # fmt: skip
        height, width = matrix.shape
        if frames and name in frames:
            side, index = frames[name]
            corner, size = ((-0.5, index - 0.5), (width, 1)) if side == "row" else ((index - 0.5, -0.5), (1, height))
            ax.add_patch(Rectangle(corner, *size, fill=False, edgecolor="black", linewidth=3))
        ax.set(xlim=(-0.6, width - 0.4), ylim=(height - 0.4, -0.6), title=name, aspect="equal")
        ax.set_xticks(range(width), range(1, width + 1))
        ax.set_yticks(range(height), range(1, height + 1))
    for ax, (rows, columns) in zip(axes[0], sides, strict=False):
        ax.set(ylabel=rows, xlabel=columns)
    figure.suptitle(title)
    return figure, axes[0]


def outer_of_gradients(products: Any, which: Any, title: str) -> tuple[Figure, Axes]:
    """The gradient of every entry of a convolution's matrix: copies of a weight in its colour, the others crossed out.

    Args:
        products: (n, n), entry (j, i) is g_j p_i.
        which: (n, n) whole numbers: the weight that stands there, 0 for none.
        title: what the figure shows, as a sentence.

    Raises:
        ValueError: shapes that differ.
    """
    from matplotlib import pyplot as plt
    from matplotlib.patches import Rectangle

    numbers, owner = _array(products), _array(which).astype(int)
    if numbers.shape != owner.shape or numbers.ndim != 2:
        raise ValueError(f"products {numbers.shape} and weights {owner.shape} must be matrices of one shape.")
    figure, ax = plt.subplots(figsize=(7.6, 5.2), layout="constrained")
    for (row, column), number in np.ndenumerate(numbers):
        weight = int(owner[row, column])
        colour, ink = (
            (TIES[weight - 1], "white" if weight in (1, 3, 4) else "black") if weight else ("white", "#bbbbbb")
        )
        ax.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=colour, edgecolor=GREY))
        if not weight:
            ax.plot([column - 0.4, column + 0.4], [row + 0.4, row - 0.4], color=GREY, linewidth=0.8)
        ax.text(column, row, f"{number:.1f}", ha="center", va="center", color=ink, fontsize=9)
    height, width = numbers.shape
    for weight in range(1, int(owner.max()) + 1):
        mine = numbers[owner == weight]
        text = f"$w_{weight}$: {len(mine)} copies,\nsum {mine.sum():+.2f}"
        box = {"facecolor": TIES[weight - 1], "edgecolor": "black", "pad": 4}
        ink = "white" if weight in (1, 3, 4) else "black"
        ax.text(
            width + 0.2, height * weight / (owner.max() + 1) - 0.5, text, va="center", fontsize=10, color=ink, bbox=box
        )
    ax.set(xlim=(-0.6, width + 2.6), ylim=(height - 0.4, -0.6), xlabel="i: position of the input p",
           ylabel="j: position of the gradient g", aspect="equal", title=title)  # fmt: skip
    ax.set_xticks(range(width), range(1, width + 1))
    ax.set_yticks(range(height), range(1, height + 1))
    return figure, ax
