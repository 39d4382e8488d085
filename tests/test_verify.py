"""`autograde verify`: what counts as caught, accepted and named, and which rows are run again."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from autograde import fingerprint, verified, verify
from autograde.bank import Answer, bank
from autograde.run.pool import Result
from autograde.verdict import Verdict

WRONG = Answer("03_qkv", "attention", False, "a", '"""Hint A."""\n')
RIGHT = replace(WRONG, right=True)


def result(answer: Answer, *verdicts: tuple[str, float], status: Any = None, mistake: str = "") -> Result:
    made = tuple(
        Verdict(f"test_{name}", name, status or ("passed" if earned == 4 else "failed"), earned, 4, mistake=mistake)
        for name, earned in verdicts
    )
    return Result(answer.id, made)


@pytest.mark.parametrize(
    ("answer", "verdicts", "words"),
    [
        (WRONG, [("attention", 0), ("SelfAttention", 4)], []),
        (RIGHT, [("attention", 4), ("SelfAttention", 4)], []),
        (WRONG, [("attention", 4), ("SelfAttention", 4)], ["kept 4 of 4"]),
        (WRONG, [("attention", 1), ("SelfAttention", 4)], ["kept 1 of 4"]),
        (WRONG, [("attention", 0), ("SelfAttention", 0)], ["lost points of SelfAttention"]),
        (RIGHT, [("attention", 4), ("SelfAttention", 3)], ["right answer lost points of SelfAttention"]),
        (RIGHT, [("attention", 3), ("SelfAttention", 4)], ["right answer lost points (failed)"]),
    ],
)
def test_a_wrong_answer_loses_its_own_points_and_a_right_one_none(
    answer: Answer, verdicts: list[tuple[str, float]], words: list[str]
) -> None:
    lines = verify.surprise(answer, result(answer, *verdicts))
    assert len(lines) == len(words)
    assert all(word in line for word, line in zip(words, lines, strict=True))


def test_a_broken_test_and_a_refusal_are_surprises() -> None:
    assert "broken" in verify.surprise(WRONG, result(WRONG, ("attention", 0), status="broken test"))[0]
    assert verify.surprise(WRONG, Result(WRONG.id, error="no sandbox", refused=True)) == [f"{WRONG.id}: no sandbox"]


class Fake:
    """Stands for the two rooms: every row gets what it should, mistakes are named as `named` says."""

    def __init__(self, lesson: Any) -> None:
        self.ran: list[str] = []
        self.hints = {answer.id: answer.hint for answer in bank(lesson)}
        self.kept: dict[str, float] = {}

    def __call__(self, root: Path, lesson: Any, answers: Sequence[Answer], *_: Any) -> Iterator[Result]:
        for answer in answers:
            self.ran.append(answer.id)
            earned = self.kept.get(answer.id, 4 if answer.right else 0)
            yield result(answer, (answer.exercise, earned), mistake="" if answer.right else self.hints[answer.id])


@pytest.fixture
def fake(lesson: Any, monkeypatch: pytest.MonkeyPatch) -> Fake:
    fake = Fake(lesson)
    monkeypatch.setattr(verify, "_graded", fake)
    monkeypatch.setattr(verify, "lessons", lambda root, name: [lesson])
    return fake


def run(root: Path, **more: Any) -> tuple[bool, str]:
    out = io.StringIO()
    good = verify.verify_bank(root, "03_qkv", more.pop("exercise", None), Console(file=out, width=200), **more)
    return good, out.getvalue()


def test_all_of_all_passes_and_unchanged_rows_are_not_run_again(fake: Fake, tmp_path: Path, lesson: Any) -> None:
    total = len(bank(lesson))
    good, text = run(tmp_path)
    assert good
    assert f"0 of {total} rows" in text
    assert "named / all" in text
    assert len(fake.ran) == total
    good, text = run(tmp_path)
    assert good
    assert f"{total} of {total} rows" in text
    assert len(fake.ran) == total
    run(tmp_path, anew=True)
    assert len(fake.ran) == 2 * total


def test_an_answer_that_changes_runs_again_with_those_that_may_be_taken_for_it(
    fake: Fake, tmp_path: Path, lesson: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path)
    fake.ran.clear()
    everything = bank(lesson)
    changed = next(answer for answer in everything if answer.exercise == "SelfAttention" and not answer.right)

    def edited(lesson: Any, exercise: str | None = None) -> list[Answer]:
        return [
            replace(answer, source=answer.source + "\n# more\n") if answer.id == changed.id else answer
            for answer in everything
            if exercise in (None, answer.exercise)
        ]

    monkeypatch.setattr(verify, "bank", edited)
    monkeypatch.setattr(verified, "bank", edited)
    run(tmp_path)
    # attention's rows run SelfAttention, too, and its mistakes might be named there; scores stands apart
    assert {id.split("/")[0] for id in fake.ran} == {"attention", "SelfAttention"}


def test_another_grader_or_torch_or_secret_runs_everything_again(
    fake: Fake, tmp_path: Path, lesson: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path, exercise="scores")
    once = len(fake.ran)
    monkeypatch.setattr(fingerprint, "code", lambda: "other")
    run(tmp_path, exercise="scores")
    assert len(fake.ran) == 2 * once
    monkeypatch.setattr(fingerprint, "version", lambda name: "9.9")
    run(tmp_path, exercise="scores")
    assert len(fake.ran) == 3 * once
    (tmp_path / ".autograde" / "secret").write_text("another\n")
    run(tmp_path, exercise="scores")
    assert len(fake.ran) == 4 * once


def test_a_wrong_answer_that_is_not_caught_fails_and_so_do_mistakes_without_a_name(
    fake: Fake, tmp_path: Path, lesson: Any
) -> None:
    wrong = [answer.id for answer in bank(lesson) if not answer.right]
    fake.kept = {wrong[0]: 4}
    good, text = run(tmp_path)
    assert not good
    assert f"{wrong[0]}: a wrong answer kept 4 of 4 points" in text
    fake.kept = {}
    first, second = wrong[:2]
    fake.hints[first] = fake.hints[second]
    good, text = run(tmp_path, anew=True)
    assert good  # one in many may be taken for another
    assert f"{first}: taken for {second}" in text
    for id in wrong[: len(wrong) // 10 + 1]:
        fake.hints[id] = ""
    good, text = run(tmp_path, anew=True)
    assert not good
    assert "and 95% must be" in text
    assert f"{first}: its mistake is not named" in text
