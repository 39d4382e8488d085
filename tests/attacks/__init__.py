"""The corpus of hostile and difficult student code: loads the files and plants their cells into a notebook.

The format, and what a run of the corpus has to check, is in README.md beside this file.
"""

from __future__ import annotations

import ast
import copy
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import nbformat

FOLDER = Path(__file__).parent
GROUPS = ("forge", "read", "break", "escape", "lie")
EXERCISES = ("scores", "attention", "SelfAttention")
KEYS = ("exercise", "expect", "spares", "says", "hides")

#: The 8 ways to forge a score and the 3 ways to read the tests that earned full marks in stock nbgrader.
STOCK = (
    "forge/always_equal",
    "forge/patched_comparisons",
    "forge/tensor_subclass",
    "forge/ast_transformer",
    "forge/input_transformer",
    "forge/silenced_traceback",
    "forge/patched_run_cell",
    "forge/forged_number",
    "read/caller_frame",
    "read/history",
    "read/notebook_file",
)

#: What an attack leaves when it worked: a word in an output or a file's name, a process's command line.
ESCAPED, SURVIVOR = "ESCAPED", "OUTLIVES_GRADING"
#: What a run lays out for attacks to find: see README.md.
BAIT, BAIT_VARIABLE, BAIT_PORT, BAIT_SOCKET = "course-attack-bait", "GRADER_BAIT_TOKEN", 48213, "\0course-attack-bait"

Expect = Literal["zero", "keeps", "graded"]
Role = Literal["attack", "twin"]
#: A header of a cell: `# %% attention`, `# %% free before attention`, `# %% twin: free at end`.
MARK = re.compile(r"^# %% (twin: )?(?:(\w+)|free (?:(before|after) (\w+)|at end))$")


@dataclass(frozen=True)
class AttackCell:
    """A cell that goes into the notebook: `place` is an exercise (its solution cell is replaced), or `free before X`,
    `free after X` (X a grade_id) or `free at end` (an extra cell)."""

    place: str
    source: str


@dataclass(frozen=True)
class Attack:
    """One file. `expect` is about `exercise` (None: the attack replaces no answer); `spares` are the others that must
    keep all their points. `says` must stand in the verdict's message, `hides` nowhere in the student's feedback."""

    name: str
    group: str
    doc: str
    exercise: str | None
    expect: Expect
    cells: tuple[AttackCell, ...]
    twin: tuple[AttackCell, ...]
    spares: tuple[str, ...] = ()
    says: str = ""
    hides: str = ""

    @property
    def key(self) -> str:
        return f"{self.group}/{self.name}"


def load_attacks(group: str | None = None) -> tuple[Attack, ...]:
    """Every attack (of one group), sorted by group and name.

    Raises:
        ValueError: a file breaks the format; the message names file and reason.
    """
    groups = GROUPS if group is None else (group,)
    return tuple(load_attack(path) for name in groups for path in sorted((FOLDER / name).glob("*.py")))


def load_attack(path: Path) -> Attack:
    """Read one file.

    Raises:
        ValueError: it breaks the format; the message names file and reason.
    """
    try:
        head, cells = _split(path.read_text(encoding="utf-8"))
        keys = _keys(head)
        doc = ast.get_docstring(ast.parse(head))
        if not doc:
            raise ValueError("the docstring is missing")
        exercise = None if keys["exercise"] == "none" else keys["exercise"]
        attack = Attack(
            name=path.stem,
            group=path.parent.name,
            doc=" ".join(doc.split()),
            exercise=exercise,
            expect=_one_of(keys["expect"], ("zero", "keeps", "graded")),
            cells=tuple(cell for role, cell in cells if role == "attack"),
            twin=tuple(cell for role, cell in cells if role == "twin"),
            spares=_spares(keys.get("spares", ""), exercise),
            says=keys.get("says", ""),
            hides=keys.get("hides", ""),
        )
        _check(attack)
    except (ValueError, SyntaxError) as error:
        raise ValueError(f"{path}: {error}") from None
    return attack


def plant(notebook: nbformat.NotebookNode, *cells: AttackCell) -> nbformat.NotebookNode:
    """A copy of a notebook with these cells in their places; several attacks' free cells may be planted together.

    Raises:
        ValueError: the notebook has no cell with the grade_id that a place names.
    """
    planted = copy.deepcopy(notebook)
    for number, cell in enumerate(cells):
        if cell.place in EXERCISES:
            planted.cells[_find(planted, cell.place)].source = cell.source
            continue
        extra = nbformat.v4.new_code_cell(cell.source, id=f"planted-{number}")
        _, where, *target = cell.place.split()
        at = len(planted.cells) if where == "at" else _find(planted, target[0]) + (where == "after")
        while where == "after" and at < len(planted.cells) and planted.cells[at].id.startswith("planted-"):
            at += 1  # cells for one place keep their order
        planted.cells.insert(at, extra)
    return planted


def _find(notebook: nbformat.NotebookNode, grade_id: str) -> int:
    for index, cell in enumerate(notebook.cells):
        if cell.metadata.get("nbgrader", {}).get("grade_id") == grade_id:
            return index
    raise ValueError(f"the notebook has no cell {grade_id}")


def _split(text: str) -> tuple[str, list[tuple[Role, AttackCell]]]:
    """The head of a file (docstring and keys) and its cells."""
    head, *rest = re.split(r"^(?=# %% )", text, flags=re.MULTILINE)
    cells: list[tuple[Role, AttackCell]] = []
    for piece in rest:
        mark, _, source = piece.partition("\n")
        match = MARK.match(mark)
        if not match:
            raise ValueError(f"{mark!r} is no cell header")
        place = mark.removeprefix("# %% ").removeprefix("twin: ")
        if match[2] and match[2] not in EXERCISES:
            raise ValueError(f"{match[2]} is no exercise; there are {', '.join(EXERCISES)}")
        source = re.sub(r"^#\| ?", "", source, flags=re.MULTILINE)  # magics and other text that is no Python
        cells.append(("twin" if match[1] else "attack", AttackCell(place, source.strip("\n"))))
    return head, cells


def _keys(head: str) -> dict[str, str]:
    keys: dict[str, str] = {}
    for key, value in re.findall(r"^# (\w+): *(.*\S)$", head, flags=re.MULTILINE):
        if key not in KEYS or key in keys:
            raise ValueError(f"the key {key!r} is unknown or stands twice; there are {', '.join(KEYS)}")
        keys[key] = value
    if missing := {"exercise", "expect"} - set(keys):
        raise ValueError(f"the keys {sorted(missing)} are missing")
    return keys


def _one_of(value: str, choices: tuple[str, ...]) -> Any:
    if value not in choices:
        raise ValueError(f"{value!r} is none of {', '.join(choices)}")
    return value


def _spares(value: str, exercise: str | None) -> tuple[str, ...]:
    if value == "all":
        return tuple(name for name in EXERCISES if name != exercise)
    return tuple(_one_of(name.strip(), EXERCISES) for name in value.split(",") if name.strip())


def _check(attack: Attack) -> None:
    """What holds between the parts of a file."""
    if not attack.cells:
        raise ValueError("there is no hostile cell")
    if not attack.twin and attack.expect != "keeps":
        raise ValueError("the honest twin is missing")
    if attack.exercise is None and attack.expect == "zero":
        raise ValueError("`expect: zero` needs an exercise")
    if attack.exercise is not None:
        _one_of(attack.exercise, EXERCISES)
        if attack.expect == "zero" and attack.exercise not in {cell.place for cell in attack.cells}:
            raise ValueError(f"`expect: zero` needs a cell `# %% {attack.exercise}` with a wrong answer")
    if attack.exercise in attack.spares:
        raise ValueError(f"{attack.exercise} cannot be attacked and spared")
