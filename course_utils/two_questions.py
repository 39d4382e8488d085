"""Scenes in which a disc asks two questions at once: where is the square, and where is the triangle?"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ANSWERS", "FEATURES", "KINDS", "SIDE", "THINGS", "Scenes", "drawn", "scenes"]

#: Kinds of things; a token's first features say which one it is.
KINDS = ("disc", "square", "triangle", "star")
#: The features of a token. Column and row run from -1 to 1, from the left and from the top.
FEATURES = (*KINDS, "column", "row")
#: What is asked about the square and the triangle, seen from the disc; 1 = yes.
ANSWERS = ("square left", "square above", "triangle left", "triangle above")
#: Cells of a scene's side, and things in it: a disc, a square, a triangle and five stars.
SIDE, THINGS = 6, 8

MARKERS = dict(zip(KINDS, "os^*", strict=True))


class Scenes(NamedTuple):
    """Scenes: `tokens` (n, 8, 6), see `FEATURES`, the disc first; `answers` (n, 4) of 0 and 1, see `ANSWERS`."""

    tokens: Tensor
    answers: Tensor


def scenes(count: int, seed: int = 0) -> Scenes:
    """`count` scenes of eight things in different cells of a grid of 6 x 6.

    Token 0 is the disc; square, triangle and stars follow in any order, so that only a token's features say what and
    where it is. Square and triangle share neither row nor column with the disc, so every answer is clear. The same
    arguments give the same scenes.

    Raises:
        ValueError: a negative count.
    """
    if count < 0:
        raise ValueError(f"count must not be negative, got {count}.")
    draws = torch.Generator().manual_seed(seed)
    kept = [torch.zeros(0, THINGS, 2, dtype=torch.long)]
    while sum(map(len, kept)) < count:
        cells = torch.rand(2 * count, SIDE * SIDE, generator=draws).argsort(-1)[:, :THINGS]  # (2 n, 8), all different
        places = torch.stack([cells % SIDE, cells // SIDE], dim=-1)  # (2 n, 8, 2): column, row
        kept.append(places[(places[:, 1:3] != places[:, :1]).all(-1).all(-1)])
    places = torch.cat(kept)[:count]
    answers = (places[:, 1:3] < places[:, :1]).flatten(1).float()  # (n, 4)
    kinds = F.one_hot(torch.tensor([0, 1, 2] + [3] * (THINGS - 3))).expand(count, -1, -1)  # (n, 8, 4)
    tokens = torch.cat([kinds.float(), 2 * places / (SIDE - 1) - 1], dim=-1)  # (n, 8, 6)
    order = torch.rand(count, THINGS, generator=draws)
    order[:, 0] = -1  # the disc stays first
    return Scenes(tokens.gather(1, order.argsort(-1)[..., None].expand_as(tokens)), answers)


def drawn(tokens: Tensor, title: str, titles: Sequence[str] = (), gates: Any = None) -> tuple[Figure, np.ndarray]:
    """Scenes beside each other, or one scene once for each head, with what the disc takes from each thing.

    Args:
        tokens: (n, 8, 6) scenes.
        title: what the figure shows, as a sentence.
        titles: one for each scene.
        gates: (n, 8) the disc's row of gates in each scene, written at the things and drawn as the width of a line.

    Raises:
        ValueError: titles or gates that do not fit the scenes.
    """
    from matplotlib import pyplot as plt

    count, things = tokens.shape[:2]
    rows = None if gates is None else np.asarray(torch.as_tensor(gates).detach())
    if len(titles) not in (0, count) or (rows is not None and rows.shape != (count, things)):
        raise ValueError(f"{count} scenes of {things} things need as many titles and gates (or none).")
    figure, axes = plt.subplots(1, count, figsize=(3 * count + 0.4, 3.5), squeeze=False, layout="constrained")
    for i, ax in enumerate(axes[0]):
        kinds, places = tokens[i, :, :4].argmax(-1).tolist(), ((tokens[i, :, 4:] + 1) * (SIDE - 1) / 2).tolist()
        for j, (kind, (column, row)) in enumerate(zip(kinds, places, strict=True)):
            marker = MARKERS[KINDS[kind]]
            if rows is not None:
                ax.plot(
                    [places[0][0], column], [places[0][1], row], color="#D55E00", linewidth=6 * rows[i, j], zorder=1
                )
                ax.annotate(
                    f"{rows[i, j]:.2f}", (column, row), (0, -18), textcoords="offset points", ha="center", size=8
                )
            ink = "#999999" if KINDS[kind] == "star" else "#0072B2"
            ax.plot(column, row, marker, markersize=13, color=ink, markeredgecolor="black", zorder=2)
        ax.set(xlim=(-0.6, SIDE - 0.4), ylim=(SIDE - 0.3, -0.6), xticks=range(SIDE), yticks=range(SIDE))
        ax.set(xlabel="column", title=textwrap.fill(titles[i], 30) if titles else "")
        ax.grid(alpha=0.3)
    axes[0, 0].set_ylabel("row")
    figure.suptitle(title)
    return figure, axes[0]
