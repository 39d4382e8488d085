"""nbgrader's side of the grader: its gradebook, its converters, its formgrader, with our execution inside."""

import os
import sys
from pathlib import Path


def find_commands() -> None:
    """Put this environment's commands on PATH: nbgrader starts `alembic` by name, and dies where that is not found."""
    folder = str(Path(sys.prefix) / "bin")
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    if folder not in entries:
        os.environ["PATH"] = os.pathsep.join([folder, *entries])


find_commands()
