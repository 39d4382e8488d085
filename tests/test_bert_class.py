"""Lesson 07 in class: the network that is watched, the one that copies, the deep stack, figures and dials."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest
import torch
from torch import nn

from course_utils import bert_deep, bert_dials, bert_experiments, bert_pictures, text_net, training
from course_utils.sentences import LENGTH, WORDS, corpus

matplotlib.use("Agg")

CAT = "the cat [MASK] on the mat"


@pytest.fixture(scope="module")
def model() -> text_net.TextNet:
    made = training.seeded(lambda: text_net.TextNet(len(WORDS), LENGTH), 0)
    assert isinstance(made, text_net.TextNet)
    return made.eval()


# --- experiments


def test_watching_looks_when_it_is_told_and_leaves_torchs_generator_alone(capsys: pytest.CaptureFixture[str]) -> None:
    state, data = torch.get_rng_state(), corpus(200, 0).ids
    watched = bert_experiments.watch(data, CAT, updates=50, looks=(0, 20, 50), seed=0)
    assert torch.equal(torch.get_rng_state(), state)
    assert watched.updates == (0, 20, 50)
    assert watched.guesses.shape == (3, len(WORDS))
    torch.testing.assert_close(watched.guesses.sum(1), torch.ones(3))
    torch.testing.assert_close(watched.guesses[-1], bert_experiments.guesses(watched.model, CAT))
    assert len(watched.losses) == 50
    assert np.mean(watched.losses[-10:]) < np.mean(watched.losses[:10])
    assert "update 50 of 50" in capsys.readouterr().out
    again = bert_experiments.watch(data, CAT, updates=50, looks=(0, 20, 50), seed=0, show=False)
    assert torch.equal(again.guesses, watched.guesses)
    assert capsys.readouterr().out == ""


def test_a_look_after_the_end_and_a_sentence_without_mask_are_refused(model: text_net.TextNet) -> None:
    with pytest.raises(ValueError, match="within the 5 updates"):
        bert_experiments.watch(corpus(9, 0).ids, CAT, updates=5, looks=(6,), seed=0)
    with pytest.raises(ValueError, match=r"no \[MASK\]"):
        bert_experiments.guesses(model, "the cat sat")


def test_who_sees_every_word_learns_to_copy_and_no_more() -> None:
    data, unseen = corpus(500, 0), corpus(200, 1)
    copier = bert_experiments.copier(data.ids, updates=100, seed=0)
    with torch.no_grad():
        right = (copier(unseen.ids).argmax(-1) == unseen.ids)[unseen.real]
    assert right.float().mean() > 0.99
    assert bert_experiments.hits(copier, unseen, 0) < 0.05


def test_the_unigram_guess_is_the_share_of_each_word() -> None:
    shares = bert_experiments.unigram(WORDS.encode(["the cat sat on the mat", "the dog"], 9))
    assert shares[WORDS.id("the")] == 3 / 8
    assert shares[WORDS.id("dog")] == 1 / 8
    assert shares.sum() == 1
    assert list(bert_experiments.best(shares, 1)) == ["the"]


def test_hits_count_hidden_words_alone() -> None:
    class Says(nn.Module):
        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            return nn.functional.one_hot(torch.full_like(ids, WORDS.id("the")), len(WORDS)).float()

    data = corpus(2000, 0)
    assert bert_experiments.hits(Says(), data, 0) == pytest.approx(
        float(bert_experiments.unigram(data.ids)[WORDS.id("the")]), abs=0.03
    )


def test_the_walk_is_an_rnn_and_takes_a_step_for_each_word() -> None:
    torch.manual_seed(0)
    layer, cell = nn.RNN(5, 7, batch_first=True), nn.RNNCell(5, 7)
    for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
        getattr(cell, name).data = getattr(layer, f"{name}_l0").data
    x = torch.randn(2, 11, 5)
    states, taken = bert_experiments.step_by_step(cell, x)
    torch.testing.assert_close(states, layer(x)[0])
    assert taken == 11


def test_seconds_are_taken_for_each_length() -> None:
    seen: list[tuple[int, ...]] = []
    spent = bert_experiments.seconds(lambda x: seen.append(tuple(x.shape)), [3, 5], width=4, repeats=2)
    assert seen == [(1, 3, 4)] * 2 + [(1, 5, 4)] * 2
    assert all(each >= 0 for each in spent)
    assert bert_experiments.Attention(4)(torch.zeros(2, 3, 4)).shape == (2, 3, 4)


# --- the deep stack


@pytest.mark.parametrize("norm_first", [True, False])
def test_our_block_is_pytorchs_and_a_cut_changes_no_output(norm_first: bool) -> None:
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(
        8, 2, 16, dropout=0.0, activation="gelu", batch_first=True, norm_first=norm_first
    )
    x, padding = torch.randn(3, 5, 8), torch.tensor([[False] * 3 + [True] * 2] * 3)
    right = layer(x, src_key_padding_mask=padding)
    for cut in (True, False):
        torch.testing.assert_close(bert_deep._block(layer, x, padding, cut), right)


def test_only_pre_norm_has_a_clean_skip_path() -> None:
    pre, post = bert_deep.gradients(True, 0), bert_deep.gradients(False, 0)
    assert len(pre.skip) == len(pre.all) == bert_deep.BLOCKS
    assert pre.skip == pytest.approx([1] * bert_deep.BLOCKS, rel=1e-4)
    assert post.skip[0] < 0.5 < post.skip[-1] < 1
    assert pre.all[0] > post.all[0] > 0.5


def test_the_deep_training_gives_a_loss_for_each_update(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bert_deep, "BLOCKS", 1)
    monkeypatch.setattr(bert_deep, "UPDATES", 30)
    losses = bert_deep.deep_losses(True, 0, show=False)
    assert len(losses) == 30
    assert np.mean(losses[-5:]) < np.mean(losses[:5])


# --- figures


def test_windows_are_the_rows_of_the_cut_pixels() -> None:
    row = torch.arange(12.0)[None]
    _, (above, below) = bert_pictures.windows(row, ["a", "b", "c"], "cut")
    assert below.images[0].get_array().tolist() == row.view(3, 4).tolist()
    assert above.images[0].get_array().tolist() == row.tolist()
    with pytest.raises(ValueError, match="do not fall"):
        bert_pictures.windows(row, ["a"] * 5, "cut")


def test_a_lookup_shows_the_rows_of_the_table() -> None:
    table = torch.randn(3, 2)
    _, axes = bert_pictures.lookup(["b", "a", "b"], [1, 0, 1], table, ["a", "b", "c"], "copied")
    np.testing.assert_allclose(axes[2].images[0].get_array(), table[[1, 0, 1]].double().numpy())


def test_hidden_words_are_coloured_by_their_fate() -> None:
    _, ax = bert_pictures.hidden_words([[("the", "not chosen"), ("[MASK]", "[MASK]")]], "hidden")
    assert [text.get_text() for text in ax.texts] == ["the", "[MASK]"]
    assert ax.patches[0].get_facecolor() != ax.patches[1].get_facecolor()
    with pytest.raises(ValueError, match="hidden_words draws"):
        bert_pictures.hidden_words([[("the", "lost")]], "hidden")


def test_guesses_have_a_row_for_each_look_and_one_for_not_reading() -> None:
    _, ax = bert_pictures.guess_map([[0.1, 0.2], [0.7, 0.3]], [0, 1500], ["sat", "slept"], "guess", [0.5, 0.5])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["unigram guess", "0 updates", "1,500 updates"]
    with pytest.raises(ValueError, match="do not fit"):
        bert_pictures.guess_map([[0.1, 0.2]], [0, 1], ["sat", "slept"], "guess")


def test_meanings_that_are_equal_lie_on_one_point() -> None:
    torch.manual_seed(0)
    after = torch.cat([torch.randn(4, 6), torch.randn(4, 6) + 9])
    _, axes = bert_pictures.meanings(torch.ones(8, 6), after, ["a"] * 4 + ["b"] * 4, "apart")
    for line in axes[0].lines:
        assert np.abs(line.get_xydata()).max() < 1e-9
    sides = [line.get_xdata() for line in axes[1].lines]
    assert (sides[0].max() < sides[1].min()) or (sides[1].max() < sides[0].min())


def test_gates_that_are_no_numbers_say_so() -> None:
    _, axes = bert_pictures.padded_gates({"all": torch.eye(2), "none": torch.full((2, 2), torch.nan)}, "ab", "gates")
    assert [text.get_text() for text in axes[0].texts] == ["1.00", "0", "0", "1.00"]
    assert {text.get_text() for text in axes[1].texts} == {"nan"}


def test_touched_rows_are_counted() -> None:
    _, axes = bert_pictures.touched_rows({"in": [0, 1, 0], "out": [1, 1, 2]}, "touched")
    assert [ax.get_title().split(": ")[1] for ax in axes] == [
        "1 of 3 rows hear something",
        "3 of 3 rows hear something",
    ]


# --- dials


def test_the_guess_dial_hides_the_word_it_is_told(model: text_net.TextNet) -> None:
    dial = bert_dials.guess_dial(model, ["the cat sat on the mat", "the dog stood"])
    assert CAT in dial.words(**dial.values)
    first = dial.picture
    dial.controls["place"].value = 1
    assert dial.picture != first
    assert "[MASK] cat sat" in dial.words(**dial.values)
    assert "the dog [MASK]" in dial.words(sentence="the dog stood", place=6)  # past the end: the last
    with pytest.raises(ValueError, match="at least one"):
        bert_dials.guess_dial(model, [])


def test_the_step_dial_counts_what_is_done() -> None:
    dial = bert_dials.step_dial(["a", "b", "c"])
    assert "has done 2 places, the attention layer 3" in dial.words(step=2)
    assert "has done 0 places, the attention layer 0" in dial.words(step=0)
    _, axes = bert_dials.steps(["a", "b", "c"], 2, "two")
    assert [ax.get_title() for ax in axes] == ["RNN: 2 of 3 states", "attention: 3 of 3 outputs"]
