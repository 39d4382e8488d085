"""The `record` command: run notebooks at a preset, say which of their claims hold, keep the dear ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from autograde.claims import RECORDED, Claim, collect, execute, record
from autograde.errors import CourseError
from course_utils.settings import PRESETS

WORDS = {True: "holds", False: "DOES NOT HOLD", None: "not measured"}


def record_all(root: Path, notebooks: Sequence[str], preset: str, seed: int, console: Console) -> bool:
    """Run each notebook and record its claims. Returns whether all ran to the end and every measured claim holds.

    Raises:
        CourseError: no such preset or notebook, or claims that cannot be told apart.
    """
    if preset not in PRESETS:
        raise CourseError(f"there is no preset {preset!r}. Choose one of {', '.join(PRESETS)}.")
    good = True
    for named in notebooks:
        path = _path(root, named)
        shown = (
            path.resolve().relative_to(root.resolve()).as_posix()
            if path.resolve().is_relative_to(root.resolve())
            else str(path)
        )
        console.print(f"{shown}: running with the preset {preset}, seed {seed}", markup=False)
        executed, why = execute(path, root, preset=preset, seed=seed)
        claims = collect(executed)
        for claim in claims:
            console.print(f"  {WORDS[claim.ok]:14}{claim.name}{_age(claim)}", markup=False)
        kept = record(root, shown, claims)
        measured = sum(claim.ok is not None and not claim.recorded for claim in claims)
        console.print(f"  {len(claims)} claims, {measured} of them measured now", markup=False)
        console.print(f"  {len(kept)} written to {RECORDED.as_posix()}{_why_none(kept, preset)}", markup=False)
        if why:
            console.print(f"  stopped at {why}", markup=False, style="red")
        good = good and not why and all(claim.ok is not False for claim in claims)
    return good


def _path(root: Path, named: str) -> Path:
    """A notebook by its path, or the in-class notebook of a lesson."""
    return Path(named) if named.endswith(".ipynb") else root / "notebooks" / f"{named}.ipynb"


def _why_none(kept: Sequence[Claim], preset: str) -> str:
    """`quick` measures no dear claim, and the others are measured in every run: there is nothing to keep."""
    cheap = not kept and preset == PRESETS[0]
    return f": those of `{preset}` are measured in every run" if cheap else ""


def _age(claim: Claim) -> str:
    return f" (recorded {claim.date})" if claim.recorded else ""
