"""Dials of lesson 07: the guesses for a sentence and a place, and the steps that an RNN and a transformer take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from course_utils import bert_experiments as experiments
from course_utils import charts
from course_utils.diagrams import COMPUTED, LEARNED, PLAIN, _arrow, _box, _clear, _label
from course_utils.widgets import Drawn, Explorer, explore

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["guess_dial", "step_dial", "steps"]


def _covered(sentence: str, place: int) -> str:
    words = sentence.split()
    words[min(place, len(words)) - 1] = "[MASK]"
    return " ".join(words)


def guess_dial(model: nn.Module, sentences: Sequence[str], place: int = 3) -> Explorer:
    """Choose a sentence and the place to hide, counted from 1 (past the end: the last): the model's top five guesses.

    Raises:
        ValueError: no sentence.
    """
    import ipywidgets

    if not sentences:
        raise ValueError("guess_dial needs at least one sentence.")

    @torch.no_grad()
    def five(sentence: str, place: int) -> dict[str, float]:
        return experiments.best(experiments.guesses(model, _covered(sentence, place)), 5)

    def draw(sentence: str, place: int) -> Drawn:
        top = five(sentence, place)
        figure, ax = charts.bars(list(top.values()), _covered(sentence, place), names=list(top), ylabel="probability",
                                 ylim=(0, 1))  # fmt: skip
        figure.set_size_inches(7.5, 3.2)
        return figure, ax

    def words(sentence: str, place: int) -> str:
        said = ", ".join(f"{word} {p:.2f}" for word, p in five(sentence, place).items())
        return f"The five best guesses for “{_covered(sentence, place)}”: {said}."

    longest = max(len(sentence.split()) for sentence in sentences)
    return explore(
        draw,
        words,
        sentence=ipywidgets.Dropdown(options=list(sentences), description="sentence"),
        place=ipywidgets.IntSlider(place, 1, longest, description="hide word", continuous_update=False),
    )


def steps(words: Sequence[str], step: int, title: str) -> tuple[Figure, Any]:
    """An RNN's chain of states and one attention layer, after so many steps: what is done is coloured."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(11.4, 3.4), layout="constrained")
    count, size = len(words), (0.86, 0.5)
    names = (f"RNN: {min(step, count)} of {count} states", f"attention: {count if step else 0} of {count} outputs")
    for ax, name in zip(axes, names, strict=True):
        _clear(ax, (-0.7, count - 0.3), (-0.5, 2.5))
        ax.set_title(name, fontsize=11)
        for place, word in enumerate(words):
            _box(ax, place, 0, word, PLAIN, size)
    for place in range(count):
        _arrow(axes[0], (place, 0.25), (place, 1.45))
        _box(axes[0], place, 1.7, f"$h_{place + 1}$", LEARNED if place < step else PLAIN, size)
        if place:
            _arrow(axes[0], (place - 0.57, 1.7), (place - 0.43, 1.7), width=2)
        for key in range(count):
            _arrow(axes[1], (key, 0.25), (place, 1.45), width=0.6, head=False)
        _box(axes[1], place, 1.7, f"$y_{place + 1}$", COMPUTED if step else PLAIN, size)
    _label(axes[0], (count - 1) / 2, 2.3, "each state waits for the one before it", centred=True)
    _label(axes[1], (count - 1) / 2, 2.3, "no output waits for another one", centred=True)
    figure.suptitle(title)
    return figure, axes


def step_dial(words: Sequence[str], start: int = 1) -> Explorer:
    """Step through a sentence: which places an RNN has done by then, and which an attention layer."""
    import ipywidgets

    count = len(words)

    def draw(step: int) -> Drawn:
        return steps(words, step, f"After step {step}: the RNN has {step} of {count}, attention {count if step else 0}")

    def said(step: int) -> str:
        done = count if step else 0
        return f"After step {step} of {count} the RNN has done {step} places, the attention layer {done}."

    dial = ipywidgets.IntSlider(start, 0, count, description="step", continuous_update=False)
    return explore(draw, said, step=dial)
