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
# # 00 · Start here
#
# **The question:** does my machine work, and what do I need to know before lesson 1?
#
# It takes ten minutes. Run each cell with Shift+Enter.

# %% tags=["parameters"]
PRESET = "quick"  # how much a notebook computes; leave it

# %% [markdown]
# ## Does my machine work?
#
# Every line below should begin with ✓. Where one begins with ✗, the line under it says what to do.

# %%
from course_utils import machine, settings

settings.prepare(seed=0, preset=PRESET)
assert machine.check(), "Mend what is marked with ✗, restart the kernel, and run this cell again."

# %% [markdown]
# Some lessons have dials. Move this one: the number in the sentence should follow.

# %%
machine.slider()

# %% [markdown]
# **What to see.** A slider, and a sentence under it that changes as you move it. If you see only text, install
# `ipywidgets`, then close the browser's tab and open the notebook again. The lessons also work without dials: they then
# show still pictures.
#
# **If the first cell says "No module named course_utils"**, the notebook runs in another Python than the one that you
# installed into. Close JupyterLab, and start it as [README.md](../README.md) says.
#
# ## Where the instructions are
#
# [README.md](../README.md), in the folder above, says how to install, how a homework goes from the first cell to the
# feedback, and what to do when something goes wrong. Read *How a homework goes* before your first one. In one line:
# solve, run the check below, restart and run all, hand in the same file, read the feedback.
#
# Two things are worth knowing before you begin:
#
# - Your kernel remembers names that are no longer in the notebook. The grader does not. So run all cells in a fresh
#   kernel before you hand in.
# - A mistake costs its own exercise. A later exercise that uses yours is then tested with our version of it, and you
#   keep the later points.
#
# ## In class
#
# A live notebook has cells that begin with `# live: NAME -> a, b`. You write their code together with your teacher, or
# alone. The prose above says what to compute. Later cells use the names behind the arrow, so make those.
#
# | you want | write in a cell |
# |---|---|
# | to see our code; yours stays | `%reveal NAME` |
# | to be where the class is, because you came late or restarted the kernel | `%catch_up NAME` |
#
# Both need the first code cell of that notebook. Run it first, and again after each restart.
#
# ## A correction came after I had begun
#
# It happens. Put the corrected notebook into another folder, then write here, with your own two paths:
#
# ```python
# from course_utils.carry import carry
#
# carry("old/03_qkv.ipynb", "new/03_qkv.ipynb")
# ```
#
# It copies your answers and the cells that you added into a new file, `new/03_qkv.carried.ipynb`. It changes neither of
# the two, and says what it did. Look at that file, run it, and hand it in under the name of the lesson.
#
# ## What the course assumes
#
# Six things that you have probably met. Two lines for each, and a number to check. If one is new to you, stay with it
# until its number is no surprise.

# %%
import math

import torch
import torch.nn.functional as F
from torch import nn

from course_utils.claims import claim

# %% [markdown]
# **Softmax** turns any numbers into shares that sum to 1: $e^{x_j} / \sum_i e^{x_i}$.
# To add the same number to all changes nothing; a difference of $\ln 3$ makes one share three times the other.

# %%
shares = torch.tensor([0.0, math.log(3)]).softmax(dim=-1)
claim("softmax of 0 and ln 3", shares, expect=[0.25, 0.75], tol=1e-6, source="by hand")

# %% [markdown]
# **Convolution** slides one small filter over a picture and takes, at each place, the sum of the products.
# The same few weights serve all places; a 3 × 3 filter makes the picture smaller by 2 unless you pad it.

# %%
picture = torch.arange(16.0).reshape(1, 1, 4, 4)  # (B, channels, height, width)
blurred = F.conv2d(picture, torch.full((1, 1, 3, 3), 1 / 9))  # (1, 1, 2, 2)
claim("means of the four 3 x 3 windows", blurred.flatten(), expect=[5, 6, 9, 10], tol=1e-5, source="by hand")

# %% [markdown]
# **GroupNorm** takes the channels of one picture in groups and gives each group mean 0 and variance 1.
# It looks at one picture only, so that the answer does not depend on what else is in the batch.

# %%
x = 5 + 3 * torch.randn(2, 8, 6, 6)  # (B, channels, height, width)
groups = nn.GroupNorm(4, 8)(x).reshape(2, 4, -1)  # (B, groups, channels and places of one group)
means, variances = groups.mean(dim=-1), groups.var(dim=-1, correction=0)  # (B, groups) each
claim("largest mean of a group", means.detach().abs().max(), expect=0, tol=1e-5, source="definition")
claim("variance of each group", variances.detach(), expect=1, tol=1e-3, source="definition")

# %% [markdown]
# **Residual connection**: a layer's output is added to its input, $x + f(x)$, so a layer has to learn the change only.
# The gradient has a way around $f$: even if $f$ passes none, 1 arrives.

# %%
x = torch.tensor(2.0, requires_grad=True)
(x + 0 * x**3).backward()
claim("gradient around a dead layer", x.grad, expect=1, tol=0, source="by hand")

# %% [markdown]
# **SwiGLU** multiplies two linear views of the same input: one is the value, the other, through SiLU, is its gate.
# SiLU is $x\,\sigma(x)$: near 0 for very negative $x$, near $x$ for large $x$.

# %%
gate = F.silu(torch.tensor([-10.0, 0.0, 10.0]))
claim("SiLU of -10, 0 and 10", gate, expect=[0, 0, 10], tol=1e-3, source="by hand")

# %% [markdown]
# **Adam** divides each gradient by its own usual size before it takes a step.
# So the first step has the length of the learning rate, whether the gradient is huge or tiny.

# %%
weights = nn.Parameter(torch.zeros(2))
optimizer = torch.optim.Adam([weights], lr=0.1)
(weights * torch.tensor([1000.0, 0.001])).sum().backward()
optimizer.step()
claim("first step of Adam, gradients 1000 and 0.001", weights.detach(), expect=-0.1, tol=1e-5, source="by hand")

# %% [markdown]
# **What to take away.** All lines above begin with ✓: your machine works, and the numbers of this course come out on it.
# A line such as these stands wherever a lesson states a number. It says what was measured, and what was expected.
