"""Dials and pickers of lessons: each redraws a still picture, and is that picture where no widget runs."""

from __future__ import annotations

import base64
import html
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from course_utils import charts, plots, scenes
from course_utils.described import png

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Explorer", "explore", "gate_picker", "temperature_dial"]

#: What a `draw` function returns: a figure and its axes, as all house figures do.
Drawn = tuple["Figure", Any]


class Explorer:
    """A picture with controls below it. Nothing that a later cell needs lives in here.

    Attributes:
        draw: makes the picture from the values of the controls; pure.
        controls: name of an argument of `draw` to its ipywidgets control.
        words: makes, from the same values, what a screen reader says.
    """

    def __init__(self, draw: Callable[..., Drawn], words: Callable[..., str], controls: Mapping[str, Any]) -> None:
        import ipywidgets

        self.draw, self.words, self.controls = draw, words, dict(controls)
        self._picture = ipywidgets.HTML()
        self._box = ipywidgets.VBox([ipywidgets.HBox(list(self.controls.values())), self._picture])
        for control in self.controls.values():
            control.observe(self._redraw, names="value")
        self._redraw()

    @property
    def values(self) -> dict[str, Any]:
        """What the controls say now."""
        return {name: control.value for name, control in self.controls.items()}

    @property
    def picture(self) -> str:
        """The picture as it stands, an `<img>` element with its words."""
        return str(self._picture.value)

    def _redraw(self, _: object = None) -> None:
        self._still = png(self.draw(**self.values)[0])
        words = html.escape(self.words(**self.values), quote=True)
        source = base64.b64encode(self._still).decode()
        self._picture.value = f'<img alt="{words}" src="data:image/png;base64,{source}" style="max-width:100%">'

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, Any], dict[str, Any]]:
        """The widget, and for pages without widgets the picture as it was first drawn."""
        view = self._box._repr_mimebundle_() or {}
        words = self.words(**self.values)
        bundle = {**view, "image/png": base64.b64encode(self._still).decode(), "text/plain": words}
        return bundle, {"image/png": {"alt": words}}


def explore(draw: Callable[..., Drawn], words: Callable[..., str], **controls: Any) -> Explorer:
    """Controls for the arguments of `draw`; show it as the last line of a cell.

    Args:
        draw: a pure function from the controls' values to `(figure, axes)`.
        words: a pure function from the same values to one sentence about the picture.
        controls: an ipywidgets control for each argument.

    Raises:
        ValueError: no control.
    """
    if not controls:
        raise ValueError("explore needs a control for each argument of draw.")
    return Explorer(draw, words, controls)


def gate_picker(image: Any, gates: Any, grid: tuple[int, int], start: tuple[int, int] = (0, 0)) -> Explorer:
    """Two dials that pick the query token by row and column; its row of gates is drawn over the picture.

    Args:
        image: (h, w) or (1, h, w), the picture that the tokens come from.
        gates: (T, T), rows are queries, tokens in reading order.
        grid: rows and columns of the tokens; their product is T.
        start: row and column of the first query.

    Raises:
        ValueError: gates that do not fit the grid, or a start outside of it.
    """
    import ipywidgets

    rows, columns = grid
    matrix = plots._array(gates)
    if matrix.shape != (rows * columns,) * 2:
        raise ValueError(f"A grid of {rows} x {columns} tokens needs {rows * columns}² gates, not {matrix.shape}.")
    if not (0 <= start[0] < rows and 0 <= start[1] < columns):
        raise ValueError(f"start {start} lies outside the grid of {rows} x {columns} tokens.")

    def top(row: int, column: int) -> float:
        return float(sum(sorted(matrix[row * columns + column])[-3:]))

    def draw(row: int, column: int) -> Drawn:
        query = row * columns + column
        title = f"Query token in row {row}, column {column}: its top 3 tokens hold {top(row, column):.2f} of the gate"
        return scenes.gates_on_image(image, matrix[query], query, grid, title)

    def words(row: int, column: int) -> str:
        best = matrix[row * columns + column].argsort()[::-1][:3]
        where = ", ".join(f"row {i // columns} column {i % columns}" for i in best)
        return f"The token in row {row}, column {column} listens most to {where}: {top(row, column):.2f} of its gate."

    def dial(name: str, value: int, count: int) -> Any:
        return ipywidgets.IntSlider(value, 0, count - 1, description=name, continuous_update=False)

    return explore(draw, words, row=dial("row", start[0], rows), column=dial("column", start[1], columns))


def temperature_dial(scores: Any, names: Any = None) -> Explorer:
    """One dial for the temperature: a row of scores, divided by it, and the gates that come out.

    Args:
        scores: (T,) at most ten.
        names: of the tokens.

    Raises:
        ValueError: scores that are not one row of 2 to 10 numbers.
    """
    import ipywidgets
    import numpy as np

    row = plots._array(scores)
    if row.ndim != 1 or not 2 <= len(row) <= 10:
        raise ValueError(f"temperature_dial takes one row of 2 to 10 scores, not shape {row.shape}.")

    def gates(tau: float) -> np.ndarray:
        grown = np.exp((row - row.max()) / tau)
        return grown / grown.sum()

    def draw(tau: float) -> Drawn:
        title = f"Scores ÷ {tau:g}: the largest gate is {gates(tau).max():.2f}"
        return charts.bars(gates(tau), title, names=names, ylabel="gate", ylim=(0, 1))

    def words(tau: float) -> str:
        return f"Scores divided by {tau:g} give the gates {', '.join(f'{gate:.2f}' for gate in gates(tau))}."

    steps = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0]
    return explore(draw, words, tau=ipywidgets.SelectionSlider(options=steps, value=1.0, description="divide by"))
