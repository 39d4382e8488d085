"""The package file and the environment file of students: what their code imports, in the ranges of this course."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import nbformat

from autograde.errors import CourseError
from autograde.rules.python import parse

PACKAGE = "course_utils"
#: What opens a notebook; nothing imports it.
JUPYTER = ("ipykernel", "jupyterlab")
#: Modules that come with a requirement of another name.
COMES_WITH = {"IPython": "ipykernel", "PIL": "matplotlib", "mpl_toolkits": "matplotlib", "traitlets": "ipykernel"}
#: Extras of the course's own package that are no student's business, or too large to install for everybody: the cell
#: that can use the trained BERT says how to get it.
INSTRUCTORS = ("cluster", "dev", "grade", "minilm")

PYPROJECT = """\
# What students install: the package that the notebooks import, and what it needs.
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "course-utils"
version = "{version}"
description = "What the notebooks of this course import"
readme = "README.md"
requires-python = "{python}"
license = "MIT"
dependencies = [
{dependencies}]

[project.optional-dependencies]
{extras}
[tool.setuptools]
packages = [{packages}]

[tool.setuptools.package-data]
course_utils = [{data}]
"""

ENVIRONMENT = """\
# For those who use conda:
#   conda env create --file environment.yml
#   conda activate {name}
name: {name}
channels:
  - conda-forge
dependencies:
  - python{python}
  - pip
  - pip:
      - -e {target}
"""


def files(root: Path, contents: Mapping[str, bytes]) -> dict[str, bytes]:
    """`pyproject.toml` and `environment.yml` for what is published.

    Args:
        root: the course folder, whose own `pyproject.toml` says the ranges.
        contents: the notebooks and `course_utils`, by path.

    Raises:
        CourseError: something published imports what the course's `pyproject.toml` does not require for students.
    """
    project = _project(root)
    extras = _extras(project)
    optional = {_name(line) for lines in extras.values() for line in lines}
    ranges = {_name(line): line for line in project["dependencies"]}
    needed = {_name(line) for line in JUPYTER}
    for path, module in sorted(imports(contents)):
        names = [_name(module), COMES_WITH.get(module, "")]
        name = next((name for name in names if name in ranges or name in optional), None)
        if name is None:
            raise CourseError(
                f"{path} imports {module}, which students would not have: no requirement in `dependencies` of "
                "pyproject.toml is called so. Add it there, or do without it."
            )
        needed.add(name)
    validate = [line for line in project.get("optional-dependencies", {}).get("grade", []) if _name(line) == "nbgrader"]
    extras = {**extras, "validate": validate} if validate else extras
    pyproject = PYPROJECT.format(
        version=project["version"],
        python=project["requires-python"],
        dependencies="".join(f'    "{line}",\n' for name, line in sorted(ranges.items()) if name in needed),
        extras="".join(f"{name} = [{_quoted(lines)}]\n" for name, lines in sorted(extras.items())),
        packages=_quoted(_packages(contents)),
        data=_quoted(_data(contents)),
    )
    environment = ENVIRONMENT.format(name=project["name"], python=project["requires-python"], target=target(root))
    return {"pyproject.toml": pyproject.encode(), "environment.yml": environment.encode()}


def target(root: Path) -> str:
    """What pip is to install in the published folder: all that its notebooks use, `.` or `.[digits]`."""
    extras = ",".join(sorted(_extras(_project(root))))
    return f".[{extras}]" if extras else "."


def imports(contents: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    """Where each module is imported: the path of the file, the top-level name. Not Python's own, and not ours."""
    for path, data in contents.items():
        for source in _python(path, data):
            for module in _modules(parse(source, magics=True)):
                if module not in sys.stdlib_module_names and module != PACKAGE:
                    yield path, module


def _python(path: str, data: bytes) -> Iterator[str]:
    if path.endswith(".py"):
        yield data.decode()
    if path.endswith(".ipynb"):
        notebook = nbformat.reads(data.decode(), as_version=4)
        yield from (cell.source for cell in notebook.cells if cell.cell_type == "code")


def _modules(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def _project(root: Path) -> dict[str, Any]:
    path = root / "pyproject.toml"
    try:
        project: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
        missing = {"name", "version", "requires-python", "dependencies"} - project.keys()
    except (OSError, ValueError, KeyError) as error:
        raise CourseError(f"{path} cannot be read as a package file ({error}). Put it back.") from error
    if missing:
        raise CourseError(f"{path} does not say {', '.join(sorted(missing))} in [project]. Add it.")
    return project


def _extras(project: dict[str, Any]) -> dict[str, list[str]]:
    """What notebooks use and can do without; nothing imports it at once, so nothing more is derived."""
    return {name: lines for name, lines in project.get("optional-dependencies", {}).items() if name not in INSTRUCTORS}


def _packages(contents: Mapping[str, bytes]) -> list[str]:
    inits = [path for path in contents if path.startswith(f"{PACKAGE}/") and path.endswith("/__init__.py")]
    return sorted(path.removesuffix("/__init__.py").replace("/", ".") for path in inits)


def _data(contents: Mapping[str, bytes]) -> list[str]:
    inside = [path.removeprefix(f"{PACKAGE}/") for path in contents if path.startswith(f"{PACKAGE}/")]
    return sorted(path for path in inside if not path.endswith(".py"))


def _name(line: str) -> str:
    """The name that a requirement begins with, as indexes write it."""
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]*", line)[0]).lower()  # type: ignore[index]


def _quoted(words: list[str]) -> str:
    return ", ".join(f'"{word}"' for word in words)
