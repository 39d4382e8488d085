"""The lecture's residual network for digits with its two pools left open, so that pools can be compared."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils import training

__all__ = ["Compared", "PoolNet", "compare", "gradient_share", "small_net"]


def _no_bias(conv: nn.Conv2d) -> None:
    """Biases start at 0."""
    if conv.bias is not None:
        nn.init.zeros_(conv.bias)


class Block(nn.Module):
    """A pre-norm residual block: twice (GroupNorm, ReLU, convolution 3 x 3), added to what came in."""

    def __init__(self, channels: int, groups: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = (nn.GroupNorm(groups, channels) for _ in range(2))
        self.conv1, self.conv2 = (nn.Conv2d(channels, channels, 3, padding=1) for _ in range(2))
        for conv in (self.conv1, self.conv2):
            nn.init.kaiming_normal_(conv.weight, nonlinearity="relu")
            _no_bias(conv)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.conv1(F.relu(self.norm1(x)))
        out = self.conv2(F.relu(self.norm2(out)))
        return x + out


class PoolNet(nn.Module):
    """From digits (B, 1, 28, 28) to logits (B, 10): stem, pool, block, pool, two blocks, average, linear.

    Args:
        make_pool: makes a pool for so many channels, from (B, C, h, w) to (B, C, h/2, w/2); called twice.
        channels: of every feature map; `groups` of each GroupNorm divide them.
    """

    def __init__(self, make_pool: Callable[[int], nn.Module], channels: int = 32, groups: int = 8) -> None:
        super().__init__()
        self.stem = nn.Conv2d(1, channels, 5, padding=2)
        nn.init.normal_(self.stem.weight, std=0.2)  # variance 1/25: a sum of 25 products keeps the variance
        _no_bias(self.stem)
        self.pool1, self.pool2 = make_pool(channels), make_pool(channels)
        self.block1, self.block2, self.block3 = (Block(channels, groups) for _ in range(3))
        self.norm, self.head = nn.GroupNorm(groups, channels), nn.Linear(channels, 10)

    def forward(self, images: Tensor) -> Tensor:
        x = self.block1(self.pool1(self.stem(images)))  # (B, C, 14, 14)
        x = self.block3(self.block2(self.pool2(x)))  # (B, C, 7, 7)
        return self.head(F.relu(self.norm(x)).mean((2, 3)))  # (B, 10)


def small_net(make_pool: Callable[[int], nn.Module]) -> nn.Sequential:
    """A plain network for digits that learns in seconds: three convolutions, a pool after each of the first two.

    Unlike `PoolNet` it has no residual blocks, and its last layer reads every place of the last map.
    """
    layers: list[nn.Module] = []
    for before, after in ((1, 8), (8, 16), (16, 16)):
        layers += [nn.Conv2d(before, after, 3, padding=1), nn.GroupNorm(4, after), nn.ReLU()]
        if before < 16:
            layers.append(make_pool(after))
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(16 * 49, 10))


@dataclass(frozen=True)
class Compared:
    """What came of one network: `accuracy` on the held-out digits, `seconds` of the processor, and the network."""

    accuracy: float
    seconds: float
    net: nn.Module


def compare(
    make_net: Callable[[], nn.Module],
    train: tuple[Tensor, Tensor],
    test: tuple[Tensor, Tensor],
    *,
    seed: int,
    epochs: int = 6,
    batch: int = 128,
    lr: float = 1e-3,
) -> Compared:
    """Train a network with Adam and a learning rate that falls to 0 in a straight line.

    With a constant rate single epochs swing by more than pools differ.

    Args:
        make_net: makes the network; called with torch's generator at `seed`.
        train, test: digits (n, 1, 28, 28), normalised, with labels (n,).
        seed: of the weights and of the order of the digits.
        epochs, batch, lr: as they are called.
    """
    inputs, labels = train
    net = training.seeded(make_net, seed).to(memory_format=torch.channels_last)
    order, optimiser = torch.Generator().manual_seed(seed), torch.optim.Adam(net.parameters(), lr=lr)
    steps, done, start = epochs * -(-len(labels) // batch), 0, time.process_time()
    net.train()
    for _ in range(epochs):
        for chosen in torch.randperm(len(labels), generator=order).split(batch):
            optimiser.param_groups[0]["lr"] = lr * (1 - done / steps)
            loss = F.cross_entropy(net(inputs[chosen]), labels[chosen])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            done += 1
    return Compared(training.accuracy(net, *test), time.process_time() - start, net)


def gradient_share(make_pool: Callable[[int], nn.Module], images: Tensor, labels: Tensor, seed: int = 0) -> float:
    """Of the numbers that the second pool of an untrained network is given: the share whose gradient is not 0."""
    net = cast(PoolNet, training.seeded(lambda: PoolNet(make_pool), seed))
    heard: list[Tensor] = []

    def listen(_pool: nn.Module, into: Any, _out: Any) -> None:
        heard.append(into[0])

    net.pool2.register_full_backward_hook(listen)
    F.cross_entropy(net(images), labels).backward()
    return (heard[0] != 0).double().mean().item()
