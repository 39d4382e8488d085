"""Diagrams of lesson 08: a picture as one more token of a sentence, and the whole vision transformer in one figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from course_utils.diagrams import COMPUTED, INK, LEARNED, PLAIN, _arrow, _box, _canvas, _circle, _label, _legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["one_more_token", "two_towers", "whole"]

#: A token that came from a picture.
PICTURE = "#9ad0b0"
#: Height of a box.
HIGH = 0.7


def one_more_token(title: str) -> tuple[Figure, Axes]:
    """A photograph goes through a ViT, an average and a linear layer, and stands before the words of a sentence."""
    figure, ax = _canvas(11.5, 4.6, (-1.0, 14.6), (-2.0, 4.4), title)
    stops = (("photograph", PLAIN, "196 × 768"), ("ViT", LEARNED, "196 × 768"), ("average", COMPUTED, "1 × 768"),
             ("Linear L", LEARNED, "1 × 768"))  # fmt: skip
    _lane(ax, stops, 3.6, (0.3, 3.1), 1.9)
    ax.text(12.1, 3.6, "one token\nfor the picture", ha="center", va="center", fontsize=9.5, color=INK)
    _arrow(ax, (10.55, 3.6), (11.1, 3.6), head=True)
    words = ("[image]", "the", "cat", "[MASK]", "on", "the", "mat")
    _arrow(ax, (12.1, 3.15), (12.1, 2.45), head=False)
    _arrow(ax, (12.1, 2.45), (0.3, 2.45), head=False)
    _arrow(ax, (0.3, 2.45), (0.3, 2.0))
    for place, word in enumerate(words):
        _box(ax, 0.3 + 1.7 * place, 1.65, word, PLAIN if place else PICTURE, (1.5, HIGH))
        _arrow(ax, (0.3 + 1.7 * place, 1.3), (0.3 + 1.7 * place, 0.85))
    _box(ax, 5.4, 0.45, "encoder blocks: every token reads every token", LEARNED, (11.7, 0.8))
    _arrow(ax, (5.4, 0.05), (5.4, -0.5))
    _box(ax, 5.4, -0.9, "Linear: 768 → 30,522 words", LEARNED, (4.2, HIGH))
    _arrow(ax, (7.5, -0.9), (8.4, -0.9))
    _label(ax, 8.5, -0.9, "softmax: “sat” or “stood”?", bold=True)
    return figure, ax


def two_towers(title: str) -> tuple[Figure, Axes]:
    """CLIP: a picture and a text, each with its encoder, its projection and unit length, meet in one cosine."""
    figure, ax = _canvas(11.5, 3.4, (-1.0, 15.2), (-1.0, 3.1), title)
    for y, start, encoder, out in ((2.3, "photograph", "picture encoder", "u"),
                                   (0.0, "“a photo of a dog”", "text encoder", "v")):  # fmt: skip
        stops = ((start, PLAIN, ""), (encoder, LEARNED, ""), ("projection", LEARNED, ""), ("÷ length", COMPUTED, ""))
        _lane(ax, stops, y, (0.5, 3.0), 2.3)
        _arrow(ax, (10.65, y), (12.0, 1.15 + (0.3 if y > 1 else -0.3)))
        ax.text(11.3, y + (0.15 if y > 1 else -0.35), out, fontsize=11, fontweight="bold", color=INK)
    _box(ax, 13.2, 1.15, "scale · u · v", COMPUTED, (2.3, HIGH))
    ax.text(13.2, 0.5, "score", ha="center", fontsize=10, color=INK)
    return figure, ax


def whole(title: str) -> tuple[Figure, Axes]:
    """The whole vision transformer in three lanes: its way, one block opened, and the sentence that it can join."""
    figure, ax = _canvas(13.2, 7.7, (-1.3, 18.4), (-1.5, 9.3), title)
    _label(ax, -1.2, 9.0, "1 · a picture becomes class scores", bold=True)
    way = (("picture", PLAIN, "196 × 768"), ("Linear", LEARNED, "196 × 192"),
           ("+ CLS,\n+ positions", LEARNED, "197 × 192"), ("blocks\n1 to 12", LEARNED, "197 × 192"),
           ("LayerNorm,\nread CLS", LEARNED, "1 × 192"), ("Linear", LEARNED, "1,000"),
           ("softmax", COMPUTED, ""))  # fmt: skip
    _lane(ax, way, 8.0, (-0.3, 2.75), 1.45)
    _label(ax, -1.2, 6.4, "2 · one block, opened: 12 of them, each with weights of its own", bold=True)
    _block(ax, 5.0)
    ax.plot([7.25, -1.2], [7.6, 6.65], color="#999999", linestyle=":", linewidth=1)
    ax.plot([8.7, 18.2], [7.6, 6.65], color="#999999", linestyle=":", linewidth=1)
    _label(ax, -1.2, 1.95, "3 · the same picture joins a sentence", bold=True)
    joined = (("patches after\nblock 12", PICTURE, "196 × 192"), ("average", COMPUTED, "1 × 192"),
              ("Linear L", LEARNED, "1 × 768"), ("[image], the,\ncat, [MASK] …", PICTURE, "7 × 768"),
              ("encoder\nblocks", LEARNED, "7 × 768"), ("row of\n[MASK]", COMPUTED, "1 × 768"),
              ("Linear,\nsoftmax", LEARNED, ""))  # fmt: skip
    _lane(ax, joined, 0.7, (0.0, 2.7), 1.7)
    _label(ax, 17.15, 0.7, "“sat”", bold=True)
    _label(ax, 17.0, 8.0, "answer,\nloss", bold=True)
    _legend(ax, -0.9, -0.9)
    return figure, ax


def _block(ax: Axes, y: float) -> None:
    """A pre-norm block with three heads around the stream at height `y`."""
    _arrow(ax, (-1.0, y), (17.6, y), width=2.2)
    _label(ax, -1.2, y + 0.3, "E")
    for x in (-0.6, 11.6):
        _arrow(ax, (x, y), (x, y - 1.3), head=False)
        _arrow(ax, (x, y - 1.3), (x + 0.3, y - 1.3))
        _box(ax, x + 0.95, y - 1.3, "LayerNorm", LEARNED, (1.35, HIGH))
    for head, low in enumerate((y - 0.55, y - 1.3, y - 2.05)):
        _arrow(ax, (1.05, y - 1.3), (1.5, low))
        _box(ax, 2.5, low, f"Q K V, head {head + 1}", LEARNED, (2.0, 0.6))
        _arrow(ax, (3.5, low), (3.8, low))
        _box(ax, 4.7, low, "Q Kᵀ ÷ √64", COMPUTED, (1.8, 0.6))
        _arrow(ax, (5.6, low), (5.9, low))
        _box(ax, 6.6, low, "softmax", COMPUTED, (1.4, 0.6))
        _arrow(ax, (7.3, low), (7.6, low))
        _box(ax, 8.2, low, "gates · V", COMPUTED, (1.2, 0.6))
        _arrow(ax, (8.8, low), (9.15, y - 1.3))
    _box(ax, 9.75, y - 1.3, "join, $W_O$", LEARNED, (1.2, HIGH))
    _arrow(ax, (10.35, y - 1.3), (10.8, y - 1.3), head=False)
    _arrow(ax, (10.8, y - 1.3), (10.8, y - 0.3))
    _circle(ax, 10.8, y, "+", PLAIN)
    _label(ax, 11.1, y + 0.3, "U")
    _arrow(ax, (13.25, y - 1.3), (13.5, y - 1.3))
    _box(ax, 14.95, y - 1.3, "Linear 192 → 768,\nGELU, Linear 768 → 192", LEARNED, (2.9, HIGH + 0.15))
    _arrow(ax, (16.4, y - 1.3), (16.8, y - 1.3), head=False)
    _arrow(ax, (16.8, y - 1.3), (16.8, y - 0.3))
    _circle(ax, 16.8, y, "+", PLAIN)
    ax.text(2.5, y + 0.35, "each 197 × 64", ha="center", fontsize=8.5, color=INK)
    ax.text(5.5, y + 0.35, "each 197 × 197", ha="center", fontsize=8.5, color=INK)
    _label(ax, 17.7, y, "E′")


def _lane(ax: Axes, stops: Sequence[tuple[str, str, str]], y: float, steps: tuple[float, float], width: float) -> None:
    """Boxes from left to right; the shape of what leaves a box stands above its arrow.

    Args:
        stops: text of a box, its colour, the shape of what leaves it.
        y: height of the lane.
        steps: where the first box stands, and how far the next one is.
        width: of a box.
    """
    start, step = steps
    for place, (text, colour, shape) in enumerate(stops):
        x = start + step * place
        _box(ax, x, y, text, colour, (width, 0.9))
        if place + 1 < len(stops):
            _arrow(ax, (x + width / 2, y), (x + step - width / 2, y))
            ax.text(x + step / 2, y + 0.5, shape, ha="center", va="bottom", fontsize=8, color=INK)
