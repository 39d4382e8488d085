"""How a run talks; apart from what it says, so that the command line starts quickly."""

from __future__ import annotations

from enum import StrEnum


class Say(StrEnum):
    """How a run talks: to people, not at all, or to programs."""

    bar = "bar"
    quiet = "quiet"
    json = "json"
