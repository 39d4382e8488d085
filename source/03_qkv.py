# ---
# jupyter:
#   course:
#     points: 11
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
# # 03 · Queries, keys, values
#
# **The question:** a patch of plain blue. Is it sky or sea? The patch alone cannot know. This homework builds the layer
# that lets it ask the others: attention.
#
# How it works: write your code where a cell says `NotImplementedError`, then run the test cell below it. The test stops
# at the first thing that is wrong and says what it was probably caused by. After you hand in, hidden tests check the
# same properties with other numbers.

# %% room="both" nbgrader={"grade": false, "solution": false, "locked": true, "task": false, "grade_id": "setup", "schema_version": 3}
import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils import check, data, plots, settings

settings.prepare(seed=0)

# %% [markdown]
# ## Sky or sea?
#
# Two pictures. Each is cut into four quadrants: our four tokens.

# %%
drawn = [data.draw_picture("bird"), data.draw_picture("boat")]
figure, axes = plots.pictures(drawn, ["picture A", "picture B"], "The top-left quadrant is the same in both")

# %% [markdown]
# **What to see.** Picture A has a bird in its top-right quadrant, picture B a boat. The other quadrants are plain blue,
# and no pixel of the top left tells A from B.
#
# A small network has measured three features of each quadrant, (blue, wings, hull):
#
# | quadrant | picture A | picture B |
# |---|---|---|
# | top left | [1, 0, 0] | [1, 0, 0] |
# | top right | [1, **1**, 0] | [1, 0, **1**] |
# | bottom left | [1, 0, 0] | [1, 0, 0] |
# | bottom right | [1, 0, 0] | [1, 0, 0] |
#
# Let the top left ask, "is there an object nearby?". That is its **query**, here [2, 2]. Every quadrant offers what it
# has. That is its **key**: [wings, hull]. Where query and key agree, their dot product, the **score**, is large. For
# picture A:
#
# | | top left | top right | bottom left | bottom right |
# |---|---|---|---|---|
# | key | [0, 0] | [1, 0] | [0, 0] | [0, 0] |
# | score: [2, 2] · key | 0 | 2 | 0 | 0 |
# | **gate**: softmax of the scores | .096 | .711 | .096 | .096 |
#
# The gates say how much the top left takes from each quadrant. It receives [1, .711, 0] in picture A and [1, 0, .711]
# in picture B. Now the same blue patch carries wings in one picture and a hull in the other.

# %%
gates_of_A = [[0.096, 0.711, 0.096, 0.096]] * 4
claim = "Picture A: all four quadrants listen to the bird"
figure, axes = plots.gate_map(gates_of_A, data.QUADRANTS, data.QUADRANTS, claim)

# %% [markdown]
# **What to see.** Rows ask (queries), columns offer (keys). All quadrants are equally blue, so all ask the same
# question and all four rows are equal. Each row sums to 1.
#
# **Words.** A *score* is a number before the softmax, a *gate* (attention weight) is one after it. In shapes, `T` is
# the number of tokens, `f` the features of a token, `d` the width of queries and keys, `n` the width of values. `...`
# stands for any number of leading batch dimensions, also none. Batch comes first, always.

# %% [markdown]
# ## Exercise 1 · `scores`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 3 | 10 | 3 | nothing | all of torch |
#
# **Why.** One learned score per token would rank the quadrants once, for everybody. A score made from two halves, a
# query of the token that asks and a key of the token that offers, lets each token have its own ranking.
#
# **Steps.** The weights are stored as in `nn.Linear`, one row for each output number.
#
# 1. Queries $q = x\,W_Q^\top$: (..., T, f) → (..., T, d).
# 2. Keys $k = x\,W_K^\top$: (..., T, f) → (..., T, d).
# 3. One score for each pair, $s_{ij} = q_i \cdot k_j$: (..., T, T). Row i belongs to the query of token i, column j to
#    the key of token j.
#
# No scale and no softmax yet: they are exercise 2.
#
# **By hand.** Picture A: each query is [2, 2], the keys are [0, 0], [1, 0], [0, 0], [0, 0]. So each row of the result
# is 0 2 0 0.
#
# **What is tested.** Those numbers and others; no, one and two batch dimensions; float32 and float64; `x`, `W_q` and
# `W_k` are not changed; gradients reach all three. The shapes always fit here: you need not check them.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "scores", "schema_version": 3}
def scores(x: Tensor, W_q: Tensor, W_k: Tensor) -> Tensor:
    """The score of every query against every key, without scale and softmax.

    Args:
        x: (..., T, f) tokens with their features.
        W_q: (d, f) weights of the queries.
        W_k: (d, f) weights of the keys.

    Returns:
        (..., T, T) scores; rows are queries, columns are keys.
    """
    ### BEGIN SOLUTION
    q = x @ W_q.mT  # (..., T, d)
    k = x @ W_k.mT  # (..., T, d)
    return q @ k.mT  # (..., T, T)
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: where do the batch dimensions go?</summary>
#
# A matrix product of tensors works on the last two dimensions and repeats itself over all the others. You need no loop
# for the batch.
# </details>
#
# <details><summary>Hint 2: an error about sizes</summary>
#
# Write down the shape of the keys. To meet each query with each key, the keys need their *last two* dimensions swapped,
# and only those. `.T` reverses all dimensions; look up `.mT` and `.transpose`. `.view` and `.reshape` give a tensor of
# the right shape with its numbers in the wrong places.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 3, "grade_id": "test_scores", "schema_version": 3}
@check.probe
def observe(x, W_q, W_k):
    return scores(x, W_q, W_k), [x, W_q, W_k]  # the scores, and the inputs as they are afterwards


@check.probe
def gradients(x, W_q, W_k, weight):
    inputs = [x.requires_grad_(), W_q.requires_grad_(), W_k.requires_grad_()]
    loss = (weight * scores(*inputs)).sum()
    return list(torch.autograd.grad(loss, inputs, allow_unused=True)) if loss.requires_grad else [None] * 3


def mistakes(right, d):
    return {
        "rows and columns are exchanged: rows are queries, columns are keys": right.mT,
        "divided by √d; the scale belongs to exercise 2": right / math.sqrt(d),
        "went through a softmax; that belongs to exercise 2": right.softmax(-1),
    }


# Picture A, then three tokens that ask three different questions.
hand = data.sky_or_sea()
s, after = observe(hand.A, hand.W_q, hand.W_k)
check.untouched(after, [hand.A, hand.W_q, hand.W_k], "scores leaves x, W_q and W_k as they were")
check.shape(
    s, (4, 4), "the matrix of scores of picture A", likely="one score for each pair: rows are queries, columns are keys"
)
right = torch.tensor([[0.0, 2, 0, 0]] * 4)
check.close(s, right, "the matrix of scores of picture A", likely=mistakes(right, 2))

x = torch.tensor([[1.0, 2], [3, 0], [0, -1]])
W_q, W_k = torch.tensor([[1.0, 2], [0, 1]]), torch.tensor([[0.0, 1], [3, -1]])
right = torch.tensor([[12.0, 18, -3], [6, 0, -3], [-5, -9, 1]])
likely = mistakes(right, 2) | {
    "the keys were made with W_q": torch.tensor([[29.0, 15, -12], [15, 9, -6], [-12, -6, 5]]),
    "the queries were made with W_k": torch.tensor([[5.0, 9, -1], [9, 81, 9], [-1, 9, 2]]),
    "x met W instead of the transpose of W": torch.tensor([[2.0, 12, 1], [12, 18, -3], [1, -3, -1]]),
}
check.close(observe(x, W_q, W_k)[0], right, "the matrix of scores of three tokens", likely=likely)

# Batches: 2 x 3 pictures of 5 tokens at once give what each picture gives alone; float64 gives the same as float32.
x, W_q, W_k = check.normal((2, 3, 5, 4), (6, 4), (6, 4))
alone = observe(x[1, 2], W_q, W_k)[0]
for batch, where in [(x, (1, 2)), (x[1], (2,)), (x[1, 2].double(), ())]:
    s, _ = observe(batch, W_q.to(batch.dtype), W_k.to(batch.dtype))
    check.shape(s, (*batch.shape[:-1], 5), f"the matrix of scores of x {tuple(batch.shape)}")
    check.close(s[where], alone, f"one picture out of x {tuple(batch.shape)}", atol=1e-4)

# Gradients: this loss is linear in W_q and in W_k, quadratic in x: (input * gradient).sum() is the loss, or twice it.
weight = check.normal((5, 5), seed=1)
loss = (weight * alone).sum()
found = gradients(x[1, 2], W_q, W_k, weight)
cut = "something on the way was detached: .detach(), .item(), .numpy(), torch.tensor(...)"
for name, value, got, times in zip(["x", "W_q", "W_k"], [x[1, 2], W_q, W_k], found, [2, 1, 1], strict=True):
    check.that(got is not None, f"a gradient reaches {name}", likely=cut)
    check.close((value * got).sum(), times * loss, f"the gradient of {name}", rtol=1e-3, atol=1e-3, likely={cut: loss})


### BEGIN HIDDEN TESTS
def reference(x, W_q, W_k):
    return torch.einsum("...tf,df,dg,...sg->...ts", x, W_q, W_k, x)


for lead, T, f, d in [((), 6, 4, 3), ((3,), 5, 2, 7), ((2, 3), 4, 5, 5), ((), 1, 3, 2), ((2, 1, 3), 3, 2, 1)]:
    x, W_q, W_k = check.hidden((*lead, T, f), (d, f), (d, f))
    for dtype in (torch.float32, torch.float64):
        sent = [x.to(dtype), W_q.to(dtype), W_k.to(dtype)]
        s, after = observe(*sent)
        right = reference(x.double(), W_q.double(), W_k.double())
        wrong = mistakes(right, d) | {
            "the keys were made with W_q": reference(x.double(), W_q.double(), W_q.double()),
            "the queries were made with W_k": reference(x.double(), W_k.double(), W_k.double()),
        }
        check.close(
            s, right, f"the matrix of scores for {len(lead)} batch dimensions, {dtype},", atol=1e-4, likely=wrong
        )
        check.untouched(after, sent, "scores leaves x, W_q and W_k as they were")
x, W_q, W_k, weight = check.hidden((2, 5, 4), (3, 4), (3, 4), (2, 5, 5))
inputs = [t.double().requires_grad_() for t in (x, W_q, W_k)]
right = torch.autograd.grad((weight * reference(*inputs)).sum(), inputs)
for name, got, want in zip(["x", "W_q", "W_k"], gradients(x, W_q, W_k, weight), right, strict=True):
    check.that(got is not None, f"a gradient reaches {name}", likely=cut)
    check.close(got, want, f"the gradient of {name}", rtol=1e-3, atol=1e-3)
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 2 · `attention`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 4 | 25 | 12 | nothing | all of torch but `F.scaled_dot_product_attention` and `nn.MultiheadAttention` |
#
# (Those two functions are what you build here.)
#
# **Why.** A score is a sum of `d` products. With inputs of variance 1 its variance is `d`, so for wide queries one
# score towers above the others and the softmax takes a single token. Dividing by $\sqrt d$ brings the variance back to
# 1, and the gates stay soft.
#
# **Steps.**
#
# 1. Scores of every query against every key, divided by $\sqrt d$ (`d` is the width of queries and keys):
#    (..., Tq, Tk). The tokens that ask need not be the ones that offer, so Tq and Tk may differ.
# 2. Where the mask is False the query may not look: that gate must become 0, *and* the row must still sum to 1.
# 3. Gates: a softmax along each row, over the keys: (..., Tq, Tk).
# 4. Output: for each query, the sum of all values, each times its gate: (..., Tq, n).
#
# **By hand.** Query [2, 2], the four keys of picture A, and its features as values. Scores 0 2 0 0; divided by
# $\sqrt 2$: 0 1.414 0 0. Gates .141 .578 .141 .141. Output [1, .578, 0]. (The drawing above left the scale out and had
# .711.)
#
# **What is tested.** The output equals `F.scaled_dot_product_attention`, and the gates belong to it; Tq ≠ Tk, n ≠ d;
# no, one and two batch dimensions (the same for q, k and v); masks of shape (Tq, Tk) and others that broadcast to
# (..., Tq, Tk), such as (B, 1, Tk); float32 and float64; scores of several thousand still give finite gates; q, k, v
# and mask are not changed; gradients reach q, k and v, also under a mask. And these raise **`ValueError`**, with a
# message of yours that says what does not fit:
#
# - q and k have different widths (also when one of them is 1, where torch would quietly stretch it),
# - k and v have different numbers of tokens,
# - some query may attend to no key at all: a softmax over nothing has no answer.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "attention", "schema_version": 3}
def attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention that also returns its gates.

    Args:
        q: (..., Tq, d) queries.
        k: (..., Tk, d) keys.
        v: (..., Tk, n) values.
        mask: bool, broadcasts to (..., Tq, Tk); True = this query may attend to this key. None: all may.

    Returns:
        out (..., Tq, n) and gates (..., Tq, Tk); rows are queries, columns are keys.

    Raises:
        ValueError: q and k differ in width, k and v in the number of tokens, or a query may attend to no key.
    """
    ### BEGIN SOLUTION
    d = q.shape[-1]
    if k.shape[-1] != d:
        raise ValueError(f"queries have width {d}, keys {k.shape[-1]}: they must be equal")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"{k.shape[-2]} keys but {v.shape[-2]} values: each token needs one of both")
    s = q @ k.mT / math.sqrt(d)  # (..., Tq, Tk)
    if mask is not None:
        if not mask.any(dim=-1).all():
            raise ValueError("the mask leaves a query with no key to attend to")
        s = s.masked_fill(~mask, -math.inf)
    gates = s.softmax(dim=-1)  # (..., Tq, Tk)
    return gates @ v, gates  # (..., Tq, n), (..., Tq, Tk)
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: mask before or after the softmax?</summary>
#
# If you set gates to 0 after the softmax, the rest of the row no longer sums to 1. Which score gives a gate of exactly
# 0, whatever the other scores are?
# </details>
#
# <details><summary>Hint 2: NaN or infinity with large scores</summary>
#
# $e^{1000}$ is too large for a float. torch's own softmax first subtracts the largest score of each row, which changes
# nothing else. If you write your own, do the same.
# </details>
#
# <details><summary>Hint 3: which query has no key?</summary>
#
# A row of the mask in which nothing is True. Look up `torch.any` with `dim`.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 4, "grade_id": "test_attention", "schema_version": 3}
@check.probe
def observe(q, k, v, mask=None):
    inputs = [t for t in (q, k, v, mask) if t is not None]
    return attention(*inputs), inputs  # the result, and the inputs as they are afterwards


@check.probe
def gradients(q, k, v, mask, weight):
    inputs = [q.requires_grad_(), k.requires_grad_(), v.requires_grad_()]
    out = attention(*inputs, mask)[0]
    loss = (weight * out).sum()
    return list(torch.autograd.grad(loss, inputs, allow_unused=True)) if loss.requires_grad else [None] * 3


@check.probe
def library_calls(q, k, v):
    from torch.overrides import TorchFunctionMode

    names = []

    class Watch(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            names.append(getattr(function, "__name__", ""))
            return function(*args, **(kwargs or {}))

    with Watch():
        attention(q, k, v)
    return [name for name in names if "attention" in name]


def library(q, k, v, mask=None, scale=None):
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale)


def unit_values(q, k):
    """Value j is (0 .. 1 at j .. 0), so that the output for a query is its row of gates: (..., Tk, Tk)."""
    return torch.eye(k.shape[-2], dtype=k.dtype).expand(*k.shape[:-1], -1)


def causes(q, k, v, mask):
    """The gates that well-known mistakes give."""
    units, d, n = unit_values(q, k), q.shape[-1], v.shape[-1]
    mistakes = {
        "the scores are not divided by √d": library(q, k, units, mask, 1.0),
        f"the scores are divided by {d}; d = {d}, so √{d} is right": library(q, k, units, mask, 1 / d),
        f"the scores are divided by √{n}, from the width of v; d is the width of q": library(
            q, k, units, mask, n**-0.5
        ),
        "the softmax runs over the queries; it must run over the keys": library(k, q, unit_values(k, q)).mT,
    }
    if mask is not None:
        open_gates = library(q, k, units)
        mistakes |= {
            "the mask is ignored": open_gates,
            "True means may attend; yours blocks where it is True": library(q, k, units, ~mask),
            "the mask came after the softmax: the rest of the row no longer sums to 1": open_gates * mask,
        }
    return mistakes


def compare(q, k, v, mask=None):
    """Everything that must hold for one input."""
    result, after = observe(q, k, v, mask)
    two = isinstance(result, (tuple, list)) and len(result) == 2
    check.that(two, "attention returns two tensors, out and gates", likely="only one of them is returned")
    out, gates = result
    case = f"q {tuple(q.shape)}, k {tuple(k.shape)}" + ("" if mask is None else f", mask {tuple(mask.shape)}")
    check.shape(out, (*q.shape[:-1], v.shape[-1]), f"the output for {case}", likely="first the output, then the gates")
    check.shape(gates, (*q.shape[:-1], k.shape[-2]), f"the matrix of gates for {case}", likely="rows are queries")
    check.that((gates >= 0).all(), "no gate is negative or NaN", likely="the softmax is missing, or met only -inf")
    right = library(q, k, unit_values(q, k), mask)
    check.close(gates, right, f"the matrix of gates for {case}", likely=causes(q, k, v, mask))
    check.close(out, library(q, k, v, mask), f"the output for {case}", atol=1e-4)
    sent = [t for t in (q, k, v, mask) if t is not None]
    check.untouched(after, sent, "attention leaves q, k, v and mask as they were")


# By hand: the top left of picture A asks.
hand = data.sky_or_sea()
compare(torch.tensor([[2.0, 2]]), torch.tensor([[0.0, 0], [1, 0], [0, 0], [0, 0]]), hand.A)

# Two pictures at once, five queries for seven keys; then no and two batch dimensions, float64, masks.
q, k, v = check.normal((2, 5, 4), (2, 7, 4), (2, 7, 3))
staircase = torch.ones(5, 7).tril(1).bool()
padding = torch.arange(7) < torch.tensor([[[3]], [[6]]])  # (2, 1, 7): picture 0 has 3 tokens, picture 1 has 6
compare(q, k, v)
compare(q[0], k[0], v[0])
compare(*check.normal((2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 3), seed=1))
compare(q.double(), k.double(), v.double(), staircase)
compare(q, k, v, staircase)
compare(q, k, v, padding)

# Large scores, gradients, bad input, library calls.
(_, gates), _ = observe(1000 * q, k, v)
check.finite(gates, "the matrix of gates for scores of several thousand", likely="exp of a large number is infinite")
check.close(gates.sum(-1), torch.ones(2, 5), "the sum of each row of gates", atol=1e-3)

weight = check.normal((2, 5, 3), seed=2)
inputs = [t.clone().requires_grad_() for t in (q, k, v)]
right = torch.autograd.grad((weight * library(*inputs, padding)).sum(), inputs)
for name, got, want in zip("qkv", gradients(q, k, v, padding, weight), right, strict=True):
    check.that(got is not None, f"a gradient reaches {name}", likely=".detach(), .item(), .numpy(), torch.tensor(...)")
    check.close(got, want, f"the gradient of {name}", rtol=1e-3, atol=1e-4)

empty = padding & torch.tensor([[[True]], [[False]]])
check.raises("ValueError", observe, q, k[..., :3], v)  # queries of width 4, keys of width 3
check.raises("ValueError", observe, q, k[..., :1], v)  # keys of width 1
check.raises("ValueError", observe, q, k, v[:, :6])  # 7 keys, 6 values
check.raises("ValueError", observe, q, k, v, empty)  # the queries of picture 1 may attend to no key
check.that(not library_calls(q, k, v), "attention is built from smaller parts", likely="it calls the library's own")

### BEGIN HIDDEN TESTS
for lead, *sizes in [
    ((), 3, 8, 6, 5),
    ((4,), 6, 2, 3, 7),
    ((3, 2), 4, 9, 5, 2),
    ((2, 1, 2), 2, 3, 1, 4),
    ((), 1, 1, 2, 1),
]:
    Tq, Tk, d, n = sizes
    q, k, v, draw = check.hidden((*lead, Tq, d), (*lead, Tk, d), (*lead, Tk, n), (*lead, Tq, Tk))
    compare(q, k, v)
    compare(q.double(), k.double(), v.double())
    mask = (draw > 0) | (torch.arange(Tk) == torch.arange(Tq)[:, None] % Tk)  # every query may attend to some key
    compare(q, k, v, mask)
    compare(q, k, v, mask[(0,) * len(lead)])
q, k, v, weight, draw = check.hidden((3, 4, 5), (3, 6, 5), (3, 6, 2), (3, 4, 2), (4, 6))
mask = (draw > 0) | torch.eye(4, 6).bool()
compare(q, k, v, torch.arange(6) < torch.tensor([[[5]], [[1]], [[2]]]))
(_, gates), _ = observe(2000 * q, k, v)
check.finite(gates, "the matrix of gates for scores of several thousand", likely="exp of a large number is infinite")
check.close(gates.sum(-1), torch.ones(3, 4), "the sum of each row of gates", atol=1e-3)
for m in (None, mask):
    inputs = [t.clone().requires_grad_() for t in (q, k, v)]
    right = torch.autograd.grad((weight * library(*inputs, m)).sum(), inputs)
    for name, got, want in zip("qkv", gradients(q, k, v, m, weight), right, strict=True):
        check.that(got is not None, f"a gradient reaches {name}", likely="something on the way was detached")
        check.close(got, want, f"the gradient of {name}", rtol=1e-3, atol=1e-4)
check.raises("ValueError", observe, q[..., :1], k, v)
check.raises("ValueError", observe, q, k[..., :4], v)
check.raises("ValueError", observe, q, k[:, :1], v)
check.raises("ValueError", observe, q, k, v, mask & (torch.arange(4) != 2)[:, None])
check.that(not library_calls(q, k, v), "attention is built from smaller parts", likely="it calls the library's own")
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 3 · `SelfAttention`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 4 | 25 | 8 | `attention` | all of torch but `F.scaled_dot_product_attention` and `nn.MultiheadAttention` |
#
# **Why.** In self-attention every token of a picture asks, offers and hands over: queries, keys and values are all made
# from the same `x`, by three learned matrices. Without more, the four quadrants of picture A would come out equal, and
# the bird quadrant would forget that it is one. So the result is *added* to `x`: a residual connection. For that it
# must have as many features as `x`, which is the job of a fourth matrix, `W_out`.
#
# **Steps.**
#
# 1. `SelfAttention(f, d, n, residual=True)` is an `nn.Module` with four weights and no bias. The test puts its own
#    numbers into them, so their names and shapes count. Each is an `nn.Linear` without bias, or an `nn.Parameter` of
#    the same shape:
#
#    | name | shape of its weight | makes |
#    |---|---|---|
#    | `W_q` | (d, f) | queries (..., T, d) |
#    | `W_k` | (d, f) | keys (..., T, d) |
#    | `W_v` | (n, f) | values (..., T, n) |
#    | `W_out` | (f, n) | what is added to x (..., T, f) |
#
# 2. `layer(x, mask=None)` makes queries, keys and values, and lets your `attention` do its work: (..., T, n) and gates
#    (..., T, T).
# 3. The attention output goes through `W_out`: (..., T, f). With `residual=True`, `x` is added to it.
# 4. It returns the result (..., T, f) and the gates (..., T, T).
#
# How the weights start is up to you.
#
# **By hand.** Picture A with the weights of the lecture, `W_q` made $\sqrt 2$ times larger so that the scale cancels;
# `W_v` and `W_out` the identity. Gates .096 .711 .096 .096 in each row. Without residual all four quadrants become
# [1, .711, 0]. With it the top left is [2, .711, 0], the top right, where the bird is, [2, 1.711, 0].
#
# **What is tested.** Those numbers and others, against `F.scaled_dot_product_attention` with copied weights; with and
# without residual and mask; no, one and two batch dimensions; `x` is not changed; gradients reach `x` and all four
# weights.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "SelfAttention", "schema_version": 3}
class SelfAttention(nn.Module):
    """Every token of a picture attends to every token of it.

    Args:
        f: features of a token, in and out.
        d: width of queries and keys.
        n: width of values.
        residual: add x to the result.
    """

    def __init__(self, f: int, d: int, n: int, residual: bool = True) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.W_q = nn.Linear(f, d, bias=False)
        self.W_k = nn.Linear(f, d, bias=False)
        self.W_v = nn.Linear(f, n, bias=False)
        self.W_out = nn.Linear(n, f, bias=False)
        self.residual = residual
        ### END SOLUTION

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """From x (..., T, f) and a mask as in `attention` to the result (..., T, f) and the gates (..., T, T)."""
        ### BEGIN SOLUTION
        mixed, gates = attention(self.W_q(x), self.W_k(x), self.W_v(x), mask)  # (..., T, n), (..., T, T)
        out = self.W_out(mixed)  # (..., T, f)
        return (x + out if self.residual else out), gates
        ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: which number goes where in <code>nn.Linear</code>?</summary>
#
# `nn.Linear(inputs, outputs)` stores a weight of shape (outputs, inputs) and, unless told otherwise, a bias.
# </details>
#
# <details><summary>Hint 2: the gradient of x, or x itself, is wrong</summary>
#
# `x += y` writes into the tensor that the caller gave you. `x + y` makes a new one.
# </details>


# %% uses=["attention"] nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 4, "grade_id": "test_SelfAttention", "schema_version": 3}
@check.probe
def build(f, d, n):
    layer = SelfAttention(f, d, n)
    if not isinstance(layer, nn.Module):
        return None
    parts = {name: getattr(layer, name, None) for name in ("W_q", "W_k", "W_v", "W_out")}
    weights = {name: getattr(part, "weight", part) for name, part in parts.items()}
    shapes = {name: tuple(w.shape) if isinstance(w, nn.Parameter) else None for name, w in weights.items()}
    return shapes, sum(p.numel() for p in layer.parameters() if p.requires_grad)


@check.probe
def observe(weights, x, mask=None, residual=None, weight=None):
    (f, n), d = weights["W_out"].shape, weights["W_q"].shape[0]
    layer = SelfAttention(f, d, n) if residual is None else SelfAttention(f, d, n, residual=residual)
    own = [getattr(getattr(layer, name), "weight", getattr(layer, name)) for name in weights]
    with torch.no_grad():
        for parameter, value in zip(own, weights.values(), strict=True):
            parameter.copy_(value)
    x = x.to(own[0].dtype)
    inputs = [x.requires_grad_(weight is not None), *own]
    result = layer.eval()(x) if mask is None else layer.eval()(x, mask)
    if weight is None:
        return result, x  # the result, and x as it is afterwards
    loss = (weight * result[0]).sum()
    return list(torch.autograd.grad(loss, inputs, allow_unused=True)) if loss.requires_grad else [None] * 5


def parts(observed, x):
    result, after = observed
    two = isinstance(result, (tuple, list)) and len(result) == 2
    check.that(two, "the layer returns two tensors, the result and the gates", likely="the gates are dropped")
    check.untouched([after], [x.to(after.dtype)], "the layer leaves x as it was")
    return result


# Four weights with the right shapes, nothing else to train.
for f, d, n in [(6, 4, 3), (3, 5, 7)]:
    built = build(f, d, n)
    check.that(built is not None, "SelfAttention is an nn.Module")
    shapes, count = built
    for name, shape in {"W_q": (d, f), "W_k": (d, f), "W_v": (n, f), "W_out": (f, n)}.items():
        likely = "a plain tensor, or another name"
        check.that(shapes[name] is not None, f"{name} is an nn.Linear or nn.Parameter", likely=likely)
        likely = "nn.Linear(inputs, outputs) has a weight of shape (outputs, inputs)"
        check.that(shapes[name] == shape, f"the weight {name} for f={f}, d={d}, n={n} has shape {shape}", likely=likely)
    all_four = 2 * f * (d + n)
    likely = "one weight serves as two, or is frozen" if count < all_four else "biases, which nn.Linear has by default"
    check.that(count == all_four, f"the four weights have {all_four} trainable numbers, yours {count}", likely=likely)

# By hand: picture A, first without, then with residual (which is the default).
hand = data.sky_or_sea()
lecture = {"W_q": hand.W_q * math.sqrt(2), "W_k": hand.W_k, "W_v": hand.W_v, "W_out": torch.eye(3)}
row = torch.tensor([[0.0963, 0.7112, 0.0963, 0.0963]] * 4)
mixed = torch.tensor([[1.0, 0.7112, 0]] * 4)
out, gates = parts(observe(lecture, hand.A, None, False), hand.A)
check.close(gates, row, "the matrix of gates of picture A", atol=1e-3)
likely = {"x is added though residual=False": mixed + hand.A}
check.close(out, mixed, "picture A without residual", atol=1e-3, likely=likely)
for residual in (True, None):
    out, _ = parts(observe(lecture, hand.A, None, residual), hand.A)
    likely = {"x is not added": mixed, "the residual is added twice": mixed + 2 * hand.A}
    check.close(out, mixed + hand.A, "picture A with residual", atol=1e-3, likely=likely)

# W_out doubles; then W_v reads only the wings (n = 1) and W_out spreads them as 1, 2, 3 over the features.
double = lecture | {"W_out": 2 * torch.eye(3)}
likely = {"W_out is not used": mixed + hand.A, "x goes through W_out, too": 2 * (mixed + hand.A)}
out, _ = parts(observe(double, hand.A, None, True), hand.A)
check.close(out, 2 * mixed + hand.A, "picture A when W_out doubles", atol=1e-3, likely=likely)
narrow = lecture | {"W_v": torch.tensor([[0.0, 1, 0]]), "W_out": torch.tensor([[1.0], [2], [3]])}
out, _ = parts(observe(narrow, hand.A, None, False), hand.A)
check.close(out, torch.tensor([[0.7112, 1.4225, 2.1337]] * 4), "only wings handed over, times 1, 2, 3", atol=1e-3)

# Nobody may look at the bird: no wings anywhere. And a batch gives what each picture gives alone.
blind = torch.tensor([True, False, True, True]).expand(4, 4)
out, gates = parts(observe(lecture, hand.A, blind, False), hand.A)
likely = {"the mask does not reach attention": mixed}
check.close(out, torch.tensor([[1.0, 0, 0]] * 4), "picture A, nobody may look at the bird", atol=1e-3, likely=likely)
x, *drawn = check.normal((2, 3, 5, 6), (4, 6), (4, 6), (3, 6), (6, 3))
weights = {name: w / w.shape[1] ** 0.5 for name, w in zip(lecture, drawn, strict=True)}
alone, _ = parts(observe(weights, x[1, 2]), x[1, 2])
for batch, where in [(x, (1, 2)), (x[1], (2,))]:
    out, gates = parts(observe(weights, batch), batch)
    check.shape(gates, (*batch.shape[:-1], 5), f"the matrix of gates of x {tuple(batch.shape)}")
    check.shape(out, tuple(batch.shape), f"the result for x {tuple(batch.shape)}")
    check.close(out[where], alone, f"one picture out of x {tuple(batch.shape)}", atol=1e-4)
for name, got in zip(["x", *weights], observe(weights, x[0], None, True, check.normal((3, 5, 6), seed=1)), strict=True):
    check.that(got is not None and got.abs().sum() > 0, f"a gradient reaches {name}", likely="detach, .data or no_grad")


### BEGIN HIDDEN TESTS
def reference(weights, x, mask, residual, scale=None):
    q, k, v = (F.linear(x, weights[name]) for name in ("W_q", "W_k", "W_v"))
    out = F.linear(F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale), weights["W_out"])
    units = torch.eye(x.shape[-2], dtype=x.dtype).expand(*x.shape[:-1], -1)
    return out + x if residual else out, F.scaled_dot_product_attention(q, k, units, attn_mask=mask, scale=scale)


for lead, T, f, d, n in [((), 6, 5, 3, 2), ((4,), 5, 3, 6, 4), ((2, 3), 4, 6, 2, 7), ((2,), 7, 4, 4, 4)]:
    x, *drawn, draw = check.hidden((*lead, T, f), (d, f), (d, f), (n, f), (f, n), (T, T))
    weights = {name: w / w.shape[1] ** 0.5 for name, w in zip(["W_q", "W_k", "W_v", "W_out"], drawn, strict=True)}
    for mask in (None, (draw > 0) | torch.eye(T).bool()):
        for residual in (True, False):
            out, gates = parts(observe(weights, x, mask, residual), x)
            right, right_gates = reference(weights, x, mask, residual)
            swapped = weights | {"W_q": weights["W_k"], "W_k": weights["W_q"]}
            tied = weights | {"W_q": weights["W_k"]}
            wrong = {
                "the scores are not divided by √d": reference(weights, x, mask, residual, 1.0)[1],
                "the mask does not reach attention": reference(weights, x, None, residual)[1],
                "queries and keys are exchanged": reference(swapped, x, mask, residual)[1],
                "queries and keys share one weight": reference(tied, x, mask, residual)[1],
            }
            check.close(gates, right_gates, "the matrix of gates with copied weights", atol=1e-4, likely=wrong)
            other = reference(weights, x, mask, not residual)[0]
            wrong = {"x is not added" if residual else "x is added though residual=False": other}
            check.close(out, right, "the result with copied weights", atol=1e-4, likely=wrong)
x, *drawn, weight = check.hidden((2, 5, 4), (3, 4), (3, 4), (6, 4), (4, 6), (2, 5, 4))
weights = {name: w / w.shape[1] ** 0.5 for name, w in zip(["W_q", "W_k", "W_v", "W_out"], drawn, strict=True)}
for residual in (True, False):
    inputs = [t.clone().requires_grad_() for t in (x, *weights.values())]
    out, _ = reference(dict(zip(weights, inputs[1:], strict=True)), inputs[0], None, residual)
    right = torch.autograd.grad((weight * out).sum(), inputs)
    for name, got, want in zip(["x", *weights], observe(weights, x, None, residual, weight), right, strict=True):
        check.that(got is not None, f"a gradient reaches {name}", likely="something on the way was detached")
        check.close(got, want, f"the gradient of {name}", rtol=1e-3, atol=1e-4)
### END HIDDEN TESTS

# %% [markdown]
# ## See what you built
#
# The lecture's weights in your layer, picture B.

# %%
hand = data.sky_or_sea()
layer = SelfAttention(3, 2, 3)
with torch.no_grad():
    for name, values in {"W_q": hand.W_q, "W_k": hand.W_k, "W_v": hand.W_v, "W_out": torch.eye(3)}.items():
        own = getattr(layer, name)
        getattr(own, "weight", own).copy_(values)
    after, gates = layer(hand.B)
figure, axes = plots.gate_map(gates, data.QUADRANTS, data.QUADRANTS, "Picture B: all listen to the boat")
figure, axes = plots.feature_map(after, data.QUADRANTS, data.FEATURES, "After the layer every token carries hull")

# %% [markdown]
# **What to see.** Upper figure: as for the bird, one column is light, because one quadrant offers what all ask for. The
# gate is .578 here, not .711, since your `attention` divides by $\sqrt 2$. Lower figure: the top left came in as
# [1, 0, 0] and left with hull .58 and no wings. It is sea. The boat quadrant keeps the largest hull, thanks to the
# residual.
#
# ## Our words and the field's words
#
# | ours | the field's | remark |
# |---|---|---|
# | token, quadrant | token, position, patch | one row of `x` |
# | score | attention logit, alignment score | before the softmax |
# | gate | attention weight, attention probability | after the softmax; rows are queries, columns keys |
# | query, key, value | the same | what a token asks for, has, hands over |
# | `scores` ÷ √d, softmax, · values | scaled dot-product attention | Vaswani et al., 2017, equation 1 |
# | f, d, n | $d_{model}$, $d_k$, $d_v$ | |
# | `W_out` | output projection, $W^O$ | in the paper it follows several heads; here there is one |
# | residual | residual connection, skip connection | |
# | mask, True = may attend | attention mask | as in PyTorch's function; in `nn.MultiheadAttention` True means blocked |
#
# **Differs from the paper.** Vaswani et al. apply layer normalisation after adding the residual; we have none yet.
# PyTorch's `nn.MultiheadAttention` has biases and puts the batch second by default; ours has no bias and puts the batch
# first.
