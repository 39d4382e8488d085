"""Lesson 08's homework: what its text says of pictures and captions holds."""

from __future__ import annotations

from course_utils import captioned
from course_utils.sentences import MASK


def test_postures_are_even_so_that_text_alone_is_at_chance() -> None:
    some = captioned.animals(4000, seed=9)
    assert abs(some.posture.double().mean().item() - 0.5) < 0.03
    hidden = some.ids.clone()
    hidden[:, 4] = MASK
    for row in hidden.unique(dim=0):  # each sentence with its posture hidden
        same = (hidden == row).all(1)
        assert 0.35 < some.posture[same].double().mean() < 0.65


def test_the_posture_stands_at_place_four() -> None:
    some = captioned.animals(50, seed=1)
    words = [captioned.WORDS.words[i] for i in some.ids[:, 4].tolist()]
    assert words == [captioned.POSTURES[p] for p in some.posture.tolist()]
