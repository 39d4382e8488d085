"""A small network that looks at pictures through one block of attention, with its position left open."""

from __future__ import annotations

from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.relations import PATCH, SIDE

__all__ = ["Position", "RelationNet", "stem"]

#: How tokens know where they are: not at all, a learned vector each, a learned bias for each offset, turned q and k.
Position = Literal["none", "learned", "bias", "rope"]


def stem(width: int, channels: tuple[int, int] = (4, 8)) -> nn.Sequential:
    """From pictures (B, 1, 32, 32) to tokens (B, width, 7, 7), one for each patch of 4 x 4 pixels.

    No convolution pads: a border of zeros would tell a token where it is.
    """
    first, second = channels
    return nn.Sequential(
        *(nn.Conv2d(1, first, 3), nn.ReLU(), nn.Conv2d(first, second, 3), nn.ReLU()),
        nn.Conv2d(second, width, PATCH, stride=PATCH),
    )


class RelationNet(nn.Module):
    """Stem, one pre-norm block (attention, then a feed-forward part), layer normalisation, average, linear.

    Args:
        classes: of the answer.
        width: numbers in a token.
        heads: of the attention; each has `head_width` numbers, for "rope" a multiple of 4.
        head_width: numbers of one query; None: width / heads.
        position: see `Position`.
        start: standard deviation of the learned position at the start.
        scale: the bias is this many times its parameter.
        base: "rope" turns pair i of n by base^(-i/n) for each patch; one angle for all pairs: give `angle`.
        angle: in radians for each patch, in place of `base`.
        channels: of the two convolutions of the stem.
    """

    def __init__(
        self,
        classes: int = 2,
        *,
        width: int = 16,
        heads: int = 2,
        head_width: int | None = None,
        position: Position = "none",
        start: float = 0.02,
        scale: float = 1.0,
        base: float = 100.0,
        angle: float | None = None,
        channels: tuple[int, int] = (4, 8),
    ) -> None:
        super().__init__()
        self.turns: Tensor
        self.grid = (SIDE - 4) // PATCH
        self.heads, self.head_width, self.scale, self.position = heads, head_width or width // heads, scale, position
        self.stem = stem(width, channels)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(width) for _ in range(3))
        self.qkv = nn.Linear(width, 3 * heads * self.head_width)
        self.out = nn.Linear(heads * self.head_width, width)
        self.feed_forward = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
        self.head = nn.Linear(width, classes)
        if position == "learned":
            self.place = nn.Parameter(start * torch.randn(self.grid**2, width))
        if position == "bias":
            self.bias = nn.Parameter(torch.zeros(heads, 2 * self.grid - 1, 2 * self.grid - 1))
        if position == "rope":
            self.register_buffer("turns", self._turns(base, angle), persistent=False)

    def tokens(self, images: Tensor) -> Tensor:
        """From pictures (B, 1, 32, 32) to tokens (B, T, width) as they enter the block."""
        x = self.stem(images).flatten(2).mT  # (B, T, width)
        return x + self.place if self.position == "learned" else x

    def queries_keys_values(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """From tokens (B, T, width) to queries, keys and values, each (B, heads, T, head_width), turned if "rope"."""
        q, k, v = self.qkv(self.norm1(x)).unflatten(-1, (3, self.heads, self.head_width)).permute(2, 0, 3, 1, 4)
        return (self._turned(q), self._turned(k), v) if self.position == "rope" else (q, k, v)

    def gates(self, images: Tensor) -> Tensor:
        """The gates (B, heads, T, T) for pictures (B, 1, 32, 32)."""
        q, k, _ = self.queries_keys_values(self.tokens(images))
        scores = q @ k.mT / self.head_width**0.5  # (B, heads, T, T)
        bias = self.offset_bias()
        return (scores if bias is None else scores + bias).softmax(-1)

    def offset_bias(self) -> Tensor | None:
        """The bias (heads, T, T) on the scores, or None."""
        if self.position != "bias":
            return None
        n, rows = self.grid, []
        for place in range(n * n):
            row, column = n - 1 - place // n, n - 1 - place % n
            rows.append(self.bias[:, row : row + n, column : column + n].flatten(1))  # (heads, T)
        return self.scale * torch.stack(rows, 1)  # (heads, T, T)

    def forward(self, images: Tensor) -> Tensor:
        """From pictures (B, 1, 32, 32) to logits (B, classes)."""
        x = self.tokens(images)  # (B, T, width)
        read = F.scaled_dot_product_attention(*self.queries_keys_values(x), attn_mask=self.offset_bias())
        x = x + self.out(read.transpose(1, 2).flatten(2))  # (B, T, width)
        x = x + self.feed_forward(self.norm2(x))
        return self.head(self.norm3(x).mean(1))  # (B, classes)

    def _turns(self, base: float, angle: float | None) -> Tensor:
        """(T, head_width / 2) complex numbers of length 1: the first half turns with columns, the second with rows."""
        if self.head_width % 4:
            raise ValueError(f"rope needs a head_width that 4 divides, not {self.head_width}.")
        pairs = self.head_width // 4
        angles = base ** (-torch.arange(pairs) / pairs) if angle is None else torch.full((pairs,), angle)
        places = torch.arange(self.grid**2)
        both = torch.cat([torch.outer(places % self.grid, angles), torch.outer(places // self.grid, angles)], -1)
        return torch.polar(torch.ones_like(both), both)

    def _turned(self, x: Tensor) -> Tensor:
        """Queries or keys (B, heads, T, head_width), each pair turned by its token's place."""
        pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())  # (B, heads, T, head_width / 2)
        return torch.view_as_real(pairs * self.turns).flatten(-2)
