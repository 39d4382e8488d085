"""Claims: measured or recorded, they say which; one that does not hold stops; the record keeps what is dear."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
import torch
from conftest import Grader, free_cell, points, printed
from lesson_text import GOOD, change, findings
from live_text import Kernel, kernel
from rich.console import Console

from autograde.claims import collect, read_record, record
from autograde.errors import CourseError
from autograde.record import record_all
from course_utils import claims, settings
from course_utils.claims import MIME, ClaimFailed, claim


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each test begins in `quick`, with a record of its own."""
    monkeypatch.setattr(settings, "_prepared", settings._Prepared(0, "quick"))
    monkeypatch.setattr(claims, "RECORDED", tmp_path / "recorded.json")


def keep(folder: Path, name: str, **values: Any) -> None:
    entry = {"measured": 0.98, "date": "2026-11-03", "made_with": "full", "preset": "full", "seed": 1, "seconds": 3600}
    (folder / "recorded.json").write_text(json.dumps({name: entry | values}))


# In a notebook


@pytest.mark.parametrize(
    ("measured", "expect", "tol", "line"),
    [
        (0.44412, 4 / 9, 0.02, "✓ it: 0.4441, expected 0.4444 ± 0.02"),
        (torch.tensor(3.0, requires_grad=True), 3, 0, "✓ it: 3, expected 3 ± 0"),
        (np.float32(0.3), 0.2, 0.1 + 1e-7, "✓ it: 0.3, expected 0.2 ± 0.1"),
        (0.3, 0.2, 0.1, "✓ it: 0.3, expected 0.2 ± 0.1"),
        ([1, 2.5], [1, 2], [0, 0.5], "✓ it: [1, 2.5], expected [1, 2] ± [0, 0.5]"),
        (torch.ones(3, 4), 1, 0, "✓ it: [1, 1, 1, 1, 1, 1, 1, 1, … 12 numbers], expected 1 ± 0"),
        (50_176**2, 2_517_630_976, 0, "✓ it: 2517630976, expected 2517630976 ± 0"),
        (lambda: 7, 7, 0, "✓ it: 7, expected 7 ± 0"),
    ],
)
def test_a_claim_prints_one_line(measured: Any, expect: Any, tol: Any, line: str, capsys: Any) -> None:
    claim("it", measured, expect=expect, tol=tol)
    assert capsys.readouterr().out == f"{line}\n"


@pytest.mark.parametrize(
    ("measured", "expect", "words"),
    [
        (0.5, 0.3, "it: 0.5, expected 0.3 ± 0.1"),
        ([1, 2, 4], [1, 2, 3], "farthest off by 1"),
        (float("nan"), 0.3, "not all are finite numbers"),
        ([0.3, float("inf")], 0.3, "not all are finite numbers"),
    ],
)
def test_a_claim_that_fails_prints_and_stops(measured: Any, expect: Any, words: str, capsys: Any) -> None:
    with pytest.raises(ClaimFailed, match="This claim does not hold") as caught:
        claim("it", measured, expect=expect, tol=0.1, source="slide 3")
    printed = capsys.readouterr().out
    assert printed.startswith("✗ it: ")
    assert printed.endswith("(slide 3)\n")
    assert words in printed
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"preset": "fast"}, ValueError, "no preset 'fast'. Choose one of quick, nightly, full"),
        ({"preset": "full"}, TypeError, "give a function that measures"),
        ({"expect": float("nan")}, ValueError, "expect is nan. State finite numbers"),
        ({"expect": None}, TypeError, "expect is None"),
        ({"tol": -1}, ValueError, "tol is -1. A tolerance is finite and not below 0"),
        ({"tol": float("inf")}, ValueError, "tol is inf"),
        ({"expect": [1, 2]}, ValueError, "shapes differ"),
        ({"measured": "0.3"}, TypeError, "measured is '0.3'. Give a number"),
        ({"measured": [[1], [1, 2]]}, TypeError, "numbers in one shape"),
        ({"measured": []}, TypeError, "1 to 1000 numbers"),
        ({"measured": np.ones(1001)}, TypeError, "1 to 1000 numbers"),
        ({"measured": lambda: None}, TypeError, "measured is None"),
        ({"name": " "}, ValueError, "a claim needs a name"),
    ],
)
def test_a_claim_that_makes_no_sense_is_refused(arguments: dict[str, Any], error: type, words: str) -> None:
    given: dict[str, Any] = {"name": "it", "measured": 1, "expect": 1, "tol": 0, **arguments}
    with pytest.raises(error, match=words.replace("(", r"\(")):
        claim(given.pop("name"), given.pop("measured"), **given)


def never() -> float:
    raise AssertionError("this costs hours")


def test_what_is_too_dear_shows_the_record_and_its_date(tmp_path: Path, capsys: Any) -> None:
    keep(tmp_path, "it")
    claim("it", never, expect=1, tol=0.05, preset="full")
    assert capsys.readouterr().out == (
        "✓ it: 0.98, expected 1 ± 0.05, recorded 2026-11-03 with `full`; this run is `quick`\n"
    )
    kept = claims.recorded("it")
    assert kept is not None
    assert (kept["measured"], kept["date"]) == (0.98, "2026-11-03")


def test_what_is_too_dear_and_not_recorded_says_so(capsys: Any) -> None:
    claim("it", never, expect=1, tol=0.05, preset="nightly")
    out = capsys.readouterr().out
    assert out.startswith("? it: expected 1 ± 0.05, not measured: this run is `quick`, to measure takes `nightly`")
    assert "nothing is recorded yet" in out
    assert claims.recorded("it") is None


def test_a_record_that_denies_the_text_stops(tmp_path: Path) -> None:
    keep(tmp_path, "it", measured=0.5)
    with pytest.raises(ClaimFailed, match=r"0\.5, expected 1"):
        claim("it", never, expect=1, tol=0.05, preset="full")


@pytest.mark.parametrize("preset", ["full", "nightly"])
def test_a_preset_that_affords_it_measures(tmp_path: Path, preset: str, capsys: Any) -> None:
    keep(tmp_path, "it", measured=0.5)
    settings.prepare(seed=3, preset=preset)
    assert (settings.preset(), settings.seed()) == (preset, 3)
    claim("it", lambda: 1, expect=1, tol=0.05, preset="nightly")
    assert capsys.readouterr().out == "✓ it: 1, expected 1 ± 0.05\n"


@pytest.mark.parametrize("content", ["{", "[]", '{"it": 3}', '{"it": {"measured": 1}}'])
def test_a_damaged_record_is_said(tmp_path: Path, content: str) -> None:
    (tmp_path / "recorded.json").write_text(content)
    with pytest.raises(ValueError, match=r"recorded\.json is damaged"):
        claim("it", never, expect=1, tol=0.05, preset="full")


def test_an_unknown_preset_changes_nothing() -> None:
    settings.prepare(seed=4, preset="nightly")
    with pytest.raises(ValueError, match="no preset 'fast'"):
        settings.prepare(seed=5, preset="fast")
    assert (settings.preset(), settings.seed()) == ("nightly", 4)


# In the output


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    with kernel(tmp_path_factory.mktemp("claims")) as fresh:
        fresh.run("from course_utils.claims import claim")
        yield fresh


def test_the_output_holds_the_claim(room: Kernel) -> None:
    answer = room.run('claim("a < b", [1, 2.0], expect=[1, 2], tol=0.1, source="slide <3>")')
    assert answer.text == "✓ a < b: [1, 2], expected [1, 2] ± 0.1 (slide <3>)"
    [page] = answer.data("text/html")
    assert "a &lt; b" in page
    assert "slide &lt;3&gt;" in page
    [held] = answer.data(MIME)
    expected = {"name": "a < b", "measured": [1, 2], "expect": [1, 2], "tol": 0.1, "source": "slide <3>", "ok": True}
    assert held.items() >= {**expected, "preset": "quick", "recorded": False, "seed": 0}.items()
    assert len(held["date"]) == 10


def test_a_claim_that_fails_is_in_the_output_without_our_code(room: Kernel) -> None:
    answer = room.run('claim("it", [1, float("nan")], expect=1, tol=0)')
    assert not answer.ok
    [held] = answer.data(MIME)
    assert (held["ok"], held["measured"]) == (False, [1, None])
    assert "✗ This claim does not hold: it: [1, nan]" in answer.text
    assert "Traceback" not in answer.text
    assert "raise" not in answer.text


# In the grader's hands


def executed(*contents: Any) -> Any:
    """A notebook with a cell of prose, and one output in each of its code cells."""
    cells = [nbformat.v4.new_markdown_cell("prose")]
    for content in contents:
        outputs = [nbformat.v4.new_output("stream", text="x"), nbformat.v4.new_output("display_data", {MIME: content})]
        cells.append(nbformat.v4.new_code_cell("claim()", outputs=outputs))
    return nbformat.v4.new_notebook(cells=cells)


def content(name: str = "it", **changes: Any) -> dict[str, Any]:
    numbers = {"measured": 1.0, "expect": 1.0, "tol": 0.1, "ok": True, "recorded": False, "seconds": 2.5, "seed": 0}
    return {
        "name": name,
        "source": "",
        "preset": "full",
        "made_with": "full",
        "date": "2026-11-29",
        **numbers,
        **changes,
    }


def test_claims_are_collected_in_order_with_their_cells() -> None:
    found = collect(executed(content("b"), content("a", ok=False)))
    assert [(claim.name, claim.cell, claim.ok) for claim in found] == [("b", 2, True), ("a", 3, False)]


@pytest.mark.parametrize("wrong", [3, {}, content(preset="fast"), content(ok="yes"), content(name=3)])
def test_an_output_that_is_no_claim_is_refused(wrong: Any) -> None:
    with pytest.raises(CourseError, match=r"cell 2: this output is no claim of course_utils"):
        collect(executed(wrong))


def test_two_claims_of_one_name_are_refused() -> None:
    with pytest.raises(CourseError, match="cell 3: the claim 'it' stands in cell 2 already"):
        collect(executed(content(), content()))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "course_utils").mkdir()
    return tmp_path


def test_only_what_was_measured_holds_and_is_dear_is_recorded(root: Path) -> None:
    given = [content("kept"), content("cheap", preset="quick"), content("old", recorded=True)]
    given += [content("wrong", ok=False), content("none", ok=None, measured=None)]
    kept = record(root, "notebooks/a.ipynb", collect(executed(*given)))
    assert [claim.name for claim in kept] == ["kept"]
    path = root / "course_utils" / "recorded.json"
    known = read_record(path)
    assert known.keys() == {"kept"}
    assert {"measured", "expect", "tol", "preset", "date", "source", "seconds"} <= known["kept"].keys()
    before = path.read_bytes()
    record(root, "notebooks/a.ipynb", collect(executed(*given)))
    assert path.read_bytes() == before
    with pytest.raises(CourseError, match=r"the claim 'kept' of notebooks/b.ipynb stands in notebooks/a.ipynb, too"):
        record(root, "notebooks/b.ipynb", collect(executed(*given)))


@pytest.mark.parametrize("text", ["{", "[]", '{"a": 3}', '{"a": {}}', '{"a": {"measured": NaN}}'])
def test_a_damaged_record_is_not_written_over(root: Path, text: str) -> None:
    path = root / "course_utils" / "recorded.json"
    path.write_text(text)
    with pytest.raises(CourseError, match="damaged"):
        record(root, "a", collect(executed(content())))
    assert path.read_text() == text


METADATA = {"kernelspec": {"name": "python3", "language": "python", "display_name": ""}}
NOTEBOOK = (
    """
from course_utils import settings
from course_utils.claims import claim
settings.prepare(seed=SEED, preset=PRESET)
""",
    'claim("dear", lambda: SEED + 0.5, expect=3.5, tol=0, preset="nightly", source="by hand")',
)


def test_the_command_runs_a_notebook_and_keeps_its_claims(root: Path, capsys: Any) -> None:
    parameters = nbformat.v4.new_code_cell('PRESET = "quick"\nSEED = 0', metadata={"tags": ["parameters"]})
    cells = [parameters, *map(nbformat.v4.new_code_cell, NOTEBOOK)]
    cells.append(nbformat.v4.new_code_cell('claim("wrong", 1, expect=2, tol=0)'))
    path = root / "notebooks" / "09_dear.ipynb"
    path.parent.mkdir()
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=METADATA), path)
    before = path.read_bytes()
    assert not record_all(root, ["09_dear"], "nightly", 3, Console(width=160)), "one claim does not hold"
    out = capsys.readouterr().out
    assert "holds         dear" in out
    assert "DOES NOT HOLD wrong" in out
    assert "2 claims, 2 of them measured now\n  1 written to course_utils/recorded.json\n" in out
    assert "stopped at cell 4: ClaimFailed: This claim does not hold: wrong: 1, expected 2 ± 0" in out
    entry = read_record(root / "course_utils" / "recorded.json")["dear"]
    assert (entry["measured"], entry["made_with"], entry["seed"]) == (3.5, "nightly", 3)
    assert entry["notebook"] == "notebooks/09_dear.ipynb"
    assert path.read_bytes() == before
    record_all(root, ["09_dear"], "quick", 0, Console(width=160))
    out = capsys.readouterr().out
    assert "2 claims, 1 of them measured now\n  0 written to course_utils/recorded.json: those of `quick` are" in out


def test_the_command_refuses_what_it_cannot_run(root: Path) -> None:
    path = root / "bare.ipynb"
    nbformat.write(nbformat.v4.new_notebook(), path)
    for named, preset, words in [
        (str(path), "nightly", "no cell tagged `parameters`"),
        ("08_gone", "quick", "does not exist. Run `autograde build`"),
        (str(path), "fast", "no preset 'fast'"),
    ]:
        with pytest.raises(CourseError, match=words):
            record_all(root, [named], preset, 0, Console())
    with pytest.raises(CourseError, match="has no SEED in its cell of parameters"):
        record_all(root, [str(path)], "quick", 3, Console())


# In a homework

PARAMETERS = '# %% tags=["parameters"] room="both"\nPRESET = "quick"\n\n# %% room="both"'
CLAIM = 'from course_utils.claims import claim\nclaim("a number", {}, expect=6, tol=0)'


def test_a_homework_may_have_parameters_and_claims(tmp_path: Path) -> None:
    text = change('# %% room="both"', PARAMETERS, change("print(sum(numbers))", CLAIM.format("sum(numbers)")))
    assert findings(tmp_path, text) == []


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "got, untouched = observe([1.0, 2.0, 6.0])",
            CLAIM + "\ngot, untouched = observe([1.0, 2.0, 6.0])",
            "a claim in",
        ),
        ("WEIGHT = torch.randn(4)", CLAIM.format(6) + "\nWEIGHT = torch.randn(4)", "a claim in a cell that is graded"),
        ("# ## 1. The mean\n\n# %%\n", '# ## 1. The mean\n\n# %% tags=["live"] live="a"\n', "a homework has no live"),
        ('# %% room="both"', PARAMETERS.replace("quick", "full"), "sets no preset"),
    ],
)
def test_a_homework_whose_claims_could_cost_points_is_refused(tmp_path: Path, old: str, new: str, words: str) -> None:
    found = [finding.reason for finding in findings(tmp_path, change(old, new, GOOD))]
    assert any(words in reason for reason in found), found


@pytest.mark.sandbox
def test_claims_in_a_homework_never_cost_points(grader: Grader) -> None:
    notebook = free_cell(grader.solved(), CLAIM.format(5))
    free_cell(notebook, 'claim("dear", lambda: 1 / 0, expect=6, tol=0, preset="full")', before="test_attention")
    result = grader.grade(notebook)
    assert points(result) == points(grader.grade(grader.solved()))
    assert points(result)["attention"] == 4
    assert "This claim does not hold: a number: 5, expected 6" in printed(result)
    assert "? dear: expected 6 ± 0, not measured" in printed(result)
