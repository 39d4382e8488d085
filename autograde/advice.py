"""What a student reads about one exercise: what was wrong, the likely cause, what to try next."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from autograde.repair import Note
from autograde.verdict import Verdict

HIDDEN, UNTOUCHED = "A hidden test fails. ", "Not attempted: "
CAUSE = "likely cause: "
#: Characters of what was wrong.
LONGEST = 400

#: What a note on the file means for the student; a note that says all itself is not listed.
MEANING = {
    "marks-lost": "Some editors drop these marks when they save. JupyterLab keeps them.",
    "marks-changed": "They belong to the grading. Leave them as they are.",
    "unknown-marks": "If you copied a cell from another notebook, write its code into a new cell instead.",
    "test-changed": "To try something out, use a cell of your own.",
    "setup-changed": "To try something out, use a cell of your own.",
    "test-missing": "You can get it back from the released notebook.",
    "setup-missing": "You can get it back from the released notebook.",
    "older-version": "Next time, fetch the lesson again before you go on.",
    "duplicate-test": "When you copy a cell, its grading marks come along. New cells have none.",
    "duplicate-answer": "When you copy a cell, its grading marks come along. New cells have none.",
    "ambiguous-answer": "Keep one cell for each answer. If the wrong one was graded, tell your instructor.",
    "answer-elsewhere": "Write each answer into the cell that was released for it.",
    "answer-redefined": "Only the cell that was released for it should define it.",
    "answer-missing": "You can get the cell back from the released notebook.",
    "other-name": "Keep the name of the file. Your browser may add a number when it downloads a file twice.",
    "conflict-in-cell": "Finish the merge, run the notebook from the top, then hand in.",
    "old-format": "JupyterLab saves the current format.",
    "timeout": "Look for a loop that does not end, or make the numbers smaller.",
    "memory": "Look for a tensor that is far too large.",
    "dead": "Look for `exit()` or for a recursion that does not end.",
}


@dataclass(frozen=True)
class Advice:
    """The words for one exercise. `evidence` is what was called, expected and returned; `steps` what to try."""

    what: str
    cause: str
    evidence: str
    steps: tuple[str, ...]
    hidden: bool = False


def advice(verdict: Verdict) -> Advice:
    """Sort a verdict's message into what was wrong, why, and the numbers; add what to do."""
    message = verdict.message.strip()
    hidden = verdict.saw_hidden or message.startswith(HIDDEN)
    first, *rest = message.removeprefix(HIDDEN).removeprefix(UNTOUCHED).split("\n")
    causes = [line.strip().removeprefix(CAUSE) for line in rest if line.strip().startswith(CAUSE)]
    evidence = textwrap.dedent("\n".join(line for line in rest if not line.strip().startswith(CAUSE)))
    steps = _STEPS.get(verdict.status, ())
    if verdict.status == "failed":
        steps = _AFTER_HIDDEN if hidden else _AFTER_VISIBLE
    words = tuple(step.format(name=verdict.exercise, test=verdict.grade_id) for step in steps)
    return Advice(_sentence(first), "; ".join(causes), evidence, words, hidden)


def _sentence(text: str) -> str:
    """What was wrong, as one sentence; an exception's own words can be of any length."""
    return text[:1].upper() + text[1:LONGEST] + ("…" if len(text) > LONGEST else "")


def meaning(note: Note) -> str:
    """What a student should take from a note on the file, or nothing."""
    return MEANING.get(note.code, "")


_AFTER_VISIBLE = (
    "Run the test cell `{test}` in your notebook. It stops at this same check and shows what is expected beside yours.",
    "A test stops at the first check that fails. When this one holds, run it again: another may follow.",
)
_AFTER_HIDDEN = (
    "The checks in your notebook hold. This one asks for the same property with other numbers: "
    "other values, other sizes or other batch dimensions.",
    "Look in `{name}` for what fits only the numbers in the notebook: "
    "a size written as a number, a fixed count of dimensions, a special value.",
)
_STEPS = {
    "partial": ("Some cases hold and some do not. Read the card of `{name}` again: which case have you not tried?",),
    "not attempted": (
        "Read the card above `{name}`, write your code where the cell says `NotImplementedError`, "
        "and run the test cell below it.",
    ),
    "missing": ("Take the cell `{name}` from the released notebook and write your answer into it. Hand in all cells.",),
    "timeout": (
        "Look for a loop that does not end.",
        "If all loops end: replace the loop over tokens by one product of matrices.",
    ),
    "crashed": (
        "Restart the kernel and run all cells from the top. It should end at the same place.",
        "Look there for `exit()`, for a recursion that does not end, or for a tensor that is far too large.",
    ),
    "broken test": ("There is nothing for you to do.",),
}
