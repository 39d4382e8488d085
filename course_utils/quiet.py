"""Pages of real digits on which the quiet one counts: five are in ink, one in pencil, and only that one is asked."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils import digits

__all__ = ["DIGITS", "PENCIL", "SIDE", "TOKENS", "Pages", "handwritten", "pages"]

#: The two digits of a page, by their label 0 and 1.
DIGITS = (1, 7)
#: Digits on a page; each is a token of SIDE x SIDE grey values.
TOKENS, SIDE = 6, 14
#: How dark the pencilled digit is; ink is 1.
PENCIL = 0.3
#: So many digits of each kind are for learning, the others for testing.
LEARNED_FROM = 400


class Pages(NamedTuple):
    """Pages in a row: `tokens` (n, 6, 196) in [0, 1], `labels` (n,) 0 or 1, `places` (n,) of the pencilled digit."""

    tokens: Tensor
    labels: Tensor
    places: Tensor


def pages(count: int, seed: int = 0, unseen: bool = False) -> Pages:
    """`count` pages of six handwritten digits, each a 1 or a 7: five in ink, one in pencil.

    The label says which digit is pencilled: 0 for a 1, 1 for a 7. All six are drawn independently, so the
    inked ones say nothing about it. The same arguments give the same pages.

    Args:
        count: how many.
        seed: decides digits and places.
        unseen: take digits that no page for learning shows.

    Raises:
        ValueError: `count` is negative.
        digits.MissingDigits: the digits are not on this machine.
    """
    if count < 0:
        raise ValueError(f"count must not be negative, got {count}.")
    hands = [hand[LEARNED_FROM:] if unseen else hand[:LEARNED_FROM] for hand in _hands()]
    draws = torch.Generator().manual_seed(seed)
    kinds = torch.randint(2, (count, TOKENS), generator=draws)
    which = torch.rand(count, TOKENS, generator=draws)
    places = torch.randint(TOKENS, (count,), generator=draws)
    drawn = torch.stack([hand[(which * len(hand)).long()] for hand in hands], dim=2)  # (n, 6, 2, 196)
    tokens = drawn.gather(2, kinds[..., None, None].expand(-1, -1, 1, SIDE * SIDE)).squeeze(2)  # (n, 6, 196)
    page = torch.arange(count)
    tokens[page, places] *= PENCIL
    return Pages(tokens, kinds[page, places], places)


def handwritten(label: int, which: int = 0) -> Tensor:
    """One digit (1, 28, 28) with this label, the one after `which` others.

    Raises:
        ValueError: there are not so many.
        digits.MissingDigits: the digits are not on this machine.
    """
    return digits.number_of(_whole(), label, which)


@cache
def _whole() -> digits.Digits:
    """All digits; read once, for it takes a second."""
    return digits.load(digits.COUNT, 0)[0]


def _hands() -> list[Tensor]:
    """All handwritten digits of both kinds, each (count, 196)."""
    small = F.avg_pool2d(_whole().images, 28 // SIDE).flatten(1)  # (5000, 196)
    return [small[_whole().labels == digit] for digit in DIGITS]
