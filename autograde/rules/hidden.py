"""Hidden tests: what must stand in the hidden region of a test cell, what may not, and what a test awards."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Iterator
from typing import Any

from autograde.lesson import BEGIN_HIDDEN, END_HIDDEN
from autograde.rules.probes import uses_of_check
from autograde.rules.python import Region, attribute_of, first_line, is_string, last_line, regions
from autograde.rules.text import Finding, TextCell

OPERATORS: dict[type, Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
INTO_REGION = f"Move it between `{BEGIN_HIDDEN}` and `{END_HIDDEN}` of a test cell."


def hidden_region(cell: TextCell) -> Region | None:
    """The hidden region of a test cell, the first if there are several."""
    return next(iter(regions(cell.source, BEGIN_HIDDEN, END_HIDDEN)), None)


def check_outside(cell: TextCell, tree: ast.Module) -> Iterator[Finding]:
    """Yield probes, hidden inputs and awards in a cell that is no test."""
    for use, name in uses_of_check(tree):
        advice = "Move it into a test cell." if name == "probe" else INTO_REGION
        yield cell.at(use.lineno, f"`check.{name}` stands outside a test cell.", advice)


def check_hidden(cell: TextCell, tree: ast.Module) -> Iterator[Finding]:
    """Yield what is wrong with the hidden region of a test cell and with its award."""
    region = hidden_region(cell)
    for use, name in uses_of_check(tree):
        if name != "probe" and (region is None or use.lineno not in region):
            yield cell.at(use.lineno, f"`check.{name}` stands where students read it.", INTO_REGION)
    if region is None:
        return
    for node in tree.body:
        if first_line(node) <= region.end and region.begin <= last_line(node) and not region.holds(node):
            advice = "Put its markers between statements at the cell's top level."
            yield cell.at(region.begin, "the hidden region cuts a statement in two.", advice)
            return
    if not any(not region.holds(node) and not is_string(node) for node in tree.body):
        wrong = "no line of code stands above the hidden region, so students get an empty cell."
        yield cell.at(region.begin, wrong, "Add a visible check.")
    after = [n for n, line in enumerate(cell.lines, 1) if n > region.end and line.strip()]
    if after:
        wrong = "this line stands after the hidden region, which must be the last thing in its cell."
        yield cell.at(after[0], wrong, "Move it above the region.")
    yield from _check_award(cell, [node for node in tree.body if region.holds(node)])


def _check_award(cell: TextCell, hidden: list[ast.stmt]) -> Iterator[Finding]:
    awards = [use for node in hidden for use, name in uses_of_check(node) if name == "award"]
    last = hidden[-1] if hidden else None
    call = last.value if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) else None
    proper = call.func if call and attribute_of(call.func, "check") == "award" else None
    for use in awards:
        if use is not proper:
            wrong = "`check.award(points)` is only the last statement of the hidden region, once."
            yield cell.at(use.lineno, wrong, "Compute the points first and award them there.")
    if proper is None or call is None:
        return
    if len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
        yield cell.at(call.lineno, "`check.award` takes one number, the points.", "Write `check.award(points)`.")
        return
    value, most = constant(call.args[0]), cell.cell.points
    if value is not None and not (isinstance(value, int | float) and 0 <= value <= most):
        yield cell.at(
            call.lineno, f"this awards {value}, but the test is worth {most:g} points.", "Award from 0 to that."
        )


def constant(node: ast.expr) -> Any:
    """The number that a constant expression is, the text of another constant; None when the test computes it."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) in (int, float) else repr(node.value)
    if isinstance(node, ast.UnaryOp | ast.BinOp):
        parts = [node.operand] if isinstance(node, ast.UnaryOp) else [node.left, node.right]
        values = [constant(part) for part in parts]
        if type(node.op) not in OPERATORS or not all(isinstance(value, int | float) for value in values):
            return None
        try:
            return OPERATORS[type(node.op)](*values)
        except ArithmeticError:
            return math.nan
    if isinstance(node, ast.Attribute) and node.attr in ("nan", "inf"):
        return float(node.attr)
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "float" and len(node.args) == 1:
        try:
            return float(ast.literal_eval(node.args[0]))
        except (ValueError, TypeError):
            return None
    return None
