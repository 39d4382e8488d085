"""Rules of one cell: markers, solutions, hidden tests. Each refuses on the right line and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from lesson_text import GOOD, HEADER, IN_CLASS, Case, broken, change, findings, line_of, marks

BEGIN, END = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"
HIDDEN = "x, weight = check.hidden((3, 2, 6), (6,))"
EINSUM = 'check.close(scaled(x, weight), torch.einsum("abc,c->abc", x, weight), "x times other weights")'
TEST_SCALE = marks("test_Scale", grade=True, points=9)
AFTER = f"{END}\n\n# %% [markdown]\n# ## 3."
STUDENTS = "students read it"


MARKERS = [
    broken(
        "no end",
        "    return total / len(x)\n    ### END SOLUTION\n",
        "    return total / len(x)\n",
        ('"grade_id": "mean"', "no marked region"),
        ("### BEGIN SOLUTION", "no `### END SOLUTION` below"),
    ),
    broken("no begin", f"{BEGIN}\n{HIDDEN}", HIDDEN, (HIDDEN, STUDENTS), (END, "above it")),
    broken(
        "begin twice",
        "    total = sum(",
        "    ### BEGIN SOLUTION\n    total = sum(",
        ("### BEGIN SOLUTION", "stands again"),
    ),
    broken(
        "solution in a free cell",
        "numbers = [1, 2, 3]",
        "### BEGIN SOLUTION\nnumbers = [1, 2, 3]\n### END SOLUTION",
        ("### BEGIN SOLUTION", "outside a solution cell"),
        ("### END SOLUTION", "outside a solution cell"),
    ),
    broken(
        "hidden test in a solution",
        "        return x.mul(self.weight)\n",
        f"        return x.mul(self.weight)\n        {BEGIN}\n",
        (BEGIN, "outside a test cell"),
    ),
    broken("in prose", "# That was all.", "# Write below BEGIN SOLUTION.", ("Write below", "for a marker")),
    broken(
        "almost",
        f"{BEGIN}\n{HIDDEN}",
        f"### BEGIN HIDDEN TEST\n{HIDDEN}",
        ("### BEGIN HIDDEN TEST", "for a marker"),
        (HIDDEN, STUDENTS),
        (END, "above it"),
    ),
    broken(
        "with other words",
        f"{BEGIN}\n{HIDDEN}",
        f"{BEGIN} of Scale\n{HIDDEN}",
        (f"{BEGIN} of", "for a marker"),
        (HIDDEN, STUDENTS),
        (END, "above it"),
    ),
    broken("generated tests", "print(sum(numbers))", "### AUTOTEST numbers", ("AUTOTEST", "for a marker")),
]

OUTSIDE = "outside the solution's markers"
SOLUTIONS = [
    Case(
        "no region",
        change("    ### BEGIN SOLUTION\n    total", "    total", change("/ len(x)\n    ### END SOLUTION", "/ len(x)")),
        (('"grade_id": "mean"', "no marked region"),),
    ),
    broken("not given", 'has no mean")  # given', 'has no mean")', ('has no mean")', OUTSIDE)),
    broken("head not given", "if not x:  # given", "if not x:", ("if not x:", OUTSIDE)),
    broken(
        "above the region",
        "    ### BEGIN SOLUTION\n    total",
        "    size = len(x)\n    ### BEGIN SOLUTION\n    total",
        ("size = len(x)", OUTSIDE),
    ),
    broken(
        "below the region",
        "        return x.mul(self.weight)\n        ### END SOLUTION\n",
        "        y = x.mul(self.weight)\n        ### END SOLUTION\n        return y\n",
        ("        return y", OUTSIDE),
    ),
    broken("attribute", "    def __init__(self, n):", "    n = 3\n\n    def __init__(self, n):", ("n = 3", OUTSIDE)),
    broken(
        "markers not indented",
        "        ### BEGIN SOLUTION\n        return x",
        "### BEGIN SOLUTION\n        return x",
        ("### BEGIN SOLUTION", "indented otherwise"),
    ),
    broken(
        "cut in two",
        "    ### BEGIN SOLUTION\n    total = sum(number for number in x if number is not None)\n",
        "    total = sum(\n    ### BEGIN SOLUTION\n        x)\n",
        ("    total = sum(", OUTSIDE),
        ("    total = sum(", "without its solution this cell is no Python"),
    ),
    broken(
        "empty region",
        "        return x.mul(self.weight)\n",
        "        # return x.mul(self.weight)\n",
        ("### BEGIN SOLUTION", "holds no code"),
    ),
]

AWARD = "check.award(points)"
HIDDEN_TESTS = [
    broken("hidden input outside", "check.normal((5, 4))", "check.hidden((5, 4))", ("check.hidden((5, 4))", STUDENTS)),
    broken("hidden seed outside", "x = check.normal((5, 4))", "x = check.hidden_seed()", ("hidden_seed", STUDENTS)),
    broken("award outside", "x = check.normal((5, 4))", "x = check.award(1)", ("check.award(1)", STUDENTS)),
    broken(
        "in a free cell", "print(sum(numbers))", "check.hidden((3,))", ("check.hidden((3,))", "outside a test cell")
    ),
    Case(
        "no visible line",
        GOOD.split("@check.probe\ndef scaled")[0]
        + f'"""Tests."""\n# of Scale\n{BEGIN}\nassert WEIGHT.any()\n{AFTER}'
        + GOOD.split("# ## 3.")[1],
        ((BEGIN, "no line of code"),),
    ),
    broken("line after", AFTER, AFTER.replace(END, f'{END}\nprint("x")'), ('print("x")', "after the hidden region")),
    broken("comment after", AFTER, AFTER.replace(END, f"{END}\n# done"), ("# done", "after the hidden region")),
    broken("second region", AFTER, AFTER.replace(END, f"{END}\n{BEGIN}\n{END}"), (BEGIN, "after the hidden region")),
    broken(
        "in a branch",
        f"{BEGIN}\n{HIDDEN}\n{EINSUM}\n",
        f"if True:\n    {BEGIN}\n    {HIDDEN}\n    {EINSUM}\n",
        (f"    {BEGIN}", "cuts a statement in two"),
    ),
    broken("award not last", AWARD, f"{AWARD}\nprint(points)", (AWARD, "only the last statement")),
    broken("award in a branch", AWARD, f"if untouched:\n    {AWARD}", (AWARD, "only the last statement")),
    broken("award twice", AWARD, f"check.award(5)\n{AWARD}", ("check.award(5)", "only the last statement")),
    broken("value of an award", AWARD, f"points = {AWARD}", (AWARD, "only the last statement")),
    broken("empty award", AWARD, "check.award()", ("check.award()", "takes one number")),
    *[
        broken(f"award of {value}", AWARD, f"check.award({value})", (f"check.award({value})", "this awards"))
        for value in ("9", "-1", "4 * 2.5", "1 - 3", 'float("nan")', "math.inf", "True", "'8'", "None", "1 / 0")
    ],
]

PYTHON = [
    broken("no Python", "print(sum(numbers))", "print(sum(numbers)", ("print(sum(numbers)", "'(' was never closed")),
    broken("magic in a test", "x = check.normal((5, 4))", "!ls\nx = check.normal((5, 4))", ("!ls", "no Python")),
    broken("return at the top", "print(sum(numbers))", "return numbers", ("return numbers", "no Python")),
    broken("invalid escape", "print(sum(numbers))", 'print("\\d")', ('print("', "no Python")),
]

CASES = MARKERS + SOLUTIONS + HIDDEN_TESTS + PYTHON


def test_a_good_lesson_passes(tmp_path: Path) -> None:
    assert findings(tmp_path, GOOD) == []
    assert findings(tmp_path, IN_CLASS, folder="notebooks") == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_broken_lesson_is_refused_on_the_right_line(case: Case, tmp_path: Path) -> None:
    case.verify(tmp_path)


@pytest.mark.parametrize("points", ["8", "0", "2.5", "min(8, 9)", "8 if untouched else 5"])
def test_awards_that_may_be_right_pass(points: str, tmp_path: Path) -> None:
    assert findings(tmp_path, change(AWARD, f"check.award({points})")) == []


@pytest.mark.parametrize(
    "kept",
    [
        change("print(sum(numbers))", "%%time\nprint(sum(numbers))", change("# %config Inline", "# Inline")),
        change("print(sum(numbers))", "files = !ls\n!pwd\nprint?\n%timeit 3"),
        change("    ### BEGIN SOLUTION\n    total", "    import math\n\n    ### BEGIN SOLUTION\n    total"),
        change("# jupyter:\n", "# jupyter:\n#   course:\n#     points: 20\n#     seconds: {cell: 9, notebook: 90}\n"),
        GOOD.replace(HEADER, ""),
        GOOD.replace("# That was all.", "# A table of `%%` and\n#\n#     # %% code\n# and more."),
    ],
    ids=["cell magic", "magics", "import in a function", "declared", "no header", "signs in prose"],
)
def test_what_is_allowed_passes(kept: str, tmp_path: Path) -> None:
    assert findings(tmp_path, kept) == []


def test_all_findings_come_at_once_in_the_order_of_the_lines(tmp_path: Path) -> None:
    text = change("check.normal((5, 4))", "check.hidden((5, 4))", change(' mean")  # given', ' mean")'))
    lines = [finding.line for finding in findings(tmp_path, text)]
    assert lines == [line_of('mean")', text), line_of("check.hidden((5, 4))", text)]


def test_an_exercise_in_class_is_refused(tmp_path: Path) -> None:
    found = findings(tmp_path, GOOD, folder="notebooks")
    assert {finding.line for finding in found} >= {line_of(marks("mean", solution=True), GOOD)}
    assert "in-class notebook" in str(found[0])
