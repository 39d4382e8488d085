"""One mistake costs once: which exercises are run again with ours in place of what failed, and what that is worth.

The second run is blind. Our solutions stand in the same kernel as the student's code, so whatever that code says there
may hold them. Only the points of an exercise leave it: a number that the judge has written.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from autograde.lesson import Lesson
from autograde.repair import Repaired
from autograde.repair.notes import listed
from autograde.verdict import Verdict


@dataclass(frozen=True)
class Again:
    """A second run: the exercises to test, and those in whose cells our solutions stand."""

    exercises: frozenset[str]
    ours: tuple[str, ...]


def next_run(lesson: Lesson, verdicts: Mapping[str, Verdict], done: Collection[str]) -> Again | None:
    """The next second run, if one is due: the first exercise that lost points and builds on one that did, together
    with all others for which the same exercises are to be replaced. `done` were run again already.

    What was rescued itself keeps the student's own cell: what builds on it is tested with that, and with ours where
    the rescued one needed it.
    """
    waiting = [
        name
        for name, verdict in verdicts.items()
        if name not in done and not verdict.full and verdict.attempted and verdict.status != "broken test"
    ]
    due = {name: ours for name in waiting if (ours := _to_replace(lesson, verdicts, name))}
    # In the lesson's order nothing stands before the first that it could have to wait for.
    first = next((name for test in lesson.tests if (name := str(test.exercise)) in due), None)
    if first is None:
        return None
    together = [name for name in due if due[name] == due[first] and not set(lesson.needs(name)) & set(due)]
    return Again(frozenset([first, *together]), due[first])


def _to_replace(lesson: Lesson, verdicts: Mapping[str, Verdict], exercise: str) -> tuple[str, ...]:
    """The exercises below this one that did not pass, and those that were replaced for one that then did."""
    needs = lesson.needs(exercise)
    below = [verdicts[name] for name in needs if name in verdicts]
    ours = {verdict.exercise for verdict in below if not verdict.full}
    ours |= {name for verdict in below for name in verdict.tested_with}
    return tuple(name for name in needs if name in ours)


def with_ours(repaired: Repaired, lesson: Lesson, ours: Collection[str]) -> Repaired:
    """The student's notebook with our solutions in these exercises' cells."""
    notebook = copy.deepcopy(repaired.notebook)
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        if cell.cell_type == "code":
            cell.outputs = []
            if name in ours:
                cell.source = lesson.by_id[name].source
    return replace(repaired, notebook=notebook, missing=repaired.missing - set(ours))


def better(first: Verdict, second: Verdict, ours: tuple[str, ...]) -> Verdict:
    """The verdict that counts. Of the second run only the points are taken, and only if they are more."""
    if second.points <= first.points:
        return first
    tested = f"Tested with our {listed(ours)}."
    passed = second.points >= first.max_points
    return replace(
        first,
        status="passed" if passed else "partial",
        points=second.points,
        message=tested if passed else f"{second.points:g} of {first.max_points:g} points. {tested}",
        detail=f"{tested} With the student's own: {first.detail or first.message}",
        text="",
        figures=(),
        tested_with=ours,
    )
