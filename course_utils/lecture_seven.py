"""The 7 that the lecture on pooling draws: a real digit of MNIST, its map of top edges, and the strongest window."""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils import digits

__all__ = ["LectureSeven", "lecture_seven"]

#: Which of the package's sevens it is. Found by its numbers: of all 500 only this one has the lecture's window.
WHICH = 182
#: The lecture draws pixels in ten grey levels, 0 to 9 ninths.
LEVELS = 9


class LectureSeven(NamedTuple):
    """The digit and what one filter makes of it.

    Attributes:
        pixels: (28, 28) in [0, 1], ten grey levels.
        kernel: (5, 5) dark above, bright below: it finds top edges.
        edges: (24, 24) the convolution of both, after ReLU.
        window: row and column of the strongest 2 x 2 window, counted in windows.
    """

    pixels: Tensor
    kernel: Tensor
    edges: Tensor
    window: tuple[int, int]


def lecture_seven() -> LectureSeven:
    """The lecture's 7, float32. Its strongest window holds 31, 37, 76 and 82 ninths: 3.44, 4.11, 8.44, 9.11.

    The lecture does not say which filter it used. With three rows of -1 above two rows of +1 this window comes out,
    and it is the strongest.

    Raises:
        digits.MissingDigits: the digits are not installed.
    """
    pixels = (digits.number_of(digits._table(), 7, WHICH)[0] * LEVELS).round() / LEVELS  # (28, 28)
    kernel = torch.tensor([-1.0, -1, -1, 1, 1])[:, None].expand(5, 5).contiguous()
    edges = F.relu(F.conv2d(pixels[None, None], kernel[None, None]))[0, 0]  # (24, 24)
    edges = (edges * LEVELS).round() / LEVELS  # sums of ninths are ninths; rounding had made the last bits differ
    row, column = divmod(int(F.max_pool2d(edges[None, None], 2).argmax()), 12)
    return LectureSeven(pixels, kernel, edges, (row, column))
