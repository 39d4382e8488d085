"""ViT-Tiny of timm, trained on ImageNet, in torchvision's VisionTransformer; fetched only when asked for.

The weights are under the Apache licence 2.0 (Google Research; ported by Ross Wightman). 5.7 million numbers.
"""

from __future__ import annotations

import os
import shutil
import urllib.request
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor
from torchvision.models import VisionTransformer

from course_utils.digits import FOLDER

__all__ = ["CLASSES", "MEAN", "NAME", "SIDE", "STD", "NoWeights", "from_timm", "labels", "load", "make", "normalised"]

#: The model on https://huggingface.co/timm: trained on ImageNet-21k, then on the 1,000 classes of ImageNet.
NAME = "vit_tiny_patch16_224.augreg_in21k_ft_in1k"
URL = f"https://huggingface.co/timm/{NAME}/resolve/main/model.safetensors"
FILE = f"{NAME}.safetensors"
#: Seconds after which a network that says nothing counts as closed.
PATIENCE = 20
SIDE, CLASSES = 224, 1000
#: Shift and scale of pixel values before the network: from [0, 1] to [-1, 1].
MEAN, STD = 0.5, 0.5
#: Where a name of timm's stands in torchvision's class: outside of the blocks, and inside of one.
OUTSIDE = {
    "cls_token": "class_token",
    "pos_embed": "encoder.pos_embedding",
    "patch_embed.proj": "conv_proj",
    "norm": "encoder.ln",
    "head": "heads.head",
}
INSIDE = {
    "norm1": "ln_1",
    "attn.qkv": "self_attention.in_proj",
    "attn.proj": "self_attention.out_proj",
    "norm2": "ln_2",
    "mlp.fc1": "mlp.0",
    "mlp.fc2": "mlp.3",
}
ADVICE = (
    "Without a network, use the small network for digits (`digit_vit.load()`), or `vit_tiny.make()`, which has the "
    "same sizes and random weights."
)


class NoWeights(RuntimeError):
    """The trained weights are not on this machine and could not be fetched, or do not fit; the message says why."""


def make() -> VisionTransformer:
    """ViT-Tiny with new weights, drawn from torch's generator: images (B, 3, 224, 224) to logits (B, 1000).

    Width 192, 12 blocks, 3 heads, patches of 16 x 16.

    The class starts its head at 0: so all logits are 0, and the first backward pass gives only the head a gradient.
    """
    return VisionTransformer(
        image_size=SIDE, patch_size=16, num_layers=12, num_heads=3, hidden_dim=192, mlp_dim=768, num_classes=CLASSES
    )


def normalised(images: Tensor) -> Tensor:
    """Images in [0, 1] as the network takes them, in [-1, 1]; the shape stays. Grey 0.5 becomes 0."""
    return (images - MEAN) / STD


def load(path: Path | None = None) -> VisionTransformer:
    """ViT-Tiny with the trained weights, in `eval` mode.

    Args:
        path: a file `model.safetensors` of timm's that you have. None: the one in the folder that COURSE_DATA names,
            else in `~/.cache/gates-to-transformers`; fetched (23 MB) if it is not there.

    Raises:
        NoWeights: no such file and no network, a damaged file, or weights of another model.
    """
    path = path or _fetched()
    try:
        stored = load_file(path)
    except (SafetensorError, OSError, ValueError) as error:
        raise NoWeights(
            f"{path} cannot be read as weights ({error}). If it is there, delete it, then try again. {ADVICE}"
        ) from error
    with torch.random.fork_rng(devices=[]):
        model = make()
    try:
        model.load_state_dict(from_timm(stored), strict=True)
    except (KeyError, RuntimeError) as error:
        raise NoWeights(f"{path} holds the weights of another model than {NAME} ({error}).") from error
    return model.eval()


def from_timm(stored: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Weights under timm's names, for a plain ViT of any size, under torchvision's.

    Both keep queries, keys and values in one matrix, in that order, so that only names change.

    Raises:
        KeyError: a name that timm's plain ViT does not have.
    """
    return {_renamed(name): tensor for name, tensor in stored.items()}


def labels() -> list[str]:
    """The names of ImageNet's 1,000 classes, in the order of the logits. They come with torchvision: no network."""
    from torchvision.models import ViT_B_16_Weights

    return list(ViT_B_16_Weights.IMAGENET1K_V1.meta["categories"])


def _renamed(name: str) -> str:
    if name in OUTSIDE:  # without .weight or .bias
        return OUTSIDE[name]
    place, _, kind = name.rpartition(".")
    if place in OUTSIDE:
        return f"{OUTSIDE[place]}.{kind}"
    if place.startswith("blocks."):
        _, block, inside = place.split(".", 2)
        joint = "_" if inside == "attn.qkv" else "."  # torchvision: in_proj_weight, but out_proj.weight
        return f"encoder.layers.encoder_layer_{block}.{INSIDE[inside]}{joint}{kind}"
    raise KeyError(name)


def _fetched() -> Path:
    """The file of weights in the course's folder of downloads, put there if it is not."""
    path = Path(os.environ.get(FOLDER) or Path.home() / ".cache" / "gates-to-transformers") / FILE
    if path.is_file():
        return path
    part = path.with_name(f"{FILE}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with urllib.request.urlopen(URL, timeout=PATIENCE) as answer, part.open("wb") as written:
            shutil.copyfileobj(answer, written)
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise NoWeights(
            f"The weights of {NAME} are not in {path.parent}, and could not be fetched ({error}). The network may be "
            f"closed. Go online, or get the file elsewhere from {URL} and put it there as {FILE}. {ADVICE}"
        ) from error
    return path
