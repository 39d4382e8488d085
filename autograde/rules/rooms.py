"""Names across cells: what the judge's cells may use, what a probe may use, and what students' cells may not.

On a student's machine all cells share one process; in the grader test cells run apart from the student's. A name must
mean the same in both, so a name is refused when the last cell that binds it belongs to the other room.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from autograde.lesson import Kind
from autograde.rules.draws import imported_as, unseeded
from autograde.rules.hidden import hidden_region
from autograde.rules.names import Names, names_of
from autograde.rules.probes import split_probes
from autograde.rules.text import Finding, TextCell

Parsed = list[tuple[TextCell, ast.Module]]


@dataclass(frozen=True)
class Binding:
    """A cell of some kind binds a name on a line of the text; `origin` when it only imports it."""

    kind: Kind
    line: int
    origin: str | None


class History:
    """Who bound each name, cell after cell."""

    def __init__(self) -> None:
        self._bindings: dict[str, list[Binding]] = {}

    def add(self, cell: TextCell, names: Names) -> None:
        for name, line in names.bound.items():
            new = Binding(cell.cell.kind, cell.text_line(line), names.imports.get(name))
            known = self._bindings.setdefault(name, [])
            if known and new.origin is not None and known[-1].origin == new.origin:
                # the same import again changes nothing; that of a setup cell is the one that both rooms have
                if new.kind == "setup" and known[-1].kind != "setup":
                    known[-1] = new
            else:
                known.append(new)

    def last(self, name: str) -> Binding | None:
        """The last binding of `name` so far."""
        return self.by(name, "setup", "solution", "free", "test")

    def by(self, name: str, *kinds: Kind) -> Binding | None:
        """The last binding of `name` by a cell of these kinds."""
        return next((bound for bound in reversed(self._bindings.get(name, [])) if bound.kind in kinds), None)


def check_rooms(parsed: Parsed) -> Iterator[Finding]:
    """Yield every name that would mean something else, or nothing, in the grader. All code cells must parse."""
    cells = [(cell, tree, names_of(tree)) for cell, tree in parsed]
    stars = [(cell, line) for cell, _, names in cells for line in names.stars]
    for cell, line in stars:
        yield cell.at(line, "`import *` hides which names this cell defines.", "Import the names that you use.")
    if stars:
        return
    history, whole = History(), History()
    for cell, _, names in cells:
        whole.add(cell, names)
    imports: dict[str, str] = {}
    for cell, tree, names in cells:
        if cell.cell.kind == "test":
            yield from _check_test(cell, tree, history, whole)
        elif cell.cell.kind == "setup":
            imports |= imported_as(tree)
            yield from _check_setup(cell, names, history, whole)
            yield from _check_draws(cell, tree, imports)
        elif cell.cell.kind in ("solution", "free"):
            yield from _check_student(cell, names, history, whole)
        history.add(cell, names)


def _check_student(cell: TextCell, names: Names, history: History, whole: History) -> Iterator[Finding]:
    for name, line in names.free.items():
        bound = history.last(name)
        if bound is None and whole.by(name, "setup", "solution", "free") is None:
            bound = whole.last(name)
        if bound and bound.kind == "test":
            wrong = f"`{name}` comes from a test cell (line {bound.line}), which does not run in the student's room."
            yield cell.at(line, wrong, "Define it in this cell.")


def _check_setup(cell: TextCell, names: Names, history: History, whole: History) -> Iterator[Finding]:
    for name, line in names.free.items():
        bound = history.last(name)
        if bound is None or bound.kind != "setup":
            advice = 'A `room="both"` cell uses only itself and such cells above it.'
            yield cell.at(line, _owner(name, bound or whole.last(name), cell.text_line(line)), advice)


def _check_draws(cell: TextCell, tree: ast.Module, imports: dict[str, str]) -> Iterator[Finding]:
    for line, call in unseeded(tree, imports):
        wrong = f"`{call}` draws without a seed, so the two rooms would differ."
        yield cell.at(line, wrong, "Give it a seeded `generator=`, or set the seed above it in this cell.")


def _check_test(cell: TextCell, tree: ast.Module, history: History, whole: History) -> Iterator[Finding]:
    rest, probes = split_probes(tree)
    region = hidden_region(cell)
    visible = ast.Module([node for node in rest.body if region is None or not region.holds(node)], [])
    for name, line in (names_of(rest).free | names_of(visible).free).items():
        bound = history.last(name)
        if bound is None or bound.kind != "setup":
            bound = bound or whole.last(name)
            advice = 'Define or import it in this cell, or in a `room="both"` cell above.'
            if bound is not None and bound.kind in ("solution", "free"):
                advice = "A test touches it only in a `@check.probe` function, or imports what it needs itself."
            yield cell.at(line, _owner(name, bound, cell.text_line(line)), advice)
    own, others = names_of(rest), {probe.name for probe in probes}
    for probe in probes:
        yield from _check_probe(cell, probe, own, others, history)


def _check_probe(
    cell: TextCell, probe: ast.FunctionDef, own: Names, probes: set[str], history: History
) -> Iterator[Finding]:
    if (taken := history.by(probe.name, "setup", "solution", "free")) is not None:
        wrong = f"the probe `{probe.name}` would replace `{probe.name}` of line {taken.line} in the student's room."
        yield cell.at(probe.lineno, wrong, "Rename the probe.")
    names = names_of(ast.Module([probe], []))
    # what it binds besides itself are globals of the student's room
    for name, line in (names.free | names.bound).items():
        bound = history.last(name)
        same_import = bound is not None and bound.origin is not None and bound.origin == own.imports.get(name)
        if name in probes:
            continue
        if name in own.bound and not same_import:
            wrong = f"`{name}` belongs to the test cell, which the probe `{probe.name}` cannot see."
            yield cell.at(line, wrong, "Pass it as an argument, or import it in the probe.")
        elif bound is None or bound.kind == "test":
            where = f"comes from the test cell of line {bound.line}." if bound else "is defined by no cell above."
            advice = "A probe uses its arguments, its imports and names of cells above that are no tests."
            yield cell.at(line, f"`{name}` in the probe `{probe.name}` {where}", advice)


def _owner(name: str, bound: Binding | None, used: int) -> str:
    """Whose the name is, which is used on the line `used` of the text, as a sentence."""
    if bound is None:
        return f"no cell that the judge runs defines `{name}`."
    if bound.kind == "setup" or (bound.kind == "test" and bound.line >= used):
        return f"`{name}` is defined only below, on line {bound.line}."
    if bound.kind == "test":
        return f"`{name}` comes from another test cell (line {bound.line})."
    return f"`{name}` is the student's (line {bound.line})."
