"""The text of a tiny in-class notebook with everything live: prompts, cells that a class writes, a vote, claims."""

from __future__ import annotations

from pathlib import Path

from lesson_text import HEADER

LIVE_NAME = "07_live"

LIVE = f"""{HEADER}# %% [markdown]
# # A tiny hour

# %% [markdown] tags=["teacher"]
# Five minutes. The answer to the vote is B.

# %% tags=["parameters"]
PRESET = "quick"

# %%
import matplotlib.pyplot as plt
import torch

from course_utils import live, settings
from course_utils.claims import claim

# %matplotlib inline
settings.prepare(seed=0, preset=PRESET)
x = torch.arange(6.0).reshape(2, 3)
typed = []

# %% [markdown]
# Write `mean`, the average of each row. Of `x` it gives 1 and 4.

# %% tags=["live"] live="mean"
def mean(rows):
    total = rows.sum(dim=-1)  # (B,)
    return total / rows.shape[-1]


averages = mean(x)
averages

# %%
claim("mean of all averages", averages.mean(), expect=2.5, tol=1e-6, source="by hand")
figure, axes = plt.subplots(figsize=(2, 1))
axes.plot(averages)
print("drawn")

# %%
live.vote("What happens to the mean if all numbers double?", {{"A": "nothing", "B": "it doubles"}}, answer="B", why="$2x$")

# %% [markdown]
# Now the largest. Of `x` it gives 2 and 5.

# %% tags=["live"] live="largest"
largest = x.max(dim=-1).values
print(f"the largest: {{largest.tolist()}}")

# %%
claim("largest, measured for hours", lambda: largest.sum(), expect=7, tol=0, preset="full")
last = largest + averages
"""


def live_course(root: Path, text: str = LIVE) -> Path:
    """A course folder with this in-class notebook alone."""
    path = root / "notebooks" / f"{LIVE_NAME}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return root
