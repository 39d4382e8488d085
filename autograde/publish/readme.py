"""The README of the published folder: how to install, how homework goes, and what is in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import nbformat
from jinja2 import Environment, PackageLoader, StrictUndefined

from autograde.lesson import classify

TEMPLATE = "published_README.md"


@dataclass(frozen=True)
class Row:
    """A notebook of the table: its path, its title, and its points if it is a homework."""

    path: str
    title: str
    points: str


def readme(contents: Mapping[str, bytes], target: str) -> bytes:
    """The README for these files, by path; it names the notebooks that are there, and no others.

    Args:
        contents: the published files.
        target: what pip is to install in the folder, like `.[digits]`.
    """
    target = f'"{target}"' if "[" in target else target  # shells take brackets for a pattern
    environment = Environment(
        loader=PackageLoader("autograde"), undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True
    )
    rows = {folder: list(_rows(contents, folder)) for folder in ("homework", "notebooks", "solutions")}
    start = next((row.path for row in rows["notebooks"] if row.path.endswith("/00_start.ipynb")), "")
    return environment.get_template(TEMPLATE).render(start=start, target=target, **rows).encode()


def _rows(contents: Mapping[str, bytes], folder: str) -> Iterator[Row]:
    for path, data in sorted(contents.items()):
        if path.startswith(f"{folder}/") and path.endswith(".ipynb"):
            notebook = nbformat.reads(data.decode(), as_version=4)
            points = sum(cell.points for cell in classify(notebook))
            yield Row(path, _title(notebook, path), f"{points:g}")


def _title(notebook: Any, path: str) -> str:
    """The first heading, else the name of the file."""
    for cell in notebook.cells:
        for line in cell.source.split("\n") if cell.cell_type == "markdown" else ():
            if line.startswith("# "):
                return line.removeprefix("# ").strip()
    return path.rpartition("/")[2].removesuffix(".ipynb")
