#!/usr/bin/env python3
"""Trains the small vision transformer that comes with the course, and writes `course_utils/digit_vit.safetensors`.

`--check` writes nothing: it trains again from the same seed and compares the accuracies.
"""

from __future__ import annotations

import argparse
import datetime
import math
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
import torchvision
from torch import Tensor
from torchvision.models import VisionTransformer

from course_utils import digit_vit, training
from course_utils.digits import Digits

#: The recipe: AdamW, whose rate rises from 0 for WARM_UP of the updates, then falls to 0 along half a cosine.
SEED, EPOCHS, BATCH = 0, 35, 50
RATE, WEIGHT_DECAY, WARM_UP = 1.5e-3, 0.05, 0.1
#: Standard deviation of the positions at the start. The class has 0.02, far below the 1 of a patch of plain background,
#: and then spends the first epochs on learning where patches are.
POSITION = 0.3
#: Each training digit is shifted by up to so many pixels, turned by up to so many degrees, and scaled by so much.
SHIFT, TURN, SCALE = 2.0, 10.0, 0.1
#: So far may the accuracy on the test digits be from the one in the file when another machine trains again.
TOLERANCE = 0.015


@dataclass(frozen=True)
class Trained:
    """A network, its accuracy on the validation digits after each epoch, and the seconds of processor time it took."""

    model: VisionTransformer
    validation: tuple[float, ...]
    seconds: float


def moved(images: Tensor, draws: torch.Generator) -> Tensor:
    """Digits (B, 1, 28, 28), each shifted, turned and scaled a little by chance; black comes in from outside."""
    count = len(images)
    turn, scale, right, down = (2 * torch.rand(4, count, generator=draws) - 1) * torch.tensor(
        [math.radians(TURN), SCALE, 2 * SHIFT / digit_vit.SIDE, 2 * SHIFT / digit_vit.SIDE]
    ).unsqueeze(1)
    cosine, sine = turn.cos() * (1 + scale), turn.sin() * (1 + scale)
    rows = torch.stack([cosine, -sine, right, sine, cosine, down], -1).view(count, 2, 3)
    grid = F.affine_grid(rows, list(images.shape), align_corners=False)
    return F.grid_sample(images, grid, align_corners=False)


def rate(step: int, steps: int) -> float:
    """What the learning rate is multiplied by in update `step` of `steps`, counted from 0."""
    warm = WARM_UP * steps
    if step < warm:
        return (step + 1) / warm
    return 0.5 * (1 + math.cos(math.pi * (step - warm) / (steps - warm)))


def train(parts: tuple[Digits, Digits], seed: int = SEED, epochs: int = EPOCHS) -> Trained:
    """Train on the first part and watch the second; the weights are those after the last epoch, whatever was seen."""
    (images, labels), watched = parts
    model = training.seeded(digit_vit.make, seed)
    draws = torch.Generator().manual_seed(seed)
    torch.nn.init.normal_(model.encoder.pos_embedding, std=POSITION, generator=draws)
    optimiser = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=WEIGHT_DECAY)
    steps = epochs * math.ceil(len(labels) / BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: rate(step, steps))
    seen: list[float] = []
    start = time.process_time()
    for epoch in range(1, epochs + 1):
        model.train()
        total = 0.0
        for chosen in torch.randperm(len(labels), generator=draws).split(BATCH):
            logits = model(digit_vit.normalised(moved(images[chosen], draws)))
            loss = F.cross_entropy(logits, labels[chosen])
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total += loss.item() * len(chosen)
        seen.append(accuracy(model, watched))
        seconds = time.process_time() - start
        said = f"loss {total / len(labels):.4f} · validation {seen[-1]:.4f} · {seconds:.0f} s"
        print(f"epoch {epoch} of {epochs} · {said}", flush=True)
    return Trained(model.eval(), tuple(seen), time.process_time() - start)


def accuracy(model: VisionTransformer, part: Digits) -> float:
    """The share of these digits that are read right."""
    return training.accuracy(model, digit_vit.normalised(part.images), part.labels)


def write(trained: Trained, parts: tuple[Digits, Digits, Digits], seed: int, epochs: int, path: Path) -> None:
    """Write the file with facts about it; its accuracies are those of the numbers as the file holds them."""
    with tempfile.TemporaryDirectory() as folder:
        rounded = Path(folder) / "rounded"
        digit_vit.save(trained.model, rounded, {})
        model = digit_vit.load(rounded)
    names = ("train", "validation", "test")
    known = {f"{name}_accuracy": f"{accuracy(model, part):.4f}" for name, part in zip(names, parts, strict=True)}
    known |= {f"{name}_digits": str(len(part.labels)) for name, part in zip(names, parts, strict=True)}
    known |= {"test_accuracy_float32": f"{accuracy(trained.model, parts[2]):.4f}"}
    known |= {"seed": str(seed), "epochs": str(epochs), "batch": str(BATCH), "cpu_seconds": f"{trained.seconds:.0f}"}
    known |= {"parameters": str(training.count_parameters(model)), "licence": "MIT, like the course"}
    known |= {"torch": torch.__version__, "torchvision": torchvision.__version__}
    known |= {"python": sys.version.partition(" ")[0], "date": datetime.date.today().isoformat()}
    digit_vit.save(trained.model, path, known)
    print(*(f"{name}: {value}" for name, value in known.items()), f"{path.stat().st_size} bytes", sep="\n")


def check(seed: int, epochs: int) -> int:
    """Whether the file keeps its word, and whether training again leads where it led; 0 if so."""
    train_part, watched, test = digit_vit.split()
    said = float(digit_vit.facts()["test_accuracy"])
    shipped = accuracy(digit_vit.load(), test)
    again = accuracy(train((train_part, watched), seed, epochs).model, test)
    print(f"test accuracy: {said:.4f} in the file, {shipped:.4f} measured, {again:.4f} trained again")
    if abs(shipped - said) > 0.002:
        print("The file's weights do not have the accuracy that it states.", file=sys.stderr)
        return 1
    if abs(again - said) > TOLERANCE:
        print(f"Trained again, the accuracy is further than {TOLERANCE} from the file's.", file=sys.stderr)
        return 1
    return 0


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="train again, compare, write nothing")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--into", type=Path, default=digit_vit.WEIGHTS, help="the file to write")
    asked = parser.parse_args()
    if asked.check:
        return check(asked.seed, asked.epochs)
    parts = digit_vit.split()
    write(train(parts[:2], asked.seed, asked.epochs), parts, asked.seed, asked.epochs, asked.into)
    return 0


if __name__ == "__main__":
    sys.exit(main())
