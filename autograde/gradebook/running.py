"""Runs the submissions of a class: what is known already is not run again, what was run is kept at once."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from autograde.bank import bank
from autograde.errors import UnreadableSubmission
from autograde.fingerprint import LessonPrint, of_submission
from autograde.gradebook import results
from autograde.gradebook.notebooks import executed_notebooks
from autograde.gradebook.results import HOME, Graded
from autograde.lesson import Lesson
from autograde.limits import Limits
from autograde.oneroom.submission import find as find_parts
from autograde.repair import Note, find_submission
from autograde.run.pool import Job, Result, Runner
from autograde.seeds import course_secret, seeds_for

#: Asked with a student and a fingerprint: the result that fits, if there is one.
Known = Callable[[str, str], Graded | None]


def run_class(
    root: Path,
    lesson: Lesson,
    folders: Mapping[str, Path],
    known: Known,
    runner: Callable[[], AbstractContextManager[Runner]],
    *,
    sandboxed: bool = True,
    home: Path = HOME,
    kit: str = "",
    meanwhile: Callable[[], None] = lambda: None,
) -> Iterator[Graded]:
    """Run submissions and keep the results in `home`; those that are known are yielded as they are.

    `runner` is not called where nothing must be run; while it gets ready, or in its place, `meanwhile` is. A lesson
    with one room needs its `kit`, see `Job`.

    Raises:
        SandboxUnavailable: this machine cannot isolate student code.
        DiskFull: there is no room for a result; those before it are kept.
    """
    seeds = seeds_for(lesson, course_secret(root))
    limits = Limits.for_lesson(lesson.notebook.metadata)
    prints = LessonPrint(lesson, limits, seeds, bank(lesson), sandboxed=sandboxed)
    found_of: dict[str, tuple[tuple[Note, ...], str, str]] = {}  # notes, fingerprint, that of the submission alone
    ready: list[Result | Graded] = []
    find = find_parts if lesson.parts else find_submission

    def jobs() -> Iterator[Job]:
        for student, folder in folders.items():
            try:
                found = find(folder, lesson)
            except UnreadableSubmission as error:
                ready.append(Result(student, error=str(error)))
                continue
            key = prints.of(found.raw, found.notes)
            if (fits := known(student, key)) is not None:
                ready.append(fits)
                continue
            found_of[student] = found.notes, key, of_submission(found.raw)
            if found.raw is None:
                words = found.notes[0].message if found.notes else "Nothing was submitted."
                ready.append(Result(student, error=words))
            else:
                job = Job(student, found.raw, root, lesson.name, limits, seeds, sandboxed)
                yield replace(job, kit=kit, parts=len(lesson.notebooks))

    def kept() -> Iterator[Graded]:
        while ready:
            result = ready.pop(0)
            yield result if isinstance(result, Graded) else keep(result)

    def keep(result: Result) -> Graded:
        notes, key, handed_in = found_of.get(result.id, ((), "", ""))
        if result.error is None:
            result = replace(result, notes=(*notes, *result.notes))
        record = results.graded(result, lesson, sandboxed=sandboxed, key=key, handed_in=handed_in)
        notebooks = executed_notebooks(result, lesson, record)
        results.store(root, record, notebooks, folders[result.id], home=home)
        return record

    waiting = jobs()
    first = next(waiting, None)
    if first is not None:  # otherwise nothing must be run, and nothing imported for it
        with runner() as working:
            meanwhile()
            for result in working.run(itertools.chain([first], waiting)):
                ready.append(result)
                yield from kept()
    else:
        meanwhile()
    yield from kept()
