"""Which grader this is, in words that two machines can compare."""

from __future__ import annotations

import platform
from importlib import metadata

from autograde.fingerprint import code


def version() -> str:
    """All that must be the same on two machines, so that a submission gets the same points on both."""
    ours, torch = (metadata.version(name) for name in ("gates-to-transformers", "torch"))
    python = ".".join(platform.python_version_tuple()[:2])
    return f"autograde {ours} (code {code()[:12]}), torch {torch}, Python {python}"
