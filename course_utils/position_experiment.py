"""The experiment of lesson 05: is the square left of the disc? Nine networks that know their places differently."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils import relations, training
from course_utils.relation_net import RelationNet

__all__ = ["EVERY", "LR", "MODELS", "Story", "cnn_early", "cnn_late", "pictures", "run"]

#: Adam's learning rate, the examples of an update, and how many pictures are learned from and held out.
LR, BATCH, LEARNED, HELD_OUT = 1e-3, 32, 2000, 1000
#: The bias is looked at every so many updates.
EVERY = 10
#: Held-out pictures are drawn with the run's seed plus this.
OTHER = 1000


@dataclass(frozen=True)
class Story:
    """What one training run went through.

    Attributes:
        accuracies: on held-out pictures, after each epoch.
        largest: the largest |bias| on a score, every `EVERY` updates; empty for a network without offset bias.
        gradients: the norm of the gradient of the bias's parameter, at the same updates.
        seconds: of processor time.
        model: as it is at the end, in `eval` mode.
    """

    accuracies: tuple[float, ...]
    largest: tuple[float, ...]
    gradients: tuple[float, ...]
    seconds: float
    model: nn.Module


def cnn_late(width: int = 16) -> nn.Sequential:
    """Four convolutions and two max pools before the average: (B, 1, 32, 32) -> (B, 2). None of them pads.

    A number in the last maps, which are 2 x 2, sees 26 x 26 pixels.
    """
    return nn.Sequential(
        *(nn.Conv2d(1, width, 3), nn.ReLU(), nn.MaxPool2d(2)),  # (B, width, 15, 15)
        *(nn.Conv2d(width, 2 * width, 3), nn.ReLU(), nn.MaxPool2d(2)),  # (B, 2 width, 6, 6)
        *(nn.Conv2d(2 * width, 2 * width, 3), nn.ReLU()),  # (B, 2 width, 4, 4)
        *(nn.Conv2d(2 * width, 2 * width, 3), nn.ReLU()),  # (B, 2 width, 2, 2)
        *(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2 * width, 2)),
    )


def cnn_early(width: int = 8) -> nn.Sequential:
    """Two convolutions, the average, then as many layers as `cnn_late` on what is left: (B, 1, 32, 32) -> (B, 2)."""
    return nn.Sequential(
        *(nn.Conv2d(1, width, 3), nn.ReLU(), nn.Conv2d(width, 2 * width, 3), nn.ReLU()),
        *(nn.AdaptiveAvgPool2d(1), nn.Flatten()),
        *(nn.Linear(2 * width, 2 * width), nn.ReLU(), nn.Linear(2 * width, 2 * width), nn.ReLU()),
        nn.Linear(2 * width, 2),
    )


#: Name to how the network is made, and how many times the learning rate its offset bias gets.
MODELS: dict[str, tuple[Callable[[], nn.Module], float]] = {
    "CNN, pooled at the end": (cnn_late, 1),
    "CNN, pooled early": (cnn_early, 1),
    "no position": (RelationNet, 1),
    "learned, start .02": (lambda: RelationNet(position="learned", start=0.02), 1),
    "learned, start 1": (lambda: RelationNet(position="learned", start=1.0), 1),
    "bias, default rate": (lambda: RelationNet(position="bias"), 1),
    "bias, 10 × rate": (lambda: RelationNet(position="bias"), 10),
    "bias = 10 · b′": (lambda: RelationNet(position="bias", scale=10.0), 1),
    "RoPE": (lambda: RelationNet(position="rope"), 1),
}


def pictures(seed: int) -> tuple[relations.Scenes, relations.Scenes]:
    """2,000 pictures to learn from and 1,000 held out, drawn with two seeds that no other run below 1,000 uses.

    There are some 60,000 pictures to draw, so a few of those held out were learned from.
    """
    return relations.left_of(LEARNED, seed), relations.left_of(HELD_OUT, OTHER + seed)


def run(name: str, seed: int, epochs: int = 10, show: bool = True) -> Story:
    """Train one of `MODELS` from scratch: 63 updates of Adam an epoch, at a constant rate.

    Args:
        name: of the network.
        seed: decides the pictures, the weights at the start, and the order.
        epochs: how often each picture is seen.
        show: print a line that follows the training.

    Raises:
        ValueError: there is no such network, or no epoch.
    """
    if name not in MODELS or epochs < 1:
        raise ValueError(f"run takes at least one epoch and one of {', '.join(MODELS)}; not {epochs} and {name!r}.")
    make, factor = MODELS[name]
    learn, unseen = pictures(seed)
    model = training.seeded(make, seed)
    bias, scale = (
        (model.bias, model.scale) if isinstance(model, RelationNet) and model.position == "bias" else (None, 1.0)
    )
    optimiser = _adam(model, bias, factor)
    order, start = torch.Generator().manual_seed(seed), time.process_time()
    accuracies: list[float] = []
    largest: list[float] = []
    gradients: list[float] = []
    step = 0
    for epoch in range(1, epochs + 1):
        model.train()
        for chosen in torch.randperm(LEARNED, generator=order).split(BATCH):
            loss = F.cross_entropy(model(learn.images[chosen]), learn.labels[chosen])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            step += 1
            if bias is not None and bias.grad is not None and step % EVERY == 0:
                largest.append(scale * bias.detach().abs().max().item())
                gradients.append(bias.grad.norm().item())
        accuracies.append(training.accuracy(model, unseen.images, unseen.labels))
        if show:
            end = "\n" if epoch == epochs else ""
            print(
                f"\r{name:>22}, seed {seed}: {_bar(accuracies, epochs)} held out {accuracies[-1]:.3f}",
                end=end,
                flush=True,
            )
    return Story(tuple(accuracies), tuple(largest), tuple(gradients), time.process_time() - start, model)


def _adam(model: nn.Module, bias: Tensor | None, factor: float) -> torch.optim.Adam:
    """Adam with the offset bias, where there is one, at `factor` times the rate of all else."""
    optimiser = torch.optim.Adam((each for each in model.parameters() if each is not bias), lr=LR)
    if bias is not None:
        optimiser.add_param_group({"params": [bias], "lr": LR * factor})
    return optimiser


def _bar(accuracies: list[float], epochs: int) -> str:
    """One character an epoch, the higher the more accurate."""
    heights = "▁▂▃▄▅▆▇█"
    drawn = [heights[min(7, max(0, round((accuracy - 0.5) * 14)))] for accuracy in accuracies]
    return "".join(drawn) + "·" * (epochs - len(drawn))
