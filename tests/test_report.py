"""The instructor's report: numbers and claims that are true, whom to look at, links that lead somewhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from feedback_page import graded, verdict

from autograde import class_numbers as numbers
from autograde.gradebook.results import Graded
from autograde.lesson import Cell, Lesson
from autograde.repair import Note
from autograde.report import write_report

TESTS = tuple(Cell(place, "test", f"test_{name}", "", 4.0) for place, name in enumerate(("scores", "attention")))
HINT = "The scores are not divided by `√d`."
ODD_NAME = "=1+1, d'Arc <b> #?"


def row(student: str, scores: Any, attention: Any, **more: Any) -> Graded:
    return graded(scores, attention, student=student, **more)


def right(exercise: str) -> Any:
    return verdict(exercise, "passed", 4.0, seconds=0.5)


def wrong(exercise: str, message: str = "x", **more: Any) -> Any:
    return verdict(exercise, "failed", message=message, seconds=0.5, **more)


CLASS = [
    row("ada", right("scores"), right("attention")),
    row("bo", right("scores"), wrong("attention", "values differ.\n  likely cause: no scale")),
    row("cy", right("scores"), wrong("attention", "A hidden test fails. others.\n  likely cause: no scale")),
    row("di", verdict("scores", "partial", 2.0, "2 of 4"), wrong("attention", mistake=HINT)),
    row("ed", verdict("scores", "not attempted"), verdict("attention", "missing")),
    row(
        ODD_NAME,
        right("scores"),
        wrong("attention", flag=True, detail="expected 0.1234"),
        notes=(Note("test-changed", "The text of cell 4 was changed.", flag=True),),
    ),
]


def report(tmp_path: Path, rows: list[Graded]) -> BeautifulSoup:
    lesson = Lesson("03_qkv", TESTS, None, None)  # type: ignore[arg-type]
    return BeautifulSoup(write_report(tmp_path, lesson, rows).read_text(), "html.parser")


def test_success_counts_everybody_once() -> None:
    scores, attention = numbers.success(CLASS, TESTS)
    assert scores.parts == (("full", 4), ("some", 1), ("none", 0), ("unopened", 1))
    assert attention.parts == (("full", 1), ("some", 0), ("none", 4), ("unopened", 1))
    assert numbers.claim_of_success([scores, attention]) == "attention is the hardest: 1 of 6 have all its points"
    same = numbers.success([CLASS[0]], TESTS)
    assert numbers.claim_of_success(same) == "Every exercise: 1 of 1 have all its points"


@pytest.mark.parametrize(
    ("scores", "possible", "labels", "counts"),
    [
        ([0, 0.5, 3, 3], 3, ["0", "1", "2", "3"], [2, 0, 0, 2]),
        ([50, 0], 50, ["0–2"], [1] + [0] * 15 + [1]),
        ([], 2, ["0"], [0, 0, 0]),
    ],
)
def test_the_distribution_has_a_bar_for_every_score(scores: Any, possible: float, labels: Any, counts: Any) -> None:
    bars = numbers.distribution(scores, possible)
    assert [bar.label for bar in bars][: len(labels)] == labels
    assert [bar.count for bar in bars] == counts
    assert sum(counts) == len(scores)


def test_the_claim_of_scores_is_true() -> None:
    assert numbers.claim_of_scores([0, 5, 8], 8) == "Half of the class has 5 of 8 points or more; 1 have them all"
    assert numbers.claim_of_scores([], 8) == "Nobody has handed in"


def test_mistakes_are_counted_by_name_then_by_cause_and_who_did_not_begin_made_none() -> None:
    first, *others = numbers.mistakes(CLASS)
    assert (first.students, first.cause, first.named) == (("bo", "cy"), "no scale", False)
    assert [(mistake.words, mistake.students) for mistake in others if mistake.named] == [(HINT, ("di",))]
    assert not [mistake for mistake in [first, *others] if "ed" in mistake.students or "ada" in mistake.students]
    claim = numbers.claim_of_mistakes([first, *others])
    assert claim == "The most frequent mistake, in attention, was made by 2 students"
    assert numbers.claim_of_mistakes(others) == "No mistake was made twice"
    assert numbers.claim_of_mistakes([]) == "No mistakes were found"


def test_the_page_shows_each_claim_with_its_drawing(tmp_path: Path) -> None:
    page = report(tmp_path, CLASS)
    titles = [title.get_text() for title in page.find_all("h2")]
    assert titles == [
        "1 to look at",
        "Half of the class has 4 of 8 points or more; 1 have them all",
        "attention is the hardest: 1 of 6 have all its points",
        "The most frequent mistake, in attention, was made by 2 students",
        "1 file came damaged or unusual",
        "Half of the submissions took 2 s or less, the slowest 2 s",
        "Everybody",
    ]
    for drawing in page.find_all("svg"):
        assert drawing.get("aria-label") or drawing.get("aria-hidden")
    described = [drawing["aria-label"] for drawing in page.find_all("svg") if drawing.get("aria-label")]
    assert "attention: 1 have all points, 0 a part, 4 none, 1 did not begin" in described
    assert "How many have how many points. 0: 1. 2: 1. 4: 3. 8: 1. " in described
    widths = [float(str(part["width"]).rstrip("%")) for part in page.select(".bars rect")]
    assert all(0 < width <= 100 for width in widths)


def test_whom_to_look_at_comes_first_with_the_reason_and_the_detail(tmp_path: Path) -> None:
    look = report(tmp_path, CLASS).find(id="look")
    assert look is not None
    said = look.get_text()
    assert ODD_NAME in said
    assert "The text of cell 4 was changed." in said
    assert "expected 0.1234" in said
    assert "ada" not in said


def test_links_are_relative_and_lead_to_what_is_there(tmp_path: Path) -> None:
    for folder, ending in {"feedback": "html", "autograded": "ipynb"}.items():
        path = tmp_path / folder / ODD_NAME / "03_qkv" / f"03_qkv.{ending}"
        path.parent.mkdir(parents=True)
        path.touch()
    page = report(tmp_path, CLASS[-1:])
    leads = {str(link["href"]) for link in page.find_all("a") if link["href"] != "#look"}
    assert len(leads) == 2
    from urllib.parse import unquote

    assert all((tmp_path / "reports" / unquote(lead)).resolve().is_file() for lead in leads)
    assert "generate_feedback" not in page.get_text()
    assert "generate_feedback" in report(tmp_path, CLASS).get_text()


def test_a_class_without_sandbox_or_without_anybody_has_a_report(tmp_path: Path) -> None:
    unsafe = report(tmp_path, [replace(CLASS[0], sandboxed=False)])
    assert "Graded without a sandbox." in unsafe.get_text()
    assert "Graded without a sandbox." not in report(tmp_path, CLASS).get_text()
    assert "Nobody has handed in" in report(tmp_path, []).get_text()


def test_an_unreadable_file_says_what_became_of_it(tmp_path: Path) -> None:
    why = "The file is empty."
    lost = row("fa", verdict("scores", "missing", message=why, flag=True), verdict("attention", "missing"), error=why)
    page = report(tmp_path, [lost])
    assert "The file is empty. Not graded: 0 points until it is handed in again." in page.get_text()
    assert "1 to look at" in page.get_text()


def test_names_and_texts_of_students_are_escaped(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script>\u202e"
    bad = row(hostile, wrong("scores", hostile, detail=hostile, flag=True), wrong("attention", mistake=hostile))
    page = report(tmp_path, [replace(bad, notes=(Note("x", hostile, flag=True),))])
    assert page.find("script") is None
    assert "\u202e" not in page.get_text()
