"""Dials of the lesson on pooling: pick a window of a map by clicking on it; let more numbers compete."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from course_utils import pooling_variance, pooling_windows
from course_utils.plots import _array
from course_utils.widgets import Drawn, Explorer, explore

__all__ = ["WindowPicker", "competition_dial", "window_picker"]

#: Pixels of a button's side, and numbers drawn for one histogram.
SIDE, DRAWS = 22, 20_000


class WindowPicker(Explorer):
    """An explorer with a clickable map: a button for each window, as dark as its largest value."""

    def __init__(
        self, draw: Callable[..., Drawn], words: Callable[..., str], controls: dict[str, Any], pooled: np.ndarray
    ) -> None:
        super().__init__(draw, words, controls)
        import ipywidgets

        self.buttons = [self._button(ipywidgets, row, column, pooled) for row, column in np.ndindex(*pooled.shape)]
        columns = ipywidgets.Layout(grid_template_columns=f"repeat({pooled.shape[1]}, {SIDE}px)", grid_gap="0px")
        clickable = ipywidgets.GridBox(self.buttons, layout=columns)
        hint = ipywidgets.HTML("Click a window:")
        self._box.children = (hint, clickable, *self._box.children)

    def _button(self, ipywidgets: Any, row: int, column: int, pooled: np.ndarray) -> Any:
        shade = 255 - round(215 * float(pooled[row, column]) / (float(pooled.max()) or 1.0))
        button = ipywidgets.Button(
            tooltip=f"window in row {row}, column {column}",
            layout=ipywidgets.Layout(width=f"{SIDE}px", height=f"{SIDE}px", margin="0px", padding="0px"),
        )
        button.style.button_color = f"#{shade:02x}{shade:02x}{shade:02x}"
        button.on_click(lambda _: self.pick(row, column))
        return button

    def pick(self, row: int, column: int) -> None:
        """Set both dials, as a click does."""
        self.controls["row"].value = row
        self.controls["column"].value = column


def window_picker(picture: Any, start: tuple[int, int] = (0, 0), k: int = 2) -> WindowPicker:
    """Click a window of a map, or turn the dials: its values, gates, output, and who gets the gradient.

    Args:
        picture: (h, w), both divisible by k.
        start: row and column of the first window, counted in windows.
        k: side of a window.

    Raises:
        ValueError: a map that cannot be cut into such windows, or a start outside of it.
    """
    import ipywidgets

    whole = _array(picture)
    if whole.ndim != 2 or whole.shape[0] % k or whole.shape[1] % k:
        raise ValueError(f"window_picker takes a map (h, w) that {k} divides, not shape {whole.shape}.")
    rows, columns = whole.shape[0] // k, whole.shape[1] // k
    if not (0 <= start[0] < rows and 0 <= start[1] < columns):
        raise ValueError(f"start {start} lies outside of {rows} x {columns} windows.")

    def held(row: int, column: int) -> list[float]:
        """The values of one window, in reading order."""
        return [float(value) for line in whole[row * k :][:k] for value in line[column * k :][:k]]

    def draw(row: int, column: int) -> Drawn:
        values = held(row, column)
        best = max(values)
        gates = np.zeros(k * k)
        gates[values.index(best)] = 1  # of equal values the first
        title = f"Of {k * k} values one passes: {best:.3g}"
        return pooling_windows.window_gates(whole, (row, column), gates, title, k=k)

    def words(row: int, column: int) -> str:
        values = held(row, column)
        written, winner = ", ".join(f"{value:.3g}" for value in values), values.index(max(values)) + 1
        return (
            f"The window in row {row}, column {column} holds {written}. Gate {winner} is open: the pool gives "
            f"{max(values):.3g}, and value {winner} alone gets the gradient."
        )

    dials = {
        name: ipywidgets.IntSlider(value, 0, count - 1, description=name, continuous_update=False)
        for name, value, count in (("row", start[0], rows), ("column", start[1], columns))
    }
    pooled = np.array([[max(held(row, column)) for column in range(columns)] for row in range(rows)])
    return WindowPicker(draw, words, dials, pooled)


def competition_dial(seed: int = 0) -> Explorer:
    """One dial for the size of a pool's window: where the largest of n normal numbers lies."""
    import ipywidgets

    def largest(n: int) -> np.ndarray:
        return np.random.default_rng(seed).normal(size=(DRAWS, n)).max(1)

    def draw(n: int) -> Drawn:
        title = "One value: no competition" if n == 1 else f"The largest of {n}: farther right, and narrower"
        return pooling_variance.largest_of(n, largest(n), title)

    def words(n: int) -> str:
        drawn = largest(n)
        return f"The largest of {n} normal numbers has mean {drawn.mean():.2f} and variance {drawn.var():.2f}."

    return explore(draw, words, n=ipywidgets.SelectionSlider(options=[1, 2, 4, 9, 16, 25], value=4, description="n"))
