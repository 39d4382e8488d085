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
# # 01 · Max pooling is a gate, in class
#
# **The question:** a max pool has no weights. So what does it do to the signal, what to the gradient, and who learns
# through it?
#
# We follow the variance of a network for digits, layer by layer, there and back. At the pools three of four gradients
# vanish. At the end we see why: a pool is a gate.
#
# | minutes | section |
# |---|---|
# | 0 to 5 | 1 · The network that we start from |
# | 5 to 14 | 2 · Variance through a convolution |
# | 14 to 21 | 3 · The edge of the map |
# | 21 to 33 | 4 · A convolution is a matrix with tied weights |
# | 33 to 38 | 5 · Variance on the way back |
# | 38 to 47 | 6 · Variance through a pool |
# | 47 to 58 | 7 · The whole network |
# | 58 to 67 | 8 · Max pooling is a gate |
# | 67 to 75 | 9 · Does max pooling learn? |

# %% [markdown] tags=["teacher"]
# **For the teacher.** 75 minutes; the table above says when each section begins. Six votes, all before the
# measurement: 1 A (second moment, not variance), 2 C (4 of 9 inputs), 3 B (42; the lecture's slide says 50), 4 B
# (higher and narrower), 5 C (it hardly changes), 6 B (the winner alone). Ask for hands, click, then reveal.
#
# Live cells: `four_moments`, `corner`, `seen_by_autograd`, `copies`, `way_back`, `largest_of_four`, `who_gets_it`,
# `shuffled`, `gate_by_hand`, `ties`, `ask_autograd`. For 50 minutes: leave out section 5 (the vote of section 6 still
# works), reveal `seen_by_autograd` and `copies` without typing, and show the figures of section 7 without its last
# part. Never leave out vote 5, `gate_by_hand` and `ties`. The network of section 9 trains for about ten seconds.

# %% [markdown]
# **Words.** A *gate* is a number from 0 to 1 that multiplies a value. $\hat p$ is the output of an activation, $\hat y$
# that of a convolution. The *second moment* $E[x^2]$ is the mean square; it equals the variance if the mean is 0.

# %% tags=["parameters"]
PRESET = "quick"
SEED = 0

# %%
import math

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils import (
    charts,
    digit_cnn,
    digits,
    lecture_seven,
    live,
    pooling_convs,
    pooling_variance,
    pooling_widgets,
    pooling_windows,
    settings,
    training,
)
from course_utils.claims import claim
from course_utils.described import described

settings.prepare(seed=SEED, preset=PRESET)
generator = torch.Generator().manual_seed(100 + SEED)

# %% [markdown]
# ## 1 · The network that we start from
#
# Filter, channel, max pool, average, class scores. The lecture's numbers, small enough to check by hand. (It does not
# say which weights make the scores; ours are made to fit.)

# %%
image = torch.zeros(6, 6)
image[1:5, 1:5] = torch.tensor(
    [[0.22, 0.55, 0.23, 0.28], [0.38, 0.37, 0.57, 0.44], [0.47, 0.26, 0.36, 0.24], [0.31, 0.45, 0.59, 0.35]]
)
kernel = torch.tensor([[0, -0.25, 0], [-0.25, 2, -0.25], [0, -0.25, 0]])
channel = F.relu(F.conv2d(image[None, None], kernel[None, None]))[0, 0]  # (4, 4)
channel = (channel * 10).round() / 10  # one decimal, as on the slide
pooled = F.max_pool2d(channel[None, None], 2)[0, 0]  # (2, 2)
average = pooled.mean()
scores = torch.tensor([2, -0.8, 0.5]) * average + torch.tensor([-0.5, 0.24, 0])

# %%
grids = [("image, padded", image), ("filter", kernel), ("one channel", channel), ("max pool", pooled)]
described(
    pooling_windows.network_grids([*grids, ("average", average[None, None])], scores.tolist(),
                                  "From an image to class scores in five steps"),
    "A padded image of 4 by 4, a 3 by 3 filter, the channel of 4 by 4 that it makes, its max pool of 2 by 2, the "
    "average, and three bars of class scores.",
)  # fmt: skip
claim("recap: the pooled channel", pooled.flatten(), expect=[0.9, 0.8, 0.7, 0.9], tol=1e-6, source="lecture")
claim("recap: the average", average, expect=0.825, tol=1e-6, source="lecture")
claim("recap: the scores", scores, expect=[1.15, -0.42, 0.41], tol=5e-3, source="lecture; weights ours")

# %% [markdown]
# **What to see.** .9 .8 .7 .9 come out of the pool, .825 out of the average. The white lines are the four windows. Each
# keeps one value and drops three. Hold on to this picture: we come back to it in section 8.
#
# ## 2 · Variance through a convolution
#
# A network of many layers drowns or bursts if each makes its numbers a little smaller or larger. So count variance. One
# layer of a residual block: GroupNorm, ReLU, then a 3 × 3 convolution with 32 channels in and out.
#
# 1. **GroupNorm** makes mean 0 and variance 1. So the second moment is 1, too.
# 2. **ReLU** halves the second moment. The mean is not 0 any more, so this is not the variance.
# 3. **Multiply.** The weights have mean 0 and variance 2/288. A product $w\,\hat p$ has variance
#    $E[w^2]\,E[\hat p^2]$.
# 4. **Sum.** Each output adds 32 · 9 = 288 products. Variances of independent products add up.

# %%
live.vote(
    "288 products, weights of variance 2/288, inputs with $E[\\hat p^2]$ = .50, mean .40, variance .34. The output's variance?",
    {"A": "288 · 2/288 · .50 = 1", "B": "288 · 2/288 · .34 = .68", "C": "2", "D": "288"},
    answer="A",
    why="The weights have mean 0, so the mean of the inputs turns into variance, too: the second moment counts.",
)

# %% [markdown]
# **Your turn:** noise `x` (64, 32, 14, 14) through `F.group_norm(x, 1)` and a ReLU: `p`. Then `terms`, 100,000 products
# of random weights with random values of `p`. Then the convolution `y`, padding 0, for 40 draws of weights. `moments` is
# a list of their 40 mean squares, as numbers. Expect mean squares of .50, .0035 and, on average, 1.

# %% tags=["live"] live="four_moments"
x = F.group_norm(torch.randn(64, 32, 14, 14, generator=generator), 1)
p = F.relu(x)
some = p.flatten()[torch.randint(p.numel(), (100_000,), generator=generator)]
terms = some * torch.randn(100_000, generator=generator) * math.sqrt(2 / 288)
moments = []
for _ in range(40):
    w = torch.randn(32, 32, 3, 3, generator=generator) * math.sqrt(2 / 288)
    y = F.conv2d(p, w)  # (64, 32, 12, 12): the filter lies on real inputs only
    moments.append(y.square().mean().item())
print(p.square().mean().item(), terms.square().mean().item(), sum(moments) / 40)

# %%
mean = sum(moments) / len(moments)
described(
    pooling_convs.moments(
        {"1 GroupNorm": x, "2 ReLU": p, "3 one product": terms, "4 sum of 288": y},
        [f"mean square {x.square().mean():.2f}", f"mean square {p.square().mean():.2f}, mean {p.mean():.2f}, var {p.var():.2f}",
         f"var {terms.var():.4f}", f"var {mean:.2f}, mean of 40 draws"],
        "ReLU halves the second moment, the sum of 288 brings it back to 1",
    ),
    "Four histograms: a bell; half a bell with a spike at 0; a narrow spike; a bell again.",
)  # fmt: skip
claim("after GroupNorm: second moment", x.square().mean(), expect=1, tol=0.01)
claim("after ReLU: second moment, mean, variance", [p.square().mean(), p.mean(), p.var()],
      expect=[0.50, 0.40, 0.34], tol=0.01, source="lecture")  # fmt: skip
claim("one product: variance", terms.var(), expect=0.0035, tol=2e-4, source="2/288 · .50")
claim("weights: second moment", 2 / 288, expect=0.0069, tol=1e-4, source="the lecture rounds to .0070")
claim("after the sum: second moment, mean of 40 draws", mean, expect=1, tol=0.06, source="lecture, one draw: .97")
claim("after the sum: one draw spreads by", torch.tensor(moments).std(), expect=0.09, tol=0.04)

# %% [markdown]
# **What to see.** Predicted 1, measured 1 on average. A single draw of the weights is off by .09 or so: the lecture's
# .97 is one of those. Fan-in times weight variance times second moment: that is the whole rule.
#
# ## 3 · The edge of the map
#
# A 3 × 3 filter on a 14 × 14 map, with a ring of zeros around it, so that the map keeps its size. In the middle all 9
# inputs are real.

# %%
live.vote(
    "In the middle the output has variance 1. In the corner of the map?",
    {"A": "1", "B": "6/9 = .67", "C": "4/9 = .44", "D": "2/9 = .22"},
    answer="C",
    why="5 of the 9 inputs are padding. A zero adds nothing to the sum; 4 of 9 products are left.",
)

# %% [markdown]
# **Your turn:** the same 40 draws with `padding=1`. `squares` (14, 14) is the mean of $\hat y^2$ over pictures,
# channels and draws. Look at its corner: about .44.

# %% tags=["live"] live="corner"
squares = torch.zeros(14, 14)
for _ in range(40):
    w = torch.randn(32, 32, 3, 3, generator=generator) * math.sqrt(2 / 288)
    squares += F.conv2d(p, w, padding=1).square().mean((0, 1)) / 40
print(squares[0, 0].item())

# %%
described(
    pooling_convs.padding_map(squares, "A filter that hangs over the edge adds up less"),
    f"A 14 by 14 map. Middle {squares[7, 7]:.2f}, edge {squares[0, 7]:.2f}, corner {squares[0, 0]:.2f}.",
)
corners = torch.stack([squares[i, j] for i in (0, -1) for j in (0, -1)]).mean()
edges = torch.cat([squares[0, 1:-1], squares[-1, 1:-1], squares[1:-1, 0], squares[1:-1, -1]]).mean()
claim("middle, edge, corner", [squares[1:-1, 1:-1].mean(), edges, corners], expect=[1, 6 / 9, 4 / 9],
      tol=[0.06, 0.04, 0.03], source="lecture: 1.00, .66, .44")  # fmt: skip
claim("corner times 1.5 squared", corners * 9 / 4, expect=1, tol=0.07, source="lecture: scale by the root of 9/4")

# %% [markdown]
# **What to see.** 1 in the middle, 6/9 = .67 on the edge, 4/9 = .44 in the corner. Where N inputs are real, a factor of
# $\sqrt{k^2/N}$ on the output would mend it: 1.5 in the corner. PyTorch does not do so. Zero padding tells the network
# where the edge is, and a later lesson will have to plug that leak.
#
# ## 4 · A convolution is a matrix with tied weights
#
# A filter slides, multiplies what it covers, and adds up. One dimension is enough to see what that is.

# %%
edge_image = torch.zeros(6, 7)
edge_image[:, 4:] = 1
kernel_2d = torch.tensor([[-1.0, 0, 1]] * 3)
described(
    pooling_convs.two_filters(
        edge_image, edge_image[0], kernel_2d, (1, 2), "The same slide, multiply and sum in 2-D and in 1-D"
    ),
    "Left, a picture with an edge and a 3 by 3 filter on it: nine products sum to 3. Right, one row of it and the "
    "filter's row: three products sum to 1.",
)
found = [F.conv2d(edge_image[None, None], kernel_2d[None, None])[0, 0, 1, 2],
         F.conv1d(edge_image[None, :1], kernel_2d[None, :1])[0, 0, 2]]  # fmt: skip
claim("the filter on the edge, in 2-D and in 1-D", found, expect=[3, 1], tol=0, source="lecture")

# %% [markdown]
# **What to see.** Both find the edge. In 1-D the whole layer fits on a slide: three weights, eight positions, zeros
# beyond both ends. It is linear, so it *is* a matrix of 8 × 8.

# %%
live.vote(
    "Of the 64 entries of this matrix, how many are zeros?",
    {"A": "24", "B": "42", "C": "50", "D": "56"},
    answer="B",
    why="The weights stand there 7, 8 and 7 times: 22 entries. 64 - 22 = 42. The lecture's slide says 50; count.",
)

# %% [markdown]
# **Your turn:** let autograd find the matrix. `layer(p)` is the convolution of a row of eight numbers with the weights
# `three`: 1, 2, 3. The Jacobian of a linear layer is its matrix `W` (8, 8). Count its zeros: 42.

# %% tags=["live"] live="seen_by_autograd"
three = torch.tensor([1.0, 2.0, 3.0])


def layer(p: Tensor) -> Tensor:
    return F.conv1d(p[None, None], three[None, None], padding=1)[0, 0]  # (8,) -> (8,)


W = torch.autograd.functional.jacobian(layer, torch.zeros(8))  # (8, 8): rows are outputs
print((W == 0).sum().item(), "zeros")

# %%
described(
    pooling_convs.tied_matrices(
        {"forward: $\\hat y$ = W $\\hat p$": W, "backward: gradient of $\\hat p$ = Wᵀ g": W.T},
        "Forward the filter, backward the filter flipped",
        frames={"forward: $\\hat y$ = W $\\hat p$": ("row", 3), "backward: gradient of $\\hat p$ = Wᵀ g": ("row", 3)},
        sides=[("output", "input"), ("input", "output")],
    ),
    "Two 8 by 8 matrices with three coloured diagonals. Row 4 of the first reads w1 w2 w3, that of the second w3 w2 w1.",
)
claim("copies of w1, w2, w3 and zeros", [(value == W).sum() for value in (1, 2, 3, 0)], expect=[7, 8, 7, 42], tol=0,
      source="counted; the lecture says 7, 8, 7 and 50")  # fmt: skip
g = torch.randn(8, generator=generator)
flipped = F.conv1d(g[None, None], three.flip(0)[None, None], padding=1)[0, 0]
claim("the way back against a convolution with the flipped filter", (W.T @ g - flipped).abs().max(), expect=0, tol=1e-5)

# %% [markdown]
# **What to see.** All weights lie on a narrow band: the layer is *local*. Each diagonal has one colour: its weights are
# *tied*. A row of W has 3 weights, the fan-in. A column has the 3 outputs that one input feeds, the fan-out; read as a
# row of Wᵀ it is the filter flipped. The lecture writes $\hat y = \hat p\,W^\top$, with rows in place of columns. It is
# the same matrix.
#
# **Not as on the slide.** The lecture counts 50 zeros. 8 · 8 = 64 entries less 7 + 8 + 7 = 22 copies leave
# 64 - 22 = 42. (64 - 14 = 50: that forgets the diagonal.)
#
# ### How one weight learns that stands in seven places
#
# The gradient g arrives at the output. For a linear layer, entry (j, i) of the gradient of W is $g_j\,\hat p_i$. The
# first weight stands in seven places, so seven of these speak to it.
#
# **Your turn:** the input is `row`, eight random numbers. `products` (8, 8) is the outer product of `g` and `row`: what
# each entry of W is told. Then add up, with a loop, what the seven copies of $w_1$ are told: `of_first`, a number,
# $g_2\hat p_1 + g_3\hat p_2 + \dots$ Last, `weights` is a copy of `three` that asks for a gradient. Go backward: the
# first entry of `weights.grad` is your sum.

# %% tags=["live"] live="copies"
row = torch.randn(8, generator=generator)
products = torch.outer(g, row)  # (8, 8): what every entry of W is told
of_first = sum(products[j, j - 1].item() for j in range(1, 8))  # g2 p1 + g3 p2 + ... + g8 p7
weights = three.clone().requires_grad_()
(g * F.conv1d(row[None, None], weights[None, None], padding=1)[0, 0]).sum().backward()
print(of_first, weights.grad)

# %%
described(
    pooling_convs.outer_of_gradients(products, W, "Copies of one weight add up what they are told"),
    "An 8 by 8 table of products. Three diagonals are coloured, with their sums beside them; the rest is crossed out.",
)
claim("the seven copies of w1 against autograd", of_first - weights.grad[0], expect=0, tol=1e-5)
updated = (three - 0.1 * weights.grad).detach()
moved = torch.autograd.functional.jacobian(
    lambda p: F.conv1d(p[None, None], updated[None, None], padding=1)[0, 0], torch.zeros(8)
)
claim("zeros and different weights after an update", [(moved == 0).sum(), len(set(moved[moved != 0].tolist()))],
      expect=[42, 3], tol=0)  # fmt: skip
untied = W - 0.1 * products
claim("zeros after the same update of a layer that is not tied", (untied == 0).sum(), expect=0, tol=0)

# %% [markdown]
# **What to see.** Seven, eight and seven products. Each diagonal adds up to one gradient, and makes one update. The
# crossed-out products are dropped: these entries must stay 0. An ordinary linear layer would have updated every entry,
# and the band would be gone after one step. *A tied weight hears all places where it stands, as one sum.*
#
# ## 5 · Variance on the way back
#
# The gradient of an input is a convolution with the flipped filter, so the rule is the same. Only the count changes:
# each input feeds 9 positions in each of 32 output channels. Fan-out: 32 · 9 = 288. Then the ReLU lets half of it
# through, where its gate is open.
#
# **Your turn:** send a gradient of variance 1 from the output of the convolution back to `inner`, the input of the
# ReLU, for 10 draws of weights. Look at the middle of the map only, `[..., 1:-1, 1:-1]`. `after_conv` and `after_relu`
# are lists of ten mean squares: after the convolution expect 2, after the ReLU 1.

# %% tags=["live"] live="way_back"
after_conv, after_relu = [], []
for _ in range(10):
    w = torch.randn(32, 32, 3, 3, generator=generator) * math.sqrt(2 / 288)
    inner = x.clone().requires_grad_()
    outer = F.relu(inner)
    outer.retain_grad()
    y = F.conv2d(outer, w, padding=1)
    y.backward(torch.randn(y.shape, generator=generator))
    after_conv.append(outer.grad[..., 1:-1, 1:-1].square().mean())
    after_relu.append(inner.grad[..., 1:-1, 1:-1].square().mean())

# %%
back = [torch.tensor(after_conv).mean(), torch.tensor(after_relu).mean()]
described(
    charts.bars([1.0, *back], "Fan-out doubles it, the ReLU halves it",
                names=["arrives", "after conv", "after ReLU"], ylabel="mean square of the gradient"),
    f"Three bars: 1, {back[0]:.2f} after the convolution, {back[1]:.2f} after the ReLU.",
)  # fmt: skip
claim("mean square of the gradient after conv and after ReLU", back, expect=[2, 1], tol=[0.1, 0.05],
      source="lecture: 2.01, 1.01")  # fmt: skip

# %% [markdown]
# **What to see.** 288 · 2/288 · 1 = 2, then half of it, 1. On the way forward we count the fan-in, on the way back the
# fan-out. Here both are 288, so that one variance of the weights serves both ways. If a layer has more channels out than
# in, none does, and He's rule must choose which of the two to count.
#
# ## 6 · Variance through a pool
#
# Numbers of mean 0 and variance 1 come in, in windows of 2 × 2. An average pool is a convolution with four weights of
# ¼: 4 · (1/4)² · 1 = 1/4. The max pool takes the largest of four.

# %%
live.vote(
    "Four independent normal numbers, mean 0, variance 1. Mean and variance of the largest?",
    {"A": "0 and 1", "B": "1.03 and .49", "C": "1.03 and 1", "D": "4 and 1"},
    answer="B",
    why="It beat three others. That moves its mean up and makes its spread smaller.",
)

# %% [markdown]
# **Your turn:** `noise` (64, 32, 28, 28) with variance 1, through `F.max_pool2d` and `F.avg_pool2d`: `largest` and
# `averaged`. Print mean and variance of both: about 1.03 and .49, 0 and .25.

# %% tags=["live"] live="largest_of_four"
noise = torch.randn(64, 32, 28, 28, generator=generator)
largest, averaged = F.max_pool2d(noise, 2), F.avg_pool2d(noise, 2)
print("max    ", largest.mean().item(), largest.var().item())
print("average", averaged.mean().item(), averaged.var().item())

# %%
described(
    pooling_variance.largest_of(4, largest.flatten()[:100_000], "The largest of four: a higher mean, a smaller spread"),
    "A histogram of the largest of four, with the curve 4 Φ³ φ exactly on it; the bell of one value lies left of it.",
)
Phi = torch.special.ndtr(torch.tensor(1.0))
claim(
    "max pool of noise: mean and variance",
    [largest.mean(), largest.var()],
    expect=[1.03, 0.49],
    tol=0.01,
    source="lecture",
)
claim("average pool of noise: variance", averaged.var(), expect=0.25, tol=0.005, source="lecture")
claim("below 1 lie one value and all four, in %", [100 * Phi, 100 * Phi**4], expect=[84, 50], tol=0.6, source="lecture")

# %% [markdown]
# **What to see.** The curve comes from three sentences. One value lies below x with probability $\Phi(x)$. All four do
# with probability $\Phi(x)^4$. The derivative of that is the density, $4\,\Phi(x)^3\varphi(x)$: any of the four is at x,
# and the other three are below. At x = 1, one value lies below in 84 % of all cases, all four in 50 %: half of the
# winners are below 1. Turn the dial: what does a larger window do?

# %%
pooling_widgets.competition_dial(seed=SEED)

# %% [markdown]
# ### And back
#
# A gradient g of variance 1 arrives at each output. **Your turn:** send it back through both pools, and through *two*
# max pools. `reached` is a dict from "max", "average" and "two max" to the gradient of the input,
# (64, 32, 28, 28). Expect mean squares of ¼, 1/16 and 1/16.

# %% tags=["live"] live="who_gets_it"
pools = {
    "max": lambda x: F.max_pool2d(x, 2),
    "average": lambda x: F.avg_pool2d(x, 2),
    "two max": lambda x: F.max_pool2d(F.max_pool2d(x, 2), 2),
}
reached = {}
for name, pool in pools.items():
    source = noise.clone().requires_grad_()
    out = pool(source)
    out.backward(torch.randn(out.shape, generator=generator))
    reached[name] = source.grad

# %%
described(
    charts.side_by_side(
        {"max: all to the winner": [[0, 0], [0, 1]], "average: g/4 each": [[0.25, 0.25], [0.25, 0.25]]},
        "Where a gradient of 1 goes in a window whose last value is the largest", unit="gradient", sides=("", ""),
    ),
    "Two windows of four. Max: 0 0 0 1. Average: one quarter in each.",
)  # fmt: skip
squares_back = {name: found.square().mean() for name, found in reached.items()}
claim("mean square of the gradient behind max, average, two max", list(squares_back.values()),
      expect=[1 / 4, 1 / 16, 1 / 16], tol=[0.01, 0.002, 0.004], source="lecture: 1/4, 1/16; two max pools divide by 16")  # fmt: skip
silent = [100 * (found == 0).float().mean() for found in reached.values()]
claim("gradients that are exactly 0, in %: max, average, two max", silent, expect=[75, 0, 93.75], tol=0.01)

# %% [markdown]
# **What to see.** Max: the winner gets all of g, three of four get exactly nothing. Average: everybody gets a quarter.
# Residual connections lead around convolutions, not around pools, so these cuts multiply: two max pools divide by 16.
# (On the way forward a GroupNorm behind the pool resets mean and variance. On the way back nothing resets a gradient.)
#
# ## 7 · The whole network
#
# Now everything at once: a network of the lecture's kind on 512 digits, before any training. A stem of 5 × 5 filters
# (variance 1/25), max pool, a residual block (GroupNorm, ReLU, conv, twice, with He's 2/fan-in), max pool, two more
# blocks, then a head: GroupNorm, ReLU, average, linear.
#
# **Ideal**, by our rules. The stem gives 1. A pool of independent normal values leaves .49. Every branch starts with a
# norm, so it adds 1, however large the stream is: 1.49. The next pool leaves .76. (.49 · 1.49 = .73 would hold if this
# sum were normal. It is not quite, so we drew it.) Then 1.76 and 2.76.

# %%
live.vote(
    "On real digits the first block gives a variance of about 1.8. Then comes a max pool. What is left?",
    {"A": "about .5", "B": "about .9", "C": "about 1.9", "D": "0"},
    answer="C",
    why="The rule is about independent normal numbers. A map of a real digit is neither, as we shall see.",
)

# %%
DRAWS = {"quick": 8, "nightly": 16, "full": 16}[PRESET]
first_digits, _ = digits.load(train=512, test=0)
x_digits = digits.normalised(first_digits.images)  # (512, 1, 28, 28)
draws = range(1000 * SEED, 1000 * SEED + DRAWS)
measured = digit_cnn.passes(x_digits, draws)
one = torch.randn(200_000, 4, 4, generator=generator).amax(-1)  # the largest of 4, four times
stream = one + torch.randn(one.shape, generator=generator)  # a branch adds 1
after_pool = stream.amax(-1).var().item()
ideal = [1.0, one.var().item(), stream.var().item(), after_pool, after_pool + 1, after_pool + 2]

# %%
described(
    pooling_variance.beside_ideal(digit_cnn.FORWARD, ideal, measured.forward,
                                  "Forward: on digits the max pools hardly shrink the stream", ylabel="variance"),
    f"Variance at six places. Ideal: {[round(v, 2) for v in ideal]}. Measured: {measured.forward.mean(0).numpy().round(2)}.",
)  # fmt: skip
SLIDE = "lecture, one draw: .89 .90 1.88 2.02 3.16 4.41"
claim("forward, ideal: stem, pool 1, X1, pool 2, X2, X3", ideal, expect=[1, 0.49, 1.49, 0.76, 1.76, 2.76], tol=0.02,
      source="lecture: .49 1.47 .74 1.71 2.68")  # fmt: skip
claim(
    "what a branch adds in the lecture's ideal",
    [1.47 - 0.49, 1.71 - 0.74, 2.68 - 1.71],
    expect=[0.98, 0.97, 0.97],
    tol=1e-6,
)
claim("forward, measured: mean of the draws", measured.forward.mean(0), expect=[0.9, 0.88, 1.78, 1.93, 2.77, 3.65],
      tol=[0.15, 0.2, 0.3, 0.4, 0.6, 0.8], source=SLIDE)  # fmt: skip
claim("forward, on the first 512 digits of MNIST, mean of 16 draws", lambda: digit_cnn.passes(
      digits.normalised(digits.load_mnist(512, 0)[0].images), range(16)).forward.mean(0),
      expect=[0.89, 0.86, 1.80, 1.95, 2.76, 3.58], tol=0.1, preset="full", source=SLIDE)  # fmt: skip
claim("forward, measured: draws of X3 spread by", measured.forward[:, 5].std(), expect=0.5, tol=0.35)
# %%
stream_mean = measured.forward.mean(0)
added = [stream_mean[2] - stream_mean[1], stream_mean[4] - stream_mean[3], stream_mean[5] - stream_mean[4]]
claim("forward, measured: what each block adds", added, expect=0.9, tol=0.3)
real = [144 + 48 * 6 / 9 + 4 * 4 / 9, 25 + 20 * 6 / 9 + 4 * 4 / 9]  # middle, edges and corners of both maps
lost = [100 * (1 - real[0] / 14**2), 100 * (1 - real[1] / 7**2)]
claim("what padding costs a map of 14 x 14 and of 7 x 7, in %", lost, expect=[9, 18], tol=0.5)
claim("first ReLU of each block: second moment", measured.relus.mean(0), expect=[0.64, 0.68, 0.62], tol=0.08,
      source="lecture: about .64")  # fmt: skip

# %% [markdown]
# **What to see.** The pools do not do what the rule says: .90 stays about .9, and 1.8 becomes 1.9. Each block adds
# about .9, a little less than 1. Section 3 says why: the ring of zeros costs 9 % of the variance of a map of 14 × 14,
# and 18 % of one of 7 × 7.
#
# The points are single draws of the weights. At X3 they spread by .5, so the lecture's 4.41 and our mean of 3.65 do not
# contradict each other. The first ReLU of a block leaves a second moment of .62 to .68, not .50: the norm in front of
# it sets mean and variance, but leaves the shape, and the stream is skewed.
#
# **Not as on the slide.** The lecture's ideal stream is .49 1.47 .74 1.71 2.68. There a branch adds .97 or .98. By the
# rule it adds 1, so we have .49 1.49 .76 1.76 2.76.
#
# Why do the pools not shrink the stream? The lecture says that neighbours are nearly equal, so that the largest of four
# is close to any of them. So they are not independent. But the rule assumes a second thing, too: that the numbers are
# normal. Which of the two matters? Make the stream independent, make it normal, then both.
#
# **Your turn:** `net, kept = digit_cnn.one_pass(x_digits[:128], seed=1000 * SEED)` is one pass of 128 digits.
# `X1 = kept["X1"].detach()` (128, 32, 14, 14) is the stream that enters the second pool. `shuffle(x)` gives all numbers
# new places: neighbours are then independent. `make_normal(x)` replaces each number by a normal one of the same rank:
# the order of size stays, the shape changes. `share(x)` is the part of the variance that a max pool leaves, a number.
# The list `left` holds it for `X1` as it is, shuffled, made normal, and both. Expect 1 or more for the first
# two, then about .8 and .49. The first two differ from draw to draw, by .1 and more.

# %% tags=["live"] live="shuffled"
net, kept = digit_cnn.one_pass(x_digits[:128], seed=1000 * SEED)
X1 = kept["X1"].detach()  # (128, 32, 14, 14)


def shuffle(x: Tensor) -> Tensor:
    return x.flatten()[torch.randperm(x.numel(), generator=generator)].view_as(x)


def make_normal(x: Tensor) -> Tensor:
    rank = x.flatten().argsort().argsort()  # 0 for the smallest
    return torch.special.ndtri((rank + 0.5) / x.numel()).view_as(x)


def share(x: Tensor) -> float:
    return (F.max_pool2d(x, 2).var() / x.var()).item()


left = [share(X1), share(shuffle(X1)), share(make_normal(X1)), share(shuffle(make_normal(X1)))]
print(left)

# %%
described(
    charts.bars(left, "A max pool halves only what is shuffled and normal", ylabel="variance left by the pool",
                names=["as it is", "shuffled", "made normal", "both"]),
    f"Four bars: as it is {left[0]:.2f}, shuffled {left[1]:.2f}, made normal {left[2]:.2f}, both {left[3]:.2f}.",
)  # fmt: skip
claim("a max pool leaves of X1: as it is, shuffled, made normal, both", left, expect=[1.1, 1.04, 0.82, 0.49],
      tol=[0.25, 0.35, 0.1, 0.02])  # fmt: skip


def four_shares(seed: int) -> list[float]:
    """The same for another draw of the weights."""
    X = digit_cnn.one_pass(x_digits[:128], seed)[1]["X1"].detach()
    return [share(X), share(shuffle(X)), share(make_normal(X)), share(shuffle(make_normal(X)))]


claim("a max pool leaves of X1, mean of ten draws", lambda: torch.tensor([four_shares(seed) for seed in range(10)]).mean(0),
      expect=[1.1, 1.04, 0.82, 0.49], tol=[0.12, 0.15, 0.05, 0.01], preset="nightly")  # fmt: skip
claim("a max pool leaves of X1: as it is, shuffled, ten draws spread by", lambda: torch.tensor(
      [four_shares(seed)[:2] for seed in range(10)]).std(0), expect=0.1, tol=0.07, preset="nightly")  # fmt: skip

# %%
normal = torch.randn(200_000, generator=generator)
by_rule = {"stem": normal, "pool 1": one, "ReLU 1": normal.relu(), "X1": stream, "pool 2": stream.amax(-1),
           "X3": stream.amax(-1) + math.sqrt(2) * normal}  # fmt: skip
shown = {name: kept[name].detach()[:64] for name in ("stem", "pool 1", "ReLU 1", "X1", "pool 2", "X3")}
described(
    pooling_variance.shapes(
        shown, "The real stream is skewed, with a long tail", xlabel="in units of its rms", ideal=by_rule
    ),
    "Six histograms of the stream, with the outline that the rules would give. The measured ones are narrower at 0 and "
    "most have a long tail to the right; the one after a ReLU has a spike at 0.",
)
sizes = (X1 - X1.mean()) / X1.std()
claim("X1: mean fourth power in units of its deviation", (sizes**4).mean(), expect=7.5, tol=3, source="normal: 3")

# %% [markdown]
# **What to see.** Shuffled, the stream still keeps all of its variance. (The bar is one draw; the mean of ten draws is
# 1.04.) So equal neighbours are not the whole reason. By the rules the stream would be bells that the pools move to the
# right. The real one is narrow in the middle and has a long tail (its mean fourth power is about 7.5, that of a normal
# one 3), and the largest of four numbers reaches into this tail. Made normal but left in place, it keeps .82: that much
# the neighbours do. Only if it is independent *and* normal do we find the .49. *A rule about independent normal numbers
# says little about real digits.*
#
# ### The way back
#
# Gradients of variance 1 arrive at the ten logits. Ideal, with the lecture's variances of the stream:
#
# - head: 10/32, then 1/49² for the average over 49 positions, ½ for the ReLU, 1/2.68 for the norm: 24.3 millionths;
# - a block passes the gradient on and adds its branch's share, 1/σ² of the stream: × (1 + 1/1.71), then × (1 + 1/.74);
# - each max pool divides by 4;
# - the stem multiplies by 32 · 25 · 1/25 = 32: that arrives at the image.

# %%
MILLIONTHS = 1e6
theirs = [MILLIONTHS * 10 / 32 / 49**2 / 2 / 2.68]
theirs += [theirs[0] * (1 + 1 / 1.71), theirs[0] * (1 + 1 / 1.71) * (1 + 1 / 0.74)]
theirs += [theirs[2] / 4]
claim("backward, ideal with the lecture's variances, in millionths", theirs, expect=[24.3, 38.5, 90.5, 22.6], tol=0.1,
      source="lecture: 24.3 38.5 90.3 22.6")  # fmt: skip
ours = [MILLIONTHS * 10 / 32 / 49**2 / 2 / ideal[5]]
ours += [ours[0] * (1 + 1 / ideal[4]), ours[0] * (1 + 1 / ideal[4]) * (1 + 1 / ideal[3])]
ours += [ours[2] / 4, ours[2] / 4 * (1 + 1 / ideal[1]), ours[2] / 16 * (1 + 1 / ideal[1])]
ours += [32 * ours[5]]
claim(
    "backward, ideal with our variances, in millionths",
    ours[:4],
    expect=[23.6, 37.0, 85.6, 21.4],
    tol=[0.3, 0.5, 2.5, 0.7],
)
described(
    pooling_variance.beside_ideal(digit_cnn.BACKWARD, ours, MILLIONTHS * measured.backward,
        "Backward: blocks pass the gradient on, each max pool divides it by 4", ylabel="mean square, millionths", log=True),
    f"Seven places on the way back. Ideal: {[round(v, 1) for v in ours]}. Measured: "
    f"{(MILLIONTHS * measured.backward.mean(0)).numpy().round(1)}.",
)  # fmt: skip

# %%
mean_back = MILLIONTHS * measured.backward.mean(0)
claim("backward, measured: X3, X2, pool 2, X1, in millionths", mean_back[:4], expect=[14.1, 17.6, 23.7, 5.9],
      tol=[2.5, 3.5, 6, 1.5], source="lecture, one draw: 13.3 16.7 22.2 5.5")  # fmt: skip
claim("in front of both pools, zeros in %", 100 * measured.zeros.mean(0), expect=75, tol=0.1, source="lecture: 75 %")
claim("over a pool the mean square is divided by", mean_back[2] / mean_back[3], expect=4, tol=0.01)
claim("over the stem it is multiplied by", mean_back[6] / mean_back[5], expect=31, tol=3, source="lecture's ideal: 32")
ratios = measured.ratios.mean(0)
described(
    charts.bars(ratios, "At the weights no layer is starved", names=digit_cnn.WEIGHTS, ylabel="‖gradient‖ / ‖weights‖"),
    f"Seven bars, one for each convolution: {ratios.numpy().round(1)}.",
)
claim("length of the gradient over that of the weights, smallest and largest", [ratios.min(), ratios.max()],
      expect=[9.8, 16.5], tol=[2, 4], source="lecture: 10 to 16")  # fmt: skip
rms = 1000 * measured.arriving.mean(0)
claim("gradient at the outputs of the convs, rms, thousandths", rms, expect=[2.3, 2.5, 3.9, 4.2, 3.3, 3.7], tol=0.6,
      source="lecture: 2.2 2.4 3.8 4.1 3.2 3.6")  # fmt: skip
claim("gradient of the weights, rms, blocks 1 to 3", measured.weight_gradients.mean(0)[1:], expect=[1.24, 1.42, 0.88, 1.2, 0.86, 1.16],
      tol=0.35, source="lecture, one draw: 1.21 1.37 1.18 1.26 1.05 1.30")  # fmt: skip
back_shapes = {f"at {name}": kept[name].grad[:64] for name in ("X3", "pool 2", "X1", "pool 1", "stem")}
described(
    pooling_variance.shapes(
        back_shapes, "At the input of a pool three of four gradients are exactly 0", xlabel="in units of its rms"
    ),
    "Five histograms of gradients. At X1 and at the stem, the inputs of the pools, 75 % are exactly 0.",
)

# %% [markdown]
# **What to see.** Our rules with our stream: 23.6, 37.0, 85.6, and at the pool's input 21.4 millionths. Measured: 14.1,
# 17.6, 23.7 and 5.9. The real stream is larger, because the pools did not shrink it. So the norms divide by more, and
# the branches add less. The pool still silences 75 % and divides by 4. The stem multiplies by about 31; the rule says
# 32.
#
# Millionths, and yet no layer is starved. A weight adds up what all its places say: 512 · 14 · 14 = 100,352 products in
# block 1, 512 · 7 · 7 = 25,088 in blocks 2 and 3. The gradient of a convolution is about 10 to 17 times as long as its
# weights. (It is large because this loss adds up 512 digits.)
#
# ## 8 · Max pooling is a gate
#
# Back to the channel of section 1. By what must each value be multiplied, so that the sum is the largest of them?
# **Your turn:** with plain lists, no tensors. `window` is .2 .9 .5 .3. Make its `gates`, 0 1 0 0, and the output `out`,
# the sum of value times gate.

# %% tags=["live"] live="gate_by_hand"
window = [0.2, 0.9, 0.5, 0.3]
place = window.index(max(window))
gates = [0.0] * 4
gates[place] = 1.0
out = sum(value * gate for value, gate in zip(window, gates, strict=True))
print(gates, out)

# %%
claim(
    "by hand: values, gates and output",
    [*window, *gates, out],
    expect=[0.2, 0.9, 0.5, 0.3, 0, 1, 0, 0, 0.9],
    tol=0,
    source="lecture",
)
all_gates = [[0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 1, 0]]
described(
    pooling_windows.gated_sums(channel, all_gates, "One rule for each window: o = Σ a ⊙ x, with a = hardmax(x)"),
    "Four windows of four values. In each one line is thick, gate 1, the others thin, gate 0. Out come 0.9 0.8 0.7 0.9.",
)
opened = torch.tensor(all_gates)
claim("connections, and open ones", [opened.numel(), opened.sum()], expect=[16, 4], tol=0)

# %% [markdown]
# **What to see.** 16 connections, four open ones. **Max pool = V · hardmax(V)**, where hardmax is 1 at the largest
# value and 0 elsewhere. ReLU has the same form: $H(y)\cdot y$. A step that opens or shuts, times the value.
#
# Now a real 7, the one of the lecture, and what a filter for top edges makes of it. (The lecture does not say which
# filter it used. Ours gives the same window.) Its strongest window:

# %%
seven = lecture_seven.lecture_seven()
strong = seven.edges[2:4, 12:14].flatten()  # window row 1, column 6
described(
    pooling_windows.window_gates(
        seven.edges, seven.window, [0, 0, 0, 1], "3.44 · 0 + 4.11 · 0 + 8.44 · 0 + 9.11 · 1 = 9.11"
    ),
    "The map of top edges of a 7 with a frame around its strongest window: 3.44, 4.11, 8.44, 9.11, gates 0 0 0 1.",
)
claim("the window of the 7", strong, expect=[3.44, 4.11, 8.44, 9.11], tol=0.005, source="lecture: 3.4 4.1 8.4 9.1")
claim(
    "its row and column, and the map's positions",
    [*seven.window, seven.edges.numel()],
    expect=[1, 6, 576],
    tol=0,
    source="lecture",
)
claim("windows that reach 9.11", (F.max_pool2d(seven.edges[None, None], 2) == strong.max()).sum(), expect=1, tol=0)

# %% [markdown]
# **What to see.** 8.44 is almost as large, and passes nothing. On the way back the same gates stand in the way. Click
# a window of the 7, or turn the dials: who passes, and who gets the gradient?

# %%
pooling_widgets.window_picker(seven.edges, start=seven.window)

# %% [markdown]
# ### Break it on purpose
#
# A gate is open where the value equals the largest. Is that the same? **Your turn:** build `loose` gates that way, for
# the window .5 .5 .2 .1, a list, and pool with them: `too_much`, a number. Two gates are open.

# %% tags=["live"] live="ties"
tied = [0.5, 0.5, 0.2, 0.1]
loose = [1.0 if value == max(tied) else 0.0 for value in tied]
too_much = sum(value * gate for value, gate in zip(tied, loose, strict=True))
print(loose, too_much)

# %%
described(
    pooling_windows.gated_sums([[0.5, 0.5, 0.5, 0.5], [0.2, 0.1, 0.2, 0.1]], [loose, [1, 0, 0, 0]],
                               "A tie: two open gates let too much through", ["all equal values pass", "the first passes"]),
    "The window .5 .5 .2 .1 twice. With two thick lines the sum is 1; with one it is .5.",
)  # fmt: skip
claim("two open gates: what comes out of .5 .5 .2 .1", too_much, expect=1.0, tol=0)
blocks = F.unfold(seven.edges[None, None], 2, stride=2)[0].T  # (144, 4)
several = ((blocks == blocks.amax(1, keepdim=True)).sum(1) > 1).float().mean()
claim("windows of the 7 with several equal winners, share in %", 100 * several, expect=76, tol=1)

# %% [markdown]
# **What to see.** 1.0 came out, twice the largest value. Equal values are no rarity: after a ReLU, 76 % of the windows
# of the 7 have several winners, most of them all zeros. So a hard gate needs a rule for ties. PyTorch's rule: the first
# one wins.
#
# (The lecture on transformers shows the soft variant beside it, gates .001 .979 .018 .002 for .2 .9 .5 .3. That is the
# next lesson.)

# %%
soft = (torch.tensor(window) / 0.1).softmax(0)
claim(
    "the soft gates of the next lesson, temperature .1",
    soft,
    expect=[0.001, 0.979, 0.018, 0.002],
    tol=6e-4,
    source="lecture",
)

# %% [markdown]
# ## 9 · Does max pooling learn?
#
# Talk it over: does it have anything to learn? And who gets a gradient?

# %%
live.vote(
    "max pool = V · hardmax(V). Which of the four values of a window get a gradient?",
    {"A": "all four, the largest most", "B": "the winner alone", "C": "none: a pool has no weights", "D": "the losers"},
    answer="B",
    why="The gradient of a value is its gate: 0 0 0 1. A loser that grows a little is still a loser; the output stays.",
)

# %% [markdown]
# **Your turn:** ask autograd. `V` (1, 1, 2, 2) is the window `strong` of the 7, and `out` is `F.max_pool2d` of it. Go
# backward: `told` (4,) is the gradient of the four values. Then `nudged`: the output after the third value, a loser,
# grew by .1.

# %% tags=["live"] live="ask_autograd"
V = strong.view(1, 1, 2, 2).clone().requires_grad_()
out = F.max_pool2d(V, 2)
out.backward()
told = V.grad.flatten()
nudged = F.max_pool2d(V.detach() + torch.tensor([[[[0, 0], [0.1, 0]]]]), 2)
print(told, nudged - out)

# %%
claim("gradient of the four values", told, expect=[0, 0, 0, 1], tol=0, source="lecture")
claim("change of the output when a loser grows by .1", nudged - out, expect=0, tol=0)

# %%
heard = {}
for n in (1, 2, 3):
    source = seven.edges[None, None].clone().requires_grad_()
    far = source
    for _ in range(n):
        far = F.max_pool2d(far, 2)
    far.sum().backward()
    heard[f"{n} pool{'s' if n > 1 else ''}"] = source.grad[0, 0]
described(
    pooling_windows.heard_pixels(seven.edges, list(heard.items()), "Each max pool silences three of four positions"),
    "The map of the 7 three times, with dots on the positions that hear a gradient through one, two and three pools.",
)
claim("positions heard behind 1, 2, 3 pools", [mask.sum() for mask in heard.values()], expect=[144, 36, 9], tol=0)

# %% [markdown]
# **What to see.** A max pool has nothing to learn: its gate is computed from the values. And the winner alone hears.
# Through one pool 144 positions of the 7 hear a gradient, through two 36, through three 9.
#
# ### A quarter is enough
#
# Does a network with two max pools learn at all, then? Train one, 16 channels wide, on 2,000 digits.

# %%
train, test = digits.load(train=2000, test=1000)
x_train, x_test = digits.normalised(train.images), digits.normalised(test.images)
small = training.seeded(lambda: digit_cnn.DigitCNN(width=16), SEED)


def winners_and_heard() -> tuple[Tensor, float]:
    """Who wins in the second pool, and the share of its inputs that hear a gradient, for 256 digits."""
    with small.keeping() as made:
        F.cross_entropy(small(x_test[:256]), test.labels[:256]).backward()
    small.zero_grad()
    places = F.max_pool2d(made["X1"].detach(), 2, return_indices=True)[1]
    return places, (made["X1"].grad != 0).float().mean().item()


before, heard_before = winners_and_heard()
run = training.fit(small, x_train, train.labels, epochs=6, lr=1e-2, batch=32, seed=SEED, held_out=(x_test, test.labels))
after, heard_after = winners_and_heard()


# %%
def best_accuracy(seed: int) -> float:
    """The same training from another start."""
    net = training.seeded(lambda: digit_cnn.DigitCNN(width=16), seed)
    again = training.fit(
        net, x_train, train.labels, epochs=6, lr=1e-2, batch=32, seed=seed, held_out=(x_test, test.labels)
    )
    return max(again.accuracies)


changed = (before != after).float().mean()
described(
    charts.curves(range(1, 7), {"held out": run.accuracies}, "It learns, though three of four inputs of a pool hear nothing",
                  xlabel="epoch", ylabel="accuracy on 1,000 held-out digits", ylim=(0, 1)),
    "Accuracy over six epochs: it climbs far above chance.",
)  # fmt: skip
claim("accuracy, the best of six epochs", max(run.accuracies), expect=0.93, tol=0.05)
claim("inputs of the second pool that hear a gradient, in %: before, after", [100 * heard_before, 100 * heard_after],
      expect=25, tol=1)  # fmt: skip
claim("accuracy, the best of six epochs, three seeds", lambda: [best_accuracy(seed) for seed in range(3)],
      expect=0.93, tol=0.05, preset="nightly")  # fmt: skip
claim("windows whose winner changed during training, in %", 100 * changed, expect=61, tol=10)

# %% [markdown]
# **What to see.** It learns, from chance to about 93 %, though only 25 % of the inputs of a pool hear anything at any
# time. Two things help. The filter is the same everywhere, so that it learns from the winners of all windows and all
# digits. And the gates have no weights, but the values in front of them are made by weights: in about 61 % of the
# windows another value wins after training than before.
#
# Still, a hard gate is deaf on most of its inputs. We have met that before, and mended it:

# %%
described(
    pooling_variance.activations("We have softened a hard gate before"),
    "Two curves with their gates dashed. ReLU's gate is a step from 0 to 1; SiLU's gate rises smoothly.",
)

# %% [markdown]
# **What to see.** On its left side ReLU's gate is shut, and nothing there hears a gradient. SiLU has a smooth gate in
# place of the step, and every input hears something. $H(y)\,y$ became $\sigma(y)\,y$. What would
# $V \cdot \text{hardmax}(V)$ become?
#
# ## What to take away
#
# 1. A convolution behind a ReLU keeps variance if its weights have variance 2/fan-in. Count products: the fan-in on the
#    way forward, the fan-out on the way back, fewer at the edge.
# 2. Pools change variance. The rule for independent normal numbers fails on real digits, so measure.
# 3. **Max pool = V · hardmax(V).** The gate has no weights, and sends the gradient to the winner alone.
#
# **In one line:** a max pool is what ReLU is, a gate made of the values, times the values. A hard gate learns nothing
# and teaches only its winner. Next time we make it soft.
