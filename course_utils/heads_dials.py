"""A picker of lesson 04: one head and one query token of a picture, and the row of gates that they make."""

from __future__ import annotations

from typing import Any

from course_utils import scenes
from course_utils.plots import _array
from course_utils.widgets import Drawn, Explorer, explore

__all__ = ["head_picker"]


def head_picker(image: Any, gates: Any, grid: tuple[int, int], start: tuple[int, int] = (0, 0)) -> Explorer:
    """Three dials: a head, and the row and column of the query token; its row of gates is drawn over the picture.

    Args:
        image: (h, w) or (1, h, w), the picture that the tokens come from.
        gates: (heads, T, T), rows are queries, tokens in reading order.
        grid: rows and columns of the tokens; their product is T.
        start: row and column of the first query.

    Raises:
        ValueError: gates that do not fit the grid, or a start outside of it.
    """
    import ipywidgets

    rows, columns = grid
    matrices = _array(gates)
    if matrices.ndim != 3 or matrices.shape[1:] != (rows * columns,) * 2:
        raise ValueError(f"{rows} x {columns} tokens need gates (heads, T, T) of T = {rows * columns}, not "
                         f"{matrices.shape}.")  # fmt: skip
    if not (0 <= start[0] < rows and 0 <= start[1] < columns):
        raise ValueError(f"start {start} lies outside the grid of {rows} x {columns} tokens.")

    def said(head: int, row: int, column: int) -> str:
        mine = matrices[head - 1, row * columns + column]
        best = ", ".join(f"({i // columns}, {i % columns})" for i in mine.argsort()[::-1][:3])
        return f"Head {head}, query in row {row}, column {column}: it listens most to {best}"

    def draw(head: int, row: int, column: int) -> Drawn:
        query = row * columns + column
        title = said(head, row, column)
        return scenes.gates_on_image(image, matrices[head - 1, query], query, grid, title)

    def words(head: int, row: int, column: int) -> str:
        top = sorted(matrices[head - 1, row * columns + column])[-3:]
        return f"{said(head, row, column)}, with {sum(top):.2f} of its gates."

    def dial(name: str, value: int, low: int, high: int) -> Any:
        return ipywidgets.IntSlider(value, low, high, description=name, continuous_update=False)

    return explore(draw, words, head=dial("head", 1, 1, len(matrices)), row=dial("row", start[0], 0, rows - 1),
                   column=dial("column", start[1], 0, columns - 1))  # fmt: skip
