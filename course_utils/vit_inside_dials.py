"""Explorers of lesson 06, part 2: gates, covers, similar patches, and what smaller patches cost."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from torchvision.models import VisionTransformer

from course_utils import vit_hooks, vit_inside_covers
from course_utils.plots import _array
from course_utils.vit_inside_pictures import maps_over
from course_utils.widgets import Drawn, Explorer, explore

__all__ = ["TOKENS", "cost_explorer", "cover_explorer", "gate_explorer", "similarity_explorer"]

#: Tokens, with the class token, for an image of so many pixels a side, cut into patches of so many.
TOKENS = {
    (224, 32): 50, (224, 16): 197, (224, 8): 785, (384, 32): 145, (384, 16): 577, (384, 8): 2305,
    (448, 32): 197, (448, 16): 785, (448, 8): 3137,
}  # fmt: skip


def gate_explorer(inside: vit_hooks.Inside, digits: Tensor, digit: int = 0, patch: int = 0) -> Explorer:
    """Dials for the digit, the block, the head and the query: 0 is the class token, 1 to 49 are the patches.

    Args:
        inside: what the network left when it looked at the digits, and perhaps at more after them.
        digits: (n, 1, 28, 28) in [0, 1].
        digit, patch: where the dials start.
    """
    gates = torch.stack([each[: len(digits)] for each in inside.gates]).detach()  # (blocks, n, heads, T, T)

    def row(digit: int, block: int, head: int, query: int) -> Tensor:
        return gates[block - 1, digit, head - 1, query]

    def said(digit: int, block: int, head: int, query: int) -> str:
        asked = row(digit, block, head, query)
        top = int(asked[1:].argmax()) + 1
        who = "The class token" if query == 0 else f"Patch {query}"
        return (
            f"{who} in block {block}, head {head}: {asked[top]:.2f} of its gate on patch {top}, "
            f"{asked[0]:.2f} on the class token"
        )

    def draw(digit: int, block: int, head: int, query: int) -> Drawn:
        grid = row(digit, block, head, query)[1:].view(7, 7)
        mark = query - 1 if query else None
        name = f"block {block}, head {head}"
        return maps_over([digits[digit]], {name: grid}, said(digit, block, head, query), kind="gate", marks=[mark])

    def words(digit: int, block: int, head: int, query: int) -> str:
        best = row(digit, block, head, query)[1:].topk(3).indices + 1
        return f"{said(digit, block, head, query)}. Its largest gates lie on patches {best.tolist()}."

    return explore(
        draw,
        words,
        digit=_dial("digit", digit, 0, gates.shape[1] - 1),
        block=_dial("block", len(gates), 1, len(gates)),
        head=_dial("head", 1, 1, gates.shape[2]),
        query=_dial("query", patch, 0, gates.shape[-1] - 1),
    )


def similarity_explorer(inside: vit_hooks.Inside, digits: Tensor, digit: int = 0, patch: int = 1) -> Explorer:
    """Dials for the digit, the block and a patch (1 to 49): how much all others look like it to the network.

    Block 0 stands for the tokens before the first block. Arguments as in `gate_explorer`.
    """
    assert inside.embedded is not None
    tokens = torch.stack(
        [each[: len(digits), 1:] for each in (inside.embedded, *inside.tokens)]
    ).detach()  # (1 + blocks, n, 49, width)

    def row(digit: int, block: int, patch: int) -> Tensor:
        return F.cosine_similarity(tokens[block, digit], tokens[block, digit, patch - 1], dim=-1)  # (49,)

    def said(digit: int, block: int, patch: int) -> str:
        others = row(digit, block, patch).clone()
        others[patch - 1] = -2
        best = int(others.argmax()) + 1
        when = f"after block {block}" if block else "before block 1"
        return f"Patch {patch} {when}: patch {best} is most like it, cosine {others.max():.3f}"

    def draw(digit: int, block: int, patch: int) -> Drawn:
        grid = row(digit, block, patch).view(7, 7)
        name = f"cosine with patch {patch}"
        return maps_over([digits[digit]], {name: grid}, said(digit, block, patch), kind="cosine", marks=[patch - 1])

    def words(digit: int, block: int, patch: int) -> str:
        cosines = row(digit, block, patch)
        return f"{said(digit, block, patch)}; the mean over all patches is {cosines.mean():.2f}."

    return explore(
        draw,
        words,
        digit=_dial("digit", digit, 0, tokens.shape[1] - 1),
        block=_dial("block", len(tokens) - 1, 0, len(tokens) - 1),
        patch=_dial("patch", patch, 1, tokens.shape[2]),
    )


def cover_explorer(model: VisionTransformer, images: Tensor, labels: Tensor, patch: int = 1) -> Explorer:
    """Dials for the digit, a covered patch (1 to 49) and the cover's colour: what the network answers then.

    Args:
        model: the network.
        images: (n, 3, 28, 28) normalised; `labels`: (n,).
        patch: where the dial starts.
    """
    import ipywidgets

    fills = {"grey": 0.0, "black": -1.0}
    with torch.no_grad():
        before = model(images).softmax(-1)  # (n, classes)
    under = {
        name: torch.stack([vit_inside_covers.under_covers(model, image, fill) for image in images])
        for name, fill in fills.items()
    }  # (n, 49, classes) each

    def said(digit: int, patch: int, cover: str) -> str:
        label, now = int(labels[digit]), under[cover][digit, patch - 1]
        return (
            f"Patch {patch} {cover}: the probability of {label} goes from {before[digit, label]:.3f} to "
            f"{now[label]:.3f}, the answer is {int(now.argmax())}"
        )

    def draw(digit: int, patch: int, cover: str) -> Drawn:
        label = int(labels[digit])
        shown = ((images[digit, :1] + 1) / 2).clone()
        top, left = divmod(patch - 1, 7)
        shown[:, 4 * top : 4 * top + 4, 4 * left : 4 * left + 4] = (fills[cover] + 1) / 2
        maps = {f"all 49 covers, {cover}": (before[digit, label] - under[cover][digit, :, label]).view(7, 7)}
        return maps_over([shown], maps, said(digit, patch, cover), kind="drop", marks=[patch - 1])

    def words(digit: int, patch: int, cover: str) -> str:
        changed = int((under[cover][digit].argmax(-1) != labels[digit]).sum())
        return f"{said(digit, patch, cover)}. {changed} of 49 covers change the answer."

    return explore(
        draw, words, digit=_dial("digit", 0, 0, len(images) - 1), patch=_dial("patch", patch, 1, 49),
        cover=ipywidgets.Dropdown(options=list(fills), value="grey", description="cover"),
    )  # fmt: skip


def cost_explorer(picture: Any, heads: int = 3, blocks: int = 12) -> Explorer:
    """Two dials, the image's side and the patch's side: the cuts on a picture, and how many scores they ask for.

    Args:
        picture: (3, h, w) or (1, h, w) in [0, 1].
        heads, blocks: of the network; each head of each block has a square of scores.
    """
    import ipywidgets

    shown = np.clip(_array(picture).transpose(1, 2, 0), 0, 1)

    def said(image: int, patch: int) -> str:
        tokens = TOKENS[image, patch]
        return f"{image} pixels, patches of {patch}: {tokens:,} tokens, {heads * blocks * tokens**2:,} scores"

    def draw(image: int, patch: int) -> Drawn:
        from matplotlib import pyplot as plt

        figure, (left, right) = plt.subplots(1, 2, figsize=(9.4, 4.2), layout="constrained")
        left.imshow(shown, extent=(0, image, image, 0), cmap="gray_r", vmin=0, vmax=1)
        for place in range(0, image + 1, patch):
            left.axhline(place, color="#D55E00", linewidth=0.6)
            left.axvline(place, color="#D55E00", linewidth=0.6)
        left.set(
            xlim=(0, image), ylim=(image, 0), xlabel="pixels", title=f"cut into {TOKENS[image, patch] - 1:,} patches"
        )
        names = [f"{i} / {p}" for i, p in TOKENS]
        scores = [heads * blocks * tokens**2 for tokens in TOKENS.values()]
        here = list(TOKENS).index((image, patch))
        colours = ["#D55E00" if place == here else "#9AA0A6" for place in range(len(names))]
        bars = right.barh(range(len(names)), scores, color=colours)
        right.bar_label(bars, [f"{score:,}" for score in scores], padding=2, fontsize=8)
        right.set_yticks(range(len(names)), names)
        right.set(xscale="log", xlabel="scores for one image (logarithmic)", ylabel="image / patch", xlim=(3e4, 4e10))
        right.invert_yaxis()
        figure.suptitle(said(image, patch))
        return figure, (left, right)

    def words(image: int, patch: int) -> str:
        return f"{said(image, patch)}: {TOKENS[image, patch]:,} squared, times {heads} heads and {blocks} blocks."

    sides = ipywidgets.Dropdown(options=[224, 384, 448], value=224, description="image")
    cuts = ipywidgets.Dropdown(options=[32, 16, 8], value=16, description="patch")
    return explore(draw, words, image=sides, patch=cuts)


def _dial(name: str, value: int, low: int, high: int) -> Any:
    import ipywidgets

    return ipywidgets.IntSlider(value, low, high, description=name, continuous_update=False)
