"""Pictures whose label is where shapes lie to each other: is the square left of the disc, the triangle above it?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

__all__ = ["PATCH", "SHAPES", "SIDE", "Scenes", "draw", "left_of", "two_relations"]

#: The shapes in the order in which centres are given.
SHAPES = ("square", "disc", "triangle")
#: Pixels of a picture's side, and of the patch that one token sees.
SIDE, PATCH = 32, 4
#: The first centre's row and column, and how many cells, a patch apart, a centre may lie in.
FIRST, CELLS = 6, 5


class Scenes(NamedTuple):
    """Pictures: `images` (n, 1, 32, 32), shapes 1 on 0; `labels` (n,); `centres` (n, shapes, 2), row and column."""

    images: Tensor
    labels: Tensor
    centres: Tensor


def left_of(count: int, seed: int) -> Scenes:
    """Pictures of one square and one disc, 7 pixels wide; label 1 where the square's centre is left of the disc's.

    Each shape lies in a cell (which decides the label) at a phase inside of it, and the two are drawn apart from each
    other. So where a shape lies in its patch says nothing about the label. (Little remains: one token sees an edge of
    both shapes of the closest pairs, and fewer tokens see the outermost pixels.)

    The same arguments give the same pictures.

    Raises:
        ValueError: a negative count.
    """
    cells, phases = _places(count, 2, apart=3, seed=seed)
    centres = FIRST + PATCH * cells + phases
    return Scenes(draw(centres, half=3), (centres[:, 0, 1] < centres[:, 1, 1]).long(), centres)


def two_relations(count: int, seed: int) -> Scenes:
    """Pictures of a square, a disc and a triangle, 5 pixels wide, with two questions in one label from 0 to 3.

    Label = 2 · (square left of the disc) + (triangle above the disc), drawn as `left_of` draws.

    Raises:
        ValueError: a negative count.
    """
    cells, phases = _places(count, 3, apart=2, seed=seed)
    centres = FIRST + PATCH * cells + phases
    left, above = centres[:, 0, 1] < centres[:, 1, 1], centres[:, 2, 0] < centres[:, 1, 0]
    return Scenes(draw(centres, half=2), 2 * left.long() + above.long(), centres)


def draw(centres: Tensor, half: int = 3, size: int = SIDE) -> Tensor:
    """Pictures (n, 1, size, size) of shapes, 1 on 0, the first a square, then a disc, then a triangle.

    Args:
        centres: (n, shapes, 2) row and column of up to three shapes.
        half: a shape reaches so many pixels from its centre to each side.
        size: pixels of a side.

    Raises:
        ValueError: centres of another shape.
    """
    if centres.dim() != 3 or centres.shape[1] > len(SHAPES) or centres.shape[2] != 2:
        raise ValueError(f"draw takes centres (n, 1 to {len(SHAPES)}, 2), not {tuple(centres.shape)}.")
    pixels = torch.arange(size)
    images = torch.zeros(len(centres), size, size)
    for shape in range(centres.shape[1]):
        down = pixels[:, None] - centres[:, shape, 0, None, None]  # (n, size, 1)
        right = pixels - centres[:, shape, 1, None, None]  # (n, 1, size)
        if SHAPES[shape] == "disc":
            inside = down**2 + right**2 <= half**2 + half // 2
        else:
            wide = half if SHAPES[shape] == "square" else (down + half) // 2  # a triangle starts with a tip
            inside = (down.abs() <= half) & (right.abs() <= wide)
        images = torch.maximum(images, inside.float())
    return images[:, None]  # (n, 1, size, size)


def _places(count: int, shapes: int, apart: int, seed: int) -> tuple[Tensor, Tensor]:
    """Cells and phases (count, shapes, 2): cells `apart` in rows or columns, and none that leaves a question open."""
    if count < 0:
        raise ValueError(f"count must not be negative, got {count}.")
    drawn = torch.Generator().manual_seed(seed)
    found: Sequence[Tensor] = [torch.zeros(0, shapes, 2, dtype=torch.long)]
    while sum(map(len, found)) < count:
        cells = torch.randint(CELLS, (2 * count, shapes, 2), generator=drawn)
        between = (cells[:, :, None] - cells[:, None]).abs().amax(-1)  # (2 count, shapes, shapes)
        fits = (between + apart * torch.eye(shapes).long() >= apart).all(-1).all(-1)
        fits &= cells[:, 0, 1] != cells[:, 1, 1]
        if shapes > 2:
            fits &= cells[:, 2, 0] != cells[:, 1, 0]
        found = [*found, cells[fits]]
    phases = torch.randint(PATCH, (count, shapes, 2), generator=drawn)
    return torch.cat(list(found))[:count], phases
