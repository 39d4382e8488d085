"""Find and repair a notebook that a student handed in: every one ends graded, or refused in one clear line."""

from autograde.repair.find import Found, find_submission
from autograde.repair.notes import Note
from autograde.repair.repair import Repaired, repair

__all__ = ["Found", "Note", "Repaired", "find_submission", "repair"]
