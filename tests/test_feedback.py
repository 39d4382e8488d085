"""The student's page: what was wrong, why and what to try, in words; nothing hidden; nothing that acts."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest
from bs4 import BeautifulSoup
from feedback_page import PIXEL, answer, cell_of_test, graded, notebook, verdict
from nbformat.v4 import new_output

from autograde.advice import advice
from autograde.feedback import Mark, page
from autograde.gradebook.results import Graded
from autograde.pages import WORDS
from autograde.repair import Note

VISIBLE = """the matrix of gates has wrong values.
  called    observe(float32 (1, 2))
  expected  [[0.5 0.5]]
  yours     [[1. 0.]]
  likely cause: the scores are not divided by √d"""


def text(html: str) -> str:
    """What a reader sees of a page, with single spaces."""
    body = BeautifulSoup(html, "html.parser").body
    assert body is not None
    return re.sub(r"\s+", " ", body.get_text(" "))


def test_the_score_comes_first_and_each_exercise_has_its_result_in_words() -> None:
    shown = text(page(graded(verdict("scores", "passed", 4.0), verdict("attention", "failed", message=VISIBLE))))
    assert re.match(r" ?03_qkv ada 4 of 8 points", shown)
    assert f"scores {WORDS['passed']} 4 / 4" in shown
    assert f"attention {WORDS['failed']} 0 / 4" in shown


def test_a_failed_check_says_what_why_with_which_numbers_and_what_to_try() -> None:
    shown = text(page(graded(verdict("attention", "failed", message=VISIBLE))))
    for wanted in (
        "The matrix of gates has wrong values.",
        "Likely cause: the scores are not divided by √d",
        "expected [[0.5 0.5]] yours [[1. 0.]]",
        "Run the test cell test_attention in your notebook.",
    ):
        assert wanted in shown
    assert shown.count("likely cause") == 0


def test_the_named_mistake_is_a_sentence_and_replaces_the_likely_cause() -> None:
    hint = "The softmax runs over `dim=-2`. Gates of one query must sum to 1 < 2."
    html = page(graded(verdict("attention", "failed", message=VISIBLE, mistake=hint)))
    assert "The softmax runs over <code>dim=-2</code>. Gates of one query must sum to 1 &lt; 2." in html
    assert "Likely cause" not in html


def test_points_earned_with_ours_in_place_are_explained() -> None:
    kept = verdict("SelfAttention", "passed", 4.0, tested_with=("scores", "attention"))
    shown = text(page(graded(verdict("attention", "failed", message=VISIBLE), kept)))
    assert "Tested with our scores and our attention in place of yours." in shown
    assert "you keep these points" in shown
    lost = verdict("SelfAttention", "failed", message=VISIBLE, tested_with=("attention",))
    assert "you keep these points" not in text(page(graded(lost)))


def test_a_hidden_failure_says_that_the_visible_checks_hold() -> None:
    message = "A hidden test fails. the gates (2, 7) have wrong values.\n  likely cause: a size is fixed"
    said = advice(verdict("attention", "failed", message=message, saw_hidden=True))
    assert (said.hidden, said.what, said.cause) == (True, "The gates (2, 7) have wrong values.", "a size is fixed")
    shown = text(page(graded(verdict("attention", "failed", message=message, saw_hidden=True))))
    assert "A hidden test found this. The gates (2, 7) have wrong values." in shown
    assert "The checks in your notebook hold." in shown


@pytest.mark.parametrize("status", [status for status in WORDS if status != "passed"])
def test_every_lost_point_comes_with_something_to_do(status: str) -> None:
    points = 1.0 if status == "partial" else 0.0
    said = advice(verdict("attention", status, points, "Something."))  # type: ignore[arg-type]
    assert said.steps
    shown = page(graded(verdict("attention", status, points, "Something.")))  # type: ignore[arg-type]
    assert "What to try" in shown


def test_a_picture_has_words_and_is_not_shown_after_a_hidden_test() -> None:
    picture = verdict("attention", "failed", message=VISIBLE, figures=(PIXEL,), text="printed by the test")
    image = BeautifulSoup(page(graded(picture)), "html.parser").find("img")
    assert image is not None
    assert "expected" in image["alt"]
    assert "printed by the test" in page(graded(picture))
    private = verdict(
        "attention", "failed", message="x", figures=(PIXEL,), text="printed by the test", after_hidden=True
    )
    assert "<img" not in page(graded(private))
    assert "printed by the test" not in page(graded(private))


def test_nothing_of_a_test_cell_and_nothing_for_the_instructor_is_on_the_page() -> None:
    said = new_output("stream", name="stdout", text="[for the instructor] expected 0.1234")
    cells = notebook(
        answer("attention", "def attention(): pass"),
        cell_of_test("attention", "check.close(got, right)\n### BEGIN HIDDEN TESTS\nsecret = 1", [said]),
        answer("later", "x = 5", [new_output("stream", name="stdout", text="kept input 0.777")], after_hidden=True),
        answer("copied", "### BEGIN HIDDEN TESTS\nsecret = 2"),
    )
    failed = verdict("attention", "failed", message="A hidden test fails. x", detail="expected 0.1234", saw_hidden=True)
    html = page(graded(failed), notebook=cells)
    for secret in ("secret", "check.close", "0.1234", "0.777", "BEGIN HIDDEN"):
        assert secret not in html
    assert "Output left out" in html
    assert "Test cell <code>test_attention</code>" in html


def test_the_students_own_cell_stands_beside_its_mistake_and_the_notebook_below() -> None:
    out = new_output("stream", name="stdout", text="my first print")
    cells = notebook("# My **title** with $a<b$", answer("attention", "def attention(q):\n    return q", [out]))
    html = page(graded(verdict("attention", "failed", message=VISIBLE)), notebook=cells)
    assert html.count('<span class="nf">attention</span>') == 2
    assert "my first print" in html
    assert "<strong>title</strong>" in html
    assert "<math" in html


def test_a_submission_that_nobody_could_read_has_one_reason() -> None:
    why = "The file is empty. Hand it in again."
    lost = [verdict(name, "missing", message=why) for name in ("scores", "attention")]
    shown = text(page(graded(*lost, error=why)))
    assert shown.count(why) == 1
    assert "0 of 8 points" in shown


def test_our_own_fault_does_not_look_like_the_students() -> None:
    html = page(graded(verdict("scores", "broken test", message="ours"), error="Traceback of ours"))
    shown = text(html)
    assert "Nothing is lost" in shown
    assert "Traceback" not in html
    assert "4 of them still wait" in shown


def test_notes_on_the_file_say_what_they_mean() -> None:
    note = Note("marks-lost", "Some cells came without their grading marks. They were recognised: cell 2 by its text.")
    shown = text(page(graded(verdict("scores", "passed", 4.0), notes=(note,))))
    assert "They were recognised: cell 2 by its text. Some editors drop these marks" in shown


def test_marks_given_by_hand_count_and_written_answers_wait() -> None:
    marks = {
        "test_scores": Mark(4.0, 4.0),
        "test_attention": Mark(2.5, 4.0, "Right idea.\nMind the axis.", by_hand=True),
        "why_scale": Mark(1.0, 2.0, "Say <why>.", by_hand=True),
        "why_mask": Mark(None, 3.0),
    }
    cells = notebook(answer("why_scale", "my words"))
    both = graded(verdict("scores", "passed", 4.0), verdict("attention", "failed", message=VISIBLE))
    html = page(both, marks, cells)
    shown = text(html)
    assert "7.5 of 13 points" in shown
    assert "3 of them still wait" in shown
    assert "Your instructor gave 2.5 of 4 points by hand. The test alone gives 0." in shown
    assert "Right idea.\nMind the axis." in html
    assert "Say &lt;why&gt;." in html
    assert 'href="#cell-why_scale"' in html
    assert "why_mask Written answer, not read yet. waits" in shown
    assert "Marked by hand. 2.5 / 4" in shown
    assert "✓ scores" in shown


def test_full_points_need_no_reading() -> None:
    shown = text(page(graded(verdict("scores", "passed", 4.0))))
    assert "Every check holds." in shown
    assert "What to try" not in shown


def test_an_exception_with_endless_words_is_cut() -> None:
    assert len(advice(verdict("scores", "failed", message="Your code raised " + "x" * 5_000)).what) == 401


HOSTILE = '"><script>alert(1)</script>\u202e'


def test_no_text_of_a_student_becomes_part_of_the_page() -> None:
    bad = verdict("scores", "failed", message=f"{HOSTILE}\n{HOSTILE}\n  likely cause: {HOSTILE}", text=HOSTILE)
    named = verdict("attention", "failed", message="x", mistake=HOSTILE)
    html = page(
        graded(bad, named, student=HOSTILE, notes=(Note("other-name", HOSTILE),)),
        {"w": Mark(1, 2, HOSTILE, True)},
        notebook(HOSTILE, answer("scores", HOSTILE)),
    )
    assert "<script" not in html
    assert "\u202e" not in html
    assert "⟦U+202E⟧" in html
    assert BeautifulSoup(html, "html.parser").find("script") is None


def test_the_policy_allows_our_style_sheet_and_nothing_else() -> None:
    html = page(graded(verdict("scores", "passed", 4.0)))
    found = BeautifulSoup(html, "html.parser")
    policy = found.find("meta", {"http-equiv": "Content-Security-Policy"})
    style = found.find("style")
    assert policy is not None
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style.string.encode()).digest()).decode()  # type: ignore[union-attr]
    assert policy["content"] == (
        f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    assert not found.find_all(["link", "script", "iframe"])
    assert not re.search(r"\bstyle=|url\(|@import", html)


def test_a_result_kept_by_an_older_version_still_makes_a_page() -> None:
    data = graded(verdict("scores", "passed", 4.0)).to_dict()
    for each in data["verdicts"]:
        del each["mistake"], each["tested_with"]
    assert "4 <small>of 4 points" in page(Graded.from_dict(data))
