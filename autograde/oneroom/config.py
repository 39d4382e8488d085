"""A course's own nbgrader configuration, with our run in the place of nbgrader's; nothing is written to the course."""

from __future__ import annotations

from copy import deepcopy

from nbgrader.converters import Autograde
from traitlets.config import Config

#: Steps of `nbgrader autograde` by class name, and what takes their place.
INSTEAD = {
    "Execute": "autograde.gradebook.plugins.RunInRooms",
    "SaveAutoGrades": "autograde.gradebook.plugins.SaveVerdicts",
}


def with_one_room(config: Config) -> Config:
    """A copy in which the steps of `Autograde` that run and score a notebook are ours; all others stay."""
    merged = deepcopy(config)
    steps = Autograde(config=config).autograde_preprocessors
    names = [step.rpartition(".")[2] if isinstance(step, str) else step.__name__ for step in steps]
    merged.Autograde.autograde_preprocessors = [
        INSTEAD.get(name, step) for name, step in zip(names, steps, strict=True)
    ]
    if "exporter_class" not in merged.Autograde:  # remembers which written answers a person has read
        merged.Autograde.exporter_class = "autograde.gradebook.plugins.SubmissionExporter"
    return merged
