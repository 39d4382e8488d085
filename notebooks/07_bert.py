# ---
# jupyter:
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
# # 07 · The same block on words, in class
#
# **The question:** a camera gives an image its numbers. Nobody photographs a word. Where do the numbers of a word come
# from?
#
# We come from the vision transformer. Its encoder block does not know that its tokens are patches. Today it gets words,
# and learns from raw text: a word is hidden, and the network guesses it. That is BERT.
#
# | minutes | section |
# |---|---|
# | 0 to 6 | 1 · A row of pixels |
# | 6 to 14 | 2 · A segment for each word |
# | 14 to 22 | 3 · Hide a word |
# | 22 to 31 | 4 · Watch it fill |
# | 31 to 35 | 5 · One word, two meanings |
# | 35 to 42 | 6 · Padding: rows or columns? |
# | 42 to 48 | 7 · The same table twice |
# | 48 to 54 | 8 · Before or after the norm |
# | 54 to 60 | 9 · What about RNNs? |

# %% [markdown] tags=["teacher"]
# **For the teacher.** 60 minutes; the table above says when each section begins. Six votes, all before the measurement:
# 1 A (not at all), 2 D (it copies), 3 C (a half, give or take), 4 B (columns), 5 C (about the same), 6 B (not for long
# ones). Ask for hands, click, then reveal.
#
# Live cells: `as_conv`, `one_row`, `first_piece`, `one_word`, `no_reading`, `two_banks`, `hide_keys`, `unmasked`,
# `both_uses`, `base_bert`, `one_norm`, `in_a_row`. If time runs short, reveal `as_conv`, `no_reading` and `base_bert`
# without typing, and leave out the second figure of section 8. Never leave out `one_row`, vote 3, `hide_keys` and the
# last page. The network of section 4 trains for about a quarter of a minute: start it while you explain the votes.

# %% [markdown]
# **Words.** A *piece* is a word or a part of one; each has a number, its *id*. A *token* is a piece's vector. A *score*
# is a number before the softmax, a *gate* is one after it. Rows are queries, columns are keys. Batch comes first.

# %% tags=["parameters"]
PRESET = "quick"
SEED = 0

# %%
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils import (
    bert_deep,
    bert_dials,
    bert_pictures,
    charts,
    claims,
    live,
    settings,
    text_net,
    training,
)
from course_utils import bert_experiments as experiments
from course_utils.claims import claim
from course_utils.described import described
from course_utils.sentences import LENGTH, MASK, WORDS, corpus

settings.prepare(seed=SEED, preset=PRESET)
generator = torch.Generator().manual_seed(1)

# %% [markdown]
# ## 1 · A row of pixels
#
# Lesson 06 cut an image into patches. Make the image one pixel high: a row of 4,608 numbers. Cut it every 768 pixels.
# Each window is a row of a matrix, and a linear layer reads each row. 768 is 16 × 16 × 3, a patch of ViT-Base.

# %%
WIDTH, COUNT = 768, 6
waves = torch.sin(torch.arange(WIDTH * COUNT) / 3) * torch.linspace(0.2, 1, WIDTH * COUNT)
image = (waves + 0.2 * torch.randn(WIDTH * COUNT, generator=generator))[None]  # (1, 4608)
described(
    bert_pictures.windows(image, [f"window {i + 1}" for i in range(COUNT)], "A row of pixels becomes six tokens"),
    "Above, one row of pixels with five cuts. Below, its six windows as the rows of a matrix of 6 by 768.",
)
linear = training.seeded(lambda: nn.Linear(WIDTH, WIDTH), 0)
claim("pixels of the row; of a patch", [image.numel(), 16 * 16 * 3], expect=[4608, 768], tol=0)

# %% [markdown]
# **Your turn:** make `tokens`, (6, 768): cut `image` into windows and push them through `linear`. Then `conv`, an
# `nn.Conv1d` with kernel and stride 768, and give it the weights of `linear`; it makes `slid`, (1, 768, 6), of
# `image[None]`. Compare.

# %% tags=["live"] live="as_conv"
tokens = linear(image.view(COUNT, WIDTH))  # (6, 768)
conv = nn.Conv1d(1, WIDTH, kernel_size=WIDTH, stride=WIDTH)
with torch.no_grad():
    conv.weight.copy_(linear.weight[:, None])  # (768, 1, 768)
    conv.bias.copy_(linear.bias)
slid = conv(image[None])  # (1, 768, 6)
print((slid[0].T - tokens).abs().max())

# %%
claim("convolution against cut and linear", (slid[0].T - tokens).abs().max(), expect=0, tol=1e-5)
claim("numbers in the layer", sum(p.numel() for p in conv.parameters()), expect=590592, tol=0)

# %% [markdown]
# **What to see.** They agree to rounding. Cut and multiply *is* a 1-D convolution with kernel and stride 768, and 590,592
# numbers. From here on ViT goes as we know it: six tokens, twelve encoder blocks. Attention mixes the windows.
#
# ## 2 · A segment for each word
#
# Now let every window describe a word: the cat sat on the mat. Six words, six windows. But what are their pixels?
#
# BERT's answer: **give each word a segment of its own, and learn what to paint in it.** All segments together are a
# table, E, with one row for each id. At first the rows are random.

# %%
rows = ("[MASK]", "the", "on", "cat", "sat", "mat")  # a vocabulary of six, and E with four numbers a row
E = torch.randn(len(rows), 4, generator=generator).mul(10).round().div(10)
sentence = ["the", "cat", "sat", "on", "the", "mat"]
ids = [rows.index(word) for word in sentence]

# %%
live.vote(
    "“the” stands twice in this sentence. Before positions are added: how do its two tokens differ?",
    {"A": "not at all", "B": "in a few numbers", "C": "each “the” has a row of its own"},
    answer="A",
    why="One id, one row. Only the position, and then the encoder, make two tokens of it.",
)

# %% [markdown]
# **Your turn, for one word:** make `hot`, six numbers, all 0 but a 1 at the id of "cat". Then `painted = hot @ E`, four
# numbers. Which row of E is it?

# %% tags=["live"] live="one_row"
hot = torch.zeros(len(rows))
hot[rows.index("cat")] = 1
painted = hot @ E  # (4,)
print(painted, E[3])

# %%
claim("one-hot times E, against the row of cat", (painted - E[rows.index("cat")]).abs().max(), expect=0, tol=0)
described(
    bert_pictures.lookup(sentence, ids, E, rows, "Multiply by a one-hot row: copy one row of E"),
    "Six one-hot rows, one for each word of the sentence; the table E with six rows of four numbers; their product. "
    "The first and the fifth row of the product, both for the word the, are equal.",
)

# %% [markdown] lint={"number 30,000, 768, 512": "sizes of BERT-Base, quoted; section 7 counts with them", "number 1996": "an id on the lecture's slide"}
# **What to see.** A 1 picks a row, the 0s drop all others. So a program does not multiply, it copies: a *lookup*. The
# first and the fifth row are the same. On the lecture's slide both "the" read row 1996.
#
# E is a parameter like any other: random at first, learned in pretraining. Nobody puts in a table
# of word vectors that was made before, such as word2vec or GloVe.
# BERT-Base has about 30,000 rows of 768, and 512 learned positions of 768, as ViT has. An embedding is a learned patch,
# one for each piece.
#
# ### Who picks the pieces?
#
# A vocabulary of all words would never end: play, plays, played, playing. WordPiece keeps frequent words whole and cuts
# the rest. `##` says "glued to what stands before". It takes the longest piece that fits, from the left.

# %%
pieces = ["play", "jump", "look", "walk", "##s", "##ed", "##ing", "##er", "p", "##l", "##ay", "##in", "##g"]

# %% [markdown]
# **Your turn, one step:** which entries of `pieces` does "playing" begin with? Make `fitting`, a list, and `first`, the
# longest of them. Then `rest`, what is left of the word, with `##` in front. Is it in `pieces`?

# %% tags=["live"] live="first_piece"
fitting = [piece for piece in pieces if "playing".startswith(piece)]
first = max(fitting, key=len)
rest = "##" + "playing"[len(first) :]
print(fitting, "→", first, rest, rest in pieces)

# %%
claim("play + ##ing, and both are known", [first == "play", rest == "##ing", rest in pieces], expect=1, tol=0)
stems, endings = pieces[:4], pieces[4:8]
claim("words made of four stems and four endings, or none", len(stems) * (len(endings) + 1), expect=20, tol=0)

# %% [markdown]
# **What to see.** play + ##ing. "p" fits, too, but it is shorter. Four stems and four endings are 8 rows, and they
# spell 20 words. Every "-ing" of English trains one row, ##ing.
#
# The pieces are counted out once, before training. No gradient reaches that choice: **piece counts pick the windows,
# training paints them.** (In the homework you cut any word.)
#
# ## 3 · Hide a word
#
# Who tells the network what to paint? The text itself. Choose 15 % of the words. Hide them. Guess them from the others.
#
# Of the chosen words 80 % become [MASK], 10 % become a random word (by chance even the same one), 10 % stay.

# %%
CHOSEN = 0.15
HIDDEN = 0.8
SWAPPED = LEFT = 0.1
claim("what becomes of a chosen word: all cases", HIDDEN + SWAPPED + LEFT, expect=1, tol=1e-9)

# %% [markdown]
# **Your turn, for one chosen word:**
# write `one_word(word, luck, other)`, with `luck` between 0 and 1: below .8 it gives "[MASK]", below .9 `other`, else
# `word`.


# %% tags=["live"] live="one_word"
def one_word(word: str, luck: float, other: str) -> str:
    if luck < 0.8:
        return "[MASK]"
    return other if luck < 0.9 else word


print([one_word("cat", luck, "soup") for luck in (0.5, 0.85, 0.95)])

# %%
claim("[MASK], other, same", [one_word("cat", luck, "soup") == word for luck, word in
                              ((0.5, "[MASK]"), (0.85, "soup"), (0.95, "cat"))], expect=1, tol=0)  # fmt: skip


def dealt(words: list[str]) -> list[tuple[str, str]]:
    """A sentence with its fates: each word chosen or not, and what became of it."""
    line = []
    for word in words:
        chance, luck = torch.rand(2, generator=generator).tolist()
        other = WORDS.words[int(torch.randint(5, len(WORDS), (), generator=generator))]
        now = one_word(word, luck, other) if chance < CHOSEN else word
        fate = "[MASK]" if now == "[MASK]" else "another word" if now != word else "chosen, left as it is"
        line.append((now, fate if chance < CHOSEN else "not chosen"))
    return line


lines = [dealt(sentence) for _ in range(30)]
described(
    bert_pictures.hidden_words(lines, "Thirty times the same sentence: each time other words"),
    "The sentence the cat sat on the mat, thirty times. A few words of each are coloured: hidden behind the mask token, "
    "replaced by another word, or chosen and left as they are.",
)
claim("of all words: [MASK], another, left", [CHOSEN * share for share in (HIDDEN, SWAPPED, LEFT)],
      expect=[0.12, 0.015, 0.015], tol=1e-9)  # fmt: skip

# %%
many = [fate for _ in range(5000) for _, fate in dealt(sentence)]
fates = ("not chosen", "[MASK]", "another word", "chosen, left as it is")
counted = [many.count(fate) / len(many) for fate in fates]
claim("shares of 30,000 words", counted, expect=[0.85, 0.12, 0.015, 0.015], tol=0.008)

# %% [markdown]
# **What to see.** .12 of all words are [MASK], .015 others, .015 left. The loss is taken **only where a word was
# chosen**: everywhere else the answer stands in plain sight.
#
# Why not always [MASK]? A sentence that somebody uses later has no [MASK]. With this mixture the network cannot trust any
# word it sees, so it must build a good token at each place.
#
# ### Break it on purpose
#
# Somebody forgets to hide, and takes the loss at all places. `copier` trains such a network for 100 updates.

# %%
data, unseen = corpus(4000, SEED), corpus(1000, SEED + 50)
copier = experiments.copier(data.ids, updates=100, seed=SEED)

# %%
live.vote(
    "Nothing is hidden, the loss is taken everywhere, and it falls to almost 0. What has the network learned?",
    {"A": "all of the grammar", "B": "which words are frequent", "C": "which words are neighbours", "D": "to copy"},
    answer="D",
    why="The answer stands at the place that is asked. Ask it for a hidden word, and it knows nothing.",
)

# %%
with torch.no_grad():
    copied = (copier(unseen.ids).argmax(-1) == unseen.ids)[unseen.real].float().mean()
claim("right where the word is seen, right where it is hidden", [copied, experiments.hits(copier, unseen, 3)],
      expect=[1, 0], tol=[0.01, 0.03])  # fmt: skip
described(
    charts.bars([copied.item(), experiments.hits(copier, unseen, 3)], "It copies, no more",
                names=["word seen", "word hidden"], ylabel="best guess is right", ylim=(0, 1)),
    "Two bars. Where the word is seen every guess is right, where it is hidden none.",
)  # fmt: skip

# %% [markdown]
# **What to see.** 1 and 0. With tied scores copying is easy: a token's own row of E is the best match for itself. A
# task that can be solved without reading teaches no reading. **The task is the teacher.**
#
# ## 4 · Watch it fill
#
# Real BERT reads billions of words for days. We take 4,000 sentences from a small grammar: animals, people at work, and
# words with two meanings. The network is the encoder of lesson 06 on words: two blocks, tokens of 32 numbers.

# %%
CAT = "the cat [MASK] on the mat"
print(*data.text[:8], sep="\n")
print(
    "\nThis very sentence, filled:",
    sum(text.startswith("the cat") and text.endswith("on the mat") for text in data.text),
)

# %% [markdown]
# First, what one can guess without reading: the **unigram guess**, the share of each word in the text. **Your turn:**
# `usual = experiments.unigram(data.ids)`, one share for each word. Make `most`, its largest share, and `name`, whose it
# is (`WORDS.words` has the names).

# %% tags=["live"] live="no_reading"
usual = experiments.unigram(data.ids)
most, name = usual.max().item(), WORDS.words[usual.argmax()]
print(name, most, usual[WORDS.id("sat")])

# %%
claim("share of “the”, of “sat”", [most, usual[WORDS.id("sat")]], expect=[0.29, 0.008], tol=[0.01, 0.003])

# %%
live.vote(
    "In our grammar a cat sat or slept. After training: how sure is the network of “sat”?",
    {"A": "1.0", "B": ".29, as with “the”", "C": "about a half", "D": ".01"},
    answer="C",
    why="The text holds both, equally often. A good guess is as unsure as the text.",
)

# %%
looks = (0, 50, 100, 200, 300, 450, 600, 900, 1200, 1500)
watched = experiments.watch(data.ids, CAT, updates=1500, looks=looks, seed=SEED)
model = watched.model
claim("numbers in a token", model.embedding.embedding_dim, expect=32, tol=0)

# %%
order = torch.stack([*watched.guesses, usual.float()]).amax(0).topk(9).indices  # whatever was a good guess at any time
order = order[watched.guesses[-1][order].argsort(descending=True)]
described(
    bert_pictures.guess_map(watched.guesses[:, order], watched.updates, [WORDS.words[i] for i in order],
                            f"{CAT}: the guess, while the network learns", usual[order]),
    "A heat map: a row for the unigram guess and for each of ten moments of training, a column for each of nine words. "
    "At first all is dark; then animals; at the end sat and slept hold nearly all.",
)  # fmt: skip

# %%
VERBS = [f"the {who} [MASK] on the {where}" for who in ("cat", "kitten") for where in ("mat", "sofa")]
free = torch.stack([experiments.guesses(model, text)[[WORDS.id("sat"), WORDS.id("slept")]] for text in VERBS])
claim("sat + slept, mean of four sentences", free.sum(1).mean(), expect=0.95, tol=0.06)
THREE = "the cat [MASK] on the mat: probability of sat, three runs"
claim(THREE, lambda: [experiments.guesses(
    experiments.watch(corpus(4000, seed).ids, CAT, updates=1500, looks=[0], seed=seed).model, CAT)[WORDS.id("sat")]
    for seed in range(3)], expect=0.55, tol=0.3, preset="nightly")  # fmt: skip
RULES = {"the cook cut the bread with the [MASK]": "knife", "the man put the money in the [MASK]": "bank",
         "the farmer dug the hole with the [MASK]": "spade"}  # fmt: skip
bound = [experiments.guesses(model, text)[WORDS.id(word)] for text, word in RULES.items()]
claim("words that a rule decides: knife, bank, spade", bound, expect=0.97, tol=0.04)
claim("hidden words guessed right, in other sentences", experiments.hits(model, unseen, 3), expect=0.76, tol=0.05)
claim("the unigram guess: always “the”", (unseen.ids[unseen.ids > MASK] == usual.argmax()).float().mean(),
      expect=0.29, tol=0.02)  # fmt: skip

# %% [markdown]
# **What to see.** Read the map from top to bottom. Before training: nothing. Then animals: most of our sentences have a
# colour after the article, so the third word usually is an animal, and the place is learned first. Last come the verbs,
# because of what stands *around*: "cat" to the left, "on the mat" to the right.
#
# Where a rule decides (cut bread with a knife) the network is sure: above .9. Where the text is free, sat and slept
# share nearly all. How they share differs from run to run: the claim has three. This very sentence stands in the text
# a handful of times, so the network puts its guess together from others.
#
# Of all hidden words about .76 are guessed right; always saying "the" gives .29. Much more than .76 is not to be had:
# nobody can know whether the dog was red or old.
#
# **Turn the dials:** hide another word, or choose another sentence.

# %%
bert_dials.guess_dial(model, ["the cat sat on the mat", "the bird flew in the sky", "a red cat slept on the sofa",
                              "the cook cut the bread with the knife", "the clerk put the money in the bank",
                              "the clerk fished from the bank of the river"])  # fmt: skip

# %% [markdown]
# **What to see.** Hide word 1, "the": sure. Hide "red": many colours, none sure. Hide "cut": the knife at the end
# decides, so the network reads to the right as well. That is the B of BERT: bidirectional.
#
# ## 5 · One word, two meanings
#
# "bank" has one id, and one row of E. But money goes to one bank, and fish swim past the other.

# %%
PEOPLE = ("man", "woman", "clerk", "farmer", "teacher", "student")
MONEY = [text.format(who) for who in PEOPLE
         for text in ("the {} put the money in the bank", "the {} took the coins from the bank")]  # fmt: skip
RIVER = [text.format(who) for who in PEOPLE
         for text in ("the {} fished from the bank of the river", "the {} sat by the bank of the stream")]  # fmt: skip


def banks(texts: list[str]) -> tuple[Tensor, Tensor]:
    """The token of "bank" in each sentence, (n, 32): its row of E, and what the encoder makes of it."""
    ids = WORDS.encode(texts, LENGTH)  # (n, T)
    here = ids == WORDS.id("bank")  # (n, T)
    with torch.no_grad():
        return model.embedding(ids)[here], model.read(ids)[here]


# %% [markdown]
# **Your turn:** `banks(MONEY)` and `banks(RIVER)` each give the token of "bank" before and after the encoder, (12, 32).
# Make `cosines`, three numbers: before, the first of money with the first of river; after, the first of money with the
# second one; after, the first of money with the first of river. Use `F.cosine_similarity(a, b, dim=0)`.

# %% tags=["live"] live="two_banks"
(money_before, money), (river_before, river) = banks(MONEY), banks(RIVER)
pairs = ((money_before[0], river_before[0]), (money[0], money[1]), (money[0], river[0]))
cosines = [F.cosine_similarity(a, b, dim=0).item() for a, b in pairs]
print(cosines)

# %%
unit = [F.normalize(points, dim=1) for points in (money, river)]
within = torch.stack([(points @ points.T).mean() for points in unit]).mean()
across = (unit[0] @ unit[1].T).mean()
claim("sentences", len(money) + len(river), expect=24, tol=0)
claim("before the encoder, money and river", cosines[0], expect=1, tol=1e-5)
claim("mean cosine within a meaning", within, expect=0.93, tol=0.07)
claim("mean cosine across the two meanings", across, expect=0.85, tol=0.12)
claim("within less across", within - across > 0.03, expect=1, tol=0)
described(
    bert_pictures.meanings(torch.cat([money_before, river_before]), torch.cat([money, river]),
                           ["money"] * len(money) + ["river"] * len(river), "One row of E, two meanings"),
    "Two plots of the token of the word bank in 24 sentences. Left, before the encoder, all lie on one point. Right, "
    "after it, they lie in groups, and none holds both money and river.",
)  # fmt: skip

# %% [markdown]
# **What to see.** Left, one point: 24 times the same row. Right, groups, and none holds both meanings. A meaning may be
# more than one group: what counts is the sentence around the word, which attention has mixed into it. That is what an older table of vectors, such as word2vec or GloVe, cannot do: there each word has one vector for
# all its meanings.
#
# ## 6 · Padding: rows or columns?
#
# Sentences have different lengths, a batch is a rectangle. So short ones are filled up with [PAD]. Nobody should read
# these. Three words and two [PAD], with random queries, keys and values:

# %%
padded = ("the", "cat", "sat", "[PAD]", "[PAD]")
q, k, v = torch.randn(3, 5, 4, generator=generator)
scores = q @ k.T / 4**0.5  # (5, 5): queries down, keys across

# %%
live.vote(
    "Which scores do we set to minus infinity, so that no word reads [PAD]?",
    {"A": "the rows of [PAD]", "B": "the columns of [PAD]", "C": "rows and columns", "D": "only the diagonal"},
    answer="B",
    why="Columns are keys: what is read. Rows are queries: who reads. What a [PAD] itself reads hurts nobody.",
)

# %% [markdown]
# **Your turn, for one query:** the word "sat", row 2. Make `row`, its five scores, with minus infinity for both [PAD],
# and `gates`, their softmax. Then `alone`, the gates if there were no [PAD] at all: three scores.

# %% tags=["live"] live="hide_keys"
row = scores[2].clone()
row[3:] = -torch.inf
gates = row.softmax(0)
alone = scores[2, :3].softmax(0)
print(gates, alone)

# %%
claim("gates of three words: masked, and without padding", (gates[:3] - alone).abs().max(), expect=0, tol=1e-6)
claim("gates of [PAD]", gates[3:], expect=0, tol=0)
by_row, by_column = scores.clone(), scores.clone()
by_row[3:], by_column[:, 3:] = -torch.inf, -torch.inf
maps = {"nothing hidden": scores.softmax(-1), "rows hidden: wrong": by_row.softmax(-1),
        "columns hidden": by_column.softmax(-1)}  # fmt: skip
described(
    bert_pictures.padded_gates(maps, padded, "Hide the keys: only then no word reads [PAD]"),
    "Three maps of 5 by 5 gates. Nothing hidden: all words give gates to the two padding tokens. Rows hidden: they "
    "still do, and the rows of padding are not a number. Columns hidden: both columns of padding are 0.",
)
claim("gates of words for [PAD], rows hidden, changed", (maps["rows hidden: wrong"] - maps["nothing hidden"])[:3],
      expect=0, tol=0)  # fmt: skip
claim("nan in the rows of [PAD]", by_row.softmax(-1)[3:].isnan().float(), expect=1, tol=0)

# %% [markdown]
# **What to see.** Middle: the words read [PAD] as before, and the rows of [PAD] are nan. A row of minus infinities has
# no softmax: 0 / 0. One nan in the loss, and all weights are nan. Right: no gate for [PAD], and all rows are numbers.
# The rows of [PAD] hold numbers, too; the loss does not look there.
#
# **And a sentence of nothing but [PAD]?** Then every key is hidden, and each row is like that. What comes out depends
# on the library and its version: nan, or 0. Keep at least [CLS] in each sentence.
#
# ### Break it on purpose
#
# Our trained network hides the columns of [PAD]. `careless` is the same network without that mask.


# %%
def careless(ids: Tensor) -> Tensor:
    """The scores of `model`, if every token may read [PAD]."""
    x = model.embedding(ids) + model.place[: ids.shape[1]]  # (B, T, width)
    return model.scores(model.norm(model.encoder(x)))


# %% [markdown]
# **Your turn:** make `short`, `WORDS.encode(CAT)`, and `long`, the same with `LENGTH` tokens. Then `kept` and `lost`: how far the
# probabilities at place 3 move from short to long, for `model` and for `careless`, the sum of all |changes|.


# %% tags=["live"] live="unmasked"
short, long = WORDS.encode(CAT)[None], WORDS.encode(CAT, LENGTH)[None]  # (1, 8), (1, LENGTH)
with torch.no_grad():
    kept, lost = (
        (net(long)[0, 3].softmax(-1) - net(short)[0, 3].softmax(-1)).abs().sum().item() for net in (model, careless)
    )
print(kept, lost)

# %%
claim("the guess moves with padding: masked", kept, expect=0, tol=1e-4)
claim("the guess moves with padding: not masked", lost > 0.01, expect=1, tol=0)

# %% [markdown]
# **What to see.** With the mask, padding changes nothing. Without it, the guess for a word depends on how long the
# *longest other sentence of the batch* is. No error says so.
#
# ## 7 · The same table twice
#
# The network ends with scores for all words: a linear layer with a row for each word. E has a row for each word, too.
# Use one table for both: **tied**. (Input: copy the word's row. Output: how well does the token fit each row?)
#
# Why? Let us see which rows learn. `apart` has two tables. It gets one sentence, and the loss at its [MASK] alone.

# %%
apart = training.seeded(lambda: text_net.TextNet(len(WORDS), LENGTH, tied=False), SEED)
target = torch.tensor(WORDS.id("sat"))
F.cross_entropy(apart(WORDS.encode(CAT)[None])[0, 3], target).backward()

# %% [markdown]
# **Your turn:** how many rows of each table hear a gradient? `apart.embedding.weight.grad` and
# `apart.scores.weight.grad` are (words, 32) each. Make `reading` and `writing`, the length of each row's gradient, and
# `heard`, two counts of lengths above 0.

# %% tags=["live"] live="both_uses"
reading, writing = (table.weight.grad.norm(dim=1) for table in (apart.embedding, apart.scores))  # (words,) each
heard = [(lengths > 0).sum().item() for lengths in (reading, writing)]
print(heard, "of", len(WORDS))

# %%
claim("rows of E that hear a gradient: as input, as output", heard, expect=[7, len(WORDS)], tol=0)
described(
    bert_pictures.touched_rows(
        {"E reads words": reading, "E scores words": writing},
        "Reading touches the rows of one sentence, scoring touches all",
    ),
    "Two rows of bars over the words of the vocabulary. Above, the gradient of the input table: a few bars. Below, that "
    "of the output table: a bar for each word, the highest for the right one.",
)

# %% [markdown]
# **What to see.** Above, 7 rows: [CLS], the, cat, [MASK], on, mat, [SEP]. A word that is not in the batch learns
# nothing. Below, all: the softmax pushes every wrong word down a little, and the right one up. Tied, each row gets both.
#
# And it saves numbers. BERT-Base, on torch's `meta` device: layers without memory, only shapes:

# %%
with torch.device("meta"):
    block = nn.TransformerEncoderLayer(768, 12, 3072, activation="gelu", batch_first=True)
    stack = nn.TransformerEncoder(block, 12, enable_nested_tensor=False)

# %% [markdown]
# **Your turn:** `stack` is 12 blocks of width 768, 12 heads, 3,072 inside. Make `parts`, the numbers in: the words (30,522 rows), positions
# (512) and sentence kinds (2); the layer norm after their sum; `stack`; and the *pooler*, a linear layer 768 → 768 on
# [CLS]. Then `whole`, their sum.

# %% tags=["live"] live="base_bert"
with torch.device("meta"):
    tables = [nn.Embedding(count, 768) for count in (30522, 512, 2)]
    parts = [training.count_parameters(part) for part in (*tables, nn.LayerNorm(768), stack, nn.Linear(768, 768))]
whole = sum(parts)
print(parts, f"{whole:,}")

# %%
claim("BERT-Base", whole, expect=109482240, tol=0, source="Devlin et al., 2019: 110 M")
claim("12 blocks", parts[4], expect=85054464, tol=0)
claim("saved by tying: 30,000 words of 768, and 30,522", [30000 * 768, 30522 * 768], expect=[23040000, 23440896], tol=0)

# %% [markdown]
# **What to see.** 109,482,240: the "110 M" of the paper. Of these 85,054,464 are blocks. A second table would be
# 23,440,896 more; with the lecture's 30,000 words it would be 23,040,000.
#
# The two jobs differ, though: reading a word, and predicting it. Many large models untie: they have data enough for
# both tables.
#
# ## 8 · Before or after the norm
#
# BERT (2019) puts the norm *after* the sum: LN(x + Attn(x)), **post-norm**. Our block puts it before the branch:
# x + Attn(LN(x)), **pre-norm**. ModernBERT (2024) is pre-norm. Why?
#
# Look at the skip path, from the loss back to the first block. In pre-norm it is a sum all the way: the gradient passes
# as it is. In post-norm each sum is followed by a norm. x has variance 1, the branch adds variance v, and the norm
# divides by the root of 1 + v. The way back passes the same division. 24 blocks have 48 of them.
#
# **Your turn:** make `left`, two numbers: what 48 such divisions leave of a gradient, for v = .05 (a branch that is
# small at the start) and for v = 1 (a branch as large as what it is added to).

# %% tags=["live"] live="one_norm"
left = [(1 + v) ** (-48 / 2) for v in (0.05, 1)]
print(left)

# %%
claim("left after 48 norms, v = .05", left[0], expect=0.31, tol=6e-3)
claim("left after 48 norms, v = 1, times ten million", left[1] * 1e7, expect=0.6, tol=6e-3)

# %%
live.vote(
    "Post-norm, 24 blocks, PyTorch's weights at the start. The whole gradient at the first block, against that at the end?",
    {"A": "a millionth", "B": "a hundredth", "C": "about the same", "D": "a million times"},
    answer="C",
    why="The skip path alone loses two thirds. But the branches hand gradients back, too, and make up for it.",
)

# %%
found = {name: bert_deep.gradients(first, SEED) for name, first in (("pre-norm", True), ("post-norm", False))}
depth = range(1, bert_deep.BLOCKS + 1)
described(
    charts.curves(depth, {f"{name}, {path}": getattr(each, part) for name, each in found.items()
                          for path, part in (("skip path alone", "skip"), ("everything", "all"))},
                  "Post-norm narrows the skip path, not yet the whole", xlabel="block",
                  ylabel="gradient, in parts of that at the end", ylim=(0, 2.5)),
    "Four curves over 24 blocks. The skip path alone: 1 at all blocks in pre-norm, falling to about a third at the "
    "first block in post-norm. Everything: pre-norm rises to 2 at the first block, post-norm stays near 1.",
)  # fmt: skip
claim("skip path alone, at block 1: pre-norm, post-norm", [each.skip[0] for each in found.values()],
      expect=[1, 0.32], tol=[1e-4, 0.06])  # fmt: skip
claim("everything, at block 1: pre-norm, post-norm", [each.all[0] for each in found.values()], expect=[2, 1.1], tol=0.4)

# %% [markdown]
# **What to see.** The flat line at 1: pre-norm's skip path is clean. Post-norm's ends near .32. So far the slide's
# story. But the whole gradient of post-norm has **not** vanished here: it is about 1.1. At the start branches are small
# (v ≈ .05), and they hand gradients back. As branches grow, v grows, and the skip path closes: at v = 1 less than
# a ten-millionth is left. Xiong et al. (2020) find a second reason: at the start post-norm's gradients are large near the
# output, so a full learning rate is too much. Post-norm needs a *warm-up*: the rate starts near 0 and grows over the
# first updates.
#
# So a picture of the start does not settle it. Training does: 24 blocks, 200 updates, Adam at a constant rate, no
# warm-up. The mean loss of the last 20.

# %%
DEEP = "24 blocks, mean loss of the last 20 of 200 updates: pre-norm, post-norm"
claim(DEEP, lambda: [sum(bert_deep.deep_losses(first, SEED)[-20:]) / 20 for first in (True, False)],
      expect=[3.1, 3.75], tol=[0.3, 0.25], preset="nightly")  # fmt: skip
entropy = -torch.xlogy(usual, usual).sum()
claim("loss of the unigram guess", entropy, expect=3.8, tol=0.15)
if record := claims.recorded(DEEP):
    described(
        charts.bars([*record["measured"], entropy.item()], "Without warm-up, post-norm learns only which words are frequent",
                    names=["pre-norm", "post-norm", "unigram guess"], ylabel="loss"),
        "Three bars. The loss of the pre-norm stack is clearly below that of the post-norm stack, and this is as high as "
        "that of the unigram guess.",
    )  # fmt: skip

# %% [markdown]
# **What to see.** Pre-norm is on its way. Post-norm has learned how frequent words are, and no more: it stands at the
# unigram guess. BERT did train, with half as many blocks and with warm-up. Pre-norm needs less care, and that is why deep
# stacks use it (Warner et al., 2024, for ModernBERT).
#
# Pre-norm has a price. Nothing scales the stream back: each block adds to it, so it grows, and a late branch weighs less
# in the sum. And one more norm is needed at the end, before the scores. **To remember:** a norm on the skip path divides
# what passes, in both directions; a norm in the branch does not.
#
# ## 9 · What about RNNs?
#
# Before the transformer, sentences were read by recurrent networks, such as the LSTM. A cell reads one word and the state before
# it, and makes the next state. **Turn the dial.**

# %%
bert_dials.step_dial(sentence)

# %% [markdown]
# **What to see.** State 6 waits for state 5, which waits for state 4. Six steps, one after another. Attention has all
# six outputs after one step: none of them needs another one. And the loss is taken at all places in one pass.

# %%
cell, x = training.seeded(lambda: nn.RNNCell(64, 64), 0), torch.randn(1, 6, 64, generator=generator)

# %% [markdown]
# **Your turn:** `cell` is an `nn.RNNCell(64, 64)`. `x` is a sentence of six tokens, (1, 6, 64). Walk through it: `state`
# starts as zeros, (1, 64), and `taken` counts the steps. Then compare with `experiments.step_by_step(cell, x)`.

# %% tags=["live"] live="in_a_row"
state, taken = torch.zeros(1, 64), 0
for word in x.unbind(1):
    state, taken = cell(word, state), taken + 1
print(taken, (state - experiments.step_by_step(cell, x)[0][:, -1]).abs().max())

# %%
claim("steps of six words", [taken, experiments.step_by_step(cell, x)[1]], expect=6, tol=0)

# %%
live.vote(
    "Attention takes one step, an RNN as many as there are words. On this computer: is attention always faster?",
    {"A": "yes", "B": "no, not for long sentences", "C": "no, it is never faster"},
    answer="B",
    why="One step, but N² scores. Few cores do the work one after another anyhow.",
)

# %%
lengths = [8, 64, 512, 2048, 8192]
nets = {"RNN cell, a loop in Python": lambda x: experiments.step_by_step(cell, x),
        "LSTM, a loop inside PyTorch": training.seeded(lambda: nn.LSTM(64, 64, batch_first=True), 0),
        "attention": experiments.Attention(64)}  # fmt: skip
spent = {name: experiments.seconds(run, lengths, repeats=5) for name, run in nets.items()}
described(
    charts.curves(lengths, {name: [1000 * each for each in row] for name, row in spent.items()},
                  "On a CPU attention wins while sentences are short", xlabel="words in the sentence",
                  ylabel="milliseconds (best of five)", log="xy"),
    "Three curves on logarithmic axes. The Python loop grows with the number of words. The LSTM lies below it. Attention "
    "is the lowest for short sentences, then grows with the square and crosses the LSTM.",
)  # fmt: skip

# %%
loop, lstm, attention = spent.values()
claim("64 words: the loop takes longer than attention", loop[1] > attention[1], expect=1, tol=0)
claim("8,192 words: attention takes longer than the LSTM", attention[-1] > lstm[-1], expect=1, tol=0)
claim("steps in a row at 512 words: RNN, attention", [experiments.step_by_step(cell, torch.zeros(1, 512, 64))[1], 1],
      expect=[512, 1], tol=0)  # fmt: skip

# %% [markdown]
# **What to see.** Be fair to the RNN. A loop in Python is slow because of Python; inside PyTorch an LSTM is quick. For
# long sentences attention pays N² scores, and on our few cores it loses. "All at once" helps only who has thousands of
# cores, as a graphics processor has. There an RNN waits 512 times, one small step each; attention once, with work for
# all cores. We cannot show that here.
#
# This is what made it practical to train on billions of words. Three things came together, and were called **foundation
# models**: data without labels; a model that assumes little and shares its weights; and a task that forces it to see
# relations. Pretrain once, adapt to many tasks.
#
# ## What to take away
#
# 1. A word's token is a row of E: one-hot times E, a copy. It is a patch that is learned.
# 2. Hide words, guess them, take the loss only there. If nothing is hidden, the network copies.
# 3. Encoder tokens depend on the sentence: one "bank" in, two out. Hide [PAD] as a key: columns.
# 4. Tied, a row of E hears from reading and from scoring. Pre-norm keeps the skip path clean.
# 5. An RNN needs as many steps as words, attention one. That pays on many cores.
#
# | our words | the field's words |
# |---|---|
# | segment of a word, row of E | token embedding, word embedding |
# | piece | subword, wordpiece, token |
# | hidden word | masked token; the task: masked language modelling, MLM |
# | word with nothing to read | padding token; its mask: `key_padding_mask`, `attention_mask` |
# | tied | weight tying, shared embeddings |
# | after the sum, before the branch | post-norm (post-LN), pre-norm (pre-LN) |
#
# **In one line:** the encoder does not care what its tokens were; BERT is our model on words, and the text is its own
# teacher.
#
# Next: if a picture and a word both are tokens of 768 numbers, they can stand in one sentence. Lesson 08 does that.
