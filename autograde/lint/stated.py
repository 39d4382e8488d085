"""What a lesson's code states: the claims of its free cells, as they stand in the text, and the numbers of any cell."""

from __future__ import annotations

import ast
import contextlib
import math
import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from autograde.lint.numerals import numbers
from autograde.lint.page import Page

BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: operator.pow,
}
FUNCTIONS = {"sqrt", "log", "log2", "log10", "exp"}
#: A list that is repeated more often is no claim.
LONGEST = 1000


class NotLiteral(ValueError):
    """An expression whose value the text alone does not tell."""


@dataclass(frozen=True)
class ClaimText:
    """A claim as the text states it. `name` is None where it is computed.

    `expected` and `measured` are its numbers as far as literals say them, `said` those of its name and source.
    """

    name: str | None
    cell: int
    expected: tuple[float, ...]
    measured: tuple[float, ...]
    said: tuple[float, ...]


def called(call: ast.Call) -> str:
    """The last part of the name of what is called: `claim` for `claims.claim(...)`."""
    function = call.func
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


def claims_of(page: Page) -> list[ClaimText]:
    """The claims of a text, in their order; names are followed to the literals that they were given last."""
    known: dict[str, Any] = {}
    found = []
    for cell, tree in page.code():
        for statement in tree.body:
            for call in (
                node for node in ast.walk(statement) if isinstance(node, ast.Call) and called(node) == "claim"
            ):
                found.append(_claim(call, cell.cell.index, known))
            _learn(statement, known)
    return found


def _claim(call: ast.Call, cell: int, known: dict[str, Any]) -> ClaimText:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    arguments = dict(zip(("name", "measured"), call.args, strict=False)) | given
    read: dict[str, Any] = {}
    for part, argument in arguments.items():
        with contextlib.suppress(NotLiteral):
            read[str(part)] = value_of(argument, known)
    name, source = str(read.get("name", "")), str(read.get("source", ""))
    said = tuple(number.value for text in (name, source) for number in numbers(text))
    return ClaimText(name or None, cell, flat(read.get("expect")), flat(read.get("measured")), said)


def _learn(statement: ast.stmt, known: dict[str, Any]) -> None:
    """Remember a name that gets a literal, and forget those that get anything else."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        try:
            known[statement.targets[0].id] = value_of(statement.value, known)
            return
        except NotLiteral:
            pass
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            known.pop(node.id, None)


def value_of(node: ast.expr, known: dict[str, Any] | None = None) -> Any:
    """The value of a literal: numbers, strings, lists and tuples of them, arithmetic and known names.

    Raises:
        NotLiteral: it is anything else.
    """
    known = known or {}
    match node:
        case ast.Constant(value=bool()):
            raise NotLiteral("a truth value")
        case ast.Constant(value=int() | float() | str() as value):
            return value
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [value_of(part, known) for part in parts]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _computed(operator.neg, value_of(operand, known))
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in BINARY:
            return _computed(BINARY[type(sign)], value_of(left, known), value_of(right, known))
        case ast.Name(id=name) if name in known:
            return known[name]
        case ast.Attribute(value=ast.Name(id="math"), attr="pi" | "e" as name):
            return getattr(math, name)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="math"), attr=name), args=[argument], keywords=[]):
            if name in FUNCTIONS:
                return _computed(getattr(math, name), value_of(argument, known))
    raise NotLiteral(ast.dump(node)[:80])


def _computed(function: Callable[..., Any], *values: Any) -> Any:
    if function is operator.mul and any(isinstance(value, list | str) for value in values):
        count = next((value for value in values if isinstance(value, int)), LONGEST)
        if count >= LONGEST:
            raise NotLiteral("a long list")
    elif function is operator.pow and not all(isinstance(value, int | float) and abs(value) < 1000 for value in values):
        raise NotLiteral("a huge number")
    try:
        return function(*values)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise NotLiteral(str(error)) from None


def flat(value: Any) -> tuple[float, ...]:
    """The numbers of nested lists; none of what is no number."""
    if isinstance(value, list | tuple):
        return tuple(number for part in value for number in flat(part))
    return (float(value),) if isinstance(value, int | float) and not isinstance(value, bool) else ()


def literals(trees: Iterable[ast.Module]) -> Iterator[float]:
    """Every number that stands in code, whatever it is for."""
    for tree in trees:
        for node in ast.walk(tree):
            yield from _number(node)


def named_literals(trees: Iterable[ast.Module]) -> Iterator[float]:
    """The numbers that a name is given: `RATE = 0.15`, `lr=3e-3`, `{"lr": 3e-3}`, a default; not those of claims."""
    for tree in trees:
        for node in ast.walk(tree):
            given: list[ast.expr | None] = []
            match node:
                case ast.Assign() | ast.AnnAssign():
                    given = [node.value]
                case ast.Call() if called(node) != "claim":
                    given = [keyword.value for keyword in node.keywords]
                case ast.Dict():
                    given = [*node.values]
                case ast.arguments():
                    given = [*node.defaults, *node.kw_defaults]
            for value in given:
                yield from _number(value)


def _number(node: ast.AST | None) -> Iterator[float]:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        yield float(node.value)
