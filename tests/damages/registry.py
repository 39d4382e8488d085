"""What a damage is, how one is registered, and how to find the cells of a notebook that it damages."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal

from nbformat import NotebookNode

#: kept: graded, and no point is lost. lost: graded, one exercise earns nothing. refused: one clear line.
Ends = Literal["kept", "lost", "refused"]


@dataclass(frozen=True)
class Damage:
    """A way to damage a notebook, what must become of the result, and the code of the note that must say so."""

    name: str
    make: Callable[[NotebookNode], bytes]
    ends: Ends
    note: str = ""
    large: bool = False

    def __call__(self, notebook: NotebookNode) -> bytes:
        return self.make(deepcopy(notebook))


DAMAGES: dict[str, Damage] = {}


def damage(ends: Ends, note: str = "", large: bool = False) -> Callable[[Callable[[NotebookNode], Any]], Damage]:
    """Register a damage; a function that changes the notebook in place and returns nothing is written as JSON."""

    def register(change: Callable[[NotebookNode], Any]) -> Damage:
        def make(notebook: NotebookNode) -> bytes:
            result = change(notebook)
            return result if isinstance(result, bytes) else write(notebook if result is None else result)

        DAMAGES[change.__name__] = Damage(change.__name__, make, ends, note, large)
        return DAMAGES[change.__name__]

    return register


def write(document: Any) -> bytes:
    """Write JSON as JupyterLab does, valid or not."""
    return json.dumps(document, indent=1, ensure_ascii=False).encode("utf-8", "surrogatepass")


def marks(cell: NotebookNode) -> dict[str, Any]:
    """The grading marks of a cell."""
    return cell.metadata.get("nbgrader", {})


def test_cells(notebook: NotebookNode) -> list[int]:
    """Where the test cells stand."""
    return [at for at, cell in enumerate(notebook.cells) if marks(cell).get("grade") and not marks(cell)["solution"]]


def solution_cells(notebook: NotebookNode) -> list[int]:
    """Where the solution cells stand, written answers excluded."""
    return [at for at, cell in enumerate(notebook.cells) if marks(cell).get("solution") and not marks(cell)["grade"]]


def written_cells(notebook: NotebookNode) -> list[int]:
    """Where the written answers stand."""
    return [at for at, cell in enumerate(notebook.cells) if marks(cell).get("solution") and marks(cell)["grade"]]


def setup_cells(notebook: NotebookNode) -> list[int]:
    """Where the locked setup cells stand."""
    return [at for at, cell in enumerate(notebook.cells) if marks(cell).get("locked") and not marks(cell)["grade"]]


def code_cell(source: str, **metadata: Any) -> NotebookNode:
    """A cell of the student's own."""
    cell = {"cell_type": "code", "metadata": metadata, "execution_count": None, "outputs": [], "source": source}
    return NotebookNode(cell | {"metadata": NotebookNode(metadata)})
