"""From the bytes of a file to the JSON object of a notebook, or one line that says why it is none."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any, NoReturn

from autograde.errors import UnreadableSubmission
from autograde.repair.notes import Note

#: Bounds on what is read into memory: every `{` and `[`, and every value, costs up to some hundred bytes.
MOST_CONTAINERS = 2_000_000
MOST_VALUES = 10_000_000

AGAIN = "Open it in JupyterLab, check it, save it and hand it in again."
DOWNLOAD = "Download the notebook itself (a file that ends in .ipynb) and hand that in."

#: How files begin that are handed in by mistake.
FOREIGN = {
    b"PK": "a zip archive (or an office document)",
    b"\x1f\x8b": "a gzip archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"Rar!": "a rar archive",
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"\x7fELF": "a program",
    b"\x93NUMPY": "an array",
}
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\Z)', re.DOTALL)
_CONFLICT = re.compile(r"^(?:<{7}|\|{7}|>{7})(?:\s|$)", re.MULTILINE)
_MATTER = frozenset({"cells", "worksheets", "source", "input", "metadata", "nbgrader", "cell_type"})


def load(raw: bytes) -> tuple[dict[str, Any], list[Note]]:
    """Read the JSON object of a notebook; the outputs of its cells are dropped while reading.

    Raises:
        UnreadableSubmission: with one line that says what is wrong and what the student should do.
    """
    text, notes = _text(raw)
    _bounded(text)
    repeated: Counter[str] = Counter()

    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        built = dict(pairs)
        if len(built) != len(pairs):
            repeated.update(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        if "cell_type" in built:
            built.pop("outputs", None)
        return built

    try:
        # Numbers never matter here; Python refuses whole numbers of more than 4,300 digits and is slow on long ones.
        document = json.loads(
            text,
            object_pairs_hook=build,
            parse_constant=lambda _: None,
            parse_int=lambda digits: int(digits) if len(digits) < 20 else None,
        )
    except json.JSONDecodeError as error:
        _explain(text, error)
    except RecursionError:
        raise UnreadableSubmission(f"The file is nested too deeply to be a notebook. {AGAIN}") from None
    except MemoryError:
        raise UnreadableSubmission(f"The file needs too much memory. Clear its outputs first. {AGAIN}") from None
    if not isinstance(document, dict):
        raise UnreadableSubmission(f"The file holds {_what(document)}, not a notebook. {AGAIN}")
    twice = sorted(_MATTER & set(repeated))
    if twice:
        said = f"The file names {' and '.join(twice)} twice in one place. The last one counts, as in JupyterLab."
        notes.append(Note("repeated-name", said, flag=True))
    return document, notes


def _text(raw: bytes) -> tuple[str, list[Note]]:
    """Decode: UTF-8, UTF-16 and UTF-32, with or without a byte order mark."""
    if not raw:
        raise UnreadableSubmission(f"The file is empty (0 bytes). {AGAIN}")
    if not raw.strip(b"\0 \t\r\n"):
        raise UnreadableSubmission(f"The file is empty: it holds {len(raw)} blank bytes and no notebook. {AGAIN}")
    for start, kind in FOREIGN.items():
        if raw.startswith(start):
            raise UnreadableSubmission(f"The file is {kind}, not a notebook. {DOWNLOAD}")
    encoding = json.detect_encoding(raw)
    notes = []
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        text = raw.decode(encoding, errors="replace")
        damaged = text.count("\ufffd")
        said = f"The file is not clean UTF-8. Characters that could not be read: {damaged}. Each became a \ufffd."
        notes.append(Note("damaged-text", said))
    text = text.strip("\ufeff\0\x1a \t\r\n")
    if not text:
        raise UnreadableSubmission(f"The file is empty: it holds {len(raw)} blank bytes and no notebook. {AGAIN}")
    return text, notes


def _bounded(text: str) -> None:
    """Refuse a file whose JSON would fill the memory; what stands inside strings does not count."""
    for skeleton in (text, None):
        # The cheap count, strings included, is an upper bound and enough for every ordinary notebook.
        counted = _STRING.sub("", text) if skeleton is None else skeleton
        containers = counted.count("{") + counted.count("[")
        if containers <= MOST_CONTAINERS and containers + counted.count(",") <= MOST_VALUES:
            return
    raise UnreadableSubmission(f"The file holds millions of values, too many to read. Clear its outputs. {AGAIN}")


def _explain(text: str, error: json.JSONDecodeError) -> NoReturn:
    """Say in one line why the text is no JSON."""
    conflict = _CONFLICT.search(text)
    if text.startswith("<") and not conflict:
        raise UnreadableSubmission(f"The file is a web page, not a notebook. {DOWNLOAD}") from None
    if conflict:
        line = text.count("\n", 0, conflict.start()) + 1
        said = f"The file holds the conflict markers of a git merge (line {line})."
        raise UnreadableSubmission(f"{said} Finish the merge, then: {AGAIN[0].lower()}{AGAIN[1:]}") from None
    if not text.startswith(("{", "[")):
        raise UnreadableSubmission(f"The file is not a notebook: it does not begin with '{{'. {DOWNLOAD}") from None
    if error.msg.startswith("Unterminated string") or error.pos >= len(text) - 8:
        said = "The file is cut off: it ends in the middle of the notebook."
        raise UnreadableSubmission(f"{said} The upload or the save did not finish. {AGAIN}") from None
    if error.msg.startswith("Extra data"):
        raise UnreadableSubmission(
            f"Text follows after the end of the notebook (line {error.lineno}). {AGAIN}"
        ) from None
    said = f"The file is damaged: line {error.lineno}, column {error.colno} is not valid JSON"
    raise UnreadableSubmission(f"{said} ({error.msg}). {AGAIN}") from None


def _what(document: object) -> str:
    """Name a JSON value in words."""
    if document is None:
        return "nothing ('null')"
    names = {list: "a list", str: "a text", bool: "a truth value", int: "a number", float: "a number"}
    return names.get(type(document), "something else")
