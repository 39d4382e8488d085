"""Figures of lesson 06 over a picture: its patches, one of them enlarged, and the two softmaxes side by side.

As in `plots`: each function returns `(figure, axes)` and takes the claim as its title; gates run from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from course_utils import vit_steps, widgets
from course_utils.plots import COLOURS, _array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["patch_dial", "patch_of", "patches_of", "two_softmaxes"]

#: What marks the patch that is meant.
MARK = "#D55E00"
#: With many sources gates are small: colours still run from 0 to 1, but the low end is stretched by this power.
STRETCH = 0.4


def patches_of(image: Any, number: int, title: str, patch: int = 16) -> tuple[Figure, np.ndarray]:
    """A picture with its grid of patches and one of them framed (left), and that patch enlarged (right).

    Args:
        image: (3, h, w) in [0, 1].
        number: of the framed patch, counted from 1 in reading order.
        title: what the figure shows, as a sentence.
        patch: pixels of a patch's side.

    Raises:
        ValueError: the picture is not (3, h, w), is not filled by patches, or has no patch of this number.
    """
    from matplotlib import pyplot as plt
    from matplotlib.patches import Rectangle

    picture = _array(image)
    rows, columns = _counted(picture, patch)
    crop = patch_of(picture, number, patch)
    row, column = vit_steps.place_of(number, columns)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.2, 4.9), width_ratios=(1.6, 1), layout="constrained")
    left.imshow(_shown(picture))
    for line in range(patch, picture.shape[1], patch):
        left.axhline(line - 0.5, color="white", linewidth=0.6)
    for line in range(patch, picture.shape[2], patch):
        left.axvline(line - 0.5, color="white", linewidth=0.6)
    corner = ((column - 1) * patch - 0.5, (row - 1) * patch - 0.5)
    for colour, width in (("white", 5.0), (MARK, 2.5)):
        left.add_patch(Rectangle(corner, patch, patch, fill=False, edgecolor=colour, linewidth=width))
    for named in sorted({1, 2, columns, columns + 1, (rows - 1) * columns + 1, rows * columns}):
        y, x = ((place - 0.5) * patch - 0.5 for place in vit_steps.place_of(named, columns))
        left.text(x, y, f"P{named}", ha="center", va="center", fontsize=6.5, color="black",
                  bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.8})  # fmt: skip
    edges = [0, picture.shape[2] // 2, picture.shape[2]]
    left.set(xlabel="column of pixels", ylabel="row of pixels", xticks=edges, yticks=edges)
    left.set_title(f"{rows} x {columns} patches, numbered by row", fontsize=11)
    right.imshow(_shown(crop))
    right.set_xticks(np.arange(patch + 1) - 0.5, [], minor=False)
    right.set_yticks(np.arange(patch + 1) - 0.5, [], minor=False)
    right.grid(color="white", linewidth=0.4)
    right.set_title(
        f"P{number}: row {row}, column {column}\n{patch} x {patch} pixels x 3 = {crop.size} numbers", fontsize=11
    )
    figure.suptitle(title)
    return figure, np.array([left, right])


def patch_of(image: Any, number: int, patch: int = 16) -> np.ndarray:
    """One patch (3, patch, patch) of a picture (3, h, w). Arguments and errors are those of `patches_of`."""
    picture = _array(image)
    rows, columns = _counted(picture, patch)
    if not 1 <= number <= rows * columns:
        raise ValueError(f"There are patches 1 to {rows * columns}, not {number}.")
    row, column = vit_steps.place_of(number, columns)
    return picture[:, (row - 1) * patch : row * patch, (column - 1) * patch : column * patch]


def patch_dial(image: Any, start: int, patch: int = 16) -> widgets.Explorer:
    """A dial over the patches of a picture (3, h, w) in [0, 1]: each is framed, enlarged, and its first pixel read."""
    import ipywidgets

    rows, columns = _counted(_array(image), patch)

    def draw(number: int) -> widgets.Drawn:
        row, column = vit_steps.place_of(number, columns)
        return patches_of(image, number, f"P{number} = {columns} · ({row} - 1) + {column}", patch)

    def words(number: int) -> str:
        row, column = vit_steps.place_of(number, columns)
        red, green, blue = (round(255 * float(value)) for value in patch_of(image, number, patch)[:, 0, 0])
        return f"Patch {number} lies in row {row}, column {column}; its first pixel is [{red}, {green}, {blue}]."

    dial = ipywidgets.IntSlider(start, 1, rows * columns, description="patch", continuous_update=False)
    return widgets.explore(draw, words, number=dial)


def two_softmaxes(
    image: Any, gates: Any, probabilities: Any, labels: Sequence[str], title: str
) -> tuple[Figure, np.ndarray]:
    """What CLS reads (middle), and what the head answers (right): both sum to 1, over sources and over labels.

    Args:
        image: (1, h, w) or (h, w), dark where 0.
        gates: (T + 1,) of the query CLS, its own gate first; the T patches form a square.
        probabilities: (classes,).
        labels: a name for each class.
        title: what the figure shows, as a sentence.

    Raises:
        ValueError: gates without a square of patches or outside [0, 1], or labels that do not fit.
    """
    from matplotlib import pyplot as plt
    from matplotlib.colors import PowerNorm

    picture, row, chances = _array(image), _array(gates), _array(probabilities)
    side = round((len(row) - 1) ** 0.5)
    if side * side + 1 != len(row) or row.min() < -1e-4 or row.max() > 1 + 1e-4:
        raise ValueError(f"{len(row)} gates must be CLS and a square of patches, each in [0, 1].")
    if chances.shape != (len(labels),):
        raise ValueError(f"{len(labels)} labels do not fit probabilities of shape {chances.shape}.")
    figure, axes = plt.subplots(1, 3, figsize=(11.5, 3.9), layout="constrained", width_ratios=(1, 1.25, 1.3))
    axes[0].imshow(picture.reshape(picture.shape[-2:]), cmap="gray_r")
    axes[0].set(title="the picture", xticks=[], yticks=[])
    heat = axes[1].imshow(row[1:].reshape(side, side), cmap=COLOURS, norm=PowerNorm(STRETCH, vmin=0, vmax=1))
    axes[1].set(title=f"{len(row)} gates: which source helps?", ylabel="row of patches", xlabel="column of patches")
    axes[1].text(0.5, -0.3, f"CLS itself: {row[0]:.3f}", ha="center", transform=axes[1].transAxes)
    figure.colorbar(heat, ax=axes[1], label="gate (0 to 1, low end stretched)", ticks=[0, 0.01, 0.05, 0.2, 0.5, 1])
    axes[2].bar(range(len(labels)), chances, color="#0072B2")
    axes[2].set_xticks(range(len(labels)), labels)
    axes[2].set(
        title=f"{len(labels)} probabilities: which label fits?", xlabel="label", ylabel="probability", ylim=(0, 1)
    )
    figure.suptitle(title)
    return figure, axes


def _counted(picture: np.ndarray, patch: int) -> tuple[int, int]:
    """Rows and columns of patches."""
    if picture.ndim != 3 or picture.shape[0] != 3 or patch < 1:
        raise ValueError(f"A picture is (3, h, w) and a patch has 1 pixel or more, got {picture.shape} and {patch}.")
    if picture.shape[1] % patch or picture.shape[2] % patch:
        raise ValueError(f"Patches of {patch} pixels do not fill a picture of {picture.shape[1]} x {picture.shape[2]}.")
    return picture.shape[1] // patch, picture.shape[2] // patch


def _shown(picture: np.ndarray) -> np.ndarray:
    return np.clip(picture.transpose(1, 2, 0), 0, 1)  # (h, w, 3)
