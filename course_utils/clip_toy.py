"""A toy CLIP: two small encoders whose vectors meet in one space, trained on captioned pictures drawn by us."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils import captioned
from course_utils.captioned import WORDS, Captioned, Pairs
from course_utils.multimodal_net import Eye
from course_utils.text_net import TextNet
from course_utils.training import follow

__all__ = [
    "SHORT",
    "UNSEEN",
    "Matched",
    "Toy",
    "bound",
    "cosines",
    "match",
    "named",
    "one_of_each",
    "order",
    "training_set",
]

#: A second way to caption a picture of `captioned.animals`, without the posture.
SHORT = "a picture of a {} {}"
#: Nobody trains on a dog of this colour: a class that has only a name.
UNSEEN = "green"


class Toy(nn.Module):
    """A picture encoder and a text encoder, a projection for each, and a learned scale.

    Args:
        space: numbers in a vector of the shared space.
        scale: what cosines are multiplied by at the start.
        learned: whether the scale is trained.
        unit: vectors get unit length.
    """

    def __init__(self, *, space: int = 16, scale: float = 10.0, learned: bool = True, unit: bool = True) -> None:
        super().__init__()
        self.eye, self.text = Eye(), TextNet(len(WORDS), 9, blocks=1)
        self.from_picture = nn.Linear(32, space, bias=False)
        self.from_text = nn.Linear(32, space, bias=False)
        self.log_scale = nn.Parameter(torch.tensor(scale).log(), requires_grad=learned)
        self.unit = unit

    def pictures(self, images: Tensor) -> Tensor:
        """Vectors (B, space) of pictures: the average token, projected."""
        return self._finished(self.from_picture(self.eye(images).mean(1)))

    def captions(self, texts: Sequence[str]) -> Tensor:
        """Vectors (B, space) of texts: the token [CLS], projected."""
        return self._finished(self.from_text(self.text.read(WORDS.encode(texts, 9))[:, 0]))

    def _finished(self, vectors: Tensor) -> Tensor:
        return F.normalize(vectors, dim=-1) if self.unit else vectors

    def forward(self, images: Tensor, texts: Sequence[str]) -> Tensor:
        """Scores (pictures, texts): scale times dot product."""
        return self.log_scale.exp() * self.pictures(images) @ self.captions(texts).mT


class Matched(NamedTuple):
    """What training left: the loss of each update; some update -> cosines (n, n) of `one_of_each`; seconds."""

    losses: tuple[float, ...]
    cosines: dict[int, Tensor]
    seconds: float


def one_of_each(seed: int) -> Captioned:
    """Eight pictures, none like another one: four colours, two animals that sat or stood by turns."""
    drawn = captioned.animals(400, seed)
    kinds = [(colour, animal, (colour + animal) % 2) for colour in range(4) for animal in range(2)]
    found = list(zip(drawn.colour.tolist(), drawn.animal.tolist(), drawn.posture.tolist(), strict=True))
    rows = torch.tensor([found.index(kind) for kind in kinds])
    captions = tuple(drawn.captions[row] for row in rows.tolist())
    parts = (drawn.ids, drawn.colour, drawn.animal, drawn.posture)
    return Captioned(drawn.images[rows], captions, *(part[rows] for part in parts))


def training_set(seed: int) -> tuple[Captioned, Pairs]:
    """Animals without a dog of the colour `UNSEEN`, and pairs of a square and a circle."""
    drawn = captioned.animals(2000, seed)
    unseen = (drawn.colour == captioned.COLOURS.index(UNSEEN)) & (drawn.animal == 1)
    kept = (~unseen).nonzero()[:, 0]
    captions = tuple(drawn.captions[row] for row in kept.tolist())
    parts = (drawn.ids, drawn.colour, drawn.animal, drawn.posture)
    animals = Captioned(drawn.images[kept], captions, *(part[kept] for part in parts))
    return animals, captioned.pairs(2000, seed)


def match(
    model: Toy,
    data: tuple[Captioned, Pairs],
    *,
    updates: int,
    seed: int = 0,
    hard: bool = False,
    keep: Sequence[int] = (),
    show: bool = True,
) -> Matched:
    """Train in place, with Adam: each picture must find its caption among those of the batch.

    Only rows of scores are trained; CLIP asks each column for its picture, too. No batch holds a caption and its swap,
    as hardly any batch of captions from the web would.

    Args:
        model: to be trained.
        data: what `training_set` made.
        updates: how many, with 40 animals and about 12 pairs each.
        seed: decides the batches; torch's own generator is not touched.
        hard: the swapped caption of each pair stands in the batch as one more wrong answer.
        keep: updates before which the cosines of `one_of_each` are kept; 0 is the untrained model.
        show: print one line that follows the training.
    """
    animals, pairs = data
    drawn, optimiser = torch.Generator().manual_seed(seed), torch.optim.Adam(model.parameters(), lr=2e-3)
    losses: list[float] = []
    kept: dict[int, Tensor] = {}
    start = time.process_time()
    shown = one_of_each(seed + 1000)
    for update in range(updates + 1):
        if update in keep:
            kept[update] = cosines(model, shown.images, shown.captions)
        if update == updates:
            break
        images, texts, swaps = _batch(animals, pairs, drawn)
        scores = model(images, texts + (swaps if hard else []))  # (B, B or more)
        loss = F.cross_entropy(scores, torch.arange(len(images)))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
        if show and ((update + 1) % 20 == 0 or update + 1 == updates):
            follow(update + 1, updates, f"loss {losses[-1]:.3f}")
    return Matched(tuple(losses), kept, time.process_time() - start)


def _batch(animals: Captioned, pairs: Pairs, drawn: torch.Generator) -> tuple[Tensor, list[str], list[str]]:
    """Pictures, their captions, and the swapped captions of the pairs among them."""
    some = torch.randint(len(animals.images), (40,), generator=drawn).tolist()
    short = torch.rand(40, generator=drawn) < 0.5
    texts = [_short(animals, row) if cut else animals.captions[row] for row, cut in zip(some, short, strict=True)]
    candidates = torch.randint(len(pairs.images), (24,), generator=drawn)
    colours = pairs.colours.sort(1).values[candidates]  # (24, 2)
    first = order(pairs)[candidates]
    way = torch.randint(2, (4, 4), generator=drawn)  # for each two colours the one order that this batch may hold
    chosen = candidates[first == way[colours[:, 0], colours[:, 1]]].tolist()
    both = [pairs.captions[row] for row in chosen]
    images = torch.cat([animals.images[some], pairs.images[chosen]])
    return images, texts + both, [captioned.swapped(caption) for caption in both]


def order(pairs: Pairs) -> Tensor:
    """For each pair 1 if the square's colour stands before the circle's in `captioned.COLOURS`, else 0."""
    square = torch.where(pairs.bodies[:, 0] == 0, pairs.colours[:, 0], pairs.colours[:, 1])
    circle = torch.where(pairs.bodies[:, 0] == 0, pairs.colours[:, 1], pairs.colours[:, 0])
    return (square < circle).long()


def _short(animals: Captioned, row: int) -> str:
    colour, animal = captioned.COLOURS[animals.colour[row]], captioned.ANIMALS[animals.animal[row]]
    return SHORT.format(colour, animal)


@torch.no_grad()
def cosines(model: Toy, images: Tensor, texts: Sequence[str]) -> Tensor:
    """Cosines (pictures, texts), whatever the length of the vectors is."""
    return F.normalize(model.pictures(images), dim=-1) @ F.normalize(model.captions(texts), dim=-1).mT


def named(model: Toy, images: Tensor, prompts: Sequence[str]) -> Tensor:
    """For each picture the place of the prompt with the largest cosine."""
    return cosines(model, images, prompts).argmax(1)


def bound(model: Toy, pairs: Pairs) -> tuple[float, float]:
    """How often the caption beats its swap, and how often it beats one with two other colours."""
    swaps = [captioned.swapped(caption) for caption in pairs.captions]
    strangers = [_two_others(caption) for caption in pairs.captions]
    with torch.no_grad():
        seen = F.normalize(model.pictures(pairs.images), dim=-1)
        own, swap, other = (
            (seen * F.normalize(model.captions(texts), dim=-1)).sum(1) for texts in (pairs.captions, swaps, strangers)
        )
    return (own > swap).double().mean().item(), (own > other).double().mean().item()


def _two_others(caption: str) -> str:
    words = caption.split()
    words[1], words[5] = [colour for colour in captioned.COLOURS if colour not in words]
    return " ".join(words)
