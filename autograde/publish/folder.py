"""The folder on disk: whether it is ours to write, what of it is ours, and how it becomes what is to be published."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from autograde import files
from autograde.errors import CourseError

#: Says that a folder was published; holds the path of each file of ours with the SHA-256 of what we wrote.
MARKER = ".made-by-autograde-publish"
STAGING = ".autograde-publish-new"

#: For each file of ours what it may hold: the new content, and the old one too while a publish is under way.
Ours = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Written:
    """What became of the files of a published folder; `kept` are no longer published, but somebody changed them."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    kept: tuple[str, ...]
    total: int


def examine(into: Path, root: Path) -> Ours:
    """The files of ours that are still in the folder `into`, which may be missing or empty.

    Raises:
        CourseError: it is a link, lies in the course folder or around it, or holds something that we did not publish.
    """
    where = into.resolve()
    if into.is_symlink():
        raise CourseError(f"{into} is a link. Name the folder itself: publish follows no link.")
    if where.is_relative_to(root) or root.is_relative_to(where):
        raise CourseError(f"{into} lies in the course folder {root}, or around it. Name a folder elsewhere.")
    if into.exists() and not into.is_dir():
        raise CourseError(f"{into} is no folder. Name another one.")
    inside = {path.name for path in into.iterdir()} if into.exists() else set()
    if not inside - {".git"}:
        return {}
    if MARKER not in inside:
        raise CourseError(
            f"{into} holds something that was not published from here ({MARKER} is missing), so it stays as it is. "
            "Name a new or an empty folder."
        )
    ours = _read_marker(into / MARKER)
    return {path: known for path, known in ours.items() if (into / path).is_file()}


def _read_marker(path: Path) -> Ours:
    """What the last publish wrote. Somebody may have edited it: no path may lead out of the folder."""
    try:
        if path.is_symlink():
            raise ValueError("it is a link")
        known = {name: frozenset(hashes) for name, hashes in json.loads(path.read_bytes())["files"].items()}
        for name in known:
            parts = PurePosixPath(name).parts
            if not parts or PurePosixPath(name).is_absolute() or ".." in parts:
                raise ValueError(f"it names {name}")
    except (ValueError, KeyError, TypeError, AttributeError, OSError) as error:
        raise CourseError(f"{path} cannot be read ({error}). Publish into a new folder.") from error
    return known


def write(into: Path, contents: Mapping[str, bytes], before: Ours) -> Written:
    """Let the folder hold these files and none of ours besides.

    All that is new is written beside the old first (a full disk leaves everything as it was), then moved into place.

    Raises:
        CourseError: a file that somebody else wrote or changed is in the way, or a link.
    """
    fresh = {name: _hash(data) for name, data in contents.items()}
    _refuse_links(into, [*fresh, *before])
    there = {name: _hash((into / name).read_bytes()) for name in fresh.keys() | before if (into / name).is_file()}
    foreign = sorted(
        name for name in fresh if _is_in_the_way(into / name, there.get(name), fresh[name], before.get(name))
    )
    if foreign:
        why = f"Somebody wrote or changed these files in {into}, and publishing would replace them:"
        raise CourseError("\n".join([why, *foreign, "Nothing was changed. Move them away, or publish elsewhere."]))
    new = [name for name in fresh if there.get(name) != fresh[name]]
    gone = [name for name in before if name not in fresh]
    removed = [name for name in gone if there[name] in before[name]]
    into.mkdir(parents=True, exist_ok=True)
    staging = into / STAGING
    shutil.rmtree(staging, ignore_errors=True)
    try:
        staging.mkdir()
        for name in new:
            files.write(staging / name, contents[name])
        # Should this be cut short, the next publish knows old and new files for ours.
        _write_marker(into, before, fresh)
        for name in new:
            (into / name).parent.mkdir(parents=True, exist_ok=True)
            os.replace(staging / name, into / name)
        for name in removed:
            _remove(into, name)
        _write_marker(into, {}, fresh)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    added = tuple(sorted(name for name in new if name not in there))
    changed = tuple(sorted(name for name in new if name in there))
    kept = tuple(sorted(set(gone) - set(removed)))
    return Written(added, changed, tuple(sorted(removed)), kept, len(fresh))


def _is_in_the_way(path: Path, there: str | None, fresh: str, ours: frozenset[str] | None) -> bool:
    if there is None:
        return path.exists() or any(parent.is_file() for parent in path.parents)
    return there != fresh and there not in (ours or ())


def _refuse_links(into: Path, names: list[str]) -> None:
    for name in sorted(set(names) | {STAGING}):
        path = into / name
        for part in (path, *path.parents):
            if part == into:
                break
            if part.is_symlink():
                raise CourseError(f"{part} is a link. Delete it: publish writes through no link. Nothing was changed.")


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _write_marker(into: Path, before: Ours, fresh: Mapping[str, str]) -> None:
    listed = {name: sorted(hashes) for name, hashes in before.items()}
    for name, new in fresh.items():
        listed[name] = sorted({*listed.get(name, ()), new})
    text = json.dumps({"files": listed}, indent=1, sort_keys=True) + "\n"
    files.write(into / STAGING / MARKER, text)
    os.replace(into / STAGING / MARKER, into / MARKER)


def _remove(into: Path, name: str) -> None:
    """Delete a file of ours, and the folders that are empty without it."""
    path = into / name
    path.unlink()
    for parent in path.parents:
        if parent == into or any(parent.iterdir()):
            break
        parent.rmdir()
