"""The judge's process under a lying agent: it never hangs, grows, dies or runs what it gets, and always has a verdict.

A fake agent speaks to the real judge over its real socket, within limits that are low enough for many examples. Every
lie has an honest twin: after it, an agent that answers rightly still earns all points of the same judge.
"""

from __future__ import annotations

import os
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import lying
import nbformat
import pytest
import torch
from conftest import run_async
from hypothesis import HealthCheck, example, given, settings
from lying import HONEST, KNOWN, LIES, Lie, answering, earns, honest

from autograde.judge import serve
from autograde.judge.process import Judge
from autograde.lesson import Lesson, classify
from autograde.limits import Limits
from autograde.verdict import Verdict
from course_utils import wire

LIMITS = Limits(call=0.25, test=0.6, judge_memory=400 << 20)
#: Seconds until an agent must have come; and what a busy machine may need on top of all limits.
ENTRY, SLACK = 0.5, 3.0
#: Bytes of resident memory that a judge may gain over many lies.
LEAK = 60 << 20

#: Notes when code runs that stands in none of our files and cells, and when a program starts.
WATCH = """
import sys, torch
from course_utils import check

def watch(event, args):
    name = args[0].co_filename if event == "exec" else ""
    ours = name.startswith(("/", "<frozen")) or name in ("<test>", "<setup>")
    if event in ("pickle.find_class", "os.system", "subprocess.Popen", "os.exec", "os.posix_spawn") or (
        event == "exec" and not ours
    ):
        with open(NOTES, "a") as file:
            file.write(f"{event} {name}\\n")

sys.addaudithook(watch)
"""
TEST = """@check.probe
def observe(x):
    return answer(x)


first, second, rest = observe(torch.ones(2))
check.that(first == 0.5 and second == 0.5, "both are one half")
check.equal(rest, torch.tensor([1.0, 2.0]), "the rest")
"""


class Siege:
    """One judge, its socket, and what it was seen to do."""

    def __init__(self, folder: Path, limits: Limits = LIMITS) -> None:
        self.path, self.notes, self.canary = folder / "judge.sock", folder / "notes", folder / "canary"
        self.notes.touch()
        setup = nbformat.v4.new_code_cell(WATCH.replace("NOTES", repr(str(self.notes))), metadata=marks("setup"))
        setup.metadata["room"] = "both"
        test = nbformat.v4.new_code_cell(TEST, metadata=marks("test", grade=True, points=4))
        notebook = nbformat.v4.new_notebook(cells=[setup, test])
        lesson = Lesson("00_siege", tuple(classify(notebook)), notebook, notebook)
        self.cell = lesson.by_id["test"]
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self.path))
        listener.listen(4)
        self.judge = Judge(lesson, limits, {"test": 7}, listener)
        self.seconds = 0.0
        self.threads: list[threading.Thread] = []

    def verdict(self, *agents: Callable[[socket.socket], None], joined: bool = True) -> Verdict:
        """The judge's word on agents that connect one after another, and must all have been hung up on if `joined`."""
        threads = [threading.Thread(target=answering, args=(self.path, agent), daemon=True) for agent in agents]
        for thread in threads:
            thread.start()
        started = time.monotonic()
        found = run_async(self.judge.test(self.cell, after_hidden=False))
        self.seconds = time.monotonic() - started
        self.threads += threads
        for thread in threads:
            thread.join(5 if joined else 0)
            assert not (joined and thread.is_alive()), "the judge did not hang up"
        return found

    def settle(self) -> None:
        """Let the judge hang up on whoever came too late for a test, so that nobody waits for the next."""
        while any(thread.is_alive() for thread in self.threads):
            self.verdict(joined=False)

    @property
    def pid(self) -> int:
        keeper = self.judge._server.pid
        return int(Path(f"/proc/{keeper}/task/{keeper}/children").read_text().split()[0])

    def memory(self, name: str) -> int:
        """Bytes of the judge's: `VmHWM` the most that was resident, `VmRSS` what is now."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def marks(grade_id: str, *, grade: bool = False, points: int | None = None) -> dict[str, Any]:
    marks = {"grade": grade, "solution": False, "locked": True, "task": False, "schema_version": 3}
    return {"nbgrader": {**marks, "grade_id": grade_id, **({} if points is None else {"points": points})}}


@pytest.fixture(scope="module")
def siege(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Siege]:
    before, serve.ENTRY = serve.ENTRY, ENTRY  # the judge is forked, and takes it along
    siege = Siege(tmp_path_factory.mktemp("siege"))
    serve.ENTRY = before
    assert siege.verdict(honest).status == "passed"  # what it imports for the first time, it has now
    siege.notes.write_text("")
    yield siege
    siege.judge.close()


def stands(siege: Siege, lie: Lie) -> Verdict:
    """Everything that must hold, whatever an agent says."""
    judge, before = siege.pid, siege.memory("VmRSS")
    said = lie.said.replace(b"{canary}", os.fsencode(siege.canary))
    found = siege.verdict(lying.lying(Lie(lie.at, said, lie.after, lie.pause)))
    assert siege.seconds < ENTRY + LIMITS.test + SLACK
    assert found.status in ("failed", "timeout", "crashed") or (found.status == "passed" and earns(lie)), found
    assert (found.points == 4) == (found.status == "passed")
    assert found.message or found.status == "passed"
    assert len(found.message) < 20_000
    assert siege.pid == judge, "the judge died of it"
    assert siege.memory("VmHWM") < before + LIMITS.judge_memory + LEAK
    assert siege.notes.read_text() == ""
    assert not siege.canary.exists()
    for _ in range(5):  # the limits are low, and a busy machine can be slow even to the honest
        twin = siege.verdict(honest)
        if twin.status != "timeout":
            break
    assert (twin.status, twin.points) == ("passed", 4), twin
    return found


def besieged(siege: Siege, examples: int) -> None:
    before = siege.memory("VmRSS")

    @given(LIES)
    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @example(Lie(1, HONEST, "silence"))
    @example(Lie(0, HONEST, "again"))
    def any_lie(lie: Lie) -> None:
        stands(siege, lie)

    any_lie()
    assert siege.memory("VmRSS") < before + LEAK


def test_any_lie_ends_in_a_verdict(siege: Siege) -> None:
    besieged(siege, 60)


@pytest.mark.nightly
def test_any_of_very_many_lies_ends_in_a_verdict(siege: Siege) -> None:
    besieged(siege, 3_000)


FLOOD = """
import socket, sys
print("x", end="", flush=True)
while True:
    line = socket.socket(socket.AF_UNIX)
    line.setblocking(False)
    try: line.connect(sys.argv[1])
    except OSError: pass
    line.close()
"""


@pytest.mark.parametrize("name", KNOWN)
def test_known_lies_earn_nothing(siege: Siege, name: str) -> None:
    lie = Lie(1, KNOWN[name])
    found = stands(siege, lie)
    assert found.status == ("passed" if earns(lie) else "crashed" if lie.said == b"" else found.status)


def test_an_answer_without_end_is_not_kept(siege: Siege) -> None:
    """A frame as large as one may be, again and again: the next one is never asked for, and never read."""
    whole = lying.frame(b"\xc0", bytes(wire.TOTAL_LIMIT))
    assert stands(siege, Lie(1, whole, "again")).status in ("failed", "timeout")


def test_a_line_of_lies_before_the_honest_agent(siege: Siege) -> None:
    """The judge takes who comes first; the others, however many wait, are hung up on before the next test."""
    silent = [lying.lying(Lie(1, b"", "silence"))] * 4
    assert siege.verdict(*silent).points in (0, 4)
    assert siege.verdict(honest).points == 4


def test_connections_without_end_hold_no_verdict_up(siege: Siege) -> None:
    """Somebody connects and connects: hanging up on all of them would be work without end."""
    command = ["/usr/bin/python3", "-c", FLOOD, str(siege.path)]
    flooding = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(4)]
    try:
        for process in flooding:
            assert process.stdout is not None
            process.stdout.read(1)
        found = siege.verdict(honest, joined=False)  # where somebody else came first, it waits in the queue
    finally:
        for process in flooding:
            process.kill()
            process.communicate()
    assert found.status in ("passed", "crashed")
    assert siege.seconds < ENTRY + LIMITS.test + SLACK
    while siege.verdict(honest, joined=False).status == "crashed":  # what had connected before
        pass
    siege.settle()


def test_nobody_comes(siege: Siege) -> None:
    found = siege.verdict()
    assert (found.status, found.points) == ("crashed", 0)
    assert ENTRY <= siege.seconds < ENTRY + SLACK


def test_an_answer_that_the_judge_has_no_memory_for_is_not_its_own_fault(tmp_path: Path) -> None:
    """Else it would count as a broken test, which costs an instructor's time and no points."""
    small = Siege(tmp_path, Limits(call=2, test=4, judge_memory=40 << 20))
    large = wire.encode(("ok", [0.5, 0.5, torch.zeros(15 << 20)]))
    found = small.verdict(lying.lying(Lie(1, large)))
    assert (found.status, found.points, found.flag) == ("failed", 0, True)
    assert small.verdict(honest).points == 4
    small.judge.close()
