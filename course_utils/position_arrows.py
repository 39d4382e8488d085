"""Arrows that turn with their place: figures and dials of lesson 05 on rotary position, in one direction and in two.

As in `plots`: each function that draws returns `(figure, axes)` and takes the claim as its title.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from course_utils.plots import COLOURS, _array
from course_utils.widgets import Drawn, Explorer, explore

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["arrow_dial", "arrows", "plane_dial", "score", "score_planes", "scores_against_offset"]

QUERY, KEY, QUIET = "#0072B2", "#D55E00", "#999999"
#: Radians for each place, as on the lecture's slide.
THETA = 0.5


def score(query: int, key: int, theta: float = THETA) -> float:
    """The dot product of two arrows that start as [1, 0] and turn by `theta` for each place."""
    return float(np.cos((key - query) * theta))


def arrows(query: int, key: int, title: str, theta: float = THETA) -> tuple[Figure, np.ndarray]:
    """A query's and a key's arrow, turned by their places; beside them the score over the offset.

    Args:
        query, key: their places.
        title: what the figure shows, as a sentence.
        theta: radians for each place.
    """
    from matplotlib import pyplot as plt
    from matplotlib.patches import Arc

    figure, axes = plt.subplots(1, 2, figsize=(9.2, 4.2), width_ratios=[1, 1.25], layout="constrained")
    left, right = axes
    left.add_patch(plt.Circle((0, 0), 1, fill=False, color=QUIET, linewidth=1))
    _arrow(left, 0.0, QUIET, "start", ":")
    _arrow(left, query * theta, QUERY, f"q at {query}", "-")
    _arrow(left, key * theta, KEY, f"k at {key}", "--")
    first, last = sorted(np.degrees([query * theta, key * theta]))
    if last - first < 360:
        left.add_patch(Arc((0, 0), 0.5, 0.5, theta1=first, theta2=last, color="black"))
    left.set(xlim=(-1.45, 1.45), ylim=(-1.45, 1.45), aspect="equal", xlabel="first number of the pair",
             ylabel="second number")  # fmt: skip
    left.set_title(f"each turns by its place · {theta:g} rad", fontsize=10)
    offsets = np.arange(-12, 13)
    right.plot(offsets, np.cos(offsets * theta), color=QUIET, marker=".", linewidth=1)
    right.plot(key - query, score(query, key, theta), marker="o", markersize=10, color="black")
    right.set(xlabel="offset: the key's place less the query's", ylabel="score q · k", ylim=(-1.15, 1.15))
    right.set_title(f"offset {key - query:+d}: score {score(query, key, theta):.3f}", fontsize=10)
    right.grid(alpha=0.3)
    figure.suptitle(title)
    return figure, axes


def arrow_dial(query: int = 2, key: int = 5) -> Explorer:
    """Dials for the places of a query and a key, and for a shift of both."""
    import ipywidgets

    def draw(query: int, key: int, shift: int) -> Drawn:
        title = f"Offset {key - query:+d} gives {score(query, key):.3f}, whatever the shift"
        return arrows(query + shift, key + shift, title)

    def words(query: int, key: int, shift: int) -> str:
        turned = [np.cos((place + shift) * THETA) for place in (query, key)]
        up = [np.sin((place + shift) * THETA) for place in (query, key)]
        return (
            f"The query at {query + shift} is [{turned[0]:.2f}, {up[0]:.2f}], the key at {key + shift} is "
            f"[{turned[1]:.2f}, {up[1]:.2f}]; their score is {score(query, key):.3f}."
        )

    def dial(name: str, value: int, most: int) -> Any:
        return ipywidgets.IntSlider(value, 0, most, description=name, continuous_update=False)

    return explore(draw, words, query=dial("query at", query, 6), key=dial("key at", key, 6), shift=dial("shift", 0, 6))


def score_planes(query: tuple[int, int], title: str, theta: float = THETA, size: int = 7) -> tuple[Figure, np.ndarray]:
    """The score of one query with the key in each place of a grid: what columns give, what rows give, and their sum.

    Query and key are two pairs, [1, 0] each. The first turns with the column, the second one with the row.

    Raises:
        ValueError: a query outside of the grid.
    """
    from matplotlib import pyplot as plt

    if not all(0 <= place < size for place in query):
        raise ValueError(f"There is no place {query} in a grid of {size} x {size}.")
    places = np.arange(size)
    by_column = np.broadcast_to(np.cos((places - query[1]) * theta), (size, size))
    by_row = np.broadcast_to(np.cos((places - query[0]) * theta)[:, None], (size, size))
    names = ("first pair: column offset", "second pair: row offset", "score: their sum")
    figure, axes = plt.subplots(1, 3, figsize=(11.6, 4.1), layout="constrained")
    for ax, name, plane in zip(axes, names, (by_column, by_row, by_column + by_row), strict=True):
        image = ax.imshow(plane, cmap=COLOURS, vmin=-2, vmax=2)
        for (row, column), number in np.ndenumerate(plane):
            ax.text(column, row, f"{number:.1f}", ha="center", va="center", size=8,
                    color="white" if number < 0.2 else "black")  # fmt: skip
        ax.plot(query[1], query[0], marker="s", markersize=19, markerfacecolor="none", markeredgecolor=KEY, mew=2.5)
        ax.set(title=name, xlabel="column of the key", ylabel="row of the key", xticks=places, yticks=places)
    figure.colorbar(image, ax=list(axes), label="score")
    figure.suptitle(title)
    return figure, axes


def plane_dial(start: tuple[int, int] = (3, 3)) -> Explorer:
    """Dials for the query's row and column and for the angle: the planes of `score_planes` move along."""
    import ipywidgets

    def draw(row: int, column: int, theta: float) -> Drawn:
        return score_planes((row, column), f"Columns and rows add: a query in row {row}, column {column}", theta)

    def words(row: int, column: int, theta: float) -> str:
        right, both = 1 + np.cos(theta), 2 * np.cos(theta)
        return (
            f"Three maps of scores around the query in row {row}, column {column}, at {theta:g} radians a place: "
            f"its own place 2.00, one to the right or below {right:.2f}, one right and below {both:.2f}."
        )

    def dial(name: str, value: int) -> Any:
        return ipywidgets.IntSlider(value, 0, 6, description=name, continuous_update=False)

    angles = ipywidgets.SelectionSlider(options=[0.1, 0.25, 0.5, 1.0, 2.0], value=THETA, description="θ")
    return explore(draw, words, row=dial("row", start[0]), column=dial("column", start[1]), theta=angles)


def scores_against_offset(scores: Mapping[str, Any], title: str) -> tuple[Figure, np.ndarray]:
    """Scores between all places (T, T), one panel for each name: as a map above, over the offset below.

    Raises:
        ValueError: none, or one that is not square.
    """
    from matplotlib import pyplot as plt

    shown = {name: _array(matrix) for name, matrix in scores.items()}
    if not shown or any(matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] for matrix in shown.values()):
        raise ValueError("scores_against_offset draws square matrices, at least one.")
    size = (3.1 * len(shown), 5.8)
    figure, axes = plt.subplots(2, len(shown), figsize=size, squeeze=False, layout="constrained")
    for (above, below), (name, matrix) in zip(axes.T, shown.items(), strict=True):
        above.imshow(matrix, cmap=COLOURS)
        above.set(xlabel="key's place", ylabel="query's place")
        above.set_title(name, fontsize=10)
        query, key = np.indices(matrix.shape)
        below.plot((key - query).ravel(), matrix.ravel(), linestyle="", marker=".", markersize=3, color=QUERY)
        below.set(xlabel="offset", ylabel="score")
        below.grid(alpha=0.3)
    figure.suptitle(title)
    return figure, axes


def _arrow(ax: Axes, angle: float, colour: str, name: str, dash: str) -> None:
    tip = (float(np.cos(angle)), float(np.sin(angle)))
    ax.annotate("", tip, (0, 0), arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 2, "linestyle": dash})
    ax.text(1.22 * tip[0], 1.22 * tip[1], name, ha="center", va="center", color=colour, fontsize=10)
