"""nbgrader's side of the grader: its gradebook, its converters, its formgrader, with our execution inside."""

import os
import sys
from pathlib import Path
from typing import Any


def find_commands() -> None:
    """Put this environment's commands on PATH: nbgrader starts `alembic` by name, and dies where that is not found."""
    folder = str(Path(sys.prefix) / "bin")
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    if folder not in entries:
        os.environ["PATH"] = os.pathsep.join([folder, *entries])


def show_courses_as_configured() -> None:
    """Inside a formgrader: let it show every course with that course's own configuration.

    nbgrader makes its exporter once, when JupyterLab starts. Where that was in a folder above the course, pages would
    be shown without our cleaning, and what students wrote would run.
    """
    base = sys.modules.get("nbgrader.server_extensions.formgrader.base")
    if base is not None:
        base.BaseHandler.exporter = property(_exporter)


def _exporter(handler: Any) -> Any:
    from nbconvert.exporters import HTMLExporter

    return HTMLExporter(config=handler.settings["nbgrader_formgrader"].config)


def read_times_as_a_students() -> None:
    """Inside nbgrader: see `autograde.gradebook.times`. Our own commands ask for it where they use nbgrader: to import
    it takes a second, and most of them do not."""
    if "nbgrader" in sys.modules:
        from autograde.gradebook.times import read_as_a_students

        read_as_a_students()


find_commands()
read_times_as_a_students()
show_courses_as_configured()
