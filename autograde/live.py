"""The live notebook of a lesson: as the complete one, but in its live cells the class writes the code.

The finished code of all code cells is packed into its first code cell; `course_utils.live` unpacks it for `%reveal` and
`%catch_up`. `as_class` makes of a live notebook what a class has made of it at the end of the hour.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import nbformat

from autograde.errors import CourseError
from course_utils.live import Code, pack, unpack

LIVE, TEACHER, PARAMETERS = "live", "teacher", "parameters"
#: Jupyter's own tag for a cell that fails on purpose.
BREAKS = "raises-exception"
VOTE = "# A vote. Run this cell; the answer stands in its code."
FIRST = (
    "# Run this cell first, and again after a restart of the kernel: it brings %reveal and %catch_up.\n"
    "# You write the cells that begin with `# live: NAME`. Make the names behind the arrow; later cells use them."
)


def has_tag(cell: Any, tag: str) -> bool:
    tags = cell.metadata.get("tags", [])
    return isinstance(tags, list) and tag in tags


def is_live(cell: Any) -> bool:
    """Whether the class writes this cell's code."""
    return cell.cell_type == "code" and has_tag(cell, LIVE)


def live_notebook(notebook: Any, lesson: str, needed: Mapping[str, Sequence[str]]) -> Any | None:
    """What the class gets of a complete notebook in canonical form, or None if no cell of it is live.

    Live cells keep a prompt of two lines, with the names that later cells need of them (`needed`, by the name of the
    cell, see `autograde.needed`); cells tagged `teacher` stay out; the code of a vote is folded away, because
    the answer stands in it.
    """
    if not any(is_live(cell) for cell in notebook.cells):
        return None
    result = copy.deepcopy(notebook)
    code = [
        Code(cell.metadata.get("live", ""), cell.source, has_tag(cell, BREAKS))
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]
    result.cells = [cell for cell in result.cells if not has_tag(cell, TEACHER)]
    for cell in result.cells:
        if is_live(cell):
            cell.source = prompt(cell.metadata["live"], needed[cell.metadata["live"]])
        elif cell.cell_type == "code" and "live.vote(" in cell.source:
            # JupyterLab shows the first line of a folded cell
            cell.source = f"{VOTE}\n{cell.source}"
            cell.metadata["jupyter"] = {"source_hidden": True}
    source = f"{FIRST}\n%load_ext course_utils.live\n%live_code {lesson} {pack(code)}"
    # below the title, where there is one
    place = 1 if result.cells[0].cell_type == "markdown" else 0
    result.cells.insert(place, nbformat.v4.new_code_cell(source, id="live-code"))
    return result


def prompt(name: str, needed: Sequence[str]) -> str:
    """What stands in a live cell before the class has written anything."""
    makes = f" -> {', '.join(needed)}" if needed else ""
    help_ = f"`%reveal {name}` shows our code; `%catch_up {name}` runs all up to here."
    return f"# live: {name}{makes}\n# Type here. {help_}"


def as_class(notebook: Any) -> Any:
    """A live notebook as it is when a class has revealed every live cell: it runs from top to bottom.

    Below each live cell stand the command `%reveal NAME` and the cell that it makes.

    Raises:
        CourseError: it is no live notebook, or a live cell has no code in it.
    """
    packed = [line for cell in notebook.cells for line in cell.source.split("\n") if line.startswith("%live_code ")]
    if len(packed) != 1:
        raise CourseError("this is no live notebook: it has no %live_code. Run `autograde build`.")
    code = {cell.name: cell for cell in unpack(packed[0].split()[-1]) if cell.name}
    result = copy.deepcopy(notebook)
    result.cells = []
    for cell in copy.deepcopy(notebook.cells):
        result.cells.append(cell)
        if not is_live(cell):
            continue
        name = cell.metadata["live"]
        if name not in code:
            raise CourseError(f"the live notebook has no code for {name!r}. Run `autograde build`.")
        for step, source in (("reveal", f"%reveal {name}"), ("code", code[name].source)):
            result.cells.append(nbformat.v4.new_code_cell(source, id=f"{step}-{name}"[:64]))
        if code[name].may_fail:
            # what breaks on purpose is the code; the prompt above it is a comment
            cell.metadata["tags"] = [tag for tag in cell.metadata["tags"] if tag != BREAKS]
            result.cells[-1].metadata["tags"] = [BREAKS]
    return result
