"""Figures of lesson 04: heads by hand, numbers on their way into heads, and what a network does without one of them.

As in `plots`: each function returns `(figure, axes)` and takes the claim as its title; gates run from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from course_utils.diagrams import INK
from course_utils.plots import COLOURS, _array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "cells_in_heads",
    "questions_without",
    "relation_pictures",
    "shared_out",
    "two_questions",
    "weights_and_gates",
]

#: One colour for each token, safe for colour-blind readers and different in grey; then the ink on it.
TOKENS = (("#0072B2", "white"), ("#E69F00", "black"), ("#F0E442", "black"), ("#009E73", "white"))
#: For the two questions of the experiment: a colour and a hatch each.
BARS = (("#0072B2", ""), ("#E69F00", "//"))
#: For parts of a whole: a colour, a hatch and the ink on it.
PARTS = (("#0072B2", "", "white"), ("#E69F00", "//", "black"), ("#F0E442", "..", "black"), ("#EEEEEE", "", "black"))
#: Negative orange, positive purple, both dark at their ends.
SIGNED = "PuOr"


def two_questions(images: Mapping[str, Any], answers: Any, mixed: Any, title: str) -> tuple[Figure, np.ndarray]:
    """One row for each picture: the picture, one map for each of two heads, both side by side, mixed, folded back.

    Args:
        images: name to picture (3, h, w) in [0, 1].
        answers: (pictures, 4, 2), what two heads of width 1 hand to each quadrant.
        mixed: (pictures, 4), after the output projection.
        title: what the figure shows, as a sentence.

    Raises:
        ValueError: numbers that do not fit the pictures.
    """
    from matplotlib import pyplot as plt

    handed, out = _array(answers), _array(mixed)
    if handed.shape != (len(images), 4, 2) or out.shape != (len(images), 4):
        raise ValueError(f"{len(images)} pictures need answers (n, 4, 2) and (n, 4), not {handed.shape}, {out.shape}.")
    names = ("picture", "head 1:\nwings nearby?", "head 2:\nhull nearby?", "side by side\n(4, 2)",
             "times $W_O$\n(4, 1)", "folded back")  # fmt: skip
    wide = [1.5, 1.2, 1.2, 0.75, 0.5, 1.2]
    figure, axes = plt.subplots(len(images), 6, figsize=(11, 2.35 * len(images) + 0.7), squeeze=False,
                                layout="constrained", gridspec_kw={"width_ratios": wide})  # fmt: skip
    for row, (name, image) in enumerate(images.items()):
        axes[row, 0].imshow(np.clip(_array(image).transpose(1, 2, 0), 0, 1))
        axes[row, 0].set_ylabel(name)
        for head in (0, 1):
            _numbers(axes[row, 1 + head], handed[row, :, head].reshape(2, 2), (0, 1), COLOURS)
        _numbers(axes[row, 3], handed[row], (0, 1), COLOURS)
        _numbers(axes[row, 4], out[row][:, None], (-1, 1), SIGNED)
        _numbers(axes[row, 5], out[row].reshape(2, 2), (-1, 1), SIGNED)
    for ax, name in zip(axes[0], names, strict=True):
        ax.set_title(name, fontsize=10)
    for ax in axes.flat:
        ax.set(xticks=[], yticks=[])
    figure.suptitle(title)
    return figure, axes


def cells_in_heads(steps: Mapping[str, Any], names: Sequence[Sequence[str]], title: str) -> tuple[Figure, np.ndarray]:
    """Where the numbers of a small tensor lie after each step: the colour says whose number it is.

    Args:
        steps: name to numbers, (rows, columns) or (blocks, rows, columns); each number k stands for the k-th name,
            counted through in reading order.
        names: (tokens, features), the name of each number; a token has a colour of its own.
        title: what the figure shows, as a sentence.

    Raises:
        ValueError: more tokens than colours, a step with numbers that are no place, or no step.
    """
    from matplotlib import pyplot as plt
    from matplotlib.patches import Rectangle

    flat, per_token = [each for row in names for each in row], len(names[0])
    shown = {name: _array(step).astype(int) for name, step in steps.items()}
    wrong = [step.shape for step in shown.values() if step.ndim not in (2, 3) or not 0 <= step.min() <= step.max()]
    if not shown or wrong or len(names) > len(TOKENS) or max(step.max() for step in shown.values()) >= len(flat):
        raise ValueError(f"cells_in_heads draws steps of places below {len(flat)}, of at most {len(TOKENS)} tokens.")
    blocks = [step if step.ndim == 3 else step[None] for step in shown.values()]
    deep = max(sum(len(block) + 0.9 for block in step) for step in blocks)
    wide = [step.shape[-1] + 1.2 for step in blocks]
    figure, axes = plt.subplots(1, len(shown), figsize=(0.62 * sum(wide) + 0.6, 0.5 * deep + 1.2), squeeze=False,
                                layout="constrained", gridspec_kw={"width_ratios": wide})  # fmt: skip
    for ax, name, step in zip(axes[0], shown, blocks, strict=True):
        top = 0.0
        for block in step:
            for (row, column), place in np.ndenumerate(block):
                colour, ink = TOKENS[place // per_token]
                ax.add_patch(Rectangle((column, top + row), 1, 1, facecolor=colour, edgecolor="white", linewidth=2))
                ax.text(column + 0.5, top + row + 0.5, flat[place], ha="center", va="center", color=ink, fontsize=12)
            ax.add_patch(Rectangle((0, top), block.shape[1], len(block), fill=False, edgecolor=INK, linewidth=1.4))
            top += len(block) + 0.9
        ax.set(xlim=(-0.6, step.shape[-1] + 0.6), ylim=(deep - 0.5, -0.4), xticks=[], yticks=[], aspect="equal")
        ax.set_title(name, fontsize=10)
        for side in ax.spines.values():
            side.set_visible(False)
    figure.suptitle(title)
    return figure, axes[0]


def weights_and_gates(
    weights: Sequence[tuple[str, Any]], gates: Sequence[tuple[str, Any]], title: str
) -> tuple[Figure, np.ndarray]:
    """Above, weights; below each of them, a matrix of gates (4, 4) that they made.

    Args:
        weights: names with (rows, 3), drawn on one scale around 0.
        gates: names with (4, 4), rows are queries.
        title: what the figure shows, as a sentence.

    Raises:
        ValueError: other numbers of weights than of gates, or gates outside [0, 1].
    """
    from matplotlib import pyplot as plt

    above, below = ([(name, _array(each)) for name, each in part] for part in (weights, gates))
    fits = all(each.shape == (4, 4) and each.min() > -1e-4 and each.max() < 1 + 1e-4 for _, each in below)
    if len(above) != len(below) or not above or not fits:
        raise ValueError("weights_and_gates draws as many weights as gates, and gates (4, 4) in [0, 1].")
    top = max(np.abs(each).max() for _, each in above) or 1.0
    figure, axes = plt.subplots(2, len(above), figsize=(2.7 * len(above) + 1, 5), squeeze=False, layout="constrained",
                                gridspec_kw={"height_ratios": [1, 2.6]})  # fmt: skip
    for ax, (name, each) in zip(axes[0], above, strict=True):
        _numbers(ax, each, (-top, top), SIGNED, "{:.0f}")
        ax.set(title=name, xticks=range(3), yticks=[])
        ax.set_xticklabels(["blue", "wings", "hull"][: each.shape[1]], fontsize=9)
    for ax, (name, each) in zip(axes[1], below, strict=True):
        heat = _numbers(ax, each, (0, 1), COLOURS)
        ax.set(title=name, xlabel="key", ylabel="query", xticks=range(4), yticks=range(4))
    figure.colorbar(heat, ax=list(axes[1]), label="gate")
    figure.suptitle(title)
    return figure, axes


def relation_pictures(images: Any, labels: Sequence[str], title: str) -> tuple[Figure, np.ndarray]:
    """Pictures (n, 1, h, w) in a row, dark shapes on white, each with what it answers.

    Raises:
        ValueError: labels that do not fit the pictures.
    """
    from matplotlib import pyplot as plt

    shown = _array(images)
    if shown.ndim != 4 or len(shown) != len(labels) or not len(shown):
        raise ValueError(f"relation_pictures takes (n, 1, h, w) and n labels, not {shown.shape} and {len(labels)}.")
    figure, axes = plt.subplots(1, len(shown), figsize=(2.5 * len(shown), 3.1), squeeze=False, layout="constrained")
    for ax, image, label in zip(axes[0], shown, labels, strict=True):
        ax.imshow(image[0], cmap="gray_r", vmin=0, vmax=1)
        ax.set(xticks=[], yticks=[])
        ax.set_title(label, fontsize=10)
    figure.suptitle(title)
    return figure, axes[0]


def questions_without(rows: Mapping[str, Sequence[float]], questions: Sequence[str], title: str) -> tuple[Figure, Axes]:
    """For each name a pair of bars, how often each of two questions is answered right; a dashed line at guessing.

    Raises:
        ValueError: nothing to draw, or a name without two numbers.
    """
    from matplotlib import pyplot as plt

    if not rows or len(questions) != 2 or any(len(row) != 2 for row in rows.values()):
        raise ValueError("questions_without draws two accuracies for each name, and names two questions.")
    figure, ax = plt.subplots(figsize=(2.1 * len(rows) + 1.4, 3.9), layout="constrained")
    for i, (question, (colour, hatch)) in enumerate(zip(questions, BARS, strict=True)):
        places = np.arange(len(rows)) + 0.4 * i - 0.2
        bars = ax.bar(places, [row[i] for row in rows.values()], 0.38, color=colour, hatch=hatch, edgecolor="white",
                      label=question)  # fmt: skip
        ax.bar_label(bars, [f"{row[i]:.2f}" for row in rows.values()], padding=2)
    ax.axhline(0.5, color=INK, linestyle="--", linewidth=1)
    ax.annotate("guessing", (len(rows) - 0.58, 0.5), xytext=(0, 3), textcoords="offset points", fontsize=9)
    ax.set_xticks(range(len(rows)), list(rows))
    ax.set(title=title, ylabel="answered right", ylim=(0, 1.3), yticks=[0, 0.25, 0.5, 0.75, 1], xlim=(-0.6, len(rows)))
    ax.legend(frameon=False, loc="upper left", ncols=2)
    return figure, ax


def shared_out(rows: Mapping[str, Any], parts: Sequence[str], title: str) -> tuple[Figure, Axes]:
    """For each name one bar of length 1, cut into parts: what share of its gates goes where.

    Raises:
        ValueError: a row that does not fit the parts or does not sum to 1, or more parts than colours.
    """
    from matplotlib import pyplot as plt

    shares = {name: _array(row) for name, row in rows.items()}
    fits = all(row.shape == (len(parts),) and abs(row.sum() - 1) < 1e-3 for row in shares.values())
    if not shares or not fits or len(parts) > len(PARTS):
        raise ValueError(f"shared_out draws rows of up to {len(PARTS)} shares that sum to 1, one for each part.")
    figure, ax = plt.subplots(figsize=(7.6, 0.75 * len(shares) + 1.6), layout="constrained")
    start = np.zeros(len(shares))
    for i, (part, (colour, hatch, ink)) in enumerate(zip(parts, PARTS, strict=False)):
        wide = np.array([row[i] for row in shares.values()])
        bars = ax.barh(
            range(len(shares)), wide, 0.7, left=start, color=colour, hatch=hatch, edgecolor="white", label=part
        )
        box = {"facecolor": colour, "edgecolor": "none", "pad": 1.5}
        ax.bar_label(bars, [f"{share:.2f}" for share in wide], label_type="center", color=ink, bbox=box)
        start += wide
    ax.set_yticks(range(len(shares)), list(shares))
    ax.invert_yaxis()
    ax.set(title=title, xlabel="share of the gates", xlim=(0, 1))
    ax.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.3), ncols=len(parts))
    return figure, ax


def _numbers(ax: Axes, matrix: np.ndarray, limits: tuple[float, float], colours: str, written: str = "{:.3f}") -> Any:
    """A heat map with its numbers written in, readable on every colour."""
    low, high = limits
    heat = ax.imshow(matrix, cmap=colours, vmin=low, vmax=high)
    for (row, column), number in np.ndenumerate(matrix):
        share = (number - low) / (high - low)
        dark = abs(share - 0.5) > 0.3 if colours == SIGNED else share < 0.55
        text = "0" if abs(number) < 5e-4 else written.format(number)
        ax.text(column, row, text, ha="center", va="center", fontsize=9, color="white" if dark else "black")
    return heat
