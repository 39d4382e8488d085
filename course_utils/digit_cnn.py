"""The lecture's small network for digits, and what happens to variances in it: forward, backward and at the weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

__all__ = ["BACKWARD", "BRANCHES", "FORWARD", "WEIGHTS", "DigitCNN", "Passes", "one_pass", "passes"]

#: What `one_pass` measures on the way forward: variances, after a ReLU second moments.
FORWARD = ("stem", "pool 1", "X1", "pool 2", "X2", "X3")
BRANCHES = ("ReLU 1", "ReLU 2", "ReLU 3")
#: Where it measures gradients, in the order in which they are computed.
BACKWARD = ("X3", "X2", "pool 2", "X1", "pool 1", "stem", "image")
#: The convolutions, from the image on.
WEIGHTS = ("stem", "1a", "1b", "2a", "2b", "3a", "3b")


class DigitCNN(nn.Module):
    """Stem 5 x 5, pool, residual block, pool, two residual blocks, average over the map, linear head. No biases.

    A block is (GroupNorm, ReLU, conv 3 x 3) twice, added to what came in. Zero padding keeps the sizes; the stem's
    weights have variance 1/25, those of the blocks 2/fan-in (He), those of the head 1/width.

    Args:
        width: channels of every layer.
        groups: of the GroupNorms, which learn no scale and no shift.
        pool: what shrinks the map by 2 x 2, twice.
    """

    def __init__(self, width: int = 32, groups: int = 4, pool: Callable[[Tensor, int], Tensor] = F.max_pool2d) -> None:
        super().__init__()
        self.groups, self.pool = groups, pool
        self.stem = nn.Parameter(torch.randn(width, 1, 5, 5) / 5)
        he = (2 / (9 * width)) ** 0.5
        self.blocks = nn.ParameterList([nn.Parameter(torch.randn(width, width, 3, 3) * he) for _ in range(6)])
        self.head = nn.Linear(width, 10, bias=False)
        nn.init.normal_(self.head.weight, std=width**-0.5)
        self.kept: dict[str, Tensor] | None = None

    def forward(self, images: Tensor) -> Tensor:
        """From images (B, 1, 28, 28), normalised, to logits (B, 10)."""
        x = self._keep("stem", F.conv2d(self._keep("image", images), self.stem, padding=2))  # (B, width, 28, 28)
        x = self._keep("pool 1", self.pool(x, 2))  # (B, width, 14, 14)
        x = self._block(1, x)
        x = self._keep("pool 2", self.pool(x, 2))  # (B, width, 7, 7)
        x = self._block(3, self._block(2, x))
        x = self._keep("ReLU of the head", F.relu(F.group_norm(x, self.groups)))
        return self.head(x.mean((2, 3)))  # (B, 10)

    def _block(self, number: int, x: Tensor) -> Tensor:
        """Block 1, 2 or 3: x (B, width, h, w) plus its branch."""
        z = x
        for part, weight in zip("ab", self.blocks[2 * number - 2 : 2 * number], strict=True):
            z = F.relu(F.group_norm(z, self.groups))
            if part == "a":
                self._keep(f"ReLU {number}", z)
            z = self._keep(f"{number}{part}", F.conv2d(z, weight, padding=1))
        return self._keep(f"X{number}", x + z)

    def _keep(self, name: str, x: Tensor) -> Tensor:
        if self.kept is not None:
            if x.requires_grad:
                x.retain_grad()
            self.kept[name] = x
        return x

    @contextmanager
    def keeping(self) -> Iterator[dict[str, Tensor]]:
        """Within this block the network keeps what its layers make, with gradients, under the names above."""
        kept: dict[str, Tensor] = {}
        self.kept = kept
        try:
            yield kept
        finally:
            self.kept = None


@dataclass(frozen=True)
class Passes:
    """One number for each draw of the weights and each place.

    Attributes:
        forward: (draws, 6) variances at `FORWARD`.
        relus: (draws, 3) second moments after the first ReLU of each block.
        backward: (draws, 7) mean squared gradients at `BACKWARD`; those at the logits are N(0, 1).
        zeros: (draws, 2) the share of gradients that are exactly 0 in front of the second and the first pool.
        arriving: (draws, 6) root mean square of the gradients that arrive at the outputs of the blocks' convolutions.
        weight_gradients: (draws, 7) root mean square of the weights' gradients, in the order of `WEIGHTS`.
        ratios: (draws, 7) length of the gradient over length of the weights, for the same.
    """

    forward: Tensor
    relus: Tensor
    backward: Tensor
    zeros: Tensor
    arriving: Tensor
    weight_gradients: Tensor
    ratios: Tensor


def one_pass(images: Tensor, seed: int, *, groups: int = 4) -> tuple[DigitCNN, dict[str, Tensor]]:
    """A fresh network with weights and output gradients from `seed`, after one pass forward and backward.

    Returns:
        the network, with gradients of its weights, and what its layers made, with gradients.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net = DigitCNN(groups=groups)
        with net.keeping() as kept:
            logits = net(images.detach().clone().requires_grad_())
            logits.backward(torch.randn(logits.shape))
    return net, kept


def passes(images: Tensor, seeds: Sequence[int], *, groups: int = 4) -> Passes:
    """What `one_pass` gives for several draws of the weights, in numbers."""
    rows = [_numbers(images, seed, groups) for seed in seeds]
    return Passes(*(torch.stack(column) for column in zip(*rows, strict=True)))


def _numbers(images: Tensor, seed: int, groups: int) -> list[Tensor]:
    """One row of each field of `Passes`. What the layers made is freed with this call: it is a few hundred MB."""
    net, kept = one_pass(images, seed, groups=groups)
    weights = [net.stem, *net.blocks]
    gradients = [_gradient(weight) for weight in weights]
    return [
        torch.stack([kept[name].detach().var() for name in FORWARD]),
        torch.stack([kept[name].detach().square().mean() for name in BRANCHES]),
        torch.stack([_gradient(kept[name]).square().mean() for name in BACKWARD]),
        torch.stack([(_gradient(kept[name]) == 0).float().mean() for name in ("X1", "stem")]),
        torch.stack([_gradient(kept[name]).square().mean().sqrt() for name in WEIGHTS[1:]]),
        torch.stack([gradient.square().mean().sqrt() for gradient in gradients]),
        torch.stack([g.norm() / w.detach().norm() for g, w in zip(gradients, weights, strict=True)]),
    ]


def _gradient(x: Tensor) -> Tensor:
    assert x.grad is not None
    return x.grad
