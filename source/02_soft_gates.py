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
# # 02 · Soft and learned gates
#
# **The question:** max pooling opens its gate for the largest value of a window. What if the largest value is the wrong
# one? This homework makes the gate soft, then lets the network learn it.
#
# How it works: write your code where a cell says `NotImplementedError`, then run the test cell below it. The test stops
# at the first thing that is wrong and says what it was probably caused by. After you hand in, hidden tests check the
# same properties with other numbers.
#
# A message has a line `called    observe(...)`. `observe` is a little function of the test's own: it calls yours with
# these inputs. (`build`, `gradients` and the like are such functions, too.)
#
# All exercises together take about 130 minutes. **Stuck? Go on:** run the later cells one by one. Only exercises 2 and 3
# (with your `softpool`) and exercise 7 (with your `AttentionPool`) build on earlier ones.

# %% room="both" nbgrader={"grade": false, "solution": false, "locked": true, "task": false, "grade_id": "setup", "schema_version": 3}
import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils import charts, check, quiet, settings, soft_gates
from course_utils.described import described

settings.prepare(seed=0)

# %% [markdown]
# ## One window of a 7
#
# A handwritten 7, and its top-edge map: how much brighter the picture gets from one row to the next. A pool looks at
# 2 × 2 windows of such a map. Here is one.

# %%
the_seven = quiet.handwritten(7)  # (1, 28, 28)
edges = soft_gates.top_edges(the_seven)  # (28, 28)
windows = edges.unfold(0, 2, 2).unfold(1, 2, 2).flatten(2)  # (14, 14, 4)
gap = windows.sort(-1).values.diff().amin(-1)  # (14, 14): how far apart the two closest values are
place = divmod(gap.argmax().item(), 14)
described(
    soft_gates.window_on_digit(the_seven, edges, place, "A pool sees four values of a map at a time"),
    "A handwritten 7, its top-edge map with a frame of 2 by 2 pixels, and the four values in the frame.",
)

# %%
chosen = windows[place]
winner = F.one_hot(chosen.argmax(), 4).float()
described(
    soft_gates.window_story(
        chosen, winner, winner, "Max pooling: one value passes, and only this one learns", top=edges.max()
    ),
    "The four values; their gates, 1 for the largest and 0 for the others; their gradients, 1 and 0 in the same places.",
)

# %% [markdown]
# **What to see.** Max pooling is a *gate* times the values: 1 for the largest, 0 for the rest. The gradient goes where
# the gate is open. Three of four values hear nothing. Swap the hard gate for a softmax, and all of them do.
#
# **Words.** A *score* is a number before the softmax, a *gate* is one after it. In shapes, `n` values lie in a window,
# `T` is a number of tokens, `f` the features of a token. `...` stands for any number of leading batch dimensions, also
# none. The temperature is written τ and called `tau` in code.

# %% [markdown]
# ## Exercise 1 · `softpool`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 3 | 15 | 4 | nothing | all of torch |
#
# **Why.** One dial from max pooling to average pooling. Each value scores itself; the temperature says how much the
# largest may keep for itself.
#
# **Steps.**
#
# 1. Scores: the values divided by `tau`. It is a number, or a tensor of the type of `v` that torch can stretch over
#    `v`. If any of it is not above 0, raise **`ValueError`** and say so.
# 2. Gates: the softmax of the scores along `dim`. They have the shape of `v`.
# 3. Output: along `dim`, the sum of the values, each times its gate. This dimension is gone afterwards.
# 4. Return both, `(out, gates)`.
#
# **By hand.** Values .2 .9 .5 .3, τ = .1. Scores 2 9 5 3, gates .001 .979 .018 .002, output .891. Max pooling gives .9.
#
# **What is tested.** Those numbers and others; every `dim`, counted from the front or from the end; `tau` as a number
# and as a tensor, such as (C, 1, 1); float32 and float64, and the result has the type of `v`; finite results at
# `tau` = 0.01 with values of 10,000 and of -10,000; `v` is not changed; gradients reach `v`; the `ValueError`.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "softpool", "schema_version": 3}
def softpool(v: Tensor, tau: float | Tensor = 1.0, dim: int = -1) -> tuple[Tensor, Tensor]:
    """Pool along one dimension; each value scores itself.

    Args:
        v: values, any shape.
        tau: temperature, above 0; a number, or a tensor that broadcasts to the shape of v.
        dim: the dimension that is pooled.

    Returns:
        out: v without `dim`; gates: the shape of v, they sum to 1 along `dim`.

    Raises:
        ValueError: a temperature is not above 0.
    """
    ### BEGIN SOLUTION
    if not (torch.as_tensor(tau) > 0).all():
        raise ValueError(f"a temperature must be above 0, not {tau}")
    gates = (v / tau).softmax(dim)  # like v
    return (gates * v).sum(dim), gates  # v without dim
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: infinity or NaN</summary>
#
# $e^{100}$ is too large for a float. A softmax does not change when the same number is subtracted from all scores that
# share its sum. Which number makes the largest exponential $e^0$? torch's own softmax does this for you.
# </details>
#
# <details><summary>Hint 2: is a number above 0, or all numbers of a tensor?</summary>
#
# `torch.as_tensor` makes a tensor of a number and leaves a tensor as it is. Then `.all()` serves both.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 3, "grade_id": "test_softpool", "schema_version": 3}
@check.probe
def observe(v, *how):
    return softpool(v, *how), v  # the result, and v as it is afterwards


@check.probe
def gradients(v, tau, dim, weight):
    v = v.requires_grad_()
    loss = (weight * softpool(v, tau, dim)[0]).sum()
    return torch.autograd.grad(loss, v, allow_unused=True)[0] if loss.requires_grad else None


def reference(v, tau, dim):
    gates = torch.softmax(v.double() / torch.as_tensor(tau).double(), dim)
    return (gates * v.double()).sum(dim), gates


def wrong_gates(v, tau, dim):
    """The gates that well-known mistakes give."""
    v, tau = v.double(), torch.as_tensor(tau).double()
    grown = (v / tau - (v / tau).amax()).exp()
    mistakes = {
        "the values are multiplied by tau, not divided": (v * tau).softmax(dim),
        "tau is not used": v.softmax(dim),
        "the values are divided by √tau": (v / tau.sqrt()).softmax(dim),
        "the gates of all windows share one sum": grown / grown.sum(),
        "a sigmoid; gates of one window share one sum": (v / tau).sigmoid(),
        "these are the exponentials, not yet divided by their sum": (v / tau).exp(),
        "these are the scores": v / tau,
        "a hard gate; the softmax is soft": torch.zeros_like(v).scatter(dim, v.argmax(dim, keepdim=True), 1.0),
    }
    others = [d for d in range(v.dim()) if d != dim % v.dim()]
    return mistakes | {f"the softmax runs over dimension {d}, not {dim}": (v / tau).softmax(d) for d in others}


def pair(result):
    two = isinstance(result, (tuple, list)) and len(result) == 2
    check.that(two, "softpool returns two tensors, out and gates", likely="only one of them is returned")
    return result


def compare(v, tau=1.0, dim=-1, *, how=None):
    """Everything that must hold for one input."""
    likely = "`if` wants one answer, but each temperature gives one; hint 2 makes one of them"
    with check.instead_of(["Boolean value of Tensor"], "tau may be a tensor of temperatures", likely):
        result, after = observe(v, *((tau, dim) if how is None else how))
    check.untouched([after], [v], "softpool leaves v as it was")  # first: with other values all else is wrong, too
    out, gates = pair(result)
    case = f"v {tuple(v.shape)}, " + (f"tau {tau:g}" if isinstance(tau, float) else f"tau {tuple(tau.shape)}")
    case += f", dim {dim}"
    right_out, right = reference(v, tau, dim)
    check.shape(gates, tuple(v.shape), f"the tensor of gates for {case}", likely="first out, then the gates")
    check.shape(
        out, tuple(right_out.shape), f"the output for {case}", likely="the sum runs over dim, which is then gone"
    )
    likely = "exp of a large number, or 0 / 0; subtract from each score the largest one of its own window"
    check.finite(gates, f"the tensor of gates for {case}", likely=likely)
    check.close(gates, right, f"the tensor of gates for {case}", rtol=1e-3, likely=wrong_gates(v, tau, dim))
    likely = {
        "that is the sum of the gates; each gate multiplies its value": right.sum(dim),
        "that is the mean of the gated values, not their sum": (right * v).mean(dim),
        "that is the largest value": v.double().amax(dim),
        "the scores are summed, not the values": (right * v / torch.as_tensor(tau)).sum(dim),
    }
    check.close(out, right_out, f"the output for {case}", rtol=1e-3, atol=1e-4, likely=likely)
    for tensor in (out, gates):
        check.dtype(tensor, v.dtype, f"the result for {case}", likely="the result must have the type of v")


# By hand, and the lecture's window at five temperatures: from max pooling, 9.11, to average pooling, 6.28.
compare(torch.tensor([0.2, 0.9, 0.5, 0.3]), 0.1)
window = torch.tensor([3.44, 4.11, 8.44, 9.11])
for tau, out in [(0.01, 9.11), (0.5, 8.97), (1.0, 8.85), (2.0, 8.45), (100.0, 6.34)]:
    compare(window, tau)
    check.close(observe(window, tau)[0][0], out, f"the lecture's window at tau {tau:g}", rtol=0, atol=0.006)
compare(window, how=())  # tau is 1 and dim is -1 if you do not say otherwise

# Every dimension; one temperature for each channel; float64.
v = check.normal((2, 3, 5, 4))
for dim in (-1, 3, 2, 1, 0, -3):
    compare(v, 0.7, dim)
compare(v, torch.tensor([0.2, 1.0, 3.0])[:, None, None], -1)
compare(v, torch.tensor([0.2, 1.0, 3.0])[:, None, None], 2)
compare(v.double(), 0.4, 1)
compare(v.double(), torch.tensor([0.2, 1.0, 3.0]).double()[:, None, None], -1)

# Large values at a low temperature. Then gradients and temperatures that are none.
compare(1e4 * v, 0.01)
compare(torch.tensor([[1e4, 9e3, 0.0], [-1e4, -1.1e4, -2e4]]), 0.01)  # gates 1, 0, 0 twice
weight = check.normal((2, 5, 4), seed=1)
got = gradients(v, 0.5, 1, weight)
check.that(got is not None, "a gradient reaches v", likely=".detach(), .item(), .numpy(), torch.tensor(...)")
leaf = v.double().requires_grad_()
right = torch.autograd.grad((weight * reference(leaf, 0.5, 1)[0]).sum(), leaf)[0]
likely = {"the gates were detached: a value also moves its own gate": weight[:, None] * reference(v, 0.5, 1)[1]}
check.close(got, right, "the gradient of v", rtol=1e-3, atol=1e-4, likely=likely)
for tau in (0.0, -1.0, 0, torch.tensor([[0.5], [0.0], [2.0]])):
    check.raises("ValueError", observe, v[0, 0, :3], tau, rule="a temperature must be above 0, every one of a tensor")

### BEGIN HIDDEN TESTS
for shape, dim in [((7,), 0), ((4, 3), 0), ((3, 2, 6), -2), ((2, 5, 3, 4), 1), ((1, 1), -1)]:
    v, weight = check.hidden(shape, shape)
    for tau in (0.05, 1.0, 8.0):
        compare(v, tau, dim)
        compare(v.double(), tau, dim)
    compare(1e4 * v, 0.01, dim)
    compare(-1e4 * (1 + v.abs()), 0.01, dim)
    weight = weight.sum(dim)
    leaf = v.double().requires_grad_()
    right = torch.autograd.grad((weight * reference(leaf, 0.6, dim)[0]).sum(), leaf)[0]
    got = gradients(v, 0.6, dim, weight)
    check.that(got is not None, "a gradient reaches v", likely="something on the way was detached")
    check.close(got, right, "the gradient of v", rtol=1e-3, atol=1e-4)
v, tau = check.hidden((3, 4, 2, 5), (4,))
compare(v, tau.abs()[:, None, None] + 0.1, -1)
compare(v, tau.abs()[:, None, None] + 0.1, 2)
compare(v.double(), tau.double().abs()[:, None, None] + 0.1, -1)
for tau in (-0.3, 0.0, torch.tensor([1.0, 1.0, 1.0, 1.0, -2.0])):
    check.raises("ValueError", observe, v, tau, rule="a temperature must be above 0, every one of a tensor")
### END HIDDEN TESTS

# %% [markdown]
# The dial on the window of our 7:

# %%
TAUS = [0.1, 0.3, 1, 3, 10, 30, 100]
outputs = [softpool(chosen, tau)[0].item() for tau in TAUS]
ends = {"max pool": [chosen.max().item()] * len(TAUS), "average pool": [chosen.mean().item()] * len(TAUS)}
described(
    charts.curves(
        TAUS,
        {"softpool": outputs, **ends},
        "One dial from max to average",
        xlabel="temperature",
        ylabel="output",
        log="x",
    ),
    f"The output falls from the largest value, {max(outputs):.2f}, towards the mean, {chosen.mean():.2f}.",
)

# %% [markdown]
# **What to see.** Cold, the softmax is a hard max. The hotter it gets, the closer every gate comes to ¼, and the output
# to the mean. Max and average pooling are the two ends of one dial.

# %% [markdown]
# ## Exercise 2 · `softpool_gradient`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 3 | 20 | 2 | `softpool` | all of torch but its own derivatives, as in `autograd` and `torch.func` |
#
# **Why.** A soft gate should let every value hear how it should change. What exactly does it hear? Work it out on paper,
# then check it against autograd in the picture below.
#
# **Steps.** The output is $\text{out} = \sum_k g_k v_k$. A value enters twice: as itself, and through all gates.
#
# 1. Write down $\partial g_k / \partial v_j$ for a softmax of $v / \tau$. There are two cases, $k = j$ and $k \ne j$.
# 2. Use the product rule, and collect the terms. You should find
#    $$\frac{\partial\,\text{out}}{\partial v_j} = g_j \left(1 + \frac{v_j - \text{out}}{\tau}\right)$$
# 3. Return this for each value: (..., n) → (..., n).
#
# **By hand.** Values 3.44 4.11 8.44 9.11, τ = 1. The output is 8.85, the gradients are -.010 -.017 .198 .828. (The slide
# has .200 and .827; its values seem to have more digits than it prints.) They sum to 1: if all values grow by 1, so does
# the output.
#
# **What is tested.** Those numbers and others, against autograd; zero, one and two batch dimensions; several
# temperatures, also .01 with float64 values of 10,000; `v` is not changed; torch's own derivatives are not used.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "softpool_gradient", "schema_version": 3}
def softpool_gradient(v: Tensor, tau: float = 1.0) -> Tensor:
    """How the output of `softpool` over the last dimension changes with each value, in closed form.

    Args:
        v: (..., n) windows of n values.
        tau: temperature, above 0.

    Returns:
        (..., n) the gradient of the window's output with respect to each of its values.
    """
    ### BEGIN SOLUTION
    out, gates = softpool(v, tau)  # (...), (..., n)
    return gates * (1 + (v - out[..., None]) / tau)  # (..., n)
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: the softmax's own derivative</summary>
#
# $\partial g_k / \partial v_j = g_k\,([k = j] - g_j)/\tau$, where $[k = j]$ is 1 if they are the same and else 0. Put it
# into $\sum_k v_k\,\partial g_k/\partial v_j$. One of the two sums is the output again.
# </details>
#
# <details><summary>Hint 2: an error about sizes</summary>
#
# The output has one dimension less than the values. Give it one of size 1 at the end, and torch stretches it.
# </details>


# %% uses=["softpool"] nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 3, "grade_id": "test_softpool_gradient", "schema_version": 3}
@check.probe
def observe(v, *tau):
    with torch.inference_mode():  # no gradients here: a closed form needs none
        return softpool_gradient(v, *tau), v


@check.probe
def derivatives(v):
    """Calls that only torch's own derivatives make."""
    from torch.overrides import TorchFunctionMode

    names = []

    class Watch(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            names.append(getattr(function, "__name__", ""))
            return function(*args, **(kwargs or {}))

    with torch.inference_mode(), Watch():
        softpool_gradient(v)
    return [name for name in names if name in ("requires_grad_", "_make_dual")]


def reference(v, tau):
    leaf = v.double().requires_grad_()
    gates = (leaf / tau).softmax(-1)
    out = (gates * leaf).sum(-1)
    return torch.autograd.grad(out.sum(), leaf)[0], out.detach()[..., None], gates.detach()


rule = "the gradient is a formula of your own"


def compare(v, tau=1.0, *, how=None):
    off = ["require grad", "requires_grad", "nference"]  # what torch says where gradients are off
    likely = "autograd does the work, and the test has switched it off; write the closed form down"
    with check.instead_of(off, rule, likely):
        found, after = observe(v, *((tau,) if how is None else how))
    check.untouched([after], [v], "softpool_gradient leaves v as it was")
    right, out, g = reference(v, tau)
    v64, n = v.double(), v.shape[-1]
    likely = {
        "that is the gate: a value also moves the gates": g,
        "only the way through the gates; the value itself counts, too": g * (v64 - out) / tau,
        "the sign is wrong: it is the value minus the output": g * (1 - (v64 - out) / tau),
        "the second term is not divided by tau": g * (1 + v64 - out),
        "the second term is multiplied by tau": g * (1 + (v64 - out) * tau),
        "all is divided by tau; only the second term is": g * (1 + v64 - out) / tau,
        "only the output is divided by tau; the whole difference is": g * (1 + v64 - out / tau),
        "the value minus the mean; it is the value minus the output": g * (1 + (v64 - v64.mean(-1, True)) / tau),
        "the value minus the largest; it is the value minus the output": g * (1 + (v64 - v64.amax(-1, True)) / tau),
        "the output is missing: only the gate of the value itself moved": g * (1 + v64 * (1 - g) / tau),
        "g (1 - g) is the gradient of a gate, not of the output": g * (1 - g) / tau,
        "that is the hard gate": F.one_hot(v64.argmax(-1), n).double(),
    }
    g1 = v64.softmax(-1)
    likely |= {
        "softpool was called without tau": g1 * (1 + (v64 - (g1 * v64).sum(-1, True)) / tau),
        "the right gates, but the output is that of tau = 1": g * (1 + (v64 - (g1 * v64).sum(-1, True)) / tau),
    }
    what = f"the gradient for v {tuple(v.shape)}, tau {tau:g}"
    names = "softpool returns first the output (...), then the gates (..., n); hint 2 makes the two fit"
    check.shape(found, tuple(v.shape), what, likely=names)
    if (found.double() - right).abs().max() < 0.05:
        likely |= {"nearly right, but not exact: are these differences of two outputs?": found}
    check.close(found, right, what, rtol=1e-3, atol=1e-4, likely=likely)


# By hand, at three temperatures, then batches. Each row sums to 1.
window = torch.tensor([3.44, 4.11, 8.44, 9.11])
hand = torch.tensor([-0.010, -0.017, 0.198, 0.828])
for tau in (1.0, 0.5, 2.0):
    compare(window, tau)
compare(window, how=())  # tau is 1 if you do not say otherwise
check.close(observe(window, 1.0)[0], hand, "the lecture's window", rtol=0, atol=1e-3)
compare(torch.tensor([0.2, 0.9, 0.5, 0.3]), 0.1)
for shape in [(7,), (5, 4), (2, 3, 5)]:
    v = check.normal(shape)
    for tau in (0.3, 1.0, 4.0):
        compare(v, tau)
compare(1e4 * check.normal((5, 4)).double(), 0.01)
check.that(not derivatives(window), rule, likely="torch.func and autograd do the work; write the closed form down")

### BEGIN HIDDEN TESTS
check.that(not derivatives(check.hidden((5,))), rule, likely="torch's derivatives do the work, not a closed form")
for shape in [(6,), (3, 5), (2, 4, 3), (1,), (2, 1, 2, 9)]:
    v = check.hidden(shape)
    for tau in (0.2, 1.0, 2.5, 30.0):
        compare(v, tau)
        compare(v.double(), tau)
    compare(1e4 * v.double(), 0.01)
### END HIDDEN TESTS

# %% [markdown]
# Your gradient beside the hard gate's, on the lecture's window:

# %%
window = torch.tensor([3.44, 4.11, 8.44, 9.11])
leaf = window.clone().requires_grad_()
softpool(leaf)[0].backward()
described(
    soft_gates.hard_and_soft(
        window, [0, 0, 0, 1], softpool_gradient(window), "Every value of a soft window hears something"
    ),
    f"Hard max: 0, 0, 0, 1. Softmax: {softpool_gradient(window).numpy().round(3)}; autograd says {leaf.grad.numpy().round(3)}.",
)

# %% [markdown]
# **What to see.** The two low values hear a negative number: raising them would give them more of the gate, and pull the
# output down. It is the story of ReLU and SiLU again. Smooth the gate, and every input learns, also those that it
# mostly shuts.

# %% [markdown]
# ## Exercise 3 · `SoftPool2d`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 3 | 25 | 9 | `softpool` | all of torch |
#
# **Why.** Where on the dial should a network stand? Let each channel find out: its temperature is a weight, like any
# other. But an optimiser knows no limits, and a temperature must stay above 0.
#
# **Steps.**
#
# 1. `SoftPool2d(channels, k=2, tau=1.0)` is an `nn.Module` with one trainable number for each channel, and nothing else
#    to train. Do not train the temperature itself: train a number that may go anywhere, and *make* the temperature from
#    it. For every number from -20 to 20 the temperature must be above 0, and its slope must not be 0: where the slope is
#    0, training stands still.
# 2. `layer.tau` gives the temperatures as they are now, (C,). At the start each is the argument `tau`, which may lie
#    anywhere from .001 to 10,000. `tau` is a property: it only computes. So the trained number needs another name.
# 3. `layer(x)` cuts each map into windows of k × k that do not overlap, (B, C, h, w) → (B, C, h/k, w/k, k·k), and pools
#    each with `softpool` and the temperature of its channel: (B, C, h/k, w/k).
# 4. If h or w is no multiple of k, raise **`ValueError`**.
#
# **By hand.** One map of 2 × 4 numbers: .2 .9 .1 .4 in the first row, .5 .3 .8 .6 in the second. The left window is
# exercise 1's: at τ = .1 it gives .891. The right one is .1 .4 .8 .6 and gives .770.
#
# **What is tested.** Those numbers and others; the number of trainable numbers; h ≠ w, several k; each channel has its
# own temperature; at τ = .001 the layer equals max pooling, at τ = 10,000 average pooling; the temperatures and their
# slopes for trained numbers from -20 to 20; an optimiser may move these by 6 downwards, and up again; the gradients of
# `x` and of the temperatures; `x` is not changed; the `ValueError`.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "SoftPool2d", "schema_version": 3}
class SoftPool2d(nn.Module):
    """Soft pooling of feature maps; each channel learns its own temperature.

    Args:
        channels: of the maps.
        k: side of a window, in pixels.
        tau: every temperature at the start.
    """

    def __init__(self, channels: int, k: int = 2, tau: float = 1.0) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.k = k
        self.log_tau = nn.Parameter(torch.full((channels,), math.log(tau)))
        ### END SOLUTION

    @property
    def tau(self) -> Tensor:
        """The temperatures as they are now, (C,)."""
        ### BEGIN SOLUTION
        return self.log_tau.exp()  # (C,)
        ### END SOLUTION

    def forward(self, x: Tensor) -> Tensor:
        """From maps (B, C, h, w) to (B, C, h/k, w/k)."""
        ### BEGIN SOLUTION
        k, (h, w) = self.k, x.shape[-2:]
        if h % k or w % k:
            raise ValueError(f"maps of {h} x {w} cannot be cut into windows of {k} x {k}")
        v = x.unflatten(3, (w // k, k)).unflatten(2, (h // k, k))  # (B, C, h/k, k, w/k, k)
        v = v.transpose(3, 4).flatten(4)  # (B, C, h/k, w/k, k*k)
        return softpool(v, self.tau[:, None, None, None])[0]  # (B, C, h/k, w/k)
        ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: which numbers are always above 0?</summary>
#
# $e^a$ is, for every $a$, and its gradient never ends at 0 for good. To start at `tau`, `a` must start at its logarithm.
# A `clamp` or a `relu` is above its limit, too, but below the limit no gradient comes back.
# </details>
#
# <details><summary>Hint 2: cutting windows</summary>
#
# `.reshape` alone takes k · k pixels from one row. First split the width into w/k pieces of k, then the height
# (`unflatten`), then bring the two k next to each other.
# </details>
#
# <details><summary>Hint 3: stretching the temperatures</summary>
#
# torch lines up shapes from the right. The windows are (B, C, h/k, w/k, k·k). How many dimensions of size 1 must stand
# to the right of C?
# </details>


# %% uses=["softpool"] nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 3, "grade_id": "test_SoftPool2d", "schema_version": 3}
@check.probe
def build(channels, *how):
    layer = SoftPool2d(channels, *how)
    if not isinstance(layer, nn.Module):
        return None
    taus = layer.tau if isinstance(layer.tau, Tensor) else None
    return taus, sum(p.numel() for p in layer.parameters() if p.requires_grad)


@check.probe
def observe(x, *how):
    return SoftPool2d(x.shape[1], *how)(x), x


@check.probe
def pushed(x, directions, steps):
    """An optimiser pushes each temperature down (1) or up (-1), stage by stage; temperatures and output after each.

    Its steps all have one size, 0.3 for each trained number, as Adam's have at first.
    """
    layer, found = SoftPool2d(x.shape[1]), []
    own = [p for p in layer.parameters() if p.requires_grad]
    for direction in directions:
        for _ in range(steps):
            for number, slope in zip(own, torch.autograd.grad((direction * layer.tau).sum(), own), strict=True):
                with torch.no_grad():
                    number -= 0.3 * slope.sign()
        found += [layer.tau, layer(x)]
    return found


@check.probe
def temperatures(channels, value):
    """The temperatures when every trained number is `value`, and their slopes there."""
    layer = SoftPool2d(channels)
    own = [p for p in layer.parameters() if p.requires_grad]
    with torch.no_grad():
        for number in own:
            number.fill_(value)
    taus = layer.tau
    slopes = torch.autograd.grad(taus.sum(), own, allow_unused=True) if taus.requires_grad else [None]
    return taus, None if None in slopes else torch.cat([slope.flatten() for slope in slopes])


@check.probe
def gradients(x, weight, directions):
    """Of the weighted output: the gradients of x and of the temperatures, after a step has set these apart."""
    layer = SoftPool2d(x.shape[1])
    own = [p for p in layer.parameters() if p.requires_grad]
    with torch.no_grad():
        for number, direction in zip(own, directions.split([p.numel() for p in own]), strict=True):
            number += 0.3 * direction.view_as(number)
    x = x.requires_grad_()
    loss = (weight * layer(x)).sum()
    of_x, *of_own = torch.autograd.grad(loss, [x, *own], allow_unused=True)
    if of_x is None or None in of_own:
        return of_x, None, layer.tau
    # d loss / d own = d loss / d tau * d tau / d own; every temperature has a number of its own
    scale = torch.autograd.grad(layer.tau.sum(), own)
    return of_x, torch.cat([(a / b).flatten() for a, b in zip(of_own, scale, strict=True)]), layer.tau


def reference(x, tau, k):
    B, C, h, w = x.shape
    v = F.unfold(x.reshape(B * C, 1, h, w), k, stride=k).view(B, C, k * k, -1)  # (B, C, k*k, windows)
    gates = (v / tau.view(1, -1, 1, 1)).softmax(2)
    return (gates * v).sum(2).view(B, C, h // k, w // k)


def wrong_pools(x, tau, k):
    """What well-known mistakes give, for one temperature everywhere."""
    B, C, h, w = x.shape
    across = x.reshape(B, C, h // k, w // k, k * k)
    whole = (x.flatten(2) / tau).softmax(-1).view_as(x) * x
    channels = (x / tau).softmax(1) * x
    return {
        "a window of k * k pixels was taken from one row; cut height and width": (
            (across / tau).softmax(-1) * across
        ).sum(-1),
        "the softmax runs over the whole map": F.avg_pool2d(whole, k) * k * k,
        "the softmax runs over the channels": F.avg_pool2d(channels, k) * k * k,
        "that is max pooling": F.max_pool2d(x, k),
        "that is average pooling": F.avg_pool2d(x, k),
        "the temperature at the start is e to what was asked": reference(x, torch.full((C,), math.exp(tau)), k),
        "the temperature at the start is always 1": reference(x, torch.ones(C), k),
    }


def asked(probe, *given):
    """What a probe gives; an error with a well-known cause becomes a sentence."""
    named = ["RecursionError", "no setter", "already exists"]
    likely = "`tau` is a property, which only computes: keep the trained number under another name, such as log_tau"
    fit = "the temperatures of the channels can be stretched over the windows"
    line_up = "do they line up? Windows are (B, C, h/k, w/k, k·k), temperatures (C, 1, 1, 1): hint 3"
    with (
        check.instead_of(named, "the layer can be made and has temperatures", likely),
        check.instead_of(["must match the size of tensor"], fit, line_up),
    ):
        return probe(*given)


def compare(x, k=2, tau=1.0, *, how=None):
    out, after = asked(observe, x, *((k, tau) if how is None else how))
    check.untouched([after], [x], "the layer leaves x as it was")
    case = f"x {tuple(x.shape)}, k {k}, tau {tau:g}"
    shape = (*x.shape[:2], x.shape[2] // k, x.shape[3] // k)
    check.shape(out, shape, f"the output for {case}", likely="each window becomes one number, and h comes before w")
    right = reference(x, torch.full((x.shape[1],), tau), k)
    check.close(out, right, f"the output for {case}", rtol=1e-3, atol=1e-4, likely=wrong_pools(x, tau, k))


# One trainable number for each channel, and every temperature starts where it was asked to.
for channels, *how in [(3,), (5, 2, 0.25), (4, 3, 7.0), (2, 2, 0.001), (3, 2, 1e4)]:
    built = asked(build, channels, *how)
    check.that(built is not None, "SoftPool2d is an nn.Module")
    taus, count = built
    likely = "something else is trained, too" if count > channels else "every channel has a number of its own"
    likely = likely if count else "a plain tensor is not trained; use nn.Parameter"
    check.that(
        count == channels, f"{channels} channels have {channels} trainable numbers; yours {count}", likely=likely
    )
    start = how[1] if len(how) == 2 else 1.0
    check.that(taus is not None, "layer.tau is a tensor", likely="a method without @property above it")
    check.shape(taus, (channels,), "layer.tau", likely="one temperature for each channel; @property above the method")
    likely = {"layer.tau gives the trained number, not the temperature": torch.full((channels,), math.log(start))}
    grown = torch.tensor(start).exp().expand(channels)
    likely |= {"the trained number starts at tau, not where the temperature becomes tau": grown}
    likely |= {"every temperature starts at 1, whatever was asked": torch.ones(channels)}
    large = "is e to the power of tau part of it? From tau = 89 on that is no float32" if start > 80 else ""
    check.finite(taus, f"layer.tau at the start, tau {start:g}", likely=large)
    check.close(taus, torch.full((channels,), start), f"layer.tau at the start, tau {start:g}", likely=likely)

# By hand; maps that are wider than high; other windows; both ends of the dial.
maps = torch.tensor([[[[0.2, 0.9, 0.1, 0.4], [0.5, 0.3, 0.8, 0.6]]]])
compare(maps, 2, 0.1)
check.close(observe(maps, 2, 0.1)[0], torch.tensor([[[[0.891, 0.770]]]]), "the two windows by hand", rtol=0, atol=1e-3)
x = check.normal((2, 5, 6, 12))
compare(x, how=())  # k is 2 and tau is 1 if you do not say otherwise
for k, tau in [(2, 0.5), (3, 1.0), (6, 2.0), (1, 1.0)]:
    compare(x, k, tau)
for tau, end, name in [(0.001, F.max_pool2d(x, 2), "max"), (1e4, F.avg_pool2d(x, 2), "average")]:
    check.close(observe(x, 2, tau)[0], end, f"the output at tau {tau:g}, which is {name} pooling,", rtol=0, atol=2e-3)


def pushing(x, steps):
    """Any trained number; down, up again; and channels that go different ways."""
    for value in (-20.0, -5.0, 0.0, 5.0, 20.0):
        taus, slopes = temperatures(3, value)
        rule = f"when every trained number is {value:g}, "
        likely = "the temperature was detached: .item(), .detach(), .data, math.exp"
        check.that(slopes is not None, rule + "the temperatures have slopes", likely=likely)
        likely = "make it from a number that may go anywhere: train the logarithm; relu, abs and squares reach 0"
        if (taus < 0).any():
            likely = "an optimiser steps over 0; make it from a number that may go anywhere, such as its logarithm"
        check.that((taus > 0).all(), rule + "every temperature is above 0", likely=likely)
        likely = "a clamp or a relu stands still below its limit, abs and squares at 0: no gradient comes back"
        check.that((slopes != 0).all(), rule + "no temperature's slope is 0", likely=likely)
    first, last = "the temperatures after {} steps down", "the temperatures after {} steps down and as many up"
    down, low, up, _ = pushed(x, [torch.ones(3), -2 * torch.ones(3)], steps)
    check.finite(down, first.format(steps), likely="the trained number left the range that your formula stands")
    check.that((down > 0).all(), f"after {steps} steps downwards every temperature is above 0")
    check.that((down < 0.5).all(), f"after {steps} steps downwards every temperature has fallen",
               likely="no gradient reaches the trained number")  # fmt: skip
    check.close(low, reference(x, down, 2), "the output after these steps", rtol=1e-3, atol=1e-3)
    check.finite(up, last.format(steps), likely="the trained number left the range that your formula stands")
    check.that((up > 2 * down).all(), "after as many steps upwards every temperature has come up again")
    taus, out = pushed(x, [torch.tensor([1.0, -1.0, 0.0])], 3)
    apart = "the channels share one temperature"
    check.that(taus[0] < taus[2] < taus[1], "pushed down, up and not at all, three temperatures differ", likely=apart)
    likely = {"the temperatures are not used": reference(x, torch.ones(3), 2)}
    likely |= {"all windows take the mean temperature": reference(x, taus.mean().expand(3), 2)}
    check.close(out, reference(x, taus, 2), "the output with three temperatures", rtol=1e-3, atol=1e-3, likely=likely)


def learning(x, weight, directions):
    of_x, of_tau, taus = gradients(x, weight, directions)
    check.that(of_x is not None, "a gradient reaches x", likely="something on the way was detached")
    likely = "the temperature was detached: .item(), .detach(), .data, math.exp"
    check.that(of_tau is not None, "a gradient reaches the temperatures", likely=likely)
    leaf, own = x.double().requires_grad_(), taus.double().requires_grad_()
    right = torch.autograd.grad((weight * reference(leaf, own, 2)).sum(), [leaf, own])
    check.close(of_x, right[0], "the gradient of x", rtol=1e-3, atol=1e-4)
    check.close(of_tau, right[1], "the gradient of the temperatures", rtol=1e-2, atol=1e-3)


x = check.normal((2, 3, 10, 14))  # B, C, h/k, w/k and k * k all differ: nothing fits by chance
pushing(x, 15)
learning(x, check.normal((2, 3, 5, 7), seed=1), torch.tensor([1.0, -1.0, 0.5]))
for shape, k in [((1, 2, 5, 4), 2), ((1, 2, 4, 5), 2), ((1, 2, 6, 8), 3)]:
    rule = f"maps of {shape[2]} x {shape[3]} cannot be cut into windows of {k} x {k}"
    check.raises("ValueError", observe, torch.zeros(shape), k, rule=rule)

### BEGIN HIDDEN TESTS
for shape, k, tau in [((1, 4, 8, 4), 2, 0.3), ((3, 2, 9, 3), 3, 1.7), ((2, 5, 4, 12), 4, 1.0), ((1, 1, 2, 2), 2, 3.0)]:
    x = check.hidden(shape)
    compare(x, k, tau)
    sharp, flat = observe(x, k, 0.001)[0], observe(x, k, 1e4)[0]
    check.close(sharp, F.max_pool2d(x, k), "the output at tau 0.001, which is max pooling,", rtol=0, atol=5e-3)
    check.close(flat, F.avg_pool2d(x, k), "the output at tau 10,000, which is average pooling,", rtol=0, atol=2e-3)
for start in (0.002, 300.0, 8000.0):
    taus, count = build(4, 2, start)
    check.that(count == 4, "4 channels have 4 trainable numbers")
    check.close(taus, torch.full((4,), start), "layer.tau at the start")
x, weight, directions = check.hidden((6, 3, 10, 4), (6, 3, 5, 2), (3,))
pushing(x, 20)
learning(x, weight, directions)
for shape, k in [((2, 1, 7, 6), 2), ((2, 1, 6, 7), 2), ((1, 3, 8, 8), 5)]:
    check.raises("ValueError", observe, torch.zeros(shape), k, rule="h or w is no multiple of k")
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 4 · `AttentionPool`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 3 | 15 | 5 | nothing | all of torch but `F.scaled_dot_product_attention` and `nn.MultiheadAttention` |
#
# **Why.** "Largest" was only ever a stand-in for "relevant". So split the job in two: one learned weight scores a token,
# another decides what the token hands over. Then a quiet token may win.
#
# **Steps.**
#
# 1. `AttentionPool(f, n)` is an `nn.Module` with two weights and no bias. The test puts its own numbers into them, so
#    their names and shapes count. Each is an `nn.Linear` without bias, or an `nn.Parameter` of the same shape:
#
#    | name | shape of its weight | makes |
#    |---|---|---|
#    | `w` | (1, f) | one score for each token (..., T) |
#    | `V` | (n, f) | values (..., T, n) |
#
# 2. `pool(x)` takes any number of tokens, (..., T, f). Scores $x w^\top$: one for each token. An `nn.Linear` gives them
#    as (..., T, 1). There is no temperature: `w` can grow or shrink as it likes.
# 3. Gates: a softmax over the tokens.
# 4. Output: the sum of the values $x V^\top$, each times its token's gate: (..., n).
# 5. It returns the output (..., n) and the gates (..., T).
#
# How the weights start is up to you. `nn.Linear` starts well; if you draw them yourself, draw them around 0, about
# $1/\sqrt f$ wide. Scores that start large make a hard gate, and you know how little a hard gate learns.
#
# **By hand.** Two tokens, (10, 0) and (1, 2). `w` reads the second feature alone, (0, 1), so the scores are 0 and 2,
# the gates .119 and .881. With the identity for `V` the output is [2.07, 1.76]: the quiet token has the say.
#
# **What is tested.** Those numbers and others; zero, one and two batch dimensions; one token and many; a new order of
# the tokens changes the gates' order and not the output; scores of many thousand; `x` is not changed; gradients reach
# `x` and both weights; the library's own attention is not called.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "AttentionPool", "schema_version": 3}
class AttentionPool(nn.Module):
    """Pools any number of tokens with a learned score.

    Args:
        f: features of a token.
        n: width of a value, and of the output.
    """

    def __init__(self, f: int, n: int) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.w = nn.Linear(f, 1, bias=False)
        self.V = nn.Linear(f, n, bias=False)
        ### END SOLUTION

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """From tokens (..., T, f) to the output (..., n) and the gates (..., T)."""
        ### BEGIN SOLUTION
        gates = self.w(x).softmax(dim=-2)  # (..., T, 1)
        out = (gates * self.V(x)).sum(dim=-2)  # (..., n)
        return out, gates.squeeze(-1)  # (..., n), (..., T)
        ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: all gates are 1</summary>
#
# `nn.Linear(f, 1)` leaves a last dimension of size 1. A softmax over one number is 1. Which dimension holds the tokens?
# </details>
#
# <details><summary>Hint 2: one picture works, a batch does not</summary>
#
# Count dimensions from the end: tokens are the last but one of `x`.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 3, "grade_id": "test_AttentionPool", "schema_version": 3}
@check.probe
def build(f, n):
    pool = AttentionPool(f, n)
    if not isinstance(pool, nn.Module):
        return None
    parts = {name: getattr(pool, name, None) for name in ("w", "V")}
    weights = {name: getattr(part, "weight", part) for name, part in parts.items()}
    shapes = {name: tuple(w.shape) if isinstance(w, nn.Parameter) else None for name, w in weights.items()}
    return shapes, sum(p.numel() for p in pool.parameters() if p.requires_grad)


@check.probe
def observe(w, V, x, weight=None):
    pool = AttentionPool(x.shape[-1], len(V))
    own = [getattr(getattr(pool, name), "weight", getattr(pool, name)) for name in ("w", "V")]
    with torch.no_grad():
        for parameter, value in zip(own, (w, V), strict=True):
            parameter.copy_(value)
    inputs = [x.requires_grad_(weight is not None), *own]
    result = pool.eval()(x)
    if weight is None:
        return result, x  # the result, and x as it is afterwards
    loss = (weight * result[0]).sum()
    return list(torch.autograd.grad(loss, inputs, allow_unused=True)) if loss.requires_grad else [None] * 3


@check.probe
def library_calls(x, n):
    from torch.overrides import TorchFunctionMode

    names = []

    class Watch(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            names.append(getattr(function, "__name__", ""))
            return function(*args, **(kwargs or {}))

    pool = AttentionPool(x.shape[-1], n)
    with Watch():
        pool(x)
    return [name for name in names if "attention" in name]


def reference(w, V, x):
    w, V, x = w.double(), V.double(), x.double()
    gates = (x @ w[0]).softmax(-1)
    return torch.einsum("...t,...tf,nf->...n", gates, x, V), gates


def compare(w, V, x):
    """Everything that must hold for one input; returns output and gates."""
    squeezed = ["RuntimeError", "IndexError"] if 1 in x.shape else []
    likely = "a bare .squeeze() takes every dimension of size 1 away; .squeeze(-1) only the last"
    with check.instead_of(squeezed, f"the pool takes x {tuple(x.shape)}, where a dimension has size 1", likely):
        result, after = observe(w, V, x)
    two = isinstance(result, (tuple, list)) and len(result) == 2
    check.that(two, "the pool returns two tensors, the output and the gates", likely="the gates are dropped")
    out, gates = result
    case = f"x {tuple(x.shape)}, n {len(V)}"
    likely = "one gate for each token; first the output, then the gates"
    check.shape(gates, tuple(x.shape[:-1]), f"the tensor of gates for {case}", likely=likely)
    likely = "the values x Vᵀ are summed, not the tokens, and the sum runs over the tokens"
    check.shape(out, (*x.shape[:-2], len(V)), f"the output for {case}", likely=likely)
    check.finite(gates, f"the tensor of gates for {case}", likely="exp of a large number; subtract the largest score")
    right_out, right = reference(w, V, x)
    scores, values = x.double() @ w[0].double(), x.double() @ V.double().T
    likely = {
        "the softmax runs over a dimension of size 1": torch.ones_like(scores),
        "a sigmoid; the gates of all tokens share one sum": scores.sigmoid(),
        "the scores are divided by √f; here they are not": (scores / math.sqrt(x.shape[-1])).softmax(-1),
        "the sign of the scores is wrong": (-scores).softmax(-1),
        "a hard gate; the softmax is soft": F.one_hot(scores.argmax(-1), scores.shape[-1]).double(),
        "these are the scores, before the softmax": scores,
        "the length of the token scores it; w must": x.double().norm(dim=-1).softmax(-1),
        "every token has the same gate; w must score them": torch.full_like(scores, 1 / scores.shape[-1]),
    }
    if x.dim() > 2:
        likely |= {"the softmax runs over the batch; it must run over the tokens": scores.softmax(0)}
        likely |= {"the softmax runs over the whole batch": scores.flatten().softmax(0).view_as(scores)}
    check.close(gates, right, f"the tensor of gates for {case}", rtol=1e-3, likely=likely)
    likely = {
        "V is not used": (right[..., None] * x.double()).sum(-2),
        "the sum runs over the features; the tokens are dimension -2": (right[..., None] * values).sum(-1),
        "the values score themselves; w must score them": (values.softmax(-2) * values).sum(-2),
        "the mean of the gated values; it is their sum": right_out / x.shape[-2],
        "the gates are not used: that is the mean of the values": values.mean(-2),
        "the gates are not used: that is the sum of the values": values.sum(-2),
        "that is the value of the token with the largest gate": values.gather(
            -2, scores.argmax(-1)[..., None, None].expand(*scores.shape[:-1], 1, len(V))
        ).squeeze(-2),
        "that is the largest value of each column": values.amax(-2),
    }
    likely = {name: value for name, value in likely.items() if value.shape == right_out.shape}
    check.close(out, right_out, f"the output for {case}", rtol=1e-3, atol=1e-4, likely=likely)
    check.untouched([after], [x], "the pool leaves x as it was")
    return out, gates


def learning(w, V, x, weight):
    inputs = [t.double().requires_grad_() for t in (x, w, V)]
    right = torch.autograd.grad((weight * reference(inputs[1], inputs[2], inputs[0])[0]).sum(), inputs)
    for name, got, want in zip(["x", "w", "V"], observe(w, V, x, weight), right, strict=True):
        check.that(got is not None, f"a gradient reaches {name}", likely="detach, .data, .item() or no_grad")
        likely = {"the gates were detached: no gradient goes through them": torch.zeros_like(want)}
        check.close(got, want, f"the gradient of {name}", rtol=1e-3, atol=1e-4, likely=likely)


# Two weights with the right shapes, nothing else to train.
for f, n in [(6, 4), (3, 5)]:
    built = build(f, n)
    check.that(built is not None, "AttentionPool is an nn.Module")
    shapes, count = built
    for name, shape in {"w": (1, f), "V": (n, f)}.items():
        check.that(
            shapes[name] is not None,
            f"{name} is an nn.Linear or nn.Parameter",
            likely="a plain tensor, or another name",
        )
        likely = "turned round? An nn.Parameter has the shape itself; nn.Linear(f, n) has a weight of shape (n, f)"
        what = f"the weight {name} for f={f}, n={n} has shape {shape}; yours has {shapes[name]}"
        check.that(shapes[name] == shape, what, likely=likely)
    likely = "biases, which nn.Linear has by default" if count > f + n * f else "a weight is frozen"
    check.that(count == f + n * f, f"the weights have {f + n * f} trainable numbers, yours {count}", likely=likely)

# By hand: w reads the second feature, V is the identity.
x = torch.tensor([[10.0, 0], [1, 2]])
out, gates = compare(torch.tensor([[0.0, 1]]), torch.eye(2), x)
check.close(gates, torch.tensor([0.119, 0.881]), "the two gates by hand", rtol=0, atol=1e-3)
check.close(out, torch.tensor([2.07, 1.76]), "the output by hand", rtol=0, atol=5e-3)

# Batches, one token, many tokens; a new order; large scores; gradients.
x, w, V, square = check.normal((2, 3, 5, 4), (1, 4), (6, 4), (4, 4))
compare(w, square, x[0, 0])
for batch in (x[0, 0], x[0], x, x[:, :, :1], x.flatten(0, 2)):
    compare(w, V, batch)
order = torch.tensor([3, 0, 4, 1, 2])
(out, gates), (moved, new_gates) = compare(w, V, x), compare(w, V, x[..., order, :])
check.close(moved, out, "the output when the tokens change places", atol=1e-4)
check.close(new_gates, gates[..., order], "the tensor of gates when the tokens change places", atol=1e-4)
compare(5000 * w, V, x)
learning(w, V, x[0], check.normal((3, 6), seed=1))
check.that(not library_calls(x, 6), "the pool is built from smaller parts", likely="it calls the library's attention")

### BEGIN HIDDEN TESTS
for lead, T, f, n in [((), 6, 5, 3), ((4,), 3, 2, 7), ((2, 3), 7, 4, 4), ((), 1, 3, 2), ((2, 1), 40, 3, 1)]:
    x, w, V, weight = check.hidden((*lead, T, f), (1, f), (n, f), (*lead, n))
    out, _ = compare(w, V, x)
    moved, _ = compare(w, V, x.flip(-2))
    check.close(moved, out, "the output when the tokens change places", atol=1e-4)
    compare(8000 * w, V, x)
    learning(w, V, x, weight)
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 5 · `glu`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 2 | 10 | 4 | nothing | all of torch |
#
# **Why.** You have seen this split before: a gate path and a value path, each with its own weights. In a gated linear
# unit the gate opens *channels* of one token, where attention pooling chooses between tokens. It is the same idea, turned
# by a right angle. ReLU, SiLU and GLU are to one unit what max pooling, SoftPool and attention pooling are to a window.
#
# **Steps.** The gate path is $x W^\top$, the value path $x V^\top$: (..., f) → (..., n) both. The gate goes through a
# function that `kind` names, then multiplies the values number by number.
#
# | kind | the gate path goes through |
# |---|---|
# | `"glu"` | the sigmoid σ |
# | `"swiglu"` | SiLU, $a\,\sigma(a)$ |
# | `"reglu"` | ReLU |
# | `"bilinear"` | nothing |
#
# Any other `kind` raises **`ValueError`**; let the message name those that there are.
#
# **By hand.** One token (1, 2). `W` has the row (0, 1), `V` has (3, 0). Gate path 2, value 3. `"glu"`: σ(2) = .8808, times
# 3 is 2.642. `"swiglu"`: 2 · .8808 · 3 = 5.285. `"reglu"` and `"bilinear"`: 2 · 3 = 6.
#
# **What is tested.** Those numbers and others, for every kind; any number of batch dimensions; the result has the type
# of `x`; nothing is changed; gradients reach `x`, `W` and `V`; the `ValueError`.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "glu", "schema_version": 3}
def glu(x: Tensor, W: Tensor, V: Tensor, kind: str = "glu") -> Tensor:
    """A gated linear unit: one projection gates the channels of another.

    Args:
        x: (..., f) tokens.
        W: (n, f) weights of the gate path.
        V: (n, f) weights of the value path.
        kind: "glu", "swiglu", "reglu" or "bilinear".

    Returns:
        (..., n) values, each times its gate.

    Raises:
        ValueError: there is no such kind.
    """
    ### BEGIN SOLUTION
    kinds = {"glu": torch.sigmoid, "swiglu": F.silu, "reglu": F.relu, "bilinear": nn.Identity()}
    if kind not in kinds:
        raise ValueError(f"there is no kind {kind!r}; choose one of {', '.join(kinds)}")
    return kinds[kind](x @ W.mT) * (x @ V.mT)  # (..., n)
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint: which of the two goes through the function?</summary>
#
# `W` makes the gate, `V` the value. The value goes straight to the multiplication.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 2, "grade_id": "test_glu", "schema_version": 3}
@check.probe
def observe(x, W, V, *kind):
    return glu(x, W, V, *kind), [x, W, V]


@check.probe
def gradients(x, W, V, kind, weight):
    inputs = [x.requires_grad_(), W.requires_grad_(), V.requires_grad_()]
    loss = (weight * glu(*inputs, kind)).sum()
    return list(torch.autograd.grad(loss, inputs, allow_unused=True)) if loss.requires_grad else [None] * 3


FUNCTIONS = {"glu": torch.sigmoid, "swiglu": F.silu, "reglu": torch.relu, "bilinear": lambda a: a}


def compare(x, W, V, kind="glu", *, how=None):
    out, after = observe(x, W, V, *((kind,) if how is None else how))
    a, b = x.double() @ W.double().T, x.double() @ V.double().T
    gate = FUNCTIONS[kind]
    likely = {
        "W and V are exchanged: W makes the gate": gate(b) * a,
        "the value path went through the function, too": gate(a) * gate(b),
        "the value path is missing": gate(a),
        "gate and value are added, not multiplied": gate(a) + b,
        "the function was applied to the product": gate(a * b),
        "the gates are a softmax over the channels; each channel opens by itself": a.softmax(-1) * b,
    }
    if kind == "swiglu":
        likely |= {"SiLU is a σ(a), with a in both places; here σ takes the value path": a * b.sigmoid()}
    likely |= {f'that is the kind "{other}"': FUNCTIONS[other](a) * b for other in FUNCTIONS if other != kind}
    case = f'kind "{kind}", x {tuple(x.shape)}'
    check.close(out, gate(a) * b, f"the result for {case}", rtol=1e-3, atol=1e-4, likely=likely)
    check.dtype(out, x.dtype, f"the result for {case}", likely="the result must have the type of x")
    check.untouched(after, [x, W, V], "glu leaves x, W and V as they were")


def learning(x, W, V, kind, weight):
    inputs = [t.double().requires_grad_() for t in (x, W, V)]
    gate, value = inputs[0] @ inputs[1].T, inputs[0] @ inputs[2].T
    right = torch.autograd.grad((weight * FUNCTIONS[kind](gate) * value).sum(), inputs)
    for name, got, want in zip("xWV", gradients(x, W, V, kind, weight), right, strict=True):
        check.that(got is not None, f'a gradient reaches {name}, kind "{kind}"', likely="detach, .data or .item()")
        check.close(got, want, f'the gradient of {name}, kind "{kind}"', rtol=1e-3, atol=1e-4)


# By hand, then batches, then gradients and a kind that does not exist.
x, W, V = torch.tensor([1.0, 2]), torch.tensor([[0.0, 1]]), torch.tensor([[3.0, 0]])
for kind, right in [("glu", 2.642), ("swiglu", 5.285), ("reglu", 6.0), ("bilinear", 6.0)]:
    compare(x, W, V, kind)
    check.close(observe(x, W, V, kind)[0], torch.tensor([right]), f'"{kind}" by hand', rtol=0, atol=1e-3)
x, W, V = check.normal((2, 3, 5, 4), (6, 4), (6, 4))
for kind in FUNCTIONS:
    for batch in (x[0, 0, 0], x[0, 0], x):
        compare(batch, W, V, kind)
    compare(x.double(), W.double(), V.double(), kind)
compare(x, W, V, how=())  # the kind is "glu" if you do not say otherwise
weight = check.normal((3, 5, 6), seed=1)
for kind in FUNCTIONS:
    learning(x[0], W, V, kind, weight)
for kind in ("softmax", "GLU", ""):
    check.raises("ValueError", observe, x, W, V, kind, rule=f"there is no kind {kind!r}")

### BEGIN HIDDEN TESTS
for lead, f, n in [((), 3, 5), ((4,), 6, 2), ((2, 5), 4, 4), ((1, 2, 3), 2, 7)]:
    x, W, V, weight = check.hidden((*lead, f), (n, f), (n, f), (*lead, n))
    for kind in FUNCTIONS:
        compare(x, W, V, kind)
        compare(x.double(), W.double(), V.double(), kind)
        learning(x, W, V, kind, weight)
for kind in ("silu", "SwiGLU", "none"):
    check.raises("ValueError", observe, x, W, V, kind, rule="there is no such kind")
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 6 · `mixing_weights`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 2 | 20 | 5 | nothing: the test brings pools of its own | all of torch |
#
# **Why.** A convolution with stride 2 mixes four pixels into one, as a pool does. What is the difference? Not that one
# learns and the other does not. Ask *when* the weights are set: once, in training, or afresh for each window. You can
# find out from outside, without reading a line of the pool's code.
#
# **Steps.** Here a pool is a function of two arguments, `pool(x, values)`. It makes its weights from the windows `x`,
# (N, n), and mixes `values`, (N, n, m), with them: (N, m). Usually both are the same pixels. Nobody says that they must be.
#
# 1. Give the pool values that carry their own names: value j of each window is the vector with a 1 at place j, and 0
#    elsewhere. They have the type of `x`. What comes back for a window is its list of weights: (N, n).
# 2. Are they `fixed`? Yes, if no weight of any window is further than 1e-5 from the first window's weight in that place.
#    This is an absolute difference, for large weights and small ones.
# 3. Return `(weights, fixed)`, a tensor and a `bool`. One window alone can prove nothing: if N is below 2, raise
#    **`ValueError`**.
#
# **By hand.** Two windows, (1, 3) and (3, 1). Max pooling: weights (0, 1) and (1, 0), not fixed. Average pooling: (½, ½)
# twice, fixed. A convolution with the kernel (2, -1): twice (2, -1), fixed; these are no gates, for they may be negative.
#
# **What is tested.** Max, average and soft pooling, a score by another projection, convolutions; float32 and float64; N ≠
# n; `fixed` is a Python `bool`; weights that differ by 1e-4 or more in a single place; weights that differ by 1e-6; `x` is
# not changed; the `ValueError`.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "mixing_weights", "schema_version": 3}
def mixing_weights(pool: Callable[[Tensor, Tensor], Tensor], x: Tensor) -> tuple[Tensor, bool]:
    """The weights with which a pool mixes each window, and whether they are the same for all.

    Args:
        pool: `pool(x, values)` mixes values (N, n, m) with weights that it makes from x (N, n), to (N, m).
        x: (N, n) windows of n numbers, at least two.

    Returns:
        weights (N, n), and fixed: True if all windows have the same weights, up to 1e-5.

    Raises:
        ValueError: fewer than two windows.
    """
    ### BEGIN SOLUTION
    if len(x) < 2:
        raise ValueError("one window cannot show whether weights are fixed; give at least two")
    names = torch.eye(x.shape[1], dtype=x.dtype).expand(len(x), -1, -1)  # (N, n, n)
    weights = pool(x, names)  # (N, n)
    return weights, bool(torch.allclose(weights, weights[:1], rtol=0, atol=1e-5))
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: values that carry their names</summary>
#
# For a window of two values they are (1, 0) and (0, 1): the rows of a matrix that you know. Mixed with weights a and b
# they give (a, b). Every window gets the same matrix.
# </details>
#
# <details><summary>Hint 2: why not the gradient of the output?</summary>
#
# For a convolution it gives the weights. For a soft gate it does not: exercise 2 shows what else is in it.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 2, "grade_id": "test_mixing_weights", "schema_version": 3}
@check.probe
def observe(x, kind, own):
    """`kind` says how the pool makes its weights from x (N, n) and from numbers of its own."""
    known = x.clone()

    class Pool(nn.Module):
        def forward(self, x, values):
            if values.dim() != 3 or values.shape[1] != x.shape[1]:
                wanted = f"(N, n, m) with N = {len(x)} and n = {x.shape[1]}"
                raise RuntimeError(f"the pool was given values of shape {tuple(values.shape)}, not {wanted}")
            made = {
                "max": lambda: F.one_hot(x.argmax(-1), x.shape[-1]).to(x.dtype),
                "soft": lambda: x.softmax(-1),
                "scored": lambda: (x @ own).softmax(-1),
                "fixed": lambda: own.expand_as(x),
                "given": lambda: own[(x[:, None] == known).all(-1).long().argmax(1)],  # of each window its own row
            }
            return torch.einsum("bj,bjm->bm", made[kind](), values)

    return mixing_weights(Pool(), x), x


def weights_of(x, kind, own):
    if kind == "max":
        return F.one_hot(x.argmax(-1), x.shape[-1]).to(x.dtype)
    if kind in ("fixed", "given"):
        return own.expand_as(x)
    return (x if kind == "soft" else x @ own).softmax(-1)


def compare(x, kind, own, fixed, what):
    result, after = observe(x, kind, own)
    two = isinstance(result, (tuple, list)) and len(result) == 2
    check.that(two, "mixing_weights returns two things, weights and fixed", likely="only one of them is returned")
    weights, said = result
    right = weights_of(x, kind, own)
    leaf = x.double().requires_grad_()
    moving = torch.autograd.grad((weights_of(leaf, kind, own.double()) * leaf).sum(), leaf)[0]
    likely = {
        "that is the gradient of the output; values with names give the weights": moving,
        "these are the weighted values; give values of 0 and 1": right * x,
        "the weights of the first window, for all": right[:1].expand_as(right),
        "the mean of all windows' weights": right.mean(0).expand_as(right),
        "all places have the same value; each needs a name of its own": right.sum(-1, keepdim=True).expand_as(right),
    }
    check.shape(weights, tuple(x.shape), f"the weights of {what}", likely="one weight for each value of each window")
    check.close(weights, right, f"the weights of {what}", rtol=1e-3, likely=likely)
    likely = "a tensor; bool(...) makes one of a tensor that holds one"
    check.that(type(said) is bool, "fixed is True or False, of type bool", likely=likely)
    likely = "each window is compared with the first in every place, and 1e-5 apart is equal, whatever the size"
    check.that(said == fixed, f"fixed is {fixed} for {what}", likely=likely)
    check.untouched([after], [x], "mixing_weights leaves x as it was")


def one_apart(own, N, where, by):
    """Weights (N, n), the same in all windows but for one place of one window."""
    weights = own.repeat(N, 1)
    weights[where] += by
    return weights


# By hand, then random windows, then weights that are almost the same.
x, none = torch.tensor([[1.0, 3], [3, 1]]), torch.zeros(1)
compare(x, "max", none, False, "max pooling")
compare(x, "fixed", torch.tensor([0.5, 0.5]), True, "average pooling")
compare(x, "fixed", torch.tensor([2.0, -1]), True, "a convolution with the kernel (2, -1)")
x, own, square = check.normal((6, 4), (4,), (4, 4))
compare(x, "max", none, False, "max pooling, six windows")
compare(x, "soft", none, False, "soft pooling")
compare(x.double(), "soft", none, False, "soft pooling, float64")
compare(x, "scored", square, False, "a pool with a learned score")
compare(x, "fixed", own, True, "a convolution")
compare(x[:1].repeat(5, 1), "soft", none, True, "soft pooling of five equal windows")
for by, fixed in [(1e-3, False), (-1e-3, False), (1e-4, False), (1e-6, True)]:
    for where in [(5, 3), (1, 0)]:
        what = f"weights of which one differs by {by:g}"
        compare(x, "given", one_apart(own, 6, where, by), fixed, what)
compare(x, "given", one_apart(own, 6, (3, slice(0, 2)), torch.tensor([0.1, -0.1])), False, "weights with equal sums")
most = own.abs().argmax().item()
small, large = one_apart(0.01 * own, 6, (2, most), 1e-6), one_apart(20 * own, 6, (2, most), 1e-4)
compare(x, "given", small, True, "small weights of which one differs by 1e-6")
compare(x, "given", large, False, "large weights of which one differs by 1e-4")
rule = "fewer than two windows prove nothing"
check.raises("ValueError", observe, x[:1], "soft", none, rule=rule)
check.raises("ValueError", observe, x[:0], "soft", none, rule=rule)

### BEGIN HIDDEN TESTS
for N, n in [(2, 5), (9, 3), (4, 9), (3, 1)]:
    x, own, square = check.hidden((N, n), (n,), (n, n))
    alone = n == 1  # a single value gets all of the gate, whatever it is
    compare(x, "max", none, bool((x.argmax(-1) == x[0].argmax()).all()), "max pooling")
    compare(x, "soft", none, alone, "soft pooling")
    compare(x, "scored", square, alone, "a pool with a learned score")
    compare(x, "fixed", own, True, "a convolution")
    for by, fixed in [(2e-3, False), (-2e-3, False), (-1e-4, False), (2e-6, True)]:
        compare(x, "given", one_apart(own, N, (N - 1, n - 1), by), fixed, "weights that differ in one place")
    most, size = own.abs().argmax().item(), own.abs().amax()
    compare(x, "given", one_apart(0.02 / size * own, N, (1, most), 2e-6), True, "small weights, one differs by 2e-6")
    compare(x, "given", one_apart(25 / size * own, N, (1, most), 1e-4), False, "large weights, one differs by 1e-4")
check.raises("ValueError", observe, x[2:], "fixed", own, rule=rule)
### END HIDDEN TESTS

# %% [markdown]
# Ask two pools about the windows of two digits:

# %%
kernel = torch.tensor([0.1, 0.6, 0.9, 0.3])
pools = {
    "stride-2 convolution": lambda x, values: torch.einsum("j,bjm->bm", kernel, values),
    "soft pooling": lambda x, values: torch.einsum("bj,bjm->bm", softpool(x)[1], values),
}
shown = [soft_gates.top_edges(quiet.handwritten(digit)) for digit in (7, 2)]
maps = {}
for name, pool in pools.items():
    both = torch.stack(shown).unfold(1, 2, 2).unfold(2, 2, 2).flatten(3).flatten(0, 2)  # (2*196, 4)
    weights, fixed = mixing_weights(pool, both)
    folded = F.fold(weights.view(2, 196, 4).mT, (28, 28), 2, stride=2)[:, 0]  # (2, 28, 28)
    maps[f"{name}: {'fixed' if fixed else 'not fixed'}"] = folded
described(
    soft_gates.mixing_maps(shown, maps, "A convolution mixes by position, a gate mixes by content"),
    "Two rows, a 7 and a 2. The weights of the convolution are the same tile everywhere, in both; the gates follow the digit.",
)

# %% [markdown]
# **What to see.** The convolution shows the same tile everywhere, for both digits. The gates follow the stroke, and are
# ¼ each where a window is empty. What differs is who sets the weights: training, or the window itself.

# %% [markdown]
# ## Exercise 7 · `Reader`: put it together
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 2 | 15 | 4 | `AttentionPool` | all of torch |
#
# **Why.** A task on which the loudest is the wrong one. A page has six handwritten digits, each a 1 or a 7. Five are
# written in ink, one in pencil. The question is only about the one in pencil: is it a 7?

# %% nbgrader={"grade": false, "solution": false, "locked": true, "task": false, "grade_id": "pages", "schema_version": 3}
pages = quiet.pages(1500, seed=1)  # tokens (1500, 6, 196), labels (1500,), places (1500,)

# %%
some = [(pages.labels == label).nonzero()[0, 0].item() for label in (1, 0)]  # a page for each label
asked = [f"the pencilled digit is a {quiet.DIGITS[label]}" for label in pages.labels[some]]
described(
    soft_gates.pages_with_gates(pages.tokens[some], {}, "Five digits shout, the sixth one counts", asked),
    f"Two pages of six digits, five dark and one pale: {'; '.join(asked)}.",
)


# %% [markdown] lint={"number 93": "tests/test_soft_gates.py trains every right answer from ten seeds"}
# Each digit is a token of 14 × 14 = 196 grey values.
#
# **Steps.**
#
# 1. `Reader(f=196, n=8)` is an `nn.Module` with two parts: an `AttentionPool(f, n)` of yours, and one `nn.Linear` that
#    reads a single answer from what was pooled, with a bias or without. Nothing stands between them.
# 2. `model(x)` takes pages (B, T, f) to answers (B,), one number for each page: above 0 means a 7, below 0 a 1. No
#    sigmoid: the loss below brings its own. It also returns the gates (B, T): `(answers, gates)`.
#
# **By hand.** A guess is right on half of the pages. Max pooling takes, in each pixel, the darkest of six digits. That
# is hardly ever the pencilled one.
#
# **What is tested.** For any weights: the shapes, for several B, T, f and n; both parts are registered and have the
# widths of step 1; the answers are what the second part makes of what the first one pooled; the same pages get the same
# answers again; a new order of the digits changes no answer. And your
# trained `model`: it must be right on at least **90 %** of new pages, made of digits that it has not seen.
# That is no narrow threshold: differently written right answers, each trained from ten seeds, all stay above 93 %. The
# test takes the `model` of the training cell: after mending `Reader`, run the training cell again.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "Reader", "schema_version": 3}
class Reader(nn.Module):
    """Says for each page whether its pencilled digit is a 7.

    Args:
        f: features of a token.
        n: width of what is pooled.
    """

    def __init__(self, f: int = 196, n: int = 8) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.pool = AttentionPool(f, n)
        self.head = nn.Linear(n, 1)
        ### END SOLUTION

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """From pages (B, T, f) to answers (B,), above 0 = a 7, and gates (B, T)."""
        ### BEGIN SOLUTION
        pooled, gates = self.pool(x)  # (B, n), (B, T)
        return self.head(pooled).squeeze(-1), gates  # (B,), (B, T)
        ### END SOLUTION


# %% [markdown]
# <details><summary>Hint: the trained model is right on half of the pages</summary>
#
# Half is what guessing gives. Does the head read what the pool returned? Are both parts made in `__init__`, as
# attributes, so that training finds them?
# </details>
#
# Before training, a look at what the model returns: an error then says what is wrong with it.


# %% nbgrader={"grade": false, "solution": false, "locked": true, "task": false, "grade_id": "answers_of", "schema_version": 3}
def answers_of(model: nn.Module, x: Tensor) -> Tensor:
    """The answers (B,) of a model, or an error that says what it returned instead."""
    try:
        found = model(x)
    except RuntimeError as error:
        order = "a pool returns first the output (B, n), which the head reads, then the gates (B, T)"
        raise RuntimeError(f"The model stopped on pages {tuple(x.shape)}: {error}. Remember: {order}.") from None
    if not isinstance(found, (tuple, list)) or len(found) != 2:
        raise ValueError("The model must return two things, (answers, gates).")
    if found[0].shape != x.shape[:1]:
        shapes = f"{tuple(found[0].shape)}, not {tuple(x.shape[:1])}"
        raise ValueError(f"The answers for {len(x)} pages have the shape {shapes}: one number for each page.")
    if not found[0].requires_grad:
        raise ValueError("No gradient comes back from the answers: .detach(), .item(), .data or no_grad?")
    return found[0]


# %% [markdown]
# Now train it; this takes a few seconds.


# %% nbgrader={"grade": false, "solution": false, "locked": true, "task": false, "grade_id": "train", "schema_version": 3}
def train(model: nn.Module, steps: int = 300) -> nn.Module:
    """Teach a model the pages."""
    generator = torch.Generator().manual_seed(0)
    for step in range(steps):
        some = torch.randint(len(pages.labels), (64,), generator=generator)
        answers = answers_of(model, pages.tokens[some])  # (64,)
        model.zero_grad()
        F.binary_cross_entropy_with_logits(answers, pages.labels[some].float()).backward()
        with torch.no_grad():
            # One step downhill for each weight. All steps have one size, as Adam's first has, and get smaller and smaller.
            for weight in model.parameters():
                if weight.grad is not None:
                    weight -= 0.05 * (1 - step / steps) * weight.grad.sign()
    return model


torch.manual_seed(0)
model = train(Reader())

# %% [markdown]
# Beside it two readers that pool the same tokens without a learned score, each with one `nn.Linear` on top.


# %%
class Unlearned(nn.Module):
    """Pools with `pool` (B, T, f) -> (B, f), then reads an answer."""

    def __init__(self, pool):
        super().__init__()
        self.pool, self.head = pool, nn.Linear(196, 1)

    def forward(self, x):
        return self.head(self.pool(x)).squeeze(-1), None  # (B,)


# %%
fresh = quiet.pages(1000, seed=2, unseen=True)
nets = {"max": train(Unlearned(lambda x: x.amax(1))), "softpool": train(Unlearned(lambda x: softpool(x, 1.0, 1)[0]))}
shares = {}
for name, net in {**nets, "attention": model}.items():
    shares[name] = ((net(fresh.tokens)[0] > 0) == (fresh.labels == 1)).float().mean().item()
claim = "Only a learned score finds the pencilled digit"
described(
    charts.bars(list(shares.values()), claim, names=list(shares), ylabel="accuracy", ylim=(0, 1.1)),
    f"Accuracy on 1,000 unseen pages: {', '.join(f'{name} {share:.3f}' for name, share in shares.items())}.",
)


# %% uses=["AttentionPool"] nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 2, "grade_id": "test_Reader", "schema_version": 3}
@check.probe
def observe(x, sizes, seed):
    torch.manual_seed(seed)
    untrained = Reader(**sizes).eval()
    with torch.no_grad():
        return untrained(x), untrained(x), untrained(x.flip(1))


@check.probe
def parts(x, n):
    """Shapes of w and V of each registered AttentionPool, and of each other nn.Linear; answers, and those of the parts."""
    model = Reader(f=x.shape[-1], n=n).eval()
    pools = [part for part in model.modules() if isinstance(part, AttentionPool)]
    within = {id(part) for pool in pools for part in pool.modules()}
    heads = [part for part in model.modules() if isinstance(part, nn.Linear) and id(part) not in within]
    weights = [[getattr(part, name) for name in ("w", "V")] for part in pools]
    shapes = [[tuple(getattr(weight, "weight", weight).shape) for weight in both] for both in weights]
    with torch.no_grad():
        answers = model(x)[0]
        one = len(pools) == len(heads) == 1 and heads[0].in_features == n
        made = heads[0](pools[0](x)[0])[..., 0] if one else answers
    return shapes, [tuple(head.weight.shape) for head in heads], answers, made


@check.probe
def has_model():
    return "model" in globals()


@check.probe
def trained(x):
    with torch.no_grad():
        return model.eval()(x)


def pair(result, x):
    """Answers and gates with the right shapes."""
    two = isinstance(result, (tuple, list)) and len(result) == 2
    check.that(two, "the model returns two tensors, answers and gates", likely="the gates are dropped")
    answers, gates = result
    likely = "one number for each page; take the last dimension, and only this one, away"
    check.shape(answers, (len(x),), f"the tensor of answers for x {tuple(x.shape)}", likely=likely)
    check.shape(
        gates,
        tuple(x.shape[:2]),
        f"the tensor of gates for x {tuple(x.shape)}",
        likely="first the answers, then the gates",
    )
    check.finite(answers, "the tensor of answers")
    return answers.double(), gates.double()


def structure(x, sizes, seed):
    """What must hold for any weights."""
    likely = "AttentionPool returns first the output (B, n), which the head reads, then the gates (B, T)"
    with check.instead_of(["mat1 and mat2"], "the widths of the two parts fit", likely):
        found = observe(x, sizes, seed)
    first, again, flipped = (pair(result, x) for result in found)
    likely = "a part is made in forward, with new random weights each time; make all parts in __init__"
    check.close(
        again[0], first[0], "the tensor of answers, asked again with the same pages,", likely={likely: again[0]}
    )
    check.close(first[1].sum(-1), torch.ones(len(x)), "the sum of each page's gates", atol=1e-3)
    likely = {"the tokens are not treated alike; pool them, then read": flipped[0]}
    check.close(flipped[0], first[0], "the tensor of answers, when the digits change places,", atol=1e-4, likely=likely)
    likely = {"the gates belong to other tokens": first[1]}
    check.close(flipped[1], first[1].flip(1), "the gates, when the digits change places,", atol=1e-4, likely=likely)


def registered(x, n):
    f = x.shape[-1]
    found, heads, answers, made = parts(x, n)
    likely = "it sits in a plain list or dict, where training does not find it; use an attribute"
    check.that(found, "the model has an AttentionPool among its parts", likely=likely)
    w, V = found[0]
    what = f"for f={f}, n={n} w has shape {(1, f)} and V {(n, f)}; yours have {w} and {V}"
    check.that((w, V) == ((1, f), (n, f)), what, likely="the sizes of the model are not what the pool is made with")
    what = f"beside the pool there is one nn.Linear, of shape {(1, n)}; yours {heads}"
    check.that(heads == [(1, n)], what, likely="one nn.Linear reads a single answer from what was pooled")
    likely = {
        "a sigmoid after the head; the loss brings its own": made.sigmoid(),
        "something stands between pool and head, or after the head": answers,
    }
    check.close(
        answers, made, "the tensor of answers, which the head makes of what was pooled,", atol=1e-4, likely=likely
    )


def share_right(some, what):
    """The share of pages on which the trained model is right."""
    answers, _ = pair(trained(some.tokens), some.tokens)
    right = torch.where(some.labels == 1, answers > 0, answers < 0)  # exactly 0 says nothing
    share = right.double().mean()
    if 0.4 < share < 0.6:
        likely = "the model guesses: nothing was learned, or the head does not read what was pooled"
    else:
        likely = "training does not reach all parts, or the sign does not fit"
    what = f"the trained model is right on at least 90 % of {what}; yours on {100 * share:.0f} %"
    check.that(share >= 0.9, what, likely + ". Mended since? Run the training cell again")


some = quiet.pages(7, seed=3).tokens
structure(some, {}, 0)
structure(some[:1], {"n": 3}, 1)
structure(check.normal((4, 9, 12)), {"f": 12, "n": 5}, 2)
registered(check.normal((4, 6, 12)), 5)
likely = "run the training cell; if it shows an error, mend this first"
check.that(has_model(), "the training cell has made `model`", likely)
share_right(quiet.pages(400, seed=4, unseen=True), "400 pages that it has not seen")

### BEGIN HIDDEN TESTS
seed = check.hidden_seed()
unseen = quiet.pages(1000, seed=seed, unseen=True)
structure(unseen.tokens[:5], {"n": 6}, seed % 1000)
structure(check.hidden((3, 4, 7)), {"f": 7, "n": 9}, 5)
registered(check.hidden((3, 5, 10)), 7)
share_right(unseen, "pages that it has not seen")
### END HIDDEN TESTS

# %% [markdown]
# Look into your model: where does it look?

# %%
answers, gates = model(fresh.tokens[:3])
said = [
    f"it says {'7' if answer > 0 else '1'}, and the pencilled digit is a {quiet.DIGITS[label]}"
    for answer, label in zip(answers, fresh.labels[:3], strict=True)
]
described(
    soft_gates.pages_with_gates(fresh.tokens[:3], {"gate": gates.detach()}, "The gate opens for the pencil", said),
    f"Three new pages; {'; '.join(said)}. The gates are {gates.detach().numpy().round(2)}.",
)

# %% [markdown]
# **What to see.** Nobody told the model that pencil counts. It has learned a score that ink makes low, from right and
# wrong answers alone. Max pooling and soft pooling have no weight in their gates: they score a pixel by its darkness,
# and guess.
#
# A fair objection: give max pooling a *learned layer below it*, and that layer can learn to make pencil loud. It does,
# as you measure in class. In a deep network a pool is seldom alone.

# %% [markdown]
# ## Exercise 8 · In your own words
#
# | points | minutes | length | graded by |
# |---|---|---|---|
# | 2 | 10 | 4 to 8 sentences | a person |
#
# In the lecture's experiment six pools, from max pooling to attention pooling, all came out alike on MNIST. **Why does a
# learned score need a harder question than MNIST?**
#
# - One point: say what is true of a digit that makes "the largest value" a good enough score, and what the layers below
#   the pool have to do with it.
# - One point: give a question on which the largest value is the wrong one, and say what a learned score would read.
#
# Any example of your own counts. Write below.

# %% [markdown] nbgrader={"grade": true, "solution": true, "locked": false, "task": false, "points": 2, "grade_id": "harder_question", "schema_version": 3}
# On MNIST the stroke is what counts, and it is the only thing on the picture. A filter that has found its stroke
# responds strongly, so what is loud is also relevant. And the filters below the pool are learned: if something quiet
# mattered, they could learn to respond to it strongly, so the pool need not be clever. All six pools then hand over much
# the same.
#
# A learned score pays where size and relevance part: a faint crack in an X-ray full of bright bones, the one word "not"
# in a loud review, the pencilled note between lines in ink. The score would read what the thing is (thin and dark,
# a negation, pale) and not how large its value is.
#
# (One point for: loud is relevant on digits, or the layers below can make it so. One point for an example in which a
# small value is the relevant one, with what the score reads.)

# %% [markdown]
# ## Our words and the field's words
#
# | ours | the field's | remark |
# |---|---|---|
# | score, gate | attention logit, attention weight | before and after the softmax |
# | `softpool` | SoftPool, softmax-weighted pooling | Stergiou, Poppe and Kalliatakis, 2021 |
# | temperature τ | temperature; 1/τ is the inverse temperature β | cold is hard, hot is even |
# | `AttentionPool` | attention pooling, attention-based MIL pooling | Ilse, Tomczak and Welling, 2018 |
# | `glu`, `"swiglu"` | GLU, SwiGLU | Dauphin et al., 2017; Shazeer, 2020 |
# | fixed, input-dependent weights | static, dynamic weights | a convolution, a gate |
#
# **Differs from the paper.** The lecture writes σ for GLU and for SwiGLU in one table; SwiGLU's gate is SiLU, as in
# Shazeer's paper and in exercise 5. SoftPool in the paper has no temperature: it is ours at τ = 1.
