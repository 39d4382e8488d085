"""The threshold on the trained model that the card of `Bert` names: no right answer misses it, from any seed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jupytext
import pytest
import torch

from autograde.verify import ANSWERS
from course_utils.sentences import LENGTH, MASK, SPECIALS, corpus

TEXT = Path(__file__).parents[1] / "source" / "07_bert.py"
CELLS = {
    cell.metadata["nbgrader"]["grade_id"]: cell.source
    for cell in jupytext.read(TEXT).cells
    if "nbgrader" in cell.metadata
}
BANK = ANSWERS / "07_bert"
#: What the card promises of right answers, how they are trained, and what the test of the lesson asks.
PROMISED, SEEDS, ASKED = 0.56, 10, 0.5
#: The exercises on which the trained model depends; each of their right answers is trained.
CHAIN = ("mask_tokens", "mlm_loss", "masked_attention", "BertBlock", "tie_weights", "Bert")
ANSWER = [(name, path) for name in CHAIN for path in sorted((BANK / name / "right").glob("*.py"))]


def student(exercise: str, source: str) -> dict[str, Any]:
    """The names of a notebook in which one exercise is solved by `source` and the others by us."""
    names: dict[str, Any] = {}
    for name in ("setup", *CHAIN):
        exec(source if name == exercise else CELLS[name], names)
    exec(CELLS["train"].split("\n\n\ntorch.manual_seed")[0], names)  # the function, not yet its use
    return names


def questions(count: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """New sentences with one word of each hidden, its place, and the word."""
    ids, drawn, rows = corpus(count, 77).ids.clone(), torch.Generator().manual_seed(77), torch.arange(count)
    place = (torch.rand(count, LENGTH, generator=drawn) * (ids >= len(SPECIALS))).argmax(1)
    word = ids[rows, place]
    ids[rows, place] = MASK
    return ids, place, word


def shares(names: dict[str, Any], seeds: range) -> list[float]:
    """How many hidden words of new sentences the model guesses, seed by seed."""
    ids, place, word = questions(1500)
    found = []
    for seed in seeds:
        torch.manual_seed(seed)
        model = names["Bert"](**names["SMALL"])
        names["pretrain"](model, corpus(4000, seed=0).ids, seed)
        with torch.no_grad():
            said = model(ids)[torch.arange(len(ids)), place].argmax(-1)
        found.append((said == word).float().mean().item())
    return found


def test_the_card_and_the_test_name_these_numbers() -> None:
    text = TEXT.read_text()
    assert f"at least **{ASKED:.0%}**".replace("%", " %") in text
    assert f"share >= {ASKED}" in CELLS["test_Bert"]
    assert f"stay above {PROMISED:.0%}".replace("%", " %") in " ".join(text.replace("\n# ", " ").split())


def test_the_most_frequent_word_is_far_below_it() -> None:
    _, _, word = questions(1500)
    most = corpus(4000, seed=0).ids.flatten().bincount()[len(SPECIALS) :].argmax() + len(SPECIALS)
    assert 0.25 < (word == most).float().mean() < 0.4


@pytest.mark.nightly
@pytest.mark.parametrize(("exercise", "path"), ANSWER, ids=lambda value: getattr(value, "stem", value))
def test_every_right_answer_stays_far_above_the_threshold(exercise: str, path: Path) -> None:
    found = shares(student(exercise, path.read_text()), range(SEEDS))
    print(f"{exercise}/{path.stem}: worst of {SEEDS} seeds {min(found):.4f}")
    assert min(found) >= PROMISED
