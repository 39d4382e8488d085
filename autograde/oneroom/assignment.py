"""An assignment of any nbgrader course as a lesson: its notebooks as nbgrader would release and grade them.

Nothing is read from `release`: what students got is made again in memory, by the course's own list of preprocessors.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config
from traitlets.utils.importstring import import_item

from autograde.errors import CourseError
from autograde.files import write
from autograde.lesson import Lesson, classify
from autograde.limits import Limits
from autograde.oneroom.pack import below, pack, unpack

KITS = Path(".autograde") / "oneroom"


def is_one_room(root: Path, coursedir: CourseDirectory, name: str) -> bool:
    """Whether an assignment is not one of ours: there are notebooks of it, and not the text from which we build one.

    A notebook with a cell for both rooms was built by us; without its text, it still is no foreign one.
    """
    if (root / "source" / f"{name}.py").is_file():
        return False
    paths = _sources(coursedir, name)
    ours = (cell.metadata.get("room") == "both" for path in paths for cell in nbformat.read(path, as_version=4).cells)
    return bool(paths) and not any(ours)


def load(name: str, coursedir: CourseDirectory, config: Config) -> Lesson:
    """Read an assignment: a lesson with `parts`, one for each notebook in `source/NAME`.

    Raises:
        CourseError: nbgrader itself cannot release it, or it is laid out in a way that we do not read.
    """
    usual = CourseDirectory(config=Config()).directory_structure
    if coursedir.directory_structure != usual:
        raise CourseError(
            f"This course sets CourseDirectory.directory_structure to {coursedir.directory_structure!r}. "
            f"`autograde` reads courses with nbgrader's own, {usual!r}: grade this one with `nbgrader autograde`."
        )
    parts = tuple(_part(path, name, coursedir, config) for path in _sources(coursedir, name))
    several = len(parts) > 1
    cells = tuple(
        replace(cell, grade_id=qualified(part.name, cell.grade_id, several) if cell.grade_id else None)
        for part in parts
        for cell in part.cells
    )
    digest = hashlib.sha256(pack(source_files(name, coursedir, config))).hexdigest()
    graded, release = _merged(part.notebook for part in parts), _merged(part.release for part in parts)
    graded.metadata["course"] = {"seconds": _seconds(config), "files": digest}
    return Lesson(name, cells, graded, release, parts=parts)


def qualified(notebook: str, grade_id: str, several: bool) -> str:
    """A cell's name in an assignment: nbgrader's grade ids are unique in one notebook only."""
    return f"{notebook}/{grade_id}" if several else grade_id


def kit(root: Path, lesson: Lesson, coursedir: CourseDirectory, config: Config, *, cluster: bool) -> str:
    """The path of the file from which jobs read an assignment, made anew; empty for a lesson of ours.

    Raises:
        CourseError: they are to run on a cluster, to which no such file travels.
    """
    if not lesson.parts:
        return ""
    if cluster:
        raise CourseError(
            f"{lesson.name} has one room, and such an assignment runs on this machine only: leave out --scheduler."
        )
    return str(write_kit(root, lesson, coursedir, config))


def write_kit(root: Path, lesson: Lesson, coursedir: CourseDirectory, config: Config) -> Path:
    """Write all that a job needs of an assignment into one file, so that no job needs nbgrader; returns its path."""
    sides = {"graded": "notebook", "release": "release"}
    texts = {
        f"{side}/{part.name}": nbformat.writes(getattr(part, field)).encode()
        for side, field in sides.items()
        for part in lesson.parts
    }
    files = {f"files/{path}": data for path, data in source_files(lesson.name, coursedir, config).items()}
    path = root / KITS / f"{lesson.name}.tar"
    write(path, pack({**texts, **files}), mode=0o600)
    return path


def read_kit(path: Path) -> tuple[tuple[Lesson, ...], dict[str, bytes]]:
    """The notebooks of an assignment, and the files of its source folder."""
    held = unpack(path.read_bytes())
    released = below("release", held)
    parts = []
    for name, text in below("graded", held).items():
        graded, release = (nbformat.reads(each.decode(), as_version=4) for each in (text, released[name]))
        parts.append(Lesson(name, tuple(classify(graded)), graded, release))
    return tuple(parts), below("files", held)


def source_files(name: str, coursedir: CourseDirectory, config: Config) -> dict[str, bytes]:
    """What nbgrader copies from the source folder beside each submission: everything but notebooks."""
    from nbgrader.converters import Autograde
    from nbgrader.utils import find_all_files

    folder = Path(coursedir.format_path(coursedir.source_directory, ".", name))
    left_out = {str(folder / path) for path in Autograde(config=config).exclude_overwriting.get(name, ())}
    paths = set(find_all_files(str(folder), [*coursedir.ignore, "*.ipynb"])) - left_out
    return {Path(path).relative_to(folder).as_posix(): Path(path).read_bytes() for path in paths}


def _sources(coursedir: CourseDirectory, name: str) -> list[Path]:
    return sorted(Path(coursedir.format_path(coursedir.source_directory, ".", name)).glob("*.ipynb"))


def _part(path: Path, assignment: str, coursedir: CourseDirectory, config: Config) -> Lesson:
    """One notebook: the version that nbgrader would keep in its gradebook and grade with, and the release."""
    from nbgrader.converters import GenerateAssignment
    from nbgrader.preprocessors import SaveCells

    notebook = nbformat.read(path, as_version=4)
    where = {"notebook": path.stem, "assignment": assignment, "student": ".", "db_url": coursedir.db_url}
    resources: Any = {"unique_key": path.stem, "nbgrader": where}
    graded = None
    try:
        with contextlib.chdir(coursedir.root):  # a header is named as seen from here
            for step in GenerateAssignment(coursedir=coursedir, config=config).preprocessors:
                step = import_item(step) if isinstance(step, str) else step
                if step is SaveCells:
                    graded = deepcopy(notebook)
                else:
                    notebook, resources = step(config=config)(notebook, resources)
    except Exception as error:  # whatever an instructor's notebook or plugin does: it is the same in nbgrader
        raise CourseError(
            f"{path}: nbgrader cannot release this notebook ({type(error).__name__}: {error}). "
            f"`nbgrader generate_assignment {assignment}` says more."
        ) from error
    graded = graded or deepcopy(notebook)
    language = graded.metadata.get("kernelspec", {}).get("language") or "python"
    if not language.lower().startswith("python"):
        raise CourseError(f"{path} is written in {language}. `autograde` runs Python only.")
    for each in (graded, notebook):
        _identify(each)
    return Lesson(path.stem, tuple(classify(graded)), graded, notebook)


def _identify(notebook: NotebookNode) -> None:
    """Bring a notebook to format 4.5, with the same ids every time."""
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"


def _merged(notebooks: Any) -> NotebookNode:
    """All that these notebooks say, as one: for fingerprints, which depend on every word."""
    texts = [nbformat.writes(notebook) for notebook in notebooks]
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_raw_cell(json.dumps(texts), id="all")])


def _seconds(config: Config) -> dict[str, float]:
    """The course's own limit for a cell, `Execute.timeout`; a notebook may take ten times as long, or our limit."""
    from nbgrader.preprocessors import Execute

    usual = Limits()
    seconds = Execute(config=config).timeout
    seconds = float(seconds) if seconds and seconds > 0 else usual.notebook  # nbgrader's "for ever"
    return {"cell": seconds, "test": seconds, "notebook": max(usual.notebook, 10 * seconds)}
