"""Lesson 07: a deep stack with its norms before or after the sum, its gradients at the start, and a short training."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.sentences import LENGTH, PAD, WORDS, corpus
from course_utils.text_net import TextNet, hide
from course_utils.training import seeded

__all__ = ["BLOCKS", "Gradients", "deep_losses", "gradients"]

#: Blocks of the stack, numbers in a token, heads.
BLOCKS, WIDTH, HEADS = 24, 64, 4
#: Updates of the short training, and how many sentences each reads.
UPDATES, BATCH = 200, 32


class Gradients(NamedTuple):
    """Lengths of the gradient at the input of each block (BLOCKS,), in parts of that after the last block.

    `skip`: on the skip paths alone, as if no branch passed a gradient on. `all`: through everything.
    """

    skip: list[float]
    all: list[float]


def _block(layer: nn.TransformerEncoderLayer, x: Tensor, padding: Tensor, cut: bool) -> Tensor:
    """One block from PyTorch's parts; `cut`: its two branches pass no gradient on."""

    def attend(x: Tensor) -> Tensor:
        mixed: Tensor = layer.self_attn(x, x, x, key_padding_mask=padding, need_weights=False)[0]
        return mixed.detach() if cut else mixed

    def think(x: Tensor) -> Tensor:
        thought: Tensor = layer.linear2(F.gelu(layer.linear1(x)))
        return thought.detach() if cut else thought

    if layer.norm_first:
        x = x + attend(layer.norm1(x))
        return x + think(layer.norm2(x))
    x = layer.norm1(x + attend(x))
    normed: Tensor = layer.norm2(x + think(x))
    return normed


def gradients(norm_first: bool, seed: int) -> Gradients:
    """Gradients of the masked words' loss in a stack with PyTorch's own weights at the start."""
    ids = corpus(64, seed).ids
    seen, labels = hide(ids, torch.Generator().manual_seed(seed))

    def build() -> nn.Module:
        layers = [
            nn.TransformerEncoderLayer(
                WIDTH, HEADS, 4 * WIDTH, dropout=0.0, activation="gelu", batch_first=True, norm_first=norm_first
            )
            for _ in range(BLOCKS)
        ]
        return nn.Sequential(nn.Embedding(len(WORDS), WIDTH), nn.Linear(WIDTH, len(WORDS)), *layers)

    parts: list[Any] = list(seeded(build, seed).children())
    embedding, head, layers = parts[0], parts[1], parts[2:]

    def lengths(cut: bool) -> list[float]:
        inputs = [embedding(seen).detach().requires_grad_()]  # (B, T, WIDTH)
        for layer in layers:
            inputs.append(_block(layer, inputs[-1], seen == PAD, cut))
            inputs[-1].retain_grad()
        last = F.layer_norm(inputs[-1], (WIDTH,)) if norm_first else inputs[-1]
        F.cross_entropy(head(last).flatten(0, 1), labels.flatten()).backward()
        found = [float(x.grad.norm()) for x in inputs if x.grad is not None]
        return [length / found[-1] for length in found[:-1]]

    return Gradients(lengths(True), lengths(False))


def deep_losses(norm_first: bool, seed: int, lr: float = 1e-3, show: bool = True) -> list[float]:
    """Train a stack of BLOCKS blocks from the start with Adam at a constant rate; the loss of each update."""
    model = seeded(lambda: TextNet(len(WORDS), LENGTH, blocks=BLOCKS, norm_first=norm_first), seed)
    data, drawn = corpus(4000, seed).ids, torch.Generator().manual_seed(seed)
    optimiser, losses, start = torch.optim.Adam(model.parameters(), lr=lr), [], time.process_time()
    for update in range(1, UPDATES + 1):
        seen, labels = hide(data[torch.randint(len(data), (BATCH,), generator=drawn)], drawn)
        loss = F.cross_entropy(model(seen).flatten(0, 1), labels.flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
        if show and (update % 10 == 0 or update == UPDATES):
            end = "\n" if update == UPDATES else ""
            spent = time.process_time() - start
            print(f"\rupdate {update} of {UPDATES} · loss {loss.item():.2f} · {spent:.0f} s", end=end, flush=True)
    return losses
