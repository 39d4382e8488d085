"""The threshold on a trained model that the card of `TwoQuestions` names, and what one head reaches beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jupytext
import matplotlib
import numpy as np
import pytest
import torch

from autograde.verify import ANSWERS
from course_utils import two_questions

matplotlib.use("Agg")
from matplotlib import pyplot as plt

SOURCE = Path(__file__).parents[1] / "source" / "04_multihead.py"
LESSON = jupytext.read(SOURCE)
CELLS = {cell.metadata["nbgrader"]["grade_id"]: cell.source for cell in LESSON.cells if "nbgrader" in cell.metadata}
BANK = ANSWERS / "04_multihead"
#: What the card promises of right answers, how they are trained, and what the test asks; one head stays below the last.
PROMISED, SEEDS, ASKED, ONE_HEAD = 0.98, 10, 0.95, 0.9
ANSWER = [
    (name, path)
    for name in ("TwoQuestions", "MultiHeadAttention", "split_heads")
    for path in sorted((BANK / name / "right").glob("*.py"))
]


def student(exercise: str = "", source: str = "") -> dict[str, Any]:
    """The names of a notebook in which one exercise is solved by `source` and the others by us."""
    names: dict[str, Any] = {}
    for name in ("setup", "split_heads", "MultiHeadAttention", "ablate_head", "seen", "TwoQuestions"):
        exec(source if name == exercise else CELLS[name], names)
    exec(CELLS["train"].split("\n\n\n")[0], names)  # the function, not yet its use
    return names


def models(names: dict[str, Any], heads: int) -> list[torch.nn.Module]:
    """A model from each seed, trained."""
    found = []
    for seed in range(SEEDS):
        torch.manual_seed(seed)
        found.append(names["train"](names["TwoQuestions"](heads=heads)).eval())
    return found


@torch.no_grad()
def right(model: torch.nn.Module, unseen: two_questions.Scenes) -> torch.Tensor:
    """(n, 4): which answers are right."""
    answers, _ = model(unseen.tokens)
    return torch.where(unseen.answers == 1, answers > 0, answers < 0)


def shares(names: dict[str, Any], heads: int) -> list[float]:
    """In how many scenes all four answers are right, seed by seed."""
    unseen = two_questions.scenes(1000, seed=77)
    return [right(model, unseen).all(-1).double().mean().item() for model in models(names, heads)]


def test_the_card_and_the_test_name_these_numbers() -> None:
    text = " ".join(SOURCE.read_text().replace("\n# ", " ").split())
    assert f"in at least **{ASKED:.0%}**".replace("%", " %") in text
    assert f"share >= {ASKED}" in CELLS["test_TwoQuestions"]
    assert f"all stay above {PROMISED:.0%}".replace("%", " %") in text
    assert f"One head with the same training stays below {ONE_HEAD:.0%}".replace("%", " %") in text


@pytest.mark.nightly
@pytest.mark.parametrize(("exercise", "path"), ANSWER, ids=lambda value: getattr(value, "stem", value))
def test_every_right_answer_stays_far_above_the_threshold(exercise: str, path: Path) -> None:
    found = shares(student(exercise, path.read_text()), heads=4)
    print(f"{exercise}/{path.stem}: worst of {SEEDS} seeds {min(found):.4f}")
    assert min(found) >= PROMISED


@pytest.mark.nightly
def test_one_head_stays_below_it() -> None:
    found = shares(student(), heads=1)
    print(f"one head: {min(found):.4f} to {max(found):.4f}")
    assert max(found) < ONE_HEAD


@pytest.mark.nightly
def test_two_heads_are_enough_but_not_from_every_start() -> None:
    """Why the card takes four."""
    found = sorted(shares(student(), heads=2))
    print(f"two heads: {[round(share, 3) for share in found]}")
    assert found[SEEDS // 2] >= PROMISED
    assert found[0] < ASKED


# --- the scenes


def test_scenes_are_the_same_again_and_the_disc_comes_first() -> None:
    first, again, other = (two_questions.scenes(50, seed=seed) for seed in (3, 3, 4))
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert not torch.equal(first.tokens, other.tokens)
    assert first.tokens.shape == (50, two_questions.THINGS, len(two_questions.FEATURES))
    kinds = first.tokens[..., :4]
    assert (kinds.sum(-1) == 1).all()
    assert kinds.sum(1)[0].tolist() == [1, 1, 1, two_questions.THINGS - 3]
    assert (kinds[:, 0, 0] == 1).all()
    assert two_questions.scenes(0).tokens.shape == (0, 8, 6)
    with pytest.raises(ValueError, match="negative"):
        two_questions.scenes(-1)


def test_answers_say_where_things_are_and_nothing_else_does() -> None:
    many = two_questions.scenes(4000, seed=5)
    scene = torch.arange(4000)
    disc = many.tokens[:, 0, 4:]
    for kind, columns in ((1, [0, 1]), (2, [2, 3])):
        places = many.tokens[..., kind].argmax(1)
        found = many.tokens[scene, places, 4:]
        assert torch.equal((found < disc).float(), many.answers[:, columns])
        assert (found != disc).all()
        assert len(places.unique()) == two_questions.THINGS - 1  # any place but the disc's
    assert (many.answers.mean(0) - 0.5).abs().max() < 0.03
    cells = (many.tokens[..., 4:] + 1) * (two_questions.SIDE - 1) / 2
    assert all(len(each.round().unique(dim=0)) == two_questions.THINGS for each in cells[:100])


def test_scenes_are_drawn_with_their_gates() -> None:
    tokens = two_questions.scenes(2, seed=1).tokens
    gates = torch.full((2, 8), 1 / 8)
    figure, axes = two_questions.drawn(tokens, "claim", ["one", "two"], gates)
    assert [ax.get_title() for ax in axes] == ["one", "two"]
    assert [text.get_text() for text in axes[0].texts] == ["0.12"] * 8
    assert np.isclose(axes[0].lines[0].get_linewidth(), 6 / 8)
    figure.canvas.draw()
    plt.close(figure)
    for wrong in ({"titles": ["one"]}, {"gates": gates[:1]}):
        with pytest.raises(ValueError, match="scenes"):
            two_questions.drawn(tokens, "claim", **wrong)
    plt.close("all")
