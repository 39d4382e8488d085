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
# # 04 · Multi-head attention
#
# **The question:** one row of gates sums to 1. What if a token has two questions, and wants a whole gate for each? This
# homework gives it several heads: each asks its own question, and a last matrix mixes the answers.
#
# How it works: write your code where a cell says `NotImplementedError`, then run the test cell below it. The test stops
# at the first thing that is wrong and says what it was probably caused by. After you hand in, hidden tests check the
# same properties with other numbers.
#
# A message has a line `called    observe(...)`. `observe` is a little function of the test's own: it calls yours with
# these inputs. (`build`, `gradients` and the like are such functions, too.)
#
# All exercises together take about 135 minutes. **Stuck? Go on:** run the later cells one by one. Only exercise 3 (with
# your `split_heads` and `merge_heads`) and exercises 6 and 7 (with your `MultiHeadAttention`) build on earlier ones.

# %% room="both" nbgrader={"grade": false, "solution": false, "locked": true, "task": false, "grade_id": "setup", "schema_version": 3}
import copy
import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils import charts, check, data, plots, settings, two_questions
from course_utils.described import described

settings.prepare(seed=0)

# %% [markdown]
# **Words.** A *score* is a number before the softmax, a *gate* (attention weight) is one after it. Rows are queries,
# columns are keys. In shapes, `B` is the number of pictures, `T` the number of tokens, `D` the width of a token
# (`d_model`), and `heads` the number of heads. Each head has the width `D / heads`. `...` stands for any number of
# leading batch dimensions, also none. Batch comes first, always. Heads are counted from 0, as Python counts. In class
# they were counted from 1: head 1 there is head 0 here.

# %% [markdown]
# ## Exercise 1 · `split_heads` and `merge_heads`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 3 | 20 | 5 | nothing | all of torch |
#
# **Why.** All heads can work at once, as a batch does: give them a dimension of their own. A token of width `D` then
# becomes `heads` short pieces, one for each head. The pieces must stay whole, and each must stay with its token. A shape
# says nothing about that: most wrong ways to do this give the right shape.
#
# **Steps.**
#
# 1. `split_heads(x, heads)`: cut each token into `heads` pieces of equal width, side by side:
#    (..., T, D) → (..., T, heads, width). Head 0 gets the first `width` numbers of every token, head 1 the next.
# 2. Bring the heads in front of the tokens: (..., heads, T, width). Now the last two dimensions are what attention
#    works on.
# 3. If `heads` is below 1 or does not divide `D`, raise **`ValueError`**. Let its message name both numbers, for whoever
#    reads it. (The message is not tested.)
# 4. `merge_heads(x)` is the way back: (..., heads, T, width) → (..., T, D). For each token, the pieces of all heads lie
#    side by side again.
#
# **By hand.** Three tokens of width 4, two heads.
#
# | | token 0 | token 1 | token 2 |
# |---|---|---|---|
# | `x` | 0 1 2 3 | 4 5 6 7 | 8 9 10 11 |
# | head 0 gets | 0 1 | 4 5 | 8 9 |
# | head 1 gets | 2 3 | 6 7 | 10 11 |
#
# **What is tested.** Those numbers and others, exactly; zero, one and two batch dimensions; one head, and as many heads
# as `D`; the results have the type of `x`; merging what was split gives `x` back; `x` is not changed; gradients pass
# through both; the `ValueError`.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "split_heads", "schema_version": 3}
def split_heads(x: Tensor, heads: int) -> Tensor:
    """Give each head its piece of every token.

    Args:
        x: (..., T, D) tokens.
        heads: how many heads there are; divides D.

    Returns:
        (..., heads, T, D / heads)

    Raises:
        ValueError: heads is below 1 or does not divide D.
    """
    ### BEGIN SOLUTION
    if heads < 1 or x.shape[-1] % heads:
        raise ValueError(f"{heads} heads cannot share tokens of width {x.shape[-1]} evenly")
    pieces = x.unflatten(-1, (heads, -1))  # (..., T, heads, width)
    return pieces.transpose(-3, -2)  # (..., heads, T, width)
    ### END SOLUTION


def merge_heads(x: Tensor) -> Tensor:
    """Lay the pieces of all heads side by side.

    Args:
        x: (..., heads, T, width) what each head has for each token.

    Returns:
        (..., T, heads * width)
    """
    ### BEGIN SOLUTION
    return x.transpose(-3, -2).flatten(-2)  # (..., T, D)
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: one reshape is not enough</summary>
#
# `x.view(..., heads, T, width)` reads the numbers in the order in which they lie in memory: first all of token 0, then
# all of token 1. So head 0 would get whole tokens, the first ones. `view` and `reshape` cut and join neighbouring
# dimensions; only `transpose` and `permute` exchange them. You need one of each.
# </details>
#
# <details><summary>Hint 2: any number of batch dimensions</summary>
#
# Count dimensions from the end. `x.unflatten(-1, ...)` cuts the last one, `x.flatten(-2)` joins the last two.
# </details>
#
# <details><summary>Hint 3: "view size is not compatible"</summary>
#
# After a `transpose` the numbers no longer lie in memory in the order of the new shape. `reshape` and `flatten` copy
# them where they have to; `view` never does.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 3, "grade_id": "test_split_heads", "schema_version": 3}
@check.probe
def observe_split(x, heads):
    return split_heads(x, heads), x  # what is tested, and the input as it is afterwards


@check.probe
def observe_merge(x):
    return merge_heads(x), x


@check.probe
def round_trip(x, heads):
    return merge_heads(split_heads(x, heads))


@check.probe
def gradients(x, heads, weight):
    y = split_heads(x.requires_grad_(), heads)
    first = torch.autograd.grad((weight * y).sum(), x)[0] if y.requires_grad else None
    z = merge_heads(weight.requires_grad_())
    return first, torch.autograd.grad((x.detach() * z).sum(), weight)[0] if z.requires_grad else None


def compare_split(x, heads):
    got, after = observe_split(x, heads)
    *lead, T, D = x.shape
    width, case = D // heads, f"split_heads of x {tuple(x.shape)} into {heads} heads"
    right = torch.stack([x[..., h * width : (h + 1) * width] for h in range(heads)], dim=-3)
    likely = (
        "the heads stand behind the tokens; bring them in front" if tuple(got.shape) == (*lead, T, heads, width) else ""
    )
    check.shape(got, tuple(right.shape), case, likely=likely)
    check.dtype(got, x.dtype, case)
    likely = {
        "view or reshape alone cuts between tokens; cut each token, then transpose": x.reshape(right.shape),
        "the pieces are interleaved: number 0 of each head, then number 1; a piece holds neighbours": x.unflatten(
            -1, (width, heads)
        ).movedim(-1, -3),
        "the heads are in the wrong order": right.flip(-3),
        "every head got the piece of the first": right[..., :1, :, :].expand_as(right),
    }
    check.close(got, right, case, rtol=0, atol=0, likely=likely)
    check.untouched([after], [x], "split_heads leaves x as it was")


def compare_merge(x):
    got, after = observe_merge(x)
    *lead, heads, T, width = x.shape
    case = f"merge_heads of {tuple(x.shape)}"
    right = torch.cat([x[..., h, :, :] for h in range(heads)], dim=-1)
    one_cut_off = "the pieces of a token lie side by side: (..., T, heads * width)"
    check.shape(got, (*lead, T, heads * width), case, likely=one_cut_off)
    check.dtype(got, x.dtype, case)
    likely = {
        "view or reshape alone mixes the tokens; transpose first, then join": x.reshape(*lead, T, heads * width),
        "the pieces of a token are interleaved; they lie side by side": x.movedim(-3, -1).flatten(-2),
        "the heads are in the wrong order": x.flip(-3).transpose(-3, -2).flatten(-2),
        "heads and tokens changed places, and so did the numbers of a piece": x.mT.transpose(-3, -1).flatten(-2),
    }
    likely = {cause: value for cause, value in likely.items() if value.shape == right.shape}
    check.close(got, right, case, rtol=0, atol=0, likely=likely)
    check.untouched([after], [x], "merge_heads leaves its input as it was")


def learning(x, heads, weight):
    """Both functions only move numbers, so each gradient is the other's numbers, moved."""
    width = x.shape[-1] // heads
    rights = torch.cat(list(weight.unbind(-3)), dim=-1), torch.stack(x.split(width, dim=-1), dim=-3)
    for name, got, right in zip(("split_heads", "merge_heads"), gradients(x, heads, weight), rights, strict=True):
        likely = ".detach(), .data, torch.tensor(...), .numpy()"
        check.that(got is not None, f"a gradient passes through {name}", likely=likely)
        check.close(got, right, f"the gradient that passes through {name}")


# By hand, then other sizes; batches; one head, and as many heads as numbers; both ways; gradients.
hand = torch.arange(12.0).view(3, 4)
compare_split(hand, 2)
compare_merge(torch.tensor([[[0.0, 1], [4, 5], [8, 9]], [[2, 3], [6, 7], [10, 11]]]))
x, apart = check.normal((2, 3, 5, 6), (2, 4, 3, 5, 2))
for batch in (x[0, 0], x[0], x):
    for heads in (3, 2, 1, 6):
        compare_split(batch, heads)
for batch in (apart[0, 0], apart[0], apart, apart[..., :1, :, :]):
    compare_merge(batch)
compare_split(x.double(), 3)
compare_merge(apart.double())
for heads in (3, 2, 1, 6):
    what = f"x {tuple(x.shape)}, split into {heads} heads and merged,"
    check.close(round_trip(x, heads), x, what, rtol=0, atol=0)
learning(x, 3, check.normal((2, 3, 3, 5, 2), seed=1))
for heads in (4, 5, 7, 12, 0, -2):
    rule = f"{heads} heads cannot share a width of 6 evenly"
    check.raises("ValueError", observe_split, x, heads, rule=rule)

### BEGIN HIDDEN TESTS
for lead, heads, T, width in [((), 4, 3, 2), ((5,), 2, 7, 3), ((2, 3), 3, 4, 5), ((3, 1, 2), 5, 1, 2), ((), 2, 2, 2)]:
    x, apart = check.hidden((*lead, T, heads * width), (*lead, heads, T, width))
    for chosen in (heads, width, 1, heads * width):
        compare_split(x, chosen)
        check.close(round_trip(x, chosen), x, "x, split and merged,", rtol=0, atol=0)
    compare_merge(apart)
    compare_merge(apart.double())
    for wrong in (heads * width + 1, 0, -1, 2 * heads * width):
        check.raises("ValueError", observe_split, x, wrong, rule="so many heads cannot share this width evenly")
learning(check.hidden((2, 3, 6)), 2, check.hidden((2, 2, 3, 3)))
### END HIDDEN TESTS

# %% [markdown]
# See the classic mistake. Every number below is the number of the token that it comes from; a head must hear of all
# tokens.

# %%
tokens = torch.arange(6.0)[:, None].expand(6, 4)  # (6, 4): token 0 holds zeros, token 1 ones, ...
shown = {"split_heads": split_heads(tokens, 2)[0], "one view": tokens.reshape(2, 6, 2)[0]}
claim = "One view gives head 0 whole tokens, but only half of them"
described(
    charts.side_by_side(shown, claim, unit="token", sides=("row of head 0", "number"), digits=0),
    f"What head 0 gets of six tokens, row by row. {'; '.join(f'{name}: {rows.tolist()}' for name, rows in shown.items())}.",
)

# %% [markdown]
# **What to see.** Left: the rows of head 0 count the tokens from 0 to 5, half of each token. Right: `view` alone gives
# it tokens 0, 1 and 2 whole, each in two rows, and nothing of the others. Both have the same shape, and a network with
# the mistake still trains. It is only worse.

# %% [markdown]
# ## Exercise 2 · `two_heads_by_hand`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 2 | 15 | 6 | nothing | all of torch |
#
# **Why.** Sky or sea, once more: four quadrants with the features (blue, wings, hull). Lesson 03 asked one question,
# "is there an object nearby?". If a picture has a bird *and* a boat, the one softmax shares its gates between them: .440
# each, and .060 for each plain quadrant. Two heads have two rows of gates. Each gives its own find .711.
#
# **Steps.** Both heads have width 1: a query, a key and a value are one number each. The weights are given.
#
# | | head 0: wings nearby? | head 1: hull nearby? |
# |---|---|---|
# | query | 2 · blue | 2 · blue |
# | key | wings | hull |
# | value | wings | hull |
#
# 1. Scores of each head, query times key: (..., 2, T, T). The scale is $\sqrt 1$, so there is none.
# 2. Gates, a softmax over the keys: (..., 2, T, T).
# 3. What each head hears, the sum of its values, each times its gate: (..., T) for each head.
# 4. `joined`: both side by side, (..., T, 2).
# 5. The output projection $W_O$ is [1, -1]: the answer of a token is its first number minus its second, (..., T).
#    Above 0 means sky, below 0 sea.
# 6. Return `(answers, joined, gates)`.
#
# **By hand.** Picture A has a bird in the top right. Head 0: scores 0 2 0 0, gates .096 .711 .096 .096, so it hears .711
# wings. Head 1: all keys are 0, gates ¼ each, it hears 0. Every token has [.711, 0], answer .711: sky. Picture B, with
# a boat there: [0, .711], answer -.711: sea.
#
# **What is tested.** Those pictures, one with a bird and a boat, and other numbers; zero, one and two batch dimensions;
# any number of tokens; the results have the type of `x`; `x` is not changed.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "two_heads_by_hand", "schema_version": 3}
def two_heads_by_hand(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Two heads of width 1 with given weights: wings nearby? hull nearby?

    Args:
        x: (..., T, 3) tokens with the features blue, wings, hull.

    Returns:
        answers (..., T), above 0 = sky; joined (..., T, 2), what the heads hear; gates (..., 2, T, T).
    """
    ### BEGIN SOLUTION
    asked = 2 * x[..., 0]  # (..., T)
    offered = x[..., 1:].mT  # (..., 2, T): wings, hull
    s = asked[..., None, :, None] * offered[..., None, :]  # (..., 2, T, T)
    gates = s.softmax(-1)
    joined = (gates @ offered[..., None]).squeeze(-1).mT  # (..., T, 2)
    return joined[..., 0] - joined[..., 1], joined, gates
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: all pairs of two lists of numbers</summary>
#
# `a[:, None] * b[None, :]` is a table: row i, column j holds `a[i] * b[j]`. With batch dimensions write
# `a[..., :, None] * b[..., None, :]`.
# </details>
#
# <details><summary>Hint 2: one head first</summary>
#
# Write one head, for a key and a value of your choice. Call it twice. `torch.stack` puts two results side by side: in a
# new last dimension (`dim=-1`) for what they hear, in a new one before the last two (`dim=-3`) for the gates.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 2, "grade_id": "test_two_heads_by_hand", "schema_version": 3}
@check.probe
def observe(x):
    return two_heads_by_hand(x), x


def rows_of_gates(x, keys, times=2.0, dim=-1):
    return (times * x[..., None, :, None, 0] * keys.mT[..., None, :]).softmax(dim)  # (..., 2, T, T)


def heard(gates, values):
    return (gates * values.mT[..., None, :]).sum(-1).mT  # (..., T, 2)


def cause_of_shape(got, name, shapes):
    """What a wrong shape tells of its mistake, or nothing."""
    found, right = tuple(getattr(got, "shape", ())), shapes[name]
    lead, T = shapes["answers"][:-1], shapes["answers"][-1]
    if found == (*right, 1):
        return "a dimension of size 1 is left at the end; squeeze it"
    if name == "joined" and found in ((*lead, 2, T), (2, *lead, T)):
        return "each token's two numbers lie side by side, in the last dimension: dim=-1"
    if name == "gates" and found == (2, *lead, T, T):
        return "the heads stand right before rows and columns: dim=-3, not dim=0"
    if name == "gates" and found in ((*lead, T, T, 2), (*lead, T, 2, T)):
        return "the heads stand before rows and columns: (..., 2, T, T)"
    if name == "gates" and found == (*lead, T, T):
        return "these are the gates of one head; return both"
    others = [other for other, shape in shapes.items() if other != name and shape == found]
    return f"this looks like {others[0]}: first answers, then joined, then gates" if others else ""


def compare(x, what):
    result, after = observe(x)
    three = isinstance(result, (tuple, list)) and len(result) == 3
    check.that(three, "two_heads_by_hand returns three tensors: answers, joined, gates", likely="one is missing")
    answers, joined, gates = result
    lead, T = tuple(x.shape[:-2]), x.shape[-2]
    shapes = {"answers": (*lead, T), "joined": (*lead, T, 2), "gates": (*lead, 2, T, T)}
    for got, (name, shape) in zip((answers, joined, gates), shapes.items(), strict=True):
        check.shape(got, shape, f"the tensor {name} for {what}", likely=cause_of_shape(got, name, shapes))
        check.dtype(got, x.dtype, f"the tensor {name} for {what}")
    wide, keys, blue = x.double(), x.double()[..., 1:], x.double()[..., :1]
    right = rows_of_gates(wide, keys)
    over_queries = rows_of_gates(wide, keys, dim=-2)
    unclear = ", or the keys ask: rows are queries" if torch.allclose(over_queries, over_queries.mT) else ""
    likely = {
        "divided by √2; each head has width 1": rows_of_gates(wide, keys, math.sqrt(2)),
        "divided by √3; each head has width 1, whatever the width of x": rows_of_gates(wide, keys, 2 / math.sqrt(3)),
        "the query is not doubled; it is 2 · blue": rows_of_gates(wide, keys, 1.0),
        "the softmax runs over the queries" + unclear: over_queries,
        "the keys ask and the queries offer; rows are queries": over_queries.mT,
        "one softmax for both heads; each has its own": rows_of_gates(wide, keys) / 2,
        "both heads have the same gates; each has its own keys": rows_of_gates(
            wide, keys.sum(-1, keepdim=True).expand_as(keys)
        ),
        "wings and hull are exchanged": right.flip(-3),
        "these are the scores, before the softmax": 2 * wide[..., None, :, None, 0] * keys.mT[..., None, :],
        "rows and columns are exchanged: rows are queries": right.mT,
        "both heads look for wings": right[..., :1, :, :].expand_as(right),
        "the softmax runs over the heads": (2 * wide[..., None, :, None, 0] * keys.mT[..., None, :]).softmax(-3),
    }
    both = (2 * wide[..., None, :, None, 0] * keys.mT[..., None, :]).movedim(-3, -2).flatten(-2).softmax(-1)
    likely["one softmax over the keys of both heads; each head has its own"] = both.unflatten(-1, (2, T)).movedim(
        -2, -3
    )
    check.close(gates, right, f"the matrices of gates for {what}", likely=likely)
    right_gates, right = right, heard(right, keys)
    likely = {
        "the values are blue; they are wings and hull": heard(gates.double(), blue.expand_as(keys)),
        "wings are the values of both heads; head 1 hears hull": heard(right_gates, keys[..., :1].expand_as(keys)),
        "hull is the value of both heads; head 0 hears wings": heard(right_gates, keys[..., 1:].expand_as(keys)),
        "each token hears its own wings and hull; it hears those of the keys": keys,
        "the columns are exchanged": right.flip(-1),
        "a sum over queries; each query sums over the keys": (gates.double() * keys.mT[..., None]).sum(-2).mT,
        "the tokens were added, too; there is no residual here": right + keys,
        "the values of both heads are added": right.sum(-1, keepdim=True).expand_as(right),
        "a mean; it is a sum": right / T,
    }
    check.close(joined, right, f"the tensor joined for {what}", likely=likely)
    first, second = right.unbind(-1)
    likely = {
        "the second head was added; W_O is [1, -1]: subtract it": first + second,
        "the sign is wrong: sky is above 0": second - first,
        "a mean; the answer is a difference": (first - second) / 2,
        "only the first head answers": first,
        "a token's own wings and hull were added": first - second + keys[..., 0] - keys[..., 1],
    }
    check.close(answers, first - second, f"the answers for {what}", likely=likely)
    check.untouched([after], [x], "two_heads_by_hand leaves x as it was")
    return answers, joined, gates


# By hand: pictures A and B, then one with a bird in the top right and a boat in the bottom left.
hand = data.sky_or_sea()
answers, joined, gates = compare(hand.A, "picture A")
right = torch.tensor([0.096, 0.711, 0.096, 0.096]).expand(4, 4)
check.close(gates[0], right, "the gates of head 0 for picture A", atol=1e-3)
check.close(answers, torch.full((4,), 0.711), "the answers for picture A", atol=1e-3)
answers, joined, _ = compare(hand.B, "picture B")
check.close(answers, torch.full((4,), -0.711), "the answers for picture B", atol=1e-3)
both = torch.tensor([[1.0, 0, 0], [1, 1, 0], [1, 0, 1], [1, 0, 0]])
answers, joined, _ = compare(both, "a picture with a bird and a boat")
check.close(joined, torch.full((4, 2), 0.711), "what the heads hear of a bird and a boat", atol=1e-3)
alone = torch.tensor([0.0, 2, 2, 0]).softmax(-1)  # one softmax for both
check.close(alone, torch.tensor([0.060, 0.440, 0.440, 0.060]), "the gates of one head", atol=1e-3)

# Other numbers, other sizes, batches, float64.
x = check.normal((2, 3, 5, 3))
others = {
    "five tokens": x[0, 0],
    "a batch of three pictures": x[0],
    "two batch dimensions": x,
    "three pictures in float64": x[0].double(),
    "pictures of one token": x[0, :, :1],
}
for what, batch in others.items():
    compare(batch, what)

### BEGIN HIDDEN TESTS
for lead, T in [((), 6), ((4,), 2), ((3, 2), 7), ((), 1), ((2,), 3)]:
    x = check.hidden((*lead, T, 3))
    compare(x, f"{len(lead)} batch dimensions")
    compare(x.double(), "float64")
### END HIDDEN TESTS

# %%
bird_and_boat = torch.tensor([[1.0, 0, 0], [1, 1, 0], [1, 0, 1], [1, 0, 0]])
_, joined, gates = two_heads_by_hand(bird_and_boat)
for head, found in enumerate(["bird", "boat"]):
    described(
        plots.gate_map(gates[head], data.QUADRANTS, data.QUADRANTS, f"Head {head} gives the {found} a gate of its own"),
        f"Gates of head {head}, one row for each quadrant that asks: {gates[head].numpy().round(3)}",
    )

# %% [markdown]
# **What to see.** The same four quadrants, two matrices of gates, and in each another column is light. A bird and a boat
# in one picture: [.711, .711] for every token, and the answer is 0. The difference cannot say "both". The two numbers in
# front of $W_O$ can.

# %% [markdown]
# ## Exercise 3 · `MultiHeadAttention`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 5 | 30 | 14 | `split_heads` (both functions) | all of torch but `F.scaled_dot_product_attention` and `nn.MultiheadAttention` |
#
# **Why.** In the exercise before, the weights were given. Here they are learned: one matrix makes the queries of all
# heads at once, one the keys, one the values. What a head looks for is up to training.
#
# **Steps.**
#
# 1. `MultiHeadAttention(d_model, heads, bias=True)` is an `nn.Module` with four parts `W_q`, `W_k`, `W_v` and `W_o`,
#    each an `nn.Linear` from `d_model` to `d_model`, with a bias or without. The test puts its own numbers into them, so
#    the names count. If `heads` is below 1 or does not divide `d_model`, raise **`ValueError`** at once. (Let its
#    message name both numbers; that is not tested.)
# 2. `layer(x, source=None, mask=None)`: queries come from `x` (B, Tq, D); keys and values from `source` (B, Tk, D), or
#    from `x` if there is no source.
# 3. Split all three into heads: (B, heads, T, width), with width = D / heads.
# 4. Scores, divided by $\sqrt{\text{width}}$: (B, heads, Tq, Tk). Each head is an attention of its own.
# 5. The mask is True where a query may attend to a key. It has the shape (Tq, Tk) or (B, Tq, Tk), and holds for all
#    heads. A blocked gate is 0 and its row still sums to 1. (Every query may attend to some key: you need not check.)
# 6. Gates, a softmax over the keys: (B, heads, Tq, Tk). Each head sums its values: (B, heads, Tq, width).
# 7. Merge the heads: (B, Tq, D). `W_o` mixes them: (B, Tq, D). Return the result and the gates of all heads.
#
# **By hand.** `d_model` = 6, 3 heads: the width is 2, so the scores are divided by $\sqrt 2$ = 1.414, not by $\sqrt 6$.
# Numbers 2 and 3 of each query belong to head 1. Its scores are the same whatever the other four numbers are.
#
# **What is tested.** With copied weights the results equal those of `nn.MultiheadAttention`, and so do the gates of each
# head; with and without bias, source and mask, also for B = heads; Tq ≠ Tk; scores of many thousand still give finite
# gates; `x`, `source` and mask are not changed; gradients reach `x`, `source` and all weights and biases; the
# `ValueError`.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "MultiHeadAttention", "schema_version": 3}
class MultiHeadAttention(nn.Module):
    """Several attentions side by side, mixed by an output projection.

    Args:
        d_model: width of a token, in and out.
        heads: how many heads there are; divides d_model.
        bias: whether the four linear layers have biases.

    Raises:
        ValueError: heads is below 1 or does not divide d_model.
    """

    def __init__(self, d_model: int, heads: int, bias: bool = True) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        if heads < 1 or d_model % heads:
            raise ValueError(f"{heads} heads do not divide d_model = {d_model}: each needs the same whole width")
        self.heads = heads
        self.W_q = nn.Linear(d_model, d_model, bias)
        self.W_k = nn.Linear(d_model, d_model, bias)
        self.W_v = nn.Linear(d_model, d_model, bias)
        self.W_o = nn.Linear(d_model, d_model, bias)
        ### END SOLUTION

    def forward(self, x: Tensor, source: Tensor | None = None, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Let the tokens of x attend to those of the source, or to each other.

        Args:
            x: (B, Tq, D) tokens that ask.
            source: (B, Tk, D) tokens that offer; None: x.
            mask: bool, (Tq, Tk) or (B, Tq, Tk); True = may attend; the same for all heads. None: all may.

        Returns:
            out (B, Tq, D) and gates (B, heads, Tq, Tk).
        """
        ### BEGIN SOLUTION
        source = x if source is None else source
        q, k, v = (split_heads(y, self.heads) for y in (self.W_q(x), self.W_k(source), self.W_v(source)))
        s = q @ k.mT / math.sqrt(q.shape[-1])  # (B, heads, Tq, Tk)
        if mask is not None:
            s = s.masked_fill(~mask.unsqueeze(-3), -math.inf)
        gates = s.softmax(-1)
        return self.W_o(merge_heads(gates @ v)), gates  # (B, Tq, D), (B, heads, Tq, Tk)
        ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: where do four dimensions come from?</summary>
#
# After `split_heads` the heads are one more batch dimension. The rest is the attention of lesson 03, unchanged: a matrix
# product works on the last two dimensions and repeats itself over the others.
# </details>
#
# <details><summary>Hint 2: which head gets which mask?</summary>
#
# Dimensions are matched from the end. A mask (B, Tq, Tk) beside scores (B, heads, Tq, Tk) puts its B beside the *heads*.
# If B happens to equal heads, nothing complains. Give the mask a dimension of size 1 for the heads; `unsqueeze` counts
# from the end, too.
# </details>
#
# <details><summary>Hint 3: the gates fit, the result does not</summary>
#
# Merge before `W_o`, and with `merge_heads`: a `reshape` of (B, heads, Tq, width) mixes tokens.
# </details>


# %% uses=["split_heads"] nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 5, "grade_id": "test_MultiHeadAttention", "schema_version": 3}
PARTS = ("W_q", "W_k", "W_v", "W_o")


@check.probe
def build(d_model, heads, bias=None):
    layer = MultiHeadAttention(d_model, heads) if bias is None else MultiHeadAttention(d_model, heads, bias=bias)
    if not isinstance(layer, nn.Module):
        return None
    found = [getattr(layer, name, None) for name in ("W_q", "W_k", "W_v", "W_o")]
    linear = [isinstance(part, nn.Linear) for part in found]
    shapes = [tuple(part.weight.shape) if good else None for part, good in zip(found, linear, strict=True)]
    biased = [part.bias is not None if good else None for part, good in zip(found, linear, strict=True)]
    return shapes, biased, sum(p.numel() for p in layer.parameters() if p.requires_grad)


@check.probe
def observe(weights, biases, heads, x, source=None, mask=None, weight=None):
    layer = MultiHeadAttention(len(weights[0]), heads, bias=bool(biases)).eval()
    own = [getattr(layer, name) for name in ("W_q", "W_k", "W_v", "W_o")]
    inside = [part.weight for part in own] + [part.bias for part in own if biases]
    with torch.no_grad():
        for parameter, value in zip(inside, [*weights, *biases], strict=True):
            parameter.copy_(value)
    sent = [t for t in (x, source) if t is not None]
    if weight is not None:
        sent = [t.requires_grad_() for t in sent]
    more = {name: t for name, t in (("source", source), ("mask", mask)) if t is not None}
    result = layer(x, **more)
    if weight is None:
        return result, [*sent, *([] if mask is None else [mask])]  # the result, and the inputs as they are afterwards
    loss = (weight * result[0]).sum()
    wanted = [*sent, *inside]
    return list(torch.autograd.grad(loss, wanted, allow_unused=True)) if loss.requires_grad else [None] * len(wanted)


@check.probe
def library_calls(x):
    from torch.overrides import TorchFunctionMode

    names = []

    class Watch(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            names.append(getattr(function, "__name__", ""))
            return function(*args, **(kwargs or {}))

    with Watch():
        MultiHeadAttention(x.shape[-1], 2)(x)
    return [name for name in names if "attention" in name]


def apart(x, heads, how="right"):
    """(B, T, D) -> (B, heads, T, width), the right way or with a well-known mistake."""
    B, T, D = x.shape
    if how == "view":
        return x.reshape(B, heads, T, D // heads)
    if how == "interleaved":
        return x.reshape(B, T, D // heads, heads).permute(0, 3, 1, 2)
    return torch.stack(x.split(D // heads, dim=-1), dim=1)


def reference(weights, biases, heads, x, source=None, mask=None, *, how="right", scale=None, dim=-1, masked="filled"):
    """The result and the gates; the keywords after * put a mistake in."""
    source = x if source is None else source
    W_q, W_k, W_v, W_o = weights
    b = biases or [None] * 4
    made = F.linear(x, W_q, b[0]), F.linear(source, W_k, b[1]), F.linear(source, W_v, b[2])
    q, k, v = (apart(y, heads, how) for y in made)
    s = q @ k.mT / (q.shape[-1] ** 0.5 if scale is None else scale)
    if mask is not None and masked != "ignored":
        full = mask[:, None] if mask.dim() == 3 else mask
        s = {"filled": s.masked_fill(~full, -math.inf), "times": s * full, "plus": s + full.to(s.dtype)}[masked]
    gates = s.softmax(dim)
    merged = torch.cat(list((gates @ v).unbind(1)), dim=-1)
    return F.linear(merged, W_o, b[3]), gates


def mistakes(weights, biases, heads, x, source, mask):
    """What well-known mistakes give: the gates."""
    sent = [t if t is None else t.double() for t in (x, source)]
    W, b = [w.double() for w in weights], [c.double() for c in biases]
    D = x.shape[-1]

    def gates(*args, W=W, heads=heads, sent=sent, mask=mask, **more):
        return reference(W, b, heads, *sent, mask, **more)[1]

    found = {
        f"the scores are divided by √{D}; a head has the width {D // heads}": gates(scale=D**0.5),
        f"the scores are divided by {D // heads}; its root is right": gates(scale=D // heads),
        f"the scores are divided by √{heads}; the width of a head counts": gates(scale=heads**0.5),
        "the scores are not divided by √width": gates(scale=1),
        "the heads were cut out by view alone: is exercise 1 green?": gates(how="view"),
        "the pieces of the heads are interleaved; each holds neighbours": gates(how="interleaved"),
        "queries and keys are exchanged": gates(W=[W[1], W[0], *W[2:]]),
        "the keys were made with W_q": gates(W=[W[0], W[0], *W[2:]]),
    }
    if sent[1] is None or sent[1].shape == sent[0].shape:
        found["keys come from x; they come from the source"] = gates(sent=[sent[0], None])
        found["queries come from the source; they come from x"] = gates(
            sent=[sent[0] if sent[1] is None else sent[1], None]
        )
    found["the softmax runs over the queries"] = gates(dim=-2)
    found["the softmax runs over the heads"] = gates(dim=1)
    if mask is not None:
        open_gates = gates(masked="ignored")
        found["the mask is ignored"] = open_gates
        found["scores times mask: a blocked score of 0 still has a gate; fill it with -inf"] = gates(masked="times")
        found["the mask was added: True adds 1, and nothing is blocked; fill with -inf"] = gates(masked="plus")
        found["True means may attend; yours blocks where it is True"] = gates(mask=~mask)
        full = mask[:, None] if mask.dim() == 3 else mask
        found["the mask came after the softmax: a row no longer sums to 1"] = open_gates * full
        if mask.dim() == 3 and len(mask) == heads:
            turned = mask[None].expand(len(x), -1, -1, -1)
            s = open_gates.log().masked_fill(~turned, -math.inf)
            found["each head got the mask of one picture; give the mask a dimension for the heads"] = s.softmax(-1)
    return found


def cause_of_shape(out, gates, sizes):
    """What a wrong shape of the gates tells of its mistake, or nothing."""
    B, heads, Tq, Tk, D = sizes
    out, found = (tuple(getattr(t, "shape", ())) for t in (out, gates))
    causes = {
        (B, Tq, Tk): "the gates of one head, or a mean over the heads; return those of each head",
        (B, 1, Tq, Tk): "nothing was split: there is one head",
        (B * heads, Tq, Tk): "the heads are still part of the batch; give them a dimension of their own",
        (heads, B, Tq, Tk): "batch comes first, then the heads",
        (B, heads, Tq, Tq): "the keys come from x; they come from the source",
        (B, heads, Tk, Tk): "the queries come from the source; they come from x",
        (B, heads, Tk, Tq): "rows and columns are exchanged: rows are queries",
        (B, Tq, heads, heads): "the heads of a token attend to each other; bring the heads in front of the tokens",
        (B, heads, Tq, D // heads): "these are the messages of the heads; return the gates",
    }
    exchanged = out == (B, heads, Tq, Tk)
    return "the gates come first; first the result, then the gates" if exchanged else causes.get(found, "")


def compare(weights, biases, heads, x, source=None, mask=None):
    """Everything that must hold for one input."""
    result, after = observe(weights, biases, heads, x, source, mask)
    two = isinstance(result, (tuple, list)) and len(result) == 2
    check.that(two, "the layer returns two tensors, the result and the gates", likely="only one of them is returned")
    (B, Tq, D), Tk = x.shape, (x if source is None else source).shape[1]
    case = f"x {tuple(x.shape)}, {heads} heads" + ("" if source is None else f", source {tuple(source.shape)}")
    case += "" if mask is None else f", mask {tuple(mask.shape)}"
    out, gates = result
    likely = cause_of_shape(out, gates, (B, heads, Tq, Tk, D))
    check.shape(gates, (B, heads, Tq, Tk), f"the tensor of gates for {case}", likely=likely)
    likely = {
        (B, heads, Tq, D // heads): "the heads are not merged: merge_heads, then W_o",
        (B, Tq, heads, D // heads): "the heads are not merged: merge_heads, then W_o",
        (B, Tq, D // heads): "the width of one head is left; d_model goes in and comes out",
    }.get(tuple(getattr(out, "shape", ())), "")
    check.shape(out, (B, Tq, D), f"the result for {case}", likely=likely)
    check.dtype(out, x.dtype, f"the result for {case}")
    wide = [t if t is None or t.dtype == torch.bool else t.double() for t in (x, source, mask)]
    W, b = [w.double() for w in weights], [c.double() for c in biases]
    right, right_gates = reference(W, b, heads, *wide)
    likely = mistakes(weights, biases, heads, x, source, mask)
    likely = {cause: value for cause, value in likely.items() if value.shape == right_gates.shape}
    check.close(gates, right_gates, f"the gates of each head for {case}", rtol=1e-3, likely=likely)
    from_x = wide[0] if wide[1] is None else wide[1]
    v = F.linear(from_x, W[2], b[2] if b else None)
    read = right_gates @ apart(v, heads)
    merged = torch.cat(list(read.unbind(1)), dim=-1)
    last = b[3] if b else None
    viewed = right_gates @ apart(v, heads, "view")
    likely = {
        "W_o is missing": merged,
        "the heads were merged by view or reshape alone, which mixes tokens": F.linear(
            read.reshape(B, Tq, D), W[3], last
        ),
        "the pieces of the heads are interleaved": F.linear(read.movedim(1, -1).flatten(2), W[3], last),
        "the values were cut by view alone": F.linear(torch.cat(list(viewed.unbind(1)), dim=-1), W[3], last),
        "x was added; this layer has no residual": right + wide[0],
        "the values were made with W_k": F.linear(
            torch.cat(
                list((right_gates @ apart(F.linear(from_x, W[1], b[1] if b else None), heads)).unbind(1)), dim=-1
            ),
            W[3],
            last,
        ),
        "the values were not split into heads": F.linear((right_gates.mean(1) @ v), W[3], last),
        "the heads met W_o in the wrong order": F.linear(torch.cat(list(read.flip(1).unbind(1)), dim=-1), W[3], last),
    }
    check.close(out, right, f"the result for {case}", rtol=1e-3, atol=1e-4, likely=likely)
    check.untouched(after, [t for t in (x, source, mask) if t is not None], "the layer leaves its inputs as they were")
    return out, gates


def learning(weights, biases, heads, x, source, mask, weight):
    W, b = ([t.double().requires_grad_() for t in group] for group in (weights, biases))
    ends = [t.double().requires_grad_() for t in (x, source) if t is not None]
    out, _ = reference(W, b, heads, *(ends if source is not None else [ends[0], None]), mask)
    right = torch.autograd.grad((weight * out).sum(), [*ends, *W, *b])
    names = [*(["x", "source"][: len(ends)]), *(f"{name}.weight" for name in PARTS), *(f"{n}.bias" for n in PARTS if b)]
    for name, got, want in zip(names, observe(weights, biases, heads, x, source, mask, weight), right, strict=True):
        check.that(got is not None, f"a gradient reaches {name}", likely="detach, .data, .item() or no_grad")
        likely = {"the gates were detached: no gradient goes through them": torch.zeros_like(want)}
        check.close(got, want, f"the gradient of {name}", rtol=1e-3, atol=1e-4, likely=likely)


def from_library(D, heads, bias, seed):
    """nn.MultiheadAttention with weights of its own, and these weights, apart."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        theirs = nn.MultiheadAttention(D, heads, bias=bias, batch_first=True).eval()
        for parameter in theirs.parameters():
            nn.init.normal_(parameter, std=0.6)
    weights = [*theirs.in_proj_weight.detach().chunk(3), theirs.out_proj.weight.detach()]
    biases = [*theirs.in_proj_bias.detach().chunk(3), theirs.out_proj.bias.detach()] if bias else []
    return theirs, [w.clone() for w in weights], [b.clone() for b in biases]


def same_as_library(theirs, weights, biases, heads, x, source, mask=None):
    """What the card says: the library's own layer, whose mask is True where it blocks."""
    out, gates = compare(weights, biases, heads, x, source, mask)
    blocked = None if mask is None else ~mask
    with torch.no_grad():
        right, right_gates = theirs(x, source, source, attn_mask=blocked, average_attn_weights=False)
    check.close(gates, right_gates, "the gates of each head, as nn.MultiheadAttention has them,", rtol=1e-3)
    check.close(out, right, "the result, as nn.MultiheadAttention has it,", rtol=1e-3, atol=1e-4)


# Four linear layers, nothing else to train; heads that do not fit.
for D, heads, bias in [(6, 3, None), (8, 2, True), (6, 2, False)]:
    built = build(D, heads, bias)
    check.that(built is not None, "MultiHeadAttention is an nn.Module")
    shapes, biased, count = built
    for name, shape, has in zip(PARTS, shapes, biased, strict=True):
        check.that(shape is not None, f"{name} is an nn.Linear", likely="another name, or a bare parameter")
        what = f"the weight of {name} for d_model={D} has the shape {(D, D)}; yours has {shape}"
        likely = "all heads come out of one matrix, so it is d_model x d_model, whatever the number of heads"
        check.that(shape == (D, D), what, likely=likely)
        wanted = bias is not False
        check.that(
            has == wanted, f"{name} has {'a' if wanted else 'no'} bias for bias={bias}", likely="bias does not reach it"
        )
    right = 4 * D * D + (0 if bias is False else 4 * D)
    likely = "another part is trained, or one is frozen or serves as two"
    check.that(count == right, f"the layer has {right} trainable numbers, yours {count}", likely=likely)
for D, heads in [(6, 4), (6, 12), (6, 0), (6, -3), (10, 3)]:
    check.raises("ValueError", build, D, heads, rule=f"{heads} heads do not divide a width of {D}")

# The library's layer with copied weights: five queries for seven keys, then masks, then B = heads.
theirs, weights, biases = from_library(6, 3, True, 0)
x, source, more = check.normal((2, 5, 6), (2, 7, 6), (3, 5, 6))
stairs = torch.ones(5, 7).tril(1).bool()  # no row is full, so that its inverse is a mask, too
padded = (torch.arange(5) < torch.tensor([[[2]], [[4]], [[5]]])).expand(3, 5, 5)  # (3, 5, 5): one mask for each picture
compare(weights, biases, 3, x)
same_as_library(theirs, weights, biases, 3, x, source)
same_as_library(theirs, weights, biases, 3, x, source, stairs)
compare(weights, biases, 3, x, x.flip(0))
compare(weights, biases, 3, more, None, padded)
compare(weights, biases, 3, more[:2], None, padded[:2])
compare(weights, biases, 1, x, source)
compare(weights, biases, 6, x)
compare(weights, [], 2, x, source, stairs)
large = [1000 * weights[0], *weights[1:]]
(_, gates), _ = observe(large, biases, 3, x)
check.finite(gates, "the tensor of gates for scores of many thousand", likely="exp of a large number is infinite")
check.close(gates.sum(-1), torch.ones(2, 3, 5), "the sum of each row of gates for large scores", atol=1e-3)
learning(weights, biases, 3, x, source, stairs, check.normal((2, 5, 6), seed=1))
learning(weights, [], 2, x, None, None, check.normal((2, 5, 6), seed=1))
check.that(not library_calls(x), "the layer is built from smaller parts", likely="it calls the library's own attention")

### BEGIN HIDDEN TESTS
for B, heads, width, Tq, Tk in [(4, 2, 3, 6, 3), (2, 5, 2, 3, 8), (1, 4, 1, 7, 2), (3, 3, 4, 4, 5)]:
    D = heads * width
    x, source, draw, weight = check.hidden((B, Tq, D), (B, Tk, D), (B, Tq, Tk), (B, Tq, D))
    mask = (draw > 0) | (torch.arange(Tk) == torch.arange(Tq)[:, None] % Tk)  # every query may attend to some key
    for bias in (True, False):
        theirs, weights, biases = from_library(D, heads, bias, check.hidden_seed() % 1000)
        same_as_library(theirs, weights, biases, heads, x, source)
        same_as_library(theirs, weights, biases, heads, x, source, mask[0])
        compare(weights, biases, heads, x)
        compare(weights, biases, heads, x, source, mask)
        for from_where, allowed in ((source, mask), (None, None)):
            learning(weights, biases, heads, x, from_where, allowed, weight)
    (_, gates), _ = observe([2000 * weights[0], *weights[1:]], [], heads, x)
    check.finite(gates, "the tensor of gates for scores of many thousand", likely="exp of a large number is infinite")
for D, heads in [(9, 2), (4, 8), (12, 5), (4, 0)]:
    check.raises("ValueError", build, D, heads, rule="so many heads do not divide this width")
check.that(not library_calls(check.hidden((2, 3, 4))), "the layer is built from smaller parts", likely="a library call")
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 4 · `fuse` and `unfuse`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 2 | 15 | 18 | nothing | all of torch |
#
# **Why.** Three products with the same `x` are one product with a taller matrix. That is faster, and most published
# models store it so, as `qkv` or `in_proj`. Who loads their weights needs the way there and the way back, and must know
# how the rows are laid out. The lecture reads (B, T, 3, heads, width): first all heads of the queries, then all of the
# keys, then all of the values. (Other models keep q, k and v of each head together. Loaded in the wrong layout, they
# run and talk nonsense.)
#
# **Steps.**
#
# 1. `fuse(q, k, v)` takes three `nn.Linear` with equal widths in and equal widths out, D → D. It returns a new
#    `nn.Linear`, D → 3 D. What it makes of `x` is what `q`, `k` and `v` make of it, side by side: (..., 3 D).
# 2. All three have a bias, or none has, and so has the new one. Anything else, and weights of different shapes, raises
#    **`ValueError`**.
# 3. `unfuse(qkv)` takes such an `nn.Linear`, D → 3 D, and returns three new ones, D → D, in the order q, k, v. If the
#    number of outputs is not three times that of the inputs, raise **`ValueError`**.
# 4. The new layers have parameters of their own, which can be trained. The old ones stay as they are, also when a new
#    one is changed.
#
# **By hand.** The lecture: tokens of width 192, 3 heads of width 64. The fused weight has 3 · 192 = 576 rows. The keys of
# head 1 are rows 192 + 64 = 256 to 319.
#
# **What is tested.** Weights and biases, exactly; the lecture's layout, piece by piece; there and back; with and without
# bias; float32 and float64 (the new layers have the type of the old); steps 2 to 4.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "fuse", "schema_version": 3}
def fuse(q: nn.Linear, k: nn.Linear, v: nn.Linear) -> nn.Linear:
    """One linear layer for three.

    Args:
        q: makes queries, D -> D; k: makes keys; v: makes values.

    Returns:
        D -> 3 D, with rows in the layout (3, heads, width).

    Raises:
        ValueError: the weights differ in shape, or some have a bias and some have none.
    """
    ### BEGIN SOLUTION
    three = (q, k, v)
    if len({part.weight.shape for part in three}) > 1 or len({part.bias is None for part in three}) > 1:
        raise ValueError("q, k and v need weights of one shape, and biases in all or in none")
    fused = nn.Linear(q.in_features, 3 * q.out_features, q.bias is not None, dtype=q.weight.dtype)
    with torch.no_grad():
        fused.weight.copy_(torch.cat([part.weight for part in three]))
        if fused.bias is not None:
            fused.bias.copy_(torch.cat([part.bias for part in three]))
    return fused
    ### END SOLUTION


def unfuse(qkv: nn.Linear) -> tuple[nn.Linear, nn.Linear, nn.Linear]:
    """The three linear layers that one was fused from.

    Args:
        qkv: D -> 3 D, with rows in the layout (3, heads, width).

    Returns:
        what makes queries, keys and values, each D -> D.

    Raises:
        ValueError: the outputs are not three times the inputs.
    """
    ### BEGIN SOLUTION
    D = qkv.in_features
    if qkv.out_features != 3 * D:
        raise ValueError(f"a fused layer of width {D} has {3 * D} outputs, this one {qkv.out_features}")
    parts = tuple(nn.Linear(D, D, qkv.bias is not None, dtype=qkv.weight.dtype) for _ in range(3))
    with torch.no_grad():
        for i, part in enumerate(parts):
            for mine, whole in zip(part.parameters(), qkv.parameters(), strict=True):
                mine.copy_(whole[i * D : (i + 1) * D])
    return parts
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: rows or columns?</summary>
#
# `nn.Linear(inputs, outputs)` stores one row for each output. More outputs are more rows; each row keeps its length.
# </details>
#
# <details><summary>Hint 2: how do numbers get into a new layer?</summary>
#
# Make the layer, then `layer.weight.copy_(...)` under `torch.no_grad()`. An assignment of the old parameter, or of a
# slice of it, shares its memory: train one and the other moves.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 2, "grade_id": "test_fuse", "schema_version": 3}
@check.probe
def fused(weights, biases, change=False):
    """What fuse makes of three layers; and these, after every number of the new layer has been changed if `change`."""
    layers = []
    for W, b in zip(weights, biases, strict=True):
        layers.append(nn.Linear(W.shape[1], W.shape[0], bias=b is not None, dtype=W.dtype))
        layers[-1].load_state_dict({"weight": W} if b is None else {"weight": W, "bias": b})
    made = fuse(*layers)
    found = [
        isinstance(made, nn.Linear),
        made.weight.detach().clone(),
        None if made.bias is None else made.bias.detach().clone(),
    ]
    found.append([isinstance(p, nn.Parameter) and p.requires_grad for p in made.parameters()])
    if change:
        for p in made.parameters():
            p.data.add_(1)
    return [*found, [p.detach() for layer in layers for p in layer.parameters()]]


@check.probe
def apart_again(W, b, change=False):
    """What unfuse makes of one layer; and this one, after every number of the new layers has been changed if `change`."""
    layer = nn.Linear(W.shape[1], W.shape[0], bias=b is not None, dtype=W.dtype)
    layer.load_state_dict({"weight": W} if b is None else {"weight": W, "bias": b})
    made = list(unfuse(layer))
    found = [[isinstance(part, nn.Linear) for part in made], [part.weight.detach().clone() for part in made]]
    found.append([None if part.bias is None else part.bias.detach().clone() for part in made])
    found.append([isinstance(p, nn.Parameter) and p.requires_grad for part in made for p in part.parameters()])
    if change:
        for part in made:
            for p in part.parameters():
                p.data.add_(1)
    return [*found, [p.detach() for p in layer.parameters()]]


def layouts(parts, heads):
    """The right stack of rows, and what other layouts give."""
    D = len(parts[0])
    each = torch.stack(parts).unflatten(1, (heads, -1))  # (3, heads, width, ...)
    return torch.cat(parts), {
        "q, k and v of each head stand together; all heads of q come first": each.transpose(0, 1).flatten(0, 2),
        "q, k and v alternate row by row; the rows of each stay together": torch.stack(parts, dim=1).flatten(0, 1),
        "the order is q, k, v; yours is k, q, v": torch.cat([parts[i] for i in (1, 0, 2)]),
        "the order is q, k, v; yours is v, k, q": torch.cat(parts[::-1]),
        "one of the three fills all places": parts[0].repeat(3, *[1] * (parts[0].dim() - 1)),
        "the weights are transposed": torch.cat([p.mT for p in parts])
        if parts[0].dim() > 1
        else torch.cat(parts[::-1]),
        "the numbers are those of a new layer; copy the old ones": torch.zeros(3 * D, *parts[0].shape[1:]),
    }


def compare_fuse(weights, biases, heads, change=False):
    with_bias = biases[0] is not None
    case = f"three layers of width {len(weights[0])}, {'with' if with_bias else 'without'} bias,"
    linear, W, b, trained, old = fused(weights, biases, change)
    check.that(linear, "fuse returns an nn.Linear", likely="a bare tensor")
    right, likely = layouts(weights, heads)
    check.shape(W, tuple(right.shape), f"the fused weight of {case}", likely="more outputs are more rows: dim=0")
    check.dtype(W, right.dtype, f"the fused weight of {case}")
    check.close(
        W, right, f"the fused weight of {case}", rtol=0, atol=1e-6, likely=likely, otherwise="a new layer's own numbers"
    )
    check.that((b is not None) == with_bias, f"the layer fused of {case} has {'a' if with_bias else 'no'} bias")
    if with_bias:
        right, likely = layouts(biases, heads)
        what = f"the fused bias of {case}"
        check.close(b, right, what, rtol=0, atol=1e-6, likely=likely, otherwise="a new layer's own numbers")
    check.that(all(trained), "the parameters of the fused layer can be trained", likely="a plain tensor, or frozen")
    sent = [t for pair in zip(weights, biases, strict=True) for t in pair if t is not None]
    likely = "the old layers were written to, or share memory with the new one; copy the numbers"
    check.untouched(old, sent, "the old layers stay as they are, also when the new one changes", likely=likely)


def compare_unfuse(W, b, change=False):
    D = W.shape[1]
    case = f"a fused layer of width {D}, {'without' if b is None else 'with'} bias,"
    linear, weights, biases, trained, old = apart_again(W, b, change)
    check.that(len(linear) == 3 and all(linear), "unfuse returns three nn.Linear", likely="bare tensors")
    heads = next(n for n in (2, 3, 5, 7) if D % n == 0)
    for i, name in enumerate(("queries", "keys", "values")):
        rows = W.unflatten(0, (heads, 3, -1))[:, i].flatten(0, 1)
        likely = {
            "these are rows of another layout: q, k and v of each head together": rows,
            "every third row was taken; the rows of each stay together": W[i::3],
            "q and k are exchanged": W.chunk(3)[[1, 0, 2][i]],
            "the same rows serve for all three": W.chunk(3)[0],
            "the order is q, k, v; yours is v, k, q": W.chunk(3)[2 - i],
            "the weight is transposed": W.chunk(3)[i].mT,
        }
        what = f"what makes the {name} of {case}"
        check.close(
            weights[i], W.chunk(3)[i], what, rtol=0, atol=1e-6, likely=likely, otherwise="a new layer's own numbers"
        )
        check.dtype(weights[i], W.dtype, what)
        has = "no bias" if b is None else "a bias"
        check.that((biases[i] is None) == (b is None), f"what makes the {name} of {case} has {has}")
        if b is not None:
            likely = {
                "every third number was taken": b[i::3],
                "the order is q, k, v; yours is v, k, q": b.chunk(3)[2 - i],
            }
            check.close(biases[i], b.chunk(3)[i], f"the bias of {what}", rtol=0, atol=1e-6, likely=likely)
    check.that(all(trained), "the parameters of the three layers can be trained", likely="plain tensors, or frozen")
    likely = "the old layer was written to, or shares memory with the new ones; copy the numbers"
    check.untouched(old, [t for t in (W, b) if t is not None], "the old layer stays as it is", likely=likely)


def refusals(D, draw):
    """Layers that cannot be fused, and one that was not."""
    a, other, bias = draw(D, D), draw(D + 1, D), draw(D)
    check.raises("ValueError", fused, [a, a, other], [None] * 3, rule="the values have another width than q and k")
    check.raises("ValueError", fused, [a, draw(D, D + 2), a], [None] * 3, rule="the keys read tokens of another width")
    for biases in ([bias, None, None], [None, bias, bias], [bias, bias, None]):
        check.raises("ValueError", fused, [a, a, a], biases, rule="some have a bias and some have none")
    for rows in (3 * D + 1, 2 * D, D):
        rule = f"{rows} outputs are not 3 times {D} inputs"
        check.raises("ValueError", apart_again, draw(rows, D), None, rule=rule)


# Numbers that tell where they come from, then random ones.
named = [torch.arange(16.0).view(4, 4) + 100 * i for i in (1, 2, 3)]
compare_fuse(named, [None] * 3, 2)
compare_unfuse(torch.cat(named), None)
*weights, whole = check.normal((6, 6), (6, 6), (6, 6), (18, 6))
*biases, bias = check.normal((6,), (6,), (6,), (18,), seed=1)
compare_fuse(weights, biases, 3)
compare_fuse(weights, [None] * 3, 3)
compare_fuse(weights, biases, 3, True)
compare_unfuse(whole, bias)
compare_unfuse(whole, None)
compare_unfuse(whole, bias, True)
compare_fuse([w.double() for w in weights], [b.double() for b in biases], 3)
compare_unfuse(whole.double(), bias.double())
# The lecture's sizes: 3 heads of width 64, so the keys of head 1 are rows 256 to 319 of 576.
*lecture_weights, _ = check.normal((192, 192), (192, 192), (192, 192), (1, 1))
_, W, *_ = fused(lecture_weights, [None] * 3)
check.equal(len(W), 576, "the number of rows for width 192")
check.close(W[256 : 319 + 1], lecture_weights[1][64 : 2 * 64], "the rows of the keys of head 1 for width 192")
# The keys of head 1 out of 3, as the lecture reads them: (B, T, 3, heads, width).
x = check.normal((2, 5, 6), seed=2)
_, W, b, *_ = fused(weights, biases)
lecture = F.linear(x, W, b).reshape(2, 5, 3, 3, 2)[:, :, 1, 1]
check.close(lecture, F.linear(x, weights[1], biases[1])[..., 2:4], "the keys of head 1, read as the lecture does,")
refusals(6, lambda *shape: check.normal(shape))

### BEGIN HIDDEN TESTS
for D, heads in [(4, 2), (9, 3), (10, 5)]:
    *weights, whole = check.hidden((D, D), (D, D), (D, D), (3 * D, D))
    *biases, bias = check.hidden((D,), (D,), (D,), (3 * D,))
    for change in (False, True):
        compare_fuse(weights, biases, heads, change)
        compare_fuse(weights, [None] * 3, heads, change)
        compare_unfuse(whole, bias, change)
        compare_unfuse(whole, None, change)
    compare_fuse([w.double() for w in weights], [None] * 3, heads)
    compare_unfuse(whole.double(), None)
refusals(5, lambda *shape: check.hidden(shape))
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 5 · `attention_parameters`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 1 | 5 | 3 | nothing | all of Python |
#
# **Why.** Are eight heads eight times as dear as one? Count before you believe it.
#
# **Steps.** Count the trainable numbers of a `MultiHeadAttention(d_model, heads, bias)`: all four linear layers, with
# their biases if there are any. Return an `int`. If `d_model` or `heads` is below 1, or `heads` does not divide `d_model`,
# raise **`ValueError`**.
#
# **By hand.** The lecture: width 192, 3 heads. One head's queries need 192 · 64 = 12,288 weights, those of three heads
# 3 · 12,288 = 36,864, which is 192 · 192. The whole layer has 4 · 36,864 = 147,456 weights and 4 · 192 = 768 biases:
# 148,224 numbers.
#
# **What is tested.** Exact numbers, as `int`, for several widths and numbers of heads, with and without bias; the default
# has biases; the `ValueError`.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "attention_parameters", "schema_version": 3}
def attention_parameters(d_model: int, heads: int, bias: bool = True) -> int:
    """How many numbers a layer of multi-head attention trains.

    Args:
        d_model: width of a token.
        heads: how many heads there are; divides d_model.
        bias: whether the four linear layers have biases.

    Raises:
        ValueError: a number is below 1, or heads does not divide d_model.
    """
    ### BEGIN SOLUTION
    if min(d_model, heads) < 1 or d_model % heads:
        raise ValueError(f"{heads} heads do not divide d_model = {d_model}")
    return 4 * d_model * (d_model + bool(bias))
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint: what do more heads change?</summary>
#
# Twice as many heads are half as wide each. Look at the shape of `W_q` in exercise 3.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 1, "grade_id": "test_attention_parameters", "schema_version": 3}
@check.probe
def observe(*numbers):
    return attention_parameters(*numbers)


def counted(D, heads, bias):
    """PyTorch's own layer, without memory for its numbers."""
    theirs = nn.MultiheadAttention(D, heads, bias=bias, device="meta")
    return sum(p.numel() for p in theirs.parameters())


def compare(D, heads, *bias):
    got = observe(D, heads, *bias)
    case = f"width {D}, {heads} heads" + ("" if not bias else f", bias={bias[0]}")
    check.that(type(got) is int, f"the number for {case} is an int", likely="a float, from / or math, or no return")
    has = not bias or bias[0]
    right = counted(D, heads, has)
    width = D // heads
    likely = {
        "each head was counted at full width; a head has D / heads": heads * 3 * D * (D + has) + D * (D + has),
        "everything was multiplied by the heads": heads * 4 * D * (D + has),
        "the output projection is missing": 3 * D * (D + has),
        "one head was counted; there are more": 3 * width * (D + has) + D * (D + has),
        "the layer was divided by the heads": 4 * D * (D + has) // heads,
        "an output projection was counted for each head; there is one": 3 * D * (D + has) + heads * D * (D + has),
        "one matrix was counted; there are four": D * (D + has),
        "the biases are missing" if has else "biases were counted though bias=False": 4 * D * (D + (not has)),
        "one bias for the layer; each of the four has its own": 4 * D * D + D,
        "the bias of the output projection is missing": 4 * D * D + 3 * D,
        "a bias was counted as one number; it has one for each output": 4 * D * D + 4,
        "a bias was counted as one number for each head; it has one for each output": 4 * D * D + 4 * heads,
        "a bias was counted as wide as a head; it has one number for each output": 4 * D * D + 4 * width,
    }
    cause = next((name for name, value in likely.items() if value == got), "")
    check.equal(got, right, f"the number for {case}", likely=cause)


compare(192, 3)
check.equal(observe(192, 3), 148_224, "the number for width 192, 3 heads")
compare(192, 1)
compare(192, 12)
compare(192, 3, False)
compare(6, 2, True)
compare(6, 6, False)
compare(768, 12)
for numbers in [(6, 4), (6, 0), (0, 1), (-6, 3), (6, -2), (6, 12, False)]:
    check.raises("ValueError", observe, *numbers, rule=f"{numbers[1]} heads and a width of {numbers[0]}")

### BEGIN HIDDEN TESTS
for D, heads in [(64, 8), (512, 4), (15, 5), (1, 1), (1024, 16)]:
    for bias in [(), (True,), (False,)]:
        compare(D, heads, *bias)
for numbers in [(8, 3), (8, 16), (5, 0), (-4, 2), (0, 2)]:
    check.raises("ValueError", observe, *numbers, rule="these heads and this width do not fit")
### END HIDDEN TESTS

# %% [markdown]
# Ten kinds of layer, one width:

# %%
for heads in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32):
    print(f"d_model 192, {heads:2} heads of width {192 // heads:3}: {attention_parameters(192, heads):,} numbers")

# %% [markdown]
# **What to see.** The number of heads does not appear in the count. More heads are narrower heads: what is bought with
# more questions is paid with narrower ones. (The gates are another matter: each head has its own T × T of them.)

# %% [markdown]
# ## Exercise 6 · `ablate_head`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 2 | 20 | 7 | `MultiHeadAttention` (and both functions of exercise 1) | all of torch |
#
# **Why.** What is a head worth? Take it out and see what the network still can. For that, nothing may be trained again
# and nothing may be left broken: the same layer, one head silent.
#
# **Steps.**
#
# 1. `layer` is your `MultiHeadAttention`, `x` (B, T, D) are tokens that attend to each other; there is no source and no
#    mask. Read the number of heads from the gates' shape. Of the layer only the four `W_` names are promised.
# 2. A head is silent when what it hears is 0: its piece (B, T, width) of what `W_o` reads is replaced by zeros. The other
#    heads, all gates, and the bias of `W_o` stay as they are.
# 3. Return the result, (B, T, D). Afterwards the layer is what it was.
# 4. Heads are counted from 0. If there is no such head (also for negative numbers), raise **`ValueError`**.
#
# **By hand.** `d_model` = 4, 2 heads. For some token the heads hear [1, 2] and [3, 4]; `W_o` is the identity without
# bias. The layer gives [1, 2, 3, 4]; without head 0 it is [0, 0, 3, 4], without head 1 [1, 2, 0, 0].
#
# **What is tested.** Those zeros and other numbers, with and without biases, for every head; the layer has the same
# weights afterwards and gives the same results; `x` is not changed; the result has the type of `x`; gradients reach `x`;
# the `ValueError`.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "ablate_head", "schema_version": 3}
def ablate_head(layer: nn.Module, x: Tensor, head: int) -> Tensor:
    """What a layer makes of its tokens when one head is silent.

    Args:
        layer: a `MultiHeadAttention`; afterwards it is what it was.
        x: (B, T, D) tokens that attend to each other.
        head: which head is silent, from 0.

    Returns:
        (B, T, D)

    Raises:
        ValueError: there is no such head.
    """
    ### BEGIN SOLUTION
    _, gates = layer(x)  # (B, heads, T, T)
    heads = gates.shape[1]
    if not 0 <= head < heads:
        raise ValueError(f"there is no head {head}: the layer has the heads 0 to {heads - 1}")
    hear = (torch.arange(heads) != head)[:, None, None]  # (heads, 1, 1): False for the silent one
    messages = gates @ split_heads(layer.W_v(x), heads) * hear  # (B, heads, T, width)
    return layer.W_o(merge_heads(messages))  # (B, T, D)
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: where is the head's piece?</summary>
#
# Not in the result: `W_o` has mixed all heads there. Look one step earlier. The layer hands you its gates, and `W_v`
# makes the values; from these two you can make again what each head hears.
# </details>
#
# <details><summary>Hint 2: another way</summary>
#
# `W_o` is linear, so the result is a sum with one part for each head, and the bias. Which columns of `W_o` read head 0?
# Take its part away from the whole.
# </details>
#
# <details><summary>Hint 3: "modified by an inplace operation"</summary>
#
# The gradient still needs numbers that were overwritten: `gates[:, head] = 0` writes into the result of the softmax, and
# weights that are put back after the call were other ones during it. Write into a `clone()`, multiply by 0 and 1, or let
# a copy of the layer do it: `copy.deepcopy(layer)`.
# </details>


# %% uses=["MultiHeadAttention"] nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 2, "grade_id": "test_ablate_head", "schema_version": 3}
@check.probe
def observe(weights, biases, heads, x, head, weight=None):
    """The result; x, the layer's numbers and what the layer makes of x, as they are afterwards."""
    layer = MultiHeadAttention(len(weights[0]), heads, bias=bool(biases)).eval()
    own = [getattr(layer, name) for name in ("W_q", "W_k", "W_v", "W_o")]
    inside = [part.weight for part in own] + [part.bias for part in own if biases]
    with torch.no_grad():
        for parameter, value in zip(inside, [*weights, *biases], strict=True):
            parameter.copy_(value)
    if weight is not None:
        loss = (weight * ablate_head(layer, x.requires_grad_(), head)).sum()
        return torch.autograd.grad(loss, x, allow_unused=True)[0] if loss.requires_grad else None
    with torch.no_grad():
        return ablate_head(layer, x, head), x, [p.detach() for p in inside], layer(x)[0]


def heard(weights, biases, heads, x, values_too=False):
    """What each head hears, (B, heads, T, width); and its values, if `values_too`."""
    b = biases or [None] * 4
    q, k, v = (torch.stack(F.linear(x, W, c).chunk(heads, -1), 1) for W, c in zip(weights[:3], b[:3], strict=True))
    gates = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)
    return (gates @ v, v) if values_too else gates @ v


def joined(messages):
    return torch.cat(list(messages.unbind(1)), dim=-1)


def without(weights, biases, heads, x, head):
    """The right result, and what well-known mistakes give."""
    W, b = [w.double() for w in weights], [c.double() for c in biases]
    messages, v = heard(W, b, heads, x.double(), True)
    width, last = messages.shape[-1], b[3] if b else None
    silent = messages.clone()
    silent[:, head] = 0
    after = (head + 1) % heads
    off_by_one, even, mean = messages.clone(), messages.clone(), messages.clone()
    off_by_one[:, after], even[:, head], mean[:, head] = 0, v[:, head].mean(-2, keepdim=True), messages.mean(1)
    right, full = F.linear(joined(silent), W[3], last), F.linear(joined(messages), W[3], last)
    every = joined(messages)
    every[..., head::heads] = 0
    only = F.linear(joined(messages - silent), W[3])
    rows = full.clone()
    rows[..., head * width : (head + 1) * width] = 0
    one_token, one_number, rows_of_W = messages.clone(), joined(messages), W[3].clone()
    one_token[:, :, head : head + 1] = 0
    one_number[..., head] = 0
    rows_of_W[head * width : (head + 1) * width] = 0
    input_cut = x.double().clone()
    input_cut[..., head * width : (head + 1) * width] = 0
    likely = {
        "the head still speaks": full,
        "a piece of the result was set to 0, after W_o has mixed the heads": rows,
        "rows of W_o were set to 0; its columns read the heads": F.linear(joined(messages), rows_of_W, last),
        "a token was silenced in all heads; the heads are dimension 1 of (B, heads, T, width)": F.linear(
            joined(one_token), W[3], last
        ),
        "one number of each token was set to 0; a head has a piece of them": F.linear(one_number, W[3], last),
        "another head is silent; heads are counted from 0": F.linear(joined(off_by_one), W[3], last),
        "that is what this head alone gives": only,
        "that is what this head alone gives, with the bias": F.linear(joined(messages - silent), W[3], last),
        "the bias of W_o went with the head": F.linear(joined(silent), W[3]),
        "W_o is missing": joined(silent),
        "the gates were made even; a silent head hears 0": F.linear(joined(even), W[3], last),
        "the head hears the mean of all heads; silent is 0": F.linear(joined(mean), W[3], last),
        "the others were made louder; they stay as they are": F.linear(
            joined(silent) * heads / max(heads - 1, 1), W[3], last
        ),
        "numbers all over the token were set to 0; those of a head lie side by side": F.linear(every, W[3], last),
        "a piece of x was set to 0; heads are cut out of queries, keys and values": F.linear(
            joined(heard(W, b, heads, input_cut)), W[3], last
        ),
        "that is everything but the bias": full - (last if last is not None else 0),
        "the bias of W_v still speaks; all that the head hears is 0": right,
    }
    if last is not None:
        spoken = silent.clone()
        spoken[:, head] = b[2][head * width : (head + 1) * width]
        likely["the bias of W_v still speaks; all that the head hears is 0"] = F.linear(joined(spoken), W[3], last)
    return right, likely


def compare(weights, biases, heads, x, head):
    got, x_after, weights_after, result_after = observe(weights, biases, heads, x, head)
    case = f"{heads} heads {'with' if biases else 'without'} biases, head {head} silent,"
    check.shape(got, tuple(x.shape), f"the result for {case}", likely="the result alone, without gates")
    check.dtype(got, x.dtype, f"the result for {case}")
    right, likely = without(weights, biases, heads, x, head)
    check.close(got, right, f"the result for {case}", rtol=1e-3, atol=1e-4, likely=likely)
    check.untouched([x_after], [x], "ablate_head leaves x as it was")
    likely = "it was written to and not put back; work on what the layer returns, or on a copy"
    check.untouched(weights_after, [*weights, *biases], "ablate_head leaves the layer's weights as they were", likely)
    W, b = [w.double() for w in weights], [c.double() for c in biases]
    full = F.linear(joined(heard(W, b, heads, x.double())), W[3], b[3] if b else None)
    likely = {"the head stays silent afterwards: a hook, or another forward, was left behind": right}
    check.close(result_after, full, f"what the layer gives afterwards, for {case}", rtol=1e-3, atol=1e-4, likely=likely)


def learning(weights, biases, heads, x, head, weight):
    leaf = x.double().requires_grad_()
    W, b = [w.double() for w in weights], [c.double() for c in biases]
    mask = torch.ones(heads, 1, 1, dtype=torch.float64)
    mask[head] = 0
    loss = (weight * F.linear(joined(heard(W, b, heads, leaf) * mask), W[3], b[3] if b else None)).sum()
    words = ["modified by an inplace operation", "leaf Variable that requires grad"]
    likely = "something was overwritten that the gradient still needs; work on a clone or on copy.deepcopy(layer)"
    with check.instead_of(words, "a gradient reaches x", likely):
        got = observe(weights, biases, heads, x, head, weight)
    check.that(got is not None, "a gradient reaches x", likely=".detach(), .data or no_grad inside of ablate_head")
    right = torch.autograd.grad(loss, leaf)[0]
    check.close(got, right, "the gradient of x", rtol=1e-3, atol=1e-4)


# Every head, three heads first: of two, the silent one and the other are easily confused.
x, *drawn = check.normal((2, 5, 6), (6, 6), (6, 6), (6, 6), (6, 6), (6,), (6,), (6,), (6,))
weights, biases = [w / 6**0.5 for w in drawn[:4]], drawn[4:]
for heads in (3, 2, 1, 6):
    for head in range(heads):
        compare(weights, biases, heads, x, head)

# By hand: one token attends to itself, W_v and W_o are the identity.
one = [torch.eye(4)] * 4
for head, right in enumerate([[0.0, 0, 3, 4], [1.0, 2, 0, 0]]):
    token = torch.tensor([[[1.0, 2, 3, 4]]])
    compare(one, [], 2, token, head)
    check.close(observe(one, [], 2, token, head)[0], torch.tensor([[right]]), "the result by hand")

# No biases; gradients; heads that there are not.
compare(weights, [], 3, x, 1)
learning(weights, biases, 3, x, 1, check.normal((2, 5, 6), seed=1))
for heads, head in [(3, 3), (2, 5), (3, -1), (1, 1)]:
    check.raises(
        "ValueError", observe, weights, biases, heads, x, head, rule=f"{heads} heads, none of them is number {head}"
    )

### BEGIN HIDDEN TESTS
for B, heads, width, T in [(4, 2, 3, 6), (1, 5, 2, 3), (3, 4, 1, 7)]:
    D = heads * width
    x, *drawn, weight = check.hidden((B, T, D), *[(D, D)] * 4, *[(D,)] * 4, (B, T, D))
    weights, biases = [w / D**0.5 for w in drawn[:4]], drawn[4:]
    for head in range(heads):
        compare(weights, biases, heads, x, head)
        compare(weights, [], heads, x, head)
    learning(weights, biases, heads, x, heads - 1, weight)
    for head in (heads, -1, heads + 7, -heads):
        check.raises("ValueError", observe, weights, biases, heads, x, head, rule="there is no such head")
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 7 · `TwoQuestions`: put it together
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 3 | 20 | 7 | `MultiHeadAttention` | all of torch but `F.scaled_dot_product_attention` and `nn.MultiheadAttention` |
#
# **Why.** A task with two questions. A scene is a grid of 6 × 6 cells with eight things in it: a disc, a square, a
# triangle and five stars. The disc asks: where is the square, and where is the triangle, seen from me?

# %% nbgrader={"grade": false, "solution": false, "locked": true, "task": false, "grade_id": "seen", "schema_version": 3}
seen = two_questions.scenes(2000, seed=1)  # tokens (2000, 8, 6), answers (2000, 4)

# %%
told = []
for row in seen.answers[:3]:
    true = [name for name, yes in zip(two_questions.ANSWERS, row, strict=True) if yes]
    told.append(", ".join(true) or "neither left nor above")
described(
    two_questions.drawn(seen.tokens[:3], "Seen from the disc: where is the square, where is the triangle?", told),
    f"Three scenes, each with a disc, a square, a triangle and five stars. What is true of them: {'; '.join(told)}.",
)

# %% [markdown] lint={"number 98": "tests/test_multihead_threshold.py trains right answers and one head from ten seeds"}
# Each thing is a token of 6 numbers: four say what it is (disc, square, triangle, star: one of them 1, the others 0),
# two say where (column and row, each from -1 to 1). **The disc is token 0.** The others come in any order. There are four
# answers for each scene, yes or no: square left, square above, triangle left, triangle above.
#
# Only the disc is asked, so only *its* row of gates counts. One head has one such row for both shapes. Two heads have two,
# which is enough, but from some starts both settle on the same shape. Four leave some to spare, so we take four.
#
# **Steps.**
#
# 1. `TwoQuestions(heads=4, d_model=16)` is an `nn.Module` with three parts: an `nn.Linear` from the 6 features of a token
#    to `d_model`; a `MultiHeadAttention` of yours, (d_model, heads); an `nn.Linear` from `d_model` to the 4 answers. The
#    linear parts have biases or none, as you like.
# 2. `model(tokens)` takes tokens (B, T, 6) to (B, T, d_model), lets them attend to each other, and *adds* what they hear
#    to them (a residual connection). From token 0 alone, the last part reads the answers, (B, 4): above 0 means yes. No
#    sigmoid: the loss below brings its own. Nothing else stands between the parts.
# 3. It returns `(answers, gates)`, with the gates of all heads, (B, heads, T, T).
#
# **By hand.** A guess gets all four answers right in one scene of 16. Who knows about the square and guesses about the
# triangle is right in one of four.
#
# **What is tested.** For any weights: the shapes, for several B, T, heads and d_model; the parts are registered, with the
# widths of step 1; the answers are what these three parts make of the tokens, as step 2 says; the same tokens get the
# same answers again. And your trained `model`, with four heads: on scenes that it has not seen, *all four* answers must
# be right in at least **95 %**. That is no narrow threshold: differently written right answers, each trained from ten
# seeds, all stay above 98 %. One head with the same training stays below 90 %. The test takes the `model` of the
# training cell: after mending something, run the training cell again.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "TwoQuestions", "schema_version": 3}
class TwoQuestions(nn.Module):
    """Says of each scene where square and triangle are, seen from the disc.

    Args:
        heads: of the attention.
        d_model: width of a token inside.
    """

    def __init__(self, heads: int = 4, d_model: int = 16) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.widen = nn.Linear(6, d_model)
        self.attention = MultiHeadAttention(d_model, heads)
        self.answer = nn.Linear(d_model, 4)
        ### END SOLUTION

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """From tokens (B, T, 6) to answers (B, 4), above 0 = yes, and gates (B, heads, T, T)."""
        ### BEGIN SOLUTION
        x = self.widen(tokens)  # (B, T, d_model)
        message, gates = self.attention(x)  # (B, T, d_model), (B, heads, T, T)
        x = x + message
        return self.answer(x[:, 0]), gates  # (B, 4), (B, heads, T, T)
        ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: the trained model stays far below 95 %</summary>
#
# Do the answers come from token 0, and from all of x + message? Does `heads` reach the attention? With one head it stays
# where the threshold says.
# </details>
#
# <details><summary>Hint 2: one scene of 16 is right</summary>
#
# That is guessing. Are all parts made in `__init__`, as attributes, so that training finds them? Is nothing detached?
# </details>
#
# Now train it; this takes a second or two. The training draws the weights of every `nn.Linear` anew, so that your own way
# to start them changes nothing. (From some starts heads settle on the same shape.)


# %% nbgrader={"grade": false, "solution": false, "locked": true, "task": false, "grade_id": "train", "schema_version": 3}
def train(model: nn.Module, steps: int = 400) -> nn.Module:
    """Teach a model the 2,000 scenes, from weights as PyTorch starts them, however they were drawn before."""
    for part in model.modules():
        if isinstance(part, nn.Linear):
            part.reset_parameters()
    generator = torch.Generator().manual_seed(0)
    for step in range(steps):
        some = torch.randint(len(seen.tokens), (64,), generator=generator)
        answers, _ = model(seen.tokens[some])
        if answers.shape != (64, 4):
            raise ValueError(f"The answers for 64 scenes have the shape {tuple(answers.shape)}, not (64, 4).")
        model.zero_grad()
        F.binary_cross_entropy_with_logits(answers, seen.answers[some]).backward()
        with torch.no_grad():
            # One step downhill for each weight. All steps have one size, as Adam's first has, and get smaller and smaller.
            for weight in model.parameters():
                if weight.grad is not None:
                    weight -= 0.02 * (1 - step / steps) * weight.grad.sign()
    return model


torch.manual_seed(0)
model = train(TwoQuestions())

# %% [markdown]
# Beside it one with a single head. It has as many numbers to train (exercise 5), and the same scenes. Nothing here is
# graded.

# %%
fresh = two_questions.scenes(1000, seed=2)


def all_four(answers: Tensor) -> float:
    """In how many of the fresh scenes all four answers are right."""
    return ((answers > 0) == (fresh.answers == 1)).all(-1).float().mean().item()


torch.manual_seed(0)
one_head = train(TwoQuestions(heads=1))
for name, trained_one in [("one head", one_head), ("four heads", model)]:
    right = ((trained_one(fresh.tokens)[0] > 0) == (fresh.answers == 1)).float().mean()
    print(
        f"{name:10}  all four answers right in {all_four(trained_one(fresh.tokens)[0]):.1%}, single answers in {right:.1%}"
    )


# %% [markdown]
# **What to see.** With four heads the model answers nearly every scene. With one head it misses one scene of five or so,
# though it has the same training and as many numbers. One row of gates has to serve two questions. Most of its single
# answers are right all the same: what fails is to have all four right at once.


# %% uses=["MultiHeadAttention"] nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 3, "grade_id": "test_TwoQuestions", "schema_version": 3}
@check.probe
def observe(tokens, sizes, seed):
    torch.manual_seed(seed)
    untrained = TwoQuestions(**sizes).eval()
    with torch.no_grad():
        return untrained(tokens), untrained(tokens), tokens


@check.probe
def parts(heads, d_model, seed):
    """Numbers of each registered MultiHeadAttention, and of each nn.Linear that is not in one of them."""
    torch.manual_seed(seed)
    model = TwoQuestions(heads=heads, d_model=d_model)
    found = [part for part in model.modules() if isinstance(part, MultiHeadAttention)]
    within = {id(part) for layer in found for part in layer.modules()}
    linear = [part for part in model.modules() if isinstance(part, nn.Linear) and id(part) not in within]

    def numbers(part):
        return part.weight.detach(), None if part.bias is None else part.bias.detach()

    inside = [[numbers(getattr(layer, name)) for name in ("W_q", "W_k", "W_v", "W_o")] for layer in found]
    return inside, [numbers(part) for part in linear], sum(p.numel() for p in model.parameters())


@check.probe
def unreached(tokens, heads, d_model):
    """The weights that no gradient of the answers reaches; None if there is no gradient at all."""
    model = TwoQuestions(heads=heads, d_model=d_model)
    answers, _ = model(tokens)
    if not answers.requires_grad:
        return None
    answers.sum().backward()
    return [name for name, weight in model.named_parameters() if weight.grad is None]


@check.probe
def has_model():
    return "model" in globals()


@check.probe
def trained(tokens):
    with torch.no_grad():
        return model.eval()(tokens)


def pair(result, count, T, heads):
    """Answers and gates with the right shapes."""
    two = isinstance(result, (tuple, list)) and len(result) == 2
    check.that(two, "the model returns two tensors, answers and gates", likely="the gates are dropped")
    answers, gates = result
    found = [tuple(getattr(part, "shape", ())) for part in result]
    likely = {
        (count, T, 4): "every token answers; ask the disc alone: x[:, 0]",
        (count, heads, T, T): "the gates come first; first the answers, then the gates",
        (4,): "one scene alone is asked: x[0] is a scene, x[:, 0] are the discs of all scenes",
        (T, 4): "one scene alone is asked: x[0] is a scene, x[:, 0] are the discs of all scenes",
        (count, 2): "two answers for each scene; there are four",
    }
    check.shape(answers, (count, 4), f"the tensor of answers for {count} scenes", likely=likely.get(found[0], ""))
    likely = "these are not the gates of all heads"
    if len(found[1]) == 4 and found[1][1] != heads:
        likely = f"the model was made with heads={heads}; heads does not reach the attention"
    check.shape(gates, (count, heads, T, T), f"the tensor of gates for {count} scenes", likely=likely)
    check.finite(answers, "the tensor of answers")
    return answers.double(), gates


def read(tokens, inside, first, last, heads, how=""):
    """What the three parts make of the tokens; `how` puts a mistake in."""
    x = F.linear(tokens, *first)
    x = x.relu() if how == "relu first" else x
    q, k, v = (torch.stack(F.linear(x, *part).chunk(heads, -1), 1) for part in inside[:3])
    mixed = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v
    message = F.linear(torch.cat(list(mixed.unbind(1)), dim=-1), *inside[3])
    made = {
        "": x + message,
        "no residual": message,
        "unheard": x,
        "twice": x + 2 * message,
        "relu": (x + message).relu(),
        "relu of message": x + message.relu(),
    }
    y = made.get(how, x + message)
    asked = {"mean": y.mean(1), "last": y[:, -1], "sum": y.sum(1), "max": y.amax(1), "second": y[:, 1]}.get(
        how, y[:, 0]
    )
    answers = F.linear(asked, *last)
    return {"sigmoid": answers.sigmoid(), "softmax": answers.softmax(-1), "tanh": answers.tanh()}.get(how, answers)


MISTAKES = {
    "no residual": "the residual is missing: add x to the message",
    "unheard": "the answers are read from the tokens before they have heard anything",
    "twice": "the message is added twice",
    "relu first": "a relu stands behind the first part; step 2 has nothing there",
    "relu": "a relu stands before the last part; step 2 has nothing there",
    "relu of message": "a relu stands behind the attention; step 2 has nothing there",
    "mean": "the answers are read from the mean of all tokens; the disc is token 0",
    "sum": "the answers are read from the sum of all tokens; the disc is token 0",
    "max": "the answers are read from the largest of all tokens; the disc is token 0",
    "last": "the answers are read from the last token; the disc is token 0",
    "second": "the answers are read from token 1; the disc is token 0",
    "sigmoid": "a sigmoid; the loss brings its own",
    "softmax": "a softmax; each answer is a yes or no of its own",
    "tanh": "a tanh stands behind the last part; the answers may be any number",
}


def structure(tokens, heads, d_model, seed):
    """What must hold for any weights."""
    count, T = tokens.shape[:2]
    first, again, after = observe(tokens, {"heads": heads, "d_model": d_model}, seed)
    (answers, _), (repeated, _) = (pair(result, count, T, heads) for result in (first, again))
    likely = "a part is made in forward, with new random weights each time; make all parts in __init__"
    what = "the tensor of answers, asked again with the same tokens,"
    check.close(repeated, answers, what, likely={likely: repeated})
    check.untouched([after], [tokens], "the model leaves its tokens as they were")
    layers, linear, count_all = parts(heads, d_model, seed)
    likely = "it sits in a plain list or dict, where training does not find it; use an attribute or nn.ModuleList"
    check.that(
        len(layers) == 1, f"the model has one MultiHeadAttention among its parts; yours has {len(layers)}", likely
    )
    shapes = sorted(tuple(W.shape) for W, _ in linear)
    right = sorted([(d_model, 6), (4, d_model)])
    what = f"beside attention there are linear parts of the shapes {right} for d_model={d_model}; yours are {shapes}"
    check.that(shapes == right, what, likely="step 1 names two: one before attention, one after it")
    numbers = [t for part in [*layers[0], *linear] for t in part if t is not None]
    likely = "something else is trained: a norm, a parameter"
    check.that(count_all == sum(t.numel() for t in numbers), "the three parts are all that is trained", likely=likely)
    before, last = sorted(linear, key=lambda part: tuple(part[0].shape) != (d_model, 6))
    sent = [[t if t is None else t.double() for t in part] for part in [*layers[0], before, last]]
    arguments = tokens.double(), sent[:4], sent[4], sent[5], heads
    likely = {cause: read(*arguments, how) for how, cause in MISTAKES.items()}
    what = f"the tensor of answers, as the three parts give them, for {heads} heads,"
    otherwise = "none of the known mistakes; step 2 says what each part reads"
    check.close(answers, read(*arguments), what, rtol=1e-3, atol=1e-4, likely=likely, otherwise=otherwise)
    likely = "detach, .data, .item() or no_grad stands between the parts"
    deaf = unreached(tokens, heads, d_model)
    check.that(deaf is not None, "a gradient passes through the model", likely=likely)
    check.that(not deaf, f"training reaches all parts; it does not reach {', '.join(map(str, deaf))}", likely=likely)


def share_right(scenes, what):
    """In how many scenes all four answers of the trained model are right."""
    answers, _ = pair(trained(scenes.tokens), len(scenes.tokens), 8, 4)
    right = torch.where(scenes.answers == 1, answers > 0, answers < 0)  # exactly 0 says nothing
    share, single = right.all(-1).double().mean(), right.double().mean()
    if answers.min() >= 0 and answers.max() <= 1:
        likely = "a sigmoid: yours all lie from 0 to 1, but no is what lies below 0"
    elif single < 0.6:
        likely = "that is guessing: the disc hears nothing of square and triangle, or nothing was learned"
    elif share < 0.9:
        likely = "all heads hear the same, or training does not reach all parts"
    else:
        likely = "training does not reach all parts"
    what = f"all four answers are right in at least 95 % of {what}; yours are in {100 * share:.0f} %"
    check.that(share >= 0.95, what, likely + ". Mended since? Run the training cell again")


some = two_questions.scenes(5, seed=3).tokens
structure(some, 2, 16, 0)
structure(some[:1], 3, 12, 1)
structure(some[:, :6], 1, 5, 2)
likely = "run the training cell; if it shows an error, mend this first"
check.that(has_model(), "the training cell has made `model`", likely)
share_right(two_questions.scenes(500, seed=4), "500 scenes that it has not seen")

### BEGIN HIDDEN TESTS
seed = check.hidden_seed()
unseen = two_questions.scenes(1000, seed=seed)
structure(unseen.tokens[:7], 4, 8, seed % 1000)
structure(unseen.tokens[7:10, :5], 2, 10, 5)
structure(unseen.tokens[:3], 1, 7, seed % 999)
share_right(unseen, "scenes that it has not seen")
### END HIDDEN TESTS

# %% [markdown]
# Look into your model. Where does the disc look, and what is each head worth?

# %%
_, gates = model(fresh.tokens[:1])  # (1, 4, 8, 8)
row = gates[0, :, 0]  # (4, 8): what the disc takes, head by head
names = [f"head {head}" for head in range(len(row))]
described(
    two_questions.drawn(fresh.tokens[:1].expand(4, -1, -1), "Four heads, four rows of gates for one disc", names, row),
    f"One scene four times. The disc's gates for its eight things, head by head: {row.detach().numpy().round(2)}",
)

# %% [markdown]
# **What to see.** The lines are as wide as the gates of the disc's row. Each head has a row of its own, so that one thing
# can have all of one row while another thing has all of the next. Now silence one head at a time, with your `ablate_head`.

# %%
layer = next(part for part in model.modules() if isinstance(part, MultiHeadAttention))
twin = copy.deepcopy(layer)  # ablate_head asks the layer itself, so it gets one without the hook below
right = {"all heads": (model(fresh.tokens)[0] > 0) == (fresh.answers == 1)}  # (1000, 4)
for head in range(4):
    silent = layer.register_forward_hook(lambda part, args, out, head=head: (ablate_head(twin, args[0], head), out[1]))
    right[f"head {head} silent"] = (model(fresh.tokens)[0] > 0) == (fresh.answers == 1)
    silent.remove()
shares = {name: found.float().mean(0) for name, found in right.items()}  # (4,) each
rows = torch.stack(list(shares.values()))  # (5, 4)
drawing = plots.feature_map(rows, list(shares), two_questions.ANSWERS, "What each head is worth, answer by answer")
drawing[1].set(xlabel="answer", ylabel="")
drawing[0].axes[-1].set_ylabel("share right")  # the colour bar
described(drawing, f"Shares of right answers: {'; '.join(f'{n} {row.numpy().round(2)}' for n, row in shares.items())}.")

# %% [markdown]
# **What to see.** With all heads the four columns are close to 1. A row below shows which answers get worse without one
# head. Nobody gave the heads these jobs: another start shares the work out in another way, and a head may help with both
# shapes. (A column can stay far from 0: the disc still knows where it stands itself, and from the rightmost column nearly
# everything is to the left.)

# %% [markdown]
# ## Exercise 8 · In your own words
#
# | points | minutes | length | graded by |
# |---|---|---|---|
# | 2 | 10 | 4 to 8 sentences | a person |
#
# `merge_heads` lays the messages of all heads side by side. Then comes `W_o`. **What does the output projection do that
# the concatenation does not?**
#
# - One point: say what is learned in each of the two steps, and which numbers of the result one head can reach without
#   `W_o`, and with it.
# - One point: give an example of two heads whose messages have to be mixed, and say what the network would have to do if
#   it could not.
#
# Exercise 2 has an example; one of your own is better. Write below.

# %% [markdown] nbgrader={"grade": true, "solution": true, "locked": false, "task": false, "points": 2, "grade_id": "output_projection", "schema_version": 3}
# Concatenation has no numbers to learn. It moves the messages side by side: head 0 can only ever fill the first `width`
# numbers of a token, head 1 the next ones, and no number of the result knows two heads. `W_o` is learned. Each number of
# its result is a weighted sum over all heads, so a head can write anywhere in the token, two heads can be compared or
# added, and a head that does not help can be given small weights. It also brings the messages into the directions in
# which the residual stream keeps things, since the result is added to the token.
#
# In exercise 2 head 0 hears wings and head 1 hears hull. "Sky or sea?" is their difference. Side by side, [.711, 0] is
# only two findings. Without `W_o` a later layer would have to subtract them, and the residual would add wings to whatever
# feature happens to stand in that place.
#
# (One point for: nothing learned against learned weights, and own places only against all places. One point for an
# example in which two messages must meet, with what would be missing: a later layer has to do it, or the sum with the
# token mixes things that do not belong together.)

# %% [markdown]
# ## Our words and the field's words
#
# | ours | the field's | remark |
# |---|---|---|
# | head | attention head | an attention of its own, with queries, keys and values of width D / heads |
# | D, `d_model` | $d_{model}$, embedding dimension, hidden size | `embed_dim` in PyTorch |
# | width of a head | $d_k$, $d_v$, head dimension | $d_k$ = $d_v$ = $d_{model}$ / h in the paper |
# | `split_heads`, `merge_heads` | reshape and transpose, `rearrange` | "b t (h d) -> b h t d" and back |
# | gate | attention weight, attention probability | after the softmax; one matrix for each head |
# | what a head hears, its message | head output, context vector | $\text{head}_i$ in the paper |
# | `W_o` | output projection, $W^O$, `out_proj`, `c_proj` | |
# | fused QKV projection | `qkv`, `in_proj_weight`, `c_attn` | layout (3, heads, width) here and in PyTorch |
# | `source` | memory, encoder output | where keys and values come from; with it: cross-attention |
# | silent head | ablated, masked or pruned head | Michel et al., 2019 |
#
# **Differs from the paper.** Vaswani et al., 2017, write one small matrix for each head; we keep all heads of the queries
# in one `nn.Linear` and cut its result, which is the same. Their projections have no bias; ours has one, as PyTorch's
# does. They put a layer normalisation behind the residual, and drop some numbers at random in training; `TwoQuestions` has
# neither. In our layer True in a mask means "may attend"; in `nn.MultiheadAttention` it means "blocked".
#
# **Differs from the lecture.** The lecture's experiment with heads looks at pixels and averages all tokens at the end.
# There a single head can let the square ask one question and the disc another, for every token has a row of gates. Given
# time, it sometimes succeeds. Here only the disc is read, so that one head has one row for two questions.
