"""Covers of one patch each, laid on at the patch layer: what the network makes of a digit with one patch grey."""

from __future__ import annotations

import torch
from torch import Tensor
from torchvision.models import VisionTransformer

__all__ = ["drops", "under_covers"]


def under_covers(model: VisionTransformer, digit: Tensor, fill: float = 0.0) -> Tensor:
    """Probabilities under 49 covers, one for each patch, from one call.

    A patch whose pixels are all `fill` leaves the patch layer as one and the same vector, wherever it lies; for grey,
    which is 0, this is the layer's bias. So the covers are laid on behind that layer, and the pixels stay as they are.

    Args:
        model: the network.
        digit: (3, 28, 28), normalised.
        fill: the normalised value of the covers: 0 is grey, -1 is black.

    Returns:
        (49, classes), patches in reading order.
    """
    layer = model.conv_proj
    with torch.no_grad():
        features = layer(digit[None])[0].flatten(1)  # (width, 49)
        plain = layer(torch.full_like(digit, fill)[None])[0].flatten(1)  # (width, 49)
        each = torch.eye(features.shape[1]).bool()[:, None]  # (49, 1, 49): cover i lies on patch i
        covered = torch.where(each, plain, features)  # (49, width, 49)
        handle = layer.register_forward_hook(lambda *_: covered.unflatten(2, (7, 7)))
        try:
            return model(digit.expand(len(covered), -1, -1, -1)).softmax(-1)
        finally:
            handle.remove()


def drops(model: VisionTransformer, digit: Tensor, label: int, fill: float = 0.0) -> Tensor:
    """Map (7, 7): by how much the probability of `label` falls under each cover. Arguments as in `under_covers`."""
    with torch.no_grad():
        before = model(digit[None]).softmax(-1)[0, label]
    return (before - under_covers(model, digit, fill)[:, label]).view(7, 7)
