"""What lies in `submitted/STUDENT/LESSON`: each function fills an empty folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Folder:
    """A way to hand in a folder: how it is filled, whether a notebook is found, and the note, if any, that says so."""

    name: str
    fill: Callable[[Path, str, bytes], None]
    found: bool
    note: str


FOLDERS: dict[str, Folder] = {}


def folder(found: bool, note: str) -> Callable[[Callable[[Path, str, bytes], None]], Folder]:
    """Register a way to fill a folder from its path, the lesson's name and the bytes of a notebook."""

    def register(fill: Callable[[Path, str, bytes], None]) -> Folder:
        FOLDERS[fill.__name__] = Folder(fill.__name__, fill, found, note)
        return FOLDERS[fill.__name__]

    return register


@folder(False, "nothing-submitted")
def nothing_in_it(path: Path, lesson: str, raw: bytes) -> None:
    pass


@folder(False, "nothing-submitted")
def only_other_files(path: Path, lesson: str, raw: bytes) -> None:
    (path / "notes.txt").write_text("my notes")
    (path / "data.json").write_text('{"cells": [1, 2]}')
    (path / "solution.py").write_text("def attention(): ...")


@folder(True, "other-name")
def numbered_copy(path: Path, lesson: str, raw: bytes) -> None:
    (path / f"{lesson} (1).ipynb").write_bytes(raw)


@folder(True, "other-name")
def name_with_spaces(path: Path, lesson: str, raw: bytes) -> None:
    (path / "my home work final FINAL.ipynb").write_bytes(raw)


@folder(True, "other-name")
def name_with_accents(path: Path, lesson: str, raw: bytes) -> None:
    (path / "Übung_élève 作业.ipynb").write_bytes(raw)


@folder(True, "other-name")
def name_in_capitals(path: Path, lesson: str, raw: bytes) -> None:
    (path / f"{lesson.upper()}.IPYNB").write_bytes(raw)


@folder(True, "other-name")
def name_with_json_behind(path: Path, lesson: str, raw: bytes) -> None:
    (path / f"{lesson}.ipynb.json").write_bytes(raw)


@folder(True, "other-name")
def name_without_ending(path: Path, lesson: str, raw: bytes) -> None:
    (path / f"{lesson}.txt").write_bytes(raw)


@folder(True, "other-name")
def name_of_bytes(path: Path, lesson: str, raw: bytes) -> None:
    (path / os.fsdecode(b"h\xe9\xff\n.ipynb")).write_bytes(raw)


@folder(True, "other-name")
def one_folder_deeper(path: Path, lesson: str, raw: bytes) -> None:
    (path / "homework" / ".ipynb_checkpoints").mkdir(parents=True)
    (path / "homework" / f"{lesson}.ipynb").write_bytes(raw)
    (path / "homework" / ".ipynb_checkpoints" / f"{lesson}-checkpoint.ipynb").write_bytes(b"{}")


@folder(False, "not-followed")
def link_to_a_file(path: Path, lesson: str, raw: bytes) -> None:
    outside = path.parent / "outside.ipynb"
    outside.write_bytes(raw)
    (path / f"{lesson}.ipynb").symlink_to(outside)


@folder(False, "not-followed")
def link_with_dots(path: Path, lesson: str, raw: bytes) -> None:
    (path.parent / "outside.ipynb").write_bytes(raw)
    (path / f"{lesson}.ipynb").symlink_to("../outside.ipynb")


@folder(False, "not-followed")
def link_to_itself(path: Path, lesson: str, raw: bytes) -> None:
    (path / f"{lesson}.ipynb").symlink_to(path / f"{lesson}.ipynb")


@folder(False, "not-followed")
def link_to_a_device(path: Path, lesson: str, raw: bytes) -> None:
    (path / f"{lesson}.ipynb").symlink_to("/dev/zero")


@folder(False, "not-followed")
def link_to_a_folder(path: Path, lesson: str, raw: bytes) -> None:
    outside = path.parent / "outside"
    outside.mkdir()
    (outside / f"{lesson}.ipynb").write_bytes(raw)
    (path / "homework").symlink_to(outside)


@folder(True, "not-followed")
def links_beside_the_notebook(path: Path, lesson: str, raw: bytes) -> None:
    (path / f"{lesson}.ipynb").write_bytes(raw)
    (path / "secrets").symlink_to("/etc")
    (path / "copy.ipynb").symlink_to(f"{lesson}.ipynb")


@folder(False, "not-followed")
def pipe(path: Path, lesson: str, raw: bytes) -> None:
    os.mkfifo(path / f"{lesson}.ipynb")


@folder(True, "other-notebook")
def older_copy_beside_it(path: Path, lesson: str, raw: bytes) -> None:
    (path / f"{lesson}.ipynb").write_bytes(raw)
    (path / f"{lesson}-Copy1.ipynb").write_bytes(raw.replace(b"return", b"return 2 *"))


@folder(True, "other-notebook")
def unreadable_file_of_the_right_name(path: Path, lesson: str, raw: bytes) -> None:
    (path / f"{lesson}.ipynb").write_bytes(raw[: len(raw) // 2])
    (path / f"{lesson} (1).ipynb").write_bytes(raw)


@folder(True, "")
def time_of_submission_that_is_none(path: Path, lesson: str, raw: bytes) -> None:
    (path / f"{lesson}.ipynb").write_bytes(raw)
    (path / "timestamp.txt").write_bytes(b"<script>now</script>\xff")


@folder(True, "")
def time_of_submission_in_a_folder(path: Path, lesson: str, raw: bytes) -> None:
    (path / f"{lesson}.ipynb").write_bytes(raw)
    (path / "timestamp.txt").mkdir()


@folder(True, "not-followed")
def time_of_submission_from_a_pipe(path: Path, lesson: str, raw: bytes) -> None:
    (path / f"{lesson}.ipynb").write_bytes(raw)
    os.mkfifo(path / "timestamp.txt")
