"""Makes the folder that students get: notebooks, `course_utils` with a package file, an environment file, a README."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from autograde.build import check_built
from autograde.errors import CourseError
from autograde.publish import folder
from autograde.publish.contents import SOLUTIONS, collect, lessons
from autograde.publish.search import find_unwanted

__all__ = ["Published", "publish"]


@dataclass(frozen=True)
class Published:
    """What a publish did to the folder, and the lessons whose solutions are in it now."""

    done: folder.Written
    solutions: tuple[str, ...]


def publish(root: Path, into: Path, solutions: Iterable[str] = ()) -> Published:
    """Let `into` be what students of the course `root` get today, with the solutions of these lessons added.

    Solutions that were published there before stay. Everything is made and searched in memory first, so that a refusal
    leaves the folder as it was. Files that somebody else put there stay.

    Args:
        root: the course folder.
        into: a new or empty folder, or one that was published before.
        solutions: lessons whose solutions are to be added; their deadline has passed.

    Raises:
        CourseError: `into` is not ours to write, a lesson is unknown, a notebook is stale, or something that students
            must not get would be published; the message says where.
    """
    root = root.resolve()
    before = folder.examine(into, root)
    known = lessons(root)
    wanted = set(solutions)
    for lesson in sorted(wanted - set(known)):
        raise CourseError(f"There is no lesson {lesson}. The lessons of {root} are: {', '.join(known) or 'none'}.")
    wanted |= {lesson for lesson in known if f"{SOLUTIONS}/{lesson}.ipynb" in before}
    if stale := check_built(root):
        raise CourseError("\n".join(["Nothing was published, because the build is stale.", *stale]))
    contents = collect(root, sorted(wanted))
    if unwanted := find_unwanted(root, contents, wanted):
        raise CourseError("\n".join(["Nothing was published, because students would get this:", *unwanted]))
    return Published(folder.write(into, contents, before), tuple(sorted(wanted)))
