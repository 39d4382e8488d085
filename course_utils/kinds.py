"""The exceptions that Python itself knows: what a student's code calls one by another name is not repeated."""

from __future__ import annotations

import builtins

__all__ = ["KNOWN_KINDS"]

KNOWN_KINDS = frozenset(
    name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)
)
