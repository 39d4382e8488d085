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
# # 05 · Position, in class
#
# **The question:** attention compares every token with every token. Does it know where they stand? And if not, how do
# we tell it?
#
# We come from attention with several heads. Its gates read what two tokens contain. Today we find out what this leaves
# out, on an old way of writing. Then we give attention its "where", in three ways, and one of them does not learn.
#
# | minutes | section |
# |---|---|
# | 0 to 11 | 1 · Shuffle test |
# | 11 to 17 | 2 · A CNN keeps the arrangement |
# | 17 to 28 | 3 · Left or right? |
# | 28 to 37 | 4 · Addresses or offsets |
# | 37 to 51 | 5 · A stalled parameter |
# | 51 to 61 | 6 · An arrow for each place |
# | 61 to 66 | 7 · Arrows in two directions |
# | 66 to 71 | 8 · Why bother? |
# | 71 to 77 | 9 · Convolution is position-only attention |

# %% [markdown] tags=["teacher"]
# **For the teacher.** 77 minutes; the table above says when each section begins. Six votes, all before the measurement:
# 1 A (it still reads Ra), 2 A (the swap alone), 3 D (half of the pictures), 4 B (about .6), 5 C (the same score),
# 6 B (no: the two sums are equal). Ask for hands, click, then reveal.
#
# Live cells: `swap_signs`, `dog_bites_man`, `arrangement`, `border`, `phases`, `add_address`, `one_offset`, `needed`,
# `one_step`, `turned`, `break_it`, `diagonal`, `nine_heads`. If time runs short, reveal `border`, `phases` and
# `one_step` without typing, and leave out the planes of section 7. Never leave out `swap_signs`, vote 4, `turned` and
# the last page. Two networks train here, in sections 3 and 5, for about ten seconds each: start those cells while you
# explain them.

# %% [markdown]
# **Words.** A *score* is a number before the softmax, a *gate* is one after it. Rows are queries, columns are keys. An
# *offset* is the key's place less the query's. `T` is the number of tokens. Batch comes first.

# %% tags=["parameters"]
PRESET = "quick"
SEED = 0

# %%
import math
from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils import (
    charts,
    claims,
    live,
    position_arrows,
    position_stalled,
    settings,
    training,
)
from course_utils import position_experiment as experiment
from course_utils import position_pictures as signs
from course_utils.claims import claim
from course_utils.described import described

settings.prepare(seed=SEED, preset=PRESET)
generator = torch.Generator().manual_seed(1)

# %% [markdown]
# ## 1 · Shuffle test
#
# An Egyptian scribe writes the name of the sun god, Ra, in one square block. Left, the sounds: a mouth, *r*, over an
# arm, *a*. Right, the sun itself and a stroke, "I mean the thing". (Our signs are drawn simplified.)

# %%
SWAPPED = ("arm", "sun", "mouth", "stroke")
described(
    signs.inked({"mouth over arm: “Ra”": signs.block(signs.RA), "arm over mouth: not “Ra”": signs.block(SWAPPED)},
                "The same four signs, two arrangements", grid=2),
    "Two blocks of four signs. Left: mouth over arm, beside them sun over stroke. Right: arm over mouth.",
)  # fmt: skip

# %% [markdown]
# A small reader: each sign is a token of 6 × 6 grey values. One attention layer with two heads, the residual, the
# average of the four tokens, a linear layer. It learns to tell the Ra block from blocks in which one sign is another
# one, on paper that is a little dirty.


# %%
def tokens_of(names: tuple[str, ...]) -> Tensor:
    """Four signs as tokens (4, 36)."""
    return torch.stack([F.avg_pool2d(signs.sign(name)[None], 4).flatten() for name in names])


def dirty_blocks(count: int, seed: int) -> tuple[Tensor, Tensor]:
    """Blocks (count, 4, 36), and 1 for those that read Ra; in the others one sign is water or a house."""
    drawn = torch.Generator().manual_seed(seed)
    labels, places = torch.arange(count) % 2, torch.randint(4, (count,), generator=drawn)
    others = tokens_of(("water", "house"))[torch.randint(2, (count,), generator=drawn)]  # (count, 36)
    blocks = tokens_of(signs.RA).repeat(count, 1, 1)  # (count, 4, 36)
    wrong = (F.one_hot(places, 4) * (1 - labels)[:, None]).bool()  # (count, 4)
    blocks[wrong] = others[labels == 0]
    return blocks + 0.05 * torch.randn(blocks.shape, generator=drawn), labels


# %%
class Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention, self.head = nn.MultiheadAttention(36, 2, batch_first=True), nn.Linear(36, 2)

    def outputs(self, x: Tensor) -> Tensor:
        return x + self.attention(x, x, x)[0]  # (B, T, 36)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.outputs(x).mean(1))  # (B, 2)


# %%
reader = training.seeded(Reader, 0)
learned = training.fit(reader, *dirty_blocks(800, seed=1), epochs=12, lr=3e-3, held_out=dirty_blocks(400, seed=2))
claim("Ra or not: accuracy on other blocks", learned.accuracies[-1], expect=1, tol=0.04)

# %%
live.vote(
    "The reader was trained on mouth over arm. We show it arm over mouth. What does it say?",
    {"A": "“Ra”", "B": "not “Ra”", "C": "it cannot decide"},
    answer="A",
    why="Each sign attends to the same three others and itself. The same four outputs have the same average.",
)

# %% [markdown]
# **Your turn:** make `ra` and `swapped`, tokens (1, 4, 36) of `signs.RA` and of `SWAPPED`. Then `before` and `after`,
# what `reader.outputs` makes of them, (1, 4, 36), and `reads`, the softmax of the reader's two logits for both, (2, 2).
# Compare `before` with `after`, token by token, and the two averages.

# %% tags=["live"] live="swap_signs"
ra, swapped = tokens_of(signs.RA)[None], tokens_of(SWAPPED)[None]
with torch.no_grad():
    before, after = reader.outputs(ra), reader.outputs(swapped)
    reads = reader(torch.cat([ra, swapped])).softmax(-1)
print("not Ra, Ra:", reads)
print(
    "left signs:",
    (before[0, [0, 2]] - after[0, [2, 0]]).abs().max(),
    (before[0, [0, 2]] - after[0, [0, 2]]).abs().max(),
)

# %%
claim("how sure the reader is of Ra: the block, and the swapped one", reads[:, 1], expect=1, tol=0.1)
claim(
    "outputs of the swapped signs, exchanged back",
    (before[0, [0, 2]] - after[0, [2, 0]]).abs().max(),
    expect=0,
    tol=1e-5,
)
claim("change of the average", (before.mean(1) - after.mean(1)).abs().max(), expect=0, tol=1e-5)
maps = {"block": signs.block(signs.RA), "outputs": before[0], "average": before.mean(1)}
described(
    signs.outputs_and_average(
        {"mouth over arm": before[0], "arm over mouth": after[0]},
        ("above left", "above right", "below left", "below right"),
        "Same outputs in other places, same average, same answer",
    ),
    "For each block the outputs of its four tokens as rows of 36 numbers, and their average below. Two rows have "
    "changed places; the averages are equal.",
)

# %% [markdown]
# **What to see.** Two rows have changed places, and the average below is the same. The swap moves outputs. It does not
# change them. So the reader is as sure of "Ra" as before: it says Ra to a block that no scribe would read so.
#
# The same in words. Three words are tokens of 8 random numbers, and the attention layer is one that nobody has trained:

# %%
dog, bites, man = torch.randn(3, 8, generator=generator)  # (8,) each
layer = training.seeded(lambda: nn.MultiheadAttention(8, 2, batch_first=True), 0)

# %% [markdown]
# **Your turn:** make `sentences`, a list of two tensors (1, 3, 8): "dog bites man" and "man bites dog". Push both
# through `layer`. Make `one` and `other`, the average of the three outputs for each, (8,).

# %% tags=["live"] live="dog_bites_man"
sentences = [torch.stack(words)[None] for words in ([dog, bites, man], [man, bites, dog])]  # each (1, 3, 8)
with torch.no_grad():
    one, other = [layer(x, x, x)[0].mean(1)[0] for x in sentences]
print((one - other).abs().max())

# %%
claim("dog bites man - man bites dog", (one - other).abs().max(), expect=0, tol=1e-6)

# %% [markdown]
# **What to see.** No difference but rounding. Attention mixes by content. Position plays no part.
#
# ## 2 · A CNN keeps the arrangement
#
# Does a CNN know that the mouth is above the arm? Its last step is an average, too. But before that its outputs stay on
# their grid. A 3 × 3 convolution sees left, right, above and below. A max pool mixes neighbours: the place decides what
# mixes.

# %%
live.vote(
    "A CNN with two max pools of 2 × 2, and an average at the end. Which of these changes the average?",
    {
        "A": "swapping the two left signs",
        "B": "moving the whole block 4 pixels to the right",
        "C": "both",
        "D": "neither",
    },
    answer="A",
    why="4 pixels are one step of the last map: everything moves along. The swap gives other windows.",
)

# %% [markdown]
# Two CNNs with random weights, and a large sheet of paper to put a block on:


# %%
def convolution(channels: int, out: int) -> nn.Sequential:
    made = nn.Conv2d(channels, out, 3, bias=False)  # no padding, no bias: empty paper stays 0
    nn.init.kaiming_normal_(made.weight)
    return nn.Sequential(made, nn.ReLU())


def paper(names: tuple[str, ...], right: int = 0) -> Tensor:
    """A block on a large empty sheet (1, 1, 112, 112), `right` pixels from the middle."""
    return F.pad(signs.block(names), (32 + right, 32 - right, 32, 32))[None, None]


def change(net: nn.Module, x: Tensor) -> float:
    with torch.no_grad():
        averages = [net(image).mean((2, 3)) for image in (paper(signs.RA), x)]
    return ((averages[1] - averages[0]).norm() / averages[0].norm()).item()


early = training.seeded(lambda: convolution(1, 8), 0)
late = training.seeded(lambda: nn.Sequential(convolution(1, 8), nn.MaxPool2d(2), convolution(8, 16), nn.MaxPool2d(2),
                                             convolution(16, 16), convolution(16, 16)), 0)  # fmt: skip

# %% [markdown]
# **Your turn:** `early` is one convolution, then the average; `late` is four, with two pools. `change(net, x)` says how
# much the average differs from that of the Ra block, in parts of its length. Make `changes`, a 2 × 2 list: for `early`,
# then for `late`, the swapped block and the block 4 pixels to the right. Expect three zeros, and .007.

# %% tags=["live"] live="arrangement"
changes = [[change(net, x) for x in (paper(SWAPPED), paper(signs.RA, right=4))] for net in (early, late)]
print(changes)

# %%
claim("early: the average after a swap, after a move", changes[0], expect=0, tol=1e-5)
claim("late: the average after a swap", changes[1][0], expect=0.007, tol=5e-3)
claim("late: the average after a move of 4 pixels", changes[1][1], expect=0, tol=1e-5)
claim("late: the average after a move of 1 pixel", change(late, paper(signs.RA, right=1)), expect=0.03, tol=0.025)

# %% [markdown]
# **What to see.** Pooled early, the arrangement is gone: a small window sees a piece of one sign. Pooled late, it has
# left its trace in the average, even with random weights, because a window saw mouth and arm together. What the late
# average drops is the place of the whole block: "Ra" anywhere is "Ra".
#
# **Not quite anywhere.** Moved by 1 pixel, the average changes by .03: more than by the swap. Then the pools cut the
# strokes in other places. Training has to teach the network which of the two changes matters.
#
# ## 3 · Left or right?
#
# A question that is only about position: is the square left of the disc? Pictures of 32 × 32 pixels, 2,000 to learn
# from and 1,000 held out.

# %%
learn, unseen = experiment.pictures(SEED)
some = [(learn.labels == label).nonzero()[:3, 0] for label in (1, 0)]  # three pictures for each label
names = [f"{'yes' if label else 'no'} · {i + 1}" for label in (1, 0) for i in range(3)]
described(
    signs.inked(dict(zip(names, learn.images[torch.cat(some), 0], strict=True)),
                "Is the square left of the disc? Only the arrangement tells"),
    "Six small pictures, each with a filled square and a filled disc. In three of them the square is left of the disc.",
)  # fmt: skip
claim("pictures to learn from, held out", [len(learn.labels), len(unseen.labels)], expect=[2000, 1000], tol=0)
known = {tuple(each.flatten().tolist()) for each in learn.centres}
both = sum(tuple(each.flatten().tolist()) in known for each in unseen.centres)
claim("held-out pictures that are learned from, too", both, expect=33, tol=15)

# %% [markdown]
# There are not so many ways to place two shapes: about 33 of the held-out pictures are among the 2,000. To know these by
# heart helps little: half of the others would still be wrong.
#
# Our networks: two 3 × 3 convolutions and a 4 × 4 patch convolution make 7 × 7 tokens of 16 numbers. Then one block of
# attention with two heads, the average, two logits. Adam at a constant .001, 10 epochs of 63 updates: 630.

# %%
live.vote(
    "Convolutions, then attention, and nothing that tells it places. On how many held-out pictures will it be right?",
    {"A": "all", "B": "nine of ten", "C": "three of four", "D": "half"},
    answer="D",
    why="Each token knows what is in its patch, and that others hold a square or a disc. Nobody knows where.",
)

# %%
blind = experiment.run("no position", SEED)
claim("no position, this run", blind.accuracies[-1], expect=0.5, tol=0.06)
updates = math.ceil(experiment.LEARNED / experiment.BATCH)
claim("Adam's rate", experiment.LR, expect=0.001, tol=0)
claim("updates of an epoch, and of a run", [updates, 10 * updates], expect=[63, 630], tol=0)

# %% [markdown] lint={"number .58": "the lecture's own result, quoted; ours is in the claim above"}
# **What to see.** A flat line at one half. Attention over the whole picture in its first layer, and it cannot answer
# what a child can.
#
# ### What a blind network can still see
#
# The lecture has .58 here, a little better than guessing. A network without position is not blind by itself: position
# gets in through small holes. Here are three.
#
# **Hole 1, the border.** A convolution that pads with zeros sees the edge of the picture.


# %%
def padded_stem(padding: int) -> nn.Module:
    parts = [nn.Conv2d(1, 4, 3, padding=padding), nn.ReLU(), nn.Conv2d(4, 8, 3, padding=padding), nn.ReLU()]
    return nn.Sequential(*parts, nn.Conv2d(8, 16, 4, stride=4))


stems = [training.seeded(lambda padding=padding: padded_stem(padding), 0) for padding in (0, 1)]

# %% [markdown]
# **Your turn:** a blank picture, `blank`, (1, 1, 32, 32). Push it through `stems`, with padding 0 and 1. How many
# different tokens come out of each? Make `kinds`, a list of two numbers. (Round to five decimals first, and count with
# `torch.unique(..., dim=0)`.) Without padding there is one. With padding, nine: four corners, four edges, the middle.

# %% tags=["live"] live="border"
blank = torch.zeros(1, 1, 32, 32)
with torch.no_grad():
    kinds = [len(torch.unique(stem(blank)[0].flatten(1).T.round(decimals=5), dim=0)) for stem in stems]
print(kinds)

# %%
claim("different tokens of a blank picture, padding 0 and 1", kinds, expect=[1, 9], tol=0)

# %% [markdown]
# **Hole 2, the phase.** A patch is 4 pixels wide, and it sees where inside it a shape lies: the *phase*, the pixel's
# number modulo 4. Draw two of 24 columns at random, at least 7 apart so that the shapes do not touch. Does the pair of
# phases tell who is left? Here are all pairs of columns, as two grids:

# %%
a, b = torch.meshgrid(torch.arange(24), torch.arange(24), indexing="ij")  # (24, 24) each

# %% [markdown]
# **Your turn:** for each of the 16 pairs of phases count how many allowed pairs have `a` left of `b`, and how many have
# not. Who always guesses the more frequent one is right on `share` of all. Expect .556, five ninths.

# %% tags=["live"] live="phases"
right = 0
for first in range(4):
    for second in range(4):
        these = ((a - b).abs() >= 7) & (a % 4 == first) & (b % 4 == second)
        lefts = (these & (a < b)).sum().item()
        right += max(lefts, these.sum().item() - lefts)
share = right / ((a - b).abs() >= 7).sum().item()
print(share)

# %%
claim("who is left, from the two phases alone", share, expect=5 / 9, tol=1e-6)
claim("five ninths", 5 / 9, expect=0.556, tol=6e-4)

# %% [markdown]
# **What to see.** Without seeing any place, .556 are right. So our pictures draw a cell and a phase apart from each
# other. **Hole 3** is a patch that sees both shapes at once: ours lie in cells at least
# three patches apart, in rows or in columns.
#
# Our holes are small, not gone. In the closest pairs a patch still sees an edge of both shapes, and fewer patches see the
# outermost pixels. How large the lecture's holes are we cannot tell: it does not say how its pictures are drawn.
#
# ## 4 · Addresses or offsets
#
# How might we give attention position? Of our three ways, here are two. The third follows in section 6.

# %%
described(
    signs.addresses_and_offsets(4, (1, 1), "Where a patch is, or where it is seen from here"),
    "Two grids of 4 by 4 patches. Left, each patch has its row and column. Right, each has its offset "
    "from the query in row 1, column 1.",
)

# %% [markdown]
# **Absolute: an address.** One learned vector for each place, added to its token. The original vision transformer does
# this. Here are three addresses of random numbers:

# %%
address = torch.randn(3, 8, generator=generator)  # one for each place

# %% [markdown]
# **Your turn:** take the two `sentences` of section 1, (1, 3, 8) each, and its `layer`. Add `address` to both, and
# average the outputs as before. Make `gap`, the largest absolute difference of the two averages: no longer zero, about
# .25.

# %% tags=["live"] live="add_address"
with torch.no_grad():
    told = [layer(x + address, x + address, x + address)[0].mean(1)[0] for x in sentences]
gap = (told[0] - told[1]).abs().max().item()
print(gap)

# %%
claim("dog bites man - man bites dog, with addresses", gap, expect=0.25, tol=5e-3)

# %% [markdown]
# **Relative: an offset.** "Two patches to the right" is what a question about left and right needs, and what a
# convolution's kernel always had. The offset bias adds one learned number to the score, for each offset and each head:
#
# $$s_{ij} + b[\Delta\text{row}, \Delta\text{column}]$$
#
# **Your turn, for one query:** the middle of a 3 × 3 grid, all nine scores 0. The bias of "one column to the right" is
# 2, all others are 0. Make the nine gates, `gates`, (3, 3). Expect .48 to the right and .065 elsewhere.

# %% tags=["live"] live="one_offset"
bias = torch.zeros(3, 3)  # rows -1, 0, 1; columns -1, 0, 1
bias[1, 2] = 2
gates = (torch.zeros(3, 3) + bias).flatten().softmax(0).view(3, 3)
print(gates)

# %%
claim("gates of one query with a bias", [gates[1, 2], gates[1, 1]], expect=[0.48, 0.065], tol=6e-3)

# %% [markdown]
# Now train both, as anybody would: the addresses and the bias are parameters, Adam has one learning rate. An address
# starts at random numbers of standard deviation .02, or of 1, as `nn.Embedding` would. The bias starts at 0. This takes
# minutes, so here is what was recorded.

# %%
LONG = ("no position", "learned, start .02", "learned, start 1", "bias, default rate")
BIASES = ("bias, default rate", "bias, 10 × rate", "bias = 10 · b′")


@cache
def story(name: str, seed: int) -> experiment.Story:
    """One run of the experiment; of those in `LONG` the first three seeds go on to 30 epochs."""
    found = experiment.run(name, seed, epochs=30 if name in LONG and seed < 3 else 10, show=False)
    print(
        f"{name}, seed {seed}: {found.accuracies[9]:.3f}, {found.accuracies[-1]:.3f}, {found.seconds:.0f} s", flush=True
    )
    return found


EIGHT = {
    "bias, default rate": "left of: bias at the default rate, eight seeds",
    "learned, start .02": "left of: learned position that starts at .02, eight seeds",
    "learned, start 1": "left of: learned position that starts at 1, eight seeds",
}
for name, stated in EIGHT.items():
    claim(stated, lambda name=name: [story(name, seed).accuracies[9] for seed in range(8)],
          expect=0.75, tol=0.3, preset="full")  # fmt: skip

# %%
eight = {name: record["measured"] for name, stated in EIGHT.items() if (record := claims.recorded(stated))}
if len(eight) == len(EIGHT):
    described(
        position_stalled.seed_table(
            eight, "Eight seeds each: the bias mostly sleeps, and an address depends on its start"
        ),
        f"Accuracies: {'; '.join(f'{name} {[round(a, 2) for a in row]}' for name, row in eight.items())}.",
    )
    above = [sum(accuracy > 0.9 for accuracy in row) for row in eight.values()]
    claim("of eight seeds above .9: bias, address from .02, address from 1", above, expect=[3, 7, 4], tol=0)
    claim("the lowest of them", [min(row) for row in eight.values()], expect=[0.48, 0.90, 0.53], tol=5e-3)
made = [training.seeded(experiment.MODELS[name][0], 0) for name in ("learned, start .02", "learned, start 1")]
starts = [net.place.std().item() for net in made]
claim("standard deviation of addresses at the start", starts, expect=[0.02, 1], tol=[0.002, 0.05])

# %% [markdown] lint={"number .81, .51": "the lecture's own three seeds, quoted"}
# **What to see.**
#
# - An address that starts at .02 is above .9 on seven seeds of eight. One that starts at 1 is on four; the worst stays
#   at .53. (The lecture's three seeds: .81, .51, 1.00. It does not say how they start.)
# - The bias stays at one half on five seeds, as if there were no bias at all. On three it takes off.
#
# Seeds 0, 1 and 2 of the bias are among the five. After three seeds we would have said that it never learns.
#
# ## 5 · A stalled parameter
#
# The symptom: an offset bias at the default rate does as well as no position at all. The bias adds nothing. Is it
# broken, useless, or slow? Three checks tell.
#
# **Check 1: does it learn?** Look at the norm of its gradient.

# %%
NORMS = "log10 of the bias's gradient norm, default rate, three seeds"
claim(NORMS,
      lambda: [[math.log10(max(norm, 1e-12)) for norm in story("bias, default rate", seed).gradients[:63]]
               for seed in range(3)],
      expect=-4, tol=4, preset="full")  # fmt: skip
if record := claims.recorded(NORMS):
    norms = 10 ** torch.tensor(record["measured"])  # (3, 63)
    described(
        position_stalled.seed_lines({"bias, default rate": norms}, "The gradient is small, and never zero",
                                    every=experiment.EVERY, ylabel="norm of the bias's gradient", log=True),
        f"Gradient norms of three seeds on a logarithmic axis, from {norms.min():.0e} to {norms.max():.0e}.",
    )  # fmt: skip
    claim(
        "log10 of the lowest and the highest norm",
        [norms.min().log10(), norms.max().log10()],
        expect=[-4.8, -3.4],
        tol=0.05,
    )

# %% [markdown]
# **What to see.** Between $10^{-5}$ and $10^{-3}$ (in the lecture from $10^{-6}$). Small, and never zero: it learns. So
# it is slow, or there is little to learn.
#
# **Check 2: how far can it get?** Adam divides the gradient by its own size. So a small gradient moves a parameter as
# far as a large one: about one learning rate an update.

# %%
live.vote(
    "A bias starts at 0. Adam, learning rate .001, 630 updates. How large can it become, about?",
    {"A": ".06", "B": ".6", "C": "6", "D": "it depends on the gradient"},
    answer="B",
    why="About one learning rate an update, whatever the gradient's size: 630 times .001. This is Adam's reach.",
)

# %% [markdown]
# How far does it get? We have recorded the largest bias of three networks. One learns its bias at the default rate, one
# at ten times the rate. The third learns a number $b'$ at the default rate, and its bias is $b = 10\,b'$: a small move
# of $b'$ is a ten times larger move of $b$.

# %%
LARGEST = "largest |b| every 10 updates, three seeds"
claim(
    "reach of 630 updates, at .001 and at .01",
    [630 * experiment.LR, 630 * 10 * experiment.LR],
    expect=[0.63, 6.3],
    tol=1e-9,
)
claim(LARGEST, lambda: [[story(name, seed).largest[:63] for seed in range(3)] for name in BIASES],
      expect=3, tol=3, preset="full")  # fmt: skip

# %%
if record := claims.recorded(LARGEST):
    grown = torch.tensor(record["measured"])  # (3 models, 3 seeds, 63)
    ends = grown[..., -1]  # (3, 3)
    described(
        position_stalled.seed_lines(dict(zip(BIASES, grown, strict=True)),
                                    "At the default rate the bias has no time to grow",
                                    every=experiment.EVERY, ylabel="largest |b|",
                                    levels={"ln 100 = 4.6": math.log(100)},
                                    slopes={"reach 0.63": 1e-3, "reach 6.3": 1e-2}),
        f"Largest bias of three networks, three seeds each, over 630 updates; in the end "
        f"{ends.numpy().round(2).tolist()}.",
    )  # fmt: skip
    claim("largest |b| after 630 updates: default, 10 × rate", ends[:2],
          expect=[[0.33, 0.29, 0.49], [3.8, 4.1, 3.9]], tol=0.05)  # fmt: skip

# %% [markdown]
# **What to see.** At the rate .001 the reach is .63, and the largest bias ends at .33, .29 and .49. At ten times the
# rate the reach is 6.3, and it ends at 3.8, 4.1 and 3.9. The third network, with $b = 10\,b'$, does the same.
#
# **Check 3: how far must it get?** A query wants to pick one key out of 100, and all scores are 0 but for this key's
# bias. **Your turn:** make `picked`, a list: the gate of that key at a bias of .49, the largest above at the default
# rate, and at $\ln 100$. Expect .016 and .503.

# %% tags=["live"] live="needed"
picked = []
for size in (0.49, math.log(100)):
    scores = torch.zeros(100)
    scores[7] = size
    picked.append(scores.softmax(0)[7].item())
print(picked)

# %%
claim("gate of one key of 100, at .49 and ln 100", picked, expect=[0.016, 0.503], tol=6e-4)
claim(
    "ln 100, ln 49, and e to the .49", [math.log(100), math.log(49), math.exp(0.49)], expect=[4.6, 3.9, 1.6], tol=0.05
)
sizes = torch.linspace(0, 8, 33)
described(
    charts.curves(sizes.tolist(), {f"1 of {n}": sizes.exp() / (sizes.exp() + n - 1) for n in (49, 100)},
                  "To pick one key, a bias must be as large as ln T", xlabel="bias of one key, all other scores 0",
                  ylabel="its gate", ylim=(0, 1)),
    "The gate of one key over its bias, among 49 and among 100 keys. It reaches one half near 3.9 and 4.6.",
)  # fmt: skip

# %% [markdown]
# **What to see.** A bias of .49 makes one key 1.6 times as likely as another one. To get half of the gate it needs
# $\ln 100$ = 4.6. We have 49 tokens: $\ln 49$ = 3.9.
#
# ### Rules of thumb, not laws
#
# Two of the three numbers are estimates. The reach first. **Your turn:** one parameter at 0, and `torch.optim.Adam` with
# rate .001. There is no loss: write the gradient into the parameter's `.grad` yourself, then call `.step()`. The
# gradient is a millionth for 600 updates, then 1 for 30. Make `moves`, a list of 630 numbers: how far each update moved
# the parameter, in learning rates. Look at the largest, and at the sum.

# %% tags=["live"] live="one_step"
weight = nn.Parameter(torch.zeros(1))
adam, moves = torch.optim.Adam([weight], lr=1e-3), []
for update in range(630):
    was = weight.item()
    weight.grad = torch.tensor([1e-6 if update < 600 else 1.0])
    adam.step()
    moves.append((was - weight.item()) / 1e-3)
print(max(moves), sum(moves))

# %%
claim("a calm parameter's move, in learning rates", moves[500], expect=0.99, tol=0.02)
claim("largest move after a jump of the gradient, in learning rates", max(moves), expect=4.4, tol=0.1)
claim("630 moves together, in learning rates", sum(moves), expect=715, tol=15, source="reach: 630")

# %% [markdown]
# **What to see.** A calm parameter moves .99 of a learning rate. After the jump Adam still divides by the size of the
# old gradients, and one update moves it 4.4 learning rates. All together: 715, more than the reach of 630. So a
# parameter may pass its reach. Use it to see an order of magnitude. (The lecture saw a step of 3.7.)
#
# And the need: it holds for a query that picks one key by its bias alone. Does ours? Train three times as long, and
# look.

# %%
LONGER = "left of: three seeds, 30 epochs"
GROWN = "largest |b| every 10 updates, default rate, 30 epochs"
claim(LONGER, lambda: [[story(name, seed).accuracies[29] for seed in range(3)] for name in LONG],
      expect=[[0.5] * 3] + [[0.99] * 3] * 3, tol=[[0.04] * 3] + [[0.03] * 3] * 3, preset="full")  # fmt: skip
claim(GROWN, lambda: [story("bias, default rate", seed).largest for seed in range(3)],
      expect=1, tol=1, preset="full")  # fmt: skip
if record := claims.recorded(GROWN):
    longer = torch.tensor(record["measured"])  # (3, 189)
    described(
        position_stalled.seed_lines({"bias, default rate": longer}, "30 epochs: enough, far below ln 49",
                                    every=experiment.EVERY, ylabel="largest |b|",
                                    levels={"ln 49 = 3.9": math.log(49)}, slopes={"reach 1.89": 1e-3}),
        "Largest bias of three seeds over 1,890 updates: it grows to about 1.4, close to the line of its reach.",
    )  # fmt: skip
    passed = (longer / (experiment.LR * experiment.EVERY * torch.arange(1, 190))).amax(1)
    claim("largest |b| after 30 epochs", longer[:, -1], expect=1.35, tol=0.06)
    claim("at most so many times its reach up to then", passed, expect=[1.24, 1.02, 1.39], tol=0.01)
claim("a side at +1.35 against a side at -1.35", math.exp(2 * 1.35), expect=15, tol=0.2)

# %% [markdown]
# **What to see.** After 30 epochs the default rate is right on all held-out pictures, on all three seeds. (So is the
# address, whatever its start, to within .02. No position stays at one half.) The largest bias is about 1.35: far below
# 3.9. The three lines climb soon after update 630, where our first runs stopped. Climbing, each was ahead of its reach,
# one by a factor of 1.39.
#
# So the need was too high. Our question does not ask for one key, but for a side. With +1.35 for all keys on one side
# and -1.35 on the other, one side weighs 15 times as much. Estimates like these find the slow parameter. They do not
# tell the hour at which it wakes: the next step is to try.

# %% [markdown]
# ### Three fixes
#
# 1. A larger rate for this parameter alone. Adam takes a list of groups, each with its own rate.
# 2. More updates: 30 epochs.
# 3. Another scale: learn $b'$ and use $b = 10\,b'$. The same move of $b'$ is a ten times larger move of $b$.
#
# The first one, now:

# %%
quick = experiment.run("bias, 10 × rate", SEED)
claim("bias at 10 × rate, this run", quick.accuracies[-1], expect=1, tol=0.05)
described(
    signs.bias_tables(quick.model.bias, "What the heads have learned: look to one side"),
    "Two maps of 13 by 13 biases, one for each head, over the offset in rows and columns. One side is high, one low.",
)
left, right = quick.model.bias[..., :6].mean((1, 2)), quick.model.bias[..., 7:].mean((1, 2))  # (2,) each: the heads
claim(
    "mean bias of one side against the other, in the head that cares most", (right - left).abs().max(), expect=4, tol=2
)

# %% [markdown]
# **What to see.** Whole columns are high or low: the bias prefers a side, whichever row. Nobody told it that the
# question is about columns. On three seeds, and beside RoPE, which we come to now:

# %%
NIGHT = "left of: no position, bias at 10 × rate, RoPE, three seeds"
claim(NIGHT, lambda: [[story(name, seed).accuracies[9] for seed in range(3)]
                      for name in ("no position", "bias, 10 × rate", "RoPE")],
      expect=[[0.5] * 3, [1.0] * 3, [1.0] * 3], tol=0.1, preset="nightly")  # fmt: skip

# %% [markdown]
# ## 6 · An arrow for each place
#
# RoPE, rotary position encoding (Su et al., 2021), needs no bias. Take the numbers of a query two at a time: each pair
# is an arrow. Turn it by its place times an angle θ. Do the same to the keys. A dot product of two arrows sees only the
# angle between them.
#
# **Your turn, with the lecture's numbers:** `q` and `k` both start as [1, 0], and θ = .5 radians. Make `q2`, `k5`, `q5`
# and `k8`: the query's arrow at place 2, the key's at 5, and both shifted by 3. An arrow that starts as [1, 0] and
# turns by an angle is [cos, sin] of it. Then the two `dots`. Expect [.54, .84], [-.80, .60], [-.80, .60], [-.65, -.76],
# and .071 twice.

# %% tags=["live"] live="turned"
q2, k5, q5, k8 = (torch.tensor([math.cos(0.5 * place), math.sin(0.5 * place)]) for place in (2, 5, 5, 8))
dots = [(q2 @ k5).item(), (q5 @ k8).item()]
print(q2, k5, q5, k8, dots)

# %%
claim("arrows of q at 2, k at 5, q at 5, k at 8", torch.stack([q2, k5, q5, k8]),
      expect=[[0.54, 0.84], [-0.80, 0.60], [-0.80, 0.60], [-0.65, -0.76]], tol=6e-3, source="lecture")  # fmt: skip
claim("their two dot products", dots, expect=0.071, tol=6e-4, source="lecture")
position_arrows.arrow_dial()

# %% [markdown]
# **What to see.** Move the shift: both arrows turn together, and the angle between them stays. (5 - 2) θ = (8 - 5) θ.
# Same offset, same score. Only queries and keys turn, never the values: what is handed over is content.

# %%
live.vote(
    "q at 5 and k at 2: the key now lies 3 places to the left. Both still start as [1, 0]. What is the score?",
    {"A": "-.071", "B": "0", "C": ".071, the same", "D": ".99"},
    answer="C",
    why="The cosine of 1.5 and of -1.5 is the same. Left and right differ only if q and k start as different arrows.",
)

# %% [markdown]
# So how can RoPE tell left from right? The projections $W_Q$ and $W_K$ give query and key different arrows. Let k start
# as [0, 1], a quarter turn ahead:

# %%
turn = lambda place, start: torch.tensor([math.cos(0.5 * place + start), math.sin(0.5 * place + start)])  # noqa: E731
sides = [[(turn(5, 0) @ turn(5 + offset, start)).item() for offset in (-3, 3)] for start in (0, math.pi / 2)]
claim("k at 3 to the left and to the right: both start as [1, 0]; k starts as [0, 1]", sides,
      expect=[[0.071, 0.071], [0.997, -0.997]], tol=6e-4)  # fmt: skip

# %% [markdown]
# **What to see.** .997 to the left and -.997 to the right. A pair of numbers per head is enough to look to one side.
#
# ### Break it on purpose
#
# Somebody forgets to turn the keys. **Your turn:** make `broken`, a list of two dots: `q2` and then `q5` with a key
# that stays [1, 0]. The offset between query and key is 3 in both.

# %% tags=["live"] live="break_it"
unturned = torch.tensor([1.0, 0.0])
broken = [(q2 @ unturned).item(), (q5 @ unturned).item()]
print(broken)

# %%
claim("dots if the keys do not turn", broken, expect=[0.54, -0.80], tol=6e-3)

# %% [markdown]
# **What to see.** .54 and -.80, for one and the same offset. The score now depends on where the query stands: an
# absolute position, and one that the value of θ has picked. No error says so, and a network may still learn something
# with it. Test it by a shift: both moved, same score.
#
# ### Three ways, side by side
#
# 24 places, 16 numbers each. For each way we draw the scores of all pairs, then the same scores over the offset.
#
# The code writes an arrow as one complex number: its real part is the cosine, its imaginary part the sine. The sine and
# the cosine of a sinusoidal address are an arrow, too. So eight complex numbers hold the 16 numbers of a place.
# `torch.polar(length, angle)` makes such arrows. `.mH` is the transpose with the sign of each imaginary part turned: the
# real part of `a @ b.mH` holds the dot products of arrows.

# %%
places, rates = torch.arange(24), 100 ** (-torch.arange(8) / 8)
waves = torch.polar(torch.ones(24, 8), torch.outer(places, rates))  # (24, 8): eight arrows for each place
wq, wk = torch.randn(2, 8, 8, dtype=torch.complex64, generator=generator)
q, k = torch.randn(2, 8, dtype=torch.complex64, generator=generator)
table = torch.randn(24, 16, generator=generator)
by_way = {
    "sinusoidal: p · p": (waves @ waves.mH).real,
    "sinusoidal through\n$W_Q$ and $W_K$": (waves @ wq @ (waves @ wk).mH).real,
    "learned: p · p, at the start": table @ table.T,
    "RoPE: q and k turned": ((q * waves) @ (k * waves).mH).real,
}
described(
    position_arrows.scores_against_offset(
        by_way, "Only RoPE gives one score for each offset, whatever the projections"
    ),
    "Four maps of 24 by 24 scores and below each the same scores over the offset. Sinusoidal and RoPE have one score "
    "for each offset; sinusoidal through projections and learned positions are clouds.",
)


# %%
def spread(scores: Tensor) -> float:
    """How much scores of one offset differ, against how much all differ: 0 if the offset decides."""
    within = [scores.diagonal(offset).var(correction=0) * (24 - abs(offset)) for offset in range(-23, 24)]
    return (sum(within) / scores.numel() / scores.var(correction=0)).sqrt().item()


spreads = [spread(scores) for scores in by_way.values()]
claim("spread of scores at one offset: sinusoidal, projected, learned, RoPE", spreads,
      expect=[0, 0.5, 0.8, 0], tol=[1e-3, 0.4, 0.2, 1e-3])  # fmt: skip

# %% [markdown]
# **What to see.** Below, a line of dots says "the offset decides", a cloud says that it does not.
#
# - *Sinusoidal* vectors (Vaswani et al., 2017) are added to tokens. Their own products know the offset. But attention
#   sees them through $W_Q$ and $W_K$, and then one offset has many scores.
# - *Learned* addresses start as noise. Offsets have to be learned, for each pair of places anew.
# - *RoPE* turns after the projections. Whatever these are, the offset decides.
#
# ## 7 · Arrows in two directions
#
# A picture has rows and columns. Split the numbers of a query and of a key in half: one half turns by the column, the
# other by the row. A dot product is a sum, so the two halves add: a column-offset term plus a row-offset term.

# %%
position_arrows.plane_dial()

# %%
one_right = [1 + math.cos(0.5), 2 * math.cos(0.5)]
claim("scores at θ = .5: one to the right, one right and below", one_right, expect=[1.88, 1.76], tol=6e-3)

# %% [markdown]
# **What to see.** Left and middle: stripes. Right: their sum, and it moves with the query. One step to the right gives
# 1.88, one step right and down 1.76. It does not matter which channels turn by which axis: the projections learn to
# fill them. RoPE acts on queries and keys only, never on values, and never on the residual stream.

# %%
live.vote(
    "One head shall score its own place and the one diagonally below high, but neither the right nor the lower "
    "neighbour. Can it, with one query and one key?",
    {"A": "yes, with the right θ", "B": "no", "C": "yes, with more pairs", "D": "yes, with larger numbers"},
    answer="B",
    why="Score = columns + rows. So own + diagonal = right + below, whatever q, k and θ are.",
)

# %% [markdown]
# The two terms of one head, with random numbers:

# %%
q, k = torch.randn(2, 4, 2, generator=generator)  # four pairs: two turn by the column, two by the row
there = [torch.tensor([[math.cos(t), -math.sin(t)], [math.sin(t), math.cos(t)]]) for t in (1.0, 0.1)]
f, g = ([(a @ b + c @ d).item(), (a @ there[0] @ b + c @ there[1] @ d).item()]
        for (a, c), (b, d) in ((q[:2], k[:2]), (q[2:], k[2:])))  # fmt: skip

# %% [markdown]
# **Your turn:** `f`, a list of two numbers, is the term of the columns: `f[0]` at offset 0, the own column, `f[1]` at
# offset 1, one to the right. `g` is the same for rows, one below. Make `plane`, (2, 2), rows down: all four scores. Then
# two sums of two scores each: `own_and_diagonal` and `right_and_below`.

# %% tags=["live"] live="diagonal"
plane = torch.tensor(g)[:, None] + torch.tensor(f)  # (rows, columns)
own_and_diagonal = (plane[0, 0] + plane[1, 1]).item()
right_and_below = (plane[0, 1] + plane[1, 0]).item()
print(plane, own_and_diagonal, right_and_below)

# %%
claim("own + diagonal - right - below", own_and_diagonal - right_and_below, expect=0, tol=1e-5)
claim("how much the four scores differ", plane.std(), expect=1.5, tol=1.4)

# %% [markdown]
# **What to see.** The two sums are equal. No single pair turns with row and column, so a diagonal is not a direction of
# its own. Later variants learn mixed directions. (Two heads, or a second layer, get there, too.)
#
# ## 8 · Why bother?
#
# All nine networks, three seeds each, recorded: two CNNs, one pooled at the end and one early; attention without
# position; two with addresses, which differ in their start; three with a bias (default rate, ten times the rate, and
# $b = 10\,b'$); and RoPE. Each is a row of the table below.

# %%
TABLE = "left of: nine networks, three seeds, 10 epochs"
EPOCHS = "left of: accuracy after each epoch, seed 0"
claim(TABLE, lambda: [[story(name, seed).accuracies[9] for seed in range(3)] for name in experiment.MODELS],
      expect=0.75, tol=0.3, preset="full", source="lecture: CNNs 1.00 and .51, RoPE 1.00")  # fmt: skip
if record := claims.recorded(TABLE):
    rows = dict(zip(experiment.MODELS, record["measured"], strict=True))
    described(
        position_stalled.seed_table(rows, "Is the square left of the disc? 10 epochs, three seeds"),
        f"Three seeds: {'; '.join(f'{name} {[round(a, 2) for a in row]}' for name, row in rows.items())}.",
    )
    claim("means of three seeds", [sum(row) / 3 for row in rows.values()],
          expect=[1.00, 0.51, 0.50, 0.95, 0.84, 0.50, 1.00, 1.00, 1.00], tol=6e-3)  # fmt: skip

# %%
claim(EPOCHS, lambda: [story(name, 0).accuracies[:10] for name in experiment.MODELS],
      expect=0.75, tol=0.3, preset="full")  # fmt: skip
if record := claims.recorded(EPOCHS):
    described(
        position_stalled.learning_curves(dict(zip(experiment.MODELS, record["measured"], strict=True)),
                                         "Attention waits at chance, then jumps: accuracy after each epoch, seed 0"),
        "Nine small curves of accuracy over ten epochs. The late CNN rises at once; attention waits, then jumps.",
    )  # fmt: skip
    claim("the late CNN after two epochs; RoPE after six", [record["measured"][0][1], record["measured"][8][5]],
          expect=[0.93, 0.50], tol=5e-3)  # fmt: skip

# %% [markdown]
# **What to see.** Thrown away early, the arrangement cannot be learned: .51 for the early CNN, .50 without position.
# Offsets are learned on every seed, if the bias gets its rate: 1.00. Addresses come close, not always.
#
# A fair question: the CNN scores 1.00, too. We have built much machinery to get back what a CNN had for free. Why
# replace it?
#
# 1. **Context at layer one.** Every patch reads every patch in one step: sky or sea is settled at once.
# 2. **Mixing that depends on the input.** Gates are computed from each picture; a kernel is fixed.
# 3. **One shape for any sequence.** Patches today, words in lesson 07: the same block.
# 4. **The catch: it needs data.** Fewer assumptions are built in, so more must be learned. The CNN has .93
#    after two epochs. RoPE has .50 after six, then it jumps: that wait is the price.
#
# Attention trades built-in assumptions for flexibility.
#
# ## 9 · Convolution is position-only attention
#
# How far apart are the two? Take a 3 × 3 kernel and nine heads, one for each offset. Each head's gates are 1 for its
# own offset, 0 elsewhere. They read no content. Each head hands over the pixel, and the output projection multiplies it
# by the kernel's weight for that offset.

# %%
image = torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3], [5, 8, 9, 7, 9], [3, 2, 3, 8, 4], [6, 2, 6, 4, 3]]).float()
kernel = torch.tensor([[1, 0, -1], [2, 0, -2], [1, 0, -1]]).float()

# %% [markdown]
# **Your turn, for one query:** `image` is (5, 5), `kernel` (3, 3), the query stands in row 2, column 2. Make `nine`,
# the gates (9, 5, 5), one map for each offset in reading order. Make `seen`, the nine pixels that the heads hand over,
# (9,). And make `mixed`, their sum weighted by the kernel. The convolution gives the same number.

# %% tags=["live"] live="nine_heads"
nine = torch.zeros(9, 5, 5)
for head in range(9):
    nine[head, 2 + head // 3 - 1, 2 + head % 3 - 1] = 1
seen = (nine * image).sum((1, 2))  # (9,)
mixed = (seen * kernel.flatten()).sum()
print(seen, mixed)

# %%
convolved = F.conv2d(image[None, None], kernel[None, None])[0, 0]  # (3, 3): only where the kernel fits
claim("what the nine heads hand over", seen, expect=[2, 6, 5, 8, 9, 7, 2, 3, 8], tol=0)
claim("nine heads, and the convolution, at the middle pixel", [mixed, convolved[1, 1]], expect=-7, tol=0)
described(
    signs.nine_gates(nine, kernel, (2, 2), "Nine heads, each with one gate of 1: a 3 × 3 convolution"),
    "Nine maps of 5 by 5 gates, one cell of 1 each: the query and its eight neighbours, and the kernel's weights.",
)

# %% [markdown]
# **What to see.** Each head looks at one neighbour. The nine together are the convolution: -7 and -7, exactly. (In the
# homework you do it for all queries, all channels and the border.)
#
# A softmax gives no gate of exactly 1. How large must a bias be so that nobody notices? We know this curve from section
# 5.


# %%
def almost(size: float) -> float:
    """The middle pixel, if each head's gates are a softmax with a bias of `size` on its own offset."""
    gates = (size * nine).flatten(1).softmax(1).view(9, 5, 5)
    return ((gates * image).sum((1, 2)) * kernel.flatten()).sum().item()


claim("the middle pixel with a bias of 0, 2, 4.6, 20", [almost(size) for size in (0, 2, 4.6, 20)],
      expect=[0, -1.4, -5.6, -7], tol=[1e-4, 0.1, 0.1, 1e-4])  # fmt: skip

# %% [markdown]
# **What to see.** With no bias all nine heads see the same average, and an edge kernel makes 0 of it. With 20 the
# convolution is there. Cordonnier, Loukas and Jaggi (2020) show it in general: attention with relative position can be
# any convolution, one head for each offset of the kernel.
#
# | | convolution | attention with relative position |
# |---|---|---|
# | weights come from | the offset | the offset and the content |
# | who is seen | neighbours | any patch |
#
# ## What to take away
#
# 1. Attention alone does not know where its tokens stand. Shuffle them, and the average is the same.
# 2. Tell it addresses, or better offsets: a bias for each offset, or arrows that turn with their place.
# 3. A parameter that must grow needs the time to grow. Check its gradient, its reach and its need.
# 4. Convolution is attention that looks at the offset alone.
#
# **In one line:** a score of two tokens should know what they are *and* how they lie to each other.
#
# Next: with places known, a picture is a sequence of patches. Lesson 06 builds the vision transformer.
