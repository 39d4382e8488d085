"""Shows a figure with words for those who cannot see it."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["described", "png"]


def png(figure: Figure, dpi: int = 100) -> bytes:
    """A figure as PNG; it is closed."""
    from matplotlib import pyplot as plt

    with io.BytesIO() as stream:
        figure.savefig(stream, format="png", dpi=dpi)
        plt.close(figure)
        return stream.getvalue()


def described(drawn: tuple[Figure, Any], words: str) -> None:
    """Show what a function of `plots`, `charts` or `diagrams` returned, with words for those who cannot see it."""
    from IPython.display import display
    from matplotlib import pyplot as plt

    if os.environ.get("COURSE_PICTURES") == "no":  # the grader's, in a run whose outputs nobody will see
        plt.close(drawn[0])
        print(words)
        return
    bundle = {"image/png": png(drawn[0]), "text/plain": words}
    display(bundle, raw=True, metadata={"image/png": {"alt": words}})
