"""Live coding in class: `%reveal NAME`, `%catch_up NAME` and votes, in a notebook without any server.

    %load_ext course_utils.live
    %live_code 03_qkv QlpoOTFBWSZTW...

`autograde build` puts this cell at the top of a live notebook. Its last word is the finished code of all cells, packed,
so that the notebook alone is enough: it may be renamed, copied, or opened where no program can read its file.
"""

from __future__ import annotations

import base64
import bz2
import html
import json
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from course_utils import shown
from course_utils.claims import ClaimFailed
from course_utils.votes import vote

__all__ = ["Code", "LiveError", "load_ipython_extension", "pack", "unpack", "vote"]

#: A line of a cell that asks for one of our commands.
COMMAND = re.compile(r"\s*%(?P<command>reveal|catch_up)\b[ \t]*(?P<name>[\w-]*)\s*$")
#: The first line of a cell in which a class writes code: `# live: NAME -> what, it, makes`.
MARK = re.compile(r"#\s*live:\s*(?P<name>[\w-]+)\s*(?:->.*)?$")


class LiveError(RuntimeError):
    """A command that cannot be done; the message says what to do instead."""

    def _render_traceback_(self) -> list[str]:
        return shown.failure(str(self))


@dataclass(frozen=True)
class Code:
    """One code cell of the complete notebook.

    `name` is that of a live cell, else empty; `may_fail`: it breaks something on purpose.
    """

    name: str
    source: str
    may_fail: bool = False


def pack(cells: Sequence[Code]) -> str:
    """The code of a notebook as one word of letters, digits, `-`, `_` and `=`; the same bytes on every machine."""
    text = json.dumps([[cell.name, cell.source, cell.may_fail] for cell in cells], ensure_ascii=False)
    return base64.urlsafe_b64encode(bz2.compress(text.encode())).decode()


def unpack(packed: str) -> list[Code]:
    """The code that `pack` packed.

    Raises:
        LiveError: this is not, or not all, of what `autograde build` wrote.
    """
    try:
        cells = json.loads(bz2.decompress(base64.urlsafe_b64decode(packed)))
        return [Code(str(name), str(source), bool(may_fail)) for name, source, may_fail in cells]
    except (ValueError, TypeError, OSError, EOFError):
        raise LiveError("The long word after %live_code is damaged. Copy this cell from a fresh notebook.") from None


class Lesson:
    """The finished code of one lesson, and the two commands that use it."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._cells: list[Code] = []

    def live_code(self, line: str) -> None:
        """`%live_code LESSON PACKED`: what the build wrote at the top of a live notebook."""
        lesson, _, packed = line.strip().partition(" ")
        self._cells = unpack(packed.strip())
        names = [cell.name for cell in self._cells if cell.name]
        print(f"Ready: {lesson}. Live cells: {', '.join(names)}.")

    def reveal(self, line: str) -> None:
        """`%reveal NAME`: put the finished code into a new cell below this one."""
        source = self._cells[self._place("reveal", line)].source
        self._shell.set_next_input(source, replace=False)
        code = html.escape(source, quote=False)
        where = f"Our code for {line.strip()} is in a new cell below. Run it."
        # not every program makes cells when a kernel asks for one
        details = f"<details><summary>{where} (No new cell? Open this.)</summary><pre>{code}</pre></details>"
        _display({"text/plain": f"{where}\n\n{source}", "text/html": details})

    def catch_up(self, line: str) -> None:
        """`%catch_up NAME`: run the finished code of all cells up to this one, without their outputs."""
        last = self._place("catch_up", line)
        start = time.perf_counter()
        for place, cell in enumerate(self._cells[: last + 1]):
            self._run(cell, place, last + 1)
        seconds = time.perf_counter() - start
        print(f"✓ Caught up: {last + 1} cells, up to and including {line.strip()}, in {seconds:.0f} s. Go on below it.")

    def _run(self, cell: Code, place: int, cells: int) -> None:
        from IPython.utils.capture import capture_output

        with capture_output(), self._quiet():  # twenty old figures help nobody
            result = self._shell.run_cell(cell.source, store_history=False, silent=True)
        # a claim that does not hold is bad news, but nothing that a later cell would miss
        if not result.success and not cell.may_fail and not isinstance(result.error_in_exec, ClaimFailed):
            what = f"the cell {cell.name}" if cell.name else f"this cell: {cell.source.strip().splitlines()[0]}"
            error = result.error_in_exec or result.error_before_exec
            advice = "Restart the kernel, run the first cell, and try again."
            why = f"%catch_up stopped at cell {place + 1} of {cells}, {what}"
            raise LiveError(f"{why}\n{type(error).__name__}: {error}\n{advice}") from None

    @contextmanager
    def _quiet(self) -> Iterator[None]:
        """Without the traceback that a failing cell would show."""
        self._shell._showtraceback = lambda *_: None
        try:
            yield
        finally:
            del self._shell._showtraceback

    def _place(self, command: str, line: str) -> int:
        """Where the cell with this name stands."""
        names = [cell.name for cell in self._cells if cell.name]
        if not self._cells:
            raise LiveError("Run the first code cell of this notebook first: it brings the code.")
        if line.strip() not in names:
            asked = f"There is no live cell {line.strip()}" if line.strip() else f"%{command} needs the name of a cell"
            raise LiveError(f"{asked}. Write %{command} and one of: {', '.join(names)}.")
        return next(place for place, cell in enumerate(self._cells) if cell.name == line.strip())


def only_command(lines: list[str]) -> list[str]:
    """Of a cell that asks for %reveal or %catch_up keep nothing else: what stands beside it may be half-finished.

    The name may be missing in a live cell, which begins with its name.
    """
    asked = next((found for found in map(COMMAND.match, lines) if found), None)
    if asked is None:
        return lines
    marked = next((found["name"] for found in map(MARK.match, lines) if found), "")
    return [f"%{asked['command']} {asked['name'] or marked}\n"]


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext course_utils.live`."""
    lesson = Lesson(shell)
    for function in (lesson.live_code, lesson.reveal, lesson.catch_up):
        shell.register_magic_function(function, "line", function.__name__)
    if only_command not in shell.input_transformers_cleanup:
        shell.input_transformers_cleanup.append(only_command)


def _display(bundle: dict[str, str]) -> None:
    from IPython.display import display

    display(bundle, raw=True)
