"""The threshold on trained models that the card of `PlacedScores` names, and the pictures that they are trained on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jupytext
import pytest
import torch

from autograde.verify import ANSWERS
from course_utils import left_right

TEXT = Path(__file__).parents[1] / "source" / "05_position.py"
LESSON = jupytext.read(TEXT)
CELLS = {cell.metadata["nbgrader"]["grade_id"]: cell.source for cell in LESSON.cells if "nbgrader" in cell.metadata}
BANK = ANSWERS / "05_position"
#: What the card promises of right answers, how they are trained, and what the test of the lesson asks.
PROMISED, SEEDS, ASKED = 0.97, 10, 0.9
ANSWER = [
    (name, path) for name in ("PlacedScores", "OffsetBias") for path in sorted((BANK / name / "right").glob("*.py"))
]
PARTS = ("setup", "relative_index", "OffsetBias", "rope", "rope_2d", "position_groups", "Looker", "PlacedScores")
NO_PLACE = """
class PlacedScores(nn.Module):
    def __init__(self, heads, d, rows, cols):
        super().__init__()

    def forward(self, q, k):
        return (q @ k.mT) / q.shape[-1] ** 0.5
"""


def student(exercise: str, source: str) -> dict[str, Any]:
    """The names of a notebook in which one exercise is solved by `source` and the others by us."""
    names: dict[str, Any] = {}
    for name in PARTS:
        exec(source if name == exercise else CELLS[name], names)
    exec(CELLS["train"].split("\n\n\n")[0], names)  # the function, not yet its use
    return names


def shares(names: dict[str, Any], seeds: int = SEEDS) -> list[float]:
    """In how many pictures the model is right, seed by seed."""
    unseen = left_right.pictures(400, seed=77, unseen=True)
    found = []
    for seed in range(seeds):
        model = names["train"](names["PlacedScores"], seed)
        with torch.no_grad():
            found.append(((model(unseen.tokens) > 0) == (unseen.labels == 1)).double().mean().item())
    return found


def test_the_card_and_the_test_name_these_numbers() -> None:
    text = " ".join(TEXT.read_text().replace("\n#", " ").split())
    assert f"at least **{ASKED:.0%}**".replace("%", " %") in text
    assert f"share >= {ASKED}" in CELLS["test_PlacedScores"]
    assert f"all stay above {PROMISED:.0%}".replace("%", " %") in text


def test_each_picture_is_followed_by_its_mirror_image() -> None:
    some, again = left_right.pictures(60, seed=3), left_right.pictures(60, seed=3)
    assert all(torch.equal(a, b) for a, b in zip(some, again, strict=True))
    grid = some.tokens.unflatten(1, (left_right.ROWS, left_right.COLS))
    assert torch.equal(grid[1::2], grid[::2].flip(2))
    assert torch.equal(some.labels[::2] + some.labels[1::2], torch.ones(30, dtype=torch.long))
    assert torch.equal(some.tokens.sum(1), torch.tensor([22.0, 1, 1]).expand(60, 3))
    columns = grid.argmax(-1).amax(1)  # (60, 6): what each column shows
    square, disc = ((columns == kind).int().argmax(-1) for kind in (1, 2))
    assert torch.equal((square < disc).long(), some.labels)


def test_unseen_pictures_are_never_among_those_for_learning() -> None:
    seen, unseen = (left_right.pictures(4000, seed=1, unseen=kept).tokens.flatten(1) for kept in (False, True))
    rows = {tuple(row.tolist()) for row in seen}
    assert len(rows) > 300
    assert not any(tuple(row.tolist()) in rows for row in unseen)


def test_pictures_refuse_what_has_no_mirror_image() -> None:
    for count in (3, -2):
        with pytest.raises(ValueError, match="even"):
            left_right.pictures(count)
    with pytest.raises(ValueError, match="tokens"):
        left_right.drawn(torch.zeros(5, 3))
    image = left_right.drawn(left_right.pictures(2).tokens[0])
    assert image.shape == (3, 36, 54)


def test_without_position_the_model_is_right_in_exactly_half() -> None:
    assert shares(student("PlacedScores", NO_PLACE), seeds=2) == [0.5, 0.5]


@pytest.mark.nightly
@pytest.mark.parametrize(("exercise", "path"), ANSWER, ids=lambda value: getattr(value, "stem", value))
def test_every_right_answer_stays_far_above_the_threshold(exercise: str, path: Path) -> None:
    found = shares(student(exercise, path.read_text()))
    print(f"{exercise}/{path.stem}: worst of {SEEDS} seeds {min(found):.4f}")
    assert min(found) >= PROMISED
