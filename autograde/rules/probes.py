"""Probes: plain functions at the top level of a test cell, the only way from a test to the student's work."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from autograde.rules.python import Region, attribute_of
from autograde.rules.text import Finding, TextCell

#: What the build must see by name, because where it stands decides what students can read.
MARKED = {"probe", "award", "hidden", "hidden_seed"}
#: Ways to a name that no analysis of names can follow.
BLIND = {"globals", "locals", "eval", "exec", "__import__", "get_ipython"}
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def uses_of_check(tree: ast.AST) -> Iterator[tuple[ast.Attribute, str]]:
    """The expressions `check.probe`, `check.award`, `check.hidden`, `check.hidden_seed` in a cell."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and attribute_of(node, "check") in MARKED:
            yield node, node.attr


def is_probe(node: ast.AST) -> bool:
    """A function whose only decorator is `@check.probe`."""
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    return len(decorators) == 1 and attribute_of(decorators[0], "check") == "probe"


def split_probes(tree: ast.Module) -> tuple[ast.Module, list[ast.FunctionDef]]:
    """What runs in the judge, a test cell without the bodies of its probes; and the probes without their decorator.

    The heads of probes run in both rooms: their defaults and annotations are evaluated where the `def` stands.
    """
    rest: list[ast.stmt] = []
    probes = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and is_probe(node):
            probe, stub = copy.copy(node), copy.copy(node)
            probe.decorator_list = []
            stub.body = [ast.copy_location(ast.Pass(), node)]
            probes.append(probe)
            rest.append(stub)
        else:
            rest.append(node)
    return ast.Module(rest, []), probes


def check_probes(cell: TextCell, tree: ast.Module, hidden: Region | None) -> Iterator[Finding]:
    """Yield probes of a wrong form, twice the same name, and probes in the hidden region."""
    probes = [node for node in tree.body if isinstance(node, ast.FunctionDef) and is_probe(node)]
    proper = {id(probe.decorator_list[0]) for probe in probes}
    for use, name in uses_of_check(tree):
        if name == "probe" and id(use) not in proper:
            wrong = "`check.probe` is only the one decorator of a plain function at the cell's top level."
            yield cell.at(use.lineno, wrong, "Write `@check.probe` above a `def` there.")
    seen: dict[str, int] = {}
    for probe in probes:
        if hidden and probe.lineno in hidden:
            wrong = f"the probe `{probe.name}` stands in the hidden region, but its text goes to the student's room."
            yield cell.at(probe.lineno, wrong, "Move it above the region.")
        if probe.name in seen:
            wrong = (
                f"the probe `{probe.name}` stands on line {seen[probe.name]} already; a name is a probe once per cell."
            )
            yield cell.at(probe.lineno, wrong, "Rename one.")
        seen.setdefault(probe.name, cell.text_line(probe.lineno))
    yield from _check_rebound(cell, tree, set(seen))


def _check_rebound(cell: TextCell, tree: ast.Module, probes: set[str]) -> Iterator[Finding]:
    for node in ast.walk(split_probes(tree)[0]):
        bound = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del) and node.id in probes
        if bound or (isinstance(node, DEFINITIONS) and node.name in probes and not is_probe(node)):
            assert isinstance(node, ast.Name | ast.stmt)
            yield cell.at(node.lineno, "the name of a probe of this cell means something else here.", "Rename one.")


def check_access(cell: TextCell, tree: ast.Module) -> Iterator[Finding]:
    """Yield ways around the analysis: `check` under another name; in a test, names reached through strings."""
    bases = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if _hides_check(node) or (isinstance(node, ast.Name) and node.id == "check" and id(node) not in bases):
            assert isinstance(node, ast.stmt | ast.expr)
            advice = "Write `from course_utils import check`, and `check.` before each use."
            yield cell.at(node.lineno, "the build finds probes and hidden tests by the name `check`.", advice)
    if cell.cell.kind != "test":
        return
    for node in ast.walk(split_probes(tree)[0]):
        blind = isinstance(node, ast.Name) and node.id in BLIND
        blind |= isinstance(node, ast.Constant) and node.value == "__main__"
        if blind or (isinstance(node, ast.Import | ast.ImportFrom) and "__main__" in ast.unparse(node)):
            assert isinstance(node, ast.stmt | ast.expr)
            wrong = f"`{ast.unparse(node)}` reaches names that the build cannot see."
            yield cell.at(node.lineno, wrong, "Name what the test needs, or move this into a probe.")


def _hides_check(node: ast.AST) -> bool:
    """Does this make `check` something else, or something else `check`?"""
    if isinstance(node, ast.ImportFrom):
        wrong_origin = (
            any((alias.asname or alias.name) == "check" for alias in node.names) and node.module != "course_utils"
        )
        renamed = any(alias.name == "check" and alias.asname not in (None, "check") for alias in node.names)
        return wrong_origin or renamed or node.module == "course_utils.check"
    if isinstance(node, ast.Import):
        return any(alias.name == "course_utils.check" or alias.asname == "check" for alias in node.names)
    if isinstance(node, ast.Attribute) and node.attr in MARKED:
        return isinstance(node.value, ast.Attribute) and node.value.attr == "check"
    return isinstance(node, DEFINITIONS) and node.name == "check"
