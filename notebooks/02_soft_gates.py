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
# # 02 · Soft and learned gates, in class

# %% tags=["parameters"]
PRESET = "quick"
SEED = 0

# %%
from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils import digits, settings, six_pools
from course_utils.claims import claim

settings.prepare(seed=SEED, preset=PRESET)

# %% [markdown]
# ## 8 · Does it matter on MNIST?


# %%
def mixed(x: Tensor, grown: Tensor) -> Tensor:
    """In each 2 x 2 window the mean of x, weighted by `grown`: a softmax, if these are exponentials of scores."""
    return F.avg_pool2d(grown * x, 2) / F.avg_pool2d(grown, 2)


class Soft(nn.Module):
    """Each value scores itself: SoftPool; with `learns` each channel has a temperature of its own that learns."""

    def __init__(self, channels: int, learns: bool = False) -> None:
        super().__init__()
        self.tau = nn.Parameter(torch.ones(channels, 1, 1), requires_grad=learns)

    def forward(self, x: Tensor) -> Tensor:
        return mixed(x, (x / self.tau).exp())


class Learned(nn.Module):
    """A learned score for each position and a learned value: attention pooling inside each window."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.score, self.value = (nn.Conv2d(channels, n, 1, bias=False) for n in (1, channels))

    def forward(self, x: Tensor) -> Tensor:
        return self.value(mixed(x, self.score(x).exp()))  # the sum is linear: V may come after it


# %%
POOLS = {
    "max": lambda channels: nn.MaxPool2d(2),
    "average": lambda channels: nn.AvgPool2d(2),
    "SoftPool": Soft,
    "learned τ": lambda channels: Soft(channels, learns=True),
    "attention pool": Learned,
    "stride-2 conv": lambda channels: nn.Conv2d(channels, channels, 2, stride=2),
}


@cache
def of_mnist() -> list[tuple[Tensor, Tensor]]:
    """All of MNIST, normalised: 60,000 digits to learn from and 10,000 to test."""
    return [(digits.normalised(part.images), part.labels) for part in digits.load_mnist(60_000, 10_000)]


@cache
def on_mnist(name: str, seed: int) -> tuple[float, list[float]]:
    """Accuracy of a pool after 6 epochs of all of MNIST, and where its temperatures ended."""
    found = six_pools.compare(POOLS[name], *of_mnist(), seed=seed, channels=16)
    print(name, seed, found.accuracy, f"{found.seconds:.0f} s", flush=True)
    taus = [module.tau.detach().flatten() for module in found.net.modules() if hasattr(module, "tau")]
    return found.accuracy, torch.cat(taus).aminmax() if taus else []


# %%
claim("six pools on all of MNIST, seed 2", lambda: [on_mnist(name, 2)[0] for name in POOLS],
      expect=0.985, tol=0.015, preset="full", source="6 epochs, 16 channels; lecture, 32 channels: all within .003")  # fmt: skip
claim("learned temperatures after MNIST, seed 2: lowest and highest",
      lambda: [tau.item() for tau in on_mnist("learned τ", 2)[1]],
      expect=[0.9, 1.1], tol=0.3, preset="full", source="lecture: 0.89 and 1.12")  # fmt: skip
