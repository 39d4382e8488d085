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
# # 03 · Queries, keys, values
#
# **The question:** a patch of plain blue. Is it sky or sea? The patch alone cannot know. This homework builds the layer
# that lets it ask the others: attention.
#
# How it works: write your code where a cell says `NotImplementedError`, then run the test cell below it. The test stops
# at the first thing that is wrong and says what it was probably caused by. After you hand in, hidden tests check the
# same properties with other numbers.
#
# A message has a line `called    observe(...)`. `observe` is a little function of the test's own: it calls yours with
# these inputs. (`build`, `gradients` and the like are such functions, too.)
#
# All exercises together take about 140 minutes. **Stuck? Go on:** run the later cells one by one. Only exercise 3
# (with your `attention`) and exercise 8 (with your `SelfAttention`) build on earlier ones.

# %% room="both" nbgrader={"grade": false, "solution": false, "locked": true, "task": false, "grade_id": "setup", "schema_version": 3}
import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils import check, data, plots, settings
from course_utils.described import described

settings.prepare(seed=0)

# %% [markdown]
# ## Sky or sea?
#
# Two pictures. Each is cut into four quadrants: our four tokens.

# %%
drawn = [data.draw_picture("bird"), data.draw_picture("boat")]
described(
    plots.pictures(drawn, ["picture A", "picture B"], "The top-left quadrant is the same in both"),
    "Two blue pictures. A has a bird in its top-right quadrant, B a boat. The other quadrants are plain blue.",
)

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
described(
    plots.gate_map(gates_of_A, data.QUADRANTS, data.QUADRANTS, claim),
    "A 4 by 4 matrix of gates. In each row the top right, where the bird is, has .711 and the others have .096.",
)

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
# **What is tested.** Those numbers and others; zero, one and two batch dimensions; float32 and float64 (`x`, `W_q` and
# `W_k` all have the same type, and the result has the type of `x`); `x`, `W_q` and `W_k` are not changed; gradients
# reach all three. The shapes always fit here: you need not check them.


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


def reshaped(x, W_q, W_k):
    """What a reshape of the keys gives in place of a transpose."""
    q, k = F.linear(x, W_q), F.linear(x, W_k)
    likely = "the keys were reshaped (.view, .reshape), which mixes them; swap their last two dimensions"
    return {likely: q @ k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2])}


# Picture A, then three tokens that ask three different questions.
hand = data.sky_or_sea()
s, after = observe(hand.A, hand.W_q, hand.W_k)
check.untouched(after, [hand.A, hand.W_q, hand.W_k], "scores leaves x, W_q and W_k as they were")
check.shape(
    s, (4, 4), "the matrix of scores of picture A", likely="one score for each pair: rows are queries, columns are keys"
)
right = torch.tensor([[0.0, 2, 0, 0]] * 4)
check.close(
    s, right, "the matrix of scores of picture A", likely=mistakes(right, 2) | reshaped(hand.A, hand.W_q, hand.W_k)
)

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
new_type = "the result must have the type of x: dtype=x.dtype where you make a tensor, or .to(x.dtype) at the end"
x, W_q, W_k = check.normal((2, 3, 5, 4), (6, 4), (6, 4))
alone = observe(x[1, 2], W_q, W_k)[0]
for batch, where in [(x, (1, 2)), (x[1], (2,)), (x[1, 2].double(), ())]:
    s, _ = observe(batch, W_q.to(batch.dtype), W_k.to(batch.dtype))
    check.shape(s, (*batch.shape[:-1], 5), f"the matrix of scores of x {tuple(batch.shape)}")
    check.dtype(s, batch.dtype, f"the matrix of scores of x {tuple(batch.shape)}", likely=new_type)
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
        wrong |= reshaped(x.double(), W_q.double(), W_k.double())
        check.close(
            s, right, f"the matrix of scores for {len(lead)} batch dimensions, {dtype},", atol=1e-4, likely=wrong
        )
        check.dtype(s, dtype, f"the matrix of scores for {len(lead)} batch dimensions", likely=new_type)
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
# zero, one and two batch dimensions (the same for q, k and v); masks of shape (Tq, Tk) and others that broadcast to
# (..., Tq, Tk), such as (B, 1, Tk); float32 and float64, and the output has the type of q; scores of many thousand
# still give finite gates, also where the largest scores belong to keys that the mask blocks; q, k, v and mask are not
# changed; gradients reach q, k and v, also under a mask. And these raise **`ValueError`**, with a message of yours that
# says what does not fit:
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
# nothing else. If you write your own, do the same, with the largest score *that the mask allows*: below a blocked one
# all that is allowed may become 0, and 0 / 0 is NaN.
# </details>
#
# <details><summary>Hint 3: a value where a mask of another shape is False</summary>
#
# `s[...] = value` with a mask in the brackets needs a mask of the very shape of `s`. Some functions of torch stretch the
# mask to fit, as `+` does, and give a new tensor. Look for one that fills, or for one that chooses between two values.
# </details>
#
# <details><summary>Hint 4: which query has no key?</summary>
#
# Rows of the mask belong to queries. First ask each row one question about its keys; then ask one about all rows.
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
            "blocked scores became 0; e⁰ is 1, so their gates stay open": (q @ k.mT / math.sqrt(d) * mask).softmax(-1),
        }
    return mistakes


def compare(q, k, v, mask=None):
    """Everything that must hold for one input."""
    valid = "this input is valid (widths and tokens fit, and every query has a key) and raises no ValueError"
    likely = "a check is too strict: only widths, numbers of tokens and rows of the mask count"
    with check.instead_of(["ValueError"], valid, likely):
        result, after = observe(q, k, v, mask)
    two = isinstance(result, (tuple, list)) and len(result) == 2
    check.that(two, "attention returns two tensors, out and gates", likely="only one of them is returned")
    out, gates = result
    case = f"q {tuple(q.shape)}, k {tuple(k.shape)}" + ("" if mask is None else f", mask {tuple(mask.shape)}")
    check.shape(out, (*q.shape[:-1], v.shape[-1]), f"the output for {case}", likely="first the output, then the gates")
    check.shape(gates, (*q.shape[:-1], k.shape[-2]), f"the matrix of gates for {case}", likely="rows are queries")
    check.dtype(out, q.dtype, f"the output for {case}", likely="the result must have the type of q: .to(q.dtype)")
    check.that((gates >= 0).all(), "no gate is negative or NaN", likely="the softmax is missing, or met only -inf")
    right = library(q, k, unit_values(q, k), mask)
    check.close(gates, right, f"the matrix of gates for {case}", likely=causes(q, k, v, mask))
    check.close(out, library(q, k, v, mask), f"the output for {case}", atol=1e-4)
    sent = [t for t in (q, k, v, mask) if t is not None]
    check.untouched(after, sent, "attention leaves q, k, v and mask as they were")


def large_scores(q, k, v, mask):
    """Many thousands, and a mask that blocks large ones: what is allowed still shares out a gate of 1."""
    (_, gates), _ = observe(q, k, v, mask)
    what = "the matrix of gates when a blocked score is far above the allowed ones"
    likely = "0 / 0, or exp of a large number; subtract the largest score that the mask allows, not of all"
    check.finite(gates, what, likely=likely)
    open_again = "a blocked score became a number like -10,000, and allowed ones lie below it; -inf lies below all"
    blocked = (gates * ~mask).sum(-1)
    likely = {open_again: torch.ones_like(blocked)}
    check.close(blocked, torch.zeros_like(blocked), "the sum of the blocked gates", likely=likely, otherwise=open_again)
    likely = "the blocked keys took their share before they were blocked"
    check.close(
        gates.sum(-1), torch.ones(gates.shape[:-1]), "the sum of each row of gates", atol=1e-3, otherwise=likely
    )


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
of_all = "all of a row became 0; subtract the largest score of each row, not of all rows"
check.close(gates.sum(-1), torch.ones(2, 5), "the sum of each row of gates", atol=1e-3, otherwise=of_all)
large_scores(1000 * q, k, v, padding)
far = torch.tensor([[-100.0, 0], [100, 0], [-100, 0]])  # the query below: scores of -21,213, 21,213 and -21,213
large_scores(torch.tensor([[300.0, 0]]), far, torch.eye(3), torch.tensor([[True, False, True]]))

weight = check.normal((2, 5, 3), seed=2)
inputs = [t.clone().requires_grad_() for t in (q, k, v)]
right = torch.autograd.grad((weight * library(*inputs, padding)).sum(), inputs)
for name, got, want in zip("qkv", gradients(q, k, v, padding, weight), right, strict=True):
    check.that(got is not None, f"a gradient reaches {name}", likely=".detach(), .item(), .numpy(), torch.tensor(...)")
    check.close(got, want, f"the gradient of {name}", rtol=1e-3, atol=1e-4)

empty = padding & torch.tensor([[[True]], [[False]]])
check.raises("ValueError", observe, q, k[..., :3], v, rule="queries have width 4, keys width 3")
check.raises("ValueError", observe, q, k[..., :1], v, rule="queries have width 4, keys width 1")
check.raises("ValueError", observe, q, k, v[:, :6], rule="there are 7 keys, but 6 values")
check.raises("ValueError", observe, q, k, v, empty, rule="the queries of the second picture may attend to no key")
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
check.close(gates.sum(-1), torch.ones(3, 4), "the sum of each row of gates", atol=1e-3, otherwise=of_all)
large_scores(20_000 * q, k, v, torch.arange(6) < torch.tensor([[[5]], [[1]], [[2]]]))
large_scores(20_000 * q, k, v, mask.expand(3, 4, 6))
for m in (None, mask):
    inputs = [t.clone().requires_grad_() for t in (q, k, v)]
    right = torch.autograd.grad((weight * library(*inputs, m)).sum(), inputs)
    for name, got, want in zip("qkv", gradients(q, k, v, m, weight), right, strict=True):
        check.that(got is not None, f"a gradient reaches {name}", likely="something on the way was detached")
        check.close(got, want, f"the gradient of {name}", rtol=1e-3, atol=1e-4)
check.raises("ValueError", observe, q[..., :1], k, v, rule="queries and keys differ in width")
check.raises("ValueError", observe, q, k[..., :4], v, rule="queries and keys differ in width")
check.raises("ValueError", observe, q, k[:, :1], v, rule="keys and values differ in number")
no_key = mask & (torch.arange(4) != 2)[:, None]
check.raises("ValueError", observe, q, k, v, no_key, rule="one query may attend to no key")
check.that(not library_calls(q, k, v), "attention is built from smaller parts", likely="it calls the library's own")
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 3 · `SelfAttention`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 4 | 15 | 8 | `attention` | all of torch but `F.scaled_dot_product_attention` and `nn.MultiheadAttention` |
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
# How the weights start is up to you. `nn.Linear` starts well; if you draw them yourself, draw them around 0, about
# $1/\sqrt{\text{inputs}}$ wide. Weights that are all 0 or all positive learn badly.
#
# **By hand.** Picture A with the weights of the lecture, `W_q` made $\sqrt 2$ times larger so that the scale cancels;
# `W_v` and `W_out` the identity. Gates .096 .711 .096 .096 in each row. Without residual all four quadrants become
# [1, .711, 0]. With it the top left is [2, .711, 0], the top right, where the bird is, [2, 1.711, 0].
#
# **What is tested.** Those numbers and others, against `F.scaled_dot_product_attention` with copied weights; with and
# without residual and mask; zero, one and two batch dimensions; the result has the type of `x`, float32; `x` is not
# changed; gradients reach `x` and all four weights.


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
    check.untouched([after], [x], "the layer leaves x as it was")
    check.dtype(result[0], x.dtype, "the result", likely="computed in float64 and not brought back: .to(x.dtype)")
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
        what = f"the weight {name} for f={f}, d={d}, n={n} has shape {shape}; yours has {shapes[name]}"
        check.that(shapes[name] == shape, what, likely=likely)
    all_four = 2 * f * (d + n)
    likely = "one weight serves as two, or is frozen" if count < all_four else "biases, which nn.Linear has by default"
    check.that(count == all_four, f"the four weights have {all_four} trainable numbers, yours {count}", likely=likely)

# By hand: picture A, first without, then with residual (which is the default).
hand = data.sky_or_sea()
lecture = {"W_q": hand.W_q * math.sqrt(2), "W_k": hand.W_k, "W_v": hand.W_v, "W_out": torch.eye(3)}
row = torch.tensor([[0.0963, 0.7112, 0.0963, 0.0963]] * 4)
mixed = torch.tensor([[1.0, 0.7112, 0]] * 4)
out, gates = parts(observe(lecture, hand.A, None, False), hand.A)
other = "is exercise 2 green? Your attention makes these gates; otherwise W_q and W_k are used in another way"
check.close(gates, row, "the matrix of gates of picture A", atol=1e-3, otherwise=other)
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
            what = "the matrix of gates with copied weights"
            check.close(gates, right_gates, what, atol=1e-4, likely=wrong, otherwise=other)
            opposite = reference(weights, x, mask, not residual)[0]
            wrong = {"x is not added" if residual else "x is added though residual=False": opposite}
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
lecture_layer = SelfAttention(3, 2, 3)
with torch.no_grad():
    for name, values in {"W_q": hand.W_q, "W_k": hand.W_k, "W_v": hand.W_v, "W_out": torch.eye(3)}.items():
        own = getattr(lecture_layer, name)
        getattr(own, "weight", own).copy_(values)
    after, gates = lecture_layer(hand.B)
described(
    plots.gate_map(gates, data.QUADRANTS, data.QUADRANTS, "Picture B: all listen to the boat"),
    f"Your gates of picture B, one row for each quadrant that asks: {gates.numpy().round(2)}",
)
described(
    plots.feature_map(after, data.QUADRANTS, data.FEATURES, "After the layer every token carries hull"),
    f"Blue, wings and hull after your layer, one row for each quadrant: {after.numpy().round(2)}",
)

# %% [markdown]
# **What to see.** Upper figure: as for the bird, one column is light, because one quadrant offers what all ask for. The
# gate is .578 here, not .711, since your `attention` divides by $\sqrt 2$. Lower figure: the top left came in as
# [1, 0, 0] and left with hull .58 and no wings. It is sea. The boat quadrant keeps the largest hull, thanks to the
# residual.

# %% [markdown]
# ## Exercise 4 · `score_statistics`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 2 | 20 | 10 | nothing | all of torch |
#
# **Why.** Exercise 2 said: a score is a sum of `d` products, so its variance is `d`, and $\sqrt d$ brings it back to 1.
# Do not believe it. Predict it, then measure it.
#
# **Steps.** All numbers in queries and keys are normal, with mean 0 and standard deviation `sigma`.
#
# 1. Draw the queries: (queries, d). Draw the keys: (queries, keys, d), so that every query meets keys of its own. The
#    same `seed` gives the same draws again.
# 2. Scores: one for each query and each of its keys, (queries, keys). Not scaled.
# 3. Return a dict of four numbers:
#
#    | name | what it is |
#    |---|---|
#    | `"predicted"` | the standard deviation of a score, from `d` and `sigma` alone, on paper |
#    | `"measured"` | the standard deviation of the scores that you drew |
#    | `"largest"` | softmax of the scores over the keys; the largest gate of each query; the mean of these |
#    | `"largest_scaled"` | the same when the scores are first divided by $\sqrt d$, and by nothing else |
#
# **By hand.** Take `d` = 64 and `sigma` = ½. A product of one query number and one key number has variance
# ¼ · ¼ = 1/16. The 64 products are independent, so their variances add up: 4. The standard deviation is 2.
#
# **What is tested.** The prediction exactly, for several `d` and `sigma`. The measured numbers against our own draws, as
# closely as chance allows; also with one key for each query. The same seed gives the same four numbers, another seed
# other ones.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "score_statistics", "schema_version": 3}
def score_statistics(
    d: int, sigma: float = 1.0, keys: int = 144, queries: int = 500, seed: int = 0
) -> dict[str, float]:
    """How far scores spread and how large the largest gate is, for normal queries and keys.

    Args:
        d: width of queries and keys.
        sigma: standard deviation of each of their numbers.
        keys: how many keys each query meets; no other query meets the same.
        queries: how many queries are drawn.
        seed: of the random draws.

    Returns:
        "predicted" and "measured": the standard deviation of a score, not scaled. "largest" and "largest_scaled": the
        mean over the queries of the largest gate, without and with the scale.
    """
    ### BEGIN SOLUTION
    generator = torch.Generator().manual_seed(seed)
    q = sigma * torch.randn(queries, 1, d, generator=generator)
    k = sigma * torch.randn(queries, keys, d, generator=generator)
    s = (q * k).sum(-1)  # (queries, keys)
    return {
        "predicted": math.sqrt(d) * sigma**2,
        "measured": s.std().item(),
        "largest": s.softmax(-1).amax(-1).mean().item(),
        "largest_scaled": (s / math.sqrt(d)).softmax(-1).amax(-1).mean().item(),
    }
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: how do I draw with a seed?</summary>
#
# `torch.Generator().manual_seed(seed)` makes a source of random numbers; `torch.randn` takes it as `generator=`. Make
# it once, inside the function.
# </details>
#
# <details><summary>Hint 2: each query with its own keys</summary>
#
# Give the queries a dimension of 1 where the keys have `keys`. Then `*` stretches it, and the sum over the last
# dimension is the dot product.
# </details>
#
# <details><summary>Hint 3: sigma in the prediction</summary>
#
# A product holds two numbers, and each brings its own variance. Variances multiply here (the numbers are independent
# and have mean 0); the square root comes last.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 2, "grade_id": "test_score_statistics", "schema_version": 3}
@check.probe
def observe(d, sigma, keys, queries, seed):
    return score_statistics(d, sigma=sigma, keys=keys, queries=queries, seed=seed)


NAMES = ("predicted", "measured", "largest", "largest_scaled")


def statistics(d, sigma, keys, queries, seed):
    """The student's four numbers, each of them finite."""
    found = observe(d, sigma, keys, queries, seed)
    check.that(isinstance(found, dict), "score_statistics returns a dict", likely="a `return` is missing, or a tuple")
    names = ", ".join(NAMES)
    check.that(set(found) == set(NAMES), f"the names in the dict are {names}", likely="one is missing or misspelt")
    for name in NAMES:
        likely = "a tensor with many numbers, or none; .item() makes a number of a tensor that holds one"
        single = isinstance(found[name], (int, float)) or getattr(found[name], "shape", None) == ()
        check.that(single, f'"{name}" is one number', likely=likely)
    return {name: torch.as_tensor(found[name], dtype=torch.float64) for name in NAMES}


def prediction(found, d, sigma):
    right = math.sqrt(d) * sigma**2
    likely = {
        "that is the variance; the standard deviation is its root": right**2,
        "only one of the two numbers in a product has its sigma": math.sqrt(d) * sigma,
        "sigma is missing": math.sqrt(d),
        "it was measured; predicting needs no draws": found["measured"],
    }
    check.close(found["predicted"], right, f"the predicted spread for d={d}, sigma={sigma},", likely=likely)


def measurement(found, d, sigma, keys):
    right = math.sqrt(d) * sigma**2
    likely = {"that is the variance; the standard deviation is its root": right**2, "sigma is missing": math.sqrt(d)}
    likely |= {"sigma² was the standard deviation of the draws; it is sigma": math.sqrt(d) * sigma**4}
    likely |= {"only one of queries and keys has its sigma, or sigma was taken as a variance": math.sqrt(d) * sigma}
    likely |= {"the scores are divided by √d; here they are not scaled": sigma**2}
    what = f"the measured spread for d={d}, sigma={sigma}, {keys} keys for each query,"
    check.close(found["measured"], right, what, rtol=0.12, atol=0, likely=likely)


def one_key_each(measured):
    """Why the spread of 4,000 scores, each of its own query and its own key, is not 1."""
    if not math.isfinite(measured):
        return "the spread of a single score is NaN; take one standard deviation over all queries and keys together"
    if abs(measured - math.sqrt(2)) < 0.1:
        return "q and k are the same draws; one generator, made once, must serve both"
    return "all queries meet the same keys; draw (queries, keys, d)"


# On paper: √4 · 1 · 1, √36 · ½ · ½ and √9 · 2 · 2. The largest gates are the lecture's case d = 16, with 144 keys for each query.
for d, sigma, keys, queries in [(4, 1.0, 30, 500), (36, 0.5, 40, 400), (9, 2.0, 20, 500)]:
    found = statistics(d, sigma, keys, queries, 0)
    prediction(found, d, sigma)
    measurement(found, d, sigma, keys)
found = statistics(16, 1.0, 144, 500, 0)
likely = {"one gate of all; take the largest of each query, then the mean": 1.0, "the mean gate": 1 / 144}
check.close(found["largest"], 0.525, "the largest of 144 gates for d=16", rtol=0, atol=0.06, likely=likely)
likely = {"the softmax runs over the queries; it must run over the keys": 0.039}
likely |= {"divided by d; √d is right": 0.0139, "not divided by √d": found["largest"], "the mean gate": 1 / 144}
what = "the largest of 144 gates for d=16, scaled,"
check.close(found["largest_scaled"], 0.064, what, rtol=0, atol=0.02, likely=likely)

# The same with sigma = ½: a score has standard deviation √16 · ½ · ½ = 1, and ¼ after the scale.
found = statistics(16, 0.5, 144, 500, 0)
likely = {"sigma is missing in these scores": 0.525, "only one of queries and keys has its sigma": 0.224}
what = "the largest of 144 gates for d=16, sigma=0.5,"
check.close(found["largest"], 0.064, what, rtol=0, atol=0.02, likely=likely)
likely = {"divided by the whole spread of the scores, or sigma is missing; only √d is asked for": 0.064}
likely |= {"divided by d; √d is right": 0.0082, "the softmax runs over the queries; it must run over the keys": 0.0044}
check.close(found["largest_scaled"], 0.013, what + " scaled,", rtol=0, atol=0.003, likely=likely)

# With one key for each query the spread is the same, unless all queries meet the same key. Seeds decide the draws.
for seed in range(5):
    found = statistics(1, 1.0, 1, 4000, seed)
    likely = one_key_each(found["measured"])
    near = abs(found["measured"] - 1) < 0.2
    check.that(near, "with 4,000 queries of one key each, d=1, the measured spread is close to 1", likely=likely)
first, again, other = (statistics(8, 1.0, 10, 50, seed) for seed in (3, 3, 4))
check.that(first == again, "the same seed gives the same numbers", likely="the draws do not use the seed")
check.that(first["measured"] != other["measured"], "another seed gives other draws", likely="the seed is fixed inside")

### BEGIN HIDDEN TESTS
# With so many draws the tolerances below are at least six standard deviations, whatever the seed is.
for d, sigma, keys, queries in [(12, 1.0, 30, 600), (25, 0.6, 50, 500), (64, 0.4, 80, 400), (5, 1.5, 20, 4000)]:
    seed = check.hidden_seed()
    found = statistics(d, sigma, keys, queries, seed)
    prediction(found, d, sigma)
    measurement(found, d, sigma, keys)
    generator = torch.Generator().manual_seed(seed)
    q, k = (sigma * torch.randn(max(queries, 1500), n, d, generator=generator) for n in (1, keys))
    spread = (q * k).sum(-1)
    divisors = {"none": 1, "root": math.sqrt(d), "d": d, "all": math.sqrt(d) * sigma**2}
    tops = {name: float((spread / by).softmax(-1).amax(-1).mean()) for name, by in divisors.items()}
    check.close(found["largest"], tops["none"], "the largest gate, not scaled,", rtol=0, atol=0.07, likely={})
    likely = {"divided by d; √d is right": tops["d"], "not divided by √d": tops["none"]}
    likely |= {"divided by the whole spread, with sigma; only √d is asked for": tops["all"]}
    check.close(found["largest_scaled"], tops["root"], "the largest gate, scaled,", rtol=0, atol=0.03, likely=likely)
for seed in range(5, 9):
    measured = statistics(1, 1.0, 1, 4000, seed)["measured"]
    near = abs(measured - 1) < 0.2
    check.that(near, "with one key for each query the measured spread holds", likely=one_key_each(measured))
### END HIDDEN TESTS

# %% [markdown]
# Your own table, for the widths of the lecture:

# %%
print("   d   predicted   measured   largest gate   scaled")
for d in (1, 4, 16, 64, 256):
    found = score_statistics(d, queries=200)
    print(f"{d:4}{found['predicted']:12.2f}{found['measured']:11.2f}", end="")
    print(f"{found['largest']:15.3f}{found['largest_scaled']:9.3f}")

# %% [markdown]
# **What to see.** Without the scale the largest of 144 gates grows towards 1: with wide queries one token takes all,
# and attention is a max pool again, with almost no gradient for the others. With the scale the last column stays where
# it is, at any width. That is why $\sqrt d$ is called a temperature.
#
# The lecture has a second table, with 64 keys, that starts at .14 for `d` = 1. Try `score_statistics(1, keys=64)` with
# a few seeds: yours stay well below. There all queries met the same 64 keys, so that one lucky draw of keys decided the
# number; here every query draws its own, and luck averages out.

# %% [markdown]
# ## Exercise 5 · `gates_for`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 1 | 15 | 7 | nothing: the test brings a layer of its own | all of torch |
#
# **Why.** Each row of the matrix of gates is a picture: where one token looks. To see it, put the row back into the
# shape of the image. Later lessons read trained networks in this way.
#
# **Steps.**
#
# 1. `image` (f, h, w) is a map of features, as a convolution makes it: f numbers at each of h × w positions. Make one
#    token of each position, row by row: (h·w, f).
# 2. `layer(tokens)` gives the result and the gates, as your `SelfAttention` does: (h·w, f) and (h·w, h·w). It does the
#    same for batches.
# 3. `query` is the position that asks, (row, column), counted from 0. Take its row of gates: (h·w).
# 4. Bring it back into the shape of the image: (h, w).
#
# **By hand.** An image of 3 × 4 positions, query (1, 2). Before it come the first row, 4 positions, and two of the
# second. So it is token 6.
#
# **What is tested.** Images that are wider than high and the other way round, with f different from both; every
# position asks once; picture A as a map of 2 × 2; `image` is not changed. A query outside the image, with negative
# numbers too, raises **`ValueError`**: Python would take it from another row or from the end, without a word.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "gates_for", "schema_version": 3}
def gates_for(query: tuple[int, int], layer: nn.Module, image: Tensor) -> Tensor:
    """Where one position of an image looks.

    Args:
        query: (row, column) of the position that asks, from 0.
        layer: takes tokens (..., T, f), returns a result (..., T, f) and gates (..., T, T).
        image: (f, h, w) a map of features.

    Returns:
        (h, w) the gate that the query gives to each position; they sum to 1.

    Raises:
        ValueError: the query lies outside the image.
    """
    ### BEGIN SOLUTION
    row, column = query
    height, width = image.shape[1:]
    if not (0 <= row < height and 0 <= column < width):
        raise ValueError(f"({row}, {column}) is not in an image of {height} x {width} positions")
    tokens = image.flatten(1).mT  # (h w, f)
    _, gates = layer(tokens)  # (h w, h w)
    return gates[row * width + column].reshape(height, width)  # (h, w)
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: from (f, h, w) to (h·w, f)</summary>
#
# Two moves: make one dimension of h and w, which lie beside each other, and then *swap* it with f. A `reshape` straight
# to (h·w, f) has the right shape and mixes features of one position with those of its neighbours.
# </details>
#
# <details><summary>Hint 2: row or column of the gates?</summary>
#
# Rows are queries. A row sums to 1, a column need not.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 1, "grade_id": "test_gates_for", "schema_version": 3}
@check.probe
def observe(row, column, image, W_q, W_k):
    class Layer(nn.Module):
        """Attention with known weights, which hands over the tokens as they are."""

        def forward(self, x, mask=None):
            gates = ((x @ W_q.mT) @ (x @ W_k.mT).mT).softmax(-1)
            return gates @ x, gates

    return gates_for((row, column), Layer(), image), image


def all_gates(tokens, W_q, W_k):
    return ((tokens @ W_q.mT) @ (tokens @ W_k.mT).mT).softmax(-1)


def compare(row, column, image, W_q, W_k):
    """Everything that must hold for one query."""
    f, h, w = image.shape
    got, after = observe(row, column, image, W_q, W_k)
    case = f"query ({row}, {column}) in an image of {h} x {w} positions"
    check.shape(got, (h, w), f"the picture of gates for {case}", likely="one gate for each position: (h, w)")
    gates, mixed = all_gates(image.flatten(1).mT, W_q, W_k), all_gates(image.reshape(-1, f), W_q, W_k)
    asks = row * w + column
    elsewhere = {
        "a row of the image has w positions: token row · w + column asks, not row · h + column": row * h + column,
        "positions are counted column by column; count them row by row": column * h + row,
        "row and column of the query are exchanged": column * w + row,
    }
    likely = {
        "a column of the gates was taken; rows are queries": gates[:, asks],
        "(h·w, f) was made by a reshape, which mixes positions; swap the dimensions": mixed[asks],
        "the mean over all queries": gates.mean(0),
    }
    likely |= {cause: gates[token] for cause, token in elsewhere.items() if token < h * w}
    likely = {cause: picture.reshape(h, w) for cause, picture in likely.items()}
    check.close(got, gates[asks].reshape(h, w), f"the picture of gates for {case}", likely=likely)
    check.untouched([after], [image], "gates_for leaves the image as it was")


# Picture A as a map of 2 x 2 positions: every position looks at the bird.
hand = data.sky_or_sea()
for row, column in [(0, 0), (1, 0)]:
    compare(row, column, hand.A.mT.reshape(3, 2, 2), hand.W_q, hand.W_k)

# Wider than high, then higher than wide; f is neither.
image, tall, W_q, W_k = check.normal((5, 3, 4), (5, 4, 2), (6, 5), (6, 5))
W_q, W_k = W_q / 5**0.5, W_k / 5**0.5
for row, column in [(1, 2), (0, 3), (2, 0)]:
    compare(row, column, image, W_q, W_k)
for row in range(4):
    for column in range(2):
        compare(row, column, tall, W_q, W_k)
for row, column in [(5, 0), (0, 9), (0, 4), (3, 0), (-1, 0), (1, -1)]:
    check.raises("ValueError", observe, row, column, image, W_q, W_k)  # the image has rows 0 to 2, columns 0 to 3

### BEGIN HIDDEN TESTS
for f, h, w in [(4, 2, 5), (3, 5, 2), (6, 4, 3)]:
    image, W_q, W_k = check.hidden((f, h, w), (3, f), (3, f))
    for row in range(h):
        for column in range(w):
            compare(row, column, image, W_q / f**0.5, W_k / f**0.5)
    for row, column in [(h, 0), (0, w), (-1, 1), (1, -2)]:
        check.raises("ValueError", observe, row, column, image, W_q, W_k)
### END HIDDEN TESTS

# %% [markdown]
# A picture made by your own code. The lecture's weights again, but now each pixel is a token, with the features
# (blue, wings, hull): hull is how far its colour is from blue. A pixel of plain blue asks, far from the boat.

# %%
from matplotlib import pyplot as plt

picture = data.draw_picture("boat", quadrant=1, size=16)  # (3, 16, 16)
hull = (picture - picture[:, -1:, :1]).abs().sum(0)  # (16, 16): 0 where it is plain blue
image = torch.stack([torch.ones(16, 16), torch.zeros(16, 16), 2 * hull])  # (3, 16, 16)
looks = gates_for((13, 2), lecture_layer, image).detach()
figure, axes = plt.subplots(1, 2, figsize=(7, 3.2), layout="constrained")
axes[0].imshow(picture.permute(1, 2, 0))
figure.colorbar(axes[1].imshow(looks, cmap="cividis", vmin=0), ax=axes[1], label="gate")
for ax, title in zip(axes, ["the picture", "its gates for all 256 pixels"], strict=True):
    ax.plot(2, 13, "o", markersize=9, markerfacecolor="none", markeredgecolor="white", markeredgewidth=2)
    ax.set(xticks=[], yticks=[], title=title)
figure.suptitle("The pixel in the ring looks at the boat, straight across the picture")
brightest = divmod(int(looks.argmax()), 16)
described(
    (figure, axes),
    "Left: a boat in the top right, and a ring around a pixel of plain blue in the bottom left. Right: the gates of this "
    f"pixel; the largest is in row {brightest[0]}, column {brightest[1]}.",
)

# %% [markdown]
# **What to see.** No window, no neighbourhood: the boat is far away, and one layer sees it. The hull is brighter than
# the sail: its brown is farther from blue than white is, so its keys are larger. All blue pixels share the rest.

# %% [markdown]
# ## Exercise 6 · `permute_check`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 1 | 15 | 5 | nothing: the test brings layers of its own | all of torch |
#
# **Why.** Shuffle the tokens of a picture. What does attention make of them? Guess first. Then build the instrument
# that answers, for any layer: two numbers, and 0 means that the layer does not notice.
#
# **Steps.** `perm` holds the numbers 0 to T - 1 in some order; shuffled, place `i` holds token `perm[i]`.
#
# 1. `moved`: on one side shuffle the tokens, then apply the layer. On the other side apply the layer, then shuffle its
#    result. (..., T, f) both. `moved` is the largest absolute difference between the two.
# 2. `averaged`: the mean over the tokens, (..., f), of the layer's result, with and without shuffled tokens. `averaged`
#    is the largest absolute difference between the two.
# 3. Return both as plain numbers: `(moved, averaged)`.
#
# `layer(x)` returns a result and gates, as your `SelfAttention` does. Only the result counts here.
#
# **By hand.** Three tokens with one feature: 1, 2, 4. A layer that *knows places* adds 0, 2, 4 to them: 1, 4, 8. Let
# `perm` be 2, 0, 1. Shuffle first: 4, 1, 2, and the layer makes 4, 3, 6 of it. Layer first: 1, 4, 8, shuffled: 8, 1, 4.
# The differences are -4, 2, 2, so `moved` is 4. Both averages are 13/3: `averaged` is 0. This layer gives its secret
# away before the average, not after it.
#
# **What is tested.** Those numbers; layers that do not know places, layers that do, and layers whose average knows
# them; zero, one and two batch dimensions; permutations that are not undone when done twice; the results are of type
# `float`; `x` and `perm` are not changed.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "permute_check", "schema_version": 3}
def permute_check(layer: nn.Module, x: Tensor, perm: Tensor) -> tuple[float, float]:
    """How much a layer, and the average over its tokens, notice a new order of the tokens.

    Args:
        layer: takes tokens (..., T, f), returns a result (..., T, f) and gates.
        x: (..., T, f) tokens.
        perm: (T,) int64, the numbers 0 to T - 1 in a new order.

    Returns:
        moved: the largest |layer(shuffled x) - shuffled layer(x)|; averaged: the same for the mean over the tokens.
    """
    ### BEGIN SOLUTION
    out, _ = layer(x)  # (..., T, f)
    shuffled, _ = layer(x[..., perm, :])  # (..., T, f)
    moved = (shuffled - out[..., perm, :]).abs().max()
    averaged = (shuffled.mean(-2) - out.mean(-2)).abs().max()  # over (..., f)
    return moved.item(), averaged.item()
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: shuffle tokens, in any batch</summary>
#
# Indexing with a tensor of numbers takes these places of a dimension. Tokens stand in the last dimension but one, and
# `...` stands for all dimensions before those that you write.
# </details>
#
# <details><summary>Hint 2: even our attention seems to notice</summary>
#
# Both sides must be shuffled in the same direction. Take three tokens, write both sides down, and compare place by
# place.
# </details>
#
# <details><summary>Hint 3: a mean over which dimension?</summary>
#
# The mean takes away the dimension over which it runs. From (..., T, f) it shall leave (..., f). A batch adds
# dimensions in front, so count from the end.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 1, "grade_id": "test_permute_check", "schema_version": 3}
@check.probe
def observe(x, perm, W, bias, address):
    class Layer(nn.Module):
        """Gates from contents (W) and places (bias), and something added at each place (address)."""

        def forward(self, x, mask=None):
            gates = (x @ W @ x.mT + bias).softmax(-1)
            return gates @ x + address, gates

    return permute_check(Layer(), x, perm), x, perm


def layer_of(x, W, bias, address):
    gates = (x @ W @ x.mT + bias).softmax(-1)
    return gates @ x + address, gates


def compare(x, perm, W, bias, address, layer):
    """Both numbers, for one layer."""
    found, *after = observe(x, perm, W, bias, address)
    two = isinstance(found, (tuple, list)) and len(found) == 2
    check.that(two, "permute_check returns two numbers, moved and averaged", likely="only one of them, or no return")
    for number, name in zip(found, ("moved", "averaged"), strict=True):
        check.that(type(number) is float, f"{name} is a float", likely="a tensor, use .item(); or only True or False")
    x, W, bias, address = x.double(), W.double(), bias.double(), address.double()
    (out, gates), (shuffled, new_gates) = (layer_of(t, W, bias, address) for t in (x, x[..., perm, :]))
    apart, back = shuffled - out[..., perm, :], shuffled - out[..., perm.argsort(), :]
    means = shuffled.mean(-2) - out.mean(-2)
    likely = {
        "the gates are compared; only the result counts": (new_gates - gates[..., perm, :]).abs().max(),
        "the layer's result was not shuffled": (shuffled - out).abs().max(),
        "one side is shuffled in the other direction": back.abs().max(),
        "the largest difference without its size; a negative one counts, too": apart.max(),
        "the mean difference; the largest is asked for": apart.abs().mean(),
        "the sum of the differences; the largest is asked for": apart.abs().sum(),
    }
    what = f"moved, for {layer} and x {tuple(x.shape)},"
    check.close(found[0], apart.abs().max(), what, rtol=1e-3, atol=1e-4, likely=likely)
    likely = {
        "the mean runs over the features; it must run over the tokens": (shuffled - out).mean(-1).abs().max(),
        "the mean runs over everything": means.mean().abs(),
        "the mean runs over the first dimension; tokens are the last but one": apart.mean(0).abs().max(),
        "the mean runs over the first dimension; tokens stand in the last but one": (shuffled - out)
        .mean(0)
        .abs()
        .max(),
        "the mean runs over the batch, too": means.reshape(-1, x.shape[-1]).mean(0).abs().max(),
        "the largest difference without its size; a negative one counts, too": means.max(),
        "that is moved once more": apart.abs().max(),
    }
    what = f"averaged, for {layer} and x {tuple(x.shape)},"
    check.close(found[1], means.abs().max(), what, rtol=1e-3, atol=1e-4, likely=likely)
    check.untouched(after, [x.float(), perm], "permute_check leaves x and perm as they were")


# By hand: nobody attends to anybody else (the bias sees to that), and 0, 2, 4 are added.
x, perm, alone = torch.tensor([[1.0], [2], [4]]), torch.tensor([2, 0, 1]), 1e4 * torch.eye(3)
places = torch.tensor([[0.0], [2], [4]])
compare(x, perm, torch.zeros(1, 1), alone, places, "a layer that adds 0, 2, 4")

# Attention; attention that adds an address to each place; attention whose scores know places.
x, W, bias, address = check.normal((2, 3, 5, 4), (4, 4), (5, 5), (5, 4))
perm, none = torch.tensor([3, 0, 4, 1, 2]), torch.zeros(5, 5)
W = W / 4
for batch in (x[0, 0], x[0], x):
    compare(batch, perm, W, none, torch.zeros(5, 4), "attention")
    compare(batch, perm, W, none, address, "attention that adds to each place")
    compare(batch, perm, W, bias, torch.zeros(5, 4), "attention whose scores know places")

### BEGIN HIDDEN TESTS
for lead, T, f in [((), 6, 3), ((4,), 3, 5), ((2, 2), 7, 2)]:
    x, W, bias, address, draw = check.hidden((*lead, T, f), (f, f), (T, T), (T, f), (T,))
    rolled, none = torch.arange(T).roll(2), torch.zeros(T, T)
    for perm in (draw.argsort(), rolled):
        compare(x, perm, W / f, none, torch.zeros(T, f), "attention")
        compare(x, perm, W / f, none, address, "attention that adds to each place")
        compare(x, perm, W / f, bias, torch.zeros(T, f), "attention whose scores know places")
        compare(-x, perm, W / f, bias, -address, "attention that does both")
### END HIDDEN TESTS

# %% [markdown]
# Now ask your own layer. It has random weights; an order means nothing to it all the same.

# %%
layer, tokens = SelfAttention(32, 16, 32), torch.randn(144, 32)  # as many tokens as the lecture's digit has
moved, averaged = permute_check(layer, tokens, torch.randperm(144))
print(f"moved {moved:.1e}, averaged {averaged:.1e}: rounding, and nothing else")

# %% [markdown]
# **What to see.** Shuffle in, shuffle out: attention is *equivariant* to every order of its tokens. After the average
# even that is gone: the average is *invariant*. A score looks at what two tokens contain and never at where they stand.
# That is a strength, since no place is special, and a weakness, which lesson 05 repairs.

# %% [markdown]
# ## Exercise 7 · `gate_cost`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 1 | 10 | 4 | nothing | all of Python |
#
# **Why.** To see everything in one layer has a price: one gate for each *pair* of tokens. Compute this price before the
# program runs, or an error about memory will tell you.
#
# **Steps.** For one picture:
#
# 1. The number of gates: each head of each layer has one for each query and each key. A token may look at itself, too.
# 2. The memory that they take, if all are kept at once (a network that learns keeps them): `bytes` for each gate.
# 3. Return both as whole numbers, `(gates, memory)`. If one of the four numbers is below 1, raise **`ValueError`**.
#
# **By hand.** A picture of 224 × 224 pixels, one token for each pixel: 50,176 tokens. $50176^2$ = 2,517,630,976 gates,
# of 4 bytes each: 4 · 2,517,630,976 = 10,070,523,904 bytes, 10 GB for one head of one layer. Cut into patches of
# 16 × 16 pixels it has 14 · 14 = 196 tokens and 196² = 38,416 gates. Each token took the place of 16 · 16 = 256, so the
# gates became 256² = 65,536 times fewer.
#
# **What is tested.** Exact numbers, as `int`, up to more than a float can count; every default; the `ValueError`.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "gate_cost", "schema_version": 3}
def gate_cost(tokens: int, heads: int = 1, layers: int = 1, bytes: int = 4) -> tuple[int, int]:
    """The price of attention for one picture.

    Args:
        tokens: how many tokens the picture has.
        heads: how many gates each pair of tokens has in a layer (so far, one).
        layers: how many attention layers there are.
        bytes: memory of one gate; 4 for float32, 2 for half precision.

    Returns:
        gates: how many gates there are; memory: bytes to keep them all.

    Raises:
        ValueError: a number is below 1.
    """
    ### BEGIN SOLUTION
    if min(tokens, heads, layers, bytes) < 1:
        raise ValueError(f"all must be at least 1: {tokens} tokens, {heads} heads, {layers} layers, {bytes} bytes")
    gates = layers * heads * tokens**2
    return gates, gates * bytes
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: which pairs count?</summary>
#
# Look at the matrix of gates of picture A above. Four tokens; count its cells.
# </details>
#
# <details><summary>Hint 2: a whole number that is a little wrong</summary>
#
# A float counts exactly up to $2^{53}$ only. `/`, `1e9`, `math.pow` and `tokens**2.0` make floats; `*`, `**` and `//`
# of whole numbers stay exact.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 1, "grade_id": "test_gate_cost", "schema_version": 3}
@check.probe
def observe(*numbers):
    return gate_cost(*numbers)


@check.probe
def by_name(tokens, rest):
    return gate_cost(tokens, **rest)


def wrong_gates(tokens, heads, layers):
    """What well-known mistakes count."""
    return {
        "one gate for each token; each pair of tokens has one": tokens * heads * layers,
        "each pair was counted once; that i asks j and that j asks i are two gates": tokens
        * (tokens + 1)
        // 2
        * heads
        * layers,
        "the gate of each token for itself was left out": tokens * (tokens - 1) * heads * layers,
        "the heads are missing": tokens**2 * layers,
        "the layers are missing": tokens**2 * heads,
        "heads and layers are missing": tokens**2,
        "heads and layers are added; every layer has all heads": tokens**2 * (heads + layers),
        "heads and layers stand in the square": (tokens * heads * layers) ** 2,
    }


def compare(found, case, tokens, heads=1, layers=1, size=4):
    two = isinstance(found, (tuple, list)) and len(found) == 2
    check.that(two, "gate_cost returns two numbers, gates and memory", likely="only one of them, or no return")
    for number, name in zip(found, ("the number of gates", "the memory"), strict=True):
        check.that(type(number) is int, f"{name} is an int", likely="a float, from / or math or 1e9")
    right = layers * heads * tokens**2
    likely = next((cause for cause, gates in wrong_gates(tokens, heads, layers).items() if gates == found[0]), "")
    check.equal(found[0], right, f"the number of gates for {case}", likely=likely)
    likely = {right: "the bytes of one gate are missing", right * size * 8: "these are bits"}.get(found[1], "")
    check.equal(found[1], right * size, f"the memory for {case}", likely=likely)


compare(observe(50176), "50,176 tokens", 50176)
compare(observe(196), "196 tokens", 196)
compare(observe(144, 3, 5, 2), "144 tokens, 3 heads, 5 layers, 2 bytes", 144, 3, 5, 2)
compare(observe(1), "a single token", 1)
compare(by_name(7, {"layers": 2}), "7 tokens, 2 layers", 7, layers=2)
compare(by_name(7, {"heads": 3, "bytes": 8}), "7 tokens, 3 heads, 8 bytes", 7, heads=3, size=8)
compare(observe(123_456_789, 7), "123,456,789 tokens, 7 heads", 123_456_789, 7)
for numbers in [(-5,), (0,), (9, 0), (9, 2, -1), (9, 2, 3, 0)]:
    check.raises("ValueError", observe, *numbers)

### BEGIN HIDDEN TESTS
for tokens, heads, layers, size in [(197, 3, 12, 4), (785, 12, 24, 2), (2, 5, 3, 1), (987_654_321, 11, 13, 8)]:
    case = f"{tokens:,} tokens, {heads} heads, {layers} layers, {size} bytes"
    compare(observe(tokens, heads, layers, size), case, tokens, heads, layers, size)
compare(observe(576), "576 tokens", 576)
compare(by_name(33, {"heads": 4}), "33 tokens, 4 heads", 33, heads=4)
for numbers in [(-1,), (4, -2), (4, 4, 0), (4, 4, 4, -8)]:
    check.raises("ValueError", observe, *numbers)
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 8 · `Classifier`: put it together
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 2 | 20 | 5 | `SelfAttention` | all of torch but `F.scaled_dot_product_attention` and `nn.MultiheadAttention` |
#
# **Why.** Back to the question at the top, now with pixels and with learned weights. Each *quadrant* of a picture shall
# say what it is, sky or sea. One quadrant has it easy: it holds the bird or the boat. The other three are plain blue
# and say nothing about it, not even in their noise. A local model looks at each quadrant alone, so there it can only
# guess.
#
# The pictures to learn from, and the part that we give you: it makes a token of each quadrant, and of this quadrant
# only.

# %% nbgrader={"grade": false, "solution": false, "locked": true, "task": false, "grade_id": "LocalStem", "schema_version": 3}
pictures = data.sky_or_sea_pictures(256, seed=1)


class LocalStem(nn.Module):
    """From pictures (B, 3, h, w) to one token for each quadrant, (B, 4, f). No token knows its neighbours."""

    def __init__(self, f: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, f, 4, stride=4), nn.ReLU(), nn.AdaptiveMaxPool2d(1), nn.Flatten())

    def forward(self, images: Tensor) -> Tensor:
        quadrants = data.cut(images)  # (B, 4, 3, h/2, w/2)
        quadrants = 4 * (quadrants - torch.tensor(data.BLUE)[:, None, None])  # plain blue becomes 0
        return self.layers(quadrants.flatten(0, 1)).unflatten(0, (-1, 4))  # (B, 4, f)


# %%
named = [("sky", "sea")[label] for label in pictures.labels[:6]]
described(
    plots.pictures(pictures.images[:6], named, "Three quadrants out of four do not show what they are"),
    f"Six blue pictures, each with a bird or a boat in one quadrant: {', '.join(named)}.",
)


# %% [markdown] lint={"number 95": "tests/test_threshold.py trains every right answer from ten seeds"}
# (Why not take off each picture's own mean colour? A boat changes the mean of the *whole* picture. Then every quadrant
# would carry a trace of it, and the task would be solved by a leak.)
#
# **Steps.**
#
# 1. `Classifier(f=16, d=8)` is an `nn.Module` with three parts: a `LocalStem(f)`; a `SelfAttention` of yours, with
#    queries and keys of width `d` and values of width `f` (with or without residual, as you like); and one `nn.Linear`
#    that reads an answer from a token, the same for all four.
# 2. `model(images, mask=None)` makes tokens, (B, 4, f), lets them attend to each other under the mask, (B, 4, f) and
#    gates (B, 4, 4), and reads the answers: (B, 4), one number for each quadrant. Above 0 means sea, below 0 sky. No
#    sigmoid: the loss below brings its own.
# 3. It returns the answers and the gates.
#
# **By hand.** How good can a local model be? One quadrant in four sees the object, three guess: (1 + 3 · ½) / 4 = 62.5 %
# of all quadrants, and half of the plain ones.
#
# **What is tested.** For any weights: the shapes, for several B, f and d; `SelfAttention` is a registered part and has
# the widths of step 1; the same pictures get the same answers again; when quadrants change places, the answers change
# places with them; under a mask that lets each quadrant attend to itself alone, no answer depends on another quadrant.
# And your trained `model`: it must be right (above 0 for sea, below 0 for sky) on pictures that it has not seen, in at
# least **90 %** of the *plain* quadrants. That is no narrow threshold: differently written right answers, each trained
# from ten seeds, all stay above 95 %. The test takes the `model` of the training cell: after mending `Classifier`, run
# the training cell again.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "Classifier", "schema_version": 3}
class Classifier(nn.Module):
    """Says for each quadrant of a picture whether it is sky or sea.

    Args:
        f: features of a token.
        d: width of queries and keys.
    """

    def __init__(self, f: int = 16, d: int = 8) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.stem = LocalStem(f)
        self.attention = SelfAttention(f, d, f)
        self.head = nn.Linear(f, 1)
        ### END SOLUTION

    def forward(self, images: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """From images (B, 3, h, w) and a mask as in `attention` to answers (B, 4), above 0 = sea, and gates (B, 4, 4)."""
        ### BEGIN SOLUTION
        x, gates = self.attention(self.stem(images), mask)  # (B, 4, f), (B, 4, 4)
        return self.head(x).squeeze(-1), gates  # (B, 4), (B, 4, 4)
        ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: one answer too many dimensions</summary>
#
# `nn.Linear(f, 1)` works on the last dimension and leaves one of size 1 there. Take away this one and no other: what
# would a bare `.squeeze()` do to a batch of one picture?
# </details>
#
# <details><summary>Hint 2: the trained model is right in half of the plain quadrants</summary>
#
# Half is what guessing gives. Either the tokens never meet (does the head read what attention returned, or what went
# into it?), or nothing was learned (are all parts made in `__init__`?).
# </details>
#
# Now train it; this takes a second or two.


# %% nbgrader={"grade": false, "solution": false, "locked": true, "task": false, "grade_id": "train", "schema_version": 3}
def train(model: nn.Module, mask: Tensor | None = None, steps: int = 80) -> nn.Module:
    """Teach a model the 256 pictures; all four quadrants of a picture have the same right answer."""
    generator = torch.Generator().manual_seed(0)
    for step in range(steps):
        some = torch.randint(len(pictures.images), (16,), generator=generator)
        answers, _ = model(pictures.images[some], mask)  # (16, 4)
        right = pictures.labels[some, None].expand(-1, 4).float()
        model.zero_grad()
        F.binary_cross_entropy_with_logits(answers, right).backward()
        with torch.no_grad():
            # One step downhill for each weight. All steps have one size, as Adam's first has, and get smaller and smaller.
            for weight in model.parameters():
                if weight.grad is not None:
                    weight -= 0.02 * (1 - step / steps) * weight.grad.sign()
    return model


torch.manual_seed(0)
model = train(Classifier())

# %% [markdown]
# Beside it a second one, the same but for its mask: each quadrant may attend to itself alone. That makes it local.

# %%
alone = torch.eye(4).bool()
local_model = train(Classifier(), alone)
fresh = data.sky_or_sea_pictures(200, seed=2)
plain = fresh.quadrants[:, None] != torch.arange(4)  # (200, 4): the quadrants without bird and boat
for name, trained_one, mask in [("attention", model, None), ("local", local_model, alone)]:
    right = (trained_one(fresh.images, mask)[0] > 0) == (fresh.labels == 1)[:, None]
    print(
        f"{name:9} right in {right[plain].float().mean():.1%} of the plain quadrants, in {right.float().mean():.1%} of all"
    )


# %% uses=["SelfAttention"] nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 2, "grade_id": "test_Classifier", "schema_version": 3}
@check.probe
def observe(images, sizes, seed, mask=None):
    torch.manual_seed(seed)
    untrained = Classifier(**sizes).eval()
    with torch.no_grad():
        return untrained(images, mask), untrained(images, mask)


@check.probe
def widths(f, d):
    """Of each SelfAttention that the model has registered: the shapes of W_q and W_v."""
    found = [part for part in Classifier(f=f, d=d).modules() if isinstance(part, SelfAttention)]
    weights = [[getattr(part, name) for name in ("W_q", "W_v")] for part in found]
    return [[tuple(getattr(weight, "weight", weight).shape) for weight in both] for both in weights]


@check.probe
def has_model():
    return "model" in globals()


@check.probe
def trained(images, mask=None):
    with torch.no_grad():
        return model.eval()(images, mask)


def pair(result, count):
    """Answers and gates with the right shapes."""
    two = isinstance(result, (tuple, list)) and len(result) == 2
    check.that(two, "the model returns two tensors, answers and gates", likely="the gates are dropped")
    answers, gates = result
    likely = "one number for each quadrant; take the last dimension, and only this one, away"
    check.shape(answers, (count, 4), f"the tensor of answers for a batch of {count}", likely=likely)
    likely = "first the answers, then the gates"
    check.shape(gates, (count, 4, 4), f"the tensor of gates for a batch of {count}", likely=likely)
    check.finite(answers, "the tensor of answers")
    return answers.double(), gates.double()


def structure(images, sizes, seed):
    """What must hold for any weights."""
    count, half = len(images), images.shape[-1] // 2
    first, again = (pair(result, count) for result in observe(images, sizes, seed))
    likely = "a part is made in forward, with new random weights each time; make all parts in __init__"
    what = "the tensor of answers, asked again with the same pictures,"
    check.close(again[0], first[0], what, likely={likely: again[0]})
    what = "the sum of each row of gates"
    check.close(first[1].sum(-1), torch.ones(count, 4), what, atol=1e-3, likely={})
    for dim, order in {-1: [1, 0, 3, 2], -2: [2, 3, 0, 1]}.items():  # left and right change places, top and bottom
        moved, _ = pair(observe(images.roll(half, dim), sizes, seed)[0], count)
        likely = {"the four tokens are not treated alike; one head reads each token": moved}
        what = "the tensor of answers, after quadrants have changed places,"
        check.close(moved, first[0][:, order], what, atol=1e-4, likely=likely)


def registered(f, d):
    """Attention is a part of the model, with the widths of the card."""
    found = widths(f, d)
    likely = "it sits in a plain list or dict, where training does not find it; use an attribute or nn.ModuleList"
    check.that(found, "the model has a SelfAttention among its parts", likely=likely)
    (queries, _), (values, _) = found[0]
    what = f"for f={f}, d={d} queries have width {d} and values {f}; yours have {queries} and {values}"
    exchanged = "two sizes are exchanged: the order is SelfAttention(f, d, n), with n for the values"
    likely = exchanged if (queries, values) == (f, d) else "f and d of the model are not what attention is made with"
    check.that((queries, values) == (d, f), what, likely=likely)


def locality(call, birds, boats, *more):
    """Birds and boats differ in the object's quadrant only; under this mask the others must not notice."""
    alone = torch.eye(4).bool()
    (with_bird, _), (with_boat, _) = (pair(call(images, *more, alone), 4) for images in (birds, boats))
    others = ~torch.eye(4).bool()  # picture i has its object in quadrant i
    what = "each answer under a mask that lets every quadrant attend to itself alone"
    likely = {"the mask does not reach attention, or tokens meet outside of it": with_boat[others]}
    check.close(with_boat[others], with_bird[others], what, atol=1e-4, likely=likely)


def untrained_answers(images, sizes, seed, mask):
    return observe(images, sizes, seed, mask)[0]


def share_right(pictures, what):
    """The share of plain quadrants in which the trained model is right."""
    answers, _ = pair(trained(pictures.images), len(pictures.images))
    plain = pictures.quadrants[:, None] != torch.arange(4)
    right = torch.where((pictures.labels == 1)[:, None], answers > 0, answers < 0)  # exactly 0 says nothing
    share = right[plain].double().mean()
    if answers.min() >= 0 and answers.max() <= 1:
        likely = "a sigmoid or softmax: yours all lie from 0 to 1, but sky is what lies below 0"
    elif share > 0.42 and share < 0.58:
        likely = "the plain quadrants guess: their tokens do not meet the object's, or nothing was learned"
    else:
        likely = "training does not reach all parts, or labels and signs do not fit"
    what = f"the trained model is right in at least 90 % of the plain quadrants of {what}; it has {100 * share:.0f} %"
    check.that(share >= 0.9, what, likely + ". Mended since? Run the training cell again")


birds, boats = (torch.stack([data.draw_picture(kind, quadrant, 32) for quadrant in range(4)]) for kind in data.KINDS)
some = data.sky_or_sea_pictures(5, seed=3).images
structure(some, {}, 0)
structure(some[:1], {"f": 12, "d": 5}, 1)
registered(12, 5)
locality(untrained_answers, birds, boats, {}, 2)
likely = "run the training cell; if it shows an error, mend this first"
check.that(has_model(), "the training cell has made `model`", likely)
locality(trained, birds, boats)
share_right(data.sky_or_sea_pictures(100, seed=4), "100 pictures that it has not seen")

### BEGIN HIDDEN TESTS
seed = check.hidden_seed()
unseen = data.sky_or_sea_pictures(300, seed=seed)
structure(unseen.images[:7], {"f": 6, "d": 9}, seed % 1000)
structure(unseen.images[7:10], {"d": 3}, 5)
registered(10, 7)
locality(untrained_answers, birds, boats, {"f": 9}, seed % 1000)
share_right(unseen, "pictures that it has not seen")
### END HIDDEN TESTS

# %% [markdown]
# Look into your model: where do its quadrants look?

# %%
answers, gates = model(fresh.images[:4])
said = [" ".join("sea" if answer > 0 else "sky" for answer in picture) for picture in answers]
described(
    plots.pictures(fresh.images[:4], said, "What the four quadrants say of themselves, in reading order"),
    f"Four new pictures. Their quadrants say: {'; '.join(said)}.",
)
place = data.QUADRANTS[fresh.quadrants[0]]
claim = f"First picture, object {place}: who looks where"
described(
    plots.gate_map(gates[0].detach(), data.QUADRANTS, data.QUADRANTS, claim),
    f"The gates of the first picture, one row for each quadrant that asks: {gates[0].detach().numpy().round(2)}",
)

# %% [markdown]
# **What to see.** Nobody told the model what a bird is, nor that one should look for one. It has learned a question, an
# answer to it, and what to hand over, from right and wrong alone. The local model has the same parts and the same
# training. It lacks a view beyond its quadrant, and so it stays where the hand calculation put it. (Not exactly: plain
# quadrants all get the same answer from it, and of 200 random pictures not exactly half are sea.)
#
# Does the gate map hold all its light in one column? Then every quadrant asks the same question, as in the lecture's
# example. If the light is spread, that is right, too: what counts is what arrives.

# %% [markdown]
# ## Exercise 9 · In your own words
#
# | points | minutes | length | graded by |
# |---|---|---|---|
# | 2 | 10 | 4 to 8 sentences | a person |
#
# Max pooling chooses, too: in each window one value wins. **What does the query add that max pooling never had?**
#
# - One point: say who or what decides the choice in a max pool, and who or what decides it in attention.
# - One point: give an example of two tokens that see the same other tokens and should take different things from them.
#   Say what a max pool would give to each of the two.
#
# Any example of your own counts: a picture, a sentence, a class room. Write below.

# %% [markdown] nbgrader={"grade": true, "solution": true, "locked": false, "task": false, "points": 2, "grade_id": "query_and_max_pooling", "schema_version": 3}
# In a max pool a value scores itself: the largest wins, whoever pools. There is one ranking of the window for
# everybody, and nobody asks. In attention a gate reads two tokens, the one that asks and the one that offers. The query
# comes from the asking token, so each token has a ranking of its own, over the same keys.
#
# Take the sentence "the bird sees the boat". "Sees" may ask "who does it?" and take "bird", or ask "what is seen?" and
# take "boat"; "boat" asks what happens to it and takes "sees". A max pool over the words would hand the same largest
# value to all of them.
#
# (One point for: value scores itself, no asker, one ranking for all, against a score made by a pair. One point for an
# example in which two queries rank the same keys differently, and the remark that max pooling gives both the same.)

# %% [markdown]
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
