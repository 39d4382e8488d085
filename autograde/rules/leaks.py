"""Leaks: does a solution or a hidden test survive in anything that students get?

Code is compared without comments, white space and layout. A whole solution or hidden region counts from WHOLE
characters on, a single statement of it from SINGLE characters on:

- statements that every lesson repeats are shorter than SINGLE: `return out, gates` has 15 characters,
  `x = x.transpose(-2, -1)` 20, `self.q = nn.Linear(d, n, bias=False)` 33. Who has the same 40 has copied them.
- a whole answer may be one short line, `return scores.softmax(-1)` (24), and is then the whole exercise; below WHOLE
  are lines like `return self.proj(x)`. So short, it is compared as complete statements and with prose, or every longer
  statement that begins like it would be an alarm.

No secrets are imports, docstrings, signatures, comparisons of names (`check.close(got, want, "the gates")`: what is
hidden is where the two come from), and statements of a hidden test that the visible part of its cell has too.
"""

from __future__ import annotations

import ast
import functools
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from autograde.lesson import BEGIN_HIDDEN, BEGIN_SOLUTION, END_HIDDEN, END_SOLUTION
from autograde.rules.python import Region, attribute_of, blocks, is_string, last_line, parse, regions
from autograde.rules.text import Finding, Text, TextCell

SINGLE = 40
WHOLE = 20
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Secret:
    """Something students must not get. `forms` are its spellings, squeezed; a whole region has its `statements` too."""

    line: int
    what: str
    forms: frozenset[str]
    statements: str = ""


@dataclass(frozen=True)
class Shelf:
    """One piece of what students get: its text, the prose in it, and, where it is Python, its blocks of statements."""

    where: str
    words: tuple[str, ...]
    prose: tuple[str, ...]
    statements: tuple[str, ...] = ()


def squeeze(text: str) -> str:
    """Text without any white space."""
    return re.sub(r"\s+", "", text)


def prose_shelf(where: str, text: str) -> Shelf:
    """A text of any kind, as it is and without comment signs at the beginning of its lines."""
    words = (squeeze(text), squeeze(re.sub(r"(?m)^\s*#+", "", text)))
    return Shelf(where, words, words)


def code_shelf(where: str, source: str) -> Shelf:
    """Python, or a code cell that may hold magics; its comments and strings are prose."""
    return replace(_code_shelf(source), where=where)


@functools.lru_cache(maxsize=2048)
def _code_shelf(source: str) -> Shelf:
    """A shelf without its place: a release, what was built of it and what is published of it hold the same cells."""
    whole = prose_shelf("", source)
    try:
        tree = parse(source, magics=True)
        comments = [token.string.lstrip("#") for token in _tokens(source) if token.type == tokenize.COMMENT]
    except (SyntaxError, tokenize.TokenError):
        return whole
    strings = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    statements = tuple("\n" + "\n".join(_unparsed(node) for node in block) + "\n" for block in blocks(tree))
    words = (*whole.words, squeeze(ast.unparse(tree)))
    return Shelf("", words, (squeeze("".join(comments)), *map(squeeze, strings)), statements)


def secrets_of(cell: TextCell, tree: ast.Module | None) -> Iterator[Secret]:
    """Yield what a cell hides: the marked regions of solutions and tests, and written answers."""
    name, kind = cell.cell.grade_id, cell.cell.kind
    if kind == "written":
        for region in regions(cell.source, BEGIN_SOLUTION, END_SOLUTION) or [Region(0, len(cell.lines) + 1)]:
            answer = squeeze("\n".join(cell.lines[region.begin : region.end - 1]))
            if len(answer) >= SINGLE:
                yield Secret(cell.text_line(region.begin + 1), f"the answer to `{name}`", frozenset([answer]))
    if tree is None or kind not in ("solution", "test"):
        return
    markers = (BEGIN_SOLUTION, END_SOLUTION) if kind == "solution" else (BEGIN_HIDDEN, END_HIDDEN)
    what = f"the solution of `{name}`" if kind == "solution" else f"the hidden test of `{name}`"
    marked, bare = regions(cell.source, *markers), _without_comments(cell.source)
    shown = [node for node in tree.body if kind == "test" and not any(region.holds(node) for region in marked)]
    parts = [part for node in shown for part in ast.walk(node) if isinstance(part, ast.stmt)]
    public = {form for part in parts for form in _forms(part, bare)}
    for region in marked:
        inside = [[node for node in block if region.holds(node)] for block in blocks(tree)]
        yield from _secrets_in([block for block in inside if block], cell, bare, what, public)


def _secrets_in(
    inside: list[list[ast.stmt]], cell: TextCell, bare: str, what: str, public: set[str]
) -> Iterator[Secret]:
    """The secrets of one region; its blocks come outermost first, so that the first is its whole body."""
    body = [node for node in inside[0] if not is_string(node)] if inside else []
    if body:
        statements = "\n".join(_unparsed(node) for node in body)
        lines = bare.split("\n")[body[0].lineno - 1 : last_line(body[-1])]
        forms = frozenset([squeeze(statements), squeeze("\n".join(lines))])
        if len(statements) >= WHOLE:
            yield Secret(cell.text_line(body[0].lineno), what, forms, f"\n{statements}\n")
    for node in (node for block in inside for node in block):
        if isinstance(node, (ast.Import, ast.ImportFrom, *DEFINITIONS)) or is_string(node) or _only_compares(node):
            continue
        forms = frozenset(form for form in _forms(node, bare) if len(form) >= SINGLE and form not in public)
        if forms:
            yield Secret(cell.text_line(node.lineno), f"a statement of {what}", forms)


def _only_compares(node: ast.stmt) -> bool:
    """`check.close(got, want, "the gates", rtol=1e-3)`: names, words and tolerances."""
    call = node.value if isinstance(node, ast.Expr) else None
    if (
        not isinstance(call, ast.Call)
        or not isinstance(call.func, ast.Attribute)
        or not attribute_of(call.func, "check")
    ):
        return False
    words = [arg for arg in call.args if isinstance(arg, ast.Name | ast.JoinedStr) or _is_word(arg)]
    options = [keyword for keyword in call.keywords if isinstance(keyword.value, ast.Name | ast.Constant)]
    return len(words) == len(call.args) and len(options) == len(call.keywords)


def _is_word(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _unparsed(node: ast.AST) -> str:
    return squeeze(ast.unparse(node))


def _forms(node: ast.stmt, bare: str) -> set[str]:
    """The spellings of a statement, Python's and its author's: of `return E` also E, of `for ...:` only its head."""
    if hasattr(node, "body") or hasattr(node, "cases"):
        return {squeeze(ast.unparse(node).split("\n")[0])}
    parts: list[ast.AST] = [node]
    if isinstance(node, ast.Return | ast.Assign | ast.AugAssign | ast.AnnAssign) and node.value is not None:
        parts.append(node.value)
    return {form for part in parts for form in (_unparsed(part), squeeze(_written(bare, part)))}


def _written(source: str, node: ast.AST) -> str:
    """What stands in `source` for this node: `ast.get_source_segment`, but the lines are split once a cell."""
    begin, end = (getattr(node, name, None) for name in ("lineno", "end_lineno"))
    if begin is None or end is None:
        return ""
    lines = _lines(source)[begin - 1 : end]
    lines[-1] = lines[-1][: node.end_col_offset]  # type: ignore[attr-defined]
    lines[0] = lines[0][node.col_offset :]  # type: ignore[attr-defined]
    return b"\n".join(lines).decode()


@functools.lru_cache(maxsize=2)
def _lines(source: str) -> list[bytes]:
    """Lines as bytes: in bytes count the columns of a syntax tree."""
    return source.encode().split(b"\n")


def _tokens(source: str) -> list[tokenize.TokenInfo]:
    return list(tokenize.generate_tokens(io.StringIO(source).readline))


def _without_comments(source: str) -> str:
    """The cell with its comments cut off; lines and columns hold."""
    lines = source.split("\n")
    for token in _tokens(source):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    return "\n".join(lines)


def find_leaks(text: Text, secrets: Iterable[Secret], shelves: Iterable[Shelf]) -> Iterator[Finding]:
    """Yield each secret that stands on a shelf."""
    return find_all_leaks([(text, secret) for secret in secrets], shelves)


def find_all_leaks(hidden: Sequence[tuple[Text, Secret]], shelves: Iterable[Shelf]) -> Iterator[Finding]:
    """Yield each secret that stands on a shelf, of many texts at once.

    A course has thousands of secrets and megabytes of texts. So each text is read once: where something begins as a
    secret begins, that secret is looked for.
    """
    begins: dict[str, set[int]] = defaultdict(set)
    always = set()  # too short for that
    for number, (_, secret) in enumerate(hidden):
        for form in {*secret.forms, secret.statements} - {""}:
            if len(form) < WHOLE:
                always.add(number)
            else:
                begins[form[:WHOLE]].add(number)
    for place in shelves:
        possible = set(always)
        for words in {*place.words, *place.prose, *place.statements}:
            pieces = {words[at : at + WHOLE] for at in range(len(words) - WHOLE + 1)}
            for piece in begins.keys() & pieces:
                possible |= begins[piece]
        for text, secret in (hidden[number] for number in sorted(possible)):
            if stands_on(secret, place):
                wrong = f"{secret.what} survives in {place.where}, which students get."
                yield text.at(secret.line, wrong, "Take it out there, or change it here.")


def stands_on(secret: Secret, place: Shelf) -> bool:
    """Whether a secret can be read there."""
    if secret.statements and any(secret.statements in block for block in place.statements):
        return True
    # a short answer inside a longer statement is no alarm, inside a sentence it is
    return any(
        form in words for form in secret.forms for words in (place.words if len(form) >= SINGLE else place.prose)
    )
