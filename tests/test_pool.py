"""The coordinator's side of the job server."""

from __future__ import annotations

import tempfile
from pathlib import Path

from autograde.limits import Limits
from autograde.run.pool import Job, Pool
from autograde.run.words import words_for


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


def test_where_submissions_share_a_core_their_times_are_longer_and_what_is_said_of_them_is_not() -> None:
    limits = Limits(cell=30.0, call=10.0, memory=1 << 30)
    longer = limits.stretched(2.0)
    assert (longer.cell, longer.call, longer.memory) == (60.0, 20.0, limits.memory)
    assert longer.told == limits
    assert words_for("timeout", longer) == words_for("timeout", limits)
    assert Limits(**longer.to_dict()) == longer
