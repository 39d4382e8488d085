"""A CNN and a vision transformer of one size, trained from nothing on the same digits with as many updates."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torchvision.models import VisionTransformer

from course_utils import digit_vit, training
from course_utils.digits import Digits

__all__ = ["ARMS", "BATCH", "RATES", "SIZES", "UPDATES", "WARM_UP", "AverageViT", "Ran", "cnn", "run", "vit"]

#: How many training digits; updates of every run, whatever the number of digits; digits an update.
SIZES = (500, 1000, 2000, 4000)
UPDATES, BATCH = 600, 32
#: The share of the updates in which the rate rises from 0; then it falls to 0 along half a cosine.
WARM_UP = 0.1


def cnn() -> nn.Module:
    """Five 3 x 3 convolutions, each with GroupNorm and ReLU, two max pools, the average over the map, a linear head.

    From images (B, 3, 28, 28), see `digit_vit.normalised`, to logits (B, 10).
    """
    widths, layers, width = (16, 40, 56, 72, 88), [], 3
    for depth, channels in enumerate(widths):
        layers += [nn.Conv2d(width, channels, 3, padding=1, bias=False), nn.GroupNorm(8, channels), nn.ReLU()]
        if depth in (0, 2):
            layers.append(nn.MaxPool2d(2))
        width = channels
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 10))


class AverageViT(VisionTransformer):
    """PyTorch's class, with another readout: the head reads the average of the patches, not the class token.

    The class token is still there, and patches may read it, so that both networks have the same weights.
    """

    def forward(self, x: Tensor) -> Tensor:
        """From images (B, 3, 28, 28) to logits (B, 10)."""
        tokens = self._process_input(x)  # (B, 49, width)
        tokens = torch.cat([self.class_token.expand(len(x), -1, -1), tokens], dim=1)  # (B, 50, width)
        return self.heads(self.encoder(tokens)[:, 1:].mean(1))  # (B, 10)


def vit(kind: type[VisionTransformer] = VisionTransformer) -> VisionTransformer:
    """PyTorch's class: patches of 4 x 4, width 48, 4 blocks of 3 heads. From images as above to logits (B, 10).

    Positions start with the standard deviation .3, as those of the shipped network did.
    """
    model = kind(
        image_size=digit_vit.SIDE, patch_size=digit_vit.PATCH, num_layers=4, num_heads=3, hidden_dim=48, mlp_dim=192,
        num_classes=10,
    )  # fmt: skip
    nn.init.normal_(model.encoder.pos_embedding, std=0.3)
    return model


#: Who runs; and the largest learning rate of each, chosen on validation digits (see `notebooks/06_vit_inside.py`).
ARMS: Mapping[str, Callable[[], nn.Module]] = {"CNN": cnn, "ViT": vit, "ViT, average": partial(vit, AverageViT)}
RATES = {"CNN": 1.5e-3, "ViT": 3e-3, "ViT, average": 3e-3}


@dataclass(frozen=True)
class Ran:
    """Accuracy on the held-out digits, mean loss of the last 20 updates, seconds of processor time."""

    accuracy: float
    loss: float
    seconds: float


def run(
    name: str, train: Digits, held_out: Digits, *, seed: int, rate: float | None = None, updates: int = UPDATES
) -> Ran:
    """Train one of `ARMS` with Adam and cross-entropy, for `updates` updates, without changing the digits in any way.

    Args:
        name: one of `ARMS`.
        train: what is trained on, over and over until all updates are made.
        held_out: what is read at the end.
        seed: of the weights and of the order of the digits.
        rate: the largest learning rate; by default that of `RATES`.
    """
    model = training.seeded(ARMS[name], seed)
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate or RATES[name], weight_decay=0.05)
    warm = WARM_UP * updates
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser,
        lambda step: (
            (step + 1) / warm if step < warm else (1 + math.cos(math.pi * (step - warm) / (updates - warm))) / 2
        ),
    )
    order = torch.Generator().manual_seed(seed)
    images, waiting = digit_vit.normalised(train.images), torch.empty(0, dtype=torch.long)
    losses: list[float] = []
    start = time.process_time()
    model.train()
    for _ in range(updates):
        if len(waiting) < BATCH:
            waiting = torch.randperm(len(train.labels), generator=order)
        chosen, waiting = waiting[:BATCH], waiting[BATCH:]
        losses.append(_update(model, images[chosen], train.labels[chosen], optimiser))
        schedule.step()
    seconds = time.process_time() - start
    found = training.accuracy(model, digit_vit.normalised(held_out.images), held_out.labels)
    return Ran(found, sum(losses[-20:]) / len(losses[-20:]), seconds)


def _update(model: nn.Module, batch: Tensor, right: Tensor, optimiser: torch.optim.Optimizer) -> float:
    loss = F.cross_entropy(model(batch), right)
    optimiser.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimiser.step()
    return loss.item()
