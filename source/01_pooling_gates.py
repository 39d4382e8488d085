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
# # 01 · Max pooling is a gate
#
# **The question:** a max pool has no weights. So what does it do to the signal on the way forward, to the gradient on
# the way back, and who learns through it? This homework builds max pooling as what it is, a gate times the values, and
# counts variance through convolutions and pools.
#
# How it works: write your code where a cell says `NotImplementedError`, then run the test cell below it. The test stops
# at the first thing that is wrong and says what it was probably caused by. After you hand in, hidden tests check the
# same properties with other numbers.
#
# A message has a line `called    observe(...)`. `observe` is a little function of the test's own: it calls yours with
# these inputs. (`gradient` and the like are such functions, too.)
#
# All exercises together take about 150 minutes. **Stuck? Go on:** run the later cells one by one. Only exercise 3 (with
# your `hardmax` and `windows`), exercise 4 (with `hardmax`) and exercise 8 (with `max_pool_gated`) build on earlier
# ones. The digit in the pictures is a real one, the 7 of the lecture.

# %% room="both" nbgrader={"grade": false, "solution": false, "locked": true, "task": false, "grade_id": "setup", "schema_version": 3}
import math

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils import check, settings

settings.prepare(seed=0)

# %% [markdown]
# ## One channel, four windows
#
# A network has looked at a picture with one filter. What came out is a **channel**: 4 × 4 numbers. A max pool cuts it
# into four **windows** of 2 × 2 and keeps the largest value of each.

# %%
from course_utils import charts, lecture_seven, pooling_convs, pooling_windows
from course_utils.described import described

channel = torch.tensor([[0.2, 0.9, 0.1, 0.4], [0.5, 0.3, 0.8, 0.6], [0.7, 0.1, 0.3, 0.2], [0.4, 0.6, 0.9, 0.5]])
open_gates = [[0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 1, 0]]
described(
    pooling_windows.gated_sums(channel, open_gates, "A max pool is a gated sum: one gate of each window is open"),
    "Four windows of four values each. In each window the line from the largest value to the sum is thick, gate 1; the "
    "others are thin, gate 0. The sums are 0.9, 0.8, 0.7 and 0.9.",
)

# %% [markdown]
# **What to see.** In each window every value is multiplied by a **gate**, and the products are added up. The gate is 1
# for the largest value and 0 for the others. For the top left: .2 · 0 + .9 · 1 + .5 · 0 + .3 · 0 = .9.
#
# **Words.** *Hardmax* is the function that makes these gates of the values. `B` is the number of pictures, `C` of
# channels, `h` and `w` are height and width of a map, `k` is the side of a window or a filter. `...` stands for any
# number of leading dimensions, also none. Batch comes first, always. Values and gates of a window stand in reading
# order: row by row. $\hat p$ is the input of a convolution, $\hat y$ its output, and $g$ the gradient that arrives at
# an output.

# %% [markdown]
# ## Exercise 1 · `hardmax`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 2 | 10 | 2 | nothing | all of torch |
#
# **Why.** Max pooling, ReLU and attention have one form: gate times value. They differ in their gates. A max pool's is
# the hardest, and the first that we build. The next lesson makes it soft.
#
# **Steps.** Along the dimension `dim`, a gate of 1 where the largest value stands and 0 elsewhere. If several values
# are equally large, the *first* one gets the gate: exactly one gate is open. The result has shape and type of `v`.
#
# **By hand.** .2 .9 .5 .3 gives 0 1 0 0. And 2 5 5 1 gives 0 1 0 0, too: the second 5 comes late.
#
# **What is tested.** Those numbers and others; negative values; ties, as in a window of zeros; any number of
# dimensions, any `dim`, counted from the front or from the end, and -1 if none is given; float32 and float64; `v` is
# not changed.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "hardmax", "schema_version": 3}
def hardmax(v: Tensor, dim: int = -1) -> Tensor:
    """A gate of 1 for the largest value along a dimension, and 0 for all others.

    Args:
        v: values, any shape.
        dim: the dimension along which values compete.

    Returns:
        gates in the shape and type of v; along dim exactly one is 1, of equal values the first.
    """
    ### BEGIN SOLUTION
    winner = v.argmax(dim, keepdim=True)  # of equal values the first
    return torch.zeros_like(v).scatter(dim, winner, 1)
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: two gates are open</summary>
#
# A comparison with the largest value is true wherever that value stands. Do not ask what the largest value is. Ask
# where it stands. For that torch has a function, and its documentation says what it does with ties.
# </details>
#
# <details><summary>Hint 2: from a place to gates</summary>
#
# You have the place and want a 1 there. `scatter` puts numbers at places along a dimension. `F.one_hot` works, too, but
# it always puts the new dimension last, and it makes whole numbers.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 2, "grade_id": "test_hardmax", "schema_version": 3}
@check.probe
def observe(v, dim=None):
    return hardmax(v) if dim is None else hardmax(v, dim), v  # the gates, and v as it is afterwards


def first_largest(v, dim):
    """Where a gradient of the largest values arrives: of equal ones at the first."""
    v = v.clone().requires_grad_()
    return torch.autograd.grad(v.max(dim).values.sum(), v)[0]


def compare(v, what, dim=None):
    """Everything that must hold for one input."""
    along = -1 if dim is None else dim
    gates, after = observe(v, dim)
    case = f"the tensor of gates of {what}"
    moved = getattr(gates, "shape", None) == v.movedim(along, -1).shape
    likely = "the gates stand in the last dimension; move it to dim" if moved else "one gate for each value of v"
    check.shape(gates, tuple(v.shape), case, likely=likely)
    check.dtype(gates, v.dtype, case, likely="gates have the type of v; booleans and whole numbers do not")
    right = first_largest(v, along)
    last = first_largest(v.flip(along), along).flip(along)
    largest = v.amax(along, keepdim=True)
    likely = {
        "all equal values got a gate; only the first may": (v == largest).to(v.dtype),
        "the last of equal values got the gate; the first must": last,
        "these are values; a gate is 0 or 1": right * v,
        "the largest in size won; a negative value loses": first_largest(v.abs(), along),
        "the smallest value won": first_largest(-v, along),
        "a softmax: its gates lie between 0 and 1": v.softmax(along),
        "the whole tensor has one winner; every row along dim has its own": first_largest(v.flatten(), 0).view_as(v),
        "the largest of the whole tensor won; every row along dim has a winner": (v == v.max()).to(v.dtype),
        "dim is not used, the values of the last dimension compete": first_largest(v, -1),
        "the values of the first dimension compete": first_largest(v, 0),
    }
    check.close(gates, right, case, likely=likely)
    check.untouched([after], [v], "hardmax leaves v as it was")


compare(torch.tensor([0.2, 0.9, 0.5, 0.3]), "the top-left window")
compare(torch.tensor([-3.0, -1.0, -2.0]), "three negative values")
compare(torch.tensor([2.0, 5.0, 5.0, 1.0]), "two equal winners")
compare(torch.zeros(3, 4), "windows of zeros")
v = check.normal((2, 3, 5))
for dim in (None, -1, 2, 1, -2, 0):
    compare(v, f"v (2, 3, 5) along dim={dim}", dim)
compare(v.double(), "v in float64", 1)
compare(v.round().clamp(min=0), "values with many ties", 1)

### BEGIN HIDDEN TESTS
for shape in [(7,), (4, 6), (3, 2, 4), (2, 3, 4, 5)]:
    v = check.hidden(shape)
    for dim in range(-len(shape), len(shape)):
        compare(v, f"v {shape} along dim={dim}", dim)
        compare(v.double().round(), f"ties in v {shape} along dim={dim}", dim)
    compare(v.relu() - 1, f"v {shape} after a ReLU, and 1 less")
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 2 · `windows`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 2 | 15 | 5 | nothing | all of torch |
#
# **Why.** A pool works on windows. If all windows stand in the last dimension, a pool is one line, and so is any other
# pool that we invent later.
#
# **Steps.** Cut maps `x` (B, C, h, w) into windows of k × k that touch and do not overlap.
#
# 1. h and w must be multiples of k, and k at least 1. If not, raise **`ValueError`**. (Its message is up to you.)
# 2. The result is (B, C, h/k, w/k, k·k). Its last dimension holds one window in reading order, row by row.
#
# **By hand.** The channel above is (1, 1, 4, 4), with k = 2. Its windows are .2 .9 .5 .3, then .1 .4 .8 .6, then
# .7 .1 .4 .6 and .3 .2 .9 .5: shape (1, 1, 2, 2, 4).
#
# **What is tested.** Those numbers and others; maps that are wider than high and the other way round; k of 1, 2 and 3,
# and k as large as the map; the errors of step 1; float32 and float64; gradients reach `x`; `x` is not changed.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "windows", "schema_version": 3}
def windows(x: Tensor, k: int) -> Tensor:
    """Cut maps into windows that touch and do not overlap.

    Args:
        x: (B, C, h, w) maps.
        k: side of a window.

    Returns:
        (B, C, h/k, w/k, k*k) the values of each window in reading order.

    Raises:
        ValueError: k is below 1, or does not divide h and w.
    """
    ### BEGIN SOLUTION
    h, w = x.shape[-2:]
    if k < 1 or h % k or w % k:
        raise ValueError(f"a map of {h} x {w} cannot be cut into windows of {k} x {k}")
    cut = x.unflatten(3, (w // k, k)).unflatten(2, (h // k, k))  # (B, C, h/k, k, w/k, k)
    return cut.transpose(3, 4).flatten(4)  # (B, C, h/k, w/k, k*k)
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: why not one reshape?</summary>
#
# A reshape keeps the numbers in their order, and cuts that order into pieces. The first k·k numbers in the order of the
# map lie beside each other in one row. The first window has k of them in one row and the next k in the row below.
# </details>
#
# <details><summary>Hint 2: four dimensions for two</summary>
#
# Split h into (h/k, k) and w into (w/k, k): no number moves. Which two of these four must change places, so that the
# numbers of a window come to stand behind each other? Or: `x.unfold` cuts one dimension into pieces; use it twice.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 2, "grade_id": "test_windows", "schema_version": 3}
@check.probe
def observe(x, k):
    return windows(x, k), x  # the windows, and x as it is afterwards


@check.probe
def gradient(x, k, weight):
    x.requires_grad_()
    loss = (weight * windows(x, k)).sum()
    return torch.autograd.grad(loss, x)[0] if loss.requires_grad else None


def compare(x, k, places):
    """Everything that must hold for one input. `places` says which positions of the map, in reading order, stand where."""
    B, C, h, w = x.shape
    got, after = observe(x, k)
    case = f"x {tuple(x.shape)} with k={k}"
    check.shape(
        got,
        (B, C, h // k, w // k, k * k),
        f"the tensor of windows of {case}",
        likely="the last dimension holds k·k values",
    )
    check.dtype(got, x.dtype, f"the tensor of windows of {case}", likely="the type of x must stay")
    right = x.flatten(2)[..., torch.as_tensor(places).view(h // k, w // k, k * k)]
    by_column = right.unflatten(-1, (k, k)).mT.flatten(-2)
    rows = F.unfold(x, k, stride=k)  # (B, C·k·k, windows)
    likely = {
        "one reshape cuts rows into pieces; a window takes k numbers of each of k rows": x.reshape(right.shape),
        "the values of a window stand column by column; row by row is right": by_column,
        "windows are counted column by column; row by row is right": right.transpose(2, 3),
        "F.unfold puts each window in a column; in a reshape right after it rows are read": rows.reshape(right.shape),
        "every k-th row and column was taken; the values of a window are neighbours": x.unflatten(3, (k, w // k))
        .unflatten(2, (k, h // k))
        .permute(0, 1, 3, 5, 2, 4)
        .flatten(4),
        "channels are mixed: F.unfold puts all channels of a place behind each other": rows.mT.reshape(right.shape),
    }
    check.close(got, right, f"the tensor of windows of {case}", likely=likely)
    check.untouched([after], [x], "windows leaves x as it was")


# By hand: a map of the numbers 0 to 23, the channel of the lecture, then maps whose windows are written out.
channel_ = torch.tensor([[0.2, 0.9, 0.1, 0.4], [0.5, 0.3, 0.8, 0.6], [0.7, 0.1, 0.3, 0.2], [0.4, 0.6, 0.9, 0.5]])
wide = [[0, 1, 6, 7], [2, 3, 8, 9], [4, 5, 10, 11], [12, 13, 18, 19], [14, 15, 20, 21], [16, 17, 22, 23]]
high = [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15], [16, 17, 20, 21], [18, 19, 22, 23]]
large = [[0, 1, 2, 6, 7, 8, 12, 13, 14], [3, 4, 5, 9, 10, 11, 15, 16, 17]]
compare(torch.arange(24.0).view(1, 1, 4, 6), 2, wide)
compare(channel_[None, None], 2, [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]])
x = check.normal((2, 3, 4, 6))  # 4 rows of 6
compare(x, 2, wide)
compare(x.double(), 2, wide)
compare(x.mT.contiguous(), 2, high)
compare(x.mT, 2, high)
compare(x[:, :, :3], 3, large)
compare(x, 1, range(24))
compare(x[..., :4], 4, range(16))
for k, rule in [(4, "k must divide the width, and 4 does not divide 6"), (0, "k must be at least 1"),
                (3, "k must divide the height, and 3 does not divide 4"), (-2, "k must be at least 1"),
                (8, "k must divide the height, and 8 does not divide 4")]:  # fmt: skip
    check.raises("ValueError", observe, x, k, rule=rule)
tall = check.normal((1, 1, 6, 8))
check.raises("ValueError", observe, tall, 4, rule="k must divide the height; that 4 · 4 divides 6 · 8 is not enough")
check.raises("ValueError", observe, tall.mT, 4, rule="k must divide the width; that 4 · 4 divides 8 · 6 is not enough")
weight = check.normal((2, 3, 2, 3, 4), seed=1)
found = gradient(x, 2, weight)
check.that(found is not None, "a gradient reaches x", likely=".detach(), .numpy(), torch.tensor(...)")
check.close((found * x).sum(), (weight * observe(x, 2)[0]).sum(), "the gradient of x", rtol=1e-3, atol=1e-3)


### BEGIN HIDDEN TESTS
def slide(x, k):
    """The windows, by sliding: (B, C, h/k, w/k, k*k)."""
    places = F.unfold(x, k, stride=k).unflatten(1, (x.shape[1], k * k)).movedim(2, -1)  # (B, C, windows, k*k)
    return places.unflatten(2, (x.shape[2] // k, x.shape[3] // k))


for shape, k in [((1, 2, 6, 12), 3), ((3, 1, 9, 6), 3), ((2, 2, 5, 5), 5), ((2, 4, 8, 4), 4), ((1, 1, 3, 7), 1)]:
    x = check.hidden(shape)
    places = slide(torch.arange(shape[2] * shape[3], dtype=torch.float64).view(1, 1, *shape[2:]), k).long()
    compare(x, k, places)
    compare(x.double(), k, places)
    for bad in (max(shape) + 1, 0, -k):
        check.raises("ValueError", observe, x, bad, rule="k must divide height and width")
x = check.hidden((2, 2, 6, 4))
check.raises("ValueError", observe, x, 3, rule="k must divide the width")
check.raises("ValueError", observe, x.mT, 3, rule="k must divide the height")
x = check.hidden((1, 2, 9, 16))
check.raises("ValueError", observe, x, 6, rule="k must divide height and width; that k · k divides h · w is not enough")
check.raises(
    "ValueError", observe, x.mT, 6, rule="k must divide height and width; that k · k divides h · w is not enough"
)
x = check.hidden((2, 2, 6, 4))
weight = check.hidden((2, 2, 3, 2, 4))
found = gradient(x, 2, weight)
check.that(found is not None, "a gradient reaches x", likely="something on the way was detached")
x.requires_grad_()
check.close(found, torch.autograd.grad((weight * slide(x, 2)).sum(), x)[0], "the gradient of x")
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 3 · `max_pool_gated`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 3 | 15 | 3 | `hardmax`, `windows` | all of torch but its max pools (`F.max_pool2d` and the like) |
#
# (Those pools are what you build here.)
#
# **Why.** $\text{out} = V \cdot \text{hardmax}(V)$. ReLU has the same form: $H(y)\,y$, a step that opens or shuts,
# times the value. A gate that is computed from the values has nothing to learn. But it decides who does.
#
# **Steps.**
#
# 1. Cut `x` (B, C, h, w) into windows V: (B, C, h/k, w/k, k·k).
# 2. Gates of each window: hardmax, same shape.
# 3. Multiply and sum over the window: (B, C, h/k, w/k). Return this and the gates. (Gates may have any type.)
#
# **By hand.** The channel above gives .9 .8 .7 .9. The gates of its first window are 0 1 0 0.
#
# **What is tested.** The output equals `F.max_pool2d(x, k)`, and so does the gradient of `x`, also where values are
# equal, as in a map after a ReLU; the gates belong to it; k of 1, 2 and 3; float32 and float64, and the output has the
# type of `x`; a k that does not fit raises **`ValueError`** (your `windows` does that); `x` is not changed.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "max_pool_gated", "schema_version": 3}
def max_pool_gated(x: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Max pooling as gates times values.

    Args:
        x: (B, C, h, w) maps.
        k: side of a window.

    Returns:
        out (B, C, h/k, w/k) the largest value of each window, and gates (B, C, h/k, w/k, k*k).

    Raises:
        ValueError: k is below 1, or does not divide h and w.
    """
    ### BEGIN SOLUTION
    V = windows(x, k)  # (B, C, h/k, w/k, k*k)
    gates = hardmax(V)  # (B, C, h/k, w/k, k*k)
    return (V * gates).sum(-1), gates  # (B, C, h/k, w/k)
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: the values are right, the gradient is not</summary>
#
# The gradient of `out` for a value is that value's gate, so it comes through the *values*. Were they detached on the
# way? And where several values are equally large, only one of them gets it.
# </details>


# %% uses=["hardmax", "windows"] nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 3, "grade_id": "test_max_pool_gated", "schema_version": 3}
@check.probe
def observe(x, k):
    return max_pool_gated(x, k), x  # the result, and x as it is afterwards


@check.probe
def gradient(x, k, arriving):
    x.requires_grad_()
    loss = (arriving * max_pool_gated(x, k)[0]).sum()
    return torch.autograd.grad(loss, x)[0] if loss.requires_grad else None


@check.probe
def library_calls(x):
    from torch.overrides import TorchFunctionMode

    names = []

    class Watch(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            names.append(getattr(function, "__name__", ""))
            return function(*args, **(kwargs or {}))

    with Watch():
        max_pool_gated(x, 2)
    return [name for name in names if "max_pool" in name]


def library_gradient(x, k, arriving):
    x = x.clone().requires_grad_()
    return torch.autograd.grad((arriving * F.max_pool2d(x, k)).sum(), x)[0]


def stretched(pooled, k):
    """Each number of a pooled map at all places of its window."""
    return pooled.repeat_interleave(k, -1).repeat_interleave(k, -2)


def added(x, k):
    """The sum of each window."""
    return F.avg_pool2d(x, k) * k**2


def competing(x, k, dim):
    """What comes out if values compete along another dimension than that of a window."""
    cut = F.pixel_unshuffle(x, k).unflatten(1, (x.shape[1], k * k)).movedim(2, -1).requires_grad_()
    return (cut * torch.autograd.grad(cut.max(dim).values.sum(), cut)[0]).sum(-1).detach()


def compare(x, k, what):
    """Values, gates and gradient for one input."""
    B, C, h, w = x.shape
    result, after = observe(x, k)
    two = isinstance(result, (tuple, list)) and len(result) == 2
    check.that(two, "max_pool_gated returns two tensors, out and gates", likely="only one of them is returned")
    out, gates = result
    one, all_ = (B, C, h // k, w // k), (B, C, h // k, w // k, k * k)
    sizes = [getattr(part, "shape", None) for part in result]
    likely = "add up the products over the window" if sizes[0] == all_ else "one number for each window"
    likely = "first the output, then the gates" if sizes == [all_, one] else likely
    check.shape(out, one, f"the output for {what}", likely=likely)
    check.shape(gates, all_, f"the tensor of gates for {what}", likely="one gate for each value")
    check.dtype(out, x.dtype, f"the output for {what}", likely="the type of x must stay")
    largest, smallest = F.max_pool2d(x, k), -F.max_pool2d(-x, k)
    equal = (x == stretched(largest, k)).to(x.dtype)
    likely = {
        "the average of the window": added(x, k) / k**2,
        "the smallest value": smallest,
        "the sum of the window: every gate is open, or another dimension than the last competes": added(x, k),
        "equal winners all passed, and were added": added(x * equal, k),
        "a soft gate; this one is 0 or 1": added(x * x.exp(), k) / added(x.exp(), k),
        "0 came out where all values are negative": largest.clamp(min=0),
        "the largest in size": torch.where(largest >= -smallest, largest, smallest),
        "the values of different pictures compete; those of a window must": lambda: competing(x, k, 0),
        "the values of different channels compete; those of a window must": lambda: competing(x, k, 1),
        "windows in a column compete; the values of a window must, in the last dimension": lambda: competing(x, k, 2),
        "windows in a row compete; the values of a window must, in the last dimension": lambda: competing(x, k, 3),
    }
    check.close(out, largest, f"the output for {what}", likely=likely)
    right = library_gradient(x, k, torch.ones_like(largest))
    likely = {
        "all equal values have an open gate; only the first may": equal,
        "these are gates times values": right * x,
        "these are the windows": x,
    }
    laid = F.pixel_shuffle(gates.movedim(-1, 2).flatten(1, 2), k)  # (B, C, h, w)
    check.close(laid, right, f"the tensor of gates, laid back over the map, for {what}", likely=likely)
    check.untouched([after], [x], "max_pool_gated leaves x as it was")
    arriving = check.normal((B, C, h // k, w // k), seed=5).to(x.dtype)
    found = gradient(x, k, arriving)
    check.that(
        found is not None, "a gradient reaches x", likely=".detach(), .item(), .numpy() or no_grad on the values"
    )
    likely = {
        "equal winners share the gradient; the first must get all of it": equal
        * stretched(arriving / added(equal, k), k),
        "the gradient went to every value of the window": stretched(arriving, k),
    }
    check.close(found, library_gradient(x, k, arriving), f"the gradient of x for {what}", likely=likely)


channel_ = torch.tensor([[0.2, 0.9, 0.1, 0.4], [0.5, 0.3, 0.8, 0.6], [0.7, 0.1, 0.3, 0.2], [0.4, 0.6, 0.9, 0.5]])
compare(channel_[None, None], 2, "the channel of the lecture")
x = check.normal((2, 3, 6, 12))
for k in (1, 2, 3):
    compare(x, k, f"x (2, 3, 6, 12) with k={k}")
compare(-x.abs() - 1, 2, "negative values")
compare(x.relu(), 2, "a map after a ReLU, with many zeros")
compare(x.double().round(), 3, "equal values, in float64")
check.raises("ValueError", observe, x, 4, rule="k must divide the height, and 4 does not divide 6")
check.that(
    not library_calls(x), "max_pool_gated is built from gates and values", likely="it calls the library's own pool"
)

### BEGIN HIDDEN TESTS
for shape, k in [((1, 2, 4, 6), 2), ((3, 1, 9, 6), 3), ((2, 4, 8, 4), 4), ((2, 2, 3, 5), 1)]:
    x = check.hidden(shape)
    compare(x, k, f"x {shape} with k={k}")
    compare(x.double().relu(), k, f"x {shape} after a ReLU, with k={k}")
    compare(x.round() - 2, k, f"x {shape} with equal values and k={k}")
x = check.hidden((2, 2, 6, 4))
check.raises("ValueError", observe, x, 3, rule="k must divide the width, and 3 does not divide 4")
check.that(
    not library_calls(x), "max_pool_gated is built from gates and values", likely="it calls the library's own pool"
)
### END HIDDEN TESTS

# %% [markdown]
# The 7 of the lecture: a real digit, in ten grey levels. A filter that finds top edges gave this map. Your pool and
# your gates, on its strongest window:

# %%
seven = lecture_seven.lecture_seven()
pooled, gates = max_pool_gated(seven.edges[None, None], 2)  # (1, 1, 12, 12), (1, 1, 12, 12, 4)
row, column = seven.window
described(
    pooling_windows.window_gates(
        seven.edges, seven.window, gates[0, 0, row, column], "Your gates: one of four values passes"
    ),
    "The map of top edges of a 7 with a frame around a window. Its values are 3.44, 4.11, 8.44 and 9.11; your gates are "
    f"{gates[0, 0, row, column].tolist()}, and {pooled[0, 0, row, column]:.2f} passes.",
)

# %% [markdown]
# **What to see.** Above: 3.44 4.11 8.44 9.11, times 0 0 0 1, is 9.11. Below: on the way back the same gates stand
# between the output and the values. 8.44 is almost as large, and hears nothing.

# %% [markdown]
# ## Exercise 4 · `pool_backward`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 2 | 15 | 5 | `hardmax` | all of torch but autograd: the test runs your code without it |
#
# **Why.** A gradient g arrives at the one output of a window. Where does it go? Write down what autograd does for you,
# once, so that you can say who learns.
#
# **Steps.** `v` (..., n) holds windows, `g` (...) the gradient that arrives at each of them. The result is the gradient
# of each value: (..., n).
#
# 1. `kind="max"`: the winner gets g, the others get 0.
# 2. `kind="average"`: the output is the sum of $v_j / n$, so that each value gets $g / n$.
# 3. Any other kind raises **`ValueError`**.
#
# **By hand.** The window 3.44 4.11 8.44 9.11, and g = 2. Max: 0 0 0 2. Average: .5 .5 .5 .5.
#
# **What is tested.** Those numbers and others, with windows of several sizes; no, one and more leading dimensions;
# ties, of which the first gets all; g of 0 and below 0; float32 and float64; the `ValueError`; `v` and `g` are not
# changed.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "pool_backward", "schema_version": 3}
def pool_backward(v: Tensor, g: Tensor, kind: str) -> Tensor:
    """The gradient of each value of a pooled window.

    Args:
        v: (..., n) the values of each window.
        g: (...) the gradient that arrives at each window's output.
        kind: "max" or "average".

    Returns:
        (..., n) the gradient of each value.

    Raises:
        ValueError: another kind.
    """
    ### BEGIN SOLUTION
    if kind == "max":
        return g[..., None] * hardmax(v)  # (..., n)
    if kind == "average":
        return (g / v.shape[-1])[..., None].expand_as(v).clone()  # (..., n)
    raise ValueError(f"kind must be max or average, not {kind!r}")
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: g has one dimension less than v</summary>
#
# Give it a last dimension of size 1. Then `*` stretches it over the window.
# </details>


# %% uses=["hardmax"] nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 2, "grade_id": "test_pool_backward", "schema_version": 3}
@check.probe
def observe(v, g, kind):
    global hardmax
    yours = hardmax

    def with_autograd(v, *args, **options):  # your hardmax may use autograd, pool_backward may not
        with torch.inference_mode(False), torch.enable_grad():
            return yours(v.clone(), *args, **options)

    hardmax = with_autograd
    try:
        with torch.inference_mode():  # also where somebody turns gradients on again
            return pool_backward(v, g, kind), v, g  # the gradients, and the inputs as they are afterwards
    except RuntimeError as error:
        if "does not require grad" not in str(error):
            raise
        raise RuntimeError("autograd was asked for a gradient; here it is off, so write the gradient down") from error
    finally:
        hardmax = yours


def compare(v, g, what):
    """Both kinds, for one input."""
    v_, n = v.clone().requires_grad_(), v.shape[-1]
    winners = v_.gather(-1, v.argmax(-1, keepdim=True))[..., 0]
    for kind, out in {"max": winners, "average": v_.mean(-1)}.items():
        right = torch.autograd.grad((g * out).sum(), v_)[0]
        got, *after = observe(v, g, kind)
        case = f"the tensor of gradients, {kind}, for {what}"
        check.shape(got, tuple(v.shape), case, likely="one gradient for each value: (..., n)")
        check.dtype(got, v.dtype, case, likely="the type of v must stay")
        equal = (v == v.amax(-1, keepdim=True)).to(v.dtype)
        everywhere = g[..., None].expand_as(v)
        likely = {
            "the other kind": everywhere / n if kind == "max" else first(v) * g[..., None],
            "every value got the whole g": everywhere,
            "all equal winners got g; only the first does": equal * g[..., None],
            "equal winners share g; the first gets all of it": equal / equal.sum(-1, keepdim=True) * g[..., None],
            "g is missing": first(v) if kind == "max" else torch.full_like(v, 1 / n),
            "that is what passed forward, gates times values; the gradient is gates times g": first(v) * v,
            "gates times values times g; the gradient of a value is its gate times g": first(v) * v * g[..., None],
            "g was divided by 4, whatever the window's size; divide by n": everywhere / 4,
            "g was divided by len(v), the number of windows; divide by n, the values of one": everywhere
            / max(len(v), 1),
            "the values were averaged; the gradient of a value does not depend on it": v / n * g[..., None],
        }
        check.close(got, right, case, likely=likely)
        check.untouched(after, [v, g], "pool_backward leaves v and g as they were")


def first(v):
    """Where a gradient of the largest values arrives: of equal ones at the first."""
    v = v.clone().requires_grad_()
    return torch.autograd.grad(v.max(-1).values.sum(), v)[0]


compare(torch.tensor([3.44, 4.11, 8.44, 9.11]), torch.tensor(2.0), "the window of the 7")
v, g = check.normal((2, 3, 9), (2, 3))
compare(v, g, "v (2, 3, 9)")
compare(v[0, :, :4], g[0], "v (3, 4)")
compare(v.double(), g.double(), "v in float64")
compare(v.round().relu(), g, "windows with many ties")
compare(v[:, :, :1], g, "windows of one value")
compare(v, torch.zeros(2, 3), "v when no gradient arrives")
for kind in ("min", "", "Max", "mean"):
    check.raises("ValueError", observe, v, g, kind, rule=f"kind must be max or average, not {kind!r}")

### BEGIN HIDDEN TESTS
for lead, n in [((), 6), ((5,), 4), ((3, 2), 16), ((2, 1, 3), 2)]:
    v, g = check.hidden((*lead, n), lead)
    compare(v, g, f"v {(*lead, n)}")
    compare(v.double().round(), g.double(), f"ties in v {(*lead, n)}")
    compare(v.relu(), -g.abs(), f"v {(*lead, n)} after a ReLU, g below 0")
    check.raises("ValueError", observe, v, g, "sum", rule="kind must be max or average, not 'sum'")
### END HIDDEN TESTS

# %% [markdown]
# How much gradient is left? Send one of variance 1 back through 20,000 windows of four values, with your function.

# %%
generator = torch.Generator().manual_seed(0)
v, g = torch.randn(20_000, 4, generator=generator), torch.randn(20_000, generator=generator)
left = {kind: pool_backward(v, g, kind) for kind in ("max", "average")}
described(
    charts.bars([1.0] + [back.square().mean().item() for back in left.values()], "A max pool leaves 1/4, an average pool 1/16",
                names=["arrives", "max", "average"], ylabel="mean square of the gradient"),
    "Three bars: 1 arrives, the max pool leaves about a quarter of it, the average pool about a sixteenth.",
)  # fmt: skip
zeros = (left["max"] == 0).float().mean().item()
print(f"gradients that are exactly 0: max {zeros:.1%}, average {(left['average'] == 0).float().mean().item():.1%}")

# %% [markdown]
# **What to see.** Max: one value in four gets all of g, so ¼ of $E[g^2]$, and 75 % of the gradients are exactly 0.
# Average: all four get g/4, so $(1/4)^2 = 1/16$ of it. Less arrives on average, and everybody hears.

# %% [markdown]
# ## Exercise 5 · `max_moments`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 2 | 20 | 7 | nothing | all of torch and Python, but no random numbers |
#
# **Why.** A max pool on noise with mean 0 and variance 1 gives numbers with mean 1.03 and variance .49. Where do they
# come from? The winner beat three others. That moves its mean up and makes its spread smaller.
#
# **Steps.** n independent normal numbers with mean 0 and variance 1 compete.
#
# 1. One of them is at most x with probability $\Phi(x)$. All of them are with probability $\Phi(x)^n$.
# 2. The density of the largest is the derivative of that: $f(x) = n\,\Phi(x)^{n-1}\varphi(x)$, where
#    $\varphi(x) = e^{-x^2/2}/\sqrt{2\pi}$.
# 3. Make a fine grid of x, wide enough that nothing is lost outside, and integrate by sums:
#    $\mu = \int x f(x)\,dx$ and $\sigma^2 = \int (x - \mu)^2 f(x)\,dx$.
# 4. Return both as plain numbers, (mean, variance). An n below 1 raises **`ValueError`**.
#
# **By hand.** n = 1 has no competition: mean 0, variance 1. For n = 2 the integrals can be done on paper:
# $\mu = 1/\sqrt\pi$ = .564 and $\sigma^2 = 1 - 1/\pi$ = .682.
#
# **What is tested.** Those two; n = 4, with mean 1.0294 and variance .4917; others up to 1,000; all to within .0002
# (random draws do not get so close); the results are of type `float`; the `ValueError`.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "max_moments", "schema_version": 3}
def max_moments(n: int) -> tuple[float, float]:
    """Mean and variance of the largest of n independent N(0, 1) numbers, by numerical integration.

    Args:
        n: how many compete.

    Returns:
        the mean and the variance.

    Raises:
        ValueError: n is below 1.
    """
    ### BEGIN SOLUTION
    if n < 1:
        raise ValueError(f"at least one number must compete, not {n}")
    x = torch.linspace(-10, 10, 20_001, dtype=torch.float64)
    normal = torch.exp(-x.square() / 2) / math.sqrt(2 * math.pi)
    density = n * torch.special.ndtr(x) ** (n - 1) * normal
    mean = torch.trapezoid(x * density, x)
    return mean.item(), torch.trapezoid((x - mean) ** 2 * density, x).item()
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: what is Φ in torch?</summary>
#
# `torch.special.ndtr(x)`, or `torch.distributions.Normal(0, 1).cdf(x)`, or by hand: ½ (1 + erf(x/√2)).
# </details>
#
# <details><summary>Hint 2: is my integral right?</summary>
#
# A density has an integral of 1. Integrate yours first: 1.000 for every n, or the factor n, the power or the grid is
# wrong.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 2, "grade_id": "test_max_moments", "schema_version": 3}
@check.probe
def observe(n):
    return max_moments(n)


#: n: the mean of the largest of n, its variance, and the mean of the largest of n + 1.
KNOWN = {
    1: (0.0, 1.0, 0.56419),
    2: (0.56419, 0.68169, 0.84628),
    4: (1.02938, 0.49172, 1.16296),
    9: (1.48501, 0.35735, 1.53875),
    100: (2.50759, 0.1844, 2.51115),
}


def compare(n, mean, variance, mean_of_next):
    """The student's two numbers for n, against known ones."""
    found = observe(n)
    two = isinstance(found, (tuple, list)) and len(found) == 2
    check.that(two, "max_moments returns two numbers, mean and variance", likely="only one of them, or no return")
    for number, name in zip(found, ("mean", "variance"), strict=True):
        check.that(type(number) is float, f"the {name} is a float", likely="a tensor; .item() makes a number of it")
    likely = {
        "the power is n; one of the n is the winner, and n - 1 lie below it": n / (n + 1) * mean_of_next,
        "the factor n is missing: any of the n may win": mean / n,
        "the smallest, not the largest": -mean,
    }
    otherwise = "a grid that is too coarse or too narrow, another density, or random draws"
    if n == 1 and found[1] > 3:
        otherwise = "a sum over a grid needs the width of a step: add up f(x) times the width"
    check.close(found[0], mean, f"the mean for n={n}", rtol=0, atol=2e-4, likely=likely, otherwise=otherwise)
    likely = {
        "that is the second moment; the variance is taken around the mean": variance + mean**2,
        "that is the standard deviation; the variance is its square": variance**0.5,
    }
    check.close(found[1], variance, f"the variance for n={n}", rtol=0, atol=2e-4, likely=likely, otherwise=otherwise)


for n, right in KNOWN.items():
    compare(n, *right)
again = [observe(4), observe(4)]
check.that(again[0] == again[1], "the same n gives the same numbers again", likely="random draws; integrate instead")
for n in (0, -3):
    check.raises("ValueError", observe, n, rule="n must be at least 1")

### BEGIN HIDDEN TESTS
places = torch.linspace(-12, 12, 48_001, dtype=torch.float64)
step, bell = places[1] - places[0], torch.exp(-(places**2) / 2) / math.sqrt(2 * math.pi)


def moment(n, around, power):
    """The mean of (largest - around) ** power."""
    return float(((places - around) ** power * n * torch.special.ndtr(places) ** (n - 1) * bell).sum() * step)


for n in (3, 5, 16, 25, 49, 1000):
    compare(n, moment(n, 0, 1), moment(n, moment(n, 0, 1), 2), moment(n + 1, 0, 1))
for n in (-1, 0):
    check.raises("ValueError", observe, n, rule="n must be at least 1")
### END HIDDEN TESTS

# %%
sides = (1, 2, 3, 4, 5, 6)
described(
    charts.curves(
        sides,
        {"mean": [max_moments(k * k)[0] for k in sides], "variance": [max_moments(k * k)[1] for k in sides]},
        "A larger window: the winner's mean climbs, its variance falls",
        xlabel="side k of the window; n = k² values compete", ylabel="of the largest of n", ylim=(0, 2.5),
    ),
    "Two curves over the side of a window from 1 to 6: the mean of the winner climbs from 0 to 2.1, its variance falls "
    "from 1 to 0.2.",
)  # fmt: skip

# %% [markdown]
# **What to see.** A single value has mean 0 and variance 1. Already 2 × 2 halves the variance; after that it falls
# slowly, and the mean goes on climbing.

# %% [markdown]
# ## Exercise 6 · `conv1d_matrix`, `tied_gradient`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 3 | 25 | 11 | nothing | all of torch but convolutions; `tied_gradient` without autograd |
#
# **Why.** A convolution is a linear layer whose matrix is mostly zeros and whose other entries are copies of a few
# weights. So all that we know of linear layers holds for it. And a weight with many copies gets a gradient from each.
#
# **Steps.** k weights, n positions, zeros around: position i of the output sees the inputs i - k//2 to i + k//2. Both
# functions need a middle weight: an even k raises **`ValueError`**. One test checks both, and the points are for both.
#
# 1. `conv1d_matrix(w, n)`: the matrix W (n, n) with $\hat y = W\,\hat p$. Its row i holds the weights where they lie
#    when the filter stands at position i: $w_{k//2}$ on the diagonal, the earlier ones left of it, the later ones
#    right. (Counted from 0, as Python does. The figure below counts from 1: w1, w2, w3.) All else is 0. Build it *from*
#    `w`, so that autograd can find its way back to `w`.
# 2. `tied_gradient(p, g, k)`: the input is `p` (..., n), the gradient that arrives at the output is `g` (..., n). Each
#    weight is used at many positions, and in each picture of the batch. Its gradient is the sum over all of them:
#    (k,). At position i, weight a met $p_{i + a - k//2}$, so $g_i$ times that is what this place has to say to it.
#
# **By hand.** w = 1 2 3 on four positions: the rows of W are 2 3 0 0, then 1 2 3 0, then 0 1 2 3 and 0 0 1 2. With
# p = 1 2 3 4 and g = 1 0 0 2: the first weight gets 2 · 3 = 6, since at position 0 it met padding. The middle one gets
# 1 · 1 + 2 · 4 = 9, the last one 1 · 2 = 2.
#
# **What is tested.** Those numbers; $W\,\hat p$ equals `F.conv1d` with padding k//2; k of 1, 3, 5 and 7, and filters
# longer than the line; the gradient that autograd brings to `w` through W; `tied_gradient` against autograd on
# `F.conv1d`, with no, one and two leading dimensions; types as the inputs', float32 and float64; the `ValueError`s; the
# inputs are not changed.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "conv1d_matrix", "schema_version": 3}
def conv1d_matrix(w: Tensor, n: int) -> Tensor:
    """The matrix of a 1-D convolution with one channel, stride 1 and zeros around.

    Args:
        w: (k,) the weights, k odd.
        n: number of positions.

    Returns:
        (n, n) the matrix W with y = W p; it is made from w, so that gradients reach w.

    Raises:
        ValueError: k is even.
    """
    ### BEGIN SOLUTION
    k, place = len(w), torch.arange(n)
    if k % 2 == 0:
        raise ValueError(f"{k} weights have no middle one")
    which = place - place[:, None] + k // 2  # (n, n) which weight stands here, if it is from 0 to k - 1
    inside = (which >= 0) & (which < k)
    return torch.where(inside, w[which.clamp(0, k - 1)], torch.zeros_like(w[0]))  # (n, n)
    ### END SOLUTION


def tied_gradient(p: Tensor, g: Tensor, k: int) -> Tensor:
    """The gradient of each of k tied weights: the sum over every place where it was used.

    Args:
        p: (..., n) the input of the convolution.
        g: (..., n) the gradient that arrives at its output.
        k: number of weights, odd.

    Returns:
        (k,) one gradient for each weight.

    Raises:
        ValueError: k is even.
    """
    ### BEGIN SOLUTION
    if k % 2 == 0:
        raise ValueError(f"{k} weights have no middle one")
    n, padded = p.shape[-1], F.pad(p, (k // 2, k // 2))  # (..., n + k - 1)
    each = [(g * padded[..., a : a + n]).sum() for a in range(k)]  # all that weight a met, times g
    return torch.stack(each)  # (k,)
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: which weight stands in row i, column j?</summary>
#
# It depends on j - i only. On the diagonal, j - i = 0, stands the middle weight, number k//2. One step to the right
# stands the next one. Make the whole table of these numbers at once, then fetch the weights by them.
# </details>
#
# <details><summary>Hint 2: the gradient does not reach w</summary>
#
# `torch.tensor(...)`, `.item()`, `float(...)` and `.tolist()` cut the way back. Indexing (`w[table]`), `torch.stack`,
# `torch.diag` and writing into a fresh `torch.zeros` keep it.
# </details>
#
# <details><summary>Hint 3: positions without a partner</summary>
#
# Put k//2 zeros on both sides of `p`. Now weight a meets, at positions 0 to n - 1, a piece of it that begins at a.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 3, "grade_id": "test_conv1d_matrix", "schema_version": 3}
@check.probe
def matrix(w, n):
    return conv1d_matrix(w, n), w


@check.probe
def through_matrix(w, n, p, g):
    w.requires_grad_()
    loss = (g * (p @ conv1d_matrix(w, n).mT)).sum()
    return torch.autograd.grad(loss, w)[0] if loss.requires_grad else None


@check.probe
def tied(p, g, k):
    with torch.inference_mode():  # also where somebody turns gradients on again
        return tied_gradient(p, g, k), p, g


@check.probe
def library_calls(w, p, g):
    from torch.overrides import TorchFunctionMode

    names = []

    class Watch(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            names.append(getattr(function, "__name__", ""))
            return function(*args, **(kwargs or {}))

    with Watch():
        conv1d_matrix(w, 5)
        with torch.no_grad():
            tied_gradient(p, g, len(w))
    return [name for name in names if "conv" in name]


def convolved(p, w):
    """p (..., n) with w (k,), zeros around: (..., n)."""
    n = p.shape[-1]
    return F.conv1d(p.reshape(-1, 1, n), w[None, None], padding=len(w) // 2).reshape(p.shape)


def by_library(w, n):
    """Column j is what a 1 at position j becomes."""
    return convolved(torch.eye(n, dtype=w.dtype), w).mT


def compare_matrix(w, n):
    got, after = matrix(w, n)
    case = f"the matrix of {len(w)} weights on {n} positions"
    check.shape(got, (n, n), case, likely="a row for each output, a column for each input, padding left out")
    check.dtype(got, w.dtype, case, likely="torch.zeros(n, n) is float32; give it dtype=w.dtype")
    right, half = by_library(w, n), len(w) // 2
    likely = {
        "that is the matrix of the way back, its transpose: rows are outputs": right.mT,
        "the filter is flipped; torch's convolution does not flip": by_library(w.flip(0), n),
        "the filter runs around the edge; there are zeros": sum(
            w[a] * torch.eye(n, dtype=w.dtype).roll(a - half, 1) for a in range(len(w))
        ),
        "a negative index counts from the other end; left of the edge are zeros": right
        + sum(w[a] * torch.eye(n, dtype=w.dtype).roll(a - half, 1).triu(1) for a in range(half)),
        "the first weight stands on the diagonal; the middle one must": sum(
            w[a] * torch.eye(n, dtype=w.dtype).roll(a, 1).triu() for a in range(min(len(w), n))
        ),
    }
    check.close(got, right, case, likely=likely)
    check.untouched([after], [w], "conv1d_matrix leaves w as it was")


def compare_tied(p, g, k):
    w = torch.zeros(k, dtype=p.dtype, requires_grad=True)
    right = torch.autograd.grad((g * convolved(p, w)).sum(), w)[0]
    got, *after = tied(p, g, k)
    case = f"the gradient of {k} tied weights for p {tuple(p.shape)}"
    check.shape(got, (k,), case, likely="one number for each weight; sum over positions and over the batch")
    check.dtype(got, p.dtype, case, likely="the type of p must stay")
    count, middle = p[..., 0].numel(), k // 2
    near = torch.tensor([p.shape[-1] - abs(a - middle) for a in range(k)]).clamp(min=1)
    likely = {
        "g is missing: these are sums of inputs alone": tied_sum(p, k),
        "the weights are in reverse order: weight a met p at i + a - k//2": right.flip(0),
        "the mean over the places; copies add up": right / (near * count),
        "the mean over the batch; pictures add up, too": right / count,
        "the mean over positions and batch; all of them add up": right / (p.shape[-1] * count),
        "only the first picture of the batch counts": tied_once(p, g, k),
        "the line runs around its edge; there are zeros": torch.stack(
            [(g * p.roll(middle - a, -1)).sum() for a in range(k)]
        ),
        "the line runs around its edge, and the other way: weight a met p at i + a - k//2": torch.stack(
            [(g * p.roll(a - middle, -1)).sum() for a in range(k)]
        ),
    }
    check.close(got, right, case, rtol=1e-4, atol=1e-4, likely=likely)
    check.untouched(after, [p, g], "tied_gradient leaves p and g as they were")


def tied_sum(p, k):
    w = torch.zeros(k, dtype=p.dtype, requires_grad=True)
    return torch.autograd.grad(convolved(p, w).sum(), w)[0]


def tied_once(p, g, k):
    w = torch.zeros(k, dtype=p.dtype, requires_grad=True)
    one, other = (t.reshape(-1, t.shape[-1])[:1] for t in (p, g))
    return torch.autograd.grad((other * convolved(one, w)).sum(), w)[0]


# By hand, then other sizes.
compare_matrix(torch.tensor([1.0, 2, 3]), 4)
compare_tied(torch.tensor([1.0, 2, 3, 4]), torch.tensor([1.0, 0, 0, 2]), 3)
w, p, g = check.normal((7,), (2, 3, 8), (2, 3, 8))
for k in (1, 3, 5, 7):
    for n in (8, 3, 1):
        compare_matrix(w[:k], n)
    compare_tied(p[0, 0], g[0, 0], k)
    compare_tied(p[0], g[0], k)
    compare_tied(p, g, k)
compare_matrix(w[:3].double(), 6)
compare_tied(p.double(), g.double(), 5)
found = through_matrix(w[:3], 8, p, g)
check.that(
    found is not None, "a gradient reaches w through the matrix", likely="torch.tensor(...), .item() or .tolist()"
)
check.close(found, tied(p, g, 3)[0], "the gradient that autograd brings to w through your matrix", rtol=1e-3, atol=1e-3)
check.raises("ValueError", matrix, w[:4], 8, rule="k must be odd; 4 weights have no middle one")
check.raises("ValueError", tied, p, g, 2, rule="k must be odd; 2 weights have no middle one")
check.that(not library_calls(w[:3], p, g), "both are built without convolutions", likely="F.conv1d is called")

### BEGIN HIDDEN TESTS
for k, n, lead in [(3, 9, ()), (5, 6, (4,)), (9, 5, (2, 3)), (1, 7, (3,))]:
    w, p, g = check.hidden((k,), (*lead, n), (*lead, n))
    compare_matrix(w, n)
    compare_matrix(w.double(), n + 1)
    compare_tied(p, g, k)
    compare_tied(p.double(), g.double(), k)
    found = through_matrix(w, n, p, g)
    check.that(found is not None, "a gradient reaches w through the matrix", likely="something on the way was detached")
    v = w.clone().requires_grad_()
    right = torch.autograd.grad((g * convolved(p, v)).sum(), v)[0]
    check.close(found, right, "the gradient of w through the matrix", rtol=1e-3, atol=1e-3)
w, p, g = check.hidden((6,), (2, 7), (2, 7))
check.raises("ValueError", matrix, w, 7, rule="k must be odd")
check.raises("ValueError", matrix, w[:2], 4, rule="k must be odd")
check.raises("ValueError", tied, p, g, 4, rule="k must be odd")
check.that(not library_calls(w[:5], p, g), "both are built without convolutions", likely="F.conv1d is called")
### END HIDDEN TESTS

# %% [markdown]
# Your matrix, with the weights 1, 2 and 3 so that each can be told from its copies. Beside it the matrix of the way
# back.

# %%
banded = conv1d_matrix(torch.tensor([1.0, 2.0, 3.0]), 8)
described(
    pooling_convs.tied_matrices(
        {"forward: W": banded, "backward: Wᵀ": banded.mT},
        "Three tied weights forward; the same three flipped on the way back",
        frames={"forward: W": ("row", 3), "backward: Wᵀ": ("row", 3)},
        sides=[("output", "input"), ("input", "output")],
    ),
    "Two 8 by 8 matrices with three coloured diagonals each. A row of the first reads w1, w2, w3; a row of the second "
    "reads w3, w2, w1. All other entries are zero.",
)

# %% [markdown]
# **What to see.** Each colour is one weight: 7, 8 and 7 copies. The framed row on the left is the filter. The framed
# row on the right is the filter flipped: the gradient of an input is a convolution, too.

# %% [markdown]
# ## Exercise 7 · `conv_variance`, `variance_map`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 2 | 20 | 6 | nothing | all of torch |
#
# **Why.** If each layer made the signal a little larger or smaller, twenty layers would drown or burst it. So one
# chooses the variance of the weights such that a convolution keeps it. For that one must know how many products a
# convolution adds up, at every position.
#
# **Steps.** Weights have mean 0 and variance $\sigma_W^2$ and are independent of the inputs, which have second moment
# $E[\hat p^2]$. Each product $w\,\hat p$ then has variance $\sigma_W^2\,E[\hat p^2]$. The weights are independent of
# each other, too, so the products are uncorrelated, and their variances add up.
#
# 1. `conv_variance(channels, k, weight_variance, second_moment)`: the variance of one output in the middle of the map,
#    where all `channels` · k · k products are real. Any k will do. The result is a `float`, not a tensor.
# 2. `variance_map(h, w, k, channels, weight_variance, second_moment)`, with k odd and k//2 rings of zeros around. At
#    each position k · k inputs lie under the filter. N of them are real, and only they count. What is N? Return two
#    maps (h, w), tensors of any float type: the variance, and the factor $\sqrt{k^2/N}$ by which one would have to
#    multiply the outputs to make all variances equal. Here an even k raises **`ValueError`**.
#
# One test checks both, and the points are for both.
#
# **By hand.** 32 channels, 3 × 3, weight variance 2/288, second moment ½: 288 · (2/288) · ½ = 1. On a corner only
# 4 of 9 inputs are real: 4/9 = .44, and the factor is 3/2 = 1.5. On an edge: 6/9 = .67.
#
# **What is tested.** Those numbers and others; 1 × 1 filters; filters larger than the map; maps that are not square;
# both maps; a `float` and two tensors come back; the `ValueError`.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "conv_variance", "schema_version": 3}
def conv_variance(channels: int, k: int, weight_variance: float, second_moment: float) -> float:
    """The variance of an output of a convolution whose filter lies on real inputs only.

    Args:
        channels: how many the input has.
        k: side of the filter.
        weight_variance: of the weights, which have mean 0.
        second_moment: the mean square of what the weights meet.
    """
    ### BEGIN SOLUTION
    return channels * k**2 * weight_variance * second_moment
    ### END SOLUTION


def variance_map(
    h: int, w: int, k: int, channels: int, weight_variance: float, second_moment: float
) -> tuple[Tensor, Tensor]:
    """The variance at each position of a convolution with zeros around, and the factor that would correct it.

    Args:
        h, w: height and width of the map.
        k: side of the filter, odd; there are k//2 rings of zeros around the map.
        channels, weight_variance, second_moment: as in `conv_variance`.

    Returns:
        the variances (h, w), and the factors (h, w): the root of k*k over the number of real inputs.

    Raises:
        ValueError: k is even.
    """
    ### BEGIN SOLUTION
    if k % 2 == 0:
        raise ValueError(f"a filter of {k} x {k} has no middle")
    real = F.conv2d(torch.ones(1, 1, h, w), torch.ones(1, 1, k, k), padding=k // 2)[0, 0]  # (h, w)
    share = real / k**2
    return conv_variance(channels, k, weight_variance, second_moment) * share, share.rsqrt()  # (h, w) both
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: count the real inputs without counting</summary>
#
# What does a filter of ones give on a map of ones, when there are zeros around it?
# </details>
#
# <details><summary>Hint 2: or with rows and columns</summary>
#
# The number of real inputs is the number of real rows under the filter times that of real columns. In row i these are
# the rows from i - k//2 to i + k//2 that lie in the map.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 2, "grade_id": "test_conv_variance", "schema_version": 3}
@check.probe
def middle(channels, k, weight_variance, second_moment):
    return conv_variance(channels, k, weight_variance, second_moment)


@check.probe
def both_maps(h, w, k, channels, weight_variance, second_moment):
    return variance_map(h, w, k, channels, weight_variance, second_moment)


def compare_middle(c, k, weight, moment, right):
    got = middle(c, k, weight, moment)
    likely = {
        "k · k inputs lie under the filter, not k": right / k,
        "the channels are missing: the filter has k · k weights in each": right / c,
        "the weights' variance was squared": right * weight,
        "the second moment was squared": right * moment,
        "that is the standard deviation": math.sqrt(right),
        "the second moment is missing": right / moment,
        "halved once more; the second moment already knows of the ReLU": right / 2,
        "the mean of the products; a convolution adds them": weight * moment,
    }
    number = f"conv_variance({c}, {k}, {weight:.4g}, {moment:g})"
    check.that(got is not None, f"{number} returns a number", likely="a `return` is missing")
    check.that(type(got) is float, f"{number} is a float", likely="a tensor; .item() makes a number of it")
    check.close(got, right, number, rtol=1e-5, atol=1e-9, likely=likely)


def compare_maps(rows, columns, k, c, weight, moment, whole):
    """`rows`, `columns`: how many real ones the filter covers, for each row and column. `whole`: what the middle has."""
    h, w = len(rows), len(columns)
    maps = both_maps(h, w, k, c, weight, moment)
    two = isinstance(maps, (tuple, list)) and len(maps) == 2
    check.that(two, "variance_map returns two maps, variances and factors", likely="only one of them is returned")
    real = torch.outer(torch.tensor(rows), torch.tensor(columns)).double()
    right, case = whole * real / k**2, f"for a map of {h} x {w} and k={k}"
    likely = {
        "no position knows of the padding": torch.full_like(real, whole),
        "the deviation shrinks by the root, the variance by N/k²": whole * (real / k**2).sqrt(),
        "N/k² was squared": whole * (real / k**2) ** 2,
        "height and width are exchanged": right.mT,
        "these are the factors; variances come first": (k**2 / real).sqrt(),
        "that is the number of real inputs": real,
        "that is the share of real inputs": real / k**2,
        "counted with one ring of zeros; there are k//2": whole * ring(h, w, k),
        "the channels were counted twice; N counts positions alone": right * c,
        "one row and one column of the filter are missing; range stops before its end": short(rows, columns, k) * whole,
    }
    rings = {(h - k + 1, w - k + 1): "zeros around", (h - k + 3, w - k + 3): "k//2 rings of zeros, not one"}
    for got, name in zip(maps, ("variances", "factors"), strict=True):
        need = rings.get(tuple(getattr(got, "shape", ())), "one number for each position")
        check.shape(got, (h, w), f"the map of {name} {case}", likely=f"a map (h, w) needs {need}")
    check.close(maps[0], right, f"the map of variances {case}", likely=likely)
    likely = {
        "that corrects the variance; the outputs need its root": k**2 / real,
        "upside down": (real / k**2).sqrt(),
        "one over the deviation; the factor knows of N alone": right.rsqrt(),
        "upside down, and without the root": real / k**2,
        "k/N instead of k²/N": (k / real).sqrt(),
    }
    check.close(maps[1], (k**2 / real).sqrt(), f"the map of factors {case}", likely=likely)


def ring(h, w, k):
    """The share of real inputs if every edge position lost one row or column of the filter only."""
    lost = torch.ones(h, w, dtype=torch.float64)
    lost[[0, -1]] *= (k - 1) / k
    lost[:, [0, -1]] *= (k - 1) / k
    return lost


def short(rows, columns, k):
    """The share of real inputs if the last row and the last column of the filter are left out."""
    fewer = [[real - (i + k // 2 < len(line)) for i, real in enumerate(line)] for line in (rows, columns)]
    return torch.outer(*(torch.tensor(line).double() for line in fewer)) / k**2


for *case, right in [(16, 5, 0.01, 0.34, 1.36), (32, 3, 2 / 288, 0.5, 1.0), (32, 3, 2 / 288, 1.0, 2.0),
                     (1, 1, 2.0, 3.0, 6.0), (3, 7, 0.25, 0.5, 18.375)]:  # fmt: skip
    compare_middle(*case, right)
around = [2, *[3] * 12, 2]
compare_maps(around, around, 3, 32, 2 / 288, 0.5, 1.0)
compare_maps([3, 4, 5, 5, 4, 3], [3, 4, 5, 5, 5, 5, 5, 4, 3], 5, 8, 0.02, 0.5, 2.0)
compare_maps([1, 1, 1, 1], [1, 1, 1, 1, 1], 1, 16, 0.1, 1.0, 1.6)
compare_maps([3, 3, 3], [2, 2], 7, 4, 0.05, 0.7, 6.86)
for k in (2, 4):
    check.raises(
        "ValueError", both_maps, 6, 6, k, 3, 0.1, 1.0, rule=f"k must be odd; a filter of {k} x {k} has no middle"
    )


### BEGIN HIDDEN TESTS
def covered(n, k):
    """How many real rows (or columns) a filter covers at each of n places."""
    return [sum(abs(i - j) <= k // 2 for j in range(n)) for i in range(n)]


for c, k, weight, moment in [(64, 3, 2 / 576, 0.64), (5, 9, 0.003, 1.5), (12, 1, 0.2, 0.8)]:
    compare_middle(c, k, weight, moment, c * k**2 * weight * moment)
for h, w, k in [(7, 7, 3), (5, 8, 5), (9, 4, 7), (2, 6, 9), (3, 3, 1)]:
    compare_maps(covered(h, k), covered(w, k), k, 6, 0.04, 0.6, 6 * k**2 * 0.04 * 0.6)
check.raises("ValueError", both_maps, 5, 5, 6, 2, 0.1, 1.0, rule="k must be odd; a filter of 6 x 6 has no middle")
### END HIDDEN TESTS

# %% [markdown]
# Predicted by you, then measured: noise through GroupNorm and ReLU, then through 30 draws of a convolution with 32
# channels.

# %%
generator = torch.Generator().manual_seed(0)
noise = F.relu(F.group_norm(torch.randn(32, 32, 14, 14, generator=generator), 1))
squares = torch.zeros(14, 14)
for _ in range(30):
    weights = torch.randn(32, 32, 3, 3, generator=generator) * math.sqrt(2 / 288)
    squares += F.conv2d(noise, weights, padding=1).square().mean((0, 1)) / 30
predicted, factor = variance_map(14, 14, 3, 32, 2 / 288, 0.5)
described(
    pooling_convs.padding_map(squares, "Measured: less variance where the filter hangs over the edge"),
    f"A 14 by 14 map. Middle {squares[7, 7]:.2f}, corner {squares[0, 0]:.2f}, edge {squares[0, 7]:.2f}.",
)
described(
    pooling_convs.padding_map(
        squares * factor**2, "With your factor on the outputs: the same everywhere", limits=(0, 1.1)
    ),
    f"The same map with your factor: corner {(squares * factor**2)[0, 0]:.2f}, everything else near 1.",
)
print(f"largest difference between predicted and measured: {(predicted - squares).abs().max():.2f}")

# %% [markdown]
# **What to see.** The ring has lost a third of its variance and more, and your map knew it. With the factor the map is
# even. PyTorch does not apply it: zero padding quietly tells a network where the edge is.

# %% [markdown]
# ## Exercise 8 · `heard`: put it together
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 2 | 20 | 6 | `max_pool_gated` | all of torch but its max pools (`F.max_pool2d` and the like) |
#
# **Why.** One max pool silences three of four values. Networks have several, one after the other. Who is still heard
# behind the second, the third?
#
# **Steps.** `pools` max pools with k = 2, one behind the other.
#
# 1. Send `x` (B, C, h, w) through your pool again and again.
# 2. A position of `x` is **heard** if its gate is open in the first pool, and the gate of what came out of there is
#    open in the second, and so on. That is where a gradient that arrives at the far end comes out. Autograd may find
#    the places for you, or you multiply gates.
# 3. Return a mask (B, C, h, w): 1 where a position is heard, else 0, in the type of `x`. With `pools` = 0 all are
#    heard.
#
# Height and width must be multiples of $2^{\text{pools}}$; your `windows` raises **`ValueError`** if they are not.
#
# **By hand.** The channel of the lecture. One pool: four positions are heard, those with .9 .8 .7 .9. Two pools: the
# window .9 .8 .7 .9 has two equal winners, and the first is heard: the .9 in the first row.
#
# **What is tested.** That channel; random maps and maps with many equal values; one, two and three pools, and none; the
# positions that a gradient through `F.max_pool2d` reaches; the mask carries no gradient; the `ValueError`; `x` is not
# changed and does not ask for a gradient afterwards; a second call with the same `x` gives the same mask.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "heard", "schema_version": 3}
def heard(x: Tensor, pools: int) -> Tensor:
    """Which positions of a map are heard behind several max pools of 2 x 2.

    Args:
        x: (B, C, h, w) maps.
        pools: how many pools follow each other.

    Returns:
        (B, C, h, w) 1 where a gradient arrives, else 0; without a gradient of its own, in the type of x.

    Raises:
        ValueError: the maps cannot be pooled so often.
    """
    ### BEGIN SOLUTION
    with torch.enable_grad():
        out = source = x.detach().clone().requires_grad_()
        for _ in range(pools):
            out, _ = max_pool_gated(out, 2)  # (B, C, h/2, w/2), and so on
        mask = torch.autograd.grad(out.sum(), source)[0]  # (B, C, h, w)
    return mask
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: with autograd</summary>
#
# Sum up what comes out of the last pool. What is the gradient of that sum at a position that is heard, and at one that
# is not?
# </details>
#
# <details><summary>Hint 2: with gates</summary>
#
# Go backwards. All outputs of the last pool are heard. A gate of the pool before lets this through or not: multiply.
# Then lay the four gates of each window back into their square, which is the way of `windows` in reverse.
# </details>


# %% uses=["max_pool_gated"] nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 2, "grade_id": "test_heard", "schema_version": 3}
@check.probe
def observe(x, pools):
    mask = heard(x, pools)
    wants = getattr(mask, "requires_grad", None)
    mask = mask.detach().clone() if isinstance(mask, Tensor) else mask
    again = heard(x, pools)
    return mask, again, x.detach(), wants, x.requires_grad


@check.probe
def library_calls(x):
    from torch.overrides import TorchFunctionMode

    names = []

    class Watch(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            names.append(getattr(function, "__name__", ""))
            return function(*args, **(kwargs or {}))

    with Watch():
        heard(x, 1)
    return [name for name in names if "max_pool" in name]


def reached(x, pools, pool=F.max_pool2d):
    """Where a gradient through these pools arrives."""
    x = x.clone().requires_grad_()
    out = x
    for _ in range(pools):
        out = pool(out, 2)
    return torch.autograd.grad(out.sum(), x)[0]


def at_once(x, pools):
    """The same for one pool with large windows."""
    return reached(x, 1, lambda t, _: F.max_pool2d(t, 2**pools))


def reshaped(x, pools):
    """What comes out if the gates of each pool, window by window, are read as rows of a map."""
    mask = torch.ones_like(x)
    for i in range(pools):
        gates = F.pixel_unshuffle(reached(x, 1), 2).unflatten(1, (x.shape[1], 4)).movedim(2, -1)
        mask = mask * spread(gates.reshape(x.shape), i)
        x = F.max_pool2d(x, 2)
    return mask


def spread(winners, pools):
    """For each position what stands in its window behind so many pools."""
    side = 2**pools
    return winners.repeat_interleave(side, -1).repeat_interleave(side, -2)


def compare(x, pools, what):
    """Everything that must hold for one input."""
    mask, again, after, wants, left = observe(x, pools)
    case = f"the mask of {what} behind {pools} pools"
    check.that(mask is not None, f"{case} is a tensor, not None", likely="no `return`; or .grad of what is no leaf")
    check.shape(mask, tuple(x.shape), case, likely="one number for each position of x, not of what came out")
    check.dtype(mask, x.dtype, case, likely="the type of x: mask.to(x.dtype)")
    check.that(not wants, f"{case} carries no gradient", likely=".detach() is missing")
    winners = x
    for _ in range(pools):
        winners = F.max_pool2d(winners, 2)
    likely = {
        "the gates were laid back by one reshape; each four belong into a square": lambda: reshaped(x, pools),
        "one large pool for several; of equal values they let another one win": lambda: at_once(x, pools),
        "behind one pool only": lambda: reached(x, 1),
        "one pool too many": lambda: reached(x, pools + 1),
        "one pool too few": lambda: reached(x, pools - 1),
        "everything equal to the winner is heard; only the first is": lambda: (x == spread(winners, pools)).to(x.dtype),
        "the values of those who are heard; the mask is 0 or 1": lambda: reached(x, pools) * x,
        "the gates of average pools": lambda: reached(x, pools, F.avg_pool2d),
        "nobody is silenced": lambda: torch.ones_like(x),
        "upside down: 1 where nobody hears": lambda: 1 - reached(x, pools),
    }
    fits = x.shape[-1] % 2 ** (pools + 1) == 0 and x.shape[-2] % 2 ** (pools + 1) == 0
    likely = {
        why: value
        for why, value in likely.items()
        if (fits or "too many" not in why) and (pools or "too few" not in why)
    }
    check.close(mask, reached(x, pools), case, likely=likely)
    check.untouched([after], [x], "heard leaves x as it was")
    check.that(not left, "heard leaves x without requires_grad", likely="x.requires_grad_() on x itself, not on a copy")
    same = isinstance(again, Tensor) and torch.equal(again, mask)
    check.that(same, "a second call with the same x gives the same mask", likely="gradients add up in x.grad")


x = check.normal((2, 3, 8, 16))
check.that(not library_calls(x), "heard is built on your own pool", likely="it calls the library's max pool")
channel_ = torch.tensor([[0.2, 0.9, 0.1, 0.4], [0.5, 0.3, 0.8, 0.6], [0.7, 0.1, 0.3, 0.2], [0.4, 0.6, 0.9, 0.5]])
for pools in (1, 2, 0):
    compare(channel_[None, None], pools, "the channel of the lecture")
for pools in (1, 2, 3):
    compare(x, pools, "x (2, 3, 8, 16)")
    compare(x.relu(), pools, "x (2, 3, 8, 16) after a ReLU")
compare(x.double().round(), 2, "equal values, in float64")
check.raises("ValueError", observe, x, 4, rule="2 ** pools must divide the height, and 16 does not divide 8")

### BEGIN HIDDEN TESTS
for shape, most in [((1, 2, 4, 12), 2), ((3, 1, 16, 8), 3), ((2, 2, 6, 10), 1)]:
    x = check.hidden(shape)
    for pools in range(most + 1):
        compare(x, pools, f"x {shape}")
        compare(x.relu(), pools, f"x {shape} after a ReLU")
        compare(x.double().round() - 1, pools, f"x {shape} with equal values")
    check.raises("ValueError", observe, x, most + 1, rule="2 ** pools must divide height and width")
check.that(not library_calls(x), "heard is built on your own pool", likely="it calls the library's max pool")
### END HIDDEN TESTS

# %% [markdown]
# And now the 7: which of its 576 positions would hear the loss behind one, two and three max pools?

# %%
masks = {n: heard(seven.edges[None, None], n)[0, 0] for n in (1, 2, 3)}
counts = [int(mask.sum()) for mask in masks.values()]
described(
    pooling_windows.heard_pixels(
        seven.edges,
        [(f"{n} pool{'s' if n > 1 else ''}", mask) for n, mask in masks.items()],
        "Each max pool silences three of four positions",
    ),
    f"The map of the 7 three times. Dots mark the positions that hear a gradient: {counts} of 576.",
)

# %% [markdown]
# **What to see.** 144, 36, 9: a quarter each time. On the strokes the dots sit where the map is darkest. Off the
# strokes all values are 0, and of equal values the first wins. So there the dots form a regular grid: the upper left
# corner of each window. The ReLU in front of the pool stops what they hear.

# %% [markdown]
# ## Exercise 9 · In your own words
#
# | points | minutes | length | graded by |
# |---|---|---|---|
# | 2 | 10 | 4 to 8 sentences | a person |
#
# **Which inputs of a max pool learn, and why?**
#
# - One point: say which value of a window gets a gradient and which do not, and why. What would happen to the output if
#   a loser became a little larger?
# - One point: the filter in front of the pool made all four values of the window, with the same weights. Three
#   of them send it no gradient. Does that keep the filter from learning? Say what tied weights change, and what the
#   pool itself has to learn.
#
# Write below.

# %% [markdown] nbgrader={"grade": true, "solution": true, "locked": false, "task": false, "points": 2, "grade_id": "who_learns", "schema_version": 3}
# Only the winner. The output is gates times values, and the gradient of a value is its gate: 1 for the largest, 0 for
# the others. If a loser grows a little it is still a loser, the output stays as it is, and so the loss cannot tell it
# anything. Only at a tie would the gate switch, and there it jumps.
#
# The filter is the same at all positions, and its gradient is the sum over all places where it was used. The losers'
# places add nothing, the winners' places of all windows and all pictures add up, so the filter learns, from the places
# where it fired most. Another picture has other winners. The pool itself has no weights: its gate is computed from the
# values, so it has nothing to learn. It only routes.
#
# (One point for: the winner alone, because the gate of a loser is 0 or because a small change of a loser changes
# nothing. One point for: tied weights sum over places and pictures, so that the filter learns from winners elsewhere;
# and the pool has no weights.)

# %% [markdown]
# ## Our words and the field's words
#
# | ours | the field's | remark |
# |---|---|---|
# | gate | mask, routing, switch | here 0 or 1, from the values themselves |
# | hardmax | one-hot argmax | the softmax at temperature 0 |
# | window | pooling region, receptive field of the pool | here windows touch and do not overlap |
# | winner | argmax, max location | what `return_indices=True` of PyTorch's pool reports |
# | second moment $E[\hat p^2]$ | mean square, uncentred variance | equals the variance if the mean is 0 |
# | fan-in, fan-out | the same | how many products an output adds up, and how many outputs an input feeds |
# | tied weights | shared weights, parameter sharing | one weight at many places |
# | banded matrix | Toeplitz matrix | of a convolution |
#
# **Differs from PyTorch.** `F.max_pool2d` drops rows and columns that do not fit; ours raises an error. `F.conv1d` is,
# in the words of mathematics, a cross-correlation: it does not flip the filter. Ours does not either.
