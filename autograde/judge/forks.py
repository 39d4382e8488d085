"""Forked helpers of the judge: they never return into their parent's code, and never outlive it."""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import resource
import select
import signal
import time
from collections.abc import Callable, Sequence
from typing import Any

#: By the clock a question may take so many times its seconds of the processor; what sleeps ends then.
SLEEPS = 8


def in_child(work: Callable[[], Any]) -> None:
    """Run `work` in a forked child and never return into the parent's code."""
    code = 1
    try:
        work()
        code = 0
    finally:
        os._exit(code)


def die_with_parent() -> None:
    """Let the kernel end this process when its parent ends."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG


def ask_all(questions: Sequence[Callable[[], bool]], limit: float, deadline: float) -> list[bool]:
    """Ask yes-or-no questions in forked children; no answer in time, an exception or a crash means no.

    A fork costs more than most questions. So one child answers one after another, and a new one goes on after the
    question that it hung on or died of. What a question leaves behind in its process the next ones see: where that
    may matter, ask again, alone.

    Args:
        limit: seconds of the processor for one question, and by the clock SLEEPS times as many: on a busy machine the
            same question gets the same answer.
        deadline: when all must be answered, by `time.monotonic`; the rest is answered with no.
    """
    answers: list[bool] = []
    while len(answers) < len(questions) and time.monotonic() < deadline:
        answers += _ask_child(questions[len(answers) :], limit, deadline)
    return answers + [False] * (len(questions) - len(answers))


def _ask_child(questions: Sequence[Callable[[], bool]], limit: float, deadline: float) -> list[bool]:
    """The answers of one child, up to the question that ended it; that one counts as answered."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        in_child(lambda: _answer(questions, writing, limit))
    os.close(writing)
    answers: list[bool] = []
    try:
        while len(answers) < len(questions):
            left = min(SLEEPS * limit, deadline - time.monotonic())
            said = os.read(reading, 1) if left > 0 and select.select([reading], [], [], left)[0] else b""
            answers.append(said == b"y")
            if not said:
                break
    finally:
        os.close(reading)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return answers


def _answer(questions: Sequence[Callable[[], bool]], writing: int, limit: float) -> None:
    die_with_parent()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):  # what the code says, a traceback included, is nobody's
        os.dup2(null, descriptor)
    for question in questions:
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        soon = math.ceil(time.process_time() + limit)
        resource.setrlimit(resource.RLIMIT_CPU, (soon if most == resource.RLIM_INFINITY else min(soon, most), most))
        try:
            holds = question()
        except BaseException:
            holds = False
        os.write(writing, b"y" if holds else b"n")
