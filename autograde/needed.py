"""Which names a live cell must make: those that its finished code binds and that cells below it use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograde.live import is_live
from autograde.rules.names import Names, names_of
from autograde.rules.python import parse


def needed_names(notebook: Any) -> dict[str, list[str]]:
    """For each live cell of a complete notebook, by its name, what the cells below need of it, in order of binding.

    A name that is bound anew before it is used is not needed. Order inside loops and branches is not followed.
    """
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    names = [names_of(parse(cell.source, magics=True)) for cell in code]
    return {
        cell.metadata["live"]: _needed(names[place], names[place + 1 :])
        for place, cell in enumerate(code)
        if is_live(cell)
    }


def _needed(own: Names, below: Sequence[Names]) -> list[str]:
    open_, used = set(own.bound), set()
    for names in below:
        used |= open_ & set(names.free)
        open_ -= set(names.bound)
    return [name for name in own.bound if name in used]
