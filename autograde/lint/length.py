"""Cells that are too long to take in at once."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograde.lesson import BEGIN_SOLUTION, END_SOLUTION
from autograde.lint.finding import Found
from autograde.lint.page import Page
from autograde.rules.python import first_line, is_string, last_line, marker

LINES = 25


def check_length(page: Page) -> Iterator[Found]:
    """Yield code cells of more than 25 lines.

    Test cells are none of them: nobody reads those from top to bottom. Of a solution cell docstrings and markers do not
    count: they are the exercise.
    """
    for cell, tree in page.code():
        lines = cell.source.rstrip().split("\n")
        count = len(lines)
        if cell.cell.kind == "test":
            continue
        if cell.cell.kind == "solution":
            told = {line for node in ast.walk(tree) for line in _docstring(node)}
            count -= len(told) + sum(marker(line) in (BEGIN_SOLUTION, END_SOLUTION) for line in lines)
        if count > LINES:
            advice = "Cut it where one idea ends, and say between the parts what comes."
            yield Found(
                "length", cell.cell.index, LINES + 1, f"this cell has {count} lines, more than {LINES}. {advice}"
            )


def _docstring(node: ast.AST) -> range:
    body = getattr(node, "body", None)
    if isinstance(node, ast.FunctionDef | ast.ClassDef) and body and is_string(body[0]):
        return range(first_line(body[0]), last_line(body[0]) + 1)
    return range(0)
