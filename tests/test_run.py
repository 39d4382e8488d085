"""One submission through the two rooms: who pays for what goes wrong, and what is never lost."""

from __future__ import annotations

import asyncio
import copy
import os
import signal
import socket
import threading
import time
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import FULL, Grader, free_cell, points, printed, run_async

from course_utils import wire

pytestmark = pytest.mark.sandbox


@pytest.fixture(scope="module")
def perfect(grader: Grader) -> Any:
    return grader.grade(grader.solved())


def statuses(result: Any) -> dict[str, str]:
    return {verdict.exercise: verdict.status for verdict in result.verdicts}


def test_our_own_version_earns_everything_and_the_release_nothing(grader: Grader, perfect: Any) -> None:
    assert points(perfect) == FULL
    assert perfect.notes == ()
    untouched = grader.grade(grader.lesson.release)
    assert set(statuses(untouched).values()) == {"not attempted"}


def test_the_graded_notebook_is_valid_and_shows_what_ran(perfect: Any) -> None:
    nbformat.validate(perfect.notebook)
    outputs = [output for cell in perfect.notebook.cells for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in outputs)


def test_what_ran_after_hidden_inputs_were_seen_is_marked(perfect: Any) -> None:
    marks = [bool(cell.metadata.get("after_hidden")) for cell in perfect.notebook.cells if cell.cell_type == "code"]
    assert not marks[0]
    assert marks[-1]
    assert [verdict.after_hidden for verdict in perfect.verdicts] == [False] + [True] * (len(FULL) - 1)


def test_a_cell_that_kills_the_kernel_costs_itself_only(grader: Grader) -> None:
    notebook = free_cell(grader.solved(), "import os; os._exit(1)", before="test_attention")
    result = grader.grade(notebook)
    assert points(result) == FULL
    assert [note.code for note in result.notes] == ["dead"]


def test_a_solution_that_kills_the_kernel_when_tested_costs_its_exercise_only(grader: Grader) -> None:
    result = grader.grade(grader.solved({"scores": "def scores(x, W_q, W_k):\n    import os\n    os._exit(0)"}))
    assert points(result) == {**FULL, "scores": 0}
    assert statuses(result)["scores"] == "crashed"


def test_an_endless_loop_costs_its_exercise_and_a_bounded_time(grader: Grader) -> None:
    started = time.monotonic()
    endless = """def scores(x, W_q, W_k):
    while True:
        try:
            while True: pass
        except BaseException: pass
"""
    result = grader.grade(grader.solved({"scores": endless}), call=2.0, test=10.0)
    assert points(result) == {**FULL, "scores": 0}
    assert "took longer than 2 s" in result.verdicts[0].message
    assert time.monotonic() - started < 90


def test_the_whole_notebook_has_a_limit_and_every_exercise_a_verdict(grader: Grader) -> None:
    notebook = free_cell(grader.solved(), "import time; time.sleep(60)")
    result = grader.grade(notebook, notebook=12.0, cell=30.0)
    assert set(statuses(result).values()) <= {"timeout", "passed", "not attempted", "failed", "crashed"}
    assert len(result.verdicts) == len(FULL)
    assert sum(points(result).values()) < sum(FULL.values())
    assert "used all of its 12 s" in result.verdicts[-1].message


def test_much_output_is_cut_with_a_notice(grader: Grader) -> None:
    notebook = free_cell(grader.solved(), "print('x' * 5_000_000)\nfor _ in range(200_000): print('y' * 50)")
    result = grader.grade(notebook)
    assert points(result) == FULL
    assert "the rest is left out" in printed(result)
    assert len(nbformat.writes(result.notebook)) < 6_000_000


def test_a_setup_cell_of_ours_that_fails_is_not_the_students_loss(grader: Grader, tmp_path: Path) -> None:
    from autograde.run.pool import Job

    for folder in ("source", "release"):
        notebook = copy.deepcopy(grader.lesson.notebook if folder == "source" else grader.lesson.release)
        for cell in notebook.cells:
            if cell.metadata.get("nbgrader", {}).get("grade_id") == "setup":
                cell.source = "import a_module_that_is_not_there"
        (tmp_path / folder / "03_qkv").mkdir(parents=True)
        nbformat.write(notebook, tmp_path / folder / "03_qkv" / "03_qkv.ipynb")
    raw = nbformat.writes(grader.solved()).encode()
    result = grader.pool.run_one(Job("ada", raw, tmp_path, "03_qkv", grader.limits, grader.seeds))
    assert result.refused
    assert "setup cell" in result.error


def test_without_a_sandbox_the_points_are_the_same(grader: Grader, perfect: Any) -> None:
    result = grader.grade(grader.solved(), sandboxed=False)
    assert points(result) == points(perfect)


def test_the_same_submission_gets_the_same_hidden_inputs(grader: Grader, perfect: Any) -> None:
    begin = "    ### BEGIN SOLUTION"
    ours = grader.lesson.by_id["scores"].source
    keeps = "seen = []\n" + ours.replace(begin, f"    seen.append(x.double().sum().item())\n{begin}", 1)
    show = "print('SEEN', [round(value, 6) for value in seen])"
    notebook = free_cell(grader.solved({"scores": keeps}), show, before="test_attention")
    first, second = (printed(grader.grade(notebook, only=("scores", "attention"))) for _ in range(2))
    line = next(line for line in first.splitlines() if line.startswith("SEEN"))
    assert line in second.splitlines()
    assert len(line) > 40


def test_a_judge_that_dies_ends_in_a_flagged_verdict_and_is_replaced(
    lesson: Any, grader: Grader, tmp_path: Path
) -> None:
    from autograde.judge.process import Judge

    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(tmp_path / "judge.sock"))
    listener.listen(4)
    judge = Judge(lesson, grader.limits, grader.seeds, listener)

    def answer_everything() -> None:
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(tmp_path / "judge.sock"))
            while prefix := line.recv(8, socket.MSG_WAITALL):
                request = wire.decode(prefix + line.recv(sum(wire.frame_sizes(prefix)), socket.MSG_WAITALL))
                answer = ("ok", None) if request[0] == "define" else ("error", ("NotImplementedError",), "")
                line.sendall(wire.encode(answer))

    async def examine() -> list[Any]:
        first = asyncio.create_task(judge.test(lesson.tests[0], after_hidden=False))
        await asyncio.sleep(1.0)  # nobody answers, so that the judge waits; then it is gone
        (current,) = Path(f"/proc/{judge._server.pid}/task/{judge._server.pid}/children").read_text().split()
        os.kill(int(current), signal.SIGKILL)
        agent = threading.Thread(target=answer_everything)
        verdicts = [await first]
        agent.start()
        verdicts.append(await judge.test(lesson.tests[1], after_hidden=False))
        agent.join()
        return verdicts

    died, replaced = run_async(examine())
    judge.close()
    assert (died.status, died.points, died.flag) == ("broken test", 0, True)
    assert replaced.status == "not attempted"


def test_a_job_that_hangs_is_ended_and_explained(grader: Grader, monkeypatch: pytest.MonkeyPatch) -> None:
    # Its own limits would let it run on, so that only the end from outside can come first, on a fast machine, too.
    own = 2 * grader.limits.notebook + grader.limits.diagnosis
    monkeypatch.setattr("autograde.run.pool.GRACE", 0.5 - own)
    result = grader.grade(free_cell(grader.solved(), "import time\ntime.sleep(25)"))
    assert result.refused
    assert "took too long" in result.error
    monkeypatch.undo()
    assert points(grader.grade(grader.solved())) == FULL


def test_no_process_is_left(grader: Grader, perfect: Any) -> None:
    time.sleep(1.0)
    mine = [path for path in Path("/proc").glob("[0-9]*/stat") if _is_launch_of(path, os.getpid())]
    assert mine == []


def _is_launch_of(stat: Path, ancestor: int) -> bool:
    """Whether this is a sandbox's supervisor started below `ancestor`."""
    try:
        if b"supervisor.py" not in (stat.parent / "cmdline").read_bytes():
            return False
        pid = int(stat.parent.name)
        while pid > 1:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
            if pid == ancestor:
                return True
    except OSError:
        return False
    return False
