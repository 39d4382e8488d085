"""Tables of gates: the same evolution twice, the four gates of the course, and pools compared seed by seed.

As in `plots`: each function returns `(figure, axes)` and takes the claim as its title.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from course_utils.diagrams import COMPUTED, INK, LEARNED, PLAIN
from course_utils.plots import COLOURS, _array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["evolution", "four_gates", "seed_by_seed"]

BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"


def evolution(window: Any, learned: Any, title: str = "The same evolution, twice") -> tuple[Figure, np.ndarray]:
    """Two rows of three pictures: ReLU, SiLU, GLU above max pooling, SoftPool, attention pooling.

    Above, the output over the value (solid) and its gate (dashed). Below, the gates of one window of four values.

    Args:
        window: (4,) values in reading order.
        learned: (4,) gates that a learned score gave to the same window.
        title: what the figure shows, as a sentence.

    Raises:
        ValueError: not four numbers, or gates outside [0, 1].
    """
    from matplotlib import pyplot as plt

    values, chosen = _array(window).reshape(-1), _array(learned).reshape(-1)
    if values.shape != (4,) or chosen.shape != (4,) or chosen.min() < -1e-4 or chosen.max() > 1 + 1e-4:
        raise ValueError("evolution draws a window of four values and four gates in [0, 1].")
    figure, axes = plt.subplots(2, 3, figsize=(10.6, 6.2), layout="constrained")
    y = np.linspace(-4, 4, 161)
    sigma = 1 / (1 + np.exp(-y))
    for ax, name, opening in ((axes[0, 0], "ReLU", (y > 0) * 1.0), (axes[0, 1], "SiLU", sigma)):
        ax.plot(y, opening * y, color=BLUE, label="output")
        ax.plot(y, opening, color=ORANGE, linestyle="--", label="gate")
        words = "hard gate: a step decides" if name == "ReLU" else "soft gate: a smooth version"
        ax.set(title=f"{words}\n{name}: gate · ŷ", xlabel="ŷ", ylim=(-1, 4))
    axes[0, 0].legend(frameon=False)
    for gate, colour, dash in ((0.9, BLUE, "-"), (0.5, GREEN, "-."), (0.1, ORANGE, "--")):
        axes[0, 2].plot(y, gate * y, color=colour, linestyle=dash, label=f"gate {gate:g}")
    axes[0, 2].set(title="learned gate: it has weights\nGLU: σ(x Wᵀ) ⊙ x Vᵀ", xlabel="value x Vᵀ", ylim=(-4, 4))
    axes[0, 2].legend(frameon=False)
    soft = np.exp(values - values.max())
    hard = (values == values.max()) * 1.0
    below = (("max pooling: v · hardmax(v)", hard), ("SoftPool: v · softmax(v)", soft / soft.sum()),
             ("attention pooling: x Vᵀ · softmax(x wᵀ)", chosen))  # fmt: skip
    for ax, (name, gates) in zip(axes[1], below, strict=True):
        heat = ax.imshow(gates.reshape(2, 2), cmap=COLOURS, vmin=0, vmax=1)
        for place, (value, gate) in enumerate(zip(values, gates, strict=True)):
            ink = "white" if gate < 0.55 else "black"
            text = f"v = {value:.2f}\ngate {gate:.2f}"
            ax.text(place % 2, place // 2, text, ha="center", va="center", size=11, color=ink)
        ax.set(title=name, xticks=[], yticks=[])
    figure.colorbar(heat, ax=list(axes[1]), label="gate")
    axes[0, 0].set_ylabel("one unit's value")
    axes[1, 0].set_ylabel("a window's four values")
    figure.suptitle(title)
    return figure, axes


def four_gates(title: str = "Four gates, one empty cell", filled: bool = False) -> tuple[Figure, Axes]:
    """Every gate of the course in two rows and two columns; the last cell is empty until `filled`."""
    from matplotlib import pyplot as plt
    from matplotlib.patches import FancyBboxPatch

    figure, ax = plt.subplots(figsize=(9.2, 4.2), layout="constrained")
    ax.set(xlim=(-3.4, 8.3), ylim=(-0.6, 5.2), xticks=[], yticks=[], title=title)
    for side in ax.spines.values():
        side.set_visible(False)
    last = "Attention\nsoftmax(Q Kᵀ / √d) · X Vᵀ" if filled else "?"
    cells = {
        (0, 1): ("SiLU\nŷ · σ(ŷ)", COMPUTED),
        (1, 1): ("max pooling, SoftPool\nv · softmax(v / τ)", COMPUTED),
        (0, 0): ("GLU, SwiGLU\nf(X Wᵀ) ⊙ X Vᵀ, f = σ or SiLU", LEARNED),
        (1, 0): (last, LEARNED if filled else PLAIN),
    }
    for (column, row), (text, colour) in cells.items():
        corner = (4.1 * column, 2.1 * row)
        style = "round,pad=0,rounding_size=0.12"
        ax.add_patch(FancyBboxPatch(corner, 3.8, 1.7, boxstyle=style, facecolor=colour, edgecolor=INK))
        ax.text(corner[0] + 1.9, corner[1] + 0.85, text, ha="center", va="center", fontsize=11, color=INK)
    for x, text in (
        (1.9, "within one token:\nthe gate opens channels"),
        (6.0, "across positions:\nthe gate chooses tokens"),
    ):
        ax.text(x, 4.5, text, ha="center", va="center", fontsize=11)
    for y, text in ((2.95, "the value\ngates itself"), (0.85, "a learned gate:\nits own projection")):
        ax.text(-0.25, y, text, ha="right", va="center", fontsize=11)
    return figure, ax


def seed_by_seed(
    results: Mapping[str, Any], title: str, *, ylabel: str = "accuracy", ylim: tuple[float, float] | None = None
) -> tuple[Figure, Axes]:
    """For each name a circle for each seed, and a bar at their mean.

    Raises:
        ValueError: nothing to draw, or a name without numbers.
    """
    from matplotlib import pyplot as plt

    rows = {name: _array(numbers).reshape(-1) for name, numbers in results.items()}
    if not rows or any(not len(row) for row in rows.values()):
        raise ValueError("seed_by_seed draws at least one name, each with at least one number.")
    places = 4 if ylim and ylim[1] - ylim[0] < 0.02 else 3  # means that differ shall not read alike
    figure, ax = plt.subplots(figsize=(max(4.5, 1.35 * len(rows) + 1.2), 3.8), layout="constrained")
    for place, row in enumerate(rows.values()):
        ax.hlines(row.mean(), place - 0.28, place + 0.28, color=INK, linewidth=2)
        across = place + np.linspace(-0.14, 0.14, len(row)) if len(row) > 1 else [place]
        ax.plot(
            across, row, linestyle="", marker="o", markersize=8, markerfacecolor="none", markeredgecolor=BLUE, mew=1.6
        )
        ax.annotate(f"{row.mean():.{places}f}", (place + 0.3, row.mean()), va="center", fontsize=9)
    ax.set_xticks(range(len(rows)), list(rows))
    ax.set(title=title, ylabel=ylabel, xlim=(-0.6, len(rows) - 0.2), **({"ylim": ylim} if ylim else {}))
    ax.grid(axis="y", alpha=0.3)
    ax.set_xlabel("circles: one seed each · bar and number: the mean")
    return figure, ax
