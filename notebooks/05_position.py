# ---
# jupyter:
#   jupytext:
#     notebook_metadata_filter: course,kernelspec,jupytext,-jupytext.text_representation.jupytext_version
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 05 · Position, in class
#
# **The question:** attention compares every token with every token. Does it know where they are?

# %% tags=["parameters"]
PRESET = "quick"
SEED = 0

# %%
import math
from functools import cache

from course_utils import claims, settings
from course_utils import position_experiment as experiment
from course_utils.claims import claim

settings.prepare(seed=SEED, preset=PRESET)

# %%
LONG = ("no position", "learned, start .02", "learned, start 1", "bias, default rate")
BIASES = ("bias, default rate", "bias, 10 × rate", "bias = 10 · b′")


@cache
def story(name: str, seed: int) -> experiment.Story:
    """One run of the experiment; of those in `LONG` the first three seeds go on to 30 epochs."""
    found = experiment.run(name, seed, epochs=30 if name in LONG and seed < 3 else 10, show=False)
    print(
        f"{name}, seed {seed}: {found.accuracies[9]:.3f}, {found.accuracies[-1]:.3f}, {found.seconds:.0f} s", flush=True
    )
    return found


# %%
TABLE = "left of: nine networks, three seeds, 10 epochs"
LONGER = "left of: three seeds, 30 epochs"
NIGHT = "left of: no position, bias at 10 × rate, RoPE, three seeds"
claim(TABLE, lambda: [[story(name, seed).accuracies[9] for seed in range(3)] for name in experiment.MODELS],
      expect=0.75, tol=0.3, preset="full")  # fmt: skip
claim(LONGER, lambda: [[story(name, seed).accuracies[29] for seed in range(3)] for name in LONG],
      expect=0.75, tol=0.3, preset="full")  # fmt: skip
claim("left of: bias at the default rate, eight seeds",
      lambda: [story("bias, default rate", seed).accuracies[9] for seed in range(8)],
      expect=0.75, tol=0.3, preset="full")  # fmt: skip
claim("left of: learned position that starts at 1, eight seeds",
      lambda: [story("learned, start 1", seed).accuracies[9] for seed in range(8)],
      expect=0.75, tol=0.3, preset="full")  # fmt: skip
claim("left of: learned position that starts at .02, eight seeds",
      lambda: [story("learned, start .02", seed).accuracies[9] for seed in range(8)],
      expect=0.75, tol=0.3, preset="full")  # fmt: skip
claim("left of: accuracy after each epoch, seed 0",
      lambda: [story(name, 0).accuracies[:10] for name in experiment.MODELS],
      expect=0.75, tol=0.3, preset="full")  # fmt: skip

# %%
claim("largest |b| every 10 updates, three seeds",
      lambda: [[story(name, seed).largest[:63] for seed in range(3)] for name in BIASES],
      expect=3, tol=3, preset="full")  # fmt: skip
claim("largest |b| every 10 updates, default rate, 30 epochs",
      lambda: [story("bias, default rate", seed).largest for seed in range(3)],
      expect=2, tol=2, preset="full")  # fmt: skip
claim("log10 of the bias's gradient norm, default rate, three seeds",
      lambda: [[math.log10(max(norm, 1e-12)) for norm in story("bias, default rate", seed).gradients[:63]] for seed in range(3)],
      expect=-4, tol=4, preset="full")  # fmt: skip
claim(NIGHT, lambda: [[story(name, seed).accuracies[9] for seed in range(3)]
      for name in ("no position", "bias, 10 × rate", "RoPE")],
      expect=[[0.5] * 3, [1.0] * 3, [1.0] * 3], tol=0.1, preset="nightly")  # fmt: skip
