"""Lesson 07 drawn: a row of pixels cut into windows, a lookup in a table, hidden words, guesses, meanings, gates.

As in `plots`: each function returns `(figure, axes)` and takes the claim as its title.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from course_utils.charts import STYLES
from course_utils.plots import COLOURS, _array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["guess_map", "hidden_words", "lookup", "meanings", "padded_gates", "touched_rows", "windows"]

#: What became of a word: as it was, hidden, another word, chosen but left.
FATES = {
    "not chosen": ("#f4f4f4", "black"),
    "[MASK]": ("#0072B2", "white"),
    "another word": ("#D55E00", "white"),
    "chosen, left as it is": ("#f2c14e", "black"),
}


def windows(row: Any, names: Sequence[str], title: str, shown: int = 24) -> tuple[Figure, Any]:
    """A row of pixels (1, T · n) with cuts, and below it the windows as rows of a matrix (T, n), `shown` pixels each.

    Raises:
        ValueError: a row that does not fall into as many windows as there are names.
    """
    from matplotlib import pyplot as plt

    flat = _array(row).reshape(-1)
    if not names or len(flat) % len(names):
        raise ValueError(f"{len(flat)} pixels do not fall into {len(names)} windows.")
    cut = flat.reshape(len(names), -1)[:, :shown]  # (T, shown)
    figure, axes = plt.subplots(2, 1, figsize=(9.4, 4.0), height_ratios=[1, 5], layout="constrained")
    above, below = axes
    above.imshow(cut.reshape(1, -1), aspect="auto", cmap=COLOURS)
    for edge in range(1, len(names)):
        above.axvline(edge * shown - 0.5, color="white", linewidth=3)
    above.set(yticks=[], xticks=[shown * (i + 0.5) - 0.5 for i in range(len(names))], xticklabels=names)
    above.set_title(f"one row of {len(flat):,} pixels, cut into {len(names)} windows", fontsize=10)
    image = below.imshow(cut, aspect="auto", cmap=COLOURS)
    below.set(yticks=range(len(names)), yticklabels=names, xlabel=f"pixel of the window (the first {shown})")
    below.set_title(f"each window becomes a row: {len(names)} × {len(flat) // len(names)}", fontsize=10)
    figure.colorbar(image, ax=below, label="pixel")
    figure.suptitle(title)
    return figure, axes


def lookup(words: Sequence[str], ids: Any, table: Any, rows: Sequence[str], title: str) -> tuple[Figure, Any]:
    """One-hot rows (T, n), the table E (n, d) and their product (T, d), side by side; equal words have equal rows."""
    from matplotlib import pyplot as plt

    numbers, chosen = _array(table), [int(i) for i in ids]
    hot = np.eye(len(rows))[chosen]  # (T, n)
    figure, axes = plt.subplots(1, 3, figsize=(11.4, 3.9), width_ratios=[1.5, 1.3, 1.3], layout="constrained")
    top = float(np.abs(numbers).max())
    names = (f"one-hot · {len(words)} × {len(rows)}", f"E · {numbers.shape[0]} × {numbers.shape[1]}",
             f"one-hot times E · {len(words)} × {numbers.shape[1]}")  # fmt: skip
    for ax, matrix, name in zip(axes, (hot, numbers, hot @ numbers), names, strict=True):
        low, high = (0.0, 1.0) if ax is axes[0] else (-top, top)
        ax.imshow(matrix, cmap=COLOURS, vmin=low, vmax=high, aspect="auto")
        for (row, column), number in np.ndenumerate(matrix):
            text = f"{number:.0f}" if ax is axes[0] else f"{number:.1f}"
            ink = "white" if (number - low) / (high - low) < 0.55 else "black"
            ax.text(column, row, text, ha="center", va="center", color=ink, size=8)
        ax.set_title(name, fontsize=10)
        ax.set_yticks(range(len(matrix)), list(rows) if ax is axes[1] else list(words))
    axes[0].set_xticks(range(len(rows)), list(rows), rotation=45, ha="right")
    for ax in axes[1:]:
        ax.set_xlabel("place in the row")
    figure.suptitle(title)
    return figure, axes


def hidden_words(lines: Sequence[Sequence[tuple[str, str]]], title: str) -> tuple[Figure, Axes]:
    """Sentences as rows of boxes; each word comes with its fate, a key of FATES.

    Raises:
        ValueError: no sentence, or another fate.
    """
    from matplotlib import pyplot as plt
    from matplotlib.patches import Patch, Rectangle

    if not lines or any(fate not in FATES for line in lines for _, fate in line):
        raise ValueError(f"hidden_words draws sentences whose words are each one of {', '.join(FATES)}.")
    most = max(map(len, lines))
    figure, ax = plt.subplots(figsize=(1.15 * most + 1, 0.24 * len(lines) + 1.2), layout="constrained")
    for row, line in enumerate(lines):
        for column, (word, fate) in enumerate(line):
            face, ink = FATES[fate]
            ax.add_patch(Rectangle((column, row), 0.94, 0.86, facecolor=face, edgecolor="#888888", linewidth=0.6))
            ax.text(column + 0.47, row + 0.43, word, ha="center", va="center", color=ink, fontsize=8)
    ax.set(xlim=(-0.05, most), ylim=(len(lines), -0.05), xticks=[], yticks=[])
    ax.set_title(title)
    for side in ax.spines.values():
        side.set_visible(False)
    patches = [Patch(facecolor=face, edgecolor="#888888", label=name) for name, (face, _) in FATES.items()]
    figure.legend(handles=patches, loc="outside lower center", ncols=len(FATES), frameon=False, fontsize=9)
    return figure, ax


def guess_map(
    guesses: Any, updates: Sequence[int], words: Sequence[str], title: str, usual: Sequence[float] | None = None
) -> tuple[Figure, Axes]:
    """Probabilities (n, words) after so many updates; `usual`: those of guessing without reading, as a first row.

    Raises:
        ValueError: numbers that do not fit the updates and words.
    """
    from matplotlib import pyplot as plt

    matrix = _array(guesses)
    if matrix.shape != (len(updates), len(words)):
        raise ValueError(f"guesses of shape {matrix.shape} do not fit {len(updates)} updates and {len(words)} words.")
    names = [f"{count:,} updates" for count in updates]
    if usual is not None:
        matrix, names = np.vstack([_array(usual), matrix]), ["unigram guess", *names]
    figure, ax = plt.subplots(figsize=(0.85 * len(words) + 2.4, 0.4 * len(matrix) + 1.5), layout="constrained")
    image = ax.imshow(matrix, cmap=COLOURS, vmin=0, vmax=1, aspect="auto")
    for (row, column), p in np.ndenumerate(matrix):
        ink = "white" if p < 0.55 else "black"
        ax.text(column, row, f"{p:.2f}".removeprefix("0"), ha="center", va="center", color=ink, size=8)
    ax.set_yticks(range(len(names)), names)
    ax.set_xticks(range(len(words)), list(words), rotation=30, ha="right")
    if usual is not None:
        ax.axhline(0.5, color="white", linewidth=3)
    ax.set_title(title)
    figure.colorbar(image, ax=ax, label="probability")
    return figure, ax


def meanings(before: Any, after: Any, labels: Sequence[str], title: str) -> tuple[Figure, Any]:
    """One word in many sentences, before and after the encoder (n, d) each, in its two main directions (PCA).

    Both panels have one scale. Points at one place are drawn on top of each other.
    """
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9.4, 4.2), sharex=True, sharey=True, layout="constrained")
    kinds = list(dict.fromkeys(labels))
    for ax, points, name in zip(axes, (before, after), ("before the encoder", "after the encoder"), strict=True):
        centred = _array(points) - _array(points).mean(0)  # (n, d)
        flat = centred @ np.linalg.svd(centred, full_matrices=False)[2][:2].T  # (n, 2)
        for kind, (colour, mark, _) in zip(kinds, STYLES, strict=False):
            these = [label == kind for label in labels]
            ax.plot(*flat[these].T, linestyle="", marker=mark, color=colour, label=kind, alpha=0.7, markersize=8)
        ax.set(title=name, xlabel="first main direction")
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("second main direction")
    axes[1].legend(frameon=False)
    figure.suptitle(title)
    return figure, axes


def padded_gates(gates: Mapping[str, Any], tokens: Sequence[str], title: str) -> tuple[Figure, Any]:
    """Matrices of gates (T, T) side by side, one for each name; NaN is written as such."""
    from matplotlib import pyplot as plt

    shown = {name: _array(matrix) for name, matrix in gates.items()}
    size = (3.7 * len(shown), 4.1)
    figure, axes = plt.subplots(1, len(shown), figsize=size, squeeze=False, layout="constrained")
    for ax, (name, matrix) in zip(axes[0], shown.items(), strict=True):
        ax.imshow(np.nan_to_num(matrix), cmap=COLOURS, vmin=0, vmax=1)
        for (row, column), gate in np.ndenumerate(matrix):
            text = "nan" if np.isnan(gate) else "0" if gate == 0 else f"{gate:.2f}".removeprefix("0")
            ax.text(column, row, text, ha="center", va="center", color="white" if not gate > 0.55 else "black", size=9)
        ax.set_title(name, fontsize=10)
        ax.set_xticks(range(len(tokens)), list(tokens), rotation=30, ha="right")
        ax.set_yticks(range(len(tokens)), list(tokens))
        ax.set_xlabel("key")
    axes[0][0].set_ylabel("query")
    figure.suptitle(title)
    return figure, axes[0]


def touched_rows(gradients: Mapping[str, Any], title: str) -> tuple[Figure, Any]:
    """For each use of a table the length of the gradient at each of its rows (n,), as bars below each other."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(
        len(gradients), 1, figsize=(9.4, 1.7 * len(gradients) + 0.9), sharex=True, squeeze=False, layout="constrained"
    )
    for ax, (name, lengths), (colour, *_) in zip(axes[:, 0], gradients.items(), STYLES, strict=False):
        row = _array(lengths)
        ax.bar(range(len(row)), row, color=colour, width=0.9)
        ax.set_title(f"{name}: {int((row > 0).sum())} of {len(row)} rows hear something", fontsize=10)
        ax.set_ylabel("gradient")
        ax.set_yscale("symlog", linthresh=1e-3)
    axes[-1, 0].set_xlabel("row of E, one for each word")
    figure.suptitle(title)
    return figure, axes[:, 0]
