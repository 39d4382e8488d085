"""How one submission is run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from autograde.limits import Limits
from autograde.sandbox.bwrap import Mount


@dataclass(frozen=True)
class Settings:
    """How to run, apart from the submission itself.

    `only`: the exercises to test, None for all. `lost`: say for each lost point what was asked, expected and answered,
    for the instructor. `shown`: somebody will look at what the code prints and draws. `warm`: the line of a warm
    server. `judges`: that of a judges' server.
    """

    limits: Limits
    seeds: Mapping[str, int]
    sandboxed: bool = True
    only: frozenset[str] | None = None
    lost: bool = False
    files: tuple[Mount, ...] = ()
    hidden: tuple[Path, ...] = ()
    shown: bool = True
    warm: Path | None = None
    judges: Path | None = None
