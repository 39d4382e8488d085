"""Builds the notebooks and the release of each lesson from its text, or refuses with file and line.

`source/NAME.py` gives `source/NAME/NAME.ipynb` (for the grader) and, by nbgrader's own generate_assignment,
`release/NAME/NAME.ipynb` (for students); `notebooks/NAME.py` gives `notebooks/NAME.ipynb` and, where it has live cells,
`notebooks/live/NAME.ipynb`. All is made in a temporary folder and moved into place when whole, so that a failure leaves
what was there. No gradebook is touched: with one that has submissions, nbgrader would refuse a changed exercise and
delete the release.
"""

from __future__ import annotations

import logging
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import nbformat

from autograde.errors import BuildError
from autograde.files import explained, temporary_folder
from autograde.files import write as write_file
from autograde.live import live_notebook
from autograde.needed import needed_names
from autograde.notebooks import canonical, from_text, write
from autograde.rules import (
    CLUTTER,
    Finding,
    Text,
    check_homework,
    check_in_class,
    files,
    find_leaks,
    lesson_secrets,
    read_text,
    shelves,
)


def build(root: Path, name: str | None = None) -> list[Path]:
    """Build every lesson below the course folder `root`, or the one called `name`. Returns the notebooks built.

    Raises:
        BuildError: a lesson breaks a rule; the message lists every `file:line: reason`, and nothing has been changed.
    """
    root = root.resolve()
    with temporary_folder("autograde-build-") as made:
        _make(root, made, name)
        for release in _folders(made / "release"):
            _replace_folder(release, root / "release" / release.name)
        notebooks = sorted(path.relative_to(made) for path in made.rglob("*.ipynb"))
        for path in notebooks:
            if path.parts[0] != "release":
                _replace_file(made / path, root / path)
        return [root / path for path in notebooks]


def check_built(root: Path, name: str | None = None) -> list[str]:
    """What a build would change, one sentence each; empty if all is fresh. Changes nothing.

    A notebook that git ignores may be missing (a fresh clone has none), the release may not.

    Raises:
        BuildError: a lesson breaks a rule.
    """
    root = root.resolve()
    stale = []
    with temporary_folder("autograde-build-") as made:
        _make(root, made, name)
        for release in _folders(made / "release"):
            here, there = _bytes(release), _bytes(root / "release" / release.name)
            for path in sorted(here.keys() | there.keys()):
                if here.get(path) != there.get(path):
                    state = "missing" if path not in there else "stale" if path in here else "not part of the lesson"
                    stale.append(f"release/{release.name}/{path} is {state}. Run `autograde build {release.name}`.")
        for built in [*sorted(made.glob("source/*/*.ipynb")), *sorted(made.glob("notebooks/**/*.ipynb"))]:
            target = root / built.relative_to(made)
            if target.exists() and target.read_bytes() != built.read_bytes():
                stale.append(f"{built.relative_to(made).as_posix()} is stale. Run `autograde build {built.stem}`.")
        lives = sorted(root.glob("notebooks/live/*.ipynb"))
        old_live = [path.name for path in lives if not (made / path.relative_to(root)).exists()]
    orphans = {path.name for path in _folders(root / "release")} - {path.stem for path in _texts(root, "source")}
    if name is None:
        stale += [f"release/{orphan} has no source/{orphan}.py. Delete it." for orphan in sorted(orphans)]
        stale += [f"notebooks/live/{path} has no live cell in its lesson. Delete it." for path in old_live]
    return stale


def _make(root: Path, made: Path, name: str | None) -> None:
    """Build below the folder `made` what belongs below `root`."""
    homework_paths, in_class_paths = _texts(root, "source", name), _texts(root, "notebooks", name)
    if not homework_paths and not in_class_paths:
        known = sorted({path.stem for folder in ("source", "notebooks") for path in _texts(root, folder)})
        wrong = f"there is no source/{name}.py" if name else "there is no lesson in source/ or notebooks/"
        raise BuildError(f"{wrong}. The lessons of {root} are: {', '.join(known) or 'none'}.")
    refused: list[str] = []
    homeworks, in_class = [list(_read(paths, root, refused)) for paths in (homework_paths, in_class_paths)]
    for text in homeworks:
        refused += map(str, [*check_homework(text), *_check_folder(text, root)])
    for text in in_class:
        refused += map(str, check_in_class(text))
    _refuse(refused)
    for text in in_class:
        complete = from_text(text.notebook)
        write(complete, made / "notebooks" / f"{text.name}.ipynb")
        if (live := live_notebook(complete, text.name, needed_names(complete))) is not None:
            write(live, made / "notebooks" / "live" / f"{text.name}.ipynb")
    for text in homeworks:
        folder, extra = made / "source" / text.name, root / "source" / text.name
        if extra.is_dir():
            shutil.copytree(extra, folder, ignore=shutil.ignore_patterns(*CLUTTER, "*.ipynb"))
        write(from_text(text.notebook), folder / f"{text.name}.ipynb")
        _generate_release(made, text)
    public = list(shelves(root, made))
    for text in homeworks:
        refused += map(str, sorted(set(find_leaks(text, lesson_secrets(text), public))))
    _refuse(refused)


def _texts(root: Path, folder: str, name: str | None = None) -> list[Path]:
    """The lessons in a folder, or the one called `name`."""
    paths = [path for path in (root / folder).glob("*.py") if not path.name.startswith((".", "_"))]
    return sorted(path for path in paths if name in (None, path.stem))


def _read(paths: Iterable[Path], root: Path, refused: list[str]) -> Iterator[Text]:
    for path in paths:
        try:
            yield read_text(path, root)
        except BuildError as error:
            refused.append(str(error))


def _refuse(refused: list[str]) -> None:
    if refused:
        raise BuildError("\n".join(refused))


def _check_folder(text: Text, root: Path) -> Iterator[Finding]:
    """The lesson's name and the files that nbgrader would copy into the release."""
    if not re.fullmatch(r"[A-Za-z0-9_-]+", text.name):
        yield text.at(1, f"nbgrader cannot use the name `{text.name}`.", "Use letters, digits, `_` and `-`.")
    folder = root / "source" / text.name
    for path in sorted(folder.rglob("*")):
        shown = path.relative_to(root).as_posix()
        if CLUTTER & set(path.parts):
            continue
        if path.is_symlink():
            yield Finding(shown, 1, "a link would put a file from elsewhere into the release. Copy the file here.")
        elif path.suffix == ".ipynb" and path != folder / f"{text.name}.ipynb":
            yield Finding(shown, 1, f"`{text.name}` is one notebook and this is a second. Move it elsewhere.")


def _generate_release(course: Path, text: Text) -> None:
    """Let nbgrader make `release/NAME` from `source/NAME` below the folder `course`, as with `--no-db`."""
    from nbgrader.converters.generate_assignment import GenerateAssignment
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config import Config

    config = Config()
    config.CourseDirectory.root = str(course)
    config.CourseDirectory.assignment_id = text.name
    config.GenerateAssignment.no_database = True
    config.SaveCells.enabled = False
    log, errors = logging.getLogger("autograde.build"), _Errors()
    log.addHandler(errors)
    log.propagate = False
    try:
        # no application, so that no configuration of this machine has a say
        GenerateAssignment(coursedir=CourseDirectory(config=config, log=log), config=config, log=log).start()
    except Exception as error:  # nbgrader logs what went wrong and raises something general
        raise BuildError(f"{text.path}:1: nbgrader cannot make the release: {errors.reason() or error}") from error
    finally:
        log.removeHandler(errors)
    path = course / "release" / text.name / f"{text.name}.ipynb"
    write(canonical(nbformat.read(path, as_version=4)), path)


class _Errors(logging.Handler):
    """Keeps what nbgrader logs as errors."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self._lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self._lines += record.getMessage().splitlines()

    def reason(self) -> str:
        """The last exception among the messages."""
        return next((line for line in reversed(self._lines) if re.match(r"[\w.]+(Error|Exception): ", line)), "")


def _folders(path: Path) -> list[Path]:
    return sorted(child for child in path.glob("*") if child.is_dir() and not child.name.startswith("."))


def _bytes(folder: Path) -> dict[str, bytes]:
    return {name: path.read_bytes() for name, path in files(folder).items()}


def _replace_file(new: Path, target: Path) -> None:
    if target.is_file() and target.read_bytes() == new.read_bytes():
        return
    write_file(target, new.read_bytes())


def _replace_folder(new: Path, target: Path) -> None:
    """Put a copy of `new` where `target` is; what was there leaves only when the copy is whole."""
    if target.is_dir() and _bytes(new) == _bytes(target):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    staged, old = target.with_name(f".{target.name}.new"), target.with_name(f".{target.name}.old")
    shutil.rmtree(staged, ignore_errors=True)
    try:
        with explained(target):
            shutil.copytree(new, staged)
    except BaseException:
        shutil.rmtree(staged, ignore_errors=True)
        raise
    if target.exists():
        shutil.rmtree(old, ignore_errors=True)
        target.rename(old)
    try:
        staged.rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)
