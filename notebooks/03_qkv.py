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
# # 03 · Queries, keys, values, in class
#
# **The question:** a patch of plain blue. Is it sky or sea? The patch alone cannot know. Today we build a gate that
# lets it ask the others.
#
# We come from max pooling: a gate that looks at four values and opens for one. Then the gate became soft, then
# learned. Two things are missing. It looks at one small window only, and it asks the same question for everybody.
#
# | minutes | section |
# |---|---|
# | 0 to 8 | 1 · Local is all we have |
# | 8 to 15 | 2 · A gate that reads more |
# | 15 to 33 | 3 · Query, key, value by hand |
# | 33 to 40 | 4 · Every token asks its own question |
# | 40 to 55 | 5 · Why divide by √d? |
# | 55 to 70 | 6 · No window: attention on digits |
# | 70 to 76 | 7 · What a global gate costs |
# | 76 to 84 | 8 · Shuffle the tokens |
# | 84 to 90 | 9 · What we assume, and where we go |

# %% [markdown] tags=["teacher"]
# **For the teacher.** 90 minutes; the table above says when each section begins. Six votes, all before the
# measurement: 1 D (a pool is a function of its window), 2 C (all quadrants become equal), 3 B (every gate becomes 1/4,
# and no error says so), 4 B (√64), 5 D (4²), 6 B (equivariant, then invariant). Ask for hands, click, then reveal.
#
# Live cells: `receptive_field`, `what_gates_read`, `one_query_loop`, `one_query_matrix`, `residual`, `break_it`,
# `one_ranking`, `std_of_scores`, `measured_cost`, `shuffle`. If time runs short, reveal `receptive_field`,
# `one_ranking` and `measured_cost` without typing, and leave out the dial of section 5. Never leave out
# `one_query_loop`, vote 6 and the last page. The digits of section 6 train for half a minute: start that cell while
# you explain it.

# %% [markdown]
# **Words.** A *score* is a number before the softmax, a *gate* is one after it. Rows are queries, columns are keys.
# `T` is the number of tokens, `f` the features of a token, `d` the width of queries and keys. Batch comes first.

# %% tags=["parameters"]
PRESET = "quick"
SEED = 0

# %%
import math
import time
from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils import charts, data, diagrams, digits, live, plots, scenes, settings, training, widgets
from course_utils.claims import claim
from course_utils.described import described

settings.prepare(seed=SEED, preset=PRESET)
generator = torch.Generator().manual_seed(1)
hand = data.sky_or_sea()  # the lecture's numbers: quadrants A and B (4, 3), weights W_q and W_k (2, 3), W_v (3, 3)

# %% [markdown]
# ## 1 · Local is all we have
#
# Two pictures, each cut into four quadrants. Look at the top left of both.

# %%
bird, boat = data.draw_picture("bird", size=128), data.draw_picture("boat", size=128)
described(
    plots.pictures([bird, boat], ["picture A", "picture B"], "The top-left quadrant is the same in both"),
    "Two blue pictures. A has a bird in its top-right quadrant, B a boat. The other quadrants are plain blue.",
)

# %% [markdown]
# **What to see.** Only the top right differs. A network that works inside the quadrants, as convolution and pooling do
# at first, finds blue, blue and a bird, blue, blue. Nothing crosses a dashed line.

# %%
live.vote(
    "Max, average and softmax pooling run inside each quadrant. Which of them can tell the two top lefts apart?",
    {"A": "max pooling", "B": "softmax pooling", "C": "all three", "D": "none of them"},
    answer="D",
    why="A pool is a function of its window. The two windows hold the same pixels.",
)

# %%
PIXELS = (-2, -1)


def quadrants(picture: Tensor) -> Tensor:
    """A picture (3, h, w) as its four quadrants (4, 3, h/2, w/2), in reading order."""
    return torch.stack([half for row in picture.chunk(2, 1) for half in row.chunk(2, 2)])


def three_pools(picture: Tensor) -> Tensor:
    """Each quadrant pooled to its largest, average and soft-pooled colours: (4, 9)."""
    x = quadrants(picture)
    soft = (x * x.flatten(2).softmax(-1).view_as(x)).sum(PIXELS)
    return torch.cat([x.amax(PIXELS), x.mean(PIXELS), soft], dim=1)


apart = (three_pools(bird) - three_pools(boat)).abs().amax(1)  # (4,): the largest difference in each quadrant
for name, difference in zip(data.QUADRANTS, apart.tolist(), strict=True):
    print(f"{name:>12}: A and B differ by {difference:.3f}")
claim("top left, A against B: largest difference of three pools", apart[0], expect=0, tol=0)

# %% [markdown]
# **What to see.** Exactly 0, except where the object is. No pool can help, because the answer is not in the window.
#
# Depth helps, slowly. Each layer of k × k filters lets a number see k - 1 pixels more:
#
# $$\text{receptive field} = 1 + L\,(k - 1)$$
#
# How many layers of 5 × 5 filters does it take to see all 28 pixels of a digit? Say a number before you run the cell.


# %% tags=["live"] live="receptive_field"
def pixels_seen(layers: int, k: int = 5) -> int:
    """How many pixels of a row reach the middle output of a stack of convolutions, measured by the gradient."""
    row = torch.zeros(1, 1, 61, requires_grad=True)
    x = row
    for _ in range(layers):
        x = F.conv1d(x, torch.ones(1, 1, k), padding=k // 2)
    x[0, 0, 30].backward()
    return int((row.grad != 0).sum())


seen = [pixels_seen(layers) for layers in range(1, 8)]
print(seen)

# %%
claim("pixels seen after 1 to 7 layers of 5 x 5", seen, expect=[5, 9, 13, 17, 21, 25, 29], tol=0, source="1 + 4 L")
claim("layers needed to see 28 pixels", 1 + sum(each < 28 for each in seen), expect=7, tol=0)

# %% [markdown]
# **What to see.** Seven layers. Parts of a digit that lie far apart meet late. We want them to meet in one.
#
# ## 2 · A gate that reads more
#
# We have met "local only" once before, in activation functions. SiLU multiplies each unit by a gate, and the gate reads
# that one unit. What did SwiGLU change?

# %%
described(
    diagrams.gate_readers(),
    "Left, SiLU: four units, each with an arrow to its own gate only. Right, SwiGLU: every unit has an arrow to every "
    "gate. In both, each value goes straight to its own multiplication.",
)

# %% [markdown]
# **What to see.** The dashed lines are the same: a value goes straight through its own gate. Only the solid lines
# differ. SwiGLU puts a projection before the gate, so that the gate reads everything.
#
# Do not trust a drawing. The gradient of each gate with respect to each unit says what the gate really reads. **Your
# turn:** four random units `y` and `torch.autograd.functional.jacobian`. The gates are $\sigma(y)$ and $\text{SiLU}(W y)$.
# Take the size of both Jacobians. Their shape is (4, 4); the first is diagonal, the second full.

# %% tags=["live"] live="what_gates_read"
y, W = torch.randn(4, generator=generator), torch.randn(4, 4, generator=generator) / 2
jacobian = torch.autograd.functional.jacobian
silu_reads = jacobian(torch.sigmoid, y).abs()
swiglu_reads = jacobian(lambda y: F.silu(W @ y), y).abs()

# %%
described(
    charts.side_by_side(
        {"SiLU": silu_reads, "SwiGLU": swiglu_reads},
        "SiLU's gate reads one unit, SwiGLU's reads all four",
        unit="|gradient of the gate|",
        sides=("gate", "unit"),
    ),
    "Two 4 by 4 heat maps. SiLU: only the diagonal is above zero. SwiGLU: every cell is.",
)
claim("units read by all SiLU gates together", (silu_reads > 0).sum(), expect=4, tol=0)
claim("units read by all SwiGLU gates together", (swiglu_reads > 0).sum(), expect=16, tol=0)

# %% [markdown]
# **What to see.** 4 of 16 cells, then 16 of 16. Pooling today is the left picture with quadrants in place of units: a
# quadrant's gate reads its own quadrant. We make the same move again. **Let a quadrant's gate read every quadrant.**
#
# ## 3 · Query, key, value by hand
#
# A small network has measured three features of each quadrant: (blue, wings, hull).
#
# | | top left | top right | bottom left | bottom right |
# |---|---|---|---|---|
# | picture A | [1, 0, 0] | [1, 1, 0] | [1, 0, 0] | [1, 0, 0] |
# | picture B | [1, 0, 0] | [1, 0, 1] | [1, 0, 0] | [1, 0, 0] |
#
# A gate needs a score. A learned score of the last lesson is $s_j = w \cdot x_j$: it depends on who offers, never on
# who asks. If the bird scores highest, it does so for everybody. So we split the score into two halves:
#
# - the **query** of the token that asks: what am I looking for?
# - the **key** of the token that offers: what do I have?
#
# $$s_{ij} = q_i \cdot k_j, \qquad q_i = W_Q\,x_i, \qquad k_j = W_K\,x_j$$
#
# In the lecture's numbers the query reads 2 × blue into both places, "is there an object nearby?", so it is [2, 2]. The
# key is [wings, hull]. **Your turn, with loops and no tensors:** the top left asks. `hand.A.tolist()` is the table of
# picture A. The scores are 0 2 0 0, the gates .096 .711 .096 .096, the output is [1, .711, 0].

# %% tags=["live"] live="one_query_loop"
offers = hand.A.tolist()  # four quadrants of picture A, each (blue, wings, hull)
asks = [2 * offers[0][0], 2 * offers[0][0]]  # the top left's query: 2 x blue, twice
by_score = []
for _, wings, hull in offers:
    key = [wings, hull]
    by_score.append(asks[0] * key[0] + asks[1] * key[1])
whole = sum(math.exp(score) for score in by_score)
by_gate = [math.exp(score) / whole for score in by_score]
received = [0.0, 0.0, 0.0]
for gate, features in zip(by_gate, offers, strict=True):
    for place, feature in enumerate(features):
        received[place] += gate * feature
print("scores", by_score)
print("gates ", [round(gate, 3) for gate in by_gate])
print("output", [round(number, 3) for number in received])

# %%
claim("top left of A: scores", by_score, expect=[0, 2, 0, 0], tol=0, source="lecture")
claim("top left of A: gates", by_gate, expect=[0.096, 0.711, 0.096, 0.096], tol=5e-4, source="lecture")
claim("top left of A: output", received, expect=[1, 0.711, 0], tol=5e-4, source="lecture")
described(
    charts.bars(by_gate, "The top left listens to the bird", names=data.QUADRANTS, ylabel="gate", ylim=(0, 1)),
    "Four bars. The top right, where the bird is, has gate 0.711; the three others have 0.096 each.",
)

# %% [markdown]
# **What to see.** The blue patch now carries wings .711. It heard of the bird.
#
# The same for one query, with tensors. The loop over keys becomes a matrix times a vector, and the gated sum another
# one. **Your turn:** four lines, with `hand.A`, `hand.W_q` and `hand.W_k`. `K` has all keys, (4, 2); the output is again
# [1, .711, 0].

# %% tags=["live"] live="one_query_matrix"
q = hand.W_q @ hand.A[0]  # (2,)      the top left's query
K = hand.A @ hand.W_k.T  # (4, 2)    every quadrant's key
gate = (K @ q).softmax(0)  # (4,)      one row of gates
output = gate @ hand.A  # (3,)      the gated sum
print(output)

# %% [markdown]
# And for all four queries at once, with PyTorch's own function. It divides the scores by √d; `scale=1` switches that
# off, because the hand numbers have no scale. The homework builds this function from its parts, and keeps the scale:
# there the bird's gate is .578.


# %%
def attend(x: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor) -> tuple[Tensor, Tensor]:
    """Outputs (T, n) and gates (T, T) of all tokens x (T, f), without the scale."""
    q, k, v = F.linear(x, W_q), F.linear(x, W_k), F.linear(x, W_v)
    look = torch.eye(len(x))  # values that name their token, so that the output is the gates
    pool = F.scaled_dot_product_attention
    return pool(q, k, v, scale=1.0), pool(q, k, look, scale=1.0)


out_A, gates_A = attend(hand.A, hand.W_q, hand.W_k, hand.W_v)
out_B, gates_B = attend(hand.B, hand.W_q, hand.W_k, hand.W_v)
print("loop against matrix  ", (torch.tensor(received) - output).abs().max().item())
print("matrix against PyTorch", (output - out_A[0]).abs().max().item())

# %%
claim("one query: the loop, the matrix and PyTorch agree", [(torch.tensor(received) - output).abs().max(),
      (output - out_A[0]).abs().max()], expect=0, tol=1e-6)  # fmt: skip
scaled = (hand.A @ hand.W_k.T) @ (hand.W_q @ hand.A[0]) / math.sqrt(2)  # (4,), as the homework does it
claim("top left of A, scores ÷ √2", scaled, expect=[0, 1.414, 0, 0], tol=5e-4)
claim("top left of A, scores ÷ √2: gates", scaled.softmax(0), expect=[0.141, 0.578, 0.141, 0.141], tol=5e-4)
described(
    scenes.listening(bird, gates_A, "Every quadrant queries every quadrant, and all hear the bird"),
    "Picture A four times, once for each quadrant that asks. The thickest arrow always comes from the bird's quadrant, "
    "gate 0.711; thin ones come from the others, gate 0.096.",
)

# %% [markdown]
# **What to see.** Pooling had four local gates. Attention has four gates, too, and each reads every quadrant. All four
# quadrants are equally blue, so all ask the same question. That is this example's choice of $W_Q$, not a law.
#
# Picture B is the same calculation with a boat. So what is the output of its top left?

# %%
claim("top left of B: output", out_B[0], expect=[1, 0, 0.711], tol=5e-4, source="lecture")
described(
    scenes.quadrant_pictures(
        {"x: each quadrant alone": hand.B, "attention's output": out_B}, "B: the boat's shadow is everywhere"
    ),
    "Left: four quadrants of picture B, a boat in the top right. Right: attention's output, a pale boat in all four.",
)

# %%
live.vote(
    "Attention's output is what the next layer gets. What has the quadrant with the boat lost?",
    {"A": "nothing", "B": "its hull", "C": "what makes it different from the others", "D": "its blue"},
    answer="C",
    why="All four ask the same question and get the same answer: [1, 0, .711]. Add x back, and each stays itself.",
)

# %% [markdown]
# So we add each token back to what it received: $x + \text{attention}(x)$. This is a **residual connection**, and it
# stays in the network from here on. **Your turn:** the boat's quadrant becomes [2, 0, 1.711], the others [2, 0, .711].

# %% tags=["live"] live="residual"
stream_A, stream_B = hand.A + out_A, hand.B + out_B
print(stream_B)

# %%
spread = (out_B - out_B[0]).abs().max()
claim("without the residual the four quadrants of B differ by", spread, expect=0, tol=1e-6)
claim("top left of A and of B, with residual", [stream_A[0].tolist(), stream_B[0].tolist()],
      expect=[[2, 0.711, 0], [2, 0, 0.711]], tol=5e-4, source="lecture")  # fmt: skip
claim("the bird's and the boat's quadrant, with residual", [stream_A[1].tolist(), stream_B[1].tolist()],
      expect=[[2, 1.711, 0], [2, 0, 1.711]], tol=5e-4, source="lecture")  # fmt: skip
steps = {"A: x": hand.A, "A: x + attention": stream_A, "B: x": hand.B, "B: x + attention": stream_B}
described(
    scenes.quadrant_pictures(steps, "Same top left, another context: now sky in A and sea in B"),
    "Four pictures of four quadrants. With the residual, a pale bird (A) or boat (B) lies in every quadrant and the "
    "object's own quadrant stays the strongest.",
)

# %% [markdown]
# **What to see.** The top left came in as [1, 0, 0] in both pictures. It leaves as [2, .711, 0] in A and [2, 0, .711]
# in B: one patch, two contexts, two representations. No depth was needed.
#
# **Name the parts.** What a token looks for is its query Q. What it has is its key K. What it hands over is its
# **value** V: here $W_V$ is the identity, so a quadrant hands over its features as they are.
#
# ### The diagram in every paper
#
# Cover the right half with your hand. Which of our parts is each box?

# %%
described(
    diagrams.attention_boxes(),
    "Tokens X go through three learned Linear boxes to Q, K and V. Q and K meet in MatMul, then Scale, then SoftMax; "
    "the gates and V meet in a second MatMul, whose result is the output. Words beside each box say what it does.",
)

# %% [markdown]
# **What to see.** Three learned boxes, the same for every picture. Four computed ones, fresh for each picture. $W_V$
# could also come after the sum, because the gates are plain numbers:
# $\sum_j g_j\,(W_V x_j) = W_V \sum_j g_j\,x_j$.
#
# *Differs from the paper:* its diagram has an optional mask between scale and softmax. It is for decoders and for
# padding; an encoder of pictures needs none. Papers write $W_V$ for the weights and V for the values, and so do we from
# here on; the lecture's formula $\text{softmax}(QK^\top/\sqrt d)\,XV^\top$ calls the weights V. It is the same computation.

# %%
one, other = torch.randn(2, 5, 3, generator=generator)
W_V, g = torch.randn(4, 3, generator=generator), torch.rand(5, generator=generator)
claim("W_V before and after the gated sum", (g @ (one @ W_V.T) - W_V @ (g @ one)).abs().max(), expect=0, tol=1e-5)

# %% [markdown]
# ### Break it on purpose
#
# The softmax runs over the keys: each row of gates sums to 1. What if it runs over the queries by mistake?

# %%
live.vote(
    "Picture A, softmax over the wrong dimension, no residual. What does the top left receive?",
    {"A": "[1, .711, 0]", "B": "[1, .25, 0]", "C": "[1, 1, 0]", "D": "an error"},
    answer="B",
    why="Each column of scores is constant, so every gate becomes 1/4. Nobody listens to anybody, and no error says so.",
)

# %% [markdown]
# **Your turn:** the scores of all four queries, (4, 4), then the softmax over dimension 0. Sixteen times .25.

# %% tags=["live"] live="break_it"
scores_A = (hand.A @ hand.W_q.T) @ K.T  # (4, 4): each row is 0 2 0 0
broken = scores_A.softmax(0)  # over the queries: wrong
print(broken)
print("rows sum to", broken.sum(1).tolist())

# %%
claim("broken softmax: what the top left of A receives", broken[0] @ hand.A, expect=[1, 0.25, 0], tol=1e-6)
random_rows = torch.randn(6, 6, generator=generator).softmax(0).sum(1)
claim("broken softmax on random scores: the rows' sums spread by", random_rows.std(), expect=0.45, tol=0.35)

# %% [markdown]
# **What to see.** Here the rows even sum to 1, by accident, so a check of the sums would have passed. On random scores
# it would not. Test with numbers that are all different.
#
# ## 4 · Every token asks its own question
#
# In "sky or sea" everybody asked the same. In general a query depends on the token. Six tokens of a handwritten 7, with
# made-up gates:

# %%
PLACES = ("bar, left", "bar, right", "corner", "stem, middle", "stem, bottom", "background")
seven = torch.tensor(
    [
        [0.30, 0.34, 0.14, 0.08, 0.06, 0.08],
        [0.33, 0.29, 0.20, 0.07, 0.05, 0.06],
        [0.10, 0.18, 0.12, 0.24, 0.30, 0.06],
        [0.06, 0.12, 0.28, 0.20, 0.28, 0.06],
        [0.12, 0.30, 0.32, 0.12, 0.08, 0.06],
        [0.17, 0.17, 0.16, 0.17, 0.16, 0.17],
    ]
)
described(
    plots.gate_map(seven, PLACES, PLACES, "Each position asks its own question"),
    "A 6 by 6 matrix of gates. The bar looks at the bar, the corner at the stem, the bottom of the stem at corner and "
    "bar; the background looks everywhere alike.",
)
claim("six rows of gates: their sums", seven.sum(1), expect=1, tol=1e-6)

# %% [markdown]
# **What to see.** Read row by row. The corner looks at the stem, the stem looks back at the corner, the background has
# no opinion. T tokens, T soft pools, each with its own gates. One learned $w$ gives the same row to everybody: it can
# match the average row and no more. **Your turn:** how much of its gate does each query then spend on the wrong tokens?
# That is half the sum of $|g_{ij} - \bar g_j|$ over the keys: six numbers, the largest .255.

# %% tags=["live"] live="one_ranking"
same_for_all = seven.mean(0).expand(6, 6)  # the best single row, for every query
miss = (seven - same_for_all).abs()
worst = miss.sum(1) / 2  # how much of its gate each query spends on the wrong tokens
for place, share in zip(PLACES, worst.tolist(), strict=True):
    print(f"{place:>12}: {share:.2f} of the gate in the wrong place")

# %%
claim("one ranking for all: the worst query's misplaced gate", worst.max(), expect=0.255, tol=0.001)

# %% [markdown]
# **One gate for each pair, not for each channel.** $g_{ij}$ scales all numbers of token j's value alike. SwiGLU had a
# gate for every channel. More gates for each pair come with several heads, in the next lesson.
#
# ## 5 · Why divide by √d?
#
# Follow the variance through the diagram. Inputs have variance σ². Answer each line before you read on.
#
# | where | variance | why |
# |---|---|---|
# | x | σ² | given |
# | weights | 1/fan-in | LeCun: a sum of fan-in products then keeps σ² |
# | q, k, v | σ² | fan-in · 1/fan-in · σ² |
# | score q · k | d σ⁴ | d products of variance σ² · σ², added |
# | score ÷ √d | σ⁴ | that is 1 when σ² = 1, for any d |

# %%
live.vote(
    "Queries and keys have variance 1 and width d = 64. What is the standard deviation of their scores?",
    {"A": "1", "B": "8", "C": "64", "D": "1/8"},
    answer="B",
    why="64 products, each with variance 1, give a variance of 64; its root is 8.",
)

# %% [markdown]
# **Your turn:** `draw_scores(queries, keys, d)` draws random queries, each with keys of its own, and gives their scores,
# shape (queries, keys). Measure the standard deviation for five widths. Expect about 1, 2, 4, 8, 16.

# %% tags=["live"] live="std_of_scores"
WIDTHS = (1, 4, 16, 64, 256)
generator = torch.Generator().manual_seed(0)


def draw_scores(queries: int, keys: int, d: int) -> Tensor:
    """Scores (queries, keys) of random queries, each against keys of its own, all of variance 1."""
    q = torch.randn(queries, 1, d, generator=generator)
    k = torch.randn(queries, keys, d, generator=generator)
    return (q * k).sum(-1)


spreads = [draw_scores(500, 64, d).std() for d in WIDTHS]
print([f"{spread:.2f}" for spread in spreads])

# %%
measured = torch.stack(spreads) / torch.tensor(WIDTHS).sqrt()
claim("std of q·k ÷ √d for d = 1, 4, 16, 64, 256", measured, expect=1, tol=0.08, source="lecture: 1.02 to 15.95 ÷ √d")
fan_in, sigma2 = 100, 2.0
x = torch.randn(2000, fan_in, generator=generator) * sigma2**0.5
q, k = (F.linear(x, torch.randn(64, fan_in, generator=generator) / fan_in**0.5) for _ in range(2))
claim("variance of q for variance 2 of x, LeCun weights", q.var(), expect=2, tol=0.15)
pairs = (q * k.roll(1, 0)).sum(-1) / 8  # each query with another token's key
claim("variance of the scores ÷ √d for variance 2 of x", pairs.var(), expect=4, tol=1.0, source="σ⁴")

# %% [markdown]
# A softmax of scores that spread by 8 or 16 is almost a hardmax. The top gate takes nearly all, and the rest hear
# almost no gradient: we are back at max pooling. Measure the largest gate.


# %%
def largest_gates(keys: int, scaled: bool, queries: int) -> list[float]:
    """The mean largest gate among so many keys, for each width."""
    found = []
    for d in WIDTHS:
        few = [draw_scores(250, keys, d) / (d**0.5 if scaled else 1) for _ in range(queries // 250)]
        found.append(torch.cat(few).softmax(-1).amax(-1).mean().item())
    return found


QUERIES = {"quick": 500, "nightly": 8000, "full": 8000}[PRESET]
top = {(keys, scaled): largest_gates(keys, scaled, QUERIES) for keys in (64, 144) for scaled in (False, True)}
described(
    charts.curves(
        WIDTHS,
        {"64 keys": top[64, False], "144 keys": top[144, False], "64 keys ÷ √d": top[64, True],
         "144 keys ÷ √d": top[144, True]},
        "Without the scale, wide queries make hard gates",
        xlabel="width d of queries and keys", ylabel="largest gate (mean)", log="x", ylim=(0, 1),
    ),
    "Four curves over d from 1 to 256. Unscaled, the largest gate climbs from below 0.1 to 0.9; scaled, it stays flat.",
)  # fmt: skip

# %%
SLIDE = "lecture: .14 .29 .56 .79 .90"
mean = [0.097, 0.275, 0.579, 0.792, 0.898]
claim("largest of 64 gates, unscaled", top[64, False], expect=mean, tol=0.04, source=SLIDE)
claim("largest of 64 gates ÷ √d", top[64, True], expect=[0.097, 0.106, 0.107, 0.108, 0.107], tol=0.02)
SLIDE = "lecture: .063 .209 .527 .774 .891"
mean = [0.065, 0.211, 0.525, 0.764, 0.885]
claim("largest of 144 gates, unscaled", top[144, False], expect=mean, tol=0.04, source=SLIDE)
claim("largest of 144 gates ÷ √d", top[144, True], expect=[0.065, 0.064, 0.064, 0.063, 0.064], tol=0.015)

# %% [markdown]
# **What to see.** At d = 256 the largest of 64 gates holds .90. Divided by √d it stays near .11 at any width. √d is the
# temperature of the last lesson: $\text{softmax}(s/\tau)$ with $\tau = \sqrt d$.
#
# **Not as on the slide.** For 64 gates at d = 1 the lecture shows .14. The mean is .097; the lecture's number is one
# lucky draw. If all queries share one set of 64 keys, a width of 1 makes the result hang on those few keys. So we let
# each query have its own keys, and average. How often does a shared set give .135 or more?

# %%
shared = [
    (torch.randn(100, 1, generator=generator) * torch.randn(64, generator=generator)).softmax(-1).amax(-1).mean()
    for _ in range(400)
]
lucky = (torch.stack(shared) >= 0.135).float().mean()
claim("share of shared key sets with .135 or more at d = 1", lucky, expect=0.10, tol=0.05)

# %% [markdown]
# Turn the dial: one row of scores for d = 16, divided by 1, by 4 = √d, and by more.

# %%
row = draw_scores(1, 6, 16)[0]
widgets.temperature_dial(row, [f"key {i}" for i in range(6)])

# %% [markdown]
# ### Does it matter? A lookup task
#
# 16 tokens; each is a kind (of 32) and carries a bit. A query names one kind: which bit does it carry? A model with
# d = 256 must find one key among 16. It gets 5 · 16 = 80 updates, once with the scale and once without.


# %%
class Lookup(nn.Module):
    """One attention layer: the query is the kind that is asked for, the tokens are kinds with bits."""

    def __init__(self, scaled: bool, width: int = 256) -> None:
        super().__init__()
        self.kind, self.bit = nn.Embedding(32, width), nn.Embedding(2, width)
        self.q, self.k, self.v = (nn.Linear(width, width, bias=False) for _ in range(3))
        for layer in (self.q, self.k, self.v):
            nn.init.normal_(layer.weight, std=width**-0.5)  # LeCun
        self.answer, self.scale = nn.Linear(width, 2), width**-0.5 if scaled else 1.0

    def pool(self, asked: Tensor, tokens: Tensor, v: Tensor) -> Tensor:
        q, k = self.q(asked)[:, None], self.k(tokens)  # (B, 1, d), (B, 16, d)
        return F.scaled_dot_product_attention(q, k, v, scale=self.scale)[:, 0]  # (B, d)

    def forward(self, x: Tensor) -> Tensor:
        asked, kinds, bits = x[:, 0], x[:, 1:17], x[:, 17:]  # (B,), (B, 16), (B, 16)
        tokens = (self.kind(kinds) + self.bit(bits)) / 2**0.5  # (B, 16, d), variance 1
        return self.answer(self.pool(self.kind(asked), tokens, self.v(tokens)))  # (B, 2)


# %%
def lookup_task(count: int, seed: int) -> tuple[Tensor, Tensor]:
    """Inputs (count, 33): the kind asked for, 16 kinds, 16 bits; and the right bits (count,)."""
    draws = torch.Generator().manual_seed(seed)
    kinds = torch.rand(count, 32, generator=draws).argsort(1)[:, :16]
    bits = torch.randint(2, (count, 16), generator=draws)
    place = torch.randint(16, (count, 1), generator=draws)
    return torch.cat([kinds.gather(1, place), kinds, bits], dim=1), bits.gather(1, place)[:, 0]


@cache
def lookup_accuracy(scaled: bool, seed: int, epochs: int = 5) -> float:
    """Accuracy on 1,000 new questions after 16 updates an epoch."""
    model = training.seeded(lambda: Lookup(scaled), seed)
    run = training.fit(model, *lookup_task(2000, seed), epochs=epochs, lr=3e-4, batch=128, seed=seed,
                       held_out=lookup_task(1000, 100 + seed))  # fmt: skip
    return run.accuracies[-1]


for scaled in (True, False):
    print("with the scale" if scaled else "without", lookup_accuracy(scaled, 0))

# %%
claim("lookup, d = 256, with the scale", lookup_accuracy(True, 0), expect=1.0, tol=0.02, source="lecture: 1.00")
claim("lookup, d = 256, without the scale", lookup_accuracy(False, 0), expect=0.58, tol=0.13, source="lecture: 0.51")
claim("lookup, d = 256, three seeds with and without", lambda: [[lookup_accuracy(s, seed) for seed in range(3)]
      for s in (True, False)], expect=[[1.0] * 3, [0.6] * 3], tol=[[0.02] * 3, [0.15] * 3], preset="nightly")  # fmt: skip
claim("lookup without the scale, ten times as long", lambda: lookup_accuracy(False, 0, 50), expect=0.64, tol=0.1,
      preset="nightly")  # fmt: skip

# %% [markdown]
# **What to see.** Same model, same data, one division. Chance is ½. Without the scale the gates are hard from the
# first update, so almost no gradient reaches the queries and keys. Ten times as many updates bring it to .64, no
# further. On easier tasks, with fewer kinds and narrower vectors, it gets there late: a missing scale makes learning
# slow or stops it, and you cannot tell from one run which.

# %% [markdown]
# ## 6 · No window: attention on digits
#
# Now let j run over every position of a picture. A token is one position of a feature map: a pixel with 32 numbers
# instead of 1. The stem is small on purpose: one convolution, 32 filters of 5 × 5, ReLU, max pool 2 × 2. It turns a
# digit into 12 × 12 = 144 tokens with f = 32. Then either nothing or one attention layer (d = 16), then the average of
# all tokens, then a linear layer.


# %%
class DigitNet(nn.Module):
    """A weak stem, one attention layer if asked for, the average over all tokens, a linear head."""

    def __init__(self, attends: bool) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 32, 5), nn.ReLU(), nn.MaxPool2d(2))
        self.attends = attends
        if attends:
            self.to_qkv, self.back = nn.Linear(32, 3 * 16, bias=False), nn.Linear(16, 32, bias=False)
        self.head = nn.Linear(32, 10)

    def tokens(self, images: Tensor) -> Tensor:
        return self.stem(images).flatten(2).mT  # (B, 1, 28, 28) -> (B, 144, 32)

    def pool(self, x: Tensor, v: Tensor | None = None) -> Tensor:
        """Each token's mix of all values; of `v` if it is given, as it is."""
        q, k, own = self.to_qkv(x).chunk(3, dim=-1)  # (B, T, 16) each
        mixed = F.scaled_dot_product_attention(q, k, own if v is None else v)
        return self.back(mixed) if v is None else mixed

    def forward(self, images: Tensor) -> Tensor:
        x = self.tokens(images)
        return self.head((self.pool(x) if self.attends else x).mean(1))  # (B, 10)


# %%
SMALL = {"epochs": 6, "lr": 6e-3, "batch": 16}
train, test = digits.load(train=2000, test=1000)
x_train, x_test = digits.normalised(train.images), digits.normalised(test.images)
the_seven = digits.number_of(test, 7)  # (1, 28, 28)
nets, runs = {}, {}
for name, attends in (("stem alone", False), ("stem + attention", True)):
    nets[name] = training.seeded(lambda: DigitNet(attends), seed=0)  # noqa: B023
    print(name, training.count_parameters(nets[name]), "parameters")
    runs[name] = training.fit(nets[name], x_train, train.labels, held_out=(x_test, test.labels), seed=0, **SMALL)

# %%
described(
    charts.curves(
        range(1, 1 + SMALL["epochs"]),
        {name: run.accuracies for name, run in runs.items()},
        "One attention layer on top lifts a weak stem",
        xlabel="epoch", ylabel="accuracy on 1,000 held-out digits", ylim=(0, 1),
    ),
    "Two curves of accuracy over epochs; the one with attention lies above the stem alone at the end.",
)  # fmt: skip
late = [torch.tensor(run.accuracies[-3:]).mean().item() for run in runs.values()]
gain = late[1] - late[0]
claim(
    "2,000 digits: gain from one attention layer", gain, expect=0.10, tol=0.06, source="mean of the last three epochs"
)

# %% [markdown]
# **What to see.** The layer gains about ten points here, in two short runs; two other seeds gave ten and nine. That is
# the claim: *the gap, not the level*. The level depends on the budget. With more digits and more epochs, recorded:


# %%
def gap(train: digits.Digits, test: digits.Digits, seed: int, last: int = 1, **how: float) -> float:
    """How much accuracy one attention layer adds, mean of the last epochs."""
    found = []
    for attends in (False, True):
        net = training.seeded(lambda: DigitNet(attends), seed)  # noqa: B023
        run = training.fit(net, digits.normalised(train.images), train.labels, seed=seed, **how,
                           held_out=(digits.normalised(test.images), test.labels))  # fmt: skip
        found.append(torch.tensor(run.accuracies[-last:]).mean().item())
    return found[1] - found[0]


# %%
LONG = {"epochs": 20, "lr": 3e-3, "batch": 32}
claim("2,000 digits: gain with three seeds", lambda: [gap(train, test, seed, last=3, **SMALL) for seed in range(3)],
      expect=0.10, tol=0.06, preset="nightly", source="mean of the last three of 6 epochs, lr 6e-3, batch 16")  # fmt: skip
claim("4,000 digits: gain from one attention layer", lambda: gap(*digits.load(4000, 1000), seed=0, **LONG),
      expect=0.18, tol=0.1, preset="full", source="20 epochs, lr 3e-3, batch 32")  # fmt: skip
claim("8,000 digits of MNIST: gain from one attention layer", lambda: gap(*digits.load_mnist(), seed=0, **LONG),
      expect=0.12, tol=0.09, preset="full", source="20 epochs, lr 3e-3, batch 32; lecture: .900 - .580")  # fmt: skip

# %% [markdown]
# **Not as on the slide.** The lecture shows 58.0 % for the stem and 90.0 % with attention. We did not reach 90 % with
# any setting that we tried, and a larger learning rate or more digits lift the stem, too. Attention won every time. What
# you may take home is the reach, not the record.
#
# ### Attention on the 7

# %%
with torch.no_grad():
    tokens = nets["stem + attention"].tokens(digits.normalised(the_seven)[None])  # (1, 144, 32)
    gates_7 = nets["stem + attention"].pool(tokens, torch.eye(144)[None])[0]  # (144, 144)
described(
    scenes.token_strengths(the_seven, tokens[0], (12, 12), "The 7 as 144 tokens: still there at half the resolution"),
    "Left: a handwritten 7 of 28 by 28 pixels. Right: a 12 by 12 heat map of token lengths in which the 7 can be seen.",
)

# %% [markdown]
# Each token is a query. Pick one: where does it look? Three still pictures first, then the dials.

# %%
QUERIES_OF_7 = {"on the bar": (4, 4), "at the corner": (3, 8), "at the bottom of the stem": (9, 6)}
held = []
for where, (row, column) in QUERIES_OF_7.items():
    mine = gates_7[row * 12 + column]
    held.append(mine.topk(3).values.sum().item())
    title = f"A query {where}: its top 3 tokens hold {held[-1]:.2f}, an even split would give .02"
    described(
        scenes.gates_on_image(the_seven, mine, row * 12 + column, (12, 12), title),
        f"The 7 with discs as large as the gates of a query token {where}, and the same gates as a 12 by 12 heat map.",
    )

# %%
widgets.gate_picker(the_seven, gates_7, (12, 12), start=(4, 4))

# %%
claim("an even split gives three of 144 tokens", 3 / 144, expect=0.021, tol=5e-4, source="lecture")
claim(
    "top 3 gates on bar, corner, stem",
    held,
    expect=[0.17, 0.27, 0.36],
    tol=0.14,
    source="lecture, its own 7: .31 .45 .23",
)
claim("top 3 gates, mean over all 144 queries", gates_7.topk(3).values.sum(1).mean(), expect=0.25, tol=0.12)
claim("halvings until a window of 2 x 2 reaches over 7 rows", math.ceil(math.log2(7)), expect=3, tol=0)

# %% [markdown]
# **What to see.** A token looks where the content suits it, near or far. Nothing in the layer prefers neighbours. The
# lecture's query at the corner looked 7 rows down; pools of 2 × 2 need three stages to bring tokens that far apart into
# one window. Numbers and places depend on the 7 and on the training, so look at yours.
#
# ## 7 · What a global gate costs
#
# One gate for each pair: T² gates, per head and layer.

# %%
live.vote(
    "You double the side of a picture: twice the rows of tokens, twice the columns. How many times the gates?",
    {"A": "2", "B": "4", "C": "8", "D": "16"},
    answer="D",
    why="Four times the tokens, and gates grow with the square: 4² = 16.",
)

# %%
TOKENS = {"12 x 12, today": 144, "24 x 24, no pool": 576, "224 x 224 in 16 x 16 patches": 196, "every pixel": 224 * 224}
pairs = {name: t * t for name, t in TOKENS.items()}
for name, t in TOKENS.items():
    print(f"{name:>28}: {t:>6,} tokens, {pairs[name]:>13,} gates, {4 * pairs[name] / 1e9:8.4f} GB in float32")
claim("gates", list(pairs.values()), expect=[2.1e4, 3.3e5, 3.8e4, 2.5e9], tol=[500, 5000, 500, 5e7], source="lecture")
claim("GB of gates for every pixel of one photograph", 4 * pairs["every pixel"] / 1e9, expect=10, tol=0.1)
claim("patches save a factor of", pairs["every pixel"] / 196**2, expect=65_000, tol=600, source="16⁴")

# %% [markdown]
# Now in seconds and bytes, measured here. **Your turn:** 256 tokens, then three times twice as many. For each length
# write down the seconds of attention, those of a convolution (`convolved`), and the bytes of the gates (`memory`). A
# straight line with slope 2 on logarithmic axes means "grows with the square".

# %% tags=["live"] live="measured_cost"
LENGTHS = (256, 512, 1024, 2048)
seconds, convolved, memory = [], [], []
conv = nn.Conv1d(32, 32, 5, padding=2)


def quickest(work: callable, times: int = 7) -> float:
    """Processor seconds of the fastest of several runs: the others were disturbed.

    Of this thread: where a limit on processor time is set, the clock of the whole process ticks in steps of 4 ms.
    """
    taken = []
    for _ in range(times):
        start = time.thread_time()
        work()
        taken.append(time.thread_time() - start)
    return min(taken)


with torch.no_grad():
    for t in LENGTHS:
        x = torch.randn(t, 32, generator=generator)
        memory.append((x @ x.T).softmax(-1).nbytes)
        seconds.append(quickest(lambda: (x @ x.T / 32**0.5).softmax(-1) @ x))  # noqa: B023
        convolved.append(quickest(lambda: conv(x.T[None])))  # noqa: B023


# %%
def slope(measured: list[float]) -> float:
    """How a cost grows over the last two doublings of the tokens: 1 is linear, 2 is quadratic."""
    return math.log2(measured[-1] / measured[-3]) / 2


described(
    charts.curves(LENGTHS, {"attention": seconds, "convolution": convolved}, "Attention's cost grows with the square",
                  xlabel="tokens", ylabel="processor seconds", log="xy"),
    "Seconds over tokens on logarithmic axes. The curve of attention is about twice as steep as that of a convolution.",
)  # fmt: skip
claim("bytes of the gates grow with power", slope(memory), expect=2, tol=0)
claim("seconds of attention grow with power", slope(seconds), expect=2, tol=0.7)

# %% [markdown]
# **What to see.** Twice the tokens, four times the bytes, exactly, and about four times the time. A convolution grows
# in step with the tokens. That is why a vision transformer first cuts the picture into patches.
#
# ## 8 · Shuffle the tokens
#
# We scramble the 144 tokens of the 7 and feed them through the trained layer. Talk it over: where does position appear
# in $\text{softmax}(QK^\top/\sqrt d)\,V$?

# %%
live.vote(
    "The tokens are shuffled. What happens to attention's output, and to the prediction after the average pool?",
    {
        "A": "output: noise; prediction: wrong",
        "B": "output: shuffled the same way; prediction: unchanged",
        "C": "both unchanged",
        "D": "output: shuffled the same way; prediction: wrong",
    },
    answer="B",
    why="A score depends on what two tokens contain, never on where they stand. An average forgets the order as well.",
)

# %% [markdown]
# **Your turn:** draw an `order` of the 144 `tokens` and take `net = nets["stem + attention"]`. First `moved`: shuffle and
# attend (`net.pool`), minus attend and shuffle. Then `answers`: the two logits, `net.head` of the average token, in the
# old order and in the new one. Both differences are about $10^{-6}$ to $10^{-5}$: rounding of floats.

# %% tags=["live"] live="shuffle"
net = nets["stem + attention"]
order = torch.randperm(144, generator=generator)
with torch.no_grad():
    moved = net.pool(tokens[:, order]) - net.pool(tokens)[:, order]
    answers = [net.head(net.pool(x).mean(1)) for x in (tokens, tokens[:, order])]
print("shuffle, then attend - attend, then shuffle:", moved.abs().max().item())
print("change of the logits:", (answers[0] - answers[1]).abs().max().item())

# %%
claim("shuffle in, shuffle out: largest difference", moved.abs().max(), expect=0, tol=1e-4, source="lecture: 1.1e-5")
claim("logits after the average pool: largest difference", (answers[0] - answers[1]).abs().max(), expect=0, tol=1e-4)
scrambled = tokens[0, order]
described(
    scenes.token_strengths(the_seven, scrambled, (12, 12), "To attention this is the same 7"),
    "Left: the 7. Right: its 144 tokens in random order; no shape can be seen.",
)

# %% [markdown]
# **What to see.** *Equivariant*: shuffle in, shuffle out, for every reordering. *Invariant* after the average. To this
# layer an image is a set of vectors. Like in a CNN, no weight has an address. Unlike in a CNN, nothing knows its
# neighbours.
#
# ### How the others take a shuffle
#
# | layer | what it assumes | shuffle |
# |---|---|---|
# | MLP | every weight has an address; nothing about neighbours | pixels shuffled the same way in all digits: does not care |
# | CNN | one filter everywhere, neighbours belong together | pixels shuffled: breaks |
# | attention | one set of weights for every token, no place, no neighbours | tokens shuffled: cannot even tell |
#
# Three exact statements, checked on random weights. An MLP on shuffled pixels is an MLP with shuffled columns. A
# convolution commutes with a shift and not with a shuffle. Attention commutes with both.

# %%
with torch.no_grad():
    x = torch.randn(8, 64, generator=generator)
    mix = torch.randperm(64, generator=generator)
    mlp, kernel = torch.randn(10, 64, generator=generator), torch.randn(1, 1, 5, generator=generator)
    pool = nn.MultiheadAttention(1, 1, batch_first=True)

    def filtered(x: Tensor) -> Tensor:
        """A convolution on a ring of 64 places."""
        return F.conv1d(F.pad(x[:, None], (2, 2), mode="circular"), kernel)[:, 0]

    def attended(x: Tensor) -> Tensor:
        return pool(*[x[..., None]] * 3)[0][..., 0]

    def off(layer: callable, move: callable) -> float:
        """How far `layer` and `move` are from being exchangeable, against the size of the output."""
        return ((layer(move(x)) - move(layer(x))).abs().max() / layer(x).abs().max()).item()

    shift, shuffle = (lambda x: x.roll(3, 1)), (lambda x: x[:, mix])
    error = (shuffle(x) @ mlp[:, mix].T - x @ mlp.T).abs().max()
    claim("MLP: shuffled pixels, shuffled columns", error, expect=0, tol=1e-4)
    claim("CNN and attention: a shift commutes", [off(filtered, shift), off(attended, shift)], expect=0, tol=1e-5)
    claim("CNN: a shuffle does not commute", off(filtered, shuffle), expect=1.2, tol=0.9)
    claim("attention: a shuffle commutes", off(attended, shuffle), expect=0, tol=1e-5)


# %% [markdown]
# And in accuracy: an MLP and a CNN are trained on digits, then trained again on digits whose pixels are all shuffled in
# one and the same way.


# %%
def plain_mlp() -> nn.Module:
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 64), nn.ReLU(), nn.Linear(64, 10))


def plain_cnn() -> nn.Module:
    parts = [nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3), nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(*parts, nn.Flatten(), nn.Linear(16 * 25, 10))


def lost_by_shuffle(make: callable, seed: int = 0) -> float:
    """Held-out accuracy on digits minus that on pixel-shuffled digits, 4,000 of them, 8 epochs."""
    mix, found = torch.randperm(784, generator=torch.Generator().manual_seed(0)), []
    for places in (torch.arange(784), mix):
        (x, y), (x_new, y_new) = [
            (digits.normalised(part.images).flatten(1)[:, places].view(-1, 1, 28, 28), part.labels)
            for part in digits.load(4000, 1000)
        ]
        net = training.seeded(make, seed)
        found.append(training.fit(net, x, y, epochs=8, lr=1e-3, seed=seed, held_out=(x_new, y_new)).accuracies[-1])
    return found[0] - found[1]


# %%
claim("what an MLP loses when pixels are shuffled", lambda: lost_by_shuffle(plain_mlp), expect=0, tol=0.03,
      preset="nightly")  # fmt: skip
claim("what a CNN loses when pixels are shuffled", lambda: lost_by_shuffle(plain_cnn), expect=0.07, tol=0.05,
      preset="nightly")  # fmt: skip

# %% [markdown]
# **What to see.** The MLP loses nothing that counts. The CNN loses about seven points: its assumption, "neighbours
# belong together", has become false.

# %% [markdown] lint={"number 1.3, 14, 300, 88.55, 87.54": "quoted from the paper that the text names"}
# ## 9 · What we assume, and where we go
#
# **Less built in, more data needed.** Attention trades locality for reach. What the layer does not assume, the data
# must supply. Dosovitskiy et al. (ICLR 2021) measured it with ViT and ResNets on ImageNet; these are their numbers,
# not ours:
#
# | pretrained on | pictures | who wins |
# |---|---|---|
# | ImageNet | 1.3 million | the ResNets |
# | ImageNet-21k | 14 million | about even |
# | JFT-300M | 300 million | ViT-H/14: 88.55 %, against 87.54 % for a ResNet (BiT-L) |
#
# **Where the analogy stretches.** "Attention is a gate across positions" is a way of seeing it.
#
# - Max pooling had no query: the value scored itself. The query is the new idea, not a detail.
# - One gate for each pair, not for each channel.
# - No shrinking: a strided pool makes the map smaller, attention gives back T tokens for T tokens.
#
# Others have looked at it this way before: Stand-Alone Self-Attention (Ramachandran et al., 2019), Gated Attention Unit
# (Hua et al., 2022).
#
# | in this course | in papers |
# |---|---|
# | gate | attention weight, attention pattern |
# | a soft pool over positions | a weighted average of values |
# | the query half and the key half of the gate | queries and keys |
# | value projection V, values $X V^\top$ | $W_V$; values V |
# | √d as the temperature | scaled dot-product attention |
# | tokens of a feature map | a sequence of tokens, patches |
#
# **A preview: the transformer block.** You know how to build both branches.

# %%
described(
    diagrams.transformer_block(),
    "From left to right: the stream X; a branch through Norm and Attention that is added to it; a branch through Norm "
    "and a SwiGLU MLP that is added to it; the stream X prime.",
)

# %% [markdown]
# **What to see.** Attention is the only place where tokens exchange anything. The MLP sees one token at a time, with
# shared weights: it is a 1 × 1 convolution over the grid of tokens.

# %%
with torch.no_grad():
    each = nn.Linear(32, 64)
    grid = tokens[0].T.view(1, 32, 12, 12)
    as_conv = F.conv2d(grid, each.weight[:, :, None, None], each.bias)  # (1, 64, 12, 12)
    claim("a layer for each token is a 1 x 1 convolution", (as_conv.flatten(2)[0].T - each(tokens[0])).abs().max(),
          expect=0, tol=1e-4)  # fmt: skip
    alone, mixed = each(tokens[0, :1]), nets["stem + attention"].pool(tokens[:, :1])
    claim("the MLP gives one token alone what it gives it among 144", (alone - each(tokens[0])[:1]).abs().max(),
          expect=0, tol=1e-4)  # fmt: skip

# %% [markdown]
# ## What to take away
#
# 1. Pooling is a gate over positions. Attention makes it soft, learned, and set by who is asking.
# 2. The gate's weights split into a query and a key. √d is the temperature that keeps the gate soft.
# 3. Attention is global in one layer and blind to position. It costs T², and the data must supply what it does not
#    assume.
#
# **In one line:** attention is a soft, learned pool that every token runs for itself.
#
# Three loose ends. One gate for each pair: several heads, next lesson. T² gates: patches. Blind to position: positional
# embeddings.
