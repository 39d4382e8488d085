"""The sentences of lesson 07, the captioned pictures of lesson 08, and the tiny BERT that reads both."""

from __future__ import annotations

import pytest
import torch

from course_utils import captioned, sentences, training
from course_utils.sentences import MASK, PAD, UNK, WORDS, Vocabulary
from course_utils.text_net import TextNet, hide, pretrain


def test_encode_and_decode_are_inverse_on_every_sentence_of_the_grammar() -> None:
    for kind in sentences.every():
        ids = WORDS.encode(kind, sentences.LENGTH)
        assert not (ids == UNK).any()
        assert [WORDS.decode(row) for row in ids] == [f"[CLS] {sentence} [SEP]" for sentence in kind]
    assert WORDS.encode("the zebra sat").tolist()[2] == UNK
    with pytest.raises(ValueError, match="needs 5 tokens, and length is 4"):
        WORDS.encode("the cat sat", 4)
    with pytest.raises(ValueError, match="once"):
        Vocabulary(["cat", "[MASK]"])


def test_a_corpus_is_the_same_again_and_has_every_kind_in_its_share() -> None:
    one = sentences.corpus(2000, seed=3)
    assert torch.equal(one.ids, sentences.corpus(2000, seed=3).ids)
    assert not torch.equal(one.ids, sentences.corpus(2000, seed=4).ids)
    assert torch.equal(one.real, one.ids != PAD)
    shares = [sum(text in kind for text in one.text) / 2000 for kind in map(set, sentences.every())]
    assert shares == pytest.approx([0.5, 0.25, 0.25], abs=0.05)
    assert sentences.corpus(0, seed=0).ids.shape == (0, sentences.LENGTH)
    with pytest.raises(ValueError, match="negative"):
        sentences.corpus(-1, seed=0)


def test_hidden_words_are_the_labels_and_specials_never_hide() -> None:
    ids = sentences.corpus(500, seed=0).ids
    seen, labels = hide(ids, torch.Generator().manual_seed(0), rate=0.3)
    chosen = labels != -100
    assert (seen[chosen] == MASK).all()
    assert torch.equal(labels[chosen], ids[chosen])
    assert torch.equal(seen[~chosen], ids[~chosen])
    assert (ids[chosen] > MASK).all()
    assert chosen.sum() / (ids > MASK).sum() == pytest.approx(0.3, abs=0.03)


@pytest.mark.parametrize("norm_first", [True, False])
def test_padding_changes_nothing_and_tokens_before_the_words_are_read(norm_first: bool) -> None:
    net = training.seeded(lambda: TextNet(len(WORDS), 11, norm_first=norm_first), 0).eval()
    short = WORDS.encode(["the cat sat on the mat"])
    long = WORDS.encode(["the cat sat on the mat"], 11)
    torch.testing.assert_close(net(long)[:, : short.shape[1]], net(short), rtol=0, atol=1e-5)
    before = torch.randn(1, 3, 32, generator=torch.Generator().manual_seed(0))
    with_picture = net(long, before)
    assert with_picture.shape == (1, 11, len(WORDS))
    assert (with_picture - net(long)).abs().max() > 0.01


def test_a_tiny_bert_learns_what_the_grammar_fixes() -> None:
    net = training.seeded(lambda: TextNet(len(WORDS), sentences.LENGTH), 0)
    losses = pretrain(net, sentences.corpus(2000, seed=1).ids, updates=300)
    assert sum(losses[-20:]) < 0.5 * sum(losses[:20])
    ids = WORDS.encode("the cook cut the bread with the [MASK]")[None]
    assert WORDS.words[net(ids)[0][ids[0] == MASK].argmax()] == "knife"
    with pytest.raises(ValueError, match="no sentences"):
        pretrain(net, sentences.corpus(0, seed=1).ids, updates=1)


def test_pictures_show_what_their_captions_say_and_no_word_tells_another() -> None:
    made = captioned.animals(2000, seed=0)
    assert torch.equal(made.images, captioned.animals(2000, seed=0).images)
    assert torch.equal(made.ids, captioned.WORDS.encode(made.captions, 9))
    for i in range(20):
        words = made.captions[i].split()
        told = captioned.COLOURS[made.colour[i]], captioned.ANIMALS[made.animal[i]], captioned.POSTURES[made.posture[i]]
        assert tuple(words[1:4]) == told
    together = torch.bincount(made.colour * 4 + made.animal * 2 + made.posture, minlength=16) / 2000
    assert (together - 1 / 16).abs().max() < 0.025
    clean = captioned.animals(300, seed=1, noise=0.0)
    height = (clean.images.amax(1).amax(2) > 0).sum(1)
    assert torch.equal(height > 6, clean.posture == 1)
    bottom = (clean.images.amax(1).amax(2) > 0).int().mul(torch.arange(captioned.SIDE)).amax(1)
    assert (bottom == bottom[0]).all()  # one ground line


def test_anywhere_both_postures_light_as_many_pixels() -> None:
    clean = captioned.animals(400, seed=2, anywhere=True, noise=0.0)
    area = (clean.images.amax(1) > 0).flatten(1).sum(1)
    for animal in (0, 1):
        assert len(area[clean.animal == animal].unique()) == 1


def test_pairs_name_the_square_first_wherever_it_is() -> None:
    made = captioned.pairs(300, seed=0, noise=0.0)
    for i in range(300):
        square, circle = (int(made.colours[i, made.bodies[i].tolist().index(body)]) for body in (0, 1))
        said = f"a {captioned.COLOURS[square]} square and a {captioned.COLOURS[circle]} circle"
        assert made.captions[i] == said
    assert (made.bodies[:, 0] == 0).float().mean() == pytest.approx(0.5, abs=0.1)
    assert (made.colours[:, 0] != made.colours[:, 1]).all()
    # the left half of a picture holds the left body only
    rgb = made.images.flatten(2).reshape(300, 3, 16, 16)[..., :8].amax((2, 3))
    assert torch.equal(rgb.argmax(1)[made.colours[:, 0] == 1], torch.full(((made.colours[:, 0] == 1).sum(),), 2))


def test_swapping_twice_gives_the_caption_back() -> None:
    caption = "a red square and a blue circle"
    assert captioned.swapped(caption) == "a blue square and a red circle"
    assert captioned.swapped(captioned.swapped(caption)) == caption
    with pytest.raises(ValueError, match="takes a caption like"):
        captioned.swapped("the red cat sat on the mat")
    with pytest.raises(ValueError, match="negative"):
        captioned.animals(-1, seed=0)
