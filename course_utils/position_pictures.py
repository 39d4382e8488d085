"""Signs drawn with a few strokes, blocks of four of them, and the figures of lesson 05 that show places.

As in `plots`: each function that draws returns `(figure, axes)` and takes the claim as its title.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from course_utils.plots import COLOURS, _array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "RA",
    "SIGNS",
    "addresses_and_offsets",
    "bias_tables",
    "block",
    "inked",
    "nine_gates",
    "outputs_and_average",
    "sign",
]

#: Pixels of a sign's side; its outermost `MARGIN` are empty.
SIDE, MARGIN = 24, 3
#: The frame around the token that asks.
ASKING = "#D55E00"


def _arc(centre: tuple[float, float], radius: tuple[float, float], start: float, end: float) -> list[list[float]]:
    angles = np.linspace(np.radians(start), np.radians(end), 25)
    return [[centre[0] + radius[0] * np.cos(a), centre[1] - radius[1] * np.sin(a)] for a in angles]


#: Each sign as lines through points (x, y), from 0 to 1, y downwards. Drawn simplified, after Egyptian signs.
SIGNS: dict[str, list[list[list[float]]]] = {
    "mouth": [_arc((0.5, 0.86), (0.62, 0.62), 143, 37), _arc((0.5, 0.12), (0.62, 0.62), 217, 323)],
    "arm": [[[0.02, 0.3], [0.08, 0.62], [0.72, 0.62], [0.98, 0.5]], [[0.72, 0.62], [0.98, 0.66]]],
    "sun": [_arc((0.5, 0.5), (0.42, 0.42), 0, 360), _arc((0.5, 0.5), (0.05, 0.05), 0, 360)],
    "stroke": [[[0.5, 0.08], [0.5, 0.92]]],
    "water": [[[0.0, 0.6], [0.14, 0.4], [0.29, 0.6], [0.43, 0.4], [0.57, 0.6], [0.71, 0.4], [0.86, 0.6], [1, 0.4]]],
    "house": [[[0.35, 0.85], [0.05, 0.85], [0.05, 0.2], [0.95, 0.2], [0.95, 0.85], [0.65, 0.85]]],
}
#: The block that reads "Ra", in reading order: mouth over arm on the left, sun and stroke on the right.
RA = ("mouth", "sun", "arm", "stroke")


def sign(name: str) -> Tensor:
    """One of `SIGNS` as ink (24, 24) from 0 to 1 on an empty margin of 3 pixels.

    Raises:
        ValueError: there is no such sign.
    """
    if name not in SIGNS:
        raise ValueError(f"there is no sign {name!r}. Choose one of {', '.join(SIGNS)}.")
    wide = SIDE - 2 * MARGIN - 4  # the ink of a line is 2 pixels wide to each side
    places = torch.stack(torch.meshgrid(torch.arange(SIDE), torch.arange(SIDE), indexing="xy"), -1).float()  # x, y
    nearest = torch.full((SIDE, SIDE), float("inf"))
    for line in SIGNS[name]:
        points = MARGIN + 1.5 + wide * torch.tensor(line, dtype=torch.float32)
        for a, b in itertools.pairwise(points):
            along = (((places - a) @ (b - a)) / ((b - a) @ (b - a)).clamp(min=1e-6)).clamp(0, 1)
            nearest = torch.minimum(nearest, (places - a - along[..., None] * (b - a)).norm(dim=-1))
    return (1.6 - nearest).clamp(0, 1)


def block(names: Sequence[str]) -> Tensor:
    """Four signs in reading order as one picture (48, 48): two above, two below.

    Raises:
        ValueError: not four names, or one that is no sign.
    """
    if len(names) != 4:
        raise ValueError(f"a block has four signs, not {len(names)}.")
    above, below = (torch.cat([sign(name) for name in pair], 1) for pair in (names[:2], names[2:]))
    return torch.cat([above, below])


def inked(images: Mapping[str, Any], title: str, *, grid: int = 0, across: int = 6) -> tuple[Figure, np.ndarray]:
    """Grey pictures (h, w) in rows, each with its name above it.

    Args:
        images: name to picture, 0 is white.
        title: what the figure shows, as a sentence.
        grid: lines that cut a picture into grid x grid tokens.
        across: so many pictures in a row.

    Raises:
        ValueError: no picture, or one that is no matrix.
    """
    from matplotlib import pyplot as plt

    shown = {name: _array(image) for name, image in images.items()}
    if not shown or any(image.ndim != 2 for image in shown.values()):
        raise ValueError("inked draws matrices, at least one.")
    columns = min(across, len(shown))
    rows = -(-len(shown) // columns)
    size = (2.2 * columns, 2.5 * rows + 0.4)
    figure, axes = plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")
    for ax in axes.flat:
        ax.axis("off")
    for ax, (name, image) in zip(axes.flat, shown.items(), strict=False):
        ax.axis("on")
        ax.imshow(image, cmap="gray_r")
        ax.set(xticks=[], yticks=[])
        ax.set_title(name, fontsize=10)
        for cut in range(1, grid):
            for line, side in ((ax.axhline, image.shape[0]), (ax.axvline, image.shape[1])):
                line(side * cut / grid - 0.5, color="#888888", linestyle=":", linewidth=1)
    figure.suptitle(title)
    return figure, axes


def outputs_and_average(outputs: Mapping[str, Any], places: Sequence[str], title: str) -> tuple[Figure, np.ndarray]:
    """Tokens (T, f) as rows of colour, one panel for each name, and below each panel the average of its rows.

    Raises:
        ValueError: nothing to draw, or rows that do not fit `places`.
    """
    from matplotlib import pyplot as plt

    shown = {name: _array(rows) for name, rows in outputs.items()}
    if not shown or any(rows.ndim != 2 or len(rows) != len(places) for rows in shown.values()):
        raise ValueError(f"outputs_and_average draws tokens ({len(places)}, f), at least one name.")
    top = max(np.abs(rows).max() for rows in shown.values()) or 1.0
    size = (4.6 * len(shown) + 0.8, 3.4)
    figure, axes = plt.subplots(2, len(shown), figsize=size, squeeze=False, height_ratios=[4, 1], layout="constrained")
    for (above, below), (name, rows) in zip(axes.T, shown.items(), strict=True):
        image = above.imshow(rows, cmap="PuOr", vmin=-top, vmax=top, aspect="auto")
        below.imshow(rows.mean(0)[None], cmap="PuOr", vmin=-top, vmax=top, aspect="auto")
        above.set(title=name, xticks=[])
        above.set_yticks(range(len(places)), places)
        below.set(xlabel="feature", yticks=[0], yticklabels=["average"])
    figure.colorbar(image, ax=list(axes.flat), label="output")
    figure.suptitle(title)
    return figure, axes


def addresses_and_offsets(size: int, query: tuple[int, int], title: str) -> tuple[Figure, np.ndarray]:
    """Two grids: the address of each patch, and its offset (down, right) from the query, which has a frame.

    Raises:
        ValueError: a query outside of the grid.
    """
    from matplotlib import pyplot as plt
    from matplotlib.patches import Rectangle

    if not all(0 <= place < size for place in query):
        raise ValueError(f"There is no patch {query} in a grid of {size} x {size}.")
    figure, axes = plt.subplots(1, 2, figsize=(8.4, 4.2), layout="constrained")
    for ax, name in zip(axes, ("absolute: an address (row, column)", "relative: offsets from the query"), strict=True):
        ax.imshow(np.zeros((size, size)), cmap="gray_r", vmin=0, vmax=1)
        for row, column in np.ndindex(size, size):
            offset = (row - query[0], column - query[1])
            text = f"{row}, {column}" if ax is axes[0] else f"{offset[0]:+d}, {offset[1]:+d}".replace("+0", "0")
            ax.text(column, row, text, ha="center", va="center", fontsize=11)
        ax.add_patch(Rectangle((query[1] - 0.47, query[0] - 0.47), 0.94, 0.94, fill=False, edgecolor=ASKING, lw=3))
        ax.set(title=name, xticks=range(size), yticks=range(size), xlabel="column", ylabel="row")
        for cut in range(1, size):
            ax.axhline(cut - 0.5, color="#bbbbbb")
            ax.axvline(cut - 0.5, color="#bbbbbb")
    figure.suptitle(title)
    return figure, axes


def bias_tables(tables: Any, title: str) -> tuple[Figure, Sequence[Axes]]:
    """The offset bias of each head (heads, 2 n - 1, 2 n - 1) as heat maps on one scale around 0.

    Raises:
        ValueError: tables of another shape.
    """
    from matplotlib import pyplot as plt
    from matplotlib.ticker import MaxNLocator

    heads = _array(tables)
    if heads.ndim != 3 or heads.shape[1] != heads.shape[2] or heads.shape[1] % 2 == 0:
        raise ValueError(f"bias_tables draws (heads, 2 n - 1, 2 n - 1), not {heads.shape}.")
    far = heads.shape[1] // 2
    top = np.abs(heads).max() or 1.0
    figure, axes = plt.subplots(
        1, len(heads), figsize=(3.9 * len(heads) + 0.8, 3.8), squeeze=False, layout="constrained"
    )
    for number, (ax, table) in enumerate(zip(axes[0], heads, strict=True), 1):
        image = ax.imshow(
            table, cmap="PuOr", vmin=-top, vmax=top, extent=(-far - 0.5, far + 0.5, far + 0.5, -far - 0.5)
        )
        ax.plot(0, 0, marker="o", markerfacecolor="none", markeredgecolor="black", markersize=9)
        ax.set(title=f"head {number}", xlabel="columns to the right of the query", ylabel="rows below the query")
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_locator(MaxNLocator(integer=True))
    figure.colorbar(image, ax=list(axes[0]), label="bias b")
    figure.suptitle(title)
    return figure, axes[0]


def nine_gates(gates: Any, kernel: Any, query: tuple[int, int], title: str) -> tuple[Figure, np.ndarray]:
    """Nine heads' gates of one query (9, n, n), each as a map that carries the kernel's weight in its title.

    Raises:
        ValueError: gates or kernel (3, 3) of another shape.
    """
    from matplotlib import pyplot as plt
    from matplotlib.patches import Rectangle

    maps, weights = _array(gates), _array(kernel)
    if maps.ndim != 3 or len(maps) != 9 or weights.shape != (3, 3):
        raise ValueError(f"nine_gates draws gates (9, n, n) and a kernel (3, 3), not {maps.shape} and {weights.shape}.")
    figure, axes = plt.subplots(3, 3, figsize=(6.4, 7.2), layout="constrained")
    for head, (ax, one) in enumerate(zip(axes.flat, maps, strict=True)):
        image = ax.imshow(one, cmap=COLOURS, vmin=0, vmax=1)
        ax.add_patch(Rectangle((query[1] - 0.5, query[0] - 0.5), 1, 1, fill=False, edgecolor=ASKING, lw=2.5))
        ax.set(xticks=[], yticks=[])
        down, right = head // 3 - 1, head % 3 - 1
        ax.set_title(f"offset {down}, {right} · weight {weights.flat[head]:g}", fontsize=9)
    figure.colorbar(image, ax=list(axes.flat), label="gate", shrink=0.6)
    figure.suptitle(title)
    return figure, axes
