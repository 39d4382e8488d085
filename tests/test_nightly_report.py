"""What a nightly run leaves behind: the ledger that only grows, what a stopped run keeps, the report in three forms."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from autograde.claims import Claim
from autograde.nightly import ledger, report
from autograde.nightly.check import KINDS, Check, Failure, Outcome, Task
from autograde.nightly.kept import Kept
from autograde.nightly.run import Night
from autograde.verify import Tally

CLAIM = Claim("it", 0.98, 1.0, 0.05, "slide 3", "quick", "quick", "2026-11-30", 0, True, False, 1.5, 4)
TASK = Task("03_qkv", "in-class:quick", 0, "quick", 60)
HOSTILE = "<script>alert(1)</script>\x1b[31m red\x00 ]]> &"


def outcome(*claims: Claim, **more: Any) -> Outcome:
    check = Check("03_qkv", "in-class:quick", "cells", 0, 12.5, "58 code cells ran", **more)
    return Outcome(TASK, (check,), claims, seconds=14.0)


def night(*outcomes: Outcome, **more: Any) -> Night:
    return Night("nightly", "2026-11-30T01:30:00+00:00", "abc1234", "autograde nightly", list(outcomes), **more)


# The ledger


def grown(path: Path, *claims: Claim) -> ledger.History:
    ledger.append(path, ledger.entries([outcome(*claims)]), "2026-11-30", "abc1234")
    return ledger.History(path)


def test_the_history_grows_by_a_row_a_night_for_each_claim_and_seed(tmp_path: Path) -> None:
    path = tmp_path / "new" / "claims.jsonl"
    second = replace(CLAIM, seed=1, measured=1.04)
    for _ in range(3):
        history = grown(
            path, CLAIM, replace(CLAIM, name="old", recorded=True), replace(CLAIM, name="no", measured=None)
        )
        ledger.append(path, ledger.entries([outcome(second)]), "2026-11-30", "")
    history = ledger.History(path)
    assert {key: len(rows) for key, rows in history.rows.items()} == {
        ("03_qkv", "it", "quick", 0): 3,
        ("03_qkv", "it", "quick", 1): 3,
    }, "what was only shown from the record was not measured tonight"
    row = history.rows["03_qkv", "it", "quick", 0][0]
    wanted = {"expect": 1.0, "measured": 0.98, "tol": 0.05, "source": "slide 3", "preset": "quick", "seed": 0}
    assert row.items() >= {**wanted, "commit": "abc1234", "night": "2026-11-30", "ok": True}.items()
    assert {"python", "torch"} <= row.keys()
    assert history.damaged == []


@pytest.mark.parametrize("damage", [b"{", b"[]", b'{"name": "it"}', b"\xff\xfe", b"3", b'{"name": "half a ro'])
def test_a_damaged_line_is_reported_and_never_lost(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "claims.jsonl"
    grown(path, CLAIM)
    whole = path.read_bytes()
    path.write_bytes(whole + damage)  # without a line's end, as a killed run leaves it
    history = grown(path, CLAIM)
    assert path.read_bytes().startswith(whole + damage + b"\n")
    assert [len(rows) for rows in history.rows.values()] == [2]
    [said] = history.damaged
    assert said.startswith("claims.jsonl, line 2, is damaged and was left as it is")


@pytest.mark.parametrize(
    ("measured", "expect", "tol", "strain"),
    [(0.98, 1, 0.05, 0.4), (3, 3, 0, 0), ([1, 2.5], [1, 2], [0, 0.25], 2), (None, 1, 1, None), (4, 3, 0, None)],
)
def test_strain_is_the_share_of_the_tolerance(measured: Any, expect: Any, tol: Any, strain: float | None) -> None:
    found = ledger.strain(measured, expect, tol)
    assert found == (None if strain is None else pytest.approx(strain))


# A run that was stopped


def test_what_holds_is_kept_until_something_it_depends_on_changes(tmp_path: Path) -> None:
    for name, content in [("notebooks/03_qkv.py", "x"), ("budgets.toml", "y"), ("course_utils/a.py", "z")]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    out = tmp_path / "out"
    good = outcome(CLAIM)
    assert Kept(tmp_path, out).get(TASK) is None
    Kept(tmp_path, out).put(good)
    assert Kept(tmp_path, out).get(TASK) == good
    assert Kept(tmp_path, out).get(replace(TASK, seed=1)) is None
    for name in ("notebooks/03_qkv.py", "budgets.toml", "course_utils/a.py"):
        before = (tmp_path / name).read_text()
        (tmp_path / name).write_text(before + "1")
        assert Kept(tmp_path, out).get(TASK) is None, name
        (tmp_path / name).write_text(before)
    next((out / "kept").glob("*.json")).write_text("{")
    assert Kept(tmp_path, out).get(TASK) is None, "what is damaged is run again"
    Kept(tmp_path, out).put(outcome(failures=(Failure("it fails", "again"),)))
    assert Kept(tmp_path, out).get(TASK) is None, "what fails is run again"
    Kept(tmp_path, out).put(good)
    Kept(tmp_path, out).clear()
    assert Kept(tmp_path, out).get(TASK) is None


# The report


def failing() -> Night:
    failure = Failure(HOSTILE, "autograde nightly --lesson 03_qkv --only in-class:quick --seed 0", 7, HOSTILE, HOSTILE)
    checks = [Check("03_qkv", "in-class:quick", kind, 0, failures=(failure,)) for kind in KINDS[:2]]
    checks += [Check("08_multi", "bank", "bank", note="9 answers")]
    more = Outcome(Task("08_multi", "bank"), tuple(checks), scores=(Tally("08_multi", "fuse", 5, 6, 3, 3, 5),))
    wrong = replace(CLAIM, name="wrong", ok=False, measured=[1.0, 2.0], expect=[1.0, 3.0])
    return night(outcome(CLAIM, wrong), more, seconds=75)


def test_the_page_is_one_file_with_the_summary_first_and_every_failure_repeatable(tmp_path: Path) -> None:
    made = failing()
    made.history = ledger.History(tmp_path / "none")
    made.history.damaged = ["claims.jsonl, line 2, is damaged"]
    page = report.page(made)
    body = page.partition("<body")[2]
    assert "2 of 4 checks fail" in body[:300]
    assert body.index("✗ 1 of") < body.index("line 2, is damaged") < body.index("Run it alone") < body.index("ledger")
    assert body.count("autograde nightly --lesson 03_qkv --only in-class:quick --seed 0") == 2
    assert "<script" not in body
    assert "&lt;script&gt;" in body
    assert "src=" not in page
    assert "http" not in page.replace("http-equiv", "")
    for anchor in ("failure-1", "failure-2"):
        assert f'href="#{anchor}"' in body
        assert f'id="{anchor}"' in body
    assert "5 of 6" in body
    assert "0.40" in body
    assert "[1, 3] ± 0.05" in body
    assert '2 claims, <span class="fail">1 without proof</span>; most strained: wrong, 20.00' in body


def test_all_that_holds_and_nothing_at_all(tmp_path: Path) -> None:
    good = night(outcome(CLAIM))
    assert (good.ok, report.headline(good)) == (True, "The one check holds")
    assert "✓ The one check holds" in report.page(good)
    empty = night()
    assert not empty.ok, "a run of nothing proves nothing"
    assert "Nothing was checked" in report.page(empty)


def test_junit_and_json_say_the_same(tmp_path: Path) -> None:
    paths = report.write(failing(), tmp_path / "out")
    suites = ElementTree.parse(paths["xml"]).getroot()
    assert [(suite.get("name"), suite.get("tests"), suite.get("failures")) for suite in suites] == [
        ("03_qkv", "3", "2"),
        ("08_multi", "1", "0"),
    ]
    failure = next(suites.iter("failure"))
    assert failure.get("message", "").startswith("cell 7: <script>")
    assert "Run it alone: autograde nightly" in (failure.text or "")
    said = json.loads(paths["json"].read_text())
    assert said["ok"] is False
    assert [check["ok"] for check in said["checks"]] == [True, False, False, True]
    assert said["claims"][0].items() >= {"name": "it", "measured": 0.98, "expect": 1.0, "tol": 0.05, "seed": 0}.items()
    assert said["bank"][0]["exercise"] == "fuse"
    assert paths["html"].read_text() == report.page(failing())


def test_the_words_say_what_each_kind_checks() -> None:
    assert report.WORDS.keys() == set(KINDS)
