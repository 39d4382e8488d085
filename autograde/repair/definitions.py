"""What a piece of Python defines at top level, also when it does not parse."""

from __future__ import annotations

import ast
import re
import warnings

_DEFINED = re.compile(r"^(?:async[ \t]+)?(?:def|class)[ \t]+([^\W\d]\w*)", re.MULTILINE)
_ASSIGNED = re.compile(r"^([^\W\d]\w*)[ \t]*(?::[^=\n]*)?=(?!=)", re.MULTILINE)

#: A longer cell is taken whole: parsing is for what a person wrote.
LONGEST_PARSED = 200_000


def defined(text: str) -> frozenset[str]:
    """The functions and classes that a text defines at top level, also when it does not parse."""
    return frozenset(_DEFINED.findall(text))


def bound(text: str) -> frozenset[str]:
    """The names that a text defines or assigns at top level."""
    return defined(text) | frozenset(_ASSIGNED.findall(text))


def definition_of(source: str, names: frozenset[str]) -> str:
    """Cut the top-level definitions of some names out of a text; a text that does not parse is taken whole."""
    if len(source) > LONGEST_PARSED:
        return source
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source
    # Python's own line ends; `splitlines` knows more of them.
    lines = re.split(r"\r\n|\r|\n", source)
    parts = []
    for node in body:
        if names & _named(node):
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(each.lineno for each in decorators)])
            parts.append("\n".join(lines[first - 1 : node.end_lineno]))
    return "\n\n\n".join(parts) or source


def _named(node: ast.stmt) -> set[str]:
    """The names that a statement defines or assigns."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return {target.id for target in targets if isinstance(target, ast.Name)}
