"""What a lesson's text must keep to, so that it builds, grades and hides what it should; a module for each subject."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograde.lesson import classify
from autograde.rules.hidden import check_hidden, check_outside, hidden_region
from autograde.rules.leaks import Secret, find_all_leaks, find_leaks, secrets_of
from autograde.rules.live import check_claims, check_live, check_not_live, check_parameters
from autograde.rules.markers import check_markers
from autograde.rules.metadata import check_exercises, check_header, check_metadata
from autograde.rules.probes import check_access, check_probes
from autograde.rules.python import parse
from autograde.rules.rooms import Parsed, check_rooms
from autograde.rules.shelves import CLUTTER, files, shelves, shelves_of
from autograde.rules.solutions import check_solution
from autograde.rules.text import Finding, Text, TextCell, read_text
from autograde.rules.uses import check_uses

__all__ = [
    "CLUTTER",
    "Finding",
    "Text",
    "check_homework",
    "check_in_class",
    "files",
    "find_all_leaks",
    "find_leaks",
    "lesson_secrets",
    "read_text",
    "shelves",
    "shelves_of",
]


def check_homework(text: Text) -> list[Finding]:
    """Everything that is wrong with the text of a homework, in the order of its lines; empty if it may be built."""
    unknown = list(check_metadata(text))
    findings = [*unknown, *check_header(text)]
    if unknown:  # the kinds of these cells are not known, so what else is wrong cannot be said
        return sorted(set(findings))
    cells = text_cells(text)
    parsed, broken = parse_cells(cells)
    findings += [*broken, *_markers(cells), *check_exercises(text, cells), *check_not_live(cells)]
    findings += [*check_uses(cells), *check_parameters(cells, parsed), *check_claims(parsed)]
    for cell, tree in parsed:
        findings += _check_cell(cell, tree)
    if not broken:
        findings += check_rooms(parsed)
    return sorted(set(findings))


def check_in_class(text: Text) -> list[Finding]:
    """Everything that is wrong with the text of an in-class notebook: it runs in one room and holds no exercise."""
    unknown = list(check_metadata(text))
    findings = [*unknown, *check_header(text)]
    if unknown:
        return sorted(set(findings))
    cells = text_cells(text)
    parsed, broken = parse_cells(cells)
    findings += [*broken, *_markers(cells), *check_live(cells, parsed)]
    findings += [*check_parameters(cells, parsed), *check_claims(parsed)]
    for cell in cells:
        if cell.cell.kind in ("solution", "test", "written"):
            findings.append(cell.at(None, "a graded cell in an in-class notebook.", "Exercises stand in source/."))
    for cell, tree in parsed:
        findings += check_outside(cell, tree)
    return sorted(set(findings))


def text_cells(text: Text) -> list[TextCell]:
    """The cells of a lesson whose metadata is valid."""
    nodes = zip(classify(text.notebook), text.places, text.notebook.cells, strict=True)
    return [
        TextCell(text.path, cell, place, dict(node.metadata), node.cell_type == "code") for cell, place, node in nodes
    ]


def parse_cells(cells: list[TextCell]) -> tuple[Parsed, list[Finding]]:
    """The code cells as syntax trees, and a finding for each that is no Python."""
    parsed: Parsed = []
    findings = []
    for cell in cells:
        if not cell.is_code:
            continue
        try:
            parsed.append((cell, parse(cell.source, magics=cell.cell.kind == "free")))
        except SyntaxError as error:
            advice = "Correct it; magics (%, !) stand in unmarked cells only."
            findings.append(cell.at(error.lineno or 1, f"this cell is no Python: {error.msg}.", advice))
    return parsed, findings


def _markers(cells: list[TextCell]) -> Iterator[Finding]:
    for cell in cells:
        yield from check_markers(cell)


def lesson_secrets(text: Text) -> list[Secret]:
    """What students must not find of a homework that passed its rules."""
    cells = text_cells(text)
    trees = {cell.cell.index: tree for cell, tree in parse_cells(cells)[0]}
    return [secret for cell in cells for secret in secrets_of(cell, trees.get(cell.cell.index))]


def _check_cell(cell: TextCell, tree: ast.Module) -> Iterator[Finding]:
    yield from check_access(cell, tree)
    if cell.cell.kind == "solution":
        yield from check_solution(cell, tree)
    if cell.cell.kind == "test":
        yield from check_probes(cell, tree, hidden_region(cell))
        yield from check_hidden(cell, tree)
    else:
        yield from check_outside(cell, tree)
