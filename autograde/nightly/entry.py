"""What papermill finds under its entry point: the engine, imported when a notebook is executed.

Not the engine itself: importing that imports papermill, which loads its entry points at once, and so the engine again
before there is one.
"""

from __future__ import annotations

from typing import Any


class Engine:
    """Stands for `autograde.nightly.engine.CourseEngine`; has what papermill asks of an engine."""

    @classmethod
    def execute_notebook(cls, *args: Any, **more: Any) -> Any:
        return _engine().execute_notebook(*args, **more)

    @classmethod
    def nb_kernel_name(cls, *args: Any, **more: Any) -> Any:
        return _engine().nb_kernel_name(*args, **more)

    @classmethod
    def nb_language(cls, *args: Any, **more: Any) -> Any:
        return _engine().nb_language(*args, **more)


def _engine() -> Any:
    from autograde.nightly.engine import CourseEngine

    return CourseEngine
