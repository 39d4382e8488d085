"""The figures of the course: a few functions, each returns `(figure, axes)` and takes the claim as its title.

Rows are queries and columns are keys. The colours (cividis) are safe for colour-blind readers and get lighter in grey
as the number grows. matplotlib is imported by the first figure, not before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["expected_and_yours", "feature_map", "gate_map", "pictures", "score_grid"]

COLOURS = "cividis"
#: Heat maps with at most this many rows and columns get their numbers written into the cells.
WRITTEN = 10
#: What the rows and columns of scores and gates are.
QUERY_KEY = ("query: the token asking", "key: the token offering")
#: Inches of one panel, and how many characters of a title fit above a heat map.
PANEL, TITLE = 3.4, 50


def gate_map(
    gates: Any,
    queries: Sequence[str] | None = None,
    keys: Sequence[str] | None = None,
    title: str = "Gates: each row sums to 1",
) -> tuple[Figure, Axes]:
    """One matrix of gates (query, key) as a heat map whose colours always run from 0 to 1.

    Args:
        gates: (Tq, Tk), a tensor, array or list.
        queries: names of the rows; `keys`: names of the columns.
        title: what the figure shows, as a sentence.

    Raises:
        ValueError: not two-dimensional, a number outside [0, 1], or names that do not fit.
    """
    matrix = _matrix(gates)
    if not (np.isfinite(matrix).all() and (matrix >= -1e-4).all() and (matrix <= 1 + 1e-4).all()):
        low, high = np.min(matrix), np.max(matrix)
        raise ValueError(f"Gates lie in [0, 1], these in [{low:.3g}, {high:.3g}]. Draw scores with score_grid.")
    return _grid(matrix, queries, keys, title, QUERY_KEY, "gate", (0.0, 1.0), _gate)


def score_grid(
    scores: Any,
    queries: Sequence[str] | None = None,
    keys: Sequence[str] | None = None,
    title: str = "Scores: every query against every key",
) -> tuple[Figure, Axes]:
    """One matrix of scores (query, key), any numbers, as a heat map.

    Args and errors: as in `gate_map`, without the limits 0 and 1.
    """
    matrix = _matrix(scores)
    return _grid(matrix, queries, keys, title, QUERY_KEY, "score", _limits(matrix))


def feature_map(
    x: Any,
    tokens: Sequence[str] | None = None,
    features: Sequence[str] | None = None,
    title: str = "Features of every token",
) -> tuple[Figure, Axes]:
    """Tokens with their features (T, f) as a heat map: one row for each token.

    Args and errors: as in `score_grid`.
    """
    matrix = _matrix(x)
    return _grid(matrix, tokens, features, title, ("token", "feature"), "value", _limits(matrix))


def expected_and_yours(expected: Any, yours: Any, title: str = "") -> tuple[Figure, np.ndarray]:
    """Two heat maps side by side on one colour scale; small ones show their numbers, differing cells a frame.

    Takes whatever a student's code returned: other shapes, NaN, empty or more than two dimensions (folded into rows).
    """
    from matplotlib import pyplot as plt

    left, right = _folded(expected), _folded(yours)
    limits = _limits(left if np.isfinite(left).any() else right)
    rows = max(left.shape[0], right.shape[0], 1)
    height = min(max(1.2 + 0.3 * rows, 2.2), 6.0)
    figure, axes = plt.subplots(1, 2, figsize=(2 * PANEL, height), layout="constrained")
    for ax, matrix, name in zip(axes, (left, right), ("expected", "yours"), strict=True):
        if matrix.size:
            _heat_map(ax, matrix, limits)
        else:
            ax.set(xticks=[], yticks=[])
            ax.text(0.5, 0.5, "empty: no numbers", ha="center", va="center")
        ax.set_title(name)
    if left.shape == right.shape:
        differs = np.argwhere(~np.isclose(left, right, rtol=1e-4, atol=1e-5, equal_nan=True))
        for row, column in differs if _is_written(right) else ():
            _frame(axes[1], row, column)
        axes[1].set_xlabel(f"{len(differs)} of {left.size} differ" + (", framed" if _is_written(right) else ""))
    figure.suptitle(title or "Expected and yours")
    return figure, axes


def pictures(
    images: Any, titles: Sequence[str] | None = None, title: str = "", *, boundaries: bool = True
) -> tuple[Figure, np.ndarray]:
    """Pictures in a row, with dashed boundaries between their quadrants.

    Args:
        images: (n, 3, h, w) or (3, h, w) in [0, 1], or a sequence of (3, h, w).
        titles: one for each picture.
        title: what the figure shows, as a sentence.
        boundaries: draw the lines between the four quadrants.

    Raises:
        ValueError: an image that is not (3, h, w), none at all, or titles that do not fit.
    """
    from matplotlib import pyplot as plt

    shown = [_array(image) for image in ([images] if getattr(images, "ndim", 0) == 3 else images)]
    wrong = [image.shape for image in shown if image.ndim != 3 or image.shape[0] != 3]
    if wrong or not shown:
        raise ValueError(f"pictures takes images of shape (3, h, w), got {wrong or 'none'}.")
    _fit(titles, len(shown), "titles", "pictures")
    size = min(2.6, 12 / len(shown))
    figure, axes = plt.subplots(
        1, len(shown), figsize=(size * len(shown), size + 0.6), squeeze=False, layout="constrained"
    )
    for i, (ax, image) in enumerate(zip(axes[0], shown, strict=True)):
        height, width = image.shape[1:]
        ax.imshow(np.clip(image.transpose(1, 2, 0), 0, 1))  # (h, w, 3)
        ax.set(xticks=[], yticks=[], title=titles[i] if titles else "")
        if boundaries:
            ax.axhline(height / 2 - 0.5, color="white", linestyle="--", linewidth=1)
            ax.axvline(width / 2 - 0.5, color="white", linestyle="--", linewidth=1)
    figure.suptitle(title)
    return figure, axes[0]


def _array(value: Any) -> np.ndarray:
    if isinstance(value, torch.Tensor):
        value = value.detach().cpu().resolve_conj().resolve_neg()
        value = value.to(torch.complex128 if value.is_complex() else torch.float64).numpy()
    array = np.asarray(value)
    return (array.real if np.iscomplexobj(array) else array).astype(np.float64)


def _matrix(value: Any) -> np.ndarray:
    matrix = _array(value)
    if matrix.ndim != 2 or not matrix.size:
        raise ValueError(
            f"A heat map needs a matrix (queries, keys), got shape {matrix.shape}. Choose one picture first."
        )
    return matrix


def _folded(value: Any) -> np.ndarray:
    array = np.atleast_1d(_array(value))
    return array.reshape(-1, array.shape[-1]) if array.size else array.reshape(0, 0)


def _limits(matrix: np.ndarray) -> tuple[float, float]:
    numbers = matrix[np.isfinite(matrix)]
    low, high = (float(numbers.min()), float(numbers.max())) if numbers.size else (0.0, 1.0)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _fit(names: Sequence[str] | None, count: int, what: str, of: str) -> None:
    if names is not None and len(names) != count:
        raise ValueError(f"{len(names)} {what} do not fit {count} {of}.")


def _grid(
    matrix: np.ndarray,
    rows: Sequence[str] | None,
    columns: Sequence[str] | None,
    title: str,
    sides: tuple[str, str],
    unit: str,
    limits: tuple[float, float],
    written: Callable[[float, int], str] | None = None,
) -> tuple[Figure, Axes]:
    from matplotlib import pyplot as plt

    _fit(rows, matrix.shape[0], "names", "rows")
    _fit(columns, matrix.shape[1], "names", "columns")
    figure, ax = plt.subplots(figsize=(1.5 * PANEL, 1.2 * PANEL), layout="constrained")
    image = _heat_map(ax, matrix, limits, written)
    figure.colorbar(image, ax=ax, label=unit)
    ax.set(ylabel=sides[0], xlabel=sides[1], title=fill(title, TITLE))
    if rows is not None:
        ax.set_yticks(range(len(rows)), rows)
    if columns is not None:
        ax.set_xticks(range(len(columns)), columns, rotation=30, ha="right")
    return figure, ax


def _heat_map(
    ax: Axes, matrix: np.ndarray, limits: tuple[float, float], written: Callable[[float, int], str] | None = None
) -> Any:
    from matplotlib import colormaps
    from matplotlib.ticker import MaxNLocator

    low, high = limits
    colours = colormaps[COLOURS].with_extremes(bad="white")
    image = ax.imshow(np.ma.masked_invalid(matrix), cmap=colours, vmin=low, vmax=high, aspect="auto")
    for axis, count in ((ax.xaxis, matrix.shape[1]), (ax.yaxis, matrix.shape[0])):
        if count <= WRITTEN:
            axis.set_ticks(range(count))
        else:
            axis.set_major_locator(MaxNLocator(integer=True))
    if _is_written(matrix):
        for (row, column), number in np.ndenumerate(matrix):
            dark = np.isfinite(number) and (number - low) / (high - low) < 0.55
            text, ink = (written or _short)(number, matrix.shape[1]), "white" if dark else "black"
            ax.text(column, row, text, ha="center", va="center", color=ink, size=8)
    return image


def _is_written(matrix: np.ndarray) -> bool:
    return max(matrix.shape) <= WRITTEN


def _short(number: float, columns: int) -> str:
    """A number in so few characters that all columns fit beside each other."""
    if not np.isfinite(number):
        return str(number)
    if number == round(number) and abs(number) < 1000:
        return f"{number + 0.0:.0f}"  # a zero has no sign
    if columns <= 6:
        return f"{number:.3g}"
    return f"{number:.2f}" if 0.1 <= abs(number) < 100 else f"{number:.2g}"


def _gate(number: float, columns: int) -> str:
    """A gate as the texts write it: .711, 1.000 and .000, with fewer digits where there are many columns."""
    return f"{number:.{3 if columns <= 6 else 2}f}".removeprefix("-").removeprefix("0")


def _frame(ax: Axes, row: int, column: int) -> None:
    from matplotlib.patches import Rectangle

    for colour, width in (("white", 3.0), ("black", 1.2)):  # seen on any colour, and in grey
        ax.add_patch(Rectangle((column - 0.42, row - 0.42), 0.84, 0.84, fill=False, edgecolor=colour, linewidth=width))
