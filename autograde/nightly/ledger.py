"""The claims ledger: what every claim measured tonight and on all nights before, a line of JSON for each.

`claims.jsonl` only ever grows. A line that cannot be read is reported with its number and stays where it is.
"""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from autograde import files
from autograde.claims import Claim
from autograde.nightly.check import Outcome

FILE = "claims.jsonl"
#: Without these a line is no row.
WANTED = ("night", "lesson", "name", "measured", "expect", "tol", "seed", "made_with", "ok")


#: Numbers of a claim that are written out.
FIRST = 4


@dataclass(frozen=True)
class Entry:
    """A claim as one run states it: `of` is the run's notebook and preset, like `in-class:nightly`."""

    lesson: str
    of: str
    claim: Claim

    @property
    def key(self) -> tuple[str, str, str, int]:
        return self.lesson, self.claim.name, self.claim.made_with, self.claim.seed


class History:
    """What the file says. `rows` by claim, preset and seed, the oldest first; `damaged`: a line for each bad one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[tuple[str, str, str, int], list[dict[str, Any]]] = {}
        self.damaged: list[str] = []
        raw = path.read_bytes() if path.is_file() else b""
        for number, line in enumerate(raw.split(b"\n"), 1):
            if line.strip():
                self._take(number, line)

    def _take(self, number: int, line: bytes) -> None:
        try:
            row = json.loads(line)
            missing = [name for name in WANTED if name not in row]
            if missing:
                raise ValueError(f"it has no {', '.join(missing)}")
            key = (str(row["lesson"]), str(row["name"]), str(row["made_with"]), int(row["seed"]))
        except (ValueError, TypeError) as error:
            where = f"{self.path.name}, line {number}, is damaged and was left as it is"
            self.damaged.append(f"{where} ({error}): {line[:80].decode(errors='replace')}")
        else:
            self.rows.setdefault(key, []).append(row)


def entries(outcomes: Iterable[Outcome]) -> list[Entry]:
    """All claims of a run, in the order of lessons, notebooks and cells."""
    ordered = sorted(outcomes, key=lambda outcome: (outcome.task.lesson, outcome.task.name, outcome.task.seed or 0))
    return [Entry(each.task.lesson, each.task.name, claim) for each in ordered for claim in each.claims]


def append(path: Path, entries: Iterable[Entry], night: str, commit: str) -> int:
    """Add a row for each claim that was measured in this run; returns how many.

    Args:
        night: when the run began, ISO 8601.
        commit: what was run, as git names it; may be empty.
    """
    versions = {"python": platform.python_version(), "torch": torch.__version__, "commit": commit}
    measured = [entry for entry in entries if not entry.claim.recorded and entry.claim.measured is not None]
    lines = [json.dumps({"night": night, **_row(entry), **versions}, ensure_ascii=False) for entry in measured]
    # a run that was killed while it wrote left half a line: ours must not become its end
    before = path.read_bytes()[-1:] if path.is_file() else b""
    begun = "" if before in (b"", b"\n") else "\n"
    files.append(path, (begun + "".join(f"{line}\n" for line in lines)).encode())
    return len(lines)


def _row(entry: Entry) -> dict[str, Any]:
    claim = entry.claim
    names = ("name", "measured", "expect", "tol", "source", "preset", "made_with", "seed", "ok", "seconds")
    return {"lesson": entry.lesson, "of": entry.of, **{name: getattr(claim, name) for name in names}}


def strain(measured: Any, expect: Any, tol: Any) -> float | None:
    """How much of its tolerance a claim uses: 0 is exact, above 1 it does not hold; None if that has no number."""
    try:
        off = np.abs(np.asarray(measured, dtype=float) - np.asarray(expect, dtype=float))
        allowed = np.broadcast_to(np.asarray(tol, dtype=float), off.shape)
    except (TypeError, ValueError):
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(off <= 1e-12, 0.0, off / allowed)
    worst = float(shares.max()) if shares.size else 0.0
    return worst if math.isfinite(worst) else None


def written(value: Any) -> str:
    """Numbers of a claim as people read them: four digits, the first few of many."""
    if value is None:
        return "none"
    if isinstance(value, list):
        flat = _flat(value)
        shown = ", ".join(written(number) for number in flat[:FIRST])
        return f"[{shown}{f', … {len(flat)} numbers' if len(flat) > FIRST else ''}]"
    return f"{value:.0f}" if float(value).is_integer() and abs(value) < 1e12 else f"{value:.4g}"


def _flat(value: Any) -> list[Any]:
    return [number for part in value for number in _flat(part)] if isinstance(value, list) else [value]
