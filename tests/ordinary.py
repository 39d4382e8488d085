"""Runs code of ours as an ordinary user, with the system's Python, which everybody can read: so without torch."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from conftest import REPO

#: What code inside a sandbox finds out about the walls that all sandboxes have; it fills the dict `seen`.
LOOK_AROUND = """
seen["pids"] = len([p for p in os.listdir("/proc") if p.isdigit()])
children = []
try:
    while len(children) < 200: children.append(subprocess.Popen(["sleep", "60"]))
except OSError: pass
seen["children"] = len(children)
for child in children: child.kill(); child.wait()
try: socket.create_connection(("127.0.0.1", 22), 1)
except OSError as error: seen["network"] = type(error).__name__
"""


def seen_by_an_ordinary_user(script: str) -> dict[str, Any]:
    """What `script` prints, as JSON. It imports our packages from a copy that another user can read."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        for package in ("autograde", "course_utils"):
            ignore = shutil.ignore_patterns("__pycache__", "answers")
            shutil.copytree(REPO / package, Path(folder, package), ignore=ignore)
        done = subprocess.run(
            ["/usr/bin/python3", "-c", script],
            user=65534,
            group=65534,
            extra_groups=[],
            cwd="/",
            env={"PYTHONPATH": folder, "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["pids"] <= 3
    assert 20 < found["children"] < 40
    assert found["network"] in ("ConnectionRefusedError", "OSError")
    return found
