"""One call at the top of a notebook that makes it run the same way, and at the same speed, on every machine."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
import torch

__all__ = ["PRESETS", "SEED", "THREADS", "affords", "prepare", "preset", "seed"]

#: How much a notebook computes, the cheapest first: `quick` in class, `nightly` in CI, `full` at the lecture's own
#: sizes (hours).
PRESETS = ("quick", "nightly", "full")
#: Every lesson starts from this seed unless it says otherwise.
SEED = 0
#: Our tensors are small: more threads than this cost time, and on a shared machine they take it from others.
THREADS = 2


@dataclass(frozen=True)
class _Prepared:
    """What the last `prepare` was asked for."""

    seed: int
    preset: str


_prepared = _Prepared(SEED, PRESETS[0])


def prepare(seed: int = SEED, threads: int = THREADS, preset: str = PRESETS[0]) -> None:
    """Seed every random generator, limit the threads of torch and let it round the tiniest numbers to zero.

    Args:
        seed: for `random`, `numpy.random` and torch.
        threads: at most this many threads; a lower limit that is already set (`OMP_NUM_THREADS`) stays.
        preset: how much this notebook computes; one of `PRESETS`.

    Raises:
        ValueError: `threads` is below 1, `seed` is not in [0, 2**32), or there is no such preset.
    """
    global _prepared
    if threads < 1:
        raise ValueError(f"threads must be at least 1, not {threads}.")
    if not 0 <= seed < 2**32:
        raise ValueError(f"seed must lie in [0, 2**32), not {seed}.")
    _rank(preset)
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    if torch.get_num_threads() > threads:
        torch.set_num_threads(threads)
    # Softmax without a scale makes subnormal numbers; arithmetic on them was 12 times slower when we measured it.
    torch.set_flush_denormal(True)
    _prepared = _Prepared(seed, preset)


def preset() -> str:
    """The preset that this notebook was prepared with; `quick` until it says otherwise."""
    return _prepared.preset


def seed() -> int:
    """The seed that this notebook was prepared with."""
    return _prepared.seed


def affords(needed: str) -> bool:
    """Whether the current preset is at least as dear as the one that something needs.

    Raises:
        ValueError: there is no such preset.
    """
    return _rank(preset()) >= _rank(needed)


def _rank(name: str) -> int:
    if name not in PRESETS:
        raise ValueError(f"there is no preset {name!r}. Choose one of {', '.join(PRESETS)}.")
    return PRESETS.index(name)
