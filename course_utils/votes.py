"""A vote in class: everybody says what will happen before it is measured. Buttons that count, then the answer.

Without widgets (a page of plain HTML, another editor) question, choices and answer can still be read.
"""

from __future__ import annotations

import contextlib
import html
from collections.abc import Mapping
from typing import Any

__all__ = ["vote"]

BAR = 160  # pixels of all votes together


def vote(question: str, choices: Mapping[str, str], *, answer: str, why: str) -> None:
    """Ask, count hands or clicks, then show the answer.

    Args:
        question: what will be measured in a cell below; TeX between dollars is typeset.
        choices: letter -> text, at least two.
        answer: the letter of the right choice.
        why: the reason, shown with the answer.

    Raises:
        ValueError: fewer than two choices, or an answer that is none of them.
    """
    if len(choices) < 2 or answer not in choices:
        raise ValueError(f"a vote needs two choices or more, and an answer among them: {answer!r}, {list(choices)}.")
    from IPython.display import display

    listed = "".join(f"<li><b>{_safe(letter)}</b> · {_safe(text)}</li>" for letter, text in choices.items())
    question_html = f'<p><b>Vote:</b> {_safe(question)}</p><ul style="list-style:none">{listed}</ul>'
    plain = "\n".join([f"Vote: {question}", *(f"  {letter}: {text}" for letter, text in choices.items())])
    display({"text/plain": plain, "text/html": question_html}, raw=True)

    right = _right(choices, answer, why)
    bundle = {
        "text/plain": f"Answer: {answer}. {why}",
        "text/html": f"<details><summary>Show the answer</summary>{right}</details>",
    }
    with contextlib.suppress(ImportError):  # without ipywidgets the text is all there is
        bundle |= _view(_buttons(choices, answer, right))
    display(bundle, raw=True)


def _buttons(choices: Mapping[str, str], answer: str, right: str) -> Any:
    """A button for each choice with the votes it has, one to show the answer, one to begin again."""
    import ipywidgets

    counts = dict.fromkeys(choices, 0)
    votes = {
        letter: ipywidgets.Button(tooltip=f"A vote for {letter}: {text}", layout=ipywidgets.Layout(width="7em"))
        for letter, text in choices.items()
    }
    show = ipywidgets.Button(description="Show the answer", button_style="primary")
    again = ipywidgets.Button(description="Start again")
    shown = ipywidgets.HTMLMath()

    def draw() -> None:
        for letter, button in votes.items():
            button.description = f"{letter}:  {counts[letter]}"

    def count(letter: str) -> None:
        counts[letter] += 1
        draw()

    def reveal(_: Any) -> None:
        total = sum(counts.values())
        rows = "".join(_row(letter, counts[letter], total, letter == answer) for letter in choices)
        shown.value = (f"<table>{rows}</table>" if total else "") + right
        for letter, button in votes.items():
            button.disabled = True
            button.button_style = "success" if letter == answer else ""

    def restart(_: Any) -> None:
        counts.update(dict.fromkeys(choices, 0))
        shown.value = ""
        for button in votes.values():
            button.disabled, button.button_style = False, ""
        draw()

    for letter, button in votes.items():
        button.on_click(lambda _, letter=letter: count(letter))
    show.on_click(reveal)
    again.on_click(restart)
    draw()
    return ipywidgets.VBox([ipywidgets.HBox([*votes.values()]), ipywidgets.HBox([show, again]), shown])


def _view(widget: Any) -> dict[str, Any]:
    """What a front end with widgets shows instead of the text."""
    return {
        "application/vnd.jupyter.widget-view+json": {
            "version_major": 2,
            "version_minor": 0,
            "model_id": widget.model_id,
        }
    }


def _row(letter: str, count: int, total: int, right: bool) -> str:
    width, colour = round(BAR * count / total), "#1a7f37" if right else "#8c8c8c"
    bar = f'<div style="width:{width}px;height:.8em;background:{colour}"></div>'
    return f"<tr><td>{_safe(letter)}{' ✓' if right else ''}</td><td>{bar}</td><td>{count}</td></tr>"


def _right(choices: Mapping[str, str], answer: str, why: str) -> str:
    return f"<p><b>{_safe(answer)}: {_safe(choices[answer])}</b><br>{_safe(why)}</p>"


def _safe(text: str) -> str:
    """Text in HTML; dollars stay, for TeX."""
    return html.escape(text, quote=False)
