"""The coordinator's side of the job server."""

from __future__ import annotations

import tempfile
from pathlib import Path

from autograde.limits import Limits
from autograde.run.pool import Job, Pool


def test_no_two_submissions_share_a_file() -> None:
    """Submissions run side by side: a name is not a path, and what follows its last dot is part of it."""
    pool, ids = Pool(2), ["j", "j.smith", "j.doe", "a/b", "a_b", "=1+1, d'Arc", "\udcff", "x" * 255]
    with tempfile.TemporaryDirectory() as folder:
        pool._folder = tempfile.TemporaryDirectory(dir=folder)
        paths = [path for name in ids for path in pool._paths(Job(name, b"", Path(), "03_qkv", Limits(), {}))]
        assert len(set(paths)) == 2 * len(ids)
        for path in paths:
            path.write_bytes(b"")
        pool._folder.cleanup()
