"""One call at the top of a notebook that makes it run the same way, and at the same speed, on every machine."""

from __future__ import annotations

import random

import numpy as np
import torch

__all__ = ["PRESETS", "SEED", "THREADS", "prepare"]

#: How much a notebook computes: `quick` in class, `nightly` in CI, `full` at the lecture's own sizes (hours).
PRESETS = ("quick", "nightly", "full")
#: Every lesson starts from this seed unless it says otherwise.
SEED = 0
#: Our tensors are small: more threads than this cost time, and on a shared machine they take it from others.
THREADS = 2


def prepare(seed: int = SEED, threads: int = THREADS) -> None:
    """Seed every random generator, limit the threads of torch and let it round the tiniest numbers to zero.

    Args:
        seed: for `random`, `numpy.random` and torch.
        threads: at most this many threads; a lower limit that is already set (`OMP_NUM_THREADS`) stays.

    Raises:
        ValueError: `threads` is below 1 or `seed` is not in [0, 2**32).
    """
    if threads < 1:
        raise ValueError(f"threads must be at least 1, not {threads}.")
    if not 0 <= seed < 2**32:
        raise ValueError(f"seed must lie in [0, 2**32), not {seed}.")
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    if torch.get_num_threads() > threads:
        torch.set_num_threads(threads)
    # Softmax without a scale makes subnormal numbers; arithmetic on them was 12 times slower when we measured it.
    torch.set_flush_denormal(True)
