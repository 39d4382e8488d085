"""A figure without words: `described(figure, words)` shows a figure together with its alt text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograde.lint.finding import Found
from autograde.lint.page import Page
from autograde.lint.stated import called

#: The modules of `course_utils` whose functions return a figure.
HOUSE = {"charts", "diagrams", "plots", "scenes"}
#: What makes a new figure in matplotlib itself, and what makes one if there is none.
NEW = {"figure", "subplots", "subplot_mosaic", "matshow"}
PYPLOT = {"imshow", "plot", "bar", "hist", "scatter", "pcolormesh", "contour"}
PICTURE = re.compile(r"!\[\s*\]\(|<img\b(?![^>]*\balt\s*=\s*[\"'][^\"']*\w)[^>]*>")
ADVICE = "Show it with `described(figure, words)`: the words say what one sees, for those who cannot."
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda


def check_figures(page: Page) -> Iterator[Found]:
    """Yield figures that are shown without a description, and descriptions without words."""
    makers: set[str] = set()
    for cell, tree in page.code():
        if cell.cell.kind == "test":  # a check draws expected and yours, and describes them itself
            continue
        makers |= set(_imported(tree))
        # a function that makes a figure hands it on: who calls it must describe it
        functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        makers |= {function.name for function in functions if list(_made(function.body, makers))}
        for line, message in _undescribed(tree, makers):
            yield Found("figure", cell.cell.index, line, message)
    for index, prose in page.prose.items():
        for match in PICTURE.finditer(prose.without_code):
            wrong = "this picture has no alt text. Say in it what one sees, for those who cannot."
            yield Found("figure", index, prose.line_of(match.start()), wrong)


def _imported(tree: ast.Module) -> Iterator[str]:
    """House modules (`plots.`) and single house functions, by the names that they have in the notebook."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom):
            continue
        for alias in node.names:
            name = alias.asname or alias.name
            if node.module == "course_utils" and alias.name in HOUSE:
                yield f"{name}."
            elif (node.module or "").removeprefix("course_utils.") in HOUSE:
                yield name


def _undescribed(tree: ast.Module, makers: set[str]) -> Iterator[tuple[int, str]]:
    drawn: list[ast.expr] = []
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call) and called(node) == "described"):
        given = dict(zip(("drawn", "words"), call.args, strict=False)) | {
            word.arg: word.value for word in call.keywords
        }
        drawn += [given["drawn"]] if "drawn" in given else []
        words = given.get("words")
        if words is None or (isinstance(words, ast.Constant) and not str(words.value).strip()):
            yield call.lineno, "this description has no words. Say what one sees, for those who cannot."
    inside = {id(node) for part in drawn for node in ast.walk(part)}
    names = {node.id for part in drawn for node in ast.walk(part) if isinstance(node, ast.Name)}
    for statement in tree.body:
        stored = {
            node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        if isinstance(statement, ast.Assign | ast.AnnAssign) and stored & names:
            continue
        for call in _made([statement], makers):
            on_top = _is_pyplot(call) and called(call) not in NEW and names  # drawn on a figure that is described
            if id(call) not in inside and not on_top:
                yield call.lineno, f"the figure of `{ast.unparse(call.func)}` has no description. {ADVICE}"


def _made(statements: list[ast.stmt], makers: set[str]) -> Iterator[ast.Call]:
    """Calls that make a figure when these statements run; what they define does not run yet."""
    queue: list[ast.AST] = list(statements)
    while queue:
        part = queue.pop(0)
        if isinstance(part, Definition):
            continue
        if isinstance(part, ast.Call) and (_name(part.func) in makers or _is_pyplot(part)):
            yield part
        queue += ast.iter_child_nodes(part)


def _name(function: ast.expr) -> str:
    """`gate_map` for `gate_map(...)`, and for `plots.gate_map(...)` its module, `plots.`."""
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return f"{function.value.id}."
    return function.id if isinstance(function, ast.Name) else ""


def _is_pyplot(call: ast.Call) -> bool:
    return _name(call.func) in ("plt.", "pyplot.") and called(call) in PYPLOT | NEW
