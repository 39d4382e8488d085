"""Solution cells: what students must write stands between markers, what they are given says so."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator

from autograde.lesson import BEGIN_SOLUTION, END_SOLUTION
from autograde.rules.python import Region, blocks, first_line, is_string, last_line, parse, regions
from autograde.rules.text import Finding, TextCell

GIVEN = "# given"
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def check_solution(cell: TextCell, tree: ast.Module) -> Iterator[Finding]:
    """Yield code of a solution cell that would reach students without saying so."""
    marked = regions(cell.source, BEGIN_SOLUTION, END_SOLUTION)
    if not marked:
        advice = f"Put the solution between `{BEGIN_SOLUTION}` and `{END_SOLUTION}`."
        yield cell.at(None, "this solution cell has no marked region.", advice)
        return
    given = _given_lines(cell.source)
    for line in _loose(tree.body, marked, given):
        advice = f"Move it inside, or end it with `{GIVEN}` if students shall have it."
        yield cell.at(line, "this line stands outside the solution's markers.", advice)
    broken = [finding for region in marked for finding in _check_region(cell, tree, region)]
    yield from broken or _check_released(cell, marked)


def _given_lines(source: str) -> set[int]:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = [token for token in tokens if token.type == tokenize.COMMENT]
    return {token.start[0] for token in comments if token.string.rstrip().endswith(GIVEN)}


def _loose(block: list[ast.stmt], marked: list[Region], given: set[int]) -> Iterator[int]:
    """The first line of every statement that is neither marked nor structure nor given."""
    for node in block:
        if any(region.holds(node) for region in marked) or _is_structure(node):
            continue
        inner = [part for field in ("body", "handlers", "orelse", "finalbody", "cases") for part in _parts(node, field)]
        if not isinstance(node, DEFINITIONS):
            # of a compound statement, the lines of its head
            last = max(node.lineno, _start(inner[0]) - 1) if inner else last_line(node)
            own = range(first_line(node), last + 1)
            if not given.intersection(own) and not any(node.lineno in region for region in marked):
                yield node.lineno
        for part in inner:
            yield from _loose([part] if isinstance(part, ast.stmt) else _parts(part, "body"), marked, given)


def _parts(node: ast.AST, field: str) -> list:
    return getattr(node, field, [])


def _start(part: ast.AST) -> int:
    if isinstance(part, ast.stmt):
        return first_line(part)
    return part.pattern.lineno if isinstance(part, ast.match_case) else getattr(part, "lineno", 1)


def _is_structure(node: ast.stmt) -> bool:
    """Imports, docstrings, `pass`, `...` and `super().__init__()`; heads of functions and classes are seen to above."""
    if isinstance(node, ast.Import | ast.ImportFrom | ast.Pass) or is_string(node):
        return True
    if not isinstance(node, ast.Expr):
        return False
    if isinstance(node.value, ast.Constant):
        return node.value.value is ...
    call = node.value.func if isinstance(node.value, ast.Call) else None
    return isinstance(call, ast.Attribute) and call.attr == "__init__" and ast.unparse(call.value) == "super()"


def _check_region(cell: TextCell, tree: ast.Module, region: Region) -> Iterator[Finding]:
    """A region holds whole statements, and its markers are indented like them: nbgrader indents its stub like those."""
    blocks_inside = [[node for node in block if region.holds(node)] for block in blocks(tree)]
    body = next((block for block in blocks_inside if block), None)
    marker = cell.lines[region.begin - 1]
    if body is None:
        yield cell.at(region.begin, "this region holds no code.", "Put the solution into it.")
    elif len(marker) - len(marker.lstrip()) != body[0].col_offset:
        yield cell.at(region.begin, "this marker is indented otherwise than its code.", "Indent it like the next line.")


def _check_released(cell: TextCell, marked: list[Region]) -> Iterator[Finding]:
    """The cell must still be Python when nbgrader has put its stub in place of each region."""
    lines = cell.lines
    for region in marked:
        begin = lines[region.begin - 1]
        stub = f"{begin[: len(begin) - len(begin.lstrip())]}raise NotImplementedError()"
        lines[region.begin - 1 : region.end] = [stub] + [""] * (region.end - region.begin)
    try:
        parse("\n".join(lines))
    except SyntaxError as error:
        wrong = f"without its solution this cell is no Python ({error.msg})."
        yield cell.at(error.lineno or 1, wrong, "Let the markers enclose whole statements.")
