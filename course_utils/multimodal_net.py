"""A tiny network that reads a picture and a sentence: patches become tokens that stand before the words."""

from __future__ import annotations

import time
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.captioned import WORDS, Captioned
from course_utils.sentences import MASK
from course_utils.text_net import TextNet, hide
from course_utils.training import follow

__all__ = ["ANIMAL", "COLOUR", "POSTURE", "Eye", "Reader", "Taught", "accuracy", "fill", "others", "teach"]

#: Where the three words that a picture tells stand in the ids of a caption of `captioned.animals`.
COLOUR, ANIMAL, POSTURE = 2, 3, 4
#: Pixels of a patch's side, and how many patches a picture of 16 x 16 pixels has.
PATCH, PATCHES = 4, 16


class Eye(nn.Module):
    """A small vision transformer without a head: pictures (B, 3, 16, 16) to a token for each patch (B, 16, width).

    Args:
        width: numbers in a token.
        blocks: of the encoder; without one, a token is a linear map of its patch and no more.
    """

    def __init__(self, width: int = 32, blocks: int = 1) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, PATCH, stride=PATCH)
        self.place = nn.Parameter(0.02 * torch.randn(PATCHES, width))
        layer = nn.TransformerEncoderLayer(
            width, 2, 4 * width, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, blocks, enable_nested_tensor=False) if blocks else nn.Identity()

    def forward(self, images: Tensor) -> Tensor:
        seen = self.patches(images).flatten(2).mT  # (B, 16, width)
        tokens: Tensor = self.encoder(seen + self.place)
        return tokens


class Reader(nn.Module):
    """An eye, a linear layer into the space of words, and a tiny BERT that reads both.

    Args:
        averaged: one token, the average of all patches; else a token for each patch.
        blocks: of the eye; the BERT has one block.
    """

    def __init__(self, *, averaged: bool = True, blocks: int = 1) -> None:
        super().__init__()
        self.eye = Eye(blocks=blocks)
        self.translate = nn.Linear(32, 32)
        self.words = TextNet(len(WORDS), 9, blocks=1)
        self.averaged = averaged

    def forward(self, ids: Tensor, images: Tensor | None = None) -> Tensor:
        """Scores (B, 9, words); without images, from the words alone."""
        if images is None:
            return self.words(ids)
        seen = self.eye(images)  # (B, 16, 32)
        if self.averaged:
            seen = seen.mean(1, keepdim=True)  # (B, 1, 32)
        return self.words(ids, before=self.translate(seen))


class Taught(NamedTuple):
    """What training left: the loss of each update, and seconds of processor time."""

    losses: tuple[float, ...]
    seconds: float


def teach(
    model: Reader,
    data: Captioned,
    *,
    updates: int,
    pictures: bool = True,
    lr: float = 2e-3,
    batch: int = 64,
    seed: int = 0,
    show: bool = True,
) -> Taught:
    """Train eye, linear layer and BERT together, in place, to fill hidden words of captions, with Adam.

    Args:
        model: to be trained.
        data: pictures with captions.
        updates: how many.
        pictures: whether the model sees them.
        lr: the learning rate.
        batch: captions of an update.
        seed: decides which captions and words; torch's own generator is not touched.
        show: print one line that follows the training.
    """
    drawn, optimiser = torch.Generator().manual_seed(seed), torch.optim.Adam(model.parameters(), lr=lr)
    losses: list[float] = []
    start = time.process_time()
    model.train()
    for update in range(1, updates + 1):
        rows = torch.randint(len(data.ids), (batch,), generator=drawn)
        seen, labels = hide(data.ids[rows], drawn)
        scores = model(seen, data.images[rows] if pictures else None)  # (batch, 9, words)
        loss = F.cross_entropy(scores.flatten(0, 1), labels.flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
        if show and (update % 20 == 0 or update == updates):
            follow(update, updates, f"loss {losses[-1]:.3f}")
    model.eval()
    return Taught(tuple(losses), time.process_time() - start)


@torch.no_grad()
def fill(model: Reader, ids: Tensor, images: Tensor | None, place: int) -> Tensor:
    """Probabilities (n, words) of the word at `place` of each caption (n, 9), which is hidden first."""
    hidden = ids.clone()
    hidden[:, place] = MASK
    return model.eval()(hidden, images)[:, place].softmax(-1)


def accuracy(model: Reader, data: Captioned, images: Tensor | None, place: int) -> float:
    """How often the likeliest word at `place` is the caption's; `images` are what the model is shown, or None."""
    return (fill(model, data.ids, images, place).argmax(-1) == data.ids[:, place]).double().mean().item()


def others(images: Tensor) -> Tensor:
    """Each picture in the place of another one: the caption gets a wrong photograph, drawn independently of it."""
    return images.roll(1, 0)
