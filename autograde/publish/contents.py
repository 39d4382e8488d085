"""What students get, as paths and bytes; no link is followed, and what is not known to be theirs is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import nbformat

from autograde.errors import CourseError
from autograde.live import TEACHER, has_tag, is_live
from autograde.notebooks import encoded
from autograde.publish import package
from autograde.publish.readme import readme
from autograde.publish.solutions import solved
from autograde.rules import CLUTTER, read_text

#: The folders of a published course.
HOMEWORK, NOTEBOOKS, PACKAGE, SOLUTIONS = "homework", "notebooks", "course_utils", "solutions"
LIVE = "live"
#: What may lie beside notebooks and in `course_utils`; anything else there is somebody's leftover, or a text of ours.
DATA = frozenset({".csv", ".jpg", ".json", ".npy", ".npz", ".png", ".safetensors", ".svg", ".txt", ".typed"})


def lessons(root: Path) -> list[str]:
    """The lessons that have a homework."""
    return _texts(root / "source")


def collect(root: Path, solutions: Iterable[str]) -> dict[str, bytes]:
    """Every file of the published folder by its path in it, `/` between the parts.

    Args:
        root: a course folder whose build is fresh.
        solutions: the lessons whose solutions are in it.

    Raises:
        CourseError: a notebook is missing, a file is a link or of no known kind, an import has no requirement.
    """
    contents: dict[str, bytes] = {}
    for lesson in lessons(root):
        for name, path in _files(root, f"release/{lesson}"):
            contents[f"{HOMEWORK}/{lesson}/{name}"] = path.read_bytes()
    contents |= _in_class(root)
    for name, path in _files(root, PACKAGE):
        _refuse_unknown(root, path, DATA | {".py"})
        contents[f"{PACKAGE}/{name}"] = path.read_bytes()
    for lesson in solutions:
        text = read_text(root / "source" / f"{lesson}.py", root)
        released = nbformat.reads(contents[f"{HOMEWORK}/{lesson}/{lesson}.ipynb"].decode(), as_version=4)
        contents[f"{SOLUTIONS}/{lesson}.ipynb"] = solved(lesson, text.notebook, released)
    contents |= package.files(root, contents)
    contents["LICENSE"] = _only_file(root, "LICENSE").read_bytes()
    contents["README.md"] = readme(contents, package.target(root))
    return dict(sorted(contents.items()))


def _in_class(root: Path) -> dict[str, bytes]:
    """The in-class notebooks, each in its live version where it has live cells, and the data beside them.

    The complete ones are the teacher's; `%reveal` brings their code into the live ones.
    """
    contents = {}
    for name in _texts(root / NOTEBOOKS):
        complete = f"{NOTEBOOKS}/{name}.ipynb"
        data = _only_file(root, complete).read_bytes()
        if any(is_live(cell) for cell in nbformat.reads(data.decode(), as_version=4).cells):
            data = _only_file(root, f"{NOTEBOOKS}/{LIVE}/{name}.ipynb").read_bytes()
        contents[complete] = _without_teachers_cells(data)
    for name, path in _files(root, NOTEBOOKS):
        if path.suffix not in (".py", ".ipynb"):
            _refuse_unknown(root, path, DATA)
            contents[f"{NOTEBOOKS}/{name}"] = path.read_bytes()
    return contents


def _without_teachers_cells(data: bytes) -> bytes:
    notebook = nbformat.reads(data.decode(), as_version=4)
    theirs = [cell for cell in notebook.cells if not has_tag(cell, TEACHER)]
    if len(theirs) == len(notebook.cells):
        return data
    notebook.cells = theirs
    return encoded(notebook)


def _texts(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.py") if not path.name.startswith((".", "_")))


def _only_file(root: Path, name: str) -> Path:
    path = root / name
    if path.is_symlink() or any(parent.is_symlink() for parent in path.parents if parent.is_relative_to(root)):
        raise CourseError(f"{name} is a link, or lies behind one. Put a copy there: publish follows no link.")
    if not path.is_file():
        advice = "Run `autograde build` first." if path.suffix == ".ipynb" else "Put it back."
        raise CourseError(f"{name} is missing in {root}. {advice}")
    return path


def _files(root: Path, folder: str) -> Iterator[tuple[str, Path]]:
    """The files below a folder by their path in it, but for what editors and Python leave there."""
    for path in sorted((root / folder).rglob("*")):
        parts = path.relative_to(root / folder).parts
        if CLUTTER & set(parts) or any(part.startswith(".") or part.endswith("~") for part in parts):
            continue
        if path.is_symlink() or not path.is_dir():
            yield "/".join(parts), _only_file(root, path.relative_to(root).as_posix())


def _refuse_unknown(root: Path, path: Path, known: frozenset[str]) -> None:
    if path.suffix not in known:
        shown, kinds = path.relative_to(root).as_posix(), ", ".join(sorted(known))
        raise CourseError(f"{shown} is no file for students (those end in {kinds}). Move it away.")
