"""Figures of lesson 05 on training: a number followed through it, accuracy after each epoch, results seed by seed.

As in `plots`: each function returns `(figure, axes)` and takes the claim as its title.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from course_utils.charts import STYLES
from course_utils.plots import _array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["learning_curves", "seed_lines", "seed_table"]


def seed_lines(
    runs: Mapping[str, Any],
    title: str,
    *,
    every: int,
    ylabel: str,
    levels: Mapping[str, float] | None = None,
    slopes: Mapping[str, float] | None = None,
    log: bool = False,
) -> tuple[Figure, Axes]:
    """A number followed through training: for each name one line for each seed.

    Args:
        runs: name to (seeds, n), measured every `every` updates; at most four names.
        title: what the figure shows, as a sentence.
        every: updates between two numbers.
        ylabel: what is measured.
        levels: name to a height that is drawn as a horizontal line.
        slopes: name to a growth for each update, drawn as a thin line from 0.
        log: y is logarithmic.

    Raises:
        ValueError: no run, more than four, or numbers of another shape.
    """
    from matplotlib import pyplot as plt

    shown = {name: _array(numbers) for name, numbers in runs.items()}
    if not 1 <= len(shown) <= len(STYLES) or any(numbers.ndim != 2 for numbers in shown.values()):
        raise ValueError(f"seed_lines draws 1 to {len(STYLES)} names, each with numbers (seeds, n).")
    figure, ax = plt.subplots(figsize=(7.6, 4.3), layout="constrained")
    last = 0
    for (name, numbers), (colour, mark, dash) in zip(shown.items(), STYLES, strict=False):
        steps = every * np.arange(1, numbers.shape[1] + 1)
        last = max(last, steps[-1])
        for seed, row in enumerate(numbers):
            label = name if seed == 0 else None
            ax.plot(steps, row, color=colour, linestyle=dash, marker=mark, markevery=9, markersize=4, label=label)
    for name, slope in (slopes or {}).items():
        ax.plot([0, last], [0, slope * last], color="#666666", linewidth=1)
        ax.annotate(name, (last, slope * last), ha="right", va="bottom", fontsize=9)
    for name, level in (levels or {}).items():
        ax.axhline(level, color="black", linestyle=":", linewidth=1.2)
        ax.annotate(name, (0, level), va="bottom", fontsize=9)
    if log:
        ax.set_yscale("log")
    ax.set(xlabel="update", ylabel=ylabel, title=title)
    ax.grid(alpha=0.3)
    ax.legend(frameon=False)
    return figure, ax


def learning_curves(curves: Mapping[str, Any], title: str) -> tuple[Figure, np.ndarray]:
    """Held-out accuracy after each epoch, one small panel for each name, all with a line at one half.

    Raises:
        ValueError: nothing to draw.
    """
    from matplotlib import pyplot as plt

    if not curves:
        raise ValueError("learning_curves draws at least one curve.")
    columns = min(5, len(curves))
    rows = -(-len(curves) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(2.3 * columns, 2.0 * rows + 0.4), squeeze=False, sharey=True, layout="constrained"
    )
    for ax in axes.flat:
        ax.axis("off")
    for place, (ax, (name, numbers)) in enumerate(zip(axes.flat, curves.items(), strict=False)):
        ax.axis("on")
        row = _array(numbers)
        ax.axhline(0.5, color="#888888", linestyle=":", linewidth=1)
        ax.plot(range(1, len(row) + 1), row, color=STYLES[0][0], marker=".")
        ax.set(ylim=(0.4, 1.05), xlabel="epoch", ylabel="accuracy" if place % columns == 0 else "")
        ax.set_xticks(range(2, len(row) + 1, 2))
        ax.set_title(name, fontsize=9)
    figure.suptitle(title)
    return figure, axes


def seed_table(results: Mapping[str, Any], title: str) -> tuple[Figure, Axes]:
    """Accuracies of every network, one row each: a circle for each seed, a bar at the mean, its number at the right.

    Raises:
        ValueError: nothing to draw, or a name without numbers.
    """
    from matplotlib import pyplot as plt

    rows = {name: _array(numbers).reshape(-1) for name, numbers in results.items()}
    if not rows or any(not len(row) for row in rows.values()):
        raise ValueError("seed_table draws at least one name, each with at least one number.")
    figure, ax = plt.subplots(figsize=(8.2, 0.42 * len(rows) + 1.3), layout="constrained")
    for place, row in enumerate(rows.values()):
        ax.vlines(row.mean(), place - 0.3, place + 0.3, color="#222222", linewidth=2)
        down = place + np.linspace(-0.16, 0.16, len(row)) if len(row) > 1 else [place]
        ax.plot(row, down, linestyle="", marker="o", markerfacecolor="none", markeredgecolor=STYLES[0][0], mew=1.5)
        ax.annotate(f"{row.mean():.2f}", (1.035, place), va="center", fontsize=10)
    ax.axvline(0.5, color="#888888", linestyle=":", linewidth=1)
    ax.set_yticks(range(len(rows)), list(rows))
    ax.set(xlim=(0.44, 1.09), ylim=(len(rows) - 0.4, -0.6), title=title)
    ax.set_xlabel("held-out accuracy · circles: one seed each · bar and number: the mean")
    ax.grid(axis="x", alpha=0.3)
    return figure, ax
