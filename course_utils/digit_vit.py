"""A small vision transformer that reads digits: PyTorch's own class, with weights that come with the course."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor
from torchvision.models import VisionTransformer

from course_utils import digits
from course_utils.digits import Digits

__all__ = [
    "BLOCKS",
    "HEADS",
    "HIDDEN",
    "LABELS",
    "MEAN",
    "PATCH",
    "SIDE",
    "STD",
    "TEST",
    "TRAIN",
    "VALIDATION",
    "WEIGHTS",
    "WIDTH",
    "BadWeights",
    "facts",
    "load",
    "make",
    "normalised",
    "save",
    "split",
]

#: Pixels of an image and of a patch along one side: 7 x 7 = 49 patches, with the class token 50 tokens.
SIDE, PATCH = 28, 4
#: Numbers in a token and in the hidden layer of a block's feed-forward part; blocks; heads in each.
WIDTH, HIDDEN, BLOCKS, HEADS = 60, 240, 6, 3
#: Shift and scale of pixel values before the network, as ViT-Tiny has them: from [0, 1] to [-1, 1].
MEAN, STD = 0.5, 0.5
#: What the ten logits stand for.
LABELS = tuple("0123456789")
#: The trained weights, which `scripts/train_digit_vit.py` makes.
WEIGHTS = Path(__file__).with_name("digit_vit.safetensors")
#: How many of the 5,000 digits are trained on, watched while settings are chosen, and kept for the end.
TRAIN, VALIDATION, TEST = 3600, 400, 1000
#: The entry of a file's facts that tells whether its numbers are as they were written.
CHECKSUM = "sha256"


class BadWeights(RuntimeError):
    """The file of weights is missing, damaged, or made for another network; the message says what to do."""


def make(classes: int = len(LABELS)) -> VisionTransformer:
    """The network with new weights, drawn from torch's generator; `training.seeded` fixes them.

    The class starts its head at 0: so all logits are 0, and the first backward pass gives only the head a gradient.

    Args:
        classes: how many logits it answers with.

    Returns:
        A module from images (B, 3, 28, 28), see `normalised`, to logits (B, classes).
    """
    return VisionTransformer(
        image_size=SIDE,
        patch_size=PATCH,
        num_layers=BLOCKS,
        num_heads=HEADS,
        hidden_dim=WIDTH,
        mlp_dim=HIDDEN,
        num_classes=classes,
    )


def normalised(images: Tensor) -> Tensor:
    """From grey images (..., 1, 28, 28) in [0, 1] to what the network takes: (..., 3, 28, 28) in [-1, 1].

    The class wants three channels, so that the grey is repeated. Grey 0.5 becomes 0.
    """
    return ((images - MEAN) / STD).expand(*images.shape[:-3], 3, *images.shape[-2:])


def split() -> tuple[Digits, Digits, Digits]:
    """The digits to train on (3,600), to watch (400) and to test on (1,000).

    The trained network has seen none of the last two. The test digits are those of `digits.load()`; other arguments
    of `digits.load` mix the parts.

    Raises:
        digits.MissingDigits: the package with the digits is not installed.
    """
    both, test = digits.load(TRAIN + VALIDATION, TEST, seed=0)
    train, validation = (Digits(both.images[part], both.labels[part]) for part in (slice(TRAIN), slice(TRAIN, None)))
    return train, validation, test


def load(path: Path | None = None) -> VisionTransformer:
    """The trained network in `eval` mode. Never downloads anything.

    Args:
        path: the file of weights; by default the one of this package.

    Raises:
        BadWeights: the file is missing, damaged, or for another network.
    """
    path = path or WEIGHTS
    stored, known = _read(path)
    if known.get(CHECKSUM) != _checksum(stored):
        raise BadWeights(f"{path} is damaged: its numbers are not those that were written. {_advice(path)}")
    with torch.random.fork_rng(devices=[]):  # new weights are drawn, then replaced: that should change nobody's draws
        model = make()
    try:
        model.load_state_dict({name: tensor.float() for name, tensor in stored.items()}, strict=True)
    except RuntimeError as error:
        raise BadWeights(f"{path} holds the weights of another network ({error}). {_advice(path)}") from error
    return model.eval()


def facts(path: Path | None = None) -> dict[str, str]:
    """What the file of weights says of itself: seed, epochs, accuracies, versions, date.

    Raises:
        BadWeights: the file is missing or damaged.
    """
    return _read(path or WEIGHTS)[1]


def save(model: VisionTransformer, path: Path, known: Mapping[str, str]) -> None:
    """Write a network's weights as float16, with these facts about them."""
    stored = {name: tensor.detach().half().contiguous() for name, tensor in model.state_dict().items()}
    save_file(stored, path, metadata={**known, CHECKSUM: _checksum(stored)})


def _read(path: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    if not path.is_file():
        raise BadWeights(f"{path} is missing. {_advice(path)}")
    try:
        with safe_open(path, framework="pt") as held:
            return {name: held.get_tensor(name) for name in held.keys()}, dict(held.metadata() or {})  # noqa: SIM118
    except (SafetensorError, OSError, ValueError) as error:
        raise BadWeights(f"{path} cannot be read ({error}). {_advice(path)}") from error


def _advice(path: Path) -> str:
    if path == WEIGHTS:
        return "It comes with the course: get the course's folder again."
    return "Name a file that `digit_vit.save` wrote."


def _checksum(stored: Mapping[str, Tensor]) -> str:
    """SHA-256 over all numbers, in the order of their names."""
    total = hashlib.sha256()
    for name in sorted(stored):
        total.update(stored[name].contiguous().view(torch.uint8).numpy().tobytes())
    return total.hexdigest()
