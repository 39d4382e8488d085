"""Encodings, versions of the format, invalid pieces and large files: all can be graded."""

from __future__ import annotations

from nbformat import NotebookNode

from damages.registry import code_cell, damage, solution_cells, test_cells, write


@damage("kept")
def byte_order_mark(notebook: NotebookNode) -> bytes:
    return b"\xef\xbb\xbf" + write(notebook)


@damage("kept")
def utf_16_with_mark(notebook: NotebookNode) -> bytes:
    return write(notebook).decode().encode("utf-16")


@damage("kept")
def utf_16_without_mark(notebook: NotebookNode) -> bytes:
    return write(notebook).decode().encode("utf-16-le")


@damage("kept", "damaged-text")
def bytes_that_are_not_utf_8(notebook: NotebookNode) -> bytes:
    return write(notebook)[:-2] + b',"note":"caf\xe9"\n}'


@damage("kept")
def zeros_at_the_end(notebook: NotebookNode) -> bytes:
    return write(notebook) + b"\0" * 512


@damage("kept")
def windows_line_ends(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.source = cell.source.replace("\n", "\r\n")


@damage("kept")
def sources_as_lists(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell["source"] = cell.source.splitlines(True)


@damage("kept")
def format_4_4_with_ids(notebook: NotebookNode) -> None:
    notebook.nbformat_minor = 4


@damage("kept")
def format_4_5_without_ids(notebook: NotebookNode) -> None:
    notebook.nbformat_minor = 5
    for cell in notebook.cells:
        cell.pop("id", None)


@damage("kept")
def format_4_99(notebook: NotebookNode) -> None:
    notebook.nbformat_minor = 99
    notebook.cells[0]["colour"] = "blue"


@damage("kept")
def no_format_at_all(notebook: NotebookNode) -> dict:
    return {"cells": notebook.cells}


@damage("kept", "old-format")
def format_3(notebook: NotebookNode) -> dict:
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell["input"] = cell.pop("source")
            cell["prompt_number"] = cell.pop("execution_count")
    return {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": notebook.cells}]}


@damage("kept")
def invalid_ids(notebook: NotebookNode) -> None:
    for number, cell in enumerate(notebook.cells):
        cell["id"] = ("", "a b", "x" * 65, 7, None, "same", "same")[number % 7]


@damage("kept")
def invalid_outputs(notebook: NotebookNode) -> None:
    for number, at in enumerate(solution_cells(notebook) + test_cells(notebook)):
        junk = ("none", [{"output_type": "pyout"}], [3], {"a": 1}, [{"output_type": "stream", "text": None}])
        notebook.cells[at]["outputs"] = junk[number % 5]
        notebook.cells[at]["execution_count"] = -1


@damage("kept", "broken-cell")
def cells_that_are_none(notebook: NotebookNode) -> None:
    notebook.cells[1:1] = [None, 3, "cell", []]


@damage("kept", "garbled-cell")
def extra_cells_of_wrong_types(notebook: NotebookNode) -> None:
    notebook.cells += [
        {"cell_type": "sql", "metadata": {}, "source": "SELECT 1"},
        {"cell_type": ["code"], "source": [1, "x", None]},
        {"cell_type": "code", "source": None},
        {"cell_type": "code", "source": {"a": 1}, "metadata": []},
        {},
    ]


@damage("kept")
def half_a_surrogate_pair(notebook: NotebookNode) -> bytes:
    notebook.cells.append(code_cell("print('HALF')"))
    return write(notebook).replace(b"HALF", b"\\ud800")


@damage("kept")
def numbers_that_are_none(notebook: NotebookNode) -> bytes:
    huge = b'{"a": NaN, "b": -Infinity, "c": 1e999, "d": ' + b"9" * 5000 + b"},"
    return write(notebook).replace(b"{", b'{"x": ' + huge, 1)


@damage("kept", "repeated-name")
def names_twice(notebook: NotebookNode) -> bytes:
    return write(notebook).replace(b"{", b'{"cells": [], "metadata": {},', 1)


# Large


@damage("kept", large=True)
def output_of_30_mb(notebook: NotebookNode) -> None:
    output = {"output_type": "stream", "name": "stdout", "text": "never mind, {[ \u2713\n" * 1_800_000}
    notebook.cells[solution_cells(notebook)[0]].outputs = [output]


@damage("kept", large=True)
def picture_of_60_mb(notebook: NotebookNode) -> None:
    data = {"image/png": "iVBORw0KGgo" * 5_700_000}
    notebook.cells[test_cells(notebook)[0]].outputs = [{"output_type": "display_data", "data": data, "metadata": {}}]


@damage("kept", large=True)
def twenty_thousand_cells(notebook: NotebookNode) -> None:
    notebook.cells += [code_cell(f"scratch_{number} = {number}") for number in range(20_000)]
