"""Naming a mistake by replay: who agrees with a record, who does not, and what a bank answer may do to the process."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from recorded import SEED, recorded, setup_names
from tiny_lesson import tiny_lesson

from autograde import bank as banks
from autograde.bank import Answer, bank
from autograde.diagnosis import alike, cells_needed, nearest
from autograde.judge import record as records
from autograde.judge.forks import ask_all
from autograde.judge.replay import same
from autograde.judge.words import TEXT_LIMIT, in_words, written
from autograde.lesson import Cell, Lesson

LESSON = tiny_lesson()
TEST = LESSON.by_id["test_attention"]
EXP = "def attention(x, y):\n    return [math.exp(s) for s in scores(x, y)]\n"
#: Right on what the visible part asks, wrong on the hidden part: empty lists.
EMPTY = (
    "def attention(x, y):\n    w = [math.exp(s) for s in scores(x, y)]\n    return [v / sum(w) for v in w] or [1.0]\n"
)
NEGATIVE = "def attention(x, y):\n    return [-math.exp(s) for s in scores(x, y)]\n"
#: As NEGATIVE, but for a comment, names and the order of work.
ALSO_NEGATIVE = (
    "def attention(x, y):\n    # look\n    gates = map(math.exp, scores(x, y))\n    return [-g for g in gates]\n"
)
RAISES = "def attention(x, y):\n    raise KeyError('gates')\n"
ENDLESS = "def attention(x, y):\n    while True: pass\n"
EXITS = "def attention(x, y):\n    import os\n    os._exit(0)\n"


def answers(**sources: str) -> list[Answer]:
    return [Answer(LESSON.name, "attention", False, name, source) for name, source in sources.items()]


def named(source: str, others: list[Answer], lesson: Lesson = LESSON, **more: Any) -> list[str]:
    """The names of the answers that behave as `source` does."""
    verdict, record = recorded(lesson, TEST, {"attention": source, **more.pop("wrong_before", {})})
    assert verdict.points < verdict.max_points
    return [found.name for found in alike(lesson, TEST, record, others, setup_names(lesson), SEED, 30.0, **more)]


def test_the_answer_that_behaves_the_same_is_found_whatever_its_text() -> None:
    assert named(ALSO_NEGATIVE, answers(empty=EMPTY, negative=NEGATIVE, raises=RAISES)) == ["negative"]


def test_nothing_is_named_when_nothing_behaves_the_same() -> None:
    assert named(NEGATIVE, answers(empty=EMPTY, raises=RAISES)) == []


def test_an_exception_agrees_with_the_same_kind_only() -> None:
    own = "class Lost(KeyError): pass\ndef attention(x, y):\n    raise Lost('other words')\n"
    assert named(own, answers(index=RAISES.replace("Key", "Index"), key=RAISES)) == ["key"]


def test_a_cell_that_fails_leaves_what_it_defined_as_in_a_notebook() -> None:
    """A wrong model often breaks the cell that trains it; the mistake is in the model all the same."""
    fails = "attention(None, None)\n"
    assert named(NEGATIVE, answers(negative=NEGATIVE + fails, nothing=fails)) == ["negative"]


def test_an_answer_that_is_right_on_what_was_asked_does_not_agree_by_accident() -> None:
    """A result near enough to a right one agrees in numbers; but with that number the test does not fail there."""
    test = replace(TEST, source=TEST.source.replace("check.that(len(got) == 2", "check.that(abs(sum(got) - 1) < 1e-9"))
    nearly = EMPTY.replace("v / sum(w) for", "v / sum(w) + 1e-7 for")
    verdict, record = recorded(LESSON, test, {"attention": nearly})
    assert verdict.status == "failed"
    assert len(record.calls) == 1
    found = alike(LESSON, test, record, answers(empty=EMPTY, nearly=nearly), setup_names(LESSON), SEED, 30.0)
    assert [answer.name for answer in found] == ["nearly"]


def test_an_answer_that_hangs_or_dies_costs_itself_and_a_bounded_time() -> None:
    started = time.monotonic()
    assert named(NEGATIVE, answers(endless=ENDLESS, exits=EXITS, negative=NEGATIVE)) == ["negative"]
    assert time.monotonic() - started < 20


def test_an_answer_that_leaves_a_mess_names_nothing_wrongly() -> None:
    mess = "import math\nmath.exp = lambda x: -1.0\ndef attention(x, y):\n    return [2.0, 2.0]\n"
    exp = math.exp
    assert named(NEGATIVE, answers(mess=mess, right=EMPTY, negative=NEGATIVE))[-1:] in ([], ["negative"])
    assert math.exp is exp
    assert "right" not in named("def attention(x, y):\n    return [-1.0, -1.0]\n", answers(mess=mess, right=EXP))


def test_the_mistake_below_stands_beside_the_answer_that_builds_on_it() -> None:
    below = "def scores(x, y):\n    return [a + b for a, b in zip(x, y)]\n"
    both = {"wrong_before": {"scores": below}}
    assert named(NEGATIVE, answers(negative=NEGATIVE), **both) == []
    assert named(NEGATIVE, answers(negative=NEGATIVE), beside={"scores": below}, **both) == ["negative"]


def test_a_random_answer_is_not_named() -> None:
    dice = "import random\ndef attention(x, y):\n    return [-random.random(), 1.0]\n"
    assert named(dice, answers(dice=dice)) == []


def test_what_a_student_returns_is_kept_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MOST_BYTES", 100_000)
    large = "def attention(x, y):\n    return ['x' * 200_000]\n"
    _, record = recorded(LESSON, TEST, {"attention": large})
    assert (record.calls, record.complete) == ([], False)
    assert alike(LESSON, TEST, record, answers(large=large), setup_names(LESSON), SEED, 30.0) == []


def test_of_answers_that_behave_alike_the_text_decides() -> None:
    two = answers(negative='"""A hint."""\n' + NEGATIVE, map=ALSO_NEGATIVE)
    assert nearest(two, NEGATIVE.replace("s in", "score in")) == two[0]
    assert (
        nearest(
            two, "def attention(a, b):\n    gates = list(map(math.exp, scores(a, b)))\n    return [-g for g in gates]"
        )
        == two[1]
    )
    assert nearest(two, ")" * 20_000 + "\x00") in two
    assert nearest([], NEGATIVE) is None


def test_only_cells_that_the_probes_need_are_run() -> None:
    """The picture between attention and Layer is left out; scores, which Layer needs through attention, is not."""
    assert [cell.grade_id for cell in cells_needed(LESSON, LESSON.by_id["test_Layer"])] == [
        "scores",
        "attention",
        "Layer",
    ]
    assert [cell.grade_id for cell in cells_needed(LESSON, LESSON.by_id["test_scores"])] == ["scores"]


TRAINED = """
@check.probe
def observe(x):
    return read(x)


@check.probe
def trained():
    return model


check.that(len(observe([1, 2])) == 2, "one answer for each")
check.that(trained() == "right", "the model is right")
"""


def training_lesson(diary: Path) -> Lesson:
    """A lesson whose test asks for a function, then for a model; the cell that trains it says so in `diary`."""
    train = f"with open({str(diary)!r}, 'a') as diary:\n    model = diary.write(kind) and kind"
    cells = [
        Cell(0, "setup", "setup", "from course_utils import check"),
        Cell(1, "solution", "read", "kind = 'right'\ndef read(x):\n    return x"),
        Cell(2, "free", None, train),
        Cell(3, "test", "test_read", TRAINED, 1.0),
    ]
    return replace(LESSON, cells=tuple(cells))


def test_a_training_cell_is_run_only_for_answers_that_agree_until_it_counts(tmp_path: Path) -> None:
    diary = tmp_path / "diary"
    lesson = training_lesson(diary)
    test = lesson.by_id["test_read"]
    sources = {
        "short": "kind = 'short'\ndef read(x):\n    return x[:1]",
        "long": "kind = 'long'\ndef read(x):\n    return x + x",
        "bad": "kind = 'bad'\ndef read(x):\n    return x",
        "worse": "kind = 'worse'\ndef read(x):\n    return x[::1]",
    }
    some = [Answer(lesson.name, "read", False, name, source) for name, source in sources.items()]

    def found(name: str) -> tuple[list[str], str]:
        _, record = recorded(lesson, test, {"read": sources[name]})
        diary.write_text("")
        same = alike(lesson, test, record, some, setup_names(lesson), SEED, 30.0)
        return [answer.name for answer in same], diary.read_text()

    assert found("short") == (["short"], "")
    assert found("bad") == (["bad"], "bad" + "worse" + "bad")  # once among all that agreed, and once more alone
    assert found("worse") == (["worse"], "bad" + "worse" + "worse")


def test_the_hint_is_the_first_paragraph_on_one_line() -> None:
    (answer,) = answers(a='"""The sign\n    is wrong.\n\n    For the authors.\n"""\n' + NEGATIVE)
    assert answer.hint == "The sign is wrong."
    assert answers(a=NEGATIVE)[0].hint == ""


def test_questions_are_answered_in_order_and_a_crash_is_a_no() -> None:
    def crash() -> bool:
        raise SystemExit

    questions = [lambda: True, crash, lambda: False, lambda: bool(time.sleep(60)), lambda: True]
    assert ask_all(questions, 0.5, time.monotonic() + 30) == [True, False, False, False, True]
    assert ask_all(questions, 0.5, time.monotonic() - 1) == [False] * 5


def test_a_question_is_timed_by_the_processor_so_that_a_busy_machine_says_the_same() -> None:
    def works(seconds: float) -> bool:
        end = time.process_time() + seconds
        while time.process_time() < end:
            pass
        return True

    slow = [lambda: time.sleep(1.5) is None, lambda: works(0.3), lambda: works(30), lambda: works(0.3)]
    assert ask_all(slow, 1.0, time.monotonic() + 60) == [True, True, False, True]


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(plain)
def test_every_value_agrees_with_itself(value: Any) -> None:
    assert same(value, value)


@pytest.mark.parametrize(
    ("a", "b", "agree"),
    [
        (torch.ones(2), torch.ones(2) + 5e-5, True),
        (torch.ones(2), torch.ones(2) + 1e-2, False),
        (torch.ones(2), torch.ones(2, dtype=torch.float64), False),
        (torch.ones(2), torch.ones(2, 1), False),
        (torch.ones(2), [1.0, 1.0], False),
        (torch.tensor([1, 2]), torch.tensor([1, 3]), False),
        (torch.tensor([math.nan, math.inf]), torch.tensor([math.nan, math.inf]), True),
        (torch.tensor([math.inf]), torch.tensor([-math.inf]), False),
        (torch.empty(2, device="meta"), torch.ones(2), False),
        (torch.empty(2, device="meta"), torch.empty(2, device="meta"), True),
        (np.ones(2), np.ones(2) + 5e-5, True),
        (np.ones(2), np.ones(2, dtype=np.float32), False),
        (1.0, 1.00005, True),
        (1.0, 1, False),
        (True, 1, False),
        ((1, 2), [1, 2], False),
        ([1.0], [1.0, 2.0], False),
        ({"a": 1.0}, {"a": 1.00005}, True),
        ({"a": 1.0}, {"b": 1.0}, False),
        (None, 0, False),
    ],
)
def test_what_agrees(a: Any, b: Any, agree: bool) -> None:
    assert same(a, b) == same(b, a) == agree


def test_a_lost_point_in_words_holds_what_was_asked_and_what_came() -> None:
    source = TEST.source.replace('check.that(len(got) == 2, "one number for each pair")', "check.close(got[0], 0.25)")
    _, record = recorded(LESSON, replace(TEST, source=source), {"attention": NEGATIVE})
    words = in_words(record)
    assert words["probe"] == "observe_attention"
    assert words["inputs"] == ["[1.0, 2.0]", "[0.5, 0.25]"]
    assert "0.25" in words["expected"]
    assert f"{-math.exp(0.5):.4f}"[:6] in words["got"]
    assert not words["hidden"]
    assert source.split("\n")[words["place"][0] - 1].startswith("check.close")


@given(plain)
def test_any_value_is_written_in_bounded_text(value: Any) -> None:
    assert len(written(value)) <= TEXT_LIMIT


def test_large_and_odd_tensors_are_written_in_bounded_text() -> None:
    for value in (torch.rand(300, 300), torch.full((3,), math.nan), torch.empty(0), torch.ones(2, dtype=torch.bfloat16),
                  torch.empty(3, device="meta"), np.zeros((2, 0)), [torch.rand(50, 50)] * 100):  # fmt: skip
        assert 0 < len(written(value)) <= TEXT_LIMIT


def test_the_bank_refuses_an_answer_for_an_exercise_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(banks, "ANSWERS", tmp_path)
    (tmp_path / LESSON.name / "atention" / "wrong").mkdir(parents=True)
    (tmp_path / LESSON.name / "atention" / "wrong" / "a.py").write_text(NEGATIVE)
    with pytest.raises(banks.CourseError, match="atention"):
        bank(LESSON)
