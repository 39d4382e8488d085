"""What happens inside torchvision's VisionTransformer: the gates of every head and the tokens after every block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor, nn
from torchvision.models import VisionTransformer

__all__ = ["Inside", "recorded"]


@dataclass
class Inside:
    """What the last call of the network left; of each list, one entry for a block. T = patches + 1, class token first.

    Attributes:
        embedded: (B, T, width) the tokens before the first block: class token and patches, positions added.
        gates: (B, heads, T, T) each; rows are queries, columns keys.
        tokens: (B, T, width) each, after the block; the last still without the network's final LayerNorm.
    """

    embedded: Tensor | None = None
    gates: list[Tensor] = field(default_factory=list)
    tokens: list[Tensor] = field(default_factory=list)

    def patches(self, block: int) -> Tensor:
        """The tokens of the patches after a block, as a map (B, rows, columns, width); block -1 is the last.

        Raises:
            ValueError: the network was not called yet, has no such block, or its patches form no square.
        """
        if not -len(self.tokens) <= block < len(self.tokens):
            raise ValueError(f"{len(self.tokens)} blocks were recorded, so there is no block {block}.")
        features = self.tokens[block][:, 1:]  # (B, T - 1, width)
        side = round(features.shape[1] ** 0.5)
        if side * side != features.shape[1]:
            raise ValueError(f"{features.shape[1]} patches form no square.")
        return features.unflatten(1, (side, side))


@contextmanager
def recorded(model: VisionTransformer) -> Iterator[Inside]:
    """While this is open, each call of the network leaves its gates and tokens in what is given.

    The network computes what it computes otherwise, up to rounding: a block asks its attention for no gates, and a hook
    asks for them. Gradients flow through what was recorded; call the network under `torch.no_grad()` where none are
    wanted. With dropout in the attention (none in our networks), gates are those before it only in `eval` mode.

        with vit_hooks.recorded(model) as inside, torch.no_grad():
            logits = model(images)
        inside.gates[5][0, :, 0, 1:]  # last of six blocks, first image, all heads: what the class token reads
    """
    inside = Inside()

    def begin(module: nn.Module, inputs: tuple[Any, ...]) -> None:
        inside.gates.clear()
        inside.tokens.clear()

    def embed(module: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        (inside.embedded,) = inputs

    def ask(module: nn.Module, inputs: tuple[Any, ...], words: dict[str, Any]) -> tuple[tuple[Any, ...], dict]:
        return inputs, {**words, "need_weights": True, "average_attn_weights": False}

    def keep_gates(module: nn.Module, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
        inside.gates.append(output[1])

    def keep_tokens(module: nn.Module, inputs: tuple[Any, ...], output: Tensor) -> None:
        inside.tokens.append(output)

    handles = [model.register_forward_pre_hook(begin), model.encoder.layers.register_forward_pre_hook(embed)]
    try:
        for block in model.encoder.layers:
            handles += [
                block.self_attention.register_forward_pre_hook(ask, with_kwargs=True),
                block.self_attention.register_forward_hook(keep_gates),
                block.register_forward_hook(keep_tokens),
            ]
        yield inside
    finally:
        for handle in handles:
            handle.remove()
