"""What a grading run says while it works: a bar with rate and time left, nothing, or a JSON object a line."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from autograde.gradebook.results import Graded
from autograde.say import Say


class Pace:
    """How fast submissions are graded. Those that are unchanged cost nothing, so they do not count."""

    def __init__(self, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.total, self.done, self.run = total, 0, 0
        self._clock, self._started = clock, clock()

    def step(self, *, unchanged: bool) -> None:
        self.done += 1
        self.run += not unchanged

    @property
    def per_minute(self) -> float | None:
        """Submissions run a minute; None before the first."""
        spent = self._clock() - self._started
        return 60 * self.run / spent if self.run and spent > 0 else None

    @property
    def left(self) -> float | None:
        """Seconds until all are done, at this pace; None before the first was run."""
        rate = self.per_minute
        return 60 * (self.total - self.done) / rate if rate else None

    def words(self) -> str:
        rate, left = self.per_minute, self.left
        if rate is None or left is None:
            return ""
        return f"{rate:.1f} a minute, {int(left) // 60}:{int(left) % 60:02} left"


#: Called with a result as it arrives, and whether it is one of an earlier run.
Step = Callable[[Graded, bool], None]


@contextmanager
def telling(say: Say, lesson: str, total: int, console: Console) -> Iterator[Step]:
    """Talk about a run over `total` submissions."""
    pace = Pace(total)
    if say is Say.bar:
        columns = (*(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()), TimeElapsedColumn())
        with Progress(*columns, TextColumn("{task.fields[pace]}"), console=console) as progress:
            task = progress.add_task(f"grading {lesson}", total=total, pace="")

            def step(graded: Graded, unchanged: bool) -> None:
                pace.step(unchanged=unchanged)
                progress.update(task, advance=1, description=f"graded {graded.student}", pace=pace.words())

            yield step
        return

    def line(graded: Graded, unchanged: bool) -> None:
        pace.step(unchanged=unchanged)
        if say is Say.json:
            tell({**_row(graded, unchanged), "done": pace.done, "total": total, "seconds_left": pace.left})

    yield line


def tell(message: dict[str, Any]) -> None:
    """Write one object as a line, at once."""
    print(json.dumps(message), flush=True)


def _row(graded: Graded, unchanged: bool) -> dict[str, Any]:
    return {
        "student": graded.student,
        "lesson": graded.lesson,
        "score": graded.score,
        "max_score": graded.max_score,
        "points": {verdict.exercise: verdict.points for verdict in graded.verdicts},
        "error": graded.error,
        "warning": graded.warning,
        "look_at": [note.message for note in graded.notes if note.flag],
        "unchanged": unchanged,
        "seconds": round(graded.seconds, 2),
    }
