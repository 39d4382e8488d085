"""The claims of executed notebooks: collect them, and keep the dear ones for those who cannot afford to measure.

An executed notebook holds all of its claims in its outputs (`course_utils.claims`), so that this reads notebooks and
nothing else. What stands in `course_utils/recorded.json` is what cheaper presets show.
"""

from __future__ import annotations

import json
import math
import os
import platform
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import nbformat

from autograde import files
from autograde.errors import CourseError
from course_utils.claims import MIME
from course_utils.settings import PRESETS, SEED

RECORDED = Path("course_utils") / "recorded.json"
#: Tags of cells that papermill makes.
ADDED = {"injected-parameters", "papermill-error-cell-tag"}
#: What `recorded.json` says of a claim.
KEPT = ("measured", "expect", "tol", "preset", "date", "source", "seconds", "seed", "made_with")


@dataclass(frozen=True)
class Claim:
    """One claim as an executed notebook states it. `measured`, `expect` and `tol` are numbers or nested lists.

    `preset` is the cheapest that affords it, `made_with` the one that measured it, in `seconds` of wall time. `ok` is
    None if nothing was measured or recorded; `recorded`: the numbers are those of an earlier run. `cell` counts from 1.
    """

    name: str
    measured: Any
    expect: Any
    tol: Any
    source: str
    preset: str
    made_with: str
    date: str
    seed: int
    ok: bool | None
    recorded: bool
    seconds: float | None
    cell: int


def collect(notebook: Any) -> list[Claim]:
    """The claims in the outputs of an executed notebook, in their order.

    Raises:
        CourseError: two have the same name, or an output under the MIME type of claims is none of ours.
    """
    claims: dict[str, Claim] = {}
    for number, cell in enumerate(notebook.cells, 1):
        for output in cell.get("outputs", []):
            content = output.get("data", {}).get(MIME)
            if content is None:
                continue
            claim = _claim(content, number)
            if claim.name in claims:
                first = claims[claim.name].cell
                raise CourseError(
                    f"cell {number}: the claim {claim.name!r} stands in cell {first} already. Rename one."
                )
            claims[claim.name] = claim
    return list(claims.values())


def _claim(content: Any, cell: int) -> Claim:
    try:
        known = {key: content[key] for key in Claim.__annotations__ if key not in ("cell", "seconds")}
        claim = Claim(**known, seconds=content.get("seconds"), cell=cell)
    except (TypeError, KeyError) as error:
        raise CourseError(
            f"cell {cell}: this output is no claim of course_utils: {error!r}. Run the notebook."
        ) from None
    if not isinstance(claim.name, str) or claim.preset not in PRESETS or claim.ok not in (True, False, None):
        raise CourseError(f"cell {cell}: this output is no claim of course_utils: {content!r:.200}. Run the notebook.")
    return claim


def execute(path: Path, root: Path, *, preset: str, seed: int) -> tuple[Any, str]:
    """Run a notebook with papermill. Returns it with its outputs, and what stopped it ("" if nothing did).

    `course_utils` comes from the course folder `root`. The notebook itself is not changed.

    Raises:
        CourseError: there is no such notebook, or its cell of parameters lacks what should be changed.
    """
    import papermill

    if not path.is_file():
        raise CourseError(f"{path} does not exist. Run `autograde build`, and name a notebook that it makes.")
    notebook = nbformat.read(path, as_version=4)
    tagged = [cell.source for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    if preset != PRESETS[0] and not tagged:
        raise CourseError(f'{path} has no cell tagged `parameters` (`PRESET = "quick"`), so it cannot run as {preset}.')
    wanted = {"PRESET": preset, "SEED": seed}
    parameters = {name: value for name, value in wanted.items() if any(name in source for source in tagged)}
    if seed != SEED and "SEED" not in parameters:
        raise CourseError(f"{path} has no SEED in its cell of parameters, so it cannot run with another seed.")
    with files.temporary_folder("autograde-record-") as folder, _importable(root):
        target = folder / "executed.ipynb"
        try:
            papermill.execute_notebook(
                str(path), str(target), parameters, kernel_name="python3", cwd=str(path.parent), progress_bar=False
            )
            why = ""
        except papermill.PapermillExecutionError as error:
            why = f"{error.ename}: {error.evalue}"
        executed = nbformat.read(target, as_version=4)
    # what papermill adds to a notebook is no part of it, and the cells should have the numbers that people know
    executed.cells = [cell for cell in executed.cells if not ADDED & set(cell.metadata.get("tags", []))]
    failed = [n for n, cell in enumerate(executed.cells, 1) if why and _failed(cell)]
    return executed, f"cell {failed[0]}: {why}" if failed else why


def _failed(cell: Any) -> bool:
    return any(output.output_type == "error" for output in cell.get("outputs", []))


@contextmanager
def _importable(root: Path) -> Iterator[None]:
    """Kernels started meanwhile import `course_utils` from the course folder."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(root.resolve()), *([before] if before else [])])
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


def record(root: Path, notebook: str, claims: Iterable[Claim]) -> list[Claim]:
    """Keep the claims that were measured here, hold, and cost more than `quick`; returns them.

    Args:
        root: the course folder; its `course_utils/recorded.json` is replaced as a whole.
        notebook: where they stand, relative to `root`. One name belongs to one notebook.

    Raises:
        CourseError: the record is damaged, or a name belongs to another notebook.
    """
    path = root / RECORDED
    known = read_record(path)
    kept = [claim for claim in claims if claim.ok and not claim.recorded and claim.preset != PRESETS[0]]
    for claim in kept:
        other = known.get(claim.name, {}).get("notebook", notebook)
        if other != notebook:
            raise CourseError(f"the claim {claim.name!r} of {notebook} stands in {other}, too. Rename one of them.")
        known[claim.name] = {**{key: asdict(claim)[key] for key in KEPT}, "notebook": notebook, **_versions()}
    if kept:
        text = json.dumps(known, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)
        files.write(path, text + "\n")
    return kept


def _versions() -> dict[str, str]:
    """Of what measured: kernels run in the environment that this runs in."""
    import torch

    return {"python": platform.python_version(), "torch": torch.__version__}


def read_record(path: Path) -> dict[str, dict[str, Any]]:
    """What `recorded.json` says, by the name of the claim; empty if there is none.

    Raises:
        CourseError: it is damaged.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        whole = all(isinstance(entry, dict) and _finite(entry["measured"]) for entry in content.values())
    except (ValueError, AttributeError, KeyError) as error:
        raise CourseError(f"{path} is damaged ({error!r}). Restore it from git.") from None
    if not whole:
        raise CourseError(f"{path} is damaged: an entry is no claim. Restore it from git.")
    return dict(content)


def _finite(value: Any) -> bool:
    if isinstance(value, list):
        return all(_finite(part) for part in value)
    return isinstance(value, int | float) and math.isfinite(value)
