"""Ways in which a submission gets damaged, one function each: a whole notebook in, the bytes of a file out.

`DAMAGES` lists them by name with what must become of them, `FOLDERS` ways to hand in a folder. A damage works on any
notebook of a lesson that keeps the conventions (`NAME` is solved, `test_NAME` tests it) and leaves its argument alone:
`DAMAGES["metadata_emptied"](notebook)` gives the bytes to hand in.
"""

from damages import cells, formats, metadata, no_notebook
from damages.folders import FOLDERS, Folder
from damages.registry import (
    DAMAGES,
    Damage,
    code_cell,
    marks,
    setup_cells,
    solution_cells,
    test_cells,
    write,
    written_cells,
)

__all__ = [
    "DAMAGES",
    "FOLDERS",
    "Damage",
    "Folder",
    "cells",
    "code_cell",
    "formats",
    "marks",
    "metadata",
    "no_notebook",
    "setup_cells",
    "solution_cells",
    "test_cells",
    "write",
    "written_cells",
]
