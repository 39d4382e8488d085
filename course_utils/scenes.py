"""Figures of pictures and their tokens: quadrants that listen to each other, gates laid over a digit.

As in `plots`: each function returns `(figure, axes)` and takes the claim as its title; gates run from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from course_utils import data
from course_utils.plots import COLOURS, _array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["gates_on_image", "listening", "quadrant_pictures", "token_strengths"]

#: For what is laid over a picture: the gates, and the token that asks.
GATE, ASKING = "#D55E00", "#0072B2"
#: Gates are drawn as discs; a gate of 1 would have this area in points squared.
DISC = 4000.0
#: Pixels of a painted picture's side.
SIDE = 128
#: With many keys gates are small: colours still run from 0 to 1, but the low end is stretched by this power.
STRETCH = 0.4


def quadrant_pictures(steps: Mapping[str, Any], title: str) -> tuple[Figure, np.ndarray]:
    """The features of four quadrants (4, 3) drawn as pictures, one for each named step.

    A quadrant shows a bird as strongly as its wings and a boat as strongly as its hull, measured against the largest
    of all steps; its numbers stand below.

    Raises:
        ValueError: features that are not (4, 3), or no step.
    """
    from matplotlib import pyplot as plt

    features = {name: _array(x) for name, x in steps.items()}
    if not features or any(x.shape != (4, 3) for x in features.values()):
        raise ValueError("quadrant_pictures takes features (4, 3): four quadrants with (blue, wings, hull).")
    top = max(x[:, 1:].max() for x in features.values()) or 1.0
    figure, axes = plt.subplots(1, len(features), figsize=(3 * len(features), 3.5), squeeze=False, layout="constrained")
    for ax, (name, x) in zip(axes[0], features.items(), strict=True):
        ax.imshow(_painted(x / top))
        _quadrant_lines(ax, SIDE)
        for i, numbers in enumerate(x):
            text = "[" + ", ".join(f"{number:.2f}".rstrip("0").rstrip(".") for number in numbers) + "]"
            place = ((i % 2 + 0.5) * SIDE / 2, (i // 2 + 0.9) * SIDE / 2)
            ax.text(*place, text, ha="center", fontsize=9, color="black")
        ax.set_title(name, fontsize=11)
    figure.suptitle(title)
    return figure, axes[0]


def listening(image: Any, gates: Any, title: str) -> tuple[Figure, np.ndarray]:
    """A picture once for each quadrant that asks; arrows bring what the others hand over, as wide as their gates.

    Args:
        image: (3, h, w) in [0, 1].
        gates: (4, 4), rows are queries.
        title: what the figure shows, as a sentence.

    Raises:
        ValueError: gates that are not (4, 4).
    """
    from matplotlib import pyplot as plt
    from matplotlib.patches import Rectangle

    matrix, picture = _array(gates), _array(image)
    if matrix.shape != (4, 4):
        raise ValueError(f"listening draws gates between four quadrants, (4, 4), not {matrix.shape}.")
    size = picture.shape[-1]
    centres = [((i % 2 + 0.5) * size / 2, (i // 2 + 0.5) * size / 2) for i in range(4)]
    figure, axes = plt.subplots(1, 4, figsize=(11, 3.3), layout="constrained")
    for query, ax in enumerate(axes):
        ax.imshow(np.clip(picture.transpose(1, 2, 0), 0, 1), alpha=0.6)
        _quadrant_lines(ax, size)
        corner = (query % 2 * size / 2 + 0.5, query // 2 * size / 2 + 0.5)
        ax.add_patch(Rectangle(corner, size / 2 - 2, size / 2 - 2, fill=False, edgecolor="black", linewidth=2.5))
        for key, gate in enumerate(matrix[query]):
            _hand_over(ax, centres[key], centres[query], float(gate))
            place = (size * (0.13 + 0.74 * (key % 2)), size * (0.07 + 0.86 * (key // 2)))  # the outer corners are free
            box = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
            ax.text(*place, f"{gate:.3f}", ha="center", va="center", fontsize=9, bbox=box)
        ax.set_title(f"{data.QUADRANTS[query]} asks", fontsize=11)
    figure.suptitle(title)
    return figure, axes


def gates_on_image(image: Any, gates: Any, query: int, grid: tuple[int, int], title: str) -> tuple[Figure, np.ndarray]:
    """One row of gates over a picture: discs as large as the gates (left), and all of them in their grid (right).

    Args:
        image: (h, w) or (1, h, w), dark where 0.
        gates: (rows * columns,), one query's gates in reading order.
        query: which token asks.
        grid: rows and columns of the tokens.
        title: what the figure shows, as a sentence.

    Raises:
        ValueError: gates that do not fit the grid or lie outside [0, 1], or a query outside of it.
    """
    from matplotlib import pyplot as plt
    from matplotlib.colors import PowerNorm

    picture, row, (rows, columns) = _array(image).reshape(_array(image).shape[-2:]), _array(gates), grid
    if row.shape != (rows * columns,) or not 0 <= query < rows * columns:
        raise ValueError(f"{row.shape} gates and query {query} do not fit {rows} x {columns} tokens.")
    if row.min() < -1e-4 or row.max() > 1 + 1e-4:
        raise ValueError(f"Gates lie in [0, 1], these in [{row.min():.3g}, {row.max():.3g}].")
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.6, 4.2), layout="constrained")
    left.imshow(picture, cmap="gray_r", extent=_around(picture.shape, grid), alpha=0.55)
    across, down = np.arange(rows * columns) % columns, np.arange(rows * columns) // columns
    left.scatter(across, down, s=DISC * row, color=GATE, alpha=0.75, linewidths=0)
    norm = PowerNorm(STRETCH, vmin=0, vmax=1)
    heat = right.imshow(row.reshape(rows, columns), cmap=COLOURS, norm=norm)
    for ax in (left, right):
        for colour, width in (("white", 4.0), (ASKING, 2.0)):
            ax.plot(
                [across[query]], [down[query]], marker="s", markersize=15, fillstyle="none", color=colour, mew=width
            )
        ax.set(xlabel="column of the token", xticks=range(0, columns, 2), yticks=range(0, rows, 2))
    left.set(ylabel="row of the token", title="discs: gates · square: the query token")
    right.set_title("the same gates in their grid")
    figure.colorbar(heat, ax=right, label="gate (0 to 1, low end stretched)", ticks=[0, 0.01, 0.05, 0.1, 0.2, 0.5, 1])
    figure.suptitle(title)
    return figure, np.array([left, right])


def token_strengths(image: Any, tokens: Any, grid: tuple[int, int], title: str) -> tuple[Figure, np.ndarray]:
    """A picture (left) and how strongly each of its tokens responds, the length of its feature vector (right).

    Args:
        image: (h, w) or (1, h, w), dark where 0.
        tokens: (T, f) in reading order.
        grid: rows and columns of the tokens; their product is T.
        title: what the figure shows, as a sentence.

    Raises:
        ValueError: tokens that do not fit the grid.
    """
    from matplotlib import pyplot as plt

    picture, x = _array(image), _array(tokens)
    if x.ndim != 2 or len(x) != grid[0] * grid[1]:
        raise ValueError(f"tokens of shape {x.shape} do not fit a grid of {grid[0]} x {grid[1]}.")
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.6, 3.7), layout="constrained")
    left.imshow(picture.reshape(picture.shape[-2:]), cmap="gray_r")
    left.set(title=f"{picture.shape[-2]} x {picture.shape[-1]} pixels, one number each")
    heat = right.imshow(np.linalg.norm(x, axis=1).reshape(grid), cmap=COLOURS)
    right.set(title=f"{len(x)} tokens, {x.shape[1]} numbers each", xlabel="column", ylabel="row")
    figure.colorbar(heat, ax=right, label="length of the token")
    figure.suptitle(title)
    return figure, np.array([left, right])


def _hand_over(ax: Axes, key: tuple[float, float], query: tuple[float, float], gate: float) -> None:
    """An arrow as wide as the gate; a ring where a token listens to itself."""
    width = 0.8 + 7 * gate
    if key == query:
        ax.plot(*key, marker="o", markersize=16, fillstyle="none", color=GATE, mew=width)
    else:
        style = {"arrowstyle": "-|>", "color": GATE, "linewidth": width, "shrinkA": 6, "shrinkB": 12}
        ax.annotate("", query, key, arrowprops=style)


def _painted(x: np.ndarray) -> np.ndarray:
    """A picture (SIDE, SIDE, 3) of four quadrants with features between 0 and 1."""
    half = SIDE // 2
    empty = np.ones((SIDE, SIDE, 3)) * data.BLUE
    for i, strengths in enumerate(x[:, 1:]):
        for kind, strength in zip(data.KINDS, strengths, strict=True):
            full = data.draw_picture(kind, i, SIDE).numpy().transpose(1, 2, 0)
            rows, columns = slice(i // 2 * half, i // 2 * half + half), slice(i % 2 * half, i % 2 * half + half)
            empty[rows, columns] += float(np.clip(strength, 0, 1)) * (full - np.reshape(data.BLUE, 3))[rows, columns]
    return np.clip(empty, 0, 1)


def _around(pixels: tuple[int, ...], grid: tuple[int, int]) -> tuple[float, float, float, float]:
    """Where a picture's edges lie in its tokens' grid: tokens are centred in it, whole pixels apart."""
    (height, width), (rows, columns) = pixels, grid
    across, down = width / (width // columns) / 2, height / (height // rows) / 2
    x, y = (columns - 1) / 2, (rows - 1) / 2
    return (x - across, x + across, y + down, y - down)


def _quadrant_lines(ax: Axes, size: int) -> None:
    ax.axhline(size / 2 - 0.5, color="white", linestyle="--", linewidth=1)
    ax.axvline(size / 2 - 0.5, color="white", linestyle="--", linewidth=1)
    ax.set(xticks=[], yticks=[])
