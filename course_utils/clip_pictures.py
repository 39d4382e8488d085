"""Figures and the dial of lesson 08 on CLIP: the matrix of pictures against captions, with the pictures on its side.

As in `plots`: each function that draws returns `(figure, axes)` and takes the claim as its title.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from torch import Tensor

from course_utils.captioned import Captioned
from course_utils.plots import _array
from course_utils.widgets import Drawn, Explorer, explore

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["matrices", "matrix_dial", "prompts_chosen"]

RIGHT = "#D55E00"


def matrices(cosines: Mapping[str, Any], data: Captioned, title: str) -> tuple[Figure, np.ndarray]:
    """Cosines of pictures (rows) and captions (columns), a panel for each name; a frame marks each row's largest.

    Args:
        cosines: name to (n, n).
        data: the n pictures and captions.
        title: what the figure shows, as a sentence.

    Raises:
        ValueError: no matrix, or one that does not fit `data`.
    """
    from matplotlib import pyplot as plt

    shown = {name: _array(each) for name, each in cosines.items()}
    count = len(data.captions)
    if not shown or any(each.shape != (count, count) for each in shown.values()):
        raise ValueError(f"matrices draws cosines ({count}, {count}), at least one.")
    size = (3.5 * len(shown) + 1.0, 4.9)
    figure, axes = plt.subplots(1, len(shown), figsize=size, squeeze=False, layout="constrained")
    for panel, (ax, (name, each)) in enumerate(zip(axes[0], shown.items(), strict=True)):
        image = ax.imshow(each, cmap="cividis", vmin=-1, vmax=1)
        ax.scatter(each.argmax(1), range(count), marker="s", s=230, facecolors="none", edgecolors=RIGHT, linewidths=2)
        ax.set(title=name, yticks=[])
        short = [" ".join(caption.split()[1:4]) for caption in data.captions]
        ax.set_xticks(range(count), short, rotation=60, ha="right", fontsize=8.5)
        for side in ax.spines.values():
            side.set_visible(False)
        for row in range(count):
            _thumbnail(ax, data.images[row], row)
        ax.set(xlim=(-1.75, count - 0.5), ylim=(count - 0.5, -0.5))  # a thumbnail had made them its own
        if not panel:
            ax.set_ylabel("picture")
    figure.colorbar(image, ax=list(axes[0]), label="cosine", shrink=0.8)
    figure.suptitle(title)
    return figure, axes[0]


def matrix_dial(cosines: Mapping[int, Tensor], data: Captioned) -> Explorer:
    """A dial over training: the matrix of `matrices` after so many updates.

    Args:
        cosines: updates to (n, n).
        data: the n pictures and captions.
    """
    import ipywidgets

    def found(updates: int) -> int:
        chosen = cosines[updates].argmax(1).tolist()
        return sum(column == row for row, column in enumerate(chosen))

    def draw(updates: int) -> Drawn:
        title = f"{found(updates)} of {len(data.captions)} pictures find their caption"
        return matrices({f"after {updates} updates": cosines[updates]}, data, title)

    def words(updates: int) -> str:
        mean = cosines[updates].diagonal().mean().item()
        return (
            f"After {updates} updates {found(updates)} of {len(data.captions)} pictures find their caption; the mean "
            f"cosine on the diagonal is {mean:.2f}."
        )

    return explore(draw, words, updates=ipywidgets.SelectionSlider(options=list(cosines), description="updates"))


def prompts_chosen(images: Any, prompts: Sequence[str], cosines: Any, title: str) -> tuple[Figure, np.ndarray]:
    """Pictures above, and below each its cosine with every prompt; the largest is dark.

    Args:
        images: (n, 3, h, w).
        prompts: m texts.
        cosines: (n, m).
        title: what the figure shows, as a sentence.
    """
    from matplotlib import pyplot as plt

    numbers = _array(cosines)
    figure, axes = plt.subplots(
        2, len(images), figsize=(1.9 * len(images) + 2.2, 4.3), height_ratios=[1, 1.5], squeeze=False,
        layout="constrained",
    )  # fmt: skip
    for column, (above, below) in enumerate(axes.T):
        above.imshow(np.clip(_array(images[column]).transpose(1, 2, 0), 0, 1))
        above.set(xticks=[], yticks=[])
        row = numbers[column]
        colours = ["#0072B2" if place == row.argmax() else "#c9d7e3" for place in range(len(prompts))]
        below.barh(range(len(prompts)), row, color=colours)
        below.set(xlim=(-1, 1), xticks=[-1, 0, 1], xlabel="cosine")
        below.set_yticks(range(len(prompts)), prompts if not column else [""] * len(prompts))
        below.axvline(0, color="#222222", linewidth=0.8)
        below.invert_yaxis()
    figure.suptitle(title)
    return figure, axes


def _thumbnail(ax: Axes, image: Any, row: int) -> None:
    """A picture to the left of a row."""
    pixels = np.clip(_array(image).transpose(1, 2, 0), 0, 1)  # (h, w, 3)
    ax.imshow(pixels, extent=(-1.6, -0.65, row + 0.47, row - 0.47), zorder=3)
