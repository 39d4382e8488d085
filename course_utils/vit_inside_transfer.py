"""New questions for the network that reads digits (is this one mirrored?), and the same digits drawn otherwise."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torchvision.models import VisionTransformer

from course_utils import digit_vit, vit_hooks
from course_utils.digits import Digits

__all__ = ["DOMAINS", "Features", "LastBlock", "Question", "features", "mirrored", "unseen"]

#: The same digits, drawn in other ways: (n, 1, 28, 28) in [0, 1] to the same shape.
DOMAINS: dict[str, Callable[[Tensor], Tensor]] = {
    "as it was": lambda x: x,
    "thinner": lambda x: -F.max_pool2d(F.pad(-x, (0, 1, 0, 1)), 2, 1),  # the darkest of 2 x 2 pixels
    "much thinner": lambda x: -F.max_pool2d(-x, 3, 1, 1),
    "thicker": lambda x: F.max_pool2d(x, 3, 1, 1),
    "outline": lambda x: F.max_pool2d(x, 3, 1, 1) - x,
    "dark on light": lambda x: 1 - x,
}


@dataclass(frozen=True)
class Question:
    """Pictures with the labels of a question, and the digits that they show.

    Attributes:
        images: (n, 1, 28, 28) in [0, 1].
        labels: (n,) int64, the answers.
        digits: (n,) int64, which digit it is; nobody is asked for it.
    """

    images: Tensor
    labels: Tensor
    digits: Tensor


@dataclass(frozen=True)
class Features:
    """What the frozen network makes of pictures.

    Attributes:
        before_last: (n, 50, 60) tokens that go into the last block.
        final: (n, 50, 60) tokens after the last LayerNorm, class token first.
    """

    before_last: Tensor
    final: Tensor

    @property
    def cls(self) -> Tensor:
        """(n, 60) the class token, which the head reads."""
        return self.final[:, 0]

    @property
    def average(self) -> Tensor:
        """(n, 60) the average of the patches."""
        return self.final[:, 1:].mean(1)


def unseen() -> tuple[Digits, Digits, Digits]:
    """Digits that the shipped network was not trained on: 400 to train with, 300 to choose with, 700 to test.

    The 400 are its validation digits; the others are its test digits.
    """
    _, train, rest = digit_vit.split()
    return train, Digits(rest.images[:300], rest.labels[:300]), Digits(rest.images[300:], rest.labels[300:])


def mirrored(parts: tuple[Digits, ...], seed: int = 0) -> tuple[Question, ...]:
    """Each digit once: a coin decides whether left and right are exchanged (label 1) or not (label 0)."""
    draws = torch.Generator().manual_seed(seed)
    asked = []
    for part in parts:
        coin = torch.randint(2, (len(part.labels),), generator=draws)
        images = torch.where(coin.view(-1, 1, 1, 1) == 1, part.images.flip(3), part.images)
        asked.append(Question(images, coin, part.labels))
    return tuple(asked)


def features(model: VisionTransformer, images: Tensor) -> Features:
    """Look at each picture (n, 1, 28, 28) in [0, 1] once; a frozen network would make the same of it in each epoch."""
    before, final = [], []
    with torch.no_grad(), vit_hooks.recorded(model) as inside:
        for chunk in images.split(200):
            model(digit_vit.normalised(chunk))
            before.append(inside.tokens[-2])
            final.append(model.encoder.ln(inside.tokens[-1]))
    return Features(torch.cat(before), torch.cat(final))


class LastBlock(nn.Module):
    """A copy of the network's last block and LayerNorm, and a new head: from `Features.before_last` to logits."""

    def __init__(self, model: VisionTransformer, classes: int) -> None:
        super().__init__()
        self.block, self.ln = copy.deepcopy(model.encoder.layers[-1]), copy.deepcopy(model.encoder.ln)
        self.head = nn.Linear(self.ln.normalized_shape[0], classes)

    def forward(self, tokens: Tensor) -> Tensor:
        """From tokens (n, 50, 60) to logits (n, classes)."""
        return self.head(self.ln(self.block(tokens))[:, 0])
