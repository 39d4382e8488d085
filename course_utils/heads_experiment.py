"""The heads experiment: pictures that ask two questions, and a network with one head or several to answer them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils import relations, training
from course_utils.relation_net import RelationNet

__all__ = [
    "ANGLE",
    "EPOCHS",
    "QUESTIONS",
    "Trained",
    "answers",
    "listened_to",
    "pictures",
    "silenced",
    "train",
    "with_one_silent",
]

#: The two questions, in the order in which `answers` gives their accuracies.
QUESTIONS = ("square left of disc", "triangle above disc")
#: Pictures to learn from and held out, passes over the first, radians that RoPE turns a pair by for each patch.
COUNT, HELD_OUT, EPOCHS, ANGLE = 4000, 1000, 10, 0.45
#: Adam's learning rate, and pictures in one update.
RATE, BATCH = 3e-3, 64
#: A token sees 8 x 8 pixels around this place in its patch; and so far from a shape's centre it still sees much of it.
MIDDLE, NEAR = 3.5, 6.0


class Trained(NamedTuple):
    """A trained network, and its accuracy on the held-out pictures after each epoch."""

    net: RelationNet
    accuracies: tuple[float, ...]


@cache
def pictures() -> tuple[relations.Scenes, relations.Scenes]:
    """The pictures to learn from and those held out; always the same."""
    return relations.two_relations(COUNT, seed=1), relations.two_relations(HELD_OUT, seed=2)


def train(
    heads: int, *, seed: int, head_width: int = 4, epochs: int = EPOCHS, angle: float = ANGLE, show: bool = False
) -> Trained:
    """Train a network with so many heads; `seed` decides its first weights and the order of the pictures.

    Args:
        heads: of the one attention layer.
        seed: of weights and order. The pictures are always those of `pictures`.
        head_width: numbers of one query; a multiple of 4.
        epochs: passes over the pictures. A longer run begins with the shorter one.
        angle: radians for each patch that RoPE turns queries and keys by.
        show: print one line that follows the training.
    """
    learn, unseen = pictures()

    def make() -> RelationNet:
        return RelationNet(4, width=32, heads=heads, head_width=head_width, position="rope", angle=angle)

    net = cast(RelationNet, training.seeded(make, seed))
    run = training.fit(net, learn.images, learn.labels, epochs=epochs, lr=RATE, batch=BATCH, seed=seed, show=show,
                       held_out=(unseen.images, unseen.labels))  # fmt: skip
    return Trained(net, run.accuracies)


@torch.no_grad()
def answers(net: nn.Module, scenes: relations.Scenes) -> tuple[float, float]:
    """For each of the two questions, the share of pictures on which the network's most likely class answers it right.

    A guess is right half of the time.
    """
    guessed = net.eval()(scenes.images).argmax(-1)  # (n,), 2 · left + above
    left, above = guessed // 2 == scenes.labels // 2, guessed % 2 == scenes.labels % 2
    return left.double().mean().item(), above.double().mean().item()


@contextmanager
def silenced(net: RelationNet, head: int) -> Iterator[None]:
    """Inside of it, what this head hands to the output projection is 0; its weights are not touched.

    Raises:
        ValueError: the network has no such head.
    """
    if not 0 <= head < net.heads:
        raise ValueError(f"this network has heads 0 to {net.heads - 1}, not {head}.")

    kept = (torch.arange(net.heads) != head).repeat_interleave(net.head_width)  # (heads * head_width,)

    def mute(_: nn.Module, handed_over: tuple[Tensor]) -> Tensor:
        return handed_over[0] * kept  # (B, T, heads * head_width)

    hook = net.out.register_forward_pre_hook(mute)
    try:
        yield
    finally:
        hook.remove()


def with_one_silent(net: RelationNet) -> list[tuple[float, float]]:
    """The accuracies of `answers` on the held-out pictures: of the whole network, then with each head silenced."""
    unseen = pictures()[1]
    rows = [answers(net, unseen)]
    for head in range(net.heads):
        with silenced(net, head):
            rows.append(answers(net, unseen))
    return rows


@torch.no_grad()
def listened_to(net: RelationNet, scenes: relations.Scenes) -> tuple[Tensor, Tensor]:
    """What share of its gates each head gives to the square, the disc, the triangle and the rest.

    A token belongs to the shape whose centre is nearest, if that lies less than `NEAR` pixels away in both directions.

    Returns:
        (heads, 4), the mean over all queries of all pictures; and (4,), what equal gates would give.
    """
    places = torch.arange(net.grid**2)
    middles = relations.PATCH * torch.stack([places // net.grid, places % net.grid], -1) + MIDDLE  # (T, 2)
    away = (middles - scenes.centres[:, :, None]).abs().amax(-1)  # (n, 3, T)
    nearest = torch.where(away.amin(1) < NEAR, away.argmin(1), len(relations.SHAPES))  # (n, T)
    whose = F.one_hot(nearest, len(relations.SHAPES) + 1).float()  # (n, T, 4)
    by_head = torch.einsum("nhqk,nks->hs", net.gates(scenes.images), whose) / (len(whose) * len(places))
    return by_head, whose.mean((0, 1))
