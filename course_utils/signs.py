"""Small noisy pictures of four signs, filled or sketched: enough to train a small vision transformer in seconds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["HALF", "NAMES", "PATCH", "SIDE", "Signs", "drops", "patch_grid", "pictures", "show", "table"]

#: The signs in the order of their labels.
NAMES = ("square", "disc", "triangle", "cross")
#: Pixels of a picture's side, and of the patches that a model of the homework cuts it into.
SIDE, PATCH = 16, 4
#: A sign reaches so many pixels from its centre to each side.
HALF = 4
#: Standard deviation of the noise on normalised pixels.
NOISE = 0.2


class Signs(NamedTuple):
    """Normalised pictures: `images` (n, 1, 16, 16), the sign about 1, the rest about -1; `labels` (n,) from 0 to 3."""

    images: Tensor
    labels: Tensor


def pictures(count: int, seed: int, sketched: bool = False) -> Signs:
    """`count` pictures of one sign each, somewhere in the picture, on a noisy ground.

    Args:
        count: how many.
        seed: decides signs, places and noise; the same arguments give the same pictures.
        sketched: only the outline of the sign, one pixel wide.

    Raises:
        ValueError: `count` is negative.
    """
    if count < 0:
        raise ValueError(f"count must not be negative, got {count}.")
    drawn = torch.Generator().manual_seed(seed)
    labels = torch.randint(len(NAMES), (count,), generator=drawn)
    places = torch.randint(HALF + 1, SIDE - HALF - 1, (2, count, 1, 1), generator=drawn)
    pixels = torch.arange(SIDE)
    down, right = pixels[:, None] - places[0], pixels - places[1]  # (n, 16, 1), (n, 1, 16)
    narrow = HALF // 3
    every = [
        (down.abs() <= HALF) & (right.abs() <= HALF),
        down**2 + right**2 <= HALF**2 + HALF // 2,
        (down.abs() <= HALF) & (right.abs() <= (down + HALF) / 2),
        (torch.maximum(down.abs(), right.abs()) <= HALF) & (torch.minimum(down.abs(), right.abs()) <= narrow),
    ]
    inside = torch.stack(every)[labels, torch.arange(count)].float()[:, None]  # (n, 1, 16, 16)
    if sketched:
        deep = -F.max_pool2d(-inside, 3, stride=1, padding=1)  # what lies one pixel deep
        inside = inside - deep
    noise = NOISE * torch.randn(inside.shape, generator=drawn)
    return Signs((inside - 0.5) / 0.5 + noise, labels)


def show(images: Tensor, titles: Sequence[str], title: str) -> tuple[Figure, Any]:
    """Pictures (n, 1, h, w) in a row, dark is low, each under its own title.

    Raises:
        ValueError: as many titles as pictures are needed.
    """
    from matplotlib import pyplot as plt

    if len(images) != len(titles):
        raise ValueError(f"{len(images)} pictures, but {len(titles)} titles.")
    wide = max(1.25 * len(images), 3.6)
    figure, axes = plt.subplots(1, len(images), figsize=(wide, 2.0), squeeze=False, layout="constrained")
    for ax, image, name in zip(axes[0], images, titles, strict=True):
        ax.imshow(image[0].numpy(), cmap="gray", vmin=-1.4, vmax=1.4)
        ax.set(xticks=[], yticks=[])
        ax.set_title(name, fontsize=9)
    figure.suptitle(title)
    return figure, axes[0]


def patch_grid(image: Tensor, patch: int, title: str) -> tuple[Figure, Axes]:
    """One picture (1, h, w) with the boundaries of its patches, numbered row by row from 1."""
    from matplotlib import pyplot as plt

    height, width = image.shape[1:]
    figure, ax = plt.subplots(figsize=(3.8, 3.9), layout="constrained")
    ax.imshow(image[0].numpy(), cmap="gray", vmin=-1.4, vmax=1.4)
    for place in range(0, max(height, width) + 1, patch):
        for line in (ax.axhline, ax.axvline):
            line(place - 0.5, color="#E69F00", linewidth=1.2)
    columns = width // patch
    frame = {"facecolor": "white", "edgecolor": "none", "pad": 1.0, "alpha": 0.8}
    for number in range(height // patch * columns):
        row, column = divmod(number, columns)
        middle = (patch - 1) / 2
        at = (column * patch + middle, row * patch + middle)
        ax.text(*at, f"P{number + 1}", ha="center", va="center", fontsize=8, color="black", bbox=frame)
    ax.set(xlabel="column of pixels", ylabel="row of pixels", title=title)
    return figure, ax


def table(counts: Tensor, title: str) -> tuple[Figure, Axes]:
    """A confusion matrix (4, 4) of the signs: rows are the true signs, columns what was said."""
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(5.2, 4.0), layout="constrained")
    top = max(int(counts.max()), 1)
    drawn = ax.imshow(counts.numpy(), cmap="cividis", vmin=0, vmax=top)
    for row, numbers in enumerate(counts.tolist()):
        for column, number in enumerate(numbers):
            colour = "white" if number < 0.55 * top else "black"
            ax.text(column, row, str(number), ha="center", va="center", color=colour)
    ax.set(xticks=range(len(NAMES)), yticks=range(len(NAMES)), xlabel="said", ylabel="true")
    figure.suptitle(title)
    ax.set_xticklabels(NAMES)
    ax.set_yticklabels(NAMES)
    figure.colorbar(drawn, ax=ax, label="pictures", shrink=0.8)
    return figure, ax


def drops(image: Tensor, falls: Tensor, title: str) -> tuple[Figure, Any]:
    """A picture (1, h, w), and beside it how far a probability falls under each cover (rows, columns)."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(7.2, 3.4), layout="constrained")
    axes[0].imshow(image[0].numpy(), cmap="gray", vmin=-1.4, vmax=1.4)
    axes[0].set(title="the picture", xlabel="column of pixels", ylabel="row of pixels")
    top = max(float(falls.abs().max()), 0.01)
    drawn = axes[1].imshow(falls.numpy(), cmap="PuOr_r", vmin=-top, vmax=top)
    for row, numbers in enumerate(falls.tolist()):
        for column, number in enumerate(numbers):
            colour = "white" if abs(number) > 0.6 * top else "black"
            axes[1].text(
                column,
                row,
                f"{number:.2f}".replace("-0.00", "0.00"),
                ha="center",
                va="center",
                color=colour,
                fontsize=8,
            )
    axes[1].set(title="fall of the probability", xlabel="column of covers", ylabel="row of covers")
    axes[1].set(xticks=range(falls.shape[1]), yticks=range(len(falls)))
    figure.colorbar(drawn, ax=axes[1], label="before - after")
    figure.suptitle(title)
    return figure, axes
