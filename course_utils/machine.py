"""Does this machine work? Versions, threads, speed and widgets, each with the command that mends it."""

from __future__ import annotations

import re
import sys
import time
from importlib import metadata
from typing import Any

import torch

__all__ = ["PYTHON", "VERSIONS", "check", "outdated", "slider"]

PYTHON = (3, 11)
#: What the lessons need, and since which version.
VERSIONS = {
    "ipykernel": "6.29",
    "ipython": "8.20",
    "ipywidgets": "8.1",
    "jupyterlab": "4.2",
    "matplotlib": "3.8",
    "msgpack": "1.0.8",
    "numpy": "1.26",
    "pillow": "10.3",
    "safetensors": "0.4.3",
    "torch": "2.4",
    "torchvision": "0.19",
}


def check() -> bool:
    """Print what is there, a line each, and how to mend what is not; returns whether all is well."""
    python = ".".join(map(str, sys.version_info[:3]))
    good = sys.version_info >= PYTHON
    least = ".".join(map(str, PYTHON))
    print(f"{'✓' if good else '✗'} Python {python}" + ("" if good else f"  → install {least} or newer"))
    old = outdated()
    for name in VERSIONS:
        print(f"{'✗' if name in old else '✓'} {name} {_version(name) or 'is missing'}")
    if old:
        wanted = " ".join(f'"{name}>={VERSIONS[name]}"' for name in old)
        print(f"  → run this in a new cell, then restart the kernel: %pip install --upgrade {wanted}")
    print(f"✓ torch uses {torch.get_num_threads()} of the processor's threads; {_speed():.0f} ms for one hard product")
    return good and not old


def outdated() -> list[str]:
    """The packages that are missing or older than the lessons need."""
    return [name for name, least in VERSIONS.items() if _numbers(_version(name)) < _numbers(least)]


def slider() -> Any:
    """A slider whose number goes to the kernel and comes back: if the text follows, widgets work."""
    import ipywidgets

    dial = ipywidgets.IntSlider(value=3, min=0, max=10, description="move me")
    answer = ipywidgets.Label("The kernel sees 3.")
    dial.observe(lambda change: setattr(answer, "value", f"The kernel sees {change['new']}."), names="value")
    return ipywidgets.VBox([dial, answer])


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _numbers(version: str) -> tuple[int, ...]:
    """2.14.1+cpu -> (2, 14, 1)"""
    return tuple(map(int, re.findall(r"\d+", version.split("+")[0])[:3]))


def _speed() -> float:
    """Milliseconds for a product of two matrices of 512 x 512 numbers, the best of five."""
    a = torch.ones(512, 512)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        a @ a
        times.append(time.perf_counter() - start)
    return 1000 * min(times)
