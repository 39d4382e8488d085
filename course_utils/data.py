"""Data that the lessons draw themselves, from a seed and without a network: so far, the pictures of "sky or sea?"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor

__all__ = [
    "BLUE",
    "FEATURES",
    "KINDS",
    "QUADRANTS",
    "Pictures",
    "SkyOrSea",
    "cut",
    "draw_picture",
    "sky_or_sea",
    "sky_or_sea_pictures",
]

Kind = Literal["bird", "boat"]

#: The four tokens of a picture, in reading order.
QUADRANTS = ("top left", "top right", "bottom left", "bottom right")
#: What the features of a quadrant measure.
FEATURES = ("blue", "wings", "hull")
#: The object of a picture by its label: a bird means sky (0), a boat means sea (1).
KINDS: tuple[Kind, Kind] = ("bird", "boat")

#: RGB of everything blue. Sky and sea share it, or the task would be solved without looking at the object.
BLUE = (0.45, 0.66, 0.90)
BIRD, HULL, SAIL = (0.16, 0.16, 0.20), (0.45, 0.25, 0.10), (0.98, 0.97, 0.92)
#: Each pixel is the mean of this many points squared, so that edges are smooth.
SUPERSAMPLING = 4


@dataclass(frozen=True)
class SkyOrSea:
    """The running example in hand-sized numbers: four quadrants (tokens) with features (blue, wings, hull).

    Attributes:
        A: (4, 3), blue everywhere, a bird in the top right.
        B: (4, 3), blue everywhere, a boat in the top right.
        W_q: (2, 3), reads 2 x blue into both query numbers: "is there an object nearby?".
        W_k: (2, 3), reads wings into the first key number and hull into the second.
        W_v: (3, 3), the identity: a quadrant hands over its features as they are.
    """

    A: Tensor
    B: Tensor
    W_q: Tensor
    W_k: Tensor
    W_v: Tensor


def sky_or_sea() -> SkyOrSea:
    """The hand-sized pictures A and B with the weights of the lecture, float32, as fresh tensors."""
    blue, bird, boat = [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 1.0]
    return SkyOrSea(
        A=torch.tensor([blue, bird, blue, blue]),
        B=torch.tensor([blue, boat, blue, blue]),
        W_q=torch.tensor([[2.0, 0.0, 0.0], [2.0, 0.0, 0.0]]),
        W_k=torch.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        W_v=torch.eye(3),
    )


class Pictures(NamedTuple):
    """Drawn pictures: `images` (n, 3, size, size) in [0, 1]; `labels` (n,) 0 sky, 1 sea; `quadrants` (n,) 0 to 3."""

    images: Tensor
    labels: Tensor
    quadrants: Tensor


def sky_or_sea_pictures(count: int, size: int = 32, seed: int = 0) -> Pictures:
    """`count` noisy blue pictures, each with a bird (sky) or a boat (sea) that lies within one quadrant.

    Background and noise do not depend on the label, so the three other quadrants say nothing about it. Object and
    quadrant are independent; each is drawn evenly. The same arguments give the same pictures.

    Raises:
        ValueError: `count` is negative, or `size` is odd or below 16.
    """
    if count < 0:
        raise ValueError(f"count must not be negative, got {count}.")
    _check_size(size)
    rng = np.random.default_rng(seed)
    labels, quadrants = rng.integers(2, size=count), rng.integers(4, size=count)
    shades, shifts = rng.uniform(0.9, 1.1, count), rng.uniform(-0.08, 0.08, (count, 2))
    scales, noise = rng.uniform(0.8, 1.0, count), rng.normal(0, 0.02, (count, 3, size, size))
    images = np.empty((count, 3, size, size))
    for i in range(count):
        images[i] = _paint(KINDS[labels[i]], int(quadrants[i]), size, shifts[i], scales[i], shades[i])
    images = np.clip(images + noise, 0, 1)
    return Pictures(*(torch.from_numpy(a) for a in (images.astype(np.float32), labels, quadrants)))


def cut(images: Tensor) -> Tensor:
    """Cut pictures (B, 3, h, w) into their quadrants (B, 4, 3, h/2, w/2), in reading order.

    Raises:
        ValueError: not four dimensions, or an odd height or width.
    """
    if images.dim() != 4 or images.shape[-1] % 2 or images.shape[-2] % 2:
        raise ValueError(f"cut takes pictures (B, 3, h, w) with even h and w, got shape {tuple(images.shape)}.")
    rows = images.unflatten(3, (2, -1)).unflatten(2, (2, -1))  # (B, 3, 2, h/2, 2, w/2)
    return rows.permute(0, 2, 4, 1, 3, 5).flatten(1, 2)  # (B, 4, 3, h/2, w/2)


def draw_picture(kind: Kind, quadrant: int = 1, size: int = 64) -> Tensor:
    """One clean picture (3, size, size) in [0, 1]: a "bird" or "boat" in the middle of `quadrant` (see `QUADRANTS`).

    Raises:
        ValueError: an unknown kind or quadrant, or `size` is odd or below 16.
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {KINDS}, not {kind!r}.")
    if quadrant not in range(4):
        raise ValueError(f"quadrant must be 0, 1, 2 or 3, not {quadrant!r}.")
    _check_size(size)
    return torch.from_numpy(_paint(kind, quadrant, size, np.zeros(2), 1.0, 1.0).astype(np.float32))


def _check_size(size: int) -> None:
    if size < 16 or size % 2:
        raise ValueError(f"size must be even and at least 16, so that four quadrants show an object; got {size}.")


def _paint(kind: Kind, quadrant: int, size: int, shift: np.ndarray, scale: float, shade: float) -> np.ndarray:
    """A picture (3, size, size); `shift` moves the object by this share of a quadrant."""
    half = size // 2
    steps = (np.arange(half * SUPERSAMPLING) + 0.5) / (half * SUPERSAMPLING) * 2 - 1  # a quadrant is [-1, 1] squared
    x, y = np.meshgrid(steps, steps)
    x, y = (x - 2 * shift[0]) / scale, (y - 2 * shift[1]) / scale
    picture = np.ones((3, size, size)) * shade * np.reshape(BLUE, (3, 1, 1))
    corner = picture[:, quadrant // 2 * half :, quadrant % 2 * half :][:, :half, :half]
    for shape, colour in _bird(x, y) if kind == "bird" else _boat(x, y):
        cover = shape.reshape(half, SUPERSAMPLING, half, SUPERSAMPLING).mean((1, 3))  # (half, half)
        corner += cover * (np.reshape(colour, (3, 1, 1)) - corner)
    return picture


def _bird(x: np.ndarray, y: np.ndarray) -> list[tuple[np.ndarray, tuple[float, float, float]]]:
    """Two raised wings that meet in a small body; y points down."""
    wing = np.abs(x)
    spine = 0.25 - 1.1 * wing + 0.95 * wing**2
    wings = (np.abs(y - spine) < 0.14 * (1 - wing / 0.85) + 0.05) & (wing < 0.8)
    body = (x / 0.16) ** 2 + ((y - 0.25) / 0.2) ** 2 < 1
    return [(wings | body, BIRD)]


def _boat(x: np.ndarray, y: np.ndarray) -> list[tuple[np.ndarray, tuple[float, float, float]]]:
    """A hull that narrows downwards, a mast and a sail; y points down."""
    hull = (y > 0.25) & (y < 0.6) & (np.abs(x) < 0.75 - 0.8 * (y - 0.25))
    mast = (np.abs(x + 0.06) < 0.04) & (y > -0.75) & (y <= 0.25)
    sail = (x > 0.04) & (y < 0.15) & (y > -0.7) & (x < 0.04 + 0.62 * (y + 0.7))
    return [(hull | mast, HULL), (sail, SAIL)]
