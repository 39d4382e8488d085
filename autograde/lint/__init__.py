"""Reads the lessons' prose and code as a careful colleague would; a module for each subject."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from autograde.claims import RECORDED, Claim, read_record
from autograde.errors import CourseError
from autograde.lint.cards import check_cards
from autograde.lint.exemptions import exempted
from autograde.lint.figures import check_figures
from autograde.lint.finding import Finding, Kind
from autograde.lint.length import check_length
from autograde.lint.numbers import Evidence, check_numbers
from autograde.lint.page import Page, read_page
from autograde.lint.stubs import check_stubs
from autograde.lint.words import check_words

__all__ = ["Finding", "Kind", "lint"]

FOLDERS = ("source", "notebooks")


def lint(root: Path, lesson: str | None = None, claims: Mapping[str, Iterable[Claim]] | None = None) -> list[Finding]:
    """What is to be looked at in the texts of a lesson, or of all, in the order of files and lines; empty if nothing.

    Nothing is executed. The texts must keep the rules of the build.

    Args:
        root: the course folder.
        lesson: like `03_qkv`; None for all.
        claims: of executed notebooks (`autograde.claims.collect`), by the path of the notebook or its text relative to
            `root`, like `notebooks/03_qkv.ipynb`. They know numbers that the text alone does not tell.

    Raises:
        CourseError: there is no such lesson, or a text cannot be read.
    """
    root = root.resolve()
    texts = [
        path for folder in FOLDERS for path in (root / folder).glob("*.py") if not path.name.startswith((".", "_"))
    ]
    wanted = sorted(path for path in texts if lesson in (None, path.stem))
    if not wanted:
        known = ", ".join(sorted({path.stem for path in texts})) or "none"
        raise CourseError(f"there is no lesson {lesson or 'in source/ or notebooks/'}. The lessons of {root}: {known}.")
    recorded = read_record(root / RECORDED)
    executed = {path.removesuffix(".ipynb").removesuffix(".py"): list(found) for path, found in (claims or {}).items()}
    pages: dict[str, Page] = {}
    evidence: dict[str, Evidence] = {}
    for path in wanted:
        for folder in FOLDERS:
            name, text = f"{folder}/{path.stem}", root / folder / f"{path.stem}.py"
            if name not in pages and text.is_file():
                pages[name] = read_page(text, root)
                evidence[name] = Evidence.of(pages[name], recorded, executed.get(name))
    findings: list[Finding] = []
    for name, page in pages.items():
        in_class = evidence.get(f"notebooks/{page.name}") if page.is_homework else None
        found = [
            *check_numbers(evidence[name], in_class),
            *check_figures(page),
            *check_length(page),
            *check_cards(page),
            *check_stubs(page, root),
            *check_words(page),
        ]
        findings += exempted(page, found)
    return sorted(set(findings))
