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
# # 06 · The vision transformer, part 2: look inside

# %% tags=["parameters"]
PRESET = "quick"
SEED = 0

# %%
import torch

from course_utils import claims, digit_vit, settings, vit_inside_race as race
from course_utils.claims import claim
from course_utils.digits import Digits

settings.prepare(seed=SEED, preset=PRESET)

# %%
train, validation, test = digit_vit.split()
four_thousand = Digits(*(torch.cat(pair) for pair in zip(train, validation, strict=True)))  # no choice is left: use both


def first(count: int, digits: Digits = four_thousand) -> Digits:
    return Digits(digits.images[:count], digits.labels[:count])


def raced(name: str, count: int, seed: int) -> float:
    ran = race.run(name, first(count), test, seed=seed)
    print(f"{name:>12}, {count:,} digits, seed {seed}: {ran.accuracy:.3f} in {ran.seconds:.0f} s", flush=True)
    return ran.accuracy


def rated(name: str, rate: float) -> float:
    return race.run(name, first(2000, train), validation, seed=0, rate=rate, updates=400).accuracy


# %%
READ = "readouts: ViT that averages its patches, 2,000 digits, three seeds"
claim(READ, lambda: [raced("ViT, average", 2000, seed) for seed in range(3)], expect=0.8, tol=0.2, preset="full")
for name in ("ViT", "CNN"):
    claim(f"race: {name}, accuracy by digits and seed", lambda name=name: [[raced(name, n, s) for s in range(3)] for n in race.SIZES],
          expect=0.7, tol=0.3, preset="full")
    claim(f"race: {name}, validation accuracy by rate", lambda name=name: [rated(name, rate) for rate in (7e-4, 1.5e-3, 3e-3, 6e-3)],
          expect=0.7, tol=0.3, preset="full")
