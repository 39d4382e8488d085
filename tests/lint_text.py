"""Texts for the lint: a tiny lesson that is clean, in class and at home, and what is found after one change."""

from __future__ import annotations

from pathlib import Path

from lesson_text import GOOD, HEADER, change, line_of, write_lesson

from autograde.lint import Finding, lint

NAME = "07_tiny"

IN_CLASS = f"""{HEADER}# %% [markdown]
# # A tiny lesson, in class
#
# | minutes | section |
# |---|---|
# | 0 to 45 | 1 · Gates |
# | 45 to 90 | 2 · Counts |
#
# The lecture of 2024 has 90 minutes. Python 3.11 runs all of it.

# %%
import torch

from course_utils import charts, plots
from course_utils.claims import claim
from course_utils.described import described

# %% [markdown]
# ## 1 · Gates
#
# The gates are .096 .711 .096 .096, as in exercise 12 of `score = 0.99`.

# %%
gates = torch.tensor([0.0, 2, 0, 0]).softmax(0)
claim("four gates", gates, expect=[0.096, 0.711, 0.096, 0.096], tol=5e-4)
described(plots.gate_map([gates.tolist()], title="One row"), "Four gates; the second is the largest.")

# %% [markdown]
# **What to see.** The largest holds 71 %, twice ½.
#
# ## 2 · Counts
#
# A digit has 28 × 28 pixels, cut into 14 · 14 = 196 tokens of shape (196, 12). We train for 60 updates.

# %%
UPDATES = 60
claim("bytes", 4 * 196, expect=784, tol=0)

# %% [markdown]
# ## What to take away
#
# A gate of .711, from 784 bytes.
"""


def found(root: Path, text: str, *, folder: str = "notebooks", **more: str) -> list[Finding]:
    """What the lint says of one text; `more` are other texts of the lesson by their folder."""
    for other, content in more.items():
        write_lesson(root, content, folder=other)
    path = write_lesson(root, text, folder=folder)
    return [finding for finding in lint(root, NAME) if finding.file == path.relative_to(root).as_posix()]


def one(root: Path, text: str, snippet: str, kind: str, *, folder: str = "notebooks", **more: str) -> str:
    """The message of the only finding, which must have this kind and stand on the line that holds the snippet."""
    (finding,) = found(root, text, folder=folder, **more)
    assert (finding.kind, finding.line) == (kind, line_of(snippet, text)), finding
    assert str(finding) == f"{folder}/{NAME}.py:{finding.line}: {finding.message}"
    return finding.message


__all__ = ["GOOD", "HEADER", "IN_CLASS", "NAME", "change", "found", "line_of", "one", "write_lesson"]
