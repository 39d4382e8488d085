"""The judge: what a test cell is worth, what its verdict says to whom, and that no answer can make it hang or fall."""

from __future__ import annotations

import contextlib
import re
import socket
import struct
import threading
import time
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from autograde.judge.cell import run_test
from autograde.judge.channel import Channel, Gone, Nonsense, Silence
from autograde.judge.room import JudgeRoom, probe_sources
from autograde.lesson import Cell
from autograde.limits import Limits
from course_utils import check, wire

LIMITS = Limits(call=0.4, test=1.0)
PROBE = "@check.probe\ndef observe(x):\n    return answer(x)\n\n"
HIDDEN = "### BEGIN HIDDEN TESTS\n{}\n### END HIDDEN TESTS"


class Student:
    """The other end of the line: answers every request with what `reply` makes of it."""

    def __init__(self, reply: Any) -> None:
        ours, self._theirs = socket.socketpair()
        self.channel = Channel(ours)
        self._reply = reply
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError), self._theirs:
            while len(prefix := self._theirs.recv(8, socket.MSG_WAITALL)) == 8:
                rest = self._theirs.recv(sum(wire.frame_sizes(prefix)), socket.MSG_WAITALL)
                request = wire.decode(prefix + rest)
                answer = ("ok", None) if request[0] == "define" else self._reply(*request[2])
                if answer is None:
                    return
                self._theirs.sendall(answer if isinstance(answer, bytes) else wire.encode(answer))


def verdict(source: str, reply: Any = lambda x: ("ok", x), *, after_hidden: bool = False, points: float = 4) -> Any:
    student = Student(reply)
    room = JudgeRoom(student.channel, source, 7, LIMITS, after_hidden=after_hidden)
    cell = Cell(0, "test", "test_thing", source, points)
    try:
        return run_test(cell, {"check": check, "torch": torch}, room, LIMITS, 7)
    finally:
        student.channel.close()


def test_a_test_that_holds_earns_all_points() -> None:
    found = verdict(PROBE + "check.close(observe(torch.ones(2)), torch.ones(2))")
    assert (found.status, found.points, found.calls) == ("passed", 4, 1)


@pytest.mark.parametrize(
    ("last", "status", "points"),
    [
        ("check.award(1.5)", "partial", 1.5),
        ("2", "partial", 2),
        ("4.0", "passed", 4),
        ("0", "partial", 0),
        ("None", "passed", 4),
        ("check.award(4)", "passed", 4),
        ("5", "broken test", 0),
        ("-1", "broken test", 0),
        ("float('nan')", "broken test", 0),
        ("float('inf')", "broken test", 0),
        ("True", "broken test", 0),
        ("torch.tensor(1.)", "broken test", 0),
        ("__import__('numpy').float64(1.0)", "broken test", 0),
        ("'4'", "broken test", 0),
        ("check.award(4.5)", "broken test", 0),
        ("check.award(float('nan'))", "broken test", 0),
        ("undefined_name", "broken test", 0),
        ("1 / 0", "broken test", 0),
    ],
)
def test_only_a_declared_number_counts(last: str, status: str, points: float) -> None:
    found = verdict(last)
    assert (found.status, found.points) == (status, points)
    assert found.flag == (status == "broken test")


def test_the_visible_part_shows_values_and_the_hidden_part_does_not() -> None:
    cause = "likely={'it is doubled': torch.full((2,), 246.5)}"
    compare = f"check.close(observe(torch.full((2,), 123.25)), torch.full((2,), 77.5), 'the output', {cause})"
    seen = verdict(PROBE + compare, lambda x: ("ok", 2 * x))
    assert "246.5" in seen.message
    assert "it is doubled" in seen.message
    hidden = verdict(PROBE + "observe(torch.ones(1))\n" + HIDDEN.format(compare), lambda x: ("ok", 2 * x))
    assert "it is doubled" in hidden.message
    assert "the output" in hidden.message
    assert not any(number in hidden.message for number in ("246.5", "123.25", "77.5"))
    assert "246.5" in hidden.detail


def test_after_a_hidden_call_nothing_that_student_code_makes_is_shown() -> None:
    found = verdict(
        PROBE + "observe(torch.ones(1))",
        lambda x: ("error", ("SecretError", "Exception"), "q was 0.123"),
        after_hidden=True,
    )
    assert "0.123" not in found.message
    assert "SecretError" not in found.message
    assert "0.123" in found.detail


def test_a_hidden_call_is_remembered() -> None:
    assert verdict(PROBE + "x = 1\n" + HIDDEN.format("observe(check.hidden((2,)))\nNone")).saw_hidden
    assert not verdict(PROBE + "observe(check.normal((2,)))\nNone").saw_hidden


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        (lambda x: ("error", ("NotImplementedError", "RuntimeError"), ""), "not attempted"),
        (lambda x: ("error", ("SystemExit",), "0"), "failed"),
        (lambda x: None, "crashed"),
        (lambda x: b"\x00" * 8 + b"rubbish", "failed"),
        (lambda x: struct.pack("<II", 1 << 31, 0), "failed"),
        (lambda x: wire.encode("not an answer"), "failed"),
        (lambda x: ("ok", [x] * 3), "failed"),
        (lambda x: ("ok", torch.full((2,), float("nan"))), "failed"),
        (lambda x: ("ok", torch.empty(2, device="meta")), "failed"),
        (lambda x: ("ok", None), "failed"),
        (lambda x: ("ok", "text"), "failed"),
        (lambda x: time.sleep(1.5) or ("ok", x), "timeout"),
    ],
)
def test_every_odd_answer_ends_in_a_verdict_without_points(reply: Any, status: str) -> None:
    started = time.monotonic()
    found = verdict(PROBE + "check.close(observe(torch.ones(2)), torch.ones(2))", reply)
    assert (found.status, found.points) == (status, 0)
    assert found.message
    assert time.monotonic() - started < 5


def test_slow_drops_do_not_stretch_the_deadline() -> None:
    ours, theirs = socket.socketpair()

    def drip() -> None:
        try:
            for _ in range(60):
                theirs.send(b"\x01")
                time.sleep(0.05)
        except OSError:
            return

    threading.Thread(target=drip, daemon=True).start()
    started = time.monotonic()
    with pytest.raises((Silence, Nonsense)):
        Channel(ours).ask(("call", "observe", ()), 0.3)
    assert time.monotonic() - started < 1
    ours.close()
    theirs.close()


@given(st.binary(max_size=300))
@settings(deadline=None, max_examples=150)
def test_any_bytes_on_the_line_end_the_question(data: bytes) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(data)
        theirs.shutdown(socket.SHUT_WR)
        # An answer of the right form would be the student's, and be judged; everything else must end as one of these.
        with contextlib.suppress(Gone, Nonsense, Silence):
            assert Channel(ours).ask(("call", "observe", ()), 2.0)[0] in ("ok", "error")


def test_odd_data_that_trips_a_test_is_not_a_broken_test() -> None:
    found = verdict(PROBE + "out, gates = observe(torch.ones(2))\nout[0][0]", lambda x: ("ok", 5))
    assert found.status == "failed"
    assert found.flag


def test_probes_are_sent_without_their_decorator() -> None:
    source = PROBE + "@other\ndef helper(): pass\n"
    assert probe_sources(source) == {"observe": "def observe(x):\n    return answer(x)"}


def test_raises_asks_for_a_kind() -> None:
    ask = PROBE + "check.raises('ValueError', observe, torch.ones(1))\nNone"
    assert verdict(ask, lambda x: ("error", ("MyError", "ValueError", "Exception"), "")).status == "passed"
    wrong = verdict(ask, lambda x: ("error", ("RuntimeError", "Exception"), "sizes do not match"))
    assert "RuntimeError: sizes do not match" in wrong.message
    assert "nothing was raised" in verdict(ask).message


def test_a_rule_says_why_an_input_must_raise() -> None:
    ask = PROBE + "check.raises('ValueError', observe, torch.ones(1), rule='one number is too few')\nNone"
    other = verdict(ask, lambda x: ("error", ("RuntimeError", "Exception"), "sizes do not match"))
    for message in (other.message, verdict(ask).message):
        assert re.search("likely cause: .*one number is too few", message)


def test_an_error_with_a_known_cause_becomes_a_sentence_and_others_stay() -> None:
    ask = (
        PROBE
        + "with check.instead_of(['sizes', 'KeyError'], 'widths fit', 'look at W'):\n    observe(torch.ones(1))\nNone"
    )
    for error in [(("RuntimeError", "Exception"), "sizes do not match"), (("KeyError", "Exception"), "'q'")]:
        found = verdict(ask, lambda x, error=error: ("error", *error))
        assert found.status == "failed"
        assert found.message.startswith("This does not hold: widths fit\n")
        assert f"raised    {error[0][0]}: {error[1]}" in found.message
        assert found.message.endswith("likely cause: look at W")
    other = verdict(ask, lambda x: ("error", ("MyError", "KeyError", "Exception"), "of another kind"))
    assert "widths fit" not in other.message
    assert "MyError" in other.message
    assert verdict(ask).status == "passed"


def test_a_fallback_cause_is_named_when_no_other_agrees() -> None:
    ask = PROBE + "check.close({}, 1.0, likely={{'twice': 2.0}}, otherwise='look at exercise 2')\nNone"
    assert "likely cause: twice" in verdict(ask.format("2.0")).message
    assert "likely cause: look at exercise 2" in verdict(ask.format("3.0")).message


def test_figures_and_prints_of_the_visible_part_are_kept_and_of_the_hidden_part_are_not() -> None:
    draw = "import matplotlib.pyplot as plt\nplt.figure()\nprint('shown')\n"
    found = verdict(PROBE + draw + HIDDEN.format("print('kept back')\nplt.figure()\nNone"))
    assert found.text == "shown\n"
    assert len(found.figures) == 1
