"""Small pictures with captions, drawn by us: some of what a caption says only the picture can tell."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from course_utils.sentences import Vocabulary

__all__ = [
    "ANIMALS",
    "BODIES",
    "COLOURS",
    "POSTURES",
    "SIDE",
    "WORDS",
    "Captioned",
    "Pairs",
    "animals",
    "pairs",
    "swapped",
]

#: Pixels of a picture's side.
SIDE = 16
COLOURS = ("red", "blue", "green", "grey")
#: What a caption calls the bodies: a cat is drawn as a box, a dog as an oval.
ANIMALS = ("cat", "dog")
#: A low body sat, a tall one stood.
POSTURES = ("sat", "stood")
BODIES = ("square", "circle")
_RGB = torch.tensor([[1.0, 0.1, 0.1], [0.1, 0.1, 1.0], [0.1, 1.0, 0.1], [0.6, 0.6, 0.6]])
#: The last row of a body that stands on the ground.
_GROUND = 13
_WIDE, _LOW, _TALL = 2, 2, 4
_FIRST, _LAST = 5, SIDE - 6

#: The vocabulary of all captions.
WORDS = Vocabulary((*COLOURS, *ANIMALS, *POSTURES, *BODIES, "the", "a", "and", "on", "mat", "picture", "of"))


class Captioned(NamedTuple):
    """`images` (n, 3, 16, 16); `captions`, a tuple of n; `ids` (n, 9) of these; each of the three answers (n,)."""

    images: Tensor
    captions: tuple[str, ...]
    ids: Tensor
    colour: Tensor
    animal: Tensor
    posture: Tensor


def animals(count: int, seed: int, *, anywhere: bool = False, noise: float = 0.1) -> Captioned:
    """Pictures of one animal, with "the red cat sat on the mat" and the like as captions.

    Colour, animal and posture are independent and even, so that no word of a caption tells another one. The same
    arguments give the same pictures.

    Args:
        count: of pictures.
        seed: decides everything that is drawn.
        anywhere: a body lies at any height, and a low one is as wide as a tall one is tall. Then no patch alone tells
            the posture; with a ground line, the upper patches do.
        noise: standard deviation of what is added to each pixel.

    Raises:
        ValueError: a negative count.
    """
    if count < 0:
        raise ValueError(f"count must not be negative, got {count}.")
    drawn = torch.Generator().manual_seed(seed)
    colour, animal, posture = (torch.randint(kinds, (count,), generator=drawn) for kinds in (4, 2, 2))
    column = torch.randint(_FIRST, _LAST + 1, (count,), generator=drawn)
    half = torch.where(posture == 1, _TALL, _LOW)
    row = torch.randint(_FIRST, _LAST + 1, (count,), generator=drawn) if anywhere else _GROUND - half
    wide = torch.where(posture == 1, _WIDE, _TALL) if anywhere else torch.full((count,), _WIDE)
    images = _bodies(row, column, half, wide, animal)[:, None] * _RGB[colour][:, :, None, None]
    images = images + noise * torch.randn(images.shape, generator=drawn)
    captions = tuple(
        f"the {COLOURS[c]} {ANIMALS[a]} {POSTURES[p]} on the mat"
        for c, a, p in zip(colour.tolist(), animal.tolist(), posture.tolist(), strict=True)
    )
    return Captioned(images, captions, WORDS.encode(captions, 9).reshape(count, 9), colour, animal, posture)


class Pairs(NamedTuple):
    """`images` (n, 3, 16, 16), a body on the left and one on the right; `captions`, a tuple of n; `ids` (n, 9) of
    these; `colours` (n, 2) and `bodies` (n, 2), the left one first."""

    images: Tensor
    captions: tuple[str, ...]
    ids: Tensor
    colours: Tensor
    bodies: Tensor


def pairs(count: int, seed: int, *, noise: float = 0.1) -> Pairs:
    """Pictures of a square and a circle in two colours, with "a red square and a blue circle" as captions.

    Which body is on the left is independent of the caption, which names the square first. The same arguments give the
    same pictures.

    Raises:
        ValueError: a negative count.
    """
    if count < 0:
        raise ValueError(f"count must not be negative, got {count}.")
    drawn = torch.Generator().manual_seed(seed)
    first = torch.randint(4, (count,), generator=drawn)
    second = (first + torch.randint(1, 4, (count,), generator=drawn)) % 4  # another colour
    turn = torch.randint(2, (count, 1), generator=drawn)
    bodies = torch.cat([turn, 1 - turn], 1)  # (n, 2)
    of_body = torch.stack([first, second], 1)  # (n, 2): the square's colour, the circle's
    colours = of_body.gather(1, bodies)  # (n, 2): the left body's, the right one's
    images = torch.zeros(count, 3, SIDE, SIDE)
    for side in range(2):
        row = torch.randint(3, SIDE - 3, (count,), generator=drawn)
        column = torch.randint(3, 5, (count,), generator=drawn) + side * SIDE // 2
        half = torch.full((count,), 2)
        images += _bodies(row, column, half, half, bodies[:, side])[:, None] * _RGB[colours[:, side]][:, :, None, None]
    images = images + noise * torch.randn(images.shape, generator=drawn)
    captions = tuple(f"a {COLOURS[one]} {BODIES[0]} and a {COLOURS[two]} {BODIES[1]}" for one, two in of_body.tolist())
    return Pairs(images, captions, WORDS.encode(captions, 9).reshape(count, 9), colours, bodies)


def swapped(caption: str) -> str:
    """A caption of `pairs` with its two colours exchanged.

    Raises:
        ValueError: it is none of these.
    """
    words = caption.split()
    if len(words) != 7 or not {words[1], words[5]} <= set(COLOURS):
        raise ValueError(f'swapped takes a caption like "a red square and a blue circle", not {caption!r}.')
    words[1], words[5] = words[5], words[1]
    return " ".join(words)


def _bodies(row: Tensor, column: Tensor, half: Tensor, wide: Tensor, kind: Tensor) -> Tensor:
    """Masks (n, 16, 16), 1 in a box (kind 0) or an oval around (row, column), `half` pixels up and `wide` aside."""
    pixels = torch.arange(SIDE)
    down = (pixels[:, None] - row[:, None, None]).abs() / (half[:, None, None] + 0.25)  # (n, 16, 1)
    right = (pixels - column[:, None, None]).abs() / (wide[:, None, None] + 0.25)  # (n, 1, 16)
    box, oval = torch.maximum(down, right) <= 1, down**2 + right**2 <= 1
    return torch.where(kind[:, None, None] == 0, box, oval).float()
