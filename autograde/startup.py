"""What a command does before it imports anything heavy."""

from __future__ import annotations

import sys


def skip_slow_imports() -> None:
    """Leave out `rfc3987_syntax`: jsonschema imports it where it is installed, for two seconds, to check international
    web addresses. No notebook format has any. Only for processes that are ours alone: another may need it."""
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
