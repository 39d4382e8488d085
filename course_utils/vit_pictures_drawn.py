"""Pictures for lesson 06 that need no files: a cat to cut into patches, digits to classify, and shapes in noise."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from course_utils import photographs, relations

__all__ = ["NOISE", "STROKES", "Noisy", "a_picture", "cat", "digit", "noisy_shapes"]

#: The strokes of a digit, each from (row, column) to (row, column), in pixels of 28 x 28.
STROKES = {
    4: (((6, 10), (14, 8)), ((14, 8), (14, 19)), ((6, 17), (22, 15))),
    7: (((7, 8), (7, 19)), ((7, 19), (21, 12))),
}
#: Half the width of a stroke, in pixels.
PEN = 1.9
#: Standard deviation of what lies over the pictures of `noisy_shapes`, whose shapes are 1 on 0.
NOISE = 0.4
#: A shape's centre lies so many pixels inside of the picture's edge, or more.
MARGIN = 5


class Noisy(NamedTuple):
    """`images` (n, 3, 32, 32) in [-1, 1], three times the same grey; `labels` (n,), places in `relations.SHAPES`."""

    images: Tensor
    labels: Tensor


def a_picture() -> tuple[str, Tensor]:
    """What it is, and (3, 224, 224) in [0, 1]: a photograph of a cat where its package is installed, else our own."""
    try:
        return "a photograph of a cat", photographs.load("cat")
    except photographs.MissingPhotographs:
        return "a drawn cat", cat()


def cat(side: int = 224) -> Tensor:
    """A cat on a meadow below a blue sky: (3, side, side) in [0, 1], the same numbers each time.

    Raises:
        ValueError: `side` is below 1.
    """
    if side < 1:
        raise ValueError(f"A side has at least 1 pixel, not {side}.")
    row, column = _grid(side, 224 / side)
    ripple = 0.04 * torch.sin(column / 2.1 + row / 5) + 0.03 * torch.sin(row / 1.7 - column / 9)
    picture = torch.stack([0.45 + row / 700, 0.68 + row / 1500, 0.95 - row / 2000])  # (3, side, side), the sky
    meadow = torch.stack([0.25 + ripple, 0.52 + 2 * ripple, 0.20 + ripple])
    picture = _over(picture, meadow, row - 140 - 12 * torch.sin(column / 60))
    stripes = 0.09 * torch.sin(column / 3.2 + 0.6 * torch.sin(row / 11))
    fur = torch.stack([0.83 + stripes, 0.55 + stripes, 0.28 + stripes])
    dark, pale, green = (
        torch.tensor(rgb)[:, None, None] for rgb in ((0.1, 0.08, 0.1), (0.97, 0.9, 0.8), (0.6, 0.8, 0.3))
    )
    for shape, colour in (
        (_ellipse(row, column, (176, 168), (12, 34)), fur),  # tail
        (_ellipse(row, column, (164, 112), (50, 38)), fur),  # body
        (_ellipse(row, column, (170, 112), (34, 20)), pale),
        (_ear(row, column, 82), fur),
        (_ear(row, column, 142), fur),
        (_ellipse(row, column, (84, 112), (35, 41)), fur),  # head
        (_ellipse(row, column, (98, 112), (14, 18)), pale),  # muzzle
        (_ellipse(row, column, (73, 101), (6, 8)), green),
        (_ellipse(row, column, (73, 123), (6, 8)), green),
        (_ellipse(row, column, (73, 101), (5, 3)), dark),
        (_ellipse(row, column, (73, 123), (5, 3)), dark),
        (_ellipse(row, column, (93, 112), (4, 6)), dark),  # nose
    ):
        picture = _over(picture, colour, shape)
    return picture.clamp(0, 1)


def digit(label: int) -> Tensor:
    """A digit of straight strokes: (1, 28, 28) in [0, 1], white on black, as `digit_vit.normalised` takes it.

    Raises:
        ValueError: a digit that has no strokes.
    """
    if label not in STROKES:
        raise ValueError(f"There are strokes for {', '.join(map(str, STROKES))}, not for {label}.")
    row, column = _grid(28, 1.0)
    drawn = torch.zeros(28, 28)
    for (top, left), (bottom, right) in STROKES[label]:
        down, across = bottom - top, right - left
        along = (((row - top) * down + (column - left) * across) / (down**2 + across**2)).clamp(0, 1)
        away = torch.hypot(row - top - along * down, column - left - along * across)
        drawn = torch.maximum(drawn, (PEN - away).clamp(0, 1))
    return drawn[None]


def noisy_shapes(count: int, seed: int) -> Noisy:
    """Pictures of one square, disc or triangle, 7 pixels wide, anywhere, under noise; the same for the same seed.

    Raises:
        ValueError: a negative count.
    """
    if count < 0:
        raise ValueError(f"count must not be negative, got {count}.")
    drawn = torch.Generator().manual_seed(seed)
    labels = torch.randint(len(relations.SHAPES), (count,), generator=drawn)
    centres = torch.full((count, len(relations.SHAPES), 2), -2 * relations.SIDE)  # far outside of the picture
    places = torch.randint(MARGIN, relations.SIDE - MARGIN, (count, 2), generator=drawn)
    centres[torch.arange(count), labels] = places
    clean = relations.draw(centres)  # (n, 1, 32, 32)
    grey = (clean + NOISE * torch.randn(clean.shape, generator=drawn)).clamp(0, 1)
    return Noisy((2 * grey - 1).expand(-1, 3, -1, -1).contiguous(), labels)


def _grid(side: int, step: float) -> tuple[Tensor, Tensor]:
    """Row and column of each pixel, (side, side) both, `step` apart."""
    places = torch.arange(side) * step
    row, column = torch.meshgrid(places, places, indexing="ij")
    return row, column


def _ellipse(row: Tensor, column: Tensor, centre: tuple[float, float], radii: tuple[float, float]) -> Tensor:
    """About how many pixels inside of an ellipse each pixel lies; below 0 outside."""
    away = torch.hypot((row - centre[0]) / radii[0], (column - centre[1]) / radii[1])
    return (1 - away) * min(radii)


def _ear(row: Tensor, column: Tensor, centre: float) -> Tensor:
    """A triangle with its tip up in row 34, as `_ellipse`."""
    return torch.minimum((row - 34) * 0.45 - (column - centre).abs(), 72 - row)


def _over(below: Tensor, colour: Tensor, inside: Tensor) -> Tensor:
    """A colour over a picture, where `inside` is above 0; the edge is a pixel wide."""
    share = (inside + 0.5).clamp(0, 1)
    return below * (1 - share) + colour * share
