"""Cells as Python: parsing, magics of free cells, and the stretches between markers."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

#: Cell magics whose body is Python; the body of any other is another language.
PYTHON_MAGICS = {"%%time", "%%timeit", "%%capture", "%%prun"}
MAGIC = re.compile(r"(?P<indent>\s*)(?P<target>[\w.]+\s*=\s*)?(?:[%!?]|[^\s#'\"]+\?{1,2}\s*$)")


def parse(source: str, *, magics: bool = False) -> ast.Module:
    """Parse a cell; with `magics`, lines for IPython count as `pass`. Line numbers hold.

    Raises:
        SyntaxError: no Python, or Python warns about it (an invalid escape such as "\\d").
    """
    try:
        return _compile(source)
    except SyntaxError:
        if not magics:
            raise
    return _compile(_without_magics(source))


def _compile(source: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # ast.parse alone accepts a `return` outside a function, a doubled argument, a misplaced `nonlocal`.
        compile(source, "<cell>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        return ast.parse(source)


def _without_magics(source: str) -> str:
    lines = source.split("\n")
    first = next((n for n, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        if lines[first].split()[0] not in PYTHON_MAGICS:
            return ""
        lines[first] = ""
    for number, line in enumerate(lines):
        if (match := MAGIC.match(line)) is not None:
            target = match["target"]
            lines[number] = match["indent"] + (f"{target}None" if target else "pass")
    return "\n".join(lines)


@dataclass(frozen=True)
class Region:
    """The lines (from 1) of a pair of markers in a cell; what stands between them is marked."""

    begin: int
    end: int

    def __contains__(self, line: int) -> bool:
        return self.begin <= line <= self.end

    def holds(self, node: ast.stmt) -> bool:
        """Does the whole statement stand in the region?"""
        return self.begin < first_line(node) and last_line(node) < self.end


def marker(line: str) -> str:
    """A line as markers are compared: `###  BEGIN SOLUTION ` is `### BEGIN SOLUTION`."""
    return re.sub(r"\s+", " ", line.strip())


def regions(source: str, begin: str, end: str) -> list[Region]:
    """The well-formed regions of a cell; what is unbalanced is left out (the rule of markers reports it)."""
    found, start = [], None
    for number, line in enumerate(source.split("\n"), 1):
        word = marker(line)
        if word == begin:
            start = number
        elif word == end and start is not None:
            found.append(Region(start, number))
            start = None
    return found


def first_line(node: ast.stmt) -> int:
    """The first line of a statement, its decorators included."""
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def last_line(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """Every list of statements in `tree`: the module's, each function's, each branch's."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block


def is_string(node: ast.stmt) -> bool:
    """A statement that is only a string: a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def attribute_of(node: ast.AST, name: str) -> str | None:
    """`award` for the expression `check.award`, when `name` is `check`; else None."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name:
        return node.attr
    return None
