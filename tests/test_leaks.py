"""No solution and no hidden test survives in what students get, however it is laid out; what everybody writes may."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from lesson_text import GOOD, IN_CLASS, change, line_of, write_lesson

from autograde.rules import find_leaks, lesson_secrets, read_text
from autograde.rules.leaks import SINGLE, WHOLE, _written, code_shelf, prose_shelf, squeeze

TOTAL = "total = sum(number for number in x if number is not None)"
CLOSE = 'check.close(got, math.fsum(x) / 7, "the mean of seven numbers", likely={"divided by n - 1": math.fsum(x) / 6})'
ANSWER = "Because nothing divided by nothing has no value that all could agree on."

SURVIVES_IN_CODE = {
    "as it is": TOTAL,
    "other names around it": f"def f(x):\n    if x:\n        {TOTAL}",
    "other layout": "total = sum(\n    number  # each\n    for number in x\n\n    if number is not None\n)",
    "more brackets": "total = (sum((number) for number in (x) if (number is not None)))",
    "only the value": "print(sum(number for number in x if number is not None))",
    "commented out": f"x = 1\n# {TOTAL}",
    "commented out over lines": "x = 1\n#  total = sum(number for number\n#      in x if number is not None)",
    "in a string": f'x = """\n{TOTAL}\n"""',
    "in a cell with a magic": f"%%time\n{TOTAL}",
    "in a cell that is no Python": f"x = = 1\n{TOTAL}",
    "hidden test": CLOSE,
    "hidden test, other quotes": CLOSE.replace('"', "'"),
    "whole short solution": "def forward(self, x):\n    return x . mul( self.weight )",
}

SURVIVES_IN_PROSE = {
    "as it is": f"Write `{TOTAL}`.",
    "over lines": "Write\n\n    total = sum(number for number in x\n      if number is not None)",
    "hidden test": f"```python\n{CLOSE}\n```",
    "whole short solution": "The answer is `return x.mul(self.weight)`, of course.",
    "written answer": f"> {ANSWER}",
    "written answer over lines": "Because nothing divided by nothing\nhas no value that all could agree on.",
}

MAY_STAND = {
    "imports": "import math\nimport torch\nfrom course_utils import check",
    "common lines": "def f(x):\n    super().__init__()\n    return out, gates",
    "given lines": 'raise ValueError("an empty list has no mean")',
    "longer statement": "y = 1\nreturn_value = x.mul(self.weight).sum()",
    "longer return": "def forward(self, x):\n    return x.mul(self.weight) + self.bias",
    "comparison of names": 'check.close(got, want, "the mean of seven numbers and of eight", rtol=1e-3, likely=likely)',
    "visible statement of the same test": "got, untouched = observe([1.0, 2.0, 6.0])",
    "other numbers": TOTAL.replace("None", "0"),
    "stub": "# YOUR CODE HERE\nraise NotImplementedError()",
}


@pytest.fixture(scope="module")
def leaks(tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    """What survives of the good lesson on a shelf."""
    root = tmp_path_factory.mktemp("course")
    text = read_text(write_lesson(root), root)
    secrets = lesson_secrets(text)
    return lambda shelf: sorted(set(find_leaks(text, secrets, [shelf])))


@pytest.mark.parametrize("name", SURVIVES_IN_CODE)
def test_an_answer_in_code_is_found(name: str, leaks) -> None:  # type: ignore[no-untyped-def]
    found = leaks(code_shelf("course_utils/x.py", SURVIVES_IN_CODE[name]))
    assert found, name
    assert "survives in course_utils/x.py" in str(found[0])


@pytest.mark.parametrize("name", SURVIVES_IN_PROSE)
def test_an_answer_in_prose_is_found(name: str, leaks) -> None:  # type: ignore[no-untyped-def]
    assert leaks(prose_shelf("README.md", SURVIVES_IN_PROSE[name]))


@pytest.mark.parametrize("name", MAY_STAND)
def test_what_everybody_writes_may_stand(name: str, leaks) -> None:  # type: ignore[no-untyped-def]
    assert leaks(code_shelf("course_utils/x.py", MAY_STAND[name])) == []
    if name != "longer return":  # a sentence that begins like a short answer cannot be told from it
        assert leaks(prose_shelf("README.md", MAY_STAND[name])) == []


def test_the_line_is_that_of_the_secret(leaks) -> None:  # type: ignore[no-untyped-def]
    [finding] = leaks(code_shelf("course_utils/x.py", TOTAL))
    assert finding.line == line_of(TOTAL, GOOD)
    assert finding.reason.startswith("a statement of the solution of `mean` survives")


def test_the_thresholds_lie_where_the_module_says() -> None:
    common = ["return out, gates", "super().__init__()", "return self.proj(x)"]
    assert all(len(squeeze(line)) < WHOLE for line in common)
    assert WHOLE <= len(squeeze("return scores.softmax(-1)")) < SINGLE
    assert len(squeeze("self.q = nn.Linear(d, n, bias=False)")) < SINGLE


def test_a_hidden_statement_that_its_cell_shows_is_public(tmp_path: Path) -> None:
    shown = 'check.that(observe([float(n) for n in range(4)])[0] == 1.5, "the mean of 0, 1, 2, 3")'
    text = change("### BEGIN HIDDEN TESTS\nx = check", f"{shown}\n### BEGIN HIDDEN TESTS\n{shown}\nx = check")
    lesson = read_text(write_lesson(tmp_path, text), tmp_path)
    assert list(find_leaks(lesson, lesson_secrets(lesson), [code_shelf("release", shown)])) == []
    assert list(find_leaks(lesson, lesson_secrets(lesson), [code_shelf("notebooks", IN_CLASS)])) == []


def test_what_is_written_for_a_node_is_what_python_says() -> None:
    """Columns count bytes: names and strings outside ASCII stand before, in and behind a node."""
    source = 'τ = "größer"; x = [τ,\n    "é", f(τ) + 1]\ndef f(α): return α  # ü\n'
    for node in ast.walk(ast.parse(source)):
        assert _written(source, node) == (ast.get_source_segment(source, node) or "")
