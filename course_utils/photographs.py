"""A few colour photographs that work offline, read from a package's files, and photographs of your own.

They come with scikit-image, of which only these files are read. As that package says, all may be used freely:
`astronaut` (Eileen Collins) is NASA's, in the public domain; `cat` (Chelsea) is CC0 by Stefan van der Walt; `coffee` is
CC0 by Rachel Michetti, courtesy of Pikolo Espresso Bar; `rocket` (Falcon 9) is SpaceX's, in the public domain.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image, ImageOps
from torch import Tensor

__all__ = ["NAMES", "PACKAGE", "SIDE", "MissingPhotographs", "cropped", "load", "whole"]

#: The package that carries the photographs: its name for pip, and the folder with the files in it.
PACKAGE, MODULE, FOLDER = "scikit-image", "skimage", "data"
FILES = {"astronaut": "astronaut.png", "cat": "chelsea.png", "coffee": "coffee.png", "rocket": "rocket.jpg"}
#: What there is.
NAMES = tuple(FILES)
#: Pixels along one side of what a vision transformer for photographs takes.
SIDE = 224


class MissingPhotographs(RuntimeError):
    """The photographs are not on this machine; the message says how to get them."""


def load(which: str | Path, side: int = SIDE) -> Tensor:
    """A photograph's central square, resized.

    Args:
        which: one of NAMES, or the path of a JPEG or PNG of your own.
        side: pixels along one side.

    Returns:
        (3, side, side) float32 in [0, 1].

    Raises:
        ValueError: no such name or file, or a file that is no picture.
        MissingPhotographs: the package that carries the named ones is not installed.
    """
    return cropped(whole(which), side)


def whole(which: str | Path) -> Tensor:
    """A photograph as it is: (3, h, w) float32 in [0, 1], upright. Arguments and errors are those of `load`."""
    path = _packaged(which) if isinstance(which, str) and which in FILES else Path(which)
    if not path.is_file():
        raise ValueError(f"There is no photograph {which}. Name one of {', '.join(NAMES)}, or a file that is there.")
    try:
        with Image.open(path) as opened:
            pixels = np.array(ImageOps.exif_transpose(opened).convert("RGB"))  # (h, w, 3)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError(f"{path} cannot be read as a picture ({error}). Save it as JPEG or PNG.") from error
    return torch.from_numpy(pixels).permute(2, 0, 1).contiguous().float() / 255  # (3, h, w)


def cropped(image: Tensor, side: int = SIDE) -> Tensor:
    """The largest square in the middle of (3, h, w), resized to (3, side, side), still in [0, 1].

    What is shrunk is smoothed first, so that fine patterns leave no false ones.

    Raises:
        ValueError: `side` is below 1.
    """
    if side < 1:
        raise ValueError(f"A side has at least 1 pixel, not {side}.")
    edge = min(image.shape[-2:])
    top, left = ((length - edge) // 2 for length in image.shape[-2:])
    square = image[None, :, top : top + edge, left : left + edge]  # (1, 3, edge, edge)
    resized = F.interpolate(square, size=(side, side), mode="bicubic", antialias=True)
    return resized[0].clamp(0, 1)  # bicubic curves overshoot at edges


def _packaged(name: str) -> Path:
    package = importlib.util.find_spec(MODULE)
    places = package.submodule_search_locations if package else None
    path = Path(places[0]) / FOLDER / FILES[name] if places else None
    if path is None or not path.is_file():
        raise MissingPhotographs(
            f"The photograph `{name}` comes from the package {PACKAGE}, which is not installed here. Run "
            f"`pip install --no-deps {PACKAGE}` in the course's environment (14 MB), then restart the kernel; or give "
            "the path of a photograph of your own."
        )
    return path
