"""What a run says: why a cell was stopped, what stands below a test cell in the graded notebook."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from nbformat.v4 import new_output

from autograde.limits import Limits
from autograde.run.kernel import Ending
from autograde.verdict import Verdict

_STOPPED: dict[str, str] = {
    "timeout": "took longer than {cell:g} s and was stopped",
    "dead": "ended the kernel",
    "memory": "took more memory than there is (limit {mib} MiB) and was stopped",
    "files": "made more files than it may (limit {entries}) and was stopped",
    "processes": "started more processes or threads than it may (limit {processes}) and was stopped",
}


def words_for(ending: Ending, limits: Limits) -> str:
    """Why code was stopped, to follow "this cell" or "your code"; empty when it was not."""
    return _STOPPED.get(ending, "").format(**limits.told.to_dict(), mib=limits.memory >> 20)


def error_of(outputs: Iterable[Any]) -> str:
    """The last error among a cell's outputs, in one line."""
    errors = [output for output in outputs if output.output_type == "error"]
    return f"{errors[-1].ename}: {errors[-1].evalue}" if errors else "no message"


def outputs_of(verdict: Verdict) -> list[Any]:
    """A test cell's outputs in the graded notebook; stock nbgrader reads the same score from them."""
    outputs = []
    if verdict.text:
        outputs.append(new_output("stream", name="stdout", text=verdict.text))
    outputs += [new_output("display_data", data={"image/png": figure}) for figure in verdict.figures]
    if verdict.detail and verdict.detail.strip() != verdict.message.strip():
        outputs.append(new_output("stream", name="stdout", text=f"[for the instructor]\n{verdict.detail}\n"))
    if verdict.status == "passed":
        said = [new_output("stream", name="stdout", text=f"{verdict.message}\n")] if verdict.message else []
        return [*outputs, *said]
    if verdict.status == "partial":
        return [
            *outputs,
            new_output("execute_result", data={"text/plain": f"{verdict.points:g}"}, execution_count=None),
        ]
    lines = [f"{verdict.status}: {verdict.message}", *([f"Probably: {verdict.mistake}"] if verdict.mistake else [])]
    return [*outputs, new_output("error", ename="TestFailed", evalue=verdict.message, traceback=lines)]
