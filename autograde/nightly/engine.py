"""A papermill engine that believes nothing: it fails wherever a notebook did not do all that it says.

    papermill --engine course --kernel course-sandbox in.ipynb out.ipynb

papermill's own engine calls a notebook done after `sys.exit(0)`, after `!command` failed, and when a cell was skipped.
This one does not. What it saw stands in the executed notebook's metadata, under `papermill.course`.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any

import nbformat
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbconvert.filters import strip_ansi
from papermill.clientwrap import PapermillNotebookClient
from papermill.engines import Engine, NotebookExecutionManager, papermill_engines
from papermill.log import logger

from autograde.claims import ADDED
from autograde.errors import CourseError
from autograde.live import BREAKS, has_tag
from autograde.nightly import inside
from autograde.nightly.seen import NAME, Fault, Run
from autograde.nightly.watch import MIB, Watch
from autograde.sandbox.provisioner import SandboxOptions
from course_utils.claims import ClaimFailed

#: The kernel behind the wall.
KERNEL = "course-sandbox"
#: What the kernel is told, read once: who edits it while notebooks run shall not tell them half of it.
INSIDE = Path(inside.__file__).read_text(encoding="utf-8")
#: Seconds of wall time after which a notebook is stopped, and seconds between two saves of it.
PATIENCE, SAVE = 3600.0, 30.0


class NotebookFailed(CourseError):
    """A notebook did not do all that it says; the message names the first cell."""


class _Manager(NotebookExecutionManager):
    """Saves now and then and at the end; twice a cell would take longer than many cells do."""

    def save(self, **more: Any) -> None:
        if self.end_time is not None or (self.now() - self.last_save_time).total_seconds() > SAVE:
            super().save(**more)


class CourseEngine(Engine):
    """Executes a notebook in a kernel of any name; one called `course-sandbox` is isolated."""

    @classmethod
    def execute_notebook(
        cls, nb: Any, kernel_name: str, output_path: str | None = None, log_output: bool = False, **more: Any
    ) -> Any:
        """As papermill's engines do; also with `sandbox` (`SandboxOptions`), `patience` (seconds), `environment`.

        Raises:
            NotebookFailed: a cell failed, did not run, or a widget of it fails; the notebook is written all the same.
        """
        manager = _Manager(nb, output_path=output_path, progress_bar=more.pop("progress_bar", True))
        manager.notebook_start()
        try:
            cls.execute_managed_notebook(manager, kernel_name, log_output=log_output, **more)
        finally:
            manager.cleanup_pbar()
            manager.notebook_complete()
        return manager.nb

    @classmethod
    def execute_managed_notebook(cls, nb_man: Any, kernel_name: str, **more: Any) -> None:
        options = {"sandbox": more.get("sandbox") or SandboxOptions()} if kernel_name == KERNEL else {}
        client = _Client(
            nb_man,
            kernel_name=kernel_name,
            startup_timeout=more.get("start_timeout", 60),
            iopub_timeout=60,  # a busy machine is late, and loses nothing
            log=logger,
            log_output=more.get("log_output", False),
            store_widget_state=False,
        )
        client.environment = dict(more.get("environment") or {})
        client.patience = float(more.get("patience") or more.get("execution_timeout") or PATIENCE)
        try:
            client.execute(**options)
        finally:
            nb_man.nb.metadata.papermill[NAME] = nbformat.from_dict(asdict(client.run))
        if faults := [*client.run.faults, *client.run.widgets]:
            raise NotebookFailed(f"cell {faults[0].cell}: {faults[0].what}")


class _Client(PapermillNotebookClient):
    """Runs the cells one after another, up to the first that fails, and looks around after each.

    A claim that does not hold ends nothing: a night should tell of all of them.
    """

    patience = PATIENCE
    environment: Mapping[str, str] = MappingProxyType({})

    def execute(self, **options: Any) -> Any:
        self.run = Run()
        self.reset_execution_trackers()
        with contextlib.ExitStack() as after, self.setup_kernel(**options):
            # a kernel that ended by itself is not shut down, and its pipe would stay open
            if (pipe := self.km.provisioner.process.stdin) is not None:
                after.callback(pipe.close)
            self._deadline = time.monotonic() + self.patience
            self.timeout_func = lambda _: max(1, round(self._deadline - time.monotonic()))
            with Watch(self.km.provisioner.pid, supervisor=bool(options)) as watch:
                self._say("prepare")
                self._all(watch)
            self.run.memory = watch.peak / MIB
        return self.nb

    def _all(self, watch: Watch) -> None:
        number, stopped = 0, False
        for index, cell in enumerate(self.nb.cells):
            number += not ADDED & set(cell.metadata.get("tags", []))
            if cell.cell_type != "code" or not cell.source.strip():
                continue
            if stopped:
                self.run.not_run.append(number)
                continue
            self.nb_man.cell_start(cell, index)
            before = watch.used()
            faults = list(self._one(cell, index, number))
            # a kernel that died takes its figures along
            self.run.cells[number] = max(0.0, watch.used() - before)
            self.run.faults += faults
            if faults:
                self.nb_man.cell_exception(cell, cell_index=index)
            stopped = not all(fault.claim for fault in faults)
            if not stopped:
                found = self._say("look", number)
                stopped = found is None or self._take(found, cell, number)
            self.nb_man.cell_complete(cell, cell_index=index)

    def _one(self, cell: Any, index: int, number: int) -> Iterator[Fault]:
        """Run a cell; yields what is wrong with how that went."""
        try:
            self.execute_cell(cell, index)
        except CellTimeoutError:
            what = f"this notebook was stopped in this cell: it had run for {self.patience:.0f} s"
            yield Fault(what, number, cell.source)
        except DeadKernelError:
            yield Fault(f"the kernel ended in this cell{self._why()}", number, cell.source)
        except CellExecutionError as error:
            said = f"{error.ename}: {error.evalue}".strip()
            more = _traceback(cell) or strip_ansi(str(error))
            yield Fault(said.split("\n")[0], number, cell.source, more, error.ename == ClaimFailed.__name__)
        else:
            if cell.execution_count is None:
                yield Fault("this code cell did not run", number, cell.source)
            elif has_tag(cell, BREAKS) and not _traceback(cell):
                what = f"this cell is declared to fail (tag {BREAKS}), and it did not"
                yield Fault(what, number, cell.source)
            elif has_tag(cell, BREAKS):
                cell.outputs = [_as_text(output) for output in cell.outputs]

    def _take(self, found: dict[str, Any], cell: Any, number: int) -> bool:
        """Keep what a look found; returns whether that ends the run."""
        self.run.pictures, self.run.slept = found["pictures"], found["slept"]
        for each in found["failed"]:
            values = ", ".join(f"{name}={value!r}" for name, value in each["values"].items())
            what = f"the still picture fails {each['where']} ({values}): {each['error']}"
            self.run.widgets.append(Fault(what, number, cell.source, each["traceback"]))
        if found["exit_status"] and not has_tag(cell, BREAKS):
            what = f"a !command of this cell ended with exit status {found['exit_status']}"
            self.run.faults.append(Fault(what, number, cell.source, _printed(cell)))
            return True
        return False

    def _say(self, function: str, number: int = 0) -> dict[str, Any] | None:
        """Call a function of `inside` in the kernel, unseen by the notebook; returns what it prints."""
        module = f"__import__('sys').modules.get({inside.__name__!r})"
        if function == "prepare":
            made = f"__import__('types').ModuleType({inside.__name__!r})"
            begin = f"__import__('sys').modules.__setitem__({inside.__name__!r}, {made}); "
            begin, more = begin + f"exec({INSIDE!r}, {module}.__dict__); ", f", {dict(self.environment)!r}"
        else:
            begin = more = ""
        cell = nbformat.v4.new_code_cell(f"{begin}{module}.{function}(get_ipython(){more})")
        self.nb.cells.append(cell)
        try:
            self.execute_cell(cell, len(self.nb.cells) - 1, store_history=False)
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            what = f"nothing answers after this cell: {type(error).__name__}{self._why()}"
            self.run.faults.append(Fault(what, number, "", strip_ansi(str(error))))
            return None
        finally:
            self.nb.cells.pop()
        lines = [line for line in _printed(cell).split("\n") if line.startswith(inside.MARK)]
        if lines:
            return dict(json.loads(lines[-1].removeprefix(inside.MARK)))
        if number:
            self.run.faults.append(Fault("after this cell nothing that is printed arrives", number, ""))
        return None

    def _why(self) -> str:
        """Which limit of the sandbox a kernel was ended for."""
        over = getattr(self.km.provisioner, "over_limit", None)
        return f": over its limit of {over}" if over else ""


def _traceback(cell: Any) -> str:
    texts = ["\n".join(output.traceback) for output in cell.outputs if output.output_type == "error"]
    return strip_ansi(texts[-1]) if texts else ""


def _as_text(output: Any) -> Any:
    """A declared failure as what it prints: papermill takes every error in a notebook for its end."""
    if output.output_type != "error":
        return output
    return nbformat.v4.new_output("stream", name="stderr", text="\n".join(output.traceback) + "\n")


def _printed(cell: Any) -> str:
    return "".join(output.text for output in cell.outputs if output.output_type == "stream")


def register() -> None:
    """Make papermill know the engine, also where the package was installed before it had an entry point."""
    papermill_engines.register(NAME, CourseEngine)
