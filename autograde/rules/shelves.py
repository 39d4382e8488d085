"""What students get, piece by piece: the releases, the in-class notebooks, course_utils."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat

from autograde.rules.leaks import Shelf, code_shelf, prose_shelf

#: What editors and Python leave in folders; never a part of a lesson.
CLUTTER = frozenset({".ipynb_checkpoints", "__pycache__"})


def shelves(root: Path, made: Path) -> Iterator[Shelf]:
    """Everything that students get: what has just been built below `made`, and the rest of the course folder `root`."""
    for folder, pattern in (("release", "*"), ("notebooks", "*"), ("course_utils", "*.py")):
        new, old = files(made / folder, pattern), files(root / folder, pattern)
        # a release is replaced as a folder, an in-class notebook by itself
        built = {path.split("/")[0] for path in new} if folder == "release" else set(new)
        kept = {path: there for path, there in old.items() if built.isdisjoint((path, path.split("/")[0]))}
        for name, path in sorted((new | kept).items()):
            content = path.read_text(encoding="utf-8", errors="ignore")
            shown = f"{folder}/{name}"
            try:
                notebook = nbformat.reads(content, as_version=4) if path.suffix == ".ipynb" else None
            except nbformat.reader.NotJSONError:
                notebook = None
            if notebook is not None:
                yield from _of_notebook(shown, notebook)
            else:
                yield (code_shelf if path.suffix == ".py" else prose_shelf)(shown, content)


def files(folder: Path, pattern: str = "*") -> dict[str, Path]:
    """The files in a folder and below, by their path in it."""
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob(pattern) if path.is_file()}
    return {name: path for name, path in paths.items() if not CLUTTER & set(name.split("/"))}


def _of_notebook(shown: str, notebook: Any) -> Iterator[Shelf]:
    for number, cell in enumerate(notebook.cells, 1):
        where = f"{shown}, cell {number}"
        yield (code_shelf if cell.cell_type == "code" else prose_shelf)(where, cell.source)
        rest = _strings([cell.metadata, cell.get("outputs", []), cell.get("attachments", {})])
        yield prose_shelf(f"{where} (its metadata and outputs)", "\n".join(rest))
    yield prose_shelf(f"{shown} (its metadata)", "\n".join(_strings(notebook.metadata)))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)
