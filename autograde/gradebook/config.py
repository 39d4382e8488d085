"""A course's `nbgrader_config.py`."""

from __future__ import annotations

from pathlib import Path

from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from autograde.errors import CourseError


def load_config(root: Path) -> Config:
    """The course's `nbgrader_config.py`.

    Raises:
        CourseError: it is missing.
    """
    path = root / "nbgrader_config.py"
    if not path.is_file():
        raise CourseError(f"{path} does not exist. Run this command in the course folder, or name it with --root.")
    config: Config = PyFileConfigLoader(path.name, path=str(root)).load_config()
    return config
