"""One student kernel: runs cells with a deadline, keeps what they print within bounds, survives what they do to it."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from dataclasses import dataclass, replace
from queue import Empty
from typing import Any, Literal

import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionComplete
from nbformat.validator import NotebookValidationError
from zmq.error import Again

from autograde import leftovers
from autograde.errors import SandboxUnavailable
from autograde.limits import Limits
from autograde.sandbox import bwrap
from autograde.sandbox.provisioner import SandboxOptions, SandboxProvisioner

#: Seconds that an interrupted cell has to stop before its kernel is ended.
MERCY = 2.0
#: Seconds to wait for the reply of a cell that has ended.
REPLY = 5.0
#: Characters of an error or a value that is kept beyond the limit on output.
LAST = 100_000

Ending = Literal["done", "error", "timeout", "dead", "memory", "processes", "files"]


@dataclass(frozen=True)
class Ran:
    """How a cell ended, and whether its kernel still lives. `endings` beyond `timeout` mean that it does not."""

    ending: Ending
    alive: bool


class StudentKernel:
    """A kernel in a sandbox, or beside us when `sandboxed` is False (for a class that is trusted)."""

    def __init__(self, options: SandboxOptions, *, sandboxed: bool = True) -> None:
        self._options, self._sandboxed = options, sandboxed
        self._manager: Any = None
        self._client: Any = None
        self._processor: Any = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    @property
    def warm(self) -> bool:
        """Whether it was forked from a warm server."""
        provisioner = getattr(self._manager, "provisioner", None)
        return isinstance(provisioner, SandboxProvisioner) and provisioner.warm

    @property
    def limits(self) -> Limits:
        return self._options.limits

    async def start(self) -> None:
        """Launch and wait until the kernel answers; cold where a warm start does not work, which takes longer.

        Raises:
            SandboxUnavailable: it does not start; the message holds its last words.
        """
        if self._options.warm is not None:
            try:
                await self._start(self._options)
            except SandboxUnavailable:
                pass
            else:
                return
        await self._start(replace(self._options, warm=None))

    async def _start(self, options: SandboxOptions) -> None:
        name = "course-sandbox" if self._sandboxed else "python3"
        self._manager = AsyncKernelManager(kernel_name=name)
        self._manager.context.maxmsgsize = self.limits.message
        self._manager.context.rcvhwm = 64
        self._manager.context.sndtimeo = (
            1000  # a kernel whose lines are broken takes no message, and must not hold us up
        )
        more: dict[str, Any] = {"sandbox": options} if self._sandboxed else self._in_the_open()
        await self._manager.start_kernel(**more)
        self._client = self._manager.client()
        self._client.start_channels(hb=False)  # our kernel has none: whether it lives is known from its process
        try:
            await self._client.wait_for_ready(timeout=self.limits.start)
        except RuntimeError as error:
            words = getattr(self._manager.provisioner, "last_words", "")
            await self.kill()
            raise SandboxUnavailable(f"The student's kernel does not start: {error}. It said: {words}") from error
        self._processor = NotebookClient(nbformat.v4.new_notebook(), km=self._manager, record_timing=False)
        self._processor.reset_execution_trackers()
        self._processor.clear_before_next_output = False

    def _in_the_open(self) -> dict[str, Any]:
        self._folder = tempfile.TemporaryDirectory(prefix=leftovers.prefix("open"))
        paths = [str(bwrap.INSIDE), *filter(None, [os.environ.get("PYTHONPATH")])]
        return {"cwd": self._folder.name, "env": {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}}

    @property
    def judge_socket(self) -> str:
        """Where the agent inside finds the judge."""
        return bwrap.JUDGE_SOCKET if self._sandboxed else str(self._options.judge_socket)

    async def execute(
        self, source: str, seconds: float, outputs: list[Any], *, silent: bool = False, reply: bool = False
    ) -> Ran:
        """Run `source`, append its outputs to `outputs`; returns however the code behaves.

        Args:
            reply: also believe the kernel's reply. It says that a cell failed where the traceback was silenced.
        """
        cell = nbformat.v4.new_code_cell(source)
        message = self._client.execute(
            source, silent=silent, store_history=not silent, allow_stdin=False, stop_on_error=False
        )
        ending = await self._follow(message, cell, time.monotonic() + seconds)
        if ending == "timeout":
            ending = await self._interrupt(message, cell)
        if reply and ending in ("done", "error"):
            ending = await self._replied(message, cell)
        outputs += _valid(cell.outputs)
        alive = ending in ("done", "error") or (ending == "timeout" and await self._answers())
        if ending == "dead":
            ending = self._why_dead()
        return Ran("timeout" if ending == "hung" else ending, alive and ending != "hung")  # type: ignore[arg-type]

    async def _follow(self, message: str, cell: Any, deadline: float) -> str:
        """Collect outputs until the kernel is idle again, dead, or late."""
        room = self.limits.output
        decided = False
        while (left := deadline - time.monotonic()) > 0:
            try:
                news = await self._client.get_iopub_msg(timeout=min(left, 0.5))
            except Empty:
                if not await self._manager.is_alive():
                    return "dead"
                continue
            except Exception:  # a message that cannot be read is one that the student's code forged
                continue
            if news.get("parent_header", {}).get("msg_id") != message:
                continue
            is_status = news.get("msg_type") == "status"
            size = 0 if is_status else len(str(news.get("content", "")))
            if not is_status and room >= 0 > room - size:
                cell.outputs.append(
                    _notice(f"[more than {self.limits.output:,} bytes of output: the rest is left out]\n")
                )
            room -= size
            # How a cell ended is kept after any flood of text: in one room it decides.
            decides = news.get("msg_type") in ("error", "execute_result") and size < LAST and not decided
            decided = decided or decides
            if room < 0 and not is_status and not decides:
                continue
            try:
                self._processor.process_message(news, cell, 0)
            except CellExecutionComplete:
                return "error" if any(output.output_type == "error" for output in cell.outputs) else "done"
            except Exception:  # the same: nothing that our own kernel sends
                cell.outputs.append(_notice("[an output that cannot be read is left out]\n"))
        return "timeout"

    async def _replied(self, message: str, cell: Any) -> str:
        """Put in the error that the reply names, if the outputs do not; how the cell ended."""
        deadline = time.monotonic() + REPLY
        said: dict[str, Any] = {"status": "error", "ename": "NoReply", "evalue": "the kernel gave no reply"}
        while (left := deadline - time.monotonic()) > 0:
            try:
                news = await self._client.get_shell_msg(timeout=left)
            except Exception:  # none came, or one that cannot be read
                continue
            if news.get("parent_header", {}).get("msg_id") == message:
                said = news.get("content", said)
                break
        errors = [output.ename for output in cell.outputs if output.output_type == "error"]
        if said.get("status") == "error" and said.get("ename") not in errors:
            lines = said.get("traceback") or ["An error whose traceback was not shown."]
            name, value = str(said.get("ename")), str(said.get("evalue"))
            cell.outputs.append(nbformat.v4.new_output("error", ename=name, evalue=value, traceback=lines))
            return "error"
        return "error" if errors else "done"

    async def interrupt(self) -> None:
        """Ask the running cell to stop, as the stop button does."""
        with contextlib.suppress(Again):
            await self._manager.interrupt_kernel()

    async def _interrupt(self, message: str, cell: Any) -> str:
        await self.interrupt()
        ending = await self._follow(message, cell, time.monotonic() + MERCY)
        return ending if ending == "dead" else ("hung" if ending == "timeout" else "timeout")

    async def _answers(self) -> bool:
        return bool(await self._manager.is_alive())

    def _why_dead(self) -> str:
        provisioner = self._manager.provisioner
        return (provisioner.over_limit if isinstance(provisioner, SandboxProvisioner) else None) or "dead"

    async def kill(self) -> None:
        """End the kernel and everything it started."""
        if self._client is not None:
            self._client.stop_channels()
        if self._manager is not None:
            # Not `shutdown_kernel`: it sends an interrupt first, and this kernel may not be one that can be talked to.
            if self._manager.has_kernel:
                await self._manager.provisioner.kill()
                await self._manager.provisioner.wait()
                await self._manager.cleanup_resources()
            self._manager.context.destroy(linger=0)
        if self._folder is not None:
            self._folder.cleanup()
        self._client = self._manager = self._folder = None


def _notice(text: str) -> Any:
    return nbformat.v4.new_output("stream", name="stderr", text=text)


def _valid(outputs: list[Any]) -> list[Any]:
    """Only outputs that a notebook may hold; the kernel can send anything."""
    valid = []
    for output in outputs:
        try:
            nbformat.validate(output, ref="output", version=4, version_minor=5)
        except (NotebookValidationError, AttributeError, TypeError):
            output = _notice("[an output that no notebook can hold is left out]\n")
        valid.append(output)
    return valid
