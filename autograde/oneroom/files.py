"""The folder in which a notebook runs: the files handed in beside it, and those of the source folder over them."""

from __future__ import annotations

import base64
from collections.abc import Mapping

from autograde.errors import CourseError
from autograde.oneroom.pack import pack
from autograde.run.kernel import StudentKernel

#: Bytes sent in one message.
PIECE = 4 * 2**20
#: Seconds for one of these steps.
PATIENCE = 60.0

_WRITE = """
import base64
with open(".files.tar", "ab") as archive:
    archive.write(base64.b64decode(piece))
"""

# What a student handed in comes last on the path: a torch.py beside the notebook shadows nothing. The instructor's own
# modules come first, as they do in nbgrader; they are links, so that a module finds the files beside it.
_FURNISH = """
import os, sys, tarfile, tempfile
if os.path.exists(".files.tar"):
    with tarfile.open(".files.tar") as archive:
        archive.extractall(".", filter="data")
    os.remove(".files.tar")
sys.path[:] = [entry for entry in sys.path if entry not in ("", os.getcwd())]
sys.path.append("")
if first:
    sys.path.insert(0, tempfile.mkdtemp(prefix="course-"))
for name in first:
    os.symlink(os.path.abspath(name), os.path.join(sys.path[0], name))
"""


class Folder:
    """The student's `own` files, and those of the `source` folder, which win where both have one."""

    def __init__(self, own: Mapping[str, bytes], source: Mapping[str, bytes]) -> None:
        files = {**{name: data for name, data in own.items() if not _in_the_way(name, source)}, **source}
        self._packed = pack(files) if files else b""
        tops = {name.partition("/")[0] for name in source}
        self._first = sorted(tops) if any(name.endswith(".py") for name in source) else []

    async def furnish(self, kernel: StudentKernel) -> None:
        """Put the files where a fresh kernel works, before it runs anything else. Leaves no name in its namespace.

        Raises:
            CourseError: there is no room for them.
        """
        steps = [
            (_WRITE, {"piece": base64.b64encode(self._packed[at : at + PIECE]).decode()})
            for at in range(0, len(self._packed), PIECE)
        ]
        for code, names in [*steps, (_FURNISH, {"first": self._first})]:
            outputs: list[object] = []
            ran = await kernel.execute(f"exec({code!r}, {names!r})", PATIENCE, outputs, silent=True, reply=True)
            if ran.ending != "done":
                said = "; ".join(getattr(output, "evalue", "") for output in outputs)
                raise CourseError(f"The files beside the notebook do not fit into the sandbox: {said or ran.ending}.")


def _in_the_way(name: str, source: Mapping[str, bytes]) -> bool:
    """Whether a student's file stands where the source folder has a folder, or the other way round."""
    return any(other.startswith(f"{name}/") or name.startswith(f"{other}/") for other in source)
