"""The exporter of `nbgrader generate_assignment` and the formgrader's button: they give what `autograde build` gives.

nbgrader alone would write the lesson into the gradebook as it generates it. Where submissions are graded already it
refuses a changed exercise, and then deletes the release.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter


class ReleaseExporter(NotebookExporter):
    """Builds the lesson when it is made, which is before nbgrader removes anything; a refusal leaves all as it was."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._built: dict[str, str] = {}
        coursedir = getattr(self.parent, "coursedir", None)
        if coursedir is None:
            return
        from autograde.build import build

        root, lesson = Path(coursedir.root), coursedir.assignment_id
        build(root, lesson)
        self._built = {path.name: path.read_text("utf-8") for path in (root / "release" / lesson).glob("*.ipynb")}

    def from_filename(self, filename: str, resources: Any = None, **_: Any) -> tuple[str, Any]:
        """The release as it was built, whatever nbgrader has read."""
        return self._built[Path(filename).name], {**(resources or {}), "output_extension": ".ipynb"}
