"""Figures of lesson 06, part 2: maps of patches over a digit, rows of digits, counts of mistakes, races.

As in `plots`: each function returns `(figure, axes)` and takes the claim as its title.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from course_utils.charts import STYLES
from course_utils.plots import COLOURS, _array
from course_utils.scenes import ASKING, STRETCH

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["KINDS", "counts", "digits_in_rows", "grown", "imagenet", "maps_over"]

#: What a map holds: its colours and what its bar says. Gates run from 0 to 1, cosines and drops lie around 0.
KINDS = {
    "gate": (COLOURS, "gate (low end stretched)"),
    "cosine": ("PuOr", "cosine of two patches"),
    "drop": ("RdBu_r", "drop of the probability"),
}
#: The lecture's numbers, top-1 accuracy on ImageNet in %: what was trained on first, images in it, CNN, ViT, and which.
IMAGENET = (
    ("ImageNet", 1.3e6, 81.3, 77.9, "ViT-B/16"),
    ("ImageNet-21k", 14e6, 85.4, 85.2, "ViT-L/16"),
    ("JFT-300M", 300e6, 87.5, 88.0, "ViT-H/14"),
)
#: The same ViT-H/14 as the last one, with averaged weights and images of 512 pixels.
BEST = 88.55


def maps_over(
    digits: Sequence[Any],
    maps: Mapping[str, Any],
    title: str,
    *,
    kind: str,
    marks: Sequence[int | None] | None = None,
    columns: int = 5,
) -> tuple[Figure, np.ndarray]:
    """For each named map of patches one panel: its colours, and the outline of the digit that it belongs to.

    Args:
        digits: (1, 28, 28) each in [0, 1], as many as maps; one stands for all.
        maps: name to (rows, columns), one number for each patch. All share one scale.
        title: what the figure shows, as a sentence.
        kind: one of KINDS.
        marks: for each map the number of a patch, counted from 0, that gets a frame.
        columns: panels in a row, at most.

    Raises:
        ValueError: digits or marks that do not fit the maps, or a map that is no matrix.
    """
    from matplotlib import pyplot as plt

    shown = {name: _array(each) for name, each in maps.items()}
    pictures = list(digits) * len(shown) if len(digits) == 1 else list(digits)
    framed = list(marks) if marks is not None else [None] * len(shown)
    if not shown or len(pictures) != len(shown) or len(framed) != len(shown):
        raise ValueError(f"{len(shown)} maps need as many digits and marks, not {len(pictures)} and {len(framed)}.")
    if any(each.ndim != 2 for each in shown.values()):
        raise ValueError("maps_over draws maps of patches: rows and columns.")
    across = min(columns, len(shown))
    down = -(-len(shown) // across)
    size = (max(2.3 * across + 1.2, 4.6), 2.45 * down + 0.6)
    figure, axes = plt.subplots(down, across, figsize=size, squeeze=False, layout="constrained")
    norm = _scale(kind, list(shown.values()))
    for ax in axes.flat[len(shown) :]:
        ax.axis("off")
    for ax, (name, values), picture, mark in zip(axes.flat, shown.items(), pictures, framed, strict=False):
        side = _array(picture).shape[-1]
        image = ax.imshow(values, cmap=KINDS[kind][0], norm=norm, extent=(-0.5, side - 0.5, side - 0.5, -0.5))
        _outline(ax, picture)
        if mark is not None:
            _frame(ax, mark, values.shape, side)
        ax.set(xticks=[], yticks=[])
        ax.set_title(fill(name, 24), fontsize=9)
    bar = figure.colorbar(image, ax=axes, label=KINDS[kind][1], shrink=0.9)
    if kind == "gate":
        bar.set_ticks([0, 0.01, 0.05, 0.1, 0.2, 0.5, 1])
    figure.suptitle(fill(title, max(50, 24 * across)))
    return figure, axes


def digits_in_rows(images: Any, names: Sequence[str], title: str, columns: int = 10) -> tuple[Figure, np.ndarray]:
    """Digits (n, 1, h, w) in [0, 1], each with a name above it, dark on white as on paper.

    Raises:
        ValueError: no digit, or names that do not fit.
    """
    from matplotlib import pyplot as plt

    shown = [_array(image).reshape(_array(image).shape[-2:]) for image in images]
    if not shown or len(shown) != len(names):
        raise ValueError(f"{len(names)} names do not fit {len(shown)} digits, or there is none.")
    across = min(columns, len(shown))
    down = -(-len(shown) // across)
    size = (max(1.25 * across, 5.5), 1.6 * down + 0.5)
    figure, axes = plt.subplots(down, across, figsize=size, squeeze=False, layout="constrained")
    for ax in axes.flat:
        ax.axis("off")
    for ax, image, name in zip(axes.flat, shown, names, strict=False):
        ax.imshow(image, cmap="gray_r", vmin=0, vmax=1)
        ax.set_title(name, fontsize=8)
    figure.suptitle(fill(title, max(50, 13 * across)))
    return figure, axes


def counts(pairs: Mapping[tuple[int, int], int], names: Sequence[str], title: str) -> tuple[Figure, Axes]:
    """How often a label (row) got an answer (column), written into the cells; what never happened stays blank.

    Args:
        pairs: from (label, answer), both counted from 0, to how often.
        names: of the labels.
        title: what the figure shows, as a sentence.
    """
    from matplotlib import pyplot as plt

    side = max(3.8, 0.5 * len(names) + 1)
    figure, ax = plt.subplots(figsize=(side, side), layout="constrained")
    for (label, answer), count in pairs.items():
        colour = STYLES[0][0] if label == answer else STYLES[1][0]
        box = {
            "facecolor": colour,
            "edgecolor": "none",
            "boxstyle": "round,pad=.35",
            "alpha": 0.9 if count > 1 else 0.7,
        }
        ax.text(answer, label, f"{count}", ha="center", va="center", color="white", fontsize=9, bbox=box)
    limits = (-0.6, len(names) - 0.4)
    ax.set(xlim=limits, ylim=limits[::-1], ylabel="label", xlabel="answer of the network")
    ax.set_xticks(range(len(names)), list(names))
    ax.set_yticks(range(len(names)), list(names))
    ax.grid(alpha=0.25)
    ax.set_axisbelow(True)
    ax.set_title(fill(title, 32 if len(names) < 6 else 44), fontsize=11)
    return figure, ax


def grown(sizes: Sequence[int], rows: Mapping[str, Any], title: str) -> tuple[Figure, Axes]:
    """Accuracy over the number of training digits: for each name a mark for each seed, and a line through the means.

    Args:
        sizes: how many digits.
        rows: name to (sizes, seeds).
        title: what the figure shows, as a sentence.
    """
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
    for (name, values), (colour, mark, dash) in zip(rows.items(), STYLES, strict=False):
        table = _array(values)
        ax.plot(sizes, table.mean(1), color=colour, linestyle=dash, label=name)
        for column in table.T:
            ax.plot(sizes, column, color=colour, marker=mark, linestyle="", markerfacecolor="none")
    ax.set_xscale("log")
    ax.set_xticks(list(sizes), [f"{size:,}" for size in sizes])
    ax.minorticks_off()
    ax.set(xlabel="training digits", ylabel="accuracy on 1,000 test digits", title=fill(title, 62))
    ax.grid(alpha=0.3)
    ax.legend(frameon=False, title="marks: seeds · line: mean", loc="center right", bbox_to_anchor=(1, 0.74), ncols=2)
    return figure, ax


def imagenet() -> tuple[Figure, Axes]:
    """The lecture's ImageNet table as a plot, with the second number that is quoted for the largest model."""
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(6.8, 4.2), layout="constrained")
    images = [row[1] for row in IMAGENET]
    for place, name, (colour, mark, dash), below in ((2, "CNN (BiT)", STYLES[1], True), (3, "ViT", STYLES[0], False)):
        values = [float(row[place]) for row in IMAGENET]
        ax.plot(images, values, color=colour, marker=mark, linestyle=dash, label=name)
        for row, value in zip(IMAGENET, values, strict=True):
            under = below == (row[2] < row[3])
            text = f"{value}" if below else f"{value} {row[4]}"
            beside = (12, -3) if row is IMAGENET[-1] and not below else (-9, -15 if under else 9)
            ax.annotate(text, (row[1], value), xytext=beside, textcoords="offset points", fontsize=9)
    ax.plot(images[-1:], [BEST], marker="o", markersize=9, markerfacecolor="none", color=STYLES[0][0], linestyle="")
    ax.annotate(f"{BEST}: same model,\naveraged weights, 512 pixels", (images[-1], BEST), xytext=(-160, 2),
                textcoords="offset points", fontsize=9)  # fmt: skip
    ax.set_xscale("log")
    ax.set_xticks(images, [f"{row[0]}\n{row[1] / 1e6:g} M" for row in IMAGENET])
    ax.minorticks_off()
    ax.set(xlabel="images trained on first", ylabel="top-1 accuracy on ImageNet, %", ylim=(76, 90.5), xlim=(8e5, 3e9))
    ax.set_title("Quoted: the ViT starts behind the CNN and ends half a point ahead")
    ax.grid(alpha=0.3)
    ax.legend(frameon=False, loc="lower right")
    return figure, ax


def _scale(kind: str, maps: Sequence[np.ndarray]) -> Any:
    """One scale for all panels."""
    from matplotlib.colors import Normalize, PowerNorm

    if kind == "gate":
        return PowerNorm(STRETCH, vmin=0, vmax=1)
    top = 1.0 if kind == "cosine" else max(float(np.abs(each).max()) for each in maps) or 1.0
    return Normalize(-top, top)


def _outline(ax: Axes, picture: Any) -> None:
    """The digit's edge, black in white, to be seen on any colour."""
    image = _array(picture).reshape(_array(picture).shape[-2:])
    if image.max() > 0.4:
        for colour, width in (("white", 2.6), ("black", 1.0)):
            ax.contour(image, levels=[0.4], colors=colour, linewidths=width)


def _frame(ax: Axes, patch: int, grid: tuple[int, ...], side: int) -> None:
    from matplotlib.patches import Rectangle

    high, wide = side / grid[0], side / grid[1]
    corner = (patch % grid[1] * wide - 0.5, patch // grid[1] * high - 0.5)
    for colour, width in (("white", 5.0), (ASKING, 2.5)):
        ax.add_patch(Rectangle(corner, wide, high, fill=False, edgecolor=colour, linewidth=width))
