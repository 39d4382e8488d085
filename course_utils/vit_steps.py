"""Lesson 06, step by step: the shapes inside a vision transformer, its readouts, and who gets a gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle
from torchvision.models import VisionTransformer

__all__ = ["PARTS", "gradients", "place_of", "read_the_average", "shapes_of"]

#: The parts of torchvision's class that learn, from the pixels to the scores, with how their parameters' names begin.
PARTS = {
    "patch conv": "conv_proj",
    "CLS": "class_token",
    "positions": "encoder.pos_embedding",
    "blocks": "encoder.layers",
    "final norm": "encoder.ln",
    "head": "heads",
}


def shapes_of(model: nn.Module, images: Tensor, names: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """The shape of what each named part gives for these images, in the order in which the parts are called.

    Args:
        model: any network of images.
        images: (B, 3, h, w).
        names: of submodules, as `model.named_modules()` says them.

    Raises:
        AttributeError: the model has no such part.
    """
    found: dict[str, tuple[int, ...]] = {}

    def keep(name: str) -> Any:
        def hook(module: nn.Module, inputs: Any, output: Any) -> None:
            found[name] = tuple((output[0] if isinstance(output, tuple) else output).shape)

        return hook

    handles = [model.get_submodule(name).register_forward_hook(keep(name)) for name in names]
    try:
        with torch.no_grad():
            model(images)
    finally:
        for handle in handles:
            handle.remove()
    return found


def place_of(number: int, columns: int = 14) -> tuple[int, int]:
    """Row and column, counted from 1, of the patch with this number, counted from 1 in reading order.

    Raises:
        ValueError: a number or columns below 1.
    """
    if min(number, columns) < 1:
        raise ValueError(f"Patches and columns are counted from 1, got {number} and {columns}.")
    row, column = divmod(number - 1, columns)
    return row + 1, column + 1


def read_the_average(model: VisionTransformer) -> RemovableHandle:
    """From now on the head reads the average of the patches' final tokens in place of CLS; `remove()` what is returned.

    The class reads token 0 of what its encoder gives, so a hook leaves it one token: (B, T + 1, D) becomes (B, 1, D).
    """

    def average(module: nn.Module, inputs: Any, tokens: Tensor) -> Tensor:
        return tokens[:, 1:].mean(1, keepdim=True)

    return model.encoder.register_forward_hook(average)


def gradients(model: VisionTransformer) -> dict[str, float]:
    """The length of the gradient of each of PARTS after `backward`: the root of the sum of squares; 0 without one."""
    held = dict.fromkeys(PARTS, 0.0)
    for name, parameter in model.named_parameters():
        part = next(part for part, begins in PARTS.items() if name.startswith(begins))
        if parameter.grad is not None:
            held[part] += float(parameter.grad.double().square().sum())
    return {part: total**0.5 for part, total in held.items()}
