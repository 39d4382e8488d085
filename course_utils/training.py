"""Training in class: one small loop with a seed of its own, and what came of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

__all__ = ["Run", "accuracy", "count_parameters", "fit", "follow", "seeded"]

#: So many examples at once when nothing is trained: enough to be fast, too few to fill a small memory.
CHUNK = 500


@dataclass(frozen=True)
class Run:
    """What a training run left behind.

    Attributes:
        losses: mean training loss of each epoch.
        accuracies: accuracy on the held-out data after each epoch; empty if there were none.
        steps: how many updates were made.
        seconds: seconds of processor time.
    """

    losses: tuple[float, ...]
    accuracies: tuple[float, ...]
    steps: int
    seconds: float


def seeded(make: Callable[[], nn.Module], seed: int) -> nn.Module:
    """The model that `make()` builds with torch's generator at `seed`; the generator is then put back.

    So a model starts with the same weights wherever in a notebook it is made.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return make()


def fit(
    model: nn.Module,
    inputs: Tensor,
    labels: Tensor,
    *,
    epochs: int,
    lr: float,
    batch: int = 32,
    seed: int = 0,
    held_out: tuple[Tensor, Tensor] | None = None,
    show: bool = True,
) -> Run:
    """Train a classifier in place with Adam and cross-entropy.

    Args:
        model: maps inputs (b, ...) to logits (b, classes).
        inputs: (n, ...); `labels`: (n,) int64.
        epochs: how often each example is seen.
        lr: Adam's learning rate, constant.
        batch: examples an update.
        seed: decides the order of the examples; torch's own generator is not touched.
        held_out: inputs and labels to measure the accuracy on after each epoch.
        show: print one line that follows the training.

    Raises:
        ValueError: inputs and labels do not fit, or there is nothing to train on.
    """
    if len(inputs) != len(labels) or not len(labels):
        raise ValueError(f"{len(inputs)} inputs and {len(labels)} labels: both must be the same number, above 0.")
    if epochs < 1 or batch < 1:
        raise ValueError(f"epochs and batch must be at least 1, not {epochs} and {batch}.")
    order, optimiser = torch.Generator().manual_seed(seed), torch.optim.Adam(model.parameters(), lr=lr)
    losses: list[float] = []
    accuracies: list[float] = []
    start, steps = time.process_time(), 0
    for epoch in range(1, epochs + 1):
        model.train()
        total = 0.0
        for chosen in torch.randperm(len(labels), generator=order).split(batch):
            loss = F.cross_entropy(model(inputs[chosen]), labels[chosen])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            total, steps = total + loss.item() * len(chosen), steps + 1
        losses.append(total / len(labels))
        if held_out is not None:
            accuracies.append(accuracy(model, *held_out))
        if show:
            measured = f" · held out {accuracies[-1]:.3f}" if accuracies else ""
            follow(epoch, epochs, f"loss {losses[-1]:.3f}{measured}", unit="epoch")
    return Run(tuple(losses), tuple(accuracies), steps, time.process_time() - start)


@torch.no_grad()
def accuracy(model: nn.Module, inputs: Tensor, labels: Tensor) -> float:
    """The share, from 0 to 1, of examples whose largest logit is the right one. Leaves the model in `eval` mode.

    Raises:
        ValueError: inputs and labels do not fit, or there are none.
    """
    if len(inputs) != len(labels) or not len(labels):
        raise ValueError(f"{len(inputs)} inputs and {len(labels)} labels: both must be the same number, above 0.")
    model.eval()
    right = sum(
        int((model(x).argmax(-1) == y).sum()) for x, y in zip(inputs.split(CHUNK), labels.split(CHUNK), strict=True)
    )
    return right / len(labels)


def count_parameters(model: nn.Module) -> int:
    """How many numbers of a model are trained."""
    return sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)


def follow(done: int, of: int, words: str, unit: str = "update") -> None:
    """One line that is written over itself: a bar, how far the training is, and `words` on how it goes."""
    part = round(20 * done / of)
    end = "\n" if done == of else ""
    print(f"\r[{'█' * part}{'·' * (20 - part)}] {unit} {done} of {of} · {words}", end=end, flush=True)
