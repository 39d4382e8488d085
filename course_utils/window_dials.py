"""Dials of lesson 02: the temperature of a window, and a picker of windows on a digit."""

from __future__ import annotations

from typing import Any

import numpy as np
from torch import Tensor

from course_utils import soft_gates
from course_utils.plots import _array
from course_utils.widgets import Drawn, Explorer, explore

__all__ = ["temperature_of_window", "window_picker"]

TEMPERATURES = [0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 20.0, 100.0]


def temperature_of_window(values: Any) -> Explorer:
    """One dial for τ: the window's values, their gates, the gradients, the output and the entropy of the gates."""
    import ipywidgets

    row = _array(values).reshape(-1)

    def said(tau: float) -> str:
        gates, _, out = pooled(row, tau)
        return f"τ = {tau:g}: output {out:.2f}, entropy {entropy(gates):.2f} of at most {np.log(4):.2f}"

    def draw(tau: float) -> Drawn:
        gates, gradient, _ = pooled(row, tau)
        return soft_gates.window_story(row, gates, gradient, said(tau))

    def words(tau: float) -> str:
        return said(tau) + f"; gates {pooled(row, tau)[0].round(3)}, gradients {pooled(row, tau)[1].round(3)}."

    return explore(draw, words, tau=ipywidgets.SelectionSlider(options=TEMPERATURES, value=1.0, description="τ"))


def window_picker(digit: Tensor, feature: Tensor, start: tuple[int, int]) -> Explorer:
    """Two dials that pick a 2 x 2 window by row and column; the digit, its map, four values and soft gates are drawn.

    Raises:
        ValueError: a start outside of the map.
    """
    import ipywidgets

    rows, columns = feature.shape[0] // 2, feature.shape[1] // 2
    if not (0 <= start[0] < rows and 0 <= start[1] < columns):
        raise ValueError(f"start {start} lies outside {rows} x {columns} windows.")

    def window(row: int, column: int) -> tuple[np.ndarray, np.ndarray, str]:
        four = _array(feature)[2 * row : 2 * row + 2, 2 * column : 2 * column + 2].reshape(-1)
        gates, _, out = pooled(four, 1.0)
        return four, gates, f"Max pool {four.max():.2f}, SoftPool {out:.2f}; the largest gate is {gates.max():.2f}"

    def draw(row: int, column: int) -> Drawn:
        _, gates, said = window(row, column)
        return soft_gates.window_on_digit(digit, feature, (row, column), said, gates)

    def words(row: int, column: int) -> str:
        four, gates, said = window(row, column)
        return f"Window in row {row}, column {column}: values {four.round(2)}, gates {gates.round(3)}. {said}."

    def dial(name: str, value: int, count: int) -> Any:
        return ipywidgets.IntSlider(value, 0, count - 1, description=name, continuous_update=False)

    return explore(draw, words, row=dial("row", start[0], rows), column=dial("column", start[1], columns))


def entropy(gates: np.ndarray) -> float:
    """How soft gates are, in nats: 0 if one has all, ln 4 if four are equal."""
    return float(-sum(gate * np.log(gate) for gate in gates if gate > 0)) + 0.0


def pooled(row: np.ndarray, tau: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Gates, gradients and output of a window at a temperature; the gradients as differences of the output."""

    def at(values: np.ndarray) -> tuple[np.ndarray, float]:
        grown = np.exp((values - values.max()) / tau)
        return grown / grown.sum(), float(values @ (grown / grown.sum()))

    gates, out = at(row)
    step = min(tau, 1.0) * 1e-4
    moved = [(at(row + step * place)[1] - at(row - step * place)[1]) / (2 * step) for place in np.eye(len(row))]
    return gates, np.array(moved), out
