"""Pictures of cells for the homework on position: a square and a disc lie on a grid, and which is farther left?"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

__all__ = ["COLS", "KINDS", "ROWS", "Pictures", "drawn", "pictures"]

#: The grid; a cell is a token, counted row by row.
ROWS, COLS = 4, 6
#: What a cell may hold; a token is 1 at the place of its kind and 0 elsewhere.
KINDS = ("empty", "square", "disc")
#: One picture in so many is kept for testing, together with its mirror image.
KEPT = 3
#: Pixels of a cell's side when it is drawn.
PIXELS = 9


class Pictures(NamedTuple):
    """Pictures in a row: `tokens` (n, 24, 3); `labels` (n,), 1 where the square's column is left of the disc's."""

    tokens: Tensor
    labels: Tensor


def pictures(count: int, seed: int = 0, unseen: bool = False) -> Pictures:
    """`count` pictures of one square and one disc in different columns, each followed by its mirror image.

    A mirror image has the other label and the same tokens in other places. So exactly half of the labels are 1, and
    without position a picture and its mirror image cannot be told apart. The same arguments give the same pictures.

    Args:
        count: how many; an even number.
        seed: decides the places.
        unseen: take pictures that are never among those for learning.

    Raises:
        ValueError: `count` is odd or negative.
    """
    if count < 0 or count % 2:
        raise ValueError(f"count must be even and not negative, got {count}: each picture comes with its mirror image.")
    squares, discs = _places(unseen)
    draws = torch.Generator().manual_seed(seed)
    chosen = torch.randint(len(squares), (count // 2,), generator=draws)
    square, disc = (torch.stack([t[chosen], _mirrored(t[chosen])], 1).flatten() for t in (squares, discs))  # (n,)
    tokens = torch.zeros(count, ROWS * COLS, len(KINDS))
    tokens[..., 0] = 1
    picture = torch.arange(count)
    for place, kind in ((square, 1), (disc, 2)):
        tokens[picture, place] = torch.eye(len(KINDS))[kind]
    return Pictures(tokens, (square % COLS < disc % COLS).long())


def drawn(tokens: Tensor) -> Tensor:
    """Tokens (24, 3) as a picture (3, 36, 54) in [0, 1]: white cells with grey lines, blue shapes.

    Raises:
        ValueError: tokens of another shape.
    """
    if tuple(tokens.shape) != (ROWS * COLS, len(KINDS)):
        raise ValueError(f"drawn takes tokens {(ROWS * COLS, len(KINDS))}, not {tuple(tokens.shape)}.")
    image = torch.ones(3, ROWS * PIXELS, COLS * PIXELS)
    image[:, ::PIXELS] = image[:, :, ::PIXELS] = 0.7
    steps = torch.arange(PIXELS) - PIXELS // 2
    reach = PIXELS // 2 - 1
    square = (steps[:, None].abs() <= reach) & (steps.abs() <= reach)
    disc = steps[:, None] ** 2 + steps**2 <= reach**2 + 1
    for place, kind in enumerate(tokens.argmax(-1).tolist()):
        if not kind:
            continue
        down, right = place // COLS * PIXELS, place % COLS * PIXELS
        cell = image[:, down : down + PIXELS, right : right + PIXELS]
        cell[:, square if kind == 1 else disc] = torch.tensor([0.1, 0.3, 0.6])[:, None]
    return image


def _mirrored(places: Tensor) -> Tensor:
    """The places of the same cells in the mirror image, left and right exchanged."""
    return places - places % COLS + COLS - 1 - places % COLS


def _places(unseen: bool) -> tuple[Tensor, Tensor]:
    """The places of square and disc of every picture in which the square lies left, for learning or for testing."""
    cells = torch.arange(ROWS * COLS)
    squares, discs = (t.flatten() for t in torch.meshgrid(cells, cells, indexing="ij"))
    left = squares % COLS < discs % COLS
    squares, discs = squares[left], discs[left]
    kept = torch.randperm(len(squares), generator=torch.Generator().manual_seed(0)) % KEPT == 0
    chosen = kept if unseen else ~kept
    return squares[chosen], discs[chosen]
