"""The cells of a submitted notebook, whatever version of the format and whatever damage it comes with."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from autograde.errors import UnreadableSubmission
from autograde.repair.decode import AGAIN, load
from autograde.repair.notes import Note, cells, quoted, sentence

_KINDS = {"code": "code", "markdown": "markdown", "raw": "raw", "heading": "markdown", "html": "markdown"}
_SURROGATE = re.compile("[\ud800-\udfff]")
_CELL_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")
_CONFLICT_BEGIN = re.compile(r"^<{7} ", re.MULTILINE)
_CONFLICT_END = re.compile(r"^>{7} ", re.MULTILINE)

#: More cells than this take minutes to look at, and nobody wrote them.
MOST_CELLS = 100_000


@dataclass(frozen=True)
class StudentCell:
    """One cell as handed in. `number` counts from 1; `marks` is what stands under `nbgrader`, of any type."""

    number: int
    cell_type: str
    source: str
    marks: Any = field(default_factory=dict)
    cell_id: str | None = None
    attachments: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def claim(self) -> str | None:
        """The grade id that the cell claims to have."""
        claimed = self.marks.get("grade_id") if isinstance(self.marks, dict) else None
        return claimed if isinstance(claimed, str) and claimed else None


def read(raw: bytes) -> tuple[list[StudentCell], list[Note]]:
    """Read the cells of a notebook and what is worth saying about the file.

    Raises:
        UnreadableSubmission: the bytes hold no notebook.
    """
    document, notes = load(raw)
    listed = _cell_list(document)
    if len(listed) > MOST_CELLS:
        raise UnreadableSubmission(f"The notebook has {len(listed):,} cells, at most {MOST_CELLS:,} are read. {AGAIN}")
    found, broken, garbled = [], [], []
    for number, entry in enumerate(listed, start=1):
        if not isinstance(entry, dict):
            broken.append(number)
            continue
        cell, whole = _cell(number, entry)
        found.append(cell)
        if not whole:
            garbled.append(number)
    if listed and not found:
        raise UnreadableSubmission(f"None of the {len(listed)} cells of the file is a cell. {AGAIN}")
    notes.extend(_said(document, found, broken, garbled))
    return found, notes


def _cell_list(document: dict[str, Any]) -> list[Any]:
    """The list of cells; format 3 and older kept them in worksheets."""
    if isinstance(document.get("cells"), list):
        return list(document["cells"])
    sheets = document.get("worksheets")
    if isinstance(sheets, list):
        lists = [sheet["cells"] for sheet in sheets if isinstance(sheet, dict) and isinstance(sheet.get("cells"), list)]
        if lists:
            return [cell for each in lists for cell in each]
    raise UnreadableSubmission(f"The file is JSON, but it has no list of cells, so it is not a notebook. {AGAIN}")


def _cell(number: int, entry: dict[str, Any]) -> tuple[StudentCell, bool]:
    """One cell, and whether all of it could be read."""
    source, whole = _source(entry)
    kind, metadata, cell_id = entry.get("cell_type"), entry.get("metadata"), entry.get("id")
    known = _KINDS.get(kind) if isinstance(kind, str) else None
    if kind == "heading":
        level = entry.get("level")
        source = "#" * (level if isinstance(level, int) and 1 <= level <= 6 else 1) + " " + source
    return StudentCell(
        number=number,
        cell_type=known or "raw",
        source=source,
        marks=metadata.get("nbgrader", {}) if isinstance(metadata, dict) else {},
        cell_id=cell_id if isinstance(cell_id, str) and _CELL_ID.match(cell_id) else None,
        attachments=_attachments(entry),
    ), whole and known is not None


def _source(entry: dict[str, Any]) -> tuple[str, bool]:
    """The text of a cell, and whether all of it could be read."""
    value = entry.get("source", entry.get("input", ""))
    parts = value if isinstance(value, list) else [value]
    texts = [part for part in parts if isinstance(part, str)]
    # Half of a surrogate pair is legal in JSON and cannot be written to a file.
    return _SURROGATE.sub("\ufffd", "".join(texts)), len(texts) == len(parts)


def _attachments(entry: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Pictures pasted into a text cell, as far as they are valid."""
    found = {}
    bundles = entry.get("attachments")
    for name, bundle in bundles.items() if isinstance(bundles, dict) else ():
        if isinstance(bundle, dict) and bundle and not _SURROGATE.search(name):
            data = {mime: _joined(value) for mime, value in bundle.items()}
            if all(value is not None and not _SURROGATE.search(mime + value) for mime, value in data.items()):
                found[name] = {mime: value for mime, value in data.items() if value is not None}
    return found


def _joined(value: object) -> str | None:
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return "".join(value)
    return value if isinstance(value, str) else None


def _said(document: dict[str, Any], found: list[StudentCell], broken: list[int], garbled: list[int]) -> list[Note]:
    notes = []
    if not isinstance(document.get("cells"), list):
        notes.append(Note("old-format", "The notebook is in an old format (version 3 or older). It was converted."))
    if broken:
        said = f"{cells(broken)} of the file {'is not a cell' if len(broken) == 1 else 'are not cells'}"
        notes.append(Note("broken-cell", f"{sentence(said)} and could not be read.", flag=True))
    if garbled:
        said = f"{cells(garbled)} could not be read in full (wrong type of cell or of text)"
        notes.append(Note("garbled-cell", f"{sentence(said)}. What could be read was kept.", flag=True))
    language = _language(document.get("metadata"))
    if language not in ("", "python", "python3", "ipython"):
        said = f"The notebook was saved for the language {quoted(language)}. It was run with the lesson's own kernel."
        notes.append(Note("other-language", said))
    conflicts = [cell.number for cell in found if cell.cell_type == "code" and _conflicted(cell.source)]
    if conflicts:
        said = f"{cells(conflicts)} hold{'s' if len(conflicts) == 1 else ''} the conflict markers of a git merge"
        notes.append(Note("conflict-in-cell", f"{sentence(said)}. Code with conflict markers does not run."))
    return notes


def _conflicted(source: str) -> bool:
    return bool(_CONFLICT_BEGIN.search(source) and _CONFLICT_END.search(source))


def _language(metadata: object) -> str:
    """The language that the notebook's metadata names, in small letters; empty when it names none."""
    for part, name in (("language_info", "name"), ("kernelspec", "language")):
        value = metadata.get(part) if isinstance(metadata, dict) else None
        if isinstance(value, dict) and isinstance(value.get(name), str):
            return str(value[name]).lower()
    return ""
