"""Carry your work into a corrected release: your answers and your own cells, into a new file; nothing is overwritten.

from course_utils.carry import carry

carry("old/03_qkv.ipynb", "new/03_qkv.ipynb")
"""

from __future__ import annotations

import copy
import hashlib
import json
import re
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from course_utils import shown

__all__ = ["CarryError", "Report", "carry"]

#: The ids of unmarked cells of a release: the second one below the cell `attention` is `attention--2`.
RELEASED_ID = re.compile(r".+--\d+$")
STUB = re.compile(r"raise NotImplementedError\(\)|YOUR CODE HERE|YOUR ANSWER HERE")


class CarryError(ValueError):
    """Nothing was written; the message says why, and what to do."""

    def _render_traceback_(self) -> list[str]:
        return shown.failure(str(self))


@dataclass
class Report:
    """What was done. `str()` says it in a few lines."""

    path: Path
    carried: list[str] = field(default_factory=list)
    own: int = 0
    untouched: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        answers = ", ".join(self.carried) or "none"
        lines = [f"Written: {self.path}. Both notebooks are as they were.", f"Carried answers: {answers}."]
        if self.own:
            lines.append(f"Carried cells of your own: {self.own}.")
        if self.untouched:
            lines.append(f"Not begun, so taken from the new release: {', '.join(self.untouched)}.")
        if self.changed:
            lines.append(f"Look at the new text of {', '.join(self.changed)}: the release changed around your answer.")
        return "\n".join([*lines, *self.notes, "Now open it and run all cells."])


def carry(old: str | Path, new: str | Path, into: str | Path | None = None) -> Report:
    """Put what you did in the old notebook into a copy of the new release, and say what was done.

    An answer goes to the cell of the same exercise. A cell of your own goes below the cell that it stood below. What
    the course wrote comes from the new release. Outputs are left out: run all cells.

    Args:
        old: your notebook.
        new: the corrected release.
        into: the file to write; `NAME.carried.ipynb` beside the new release when left out.

    Raises:
        CarryError: a file cannot be read, they are not the same lesson, or the file to write is there already.
    """
    old, new = Path(old), Path(new)
    target = Path(into) if into is not None else new.with_name(f"{new.stem}.carried.ipynb")
    if target.exists():
        raise CarryError(f"{target} is there already, and nothing is overwritten. Rename it, or say into=....")
    before, result = _read(old), _read(new)
    answers = _answers(before["cells"])
    places = {name: cell for cell in result["cells"] if (name := _answer_id(cell))}
    if not answers.keys() & places.keys():
        raise CarryError(f"{old} and {new} have no exercise in common. Are they the same lesson? Nothing was written.")
    report = Report(target)
    homeless = _fill(answers, places, report)
    own = _own_cells(before["cells"], result["cells"], homeless)
    _insert(own, before["cells"], result["cells"], report)
    _say_edited(before["cells"], result["cells"], report)
    try:
        with target.open("x", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps(result, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    except OSError as error:
        raise CarryError(f"{target} cannot be written: {error.strerror}. Say where with into=....") from None
    print(report)
    return report


def _read(path: Path) -> dict[str, Any]:
    """A notebook as plain data, the source of each cell as one string."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CarryError(f"{path} cannot be read: {error}. Nothing was written.") from None
    if re.search(r"^(<<<<<<<|>>>>>>>) ", text, re.MULTILINE):
        raise CarryError(f"{path} holds the conflict markers of a git merge. Resolve the merge first.")
    try:
        notebook = json.loads(text)
        if notebook["nbformat"] != 4:
            raise CarryError(f"{path} has the notebook format {notebook['nbformat']}. Open and save it in JupyterLab.")
        for cell in notebook["cells"]:
            source = cell["source"]
            cell["source"] = source if isinstance(source, str) else "".join(source)
            cell["cell_type"], cell["metadata"] = str(cell["cell_type"]), dict(cell["metadata"])
    except CarryError:
        raise
    except (ValueError, KeyError, TypeError) as error:
        what = "empty" if not text.strip() else f"no whole notebook ({type(error).__name__}: {error})"
        advice = "JupyterLab keeps an older copy in the folder .ipynb_checkpoints beside it."
        raise CarryError(f"{path} is {what}. {advice} Nothing was written.") from None
    return dict(notebook)


def _marks(cell: dict[str, Any]) -> dict[str, Any]:
    marks = cell["metadata"].get("nbgrader")
    return marks if isinstance(marks, dict) else {}


def _answer_id(cell: dict[str, Any]) -> str | None:
    """The exercise that a cell answers; None for all other cells."""
    marks = _marks(cell)
    return str(marks.get("grade_id") or "") or None if marks.get("solution") else None


def _answers(cells: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The cells that answer each exercise; more than one where a cell was copied."""
    found: dict[str, list[dict[str, Any]]] = {}
    for cell in cells:
        if name := _answer_id(cell):
            found.setdefault(name, []).append(cell)
    return found


def _checksum(cell: dict[str, Any]) -> str:
    """What nbgrader writes into each answer cell of a release: it tells whether the text has changed since."""
    marks = _marks(cell)
    graded = bool(marks.get("grade"))
    parts = [cell["source"], cell["cell_type"], str(graded), "True", "False", str(marks.get("grade_id"))]
    points = str(float(marks.get("points") or 0)) if graded else ""
    return hashlib.md5("".join([*parts, points]).encode(), usedforsecurity=False).hexdigest()


def _untouched(cell: dict[str, Any], new: dict[str, Any]) -> bool:
    """Whether the student has not begun this cell."""
    if not cell["source"].strip() or cell["source"].strip() == new["source"].strip():
        return True
    if "checksum" in _marks(cell):
        return bool(_marks(cell)["checksum"] == _checksum(cell))
    # the marks are gone: what still is all stub tells nothing
    return bool(STUB.search(cell["source"]))


def _fill(
    answers: dict[str, list[dict[str, Any]]], places: dict[str, dict[str, Any]], report: Report
) -> list[dict[str, Any]]:
    """Put answers into the new release; returns the begun cells that have no place in it."""
    homeless: list[dict[str, Any]] = []
    for name, place in places.items():
        begun = [cell for cell in answers.get(name, []) if not _untouched(cell, place)]
        if not begun:
            where = report.untouched if name in answers else report.notes
            where.append(name if name in answers else f"The old notebook has no cell {name}; it is as released.")
            continue
        *others, last = begun
        if others:
            report.notes.append(f"{name} stood in {len(begun)} cells: the last is the answer, all others are below it.")
        homeless += others
        if last["cell_type"] != place["cell_type"]:
            report.notes.append(f"{name} was a {last['cell_type']} cell; it is a {place['cell_type']} cell again.")
        if _marks(last).get("checksum") not in (None, _marks(place).get("checksum")):
            report.changed.append(name)
        if STUB.search(last["source"]):
            report.notes.append(f"{name} is not finished: a line of the stub is still in it.")
        place["source"] = last["source"]
        report.carried.append(name)
    for name in answers.keys() - places.keys():
        report.notes.append(f"The new release has no exercise {name}. What you wrote is kept as a cell of your own.")
        homeless += [cell for cell in answers[name] if not _untouched(cell, cell | {"source": ""})]
    return homeless


def _own_cells(
    old: list[dict[str, Any]], new: list[dict[str, Any]], homeless: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The cells that the student added, in their order: no marks, no id and no text of a release."""
    released = {cell["source"].strip() for cell in new}
    kept = {id(cell) for cell in homeless}
    return [
        cell
        for cell in old
        if id(cell) in kept
        or not (_marks(cell) or RELEASED_ID.match(cell.get("id", "")) or cell["source"].strip() in released | {""})
    ]


def _insert(own: list[dict[str, Any]], old: list[dict[str, Any]], new: list[dict[str, Any]], report: Report) -> None:
    """Put each cell below the new counterpart of what it stood below, cells of one place in their order."""
    wanted, last = {id(cell) for cell in own}, -1
    for cell in old:
        if id(cell) not in wanted:
            counterpart = _counterpart(cell, new)
            last = last if counterpart is None else counterpart
            continue
        last += 1
        new.insert(last, _as_own(cell))
        report.own += 1


def _counterpart(cell: dict[str, Any], new: list[dict[str, Any]]) -> int | None:
    """Where the same cell stands in the new release: by its grade id, its text, or its id."""
    name, source = _marks(cell).get("grade_id"), cell["source"].strip()
    tests = (
        lambda other: bool(name) and _marks(other).get("grade_id") == name,
        lambda other: bool(source) and other["source"].strip() == source,
        lambda other: "id" in cell and other.get("id") == cell["id"],
    )
    return next((place for test in tests for place, other in enumerate(new) if test(other)), None)


def _as_own(cell: dict[str, Any]) -> dict[str, Any]:
    """A cell without outputs, without marks, with an id that no other cell has."""
    result = copy.deepcopy(cell)
    result["id"] = uuid.uuid4().hex[:8]
    result["metadata"] = {key: value for key, value in result["metadata"].items() if key != "nbgrader"}
    if result["cell_type"] == "code":
        result["outputs"], result["execution_count"] = [], None
    return result


def _say_edited(old: list[dict[str, Any]], new: list[dict[str, Any]], report: Report) -> None:
    """Name the course's own unmarked code cells whose text is another one: by the student or by the correction."""
    texts = {cell["source"].strip() for cell in new}
    edited = [
        number
        for number, cell in enumerate(old, 1)
        if cell["cell_type"] == "code"
        and not _marks(cell)
        and RELEASED_ID.match(cell.get("id", ""))
        and cell["source"].strip() not in texts
    ]
    if edited:
        numbers = ", ".join(map(str, edited))
        report.notes.append(f"Code cells of the course that differ (old notebook, cell {numbers}) are the new ones.")
