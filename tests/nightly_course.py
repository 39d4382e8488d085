"""A tiny course for the nightly run: one lesson with everything in it, sound, and ways to plant a defect."""

from __future__ import annotations

import shutil
from pathlib import Path

from conftest import REPO
from lesson_text import GOOD, HEADER, NAME, change, write_lesson

from autograde.build import build
from autograde.nightly.check import Check, Task

BUDGETS = """\
[default]
quick = { seconds = 30, memory = 1500 }
nightly = { seconds = 30, memory = 1500 }
full = { seconds = 30, memory = 1500 }
homework = { seconds = 30, memory = 1500 }
"""

#: The in-class notebook. Its dear claim is not recorded at first.
HOUR = f"""{HEADER}# %% [markdown]
# # A tiny hour

# %% tags=["parameters"]
PRESET = "quick"
SEED = 0

# %%
import ipywidgets
import matplotlib.pyplot as plt
import torch

from course_utils import settings, widgets
from course_utils.claims import claim

settings.prepare(seed=SEED, preset=PRESET)
x = torch.arange(6.0)

# %% [markdown]
# Write the sum of `x`. It is 15.

# %% tags=["live"] live="total"
total = x.sum()
print(f"the sum is {{total}}")

# %%
claim("sum of six numbers", total, expect=15, tol=0, source="by hand")

# %% [markdown]
# A matrix has no inverse.

# %% tags=["live", "raises-exception"] live="singular"
inverse = torch.linalg.inv(torch.zeros(2, 2))
print(inverse)


# %%
def drawn(turns):
    figure, axes = plt.subplots(figsize=(2, 1))
    axes.plot(x * turns)
    return figure, axes


def said(turns):
    return f"A line that rises by {{turns}} each step."


widgets.explore(drawn, said, turns=ipywidgets.IntSlider(2, 1, 3))

# %%
claim("the seed, measured for hours", lambda: 2 + SEED / 10, expect=2, tol=0.5, preset="nightly")
last = x + total
"""
#: Where a defect can stand: the end of the notebook.
END = "last = x + total\n"
#: A picture that fails at one end of its dial, and nowhere else.
FRAGILE = {
    "lowest": change("axes.plot(x * turns)", "axes.plot(x[: 1 // (turns - 1) + 9])", HOUR),
    "highest": change("axes.plot(x * turns)", "axes.plot(x * [1, 2, 3][turns])", HOUR),
}


def ended(code: str, text: str = HOUR) -> str:
    """The notebook with a last cell of its own."""
    return f"{text}\n# %%\n{code}\n"


def course(root: Path, hour: str = HOUR, homework: str = GOOD, budgets: str = BUDGETS) -> Path:
    """A built course folder with this one lesson, and `course_utils` of its own without a record."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "budgets.toml").write_text(budgets)
    write_lesson(root, homework)
    write_lesson(root, hour, folder="notebooks")
    ignored = shutil.ignore_patterns("__pycache__", "recorded.json")
    shutil.copytree(REPO / "course_utils", root / "course_utils", ignore=ignored)
    build(root, NAME)
    return root


def task(name: str, seed: int | None = 0, lesson: str = NAME) -> Task:
    """A task as the plan makes it."""
    preset = name.partition(":")[2]
    return Task(lesson, name, seed if name.startswith("in-class") else None, preset, 30)


def failures(checks: object) -> dict[str, list[str]]:
    """What failed, by the kind of the check."""
    found: dict[str, list[str]] = {}
    for check in checks:  # type: ignore[attr-defined]
        assert isinstance(check, Check)
        if check.failures:
            found.setdefault(check.kind, []).extend(failure.what for failure in check.failures)
    return found
