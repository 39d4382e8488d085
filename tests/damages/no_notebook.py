"""Files that are no notebook at all: each is refused in one clear line."""

from __future__ import annotations

import io
import zipfile

from nbformat import NotebookNode

from damages.registry import damage, write


@damage("refused")
def empty(notebook: NotebookNode) -> bytes:
    return b""


@damage("refused")
def blank(notebook: NotebookNode) -> bytes:
    return b" \n\t\r\n"


@damage("refused")
def only_zeros(notebook: NotebookNode) -> bytes:
    return b"\0" * 4096


@damage("refused")
def empty_list(notebook: NotebookNode) -> bytes:
    return b"[]"


@damage("refused")
def empty_object(notebook: NotebookNode) -> bytes:
    return b"{}"


@damage("refused")
def only_a_number(notebook: NotebookNode) -> bytes:
    return b"42"


@damage("refused")
def cells_as_an_object(notebook: NotebookNode) -> dict:
    return {**notebook, "cells": {str(number): cell for number, cell in enumerate(notebook.cells)}}


@damage("refused")
def only_broken_cells(notebook: NotebookNode) -> dict:
    return {**notebook, "cells": [None, 1, "two"]}


@damage("refused")
def cut_in_the_middle(notebook: NotebookNode) -> bytes:
    whole = write(notebook)
    return whole[: len(whole) // 2]


@damage("refused")
def cut_near_the_end(notebook: NotebookNode) -> bytes:
    return write(notebook)[:-4]


@damage("refused")
def conflict_markers(notebook: NotebookNode) -> bytes:
    lines = write(notebook).split(b"\n")
    at = len(lines) // 2
    ours, theirs = lines[at], lines[at].replace(b"a", b"b")
    lines[at : at + 1] = [b"<<<<<<< HEAD", ours, b"=======", theirs, b">>>>>>> feature"]
    return b"\n".join(lines)


@damage("refused")
def written_twice(notebook: NotebookNode) -> bytes:
    return write(notebook) * 2


@damage("refused")
def comma_missing(notebook: NotebookNode) -> bytes:
    return write(notebook).replace(b",", b" ", 1)


@damage("refused")
def web_page(notebook: NotebookNode) -> bytes:
    return b"<!DOCTYPE html>\n<html><head><title>00 - JupyterHub</title></head><body>Sign in</body></html>"


@damage("refused")
def zip_archive(notebook: NotebookNode) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("homework.ipynb", write(notebook))
    return buffer.getvalue()


@damage("refused")
def python_script(notebook: NotebookNode) -> bytes:
    return b"# %%\nimport torch\n\ndef attention(q, k, v):\n    return q\n"


@damage("refused")
def nested_too_deeply(notebook: NotebookNode) -> bytes:
    return write(notebook)[:-2] + b',"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}"


@damage("refused", large=True)
def millions_of_lists(notebook: NotebookNode) -> bytes:
    return write(notebook)[:-2] + b',"x":[' + b"[]," * 3_000_000 + b"[]]}"
