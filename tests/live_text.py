"""The text of a tiny in-class notebook with everything live: prompts, cells that a class writes, a vote, claims."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_client.manager import start_new_kernel
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
live.vote("What becomes of the mean of $2x$?", {{"A": "it stays", "B": "it doubles"}}, answer="B", why="It is linear.")

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


@dataclass(frozen=True)
class Answer:
    """What a kernel made of a cell: `cells` it asked for below, its outputs, and whether it went well."""

    ok: bool
    cells: list[str]
    outputs: list[dict[str, Any]]

    @property
    def text(self) -> str:
        """Everything that can be read as text."""
        parts = []
        for output in self.outputs:
            parts += [output.get("text", ""), output.get("data", {}).get("text/plain", "")]
            parts.append("\n".join(output.get("traceback", [])))
        return "\n".join(part for part in parts if part)

    def data(self, mime: str) -> list[Any]:
        return [output["data"][mime] for output in self.outputs if mime in output.get("data", {})]


class Kernel:
    """A kernel as JupyterLab talks to it."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def run(self, source: str) -> Answer:
        outputs: list[dict[str, Any]] = []

        def keep(message: dict[str, Any]) -> None:
            if message["msg_type"] in ("stream", "display_data", "execute_result", "error"):
                outputs.append(message["content"])

        reply = self._client.execute_interactive(source, output_hook=keep, timeout=120, stop_on_error=False)["content"]
        asked = [each for each in reply["payload"] if each["source"] == "set_next_input"]
        assert not any(each["replace"] for each in asked), "what somebody typed is never overwritten"
        cells = [each["text"] for each in asked]
        return Answer(reply["status"] == "ok", cells, outputs)


@contextmanager
def kernel(folder: Path) -> Iterator[Kernel]:
    """A fresh kernel that works in `folder`."""
    manager, client = start_new_kernel(kernel_name="python3", cwd=str(folder))
    try:
        yield Kernel(client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
