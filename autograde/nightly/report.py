"""The report of a run: one HTML page that needs nothing else, JUnit XML for CI, JSON for programs."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from xml.etree import ElementTree

from autograde import files
from autograde.nightly.check import KINDS, Check
from autograde.nightly.ledger import Entry, strain, written
from autograde.nightly.run import Night
from autograde.pages import plain, render

WORDS = {
    "cells": "every code cell ran, and none failed that is not declared to",
    "widgets": "still pictures at default, lowest and highest values",
    "time": "within the time of budgets.toml",
    "memory": "within the memory of budgets.toml",
    "claims": "every claim holds",
    "instructor": "our own version earns every point",
    "release": "the release earns nothing, each exercise is not attempted",
    "bank": "every answer of the bank gets what it should",
    "built": "what is built is fresh",
    "lint": "the lint of the lesson's text",
}
#: Nights that a claim's small chart shows.
NIGHTS = 30
#: What XML cannot hold.
NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Line:
    """A claim in the ledger: what was measured, how much of the tolerance it used, tonight and on earlier nights."""

    entry: Entry
    strain: float | None
    past: tuple[float, ...]
    nights: int


@dataclass(frozen=True)
class Part:
    """The claims of one lesson. `wrong` do not hold or were never measured, `strained` uses most of its tolerance."""

    lesson: str
    lines: tuple[Line, ...]

    @property
    def count(self) -> int:
        return len(self.lines)

    @property
    def wrong(self) -> int:
        return sum(not line.entry.claim.ok for line in self.lines)

    @property
    def strained(self) -> Line | None:
        return max((line for line in self.lines if line.strain), key=lambda line: line.strain or 0, default=None)


def write(night: Night, out: Path) -> dict[str, Path]:
    """Write `TITLE.html`, `TITLE.xml` and `TITLE.json` into a folder; returns their paths by ending."""
    texts = {"html": page(night), "xml": junit(night), "json": data(night)}
    paths = {ending: out / f"{night.title}.{ending}" for ending in texts}
    for ending, text in texts.items():
        files.write(paths[ending], text)
    return paths


def page(night: Night) -> str:
    """The report as HTML."""
    checks = night.checks
    lessons = sorted({check.lesson for check in checks})
    kinds = [kind for kind in KINDS if any(check.kind == kind for check in checks)]
    table = {
        (lesson, kind): [check for check in checks if (check.lesson, check.kind) == (lesson, kind)]
        for lesson in lessons
        for kind in kinds
    }
    return render(
        "nightly.html",
        night=night,
        when=datetime.fromisoformat(night.began).strftime("%d %B %Y, %H:%M"),
        took=duration(night.seconds),
        headline=headline(night),
        lessons=lessons,
        kinds=kinds,
        said=WORDS,
        table=table,
        measures=[check for check in checks if check.kind in ("time", "memory")],
        ledger=parts(night),
        damaged=night.history.damaged if night.history else [],
        chart=chart,
        written=written,
    )


def headline(night: Night) -> str:
    checks, failed = night.checks, night.failed
    if not checks:
        return "Nothing was checked"
    if failed:
        return f"{len(failed)} of {len(checks)} checks {'fails' if len(failed) == 1 else 'fail'}"
    return "The one check holds" if len(checks) == 1 else f"All {len(checks)} checks hold"


def lines(night: Night) -> list[Line]:
    """The ledger of a run."""
    rows = night.history.rows if night.history else {}
    found = []
    for entry in night.entries:
        claim, past = entry.claim, rows.get(entry.key, [])
        shares = [strain(row["measured"], row["expect"], row["tol"]) for row in past[-NIGHTS:]]
        now = None if claim.measured is None else strain(claim.measured, claim.expect, claim.tol)
        found.append(Line(entry, now, tuple(min(share, 2.0) for share in shares if share is not None), len(past)))
    return found


def parts(night: Night) -> list[Part]:
    """The ledger by lessons; those without a claim are left out."""
    found = lines(night)
    names = sorted({line.entry.lesson for line in found})
    return [Part(name, tuple(line for line in found if line.entry.lesson == name)) for name in names]


def chart(past: Sequence[float]) -> list[tuple[float, float]]:
    """Places in a box of 100 % by 24 for the nights of a claim, the latest at the right; the tolerance lies at 4."""
    wide = 100 / NIGHTS
    first = NIGHTS - len(past)
    return [
        (round(wide * (first + place + 0.5), 2), round(22 - 18 * min(share, 1.1), 2))
        for place, share in enumerate(past)
    ]


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def junit(night: Night) -> str:
    """The report as JUnit XML: a suite for each lesson, a case for each check."""
    suites = ElementTree.Element("testsuites", name=f"autograde {night.title}", time=f"{night.seconds:.3f}")
    for lesson in sorted({check.lesson for check in night.checks}):
        mine = [check for check in night.checks if check.lesson == lesson]
        failed = sum(not check.ok for check in mine)
        counts = {
            "name": lesson,
            "timestamp": night.began[:19],
            "tests": str(len(mine)),
            "failures": str(failed),
            "errors": "0",
            "skipped": "0",
        }
        suite = ElementTree.SubElement(suites, "testsuite", counts)
        for check in mine:
            _case(suite, check)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _case(suite: ElementTree.Element, check: Check) -> None:
    named = {"name": f"{check.title}: {check.kind}", "classname": check.lesson, "time": f"{check.seconds:.3f}"}
    case = ElementTree.SubElement(suite, "testcase", named)
    for failure in check.failures:
        where = "" if failure.cell is None else f"cell {failure.cell}: "
        found = ElementTree.SubElement(case, "failure", message=_xml(where + failure.what), type=check.kind)
        found.text = _xml(
            "\n\n".join(filter(None, [failure.source, failure.traceback, f"Run it alone: {failure.repeat}"]))
        )
    if check.note:
        ElementTree.SubElement(case, "system-out").text = _xml(check.note)


def _xml(text: str) -> str:
    return NO_XML.sub("?", plain(text))


def data(night: Night) -> str:
    """The report as JSON."""
    said = {
        "title": night.title,
        "ok": night.ok,
        "began": night.began,
        "seconds": round(night.seconds, 1),
        "commit": night.commit,
        "versions": night.versions,
        "command": night.command,
        "checks": [check.to_dict() for check in night.checks],
        "claims": [{"lesson": each.lesson, "of": each.of, **asdict(each.claim)} for each in night.entries],
        "bank": [asdict(score) for score in night.scores],
        "damaged": night.history.damaged if night.history else [],
        "recorded": night.recorded,
    }
    return json.dumps(said, indent=1, ensure_ascii=False, default=str) + "\n"
