"""Figures and the dial of lesson 08 on a picture and a sentence: guesses with and without it, cuts of sound and film.

As in `plots`: each function that draws returns `(figure, axes)` and takes the claim as its title.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from course_utils.captioned import WORDS, Captioned
from course_utils.multimodal_net import ANIMAL, COLOUR, POSTURE, Reader, fill
from course_utils.plots import _array
from course_utils.widgets import Drawn, Explorer, explore

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["RATE", "best", "captions", "clip_cut", "guesses", "moving_dot", "reader_dial", "sound_cut", "two_tones"]

#: One colour for guesses from words alone, one for guesses with a picture.
ALONE, SEEING, CUT = "#8c8c8c", "#0072B2", "#D55E00"
#: Samples of a second of our sound.
RATE = 8000


def best(probabilities: Tensor, count: int = 5) -> list[tuple[str, float]]:
    """The likeliest words of one row (words,), with their probabilities."""
    order = probabilities.argsort(descending=True)[:count].tolist()
    return [(WORDS.words[word], probabilities[word].item()) for word in order]


def captions(data: Captioned, rows: Sequence[int], title: str) -> tuple[Figure, np.ndarray]:
    """Some pictures in a row, the caption below each in two lines."""
    from matplotlib import pyplot as plt

    size = (1.9 * len(rows), 2.7)
    figure, axes = plt.subplots(1, len(rows), figsize=size, squeeze=False, layout="constrained")
    for ax, row in zip(axes[0], rows, strict=True):
        _picture(ax, data.images[row])
        words = data.captions[row].split()
        ax.set_xlabel(f"{' '.join(words[:4])}\n{' '.join(words[4:])}", fontsize=9)
    figure.suptitle(title)
    return figure, axes[0]


def guesses(image: Any, sentence: str, alone: Any, seeing: Any, title: str) -> tuple[Figure, np.ndarray]:
    """A picture, and the five likeliest words for the hidden one: without the picture, and with it.

    Args:
        image: (3, h, w).
        sentence: with [MASK].
        alone, seeing: probabilities (words,).
        title: what the figure shows, as a sentence.
    """
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.1), width_ratios=[1, 1.35, 1.35], layout="constrained")
    _picture(axes[0], image)
    axes[0].set_xlabel(sentence, fontsize=9)
    for ax, row, colour, name in (
        (axes[1], alone, ALONE, "words alone"),
        (axes[2], seeing, SEEING, "with the picture"),
    ):
        found = best(row)
        ax.barh(range(len(found)), [share for _, share in found], color=colour)
        for place, (_, share) in enumerate(found):
            ax.text(share + 0.02, place, f"{share:.2f}", va="center", fontsize=9)
        ax.set_yticks(range(len(found)), [word for word, _ in found])
        ax.set(xlim=(0, 1.2), xticks=[0, 0.5, 1], xlabel="probability", title=name)
        ax.invert_yaxis()
    figure.suptitle(title)
    return figure, axes


def reader_dial(model: Reader, blind: Reader, data: Captioned, rows: Sequence[int]) -> Explorer:
    """Dials for the picture and for the hidden word: guesses of a network that saw no picture, and of one that does.

    Args:
        model: trained on pictures and captions.
        blind: trained on captions alone.
        data: captions, and pictures to choose from.
        rows: of `data`, the pictures that the dial offers.
    """
    import ipywidgets

    places = {"colour": COLOUR, "animal": ANIMAL, "posture": POSTURE}

    def asked(picture: int, hidden: str) -> tuple[Tensor, str, Tensor, Tensor]:
        row = rows[picture]
        words = data.captions[row].split()
        words[places[hidden] - 1] = "[MASK]"  # [CLS] stands before them
        ids, image = data.ids[row, None], data.images[row, None]
        alone, seeing = (fill(net, ids, seen, places[hidden])[0] for net, seen in ((blind, None), (model, image)))
        return image[0], f"{' '.join(words[:4])}\n{' '.join(words[4:])}", alone, seeing

    def draw(picture: int, hidden: str) -> Drawn:
        image, sentence, alone, seeing = asked(picture, hidden)
        word, share = best(seeing, 1)[0]
        return guesses(image, sentence, alone, seeing, f"Hidden: the {hidden}. With the picture: “{word}”, {share:.2f}")

    def words(picture: int, hidden: str) -> str:
        _, sentence, alone, seeing = asked(picture, hidden)
        said = [", ".join(f"{word} {share:.2f}" for word, share in best(row, 2)) for row in (alone, seeing)]
        return f"For “{' '.join(sentence.split())}” words alone say {said[0]}; with the picture {said[1]}."

    picture = ipywidgets.IntSlider(0, 0, len(rows) - 1, description="picture", continuous_update=False)
    hidden = ipywidgets.Dropdown(options=list(places), value="posture", description="hidden")
    return explore(draw, words, picture=picture, hidden=hidden)


def two_tones(seconds: float = 0.1, tones: tuple[float, float] = (200.0, 600.0)) -> Tensor:
    """A low tone, then a high one (samples,), at 8,000 samples a second."""
    count = round(seconds * RATE)
    time = torch.arange(count) / RATE
    pitch = torch.where(torch.arange(count) < count // 2, tones[0], tones[1])
    return torch.sin(2 * math.pi * pitch * time)


def moving_dot(frames: int = 4, side: int = 16) -> Tensor:
    """A film (frames, side, side) of a dot on its way from the upper left to the lower right."""
    pixels = torch.arange(side)
    places = torch.linspace(3, side - 4, frames)
    return torch.stack([((pixels[:, None] - p) ** 2 + (pixels - p) ** 2 <= 4).float() for p in places])


def sound_cut(sound: Any, length: int, title: str) -> tuple[Figure, Axes]:
    """A sound over time, with lines where it is cut into slices of `length` samples."""
    from matplotlib import pyplot as plt

    wave = _array(sound)
    figure, ax = plt.subplots(figsize=(9, 2.6), layout="constrained")
    ax.plot(1000 * np.arange(len(wave)) / RATE, wave, color=SEEING, linewidth=1)
    for token, start in enumerate(range(0, len(wave), length)):
        ax.axvline(1000 * start / RATE, color=CUT, linestyle="--", linewidth=1)
        ax.text(1000 * (start + length / 2) / RATE, 1.25, f"{token}", ha="center", va="center", fontsize=9)
    ax.axvline(1000 * len(wave) / RATE, color=CUT, linestyle="--", linewidth=1)
    ax.set(xlabel="milliseconds", ylabel="loudness", ylim=(-1.2, 1.5), title=title)
    return figure, ax


def clip_cut(clip: Any, patch: int, frames: int, title: str) -> tuple[Figure, np.ndarray]:
    """The pictures of a film (n, h, w) in a row, cut into patches; one token's patch is framed in its `frames`.

    The framed token is the brightest one of these frames.
    """
    from matplotlib import pyplot as plt
    from matplotlib.patches import Rectangle

    film = _array(clip)
    side = film.shape[1] // patch
    ink = film[:frames].reshape(frames, side, patch, side, patch).sum((0, 2, 4))
    first = np.unravel_index(ink.argmax(), ink.shape)
    figure, axes = plt.subplots(1, len(film), figsize=(2.2 * len(film), 2.7), squeeze=False, layout="constrained")
    for number, (ax, picture) in enumerate(zip(axes[0], film, strict=True)):
        ax.imshow(picture, cmap="gray_r", vmin=0, vmax=1)
        ax.set(xticks=[], yticks=[], title=f"frame {number}")
        for cut in range(patch, len(picture), patch):
            ax.axhline(cut - 0.5, color="#888888", linewidth=0.8, linestyle=":")
            ax.axvline(cut - 0.5, color="#888888", linewidth=0.8, linestyle=":")
        if number < frames:
            corner = (first[1] * patch - 0.5, first[0] * patch - 0.5)
            ax.add_patch(Rectangle(corner, patch, patch, fill=False, edgecolor=CUT, linewidth=2.5))
    figure.suptitle(title)
    return figure, axes[0]


def _picture(ax: Axes, image: Any) -> None:
    ax.imshow(np.clip(_array(image).transpose(1, 2, 0), 0, 1))  # (h, w, 3)
    ax.set(xticks=[], yticks=[])
