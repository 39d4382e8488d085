"""What a student may see of an exercise that failed after hidden inputs were asked for.

From the first hidden call on, all that the student's code makes is for the instructor only. So what failed in the
visible part of a later test is run once more in a fresh sandbox, where only visible parts are tested. That run has seen
nothing hidden: its values, pictures and outputs can be shown. No points come of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from autograde.verdict import Verdict


def to_open(verdicts: Mapping[str, Verdict]) -> frozenset[str]:
    """The exercises whose visible checks failed when it was too late to show how."""
    return frozenset(
        name
        for name, verdict in verdicts.items()
        if verdict.status == "failed" and verdict.after_hidden and not verdict.saw_hidden
    )


def opened(first: Verdict, again: Verdict | None) -> Verdict:
    """The first run's verdict with the words and pictures of the open run, if that failed, too."""
    if again is None or again.status != first.status or again.after_hidden or again.saw_hidden:
        return first
    return replace(first, message=again.message, text=again.text, figures=again.figures, after_hidden=False)
