"""What the engine saw of a notebook's run, as the executed notebook holds it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from typing import Any

#: The engine's name for papermill, and for its part of the notebook's metadata.
NAME = "course"


@dataclass(frozen=True)
class Fault:
    """What went wrong with a cell (its number counts from 1, without the cells that papermill adds).

    `claim`: it is a claim that does not hold; no later cell misses what that leaves undone.
    """

    what: str
    cell: int
    source: str
    traceback: str = ""
    claim: bool = False


@dataclass
class Run:
    """What the engine saw. `cells` has the processor seconds of each, `slept` what they slept; `memory` is in MiB."""

    faults: list[Fault] = field(default_factory=list)
    widgets: list[Fault] = field(default_factory=list)
    pictures: int = 0
    cells: dict[int, float] = field(default_factory=dict)
    not_run: list[int] = field(default_factory=list)
    memory: float = 0.0
    slept: float = 0.0

    @property
    def seconds(self) -> float:
        """What it takes on a core of its own: what others took from it on a busy machine does not count."""
        return sum(self.cells.values()) + self.slept

    @classmethod
    def of(cls, notebook: Any) -> Run:
        """What an executed notebook says of its run.

        Raises:
            KeyError: this engine did not execute it.
        """
        said = json.loads(json.dumps(notebook.metadata["papermill"][NAME]))
        run = cls(**{each.name: said[each.name] for each in fields(cls)})
        run.faults, run.widgets = [Fault(**each) for each in run.faults], [Fault(**each) for each in run.widgets]  # type: ignore[arg-type]
        run.cells = {int(number): seconds for number, seconds in run.cells.items()}
        return run
