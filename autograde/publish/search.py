"""Searches what is to be published, as it will lie there, for anything that students must not get."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from autograde.lesson import BEGIN_HIDDEN, BEGIN_SOLUTION, END_HIDDEN, END_SOLUTION
from autograde.publish.unpack import unpack
from autograde.rules import find_all_leaks, lesson_secrets, read_text, shelves_of
from autograde.rules.leaks import SINGLE, WHOLE, Secret, Shelf, code_shelf, prose_shelf, squeeze, stands_on
from autograde.rules.text import Text
from autograde.seeds import SECRET

ANSWERS = Path(__file__).parents[1] / "answers"
MARKERS = tuple(squeeze(marker) for marker in (BEGIN_SOLUTION, END_SOLUTION, BEGIN_HIDDEN, END_HIDDEN))
SOLUTIONS = "solutions/"
#: How a secret says that it is not a solution.
HIDDEN = "the hidden test of `"


def find_unwanted(root: Path, contents: Mapping[str, bytes], solutions: Iterable[str]) -> list[str]:
    """What students must not get of `contents`, a line each; empty if all may be published.

    Args:
        root: the course folder.
        contents: the published files by path.
        solutions: lessons whose solutions may stand in the folder `solutions`.
    """
    found: list[str] = []
    unpacked: dict[str, bytes] = {}
    for name, data in contents.items():
        try:
            unpacked.update(unpack(name, data))
        except ValueError as error:
            found.append(f"{name}: {error} Unpack it, so that it can be searched.")
    found += _marks(root, unpacked)
    shelves = {name: list(_shelves(name, data)) for name, data in unpacked.items()}
    released = [shelf for name, each in shelves.items() if not name.startswith(SOLUTIONS) for shelf in each]
    solved = [shelf for name, each in shelves.items() if name.startswith(SOLUTIONS) for shelf in each]
    lessons = [read_text(path, root) for path in sorted((root / "source").glob("[!._]*.py"))]
    wanted = set(solutions)
    secrets = {text.name: lesson_secrets(text) for text in lessons}
    told = {form for name in wanted for each in secrets[name] if HIDDEN not in each.what for form in each.forms}
    anywhere: list[tuple[Text, Secret]] = []  # no student may find these, wherever they stand
    unsolved: list[tuple[Text, Secret]] = []  # a published solution may tell these
    untold: list[tuple[Text, Secret]] = []  # what no published solution tells, of those
    for text in lessons:
        hidden = secrets[text.name]
        unsolved += [(text, secret) for secret in hidden]
        untold += [(text, secret) for secret in _untold(hidden, told)]
        given = _given(root, text.name)
        for path in sorted((ANSWERS / text.name).glob("*/*/*.py")):
            where = Text("autograde/answers/" + path.relative_to(ANSWERS).as_posix(), (), None, ())
            answers = [secret for secret in answer_secrets(path) if not any(stands_on(secret, each) for each in given)]
            (unsolved if text.name in wanted else anywhere).extend((where, secret) for secret in answers)
    leaks = {*find_all_leaks(anywhere + unsolved, released), *find_all_leaks(anywhere + untold, solved)}
    return found + [str(leak) for leak in sorted(leaks)]


def _shelves(path: str, data: bytes) -> Iterator[Shelf]:
    text = _text(data)
    yield from shelves_of(path, text)
    if path.endswith(".json"):  # strings as they are meant, without JSON's escapes
        try:
            strings = list(_strings(json.loads(text)))
        except (ValueError, RecursionError):
            return
        yield prose_shelf(f"{path} (its strings)", "\n".join(strings))
        yield from (code_shelf(f"{path} (a string of it)", string) for string in strings if len(string) >= WHOLE)


def _text(data: bytes) -> str:
    """Bytes as text; without zeros, which UTF-16 puts between letters."""
    return data.replace(b"\0", b"").decode(errors="ignore")


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


def _marks(root: Path, contents: Mapping[str, bytes]) -> Iterator[str]:
    """Files that hold nbgrader's markers, or the secret that hidden inputs are drawn from."""
    path = root / SECRET
    secret = path.read_text().strip() if path.is_file() else ""
    for name, data in contents.items():
        words = squeeze(_text(data))
        if any(marker in words for marker in MARKERS):
            yield f"{name}: a marker of solutions or hidden tests stands in it. Delete it there."
        if secret and secret in words:
            yield f"{name}: the course's secret ({SECRET}) stands in it. Delete it there."


def _untold(secrets: Iterable[Secret], told: set[str]) -> Iterator[Secret]:
    """The secrets that no published solution tells."""
    for secret in secrets:
        if forms := secret.forms - told:
            yield replace(secret, forms=forms)


def answer_secrets(path: Path) -> list[Secret]:
    """The functions of an answer of the bank, right or wrong.

    Each body counts from SINGLE characters on. A shorter one may be a line that anybody writes: it counts together with
    the exercise's name and parameters, and a right one as a body of its own from WHOLE characters on.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    *_, kind, _ = path.parts
    secrets = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if ast.get_docstring(node) is not None and len(node.body) > 1:
            del node.body[0]
        body = "\n".join(squeeze(ast.unparse(part)) for part in node.body)
        forms = [squeeze(body), *([squeeze(ast.unparse(node))] if node in tree.body else [])]
        long = frozenset(form for form in forms if len(form) >= SINGLE)
        statements = f"\n{body}\n" if len(body) >= (WHOLE if kind == "right" else SINGLE) else ""
        if long or statements:
            secrets.append(Secret(node.lineno, f"the answer `{'/'.join(path.parts[-3:])}`", long, statements))
    return secrets


def _given(root: Path, lesson: str) -> list[Shelf]:
    """The released cells that students complete: what answers have in common with them was given."""
    path = root / "release" / lesson / f"{lesson}.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    marked = [cell for cell in cells if cell["metadata"].get("nbgrader", {}).get("solution")]
    return [code_shelf(path.name, "".join(cell["source"])) for cell in marked if cell["cell_type"] == "code"]
