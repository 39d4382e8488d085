"""Figures of variances: the largest of n normals, a network's stream ideal and measured, gates of activations.

As in `plots`: each function returns `(figure, axes)` and takes the claim as its title.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from course_utils.charts import STYLES
from course_utils.plots import _array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["activations", "beside_ideal", "largest_of", "shapes"]

BLUE, ORANGE = STYLES[0][0], STYLES[1][0]


def largest_of(n: int, drawn: Any, title: str) -> tuple[Figure, Axes]:
    """How the largest of n normal numbers lies: drawn ones as a histogram, the density n Φⁿ⁻¹ φ, and N(0, 1) beside it.

    Args:
        n: how many numbers compete.
        drawn: the largest of n, many times.
        title: what the figure shows, as a sentence.

    Raises:
        ValueError: `n` is below 1, or nothing was drawn.
    """
    from matplotlib import pyplot as plt

    numbers = _array(drawn).ravel()
    if n < 1 or not numbers.size:
        raise ValueError(f"largest_of needs n of at least 1 and numbers, not {n} and {numbers.size}.")
    x = np.linspace(-4, 5, 400)
    normal = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    below = np.array([0.5 * (1 + math.erf(each / math.sqrt(2))) for each in x])
    figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
    ax.hist(numbers, bins=90, range=(-4, 5), density=True, color="#cfcfcf", label="drawn and counted")
    name = "one: φ(x)" if n == 1 else f"largest of {n}: {n} Φ(x)$^{{{n - 1}}}$ φ(x)"
    ax.plot(x, n * below ** (n - 1) * normal, color=ORANGE, linewidth=2, label=name)
    ax.plot(x, normal, color=BLUE, linestyle="--", label="any one value: φ(x)")
    ax.axvline(numbers.mean(), color="black", linewidth=1, linestyle=":")
    box = {"facecolor": "white", "edgecolor": "none", "pad": 2}
    ax.text(
        4.9, ax.get_ylim()[1] * 0.5, f"mean {numbers.mean():.2f}\nvariance {numbers.var():.2f}", ha="right", bbox=box
    )
    ax.set(xlabel="x", ylabel="density", title=title, xlim=(-4, 5))
    ax.legend(frameon=False, loc="upper left", fontsize=9)
    return figure, ax


def beside_ideal(
    names: Sequence[str], ideal: Any, measured: Any, title: str, *, ylabel: str, log: bool = False
) -> tuple[Figure, Axes]:
    """What a rule predicts at each place of a network, and what was measured there: a point a draw, and their mean.

    Args:
        names: of the places, in order.
        ideal: (places,).
        measured: (draws, places).
        title: what the figure shows, as a sentence.
        ylabel: what is measured.
        log: a logarithmic scale.

    Raises:
        ValueError: shapes that do not fit.
    """
    from matplotlib import pyplot as plt

    rule, draws = _array(ideal), _array(measured)
    if rule.shape != (len(names),) or draws.ndim != 2 or draws.shape[1] != len(names):
        raise ValueError(f"{len(names)} places do not fit ideal {rule.shape} and measured {draws.shape}.")
    places, mean = np.arange(len(names)), draws.mean(0)
    figure, ax = plt.subplots(figsize=(8.4, 4.0), layout="constrained")
    ax.plot(places, rule, color=BLUE, marker="o", linestyle="--", label="ideal: the rules, step by step")
    ax.plot(places, mean, color=ORANGE, marker="s", label=f"measured: mean of {len(draws)} draws")
    for row in draws:
        ax.scatter(places, row, s=12, color=ORANGE, alpha=0.45, linewidths=0)
    if log:
        ax.set_yscale("log")
    else:
        ax.set_ylim(0, 1.2 * max(rule.max(), draws.max()))
    for place, predicted, found in zip(places, rule, draws.T, strict=True):
        above = predicted > found.mean()  # the label of the higher one stands above all points, the other below
        for value, colour, up in ((predicted, BLUE, above), (found.mean(), ORANGE, not above)):
            points = [value] if colour == BLUE else found
            at = (place, max(points) if up else min(points))
            text = f"{value:.2f}" if value < 10 else f"{value:.1f}"
            box = {"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.8}
            ax.annotate(text, at, (0, 11 if up else -11), textcoords="offset points", ha="center", va="center",
                        color=colour, fontsize=9, bbox=box)  # fmt: skip
    ax.set_xticks(places, list(names))
    ax.set(ylabel=ylabel, title=title)
    ax.margins(x=0.06, **({"y": 0.2} if log else {}))
    ax.grid(alpha=0.3)
    ax.legend(frameon=False, fontsize=9)
    return figure, ax


def shapes(
    values: Mapping[str, Any], title: str, *, xlabel: str, ideal: Mapping[str, Any] | None = None
) -> tuple[Figure, np.ndarray]:
    """A histogram of each named set of numbers, in units of its own root mean square; exact zeros are counted apart.

    Args:
        values: name to numbers.
        title: what the figure shows, as a sentence.
        xlabel: below each histogram.
        ideal: name to the numbers that the rules would give, drawn as an outline.

    Raises:
        ValueError: nothing to draw.
    """
    from matplotlib import pyplot as plt

    if not values:
        raise ValueError("shapes draws at least one histogram.")
    figure, axes = plt.subplots(1, len(values), figsize=(2.5 * len(values), 2.9), squeeze=False, layout="constrained")
    for ax, (name, each) in zip(axes[0], values.items(), strict=True):
        numbers = _array(each).ravel()
        zero = float((numbers == 0).mean())
        drawn = [(numbers, {"color": ORANGE, "label": "measured"})]
        if ideal and name in ideal:
            drawn += [(_array(ideal[name]).ravel(), {"color": BLUE, "label": "ideal", "histtype": "step"})]
        for some, style in drawn:
            scaled = some[some != 0] / (np.sqrt((some**2).mean()) or 1)
            ax.hist(scaled, bins=61, range=(-4, 4), weights=np.full(len(scaled), 1 / max(len(some), 1)), **style)
        if zero > 0.001:
            top = ax.get_ylim()[1]
            ax.plot([0, 0], [0, 1.08 * top], color="black", linewidth=3)
            ax.text(0, 1.13 * top, f"{100 * zero:.0f} % exactly 0", fontsize=9, ha="center")
            ax.set_ylim(0, 1.3 * top)
        ax.set(title=name, yticks=[], xlabel=xlabel, xlim=(-4, 4))
        ax.xaxis.label.set_fontsize(8)
    if ideal:
        axes[0, 0].legend(frameon=False, fontsize=8, loc="upper left", handlelength=1)
    figure.suptitle(title)
    return figure, axes[0]


def activations(title: str) -> tuple[Figure, np.ndarray]:
    """ReLU = H(y) · y and SiLU = σ(y) · y, each with its gate as a dashed line."""
    from matplotlib import pyplot as plt

    y = np.linspace(-4, 4, 401)
    figure, axes = plt.subplots(1, 2, figsize=(8.6, 3.4), sharey=True, layout="constrained")
    gates = {"ReLU = H(y) · y, a hard gate": (y > 0) * 1.0, "SiLU = σ(y) · y, a soft gate": 1 / (1 + np.exp(-y))}
    for ax, (name, gate) in zip(axes, gates.items(), strict=True):
        ax.plot(y, gate * y, color=ORANGE, linewidth=2, label="output")
        ax.plot(y, gate, color=BLUE, linestyle="--", label="gate, 0 to 1")
        ax.axhline(0, color="black", linewidth=0.6)
        ax.set(title=name, xlabel="y", ylim=(-0.6, 4))
        ax.legend(frameon=False, loc="upper left")
    axes[0].set_ylabel("output and gate")
    figure.suptitle(title)
    return figure, axes
