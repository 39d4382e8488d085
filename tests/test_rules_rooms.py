"""Rules across cells: probes, the names of the two rooms, draws in setup cells."""

from __future__ import annotations

from pathlib import Path

import pytest
from lesson_text import GOOD, Case, broken, change, findings

BEGIN = "### BEGIN HIDDEN TESTS"
HIDDEN = "x, weight = check.hidden((3, 2, 6), (6,))"
VISIBLE = "x = check.normal((5, 4))"
LAST = "# %% [markdown]\n# That was all."


def visible(name: str, lines: str, *expected: tuple[str, str]) -> Case:
    """More lines in the visible part of test_Scale."""
    return broken(name, VISIBLE, f"{VISIBLE}\n{lines}", *expected)


def hidden(name: str, lines: str, *expected: tuple[str, str]) -> Case:
    """More lines at the beginning of the hidden region of test_Scale."""
    return broken(name, HIDDEN, f"{lines}\n{HIDDEN}", *expected)


def probe(name: str, line: str, words: str) -> Case:
    """One more line in the probe of test_Scale."""
    return broken(name, "    layer = Scale(", f"    {line}\n    layer = Scale(", (line, words))


def setup(name: str, lines: str, words: str) -> Case:
    """More lines in the setup cell, above its seed; the last is refused."""
    return broken(name, "torch.manual_seed(3)", f"{lines}\ntorch.manual_seed(3)", (lines.split("\n")[-1], words))


def last(name: str, lines: str, *expected: tuple[str, str], text: str = GOOD) -> Case:
    """One more unmarked cell near the end."""
    return broken(name, LAST, f"# %%\n{lines}\n\n{LAST}", *expected, text=text)


OTHER = "def other(x):\n    return x\n\n"
FORM, ALIAS = "only the one decorator", "by the name `check`"
PROBES = [
    hidden("hidden", f"@check.probe\n{OTHER}", ("def other(x)", "stands in the hidden region")),
    hidden("hidden, by a call", "other = check.probe(max)", ("check.probe(max)", FORM)),
    visible(
        "twice", f"@check.probe\n{OTHER}\n@check.probe\n{OTHER.replace('x', 'y')}", ("def other(y)", "once per cell")
    ),
    visible("by a call", "other = check.probe(max)", ("check.probe(max)", FORM)),
    visible("called decorator", f"@check.probe()\n{OTHER}", ("@check.probe()", FORM)),
    visible("two decorators", f"@check.probe\n@torch.no_grad()\n{OTHER}", ("@check.probe", FORM)),
    visible("nested", "if True:\n    @check.probe\n    def other(x):\n        return x", ("    @check.probe", FORM)),
    visible("method", "class A:\n    @check.probe\n    def other(x):\n        return x", ("    @check.probe", FORM)),
    visible("coroutine", f"@check.probe\nasync {OTHER}", ("@check.probe", FORM)),
    last("in a free cell", f"@check.probe\n{OTHER}", ("@check.probe", "outside a test cell")),
    visible("name bound again", "scaled = 3", ("scaled = 3", "the name of a probe")),
    visible(
        "student's name",
        "@check.probe\ndef Scale(x):\n    return x",
        ("def Scale(x):", "would replace `Scale` of line"),
    ),
    visible("check renamed", "from course_utils import check as c", ("check as c", ALIAS)),
    visible("part of check", "from course_utils.check import award", ("import award", ALIAS)),
    visible("module of check", "import course_utils.check", ("import course_utils.check", ALIAS)),
    visible("check passed on", "tools = [check]", ("tools = [check]", ALIAS)),
    visible("another check", "from math import tan as check", ("tan as check", ALIAS)),
    visible("names by strings", 'globals()["mean"]([1])', ('globals()["mean"]', "cannot see")),
    hidden("names by evaluation", 'eval("mean")', ('eval("mean")', "cannot see")),
    visible("names of the main module", "import __main__", ("import __main__", "cannot see")),
    visible("main module by its name", 'import sys\nsys.modules["__main__"]', ('["__main__"]', "cannot see")),
    probe("name of nobody", "y = unknown", "is defined by no cell above"),
    probe("name of another test", "y = untouched", "comes from the test cell of line"),
    probe("name in a lambda", "y = [(lambda a, b=1: a + b + unknown)(a) for a in x]", "`unknown` in the probe"),
    probe("name in a class", "class A: y = unknown", "`unknown` in the probe"),
    broken(
        "global of nobody",
        "    layer = Scale(",
        "    global counter; counter = 1\n    layer = Scale(",
        ("def scaled", "`counter` in the probe"),
    ),
    broken(
        "default of nobody",
        "def scaled(x, weight):",
        "def scaled(x, weight=unknown):",
        ("=unknown", "`unknown` in the probe"),
        ("=unknown", "no cell that the judge runs defines `unknown`"),
    ),
    broken(
        "default of the student's",
        "def scaled(x, weight):",
        "def scaled(x, weight=numbers):",
        ("=numbers", "`numbers` is the student's"),
    ),
    broken(
        "annotation of the student's",
        "def scaled(x, weight):",
        "def scaled(x, weight) -> Scale:",
        ("-> Scale", "`Scale` is the student's"),
    ),
    broken(
        "name of its test cell",
        VISIBLE,
        f"local = 1\n\n\n@check.probe\ndef other(x):\n    return x + local\n\n\n{VISIBLE}",
        ("return x + local", "belongs to the test cell"),
    ),
    broken(
        "import of its test cell",
        VISIBLE,
        f"import json\n\n\n@check.probe\ndef other(x):\n    return json.dumps(x)\n\n\n{VISIBLE}",
        ("return json.dumps(x)", "belongs to the test cell"),
    ),
]

NOBODY, TEST = "no cell that the judge runs defines", "comes from a test cell"
ROOMS = [
    visible("student's function", "print(mean([1.0]))", ("print(mean", "`mean` is the student's")),
    hidden("student's function, hidden", "print(mean([1.0]))", ("print(mean", "`mean` is the student's")),
    visible("student's variable", "print(numbers)", ("print(numbers)", "`numbers` is the student's")),
    visible("in a function", "def helper():\n    return mean", ("return mean", "`mean` is the student's")),
    visible("in a class", "class A(Scale):\n    pass", ("class A(Scale)", "`Scale` is the student's")),
    visible("as an annotation", "def helper(x: Scale):\n    return x", ("x: Scale", "`Scale` is the student's")),
    visible("deleted", "del numbers", ("del numbers", "`numbers` is the student's")),
    visible("name of nobody", "print(np)", ("print(np)", f"{NOBODY} `np`")),
    visible("name of another test", "print(got)", ("print(got)", "`got` comes from another test cell")),
    visible("before it is bound", "later += 1", ("later += 1", "`later` is defined only below")),
    Case(
        "only hidden code binds it",
        change(VISIBLE, f"{VISIBLE}\ndef helper():\n    return secret", change(HIDDEN, f"{HIDDEN}\nsecret = 3")),
        (("return secret", "`secret` is defined only below"),),
    ),
    visible("star", "from math import *", ("from math import *", "hides which names")),
    setup("star in setup", "from math import *", "hides which names"),
    setup("student's in setup", "TEN = [mean([10.0])]", "`mean` is the student's"),
    setup("student's in a setup function", "def helper():\n    return mean([1.0])", "`mean` is the student's"),
    setup("nobody's in setup", "print(unknown)", f"{NOBODY} `unknown`"),
    last("test's name", "print(untouched)", ("print(untouched)", f"`untouched` {TEST}")),
    last("test's name in a function", "def show():\n    return untouched", ("return untouched", TEST)),
    last("test's probe", "print(scaled(1, 2))", ("print(scaled", f"`scaled` {TEST}")),
    last(
        "a test binds it anew",
        "print(numbers)",
        ("print(numbers)", f"`numbers` {TEST}"),
        text=change(VISIBLE, f"{VISIBLE}\nnumbers = 3"),
    ),
]
CALLS = [
    "torch.randn(3)",
    "torch.rand(2, 2)",
    "torch.randint(3, (2,))",
    "torch.randperm(4)",
    "torch.normal(0.0, 1.0, (2,))",
    "torch.rand_like(torch.zeros(3))",
    "torch.nn.Linear(2, 3)",
    "torch.zeros(3).normal_()",
]
DRAWS = [
    *[setup(call, f"noise = {call}", "draws without a seed") for call in CALLS],
    setup("numpy", "import numpy as np\nnoise = np.random.normal(size=3)", "`np.random.normal` draws"),
    setup("numpy generator", "from numpy.random import default_rng\nnoise = default_rng()", "`default_rng` draws"),
    setup("random", "import random\nnoise = random.shuffle([1, 2])", "`random.shuffle` draws"),
    setup("random, imported", "from random import choice\nnoise = choice([1, 2])", "`choice` draws"),
    setup("another seed", "import random\nrandom.seed(1)\nnoise = torch.randn(3)", "`torch.randn` draws"),
    setup("seed of a generator", "g = torch.Generator().manual_seed(1)\nnoise = torch.randn(3)", "`torch.randn` draws"),
    setup("seed without a number", "import random\nrandom.seed()\nnoise = random.random()", "`random.random` draws"),
]


@pytest.mark.parametrize("case", PROBES + ROOMS + DRAWS, ids=lambda case: case.name)
def test_a_broken_lesson_is_refused_on_the_right_line(case: Case, tmp_path: Path) -> None:
    case.verify(tmp_path)


def in_test(lines: str) -> str:
    return change(VISIBLE, f"{VISIBLE}\n{lines}")


def in_probe(lines: str) -> str:
    return change("    layer = Scale(", f"    {lines}\n    layer = Scale(")


def in_setup(lines: str) -> str:
    return change("torch.manual_seed(3)", f"{lines}\ntorch.manual_seed(3)")


ALLOWED = {
    "own helper": in_test("def helper(y):\n    return y + later\n\n\nlater = 3"),
    "own import": in_test("import torch.nn.functional as F\nF.relu(x)"),
    "the same import as setup": in_test("import math\nmath.pi"),
    "comprehensions": in_test("y = {a: b for a, b in zip(x, x) if (c := a) is not None}\nc"),
    "patterns": in_test("match x.shape:\n    case (rows, *rest):\n        print(rows, rest)"),
    "exceptions": in_test("try:\n    y = 1 / 0\nexcept ZeroDivisionError as error:\n    print(error)"),
    "student's name bound anew": in_test("numbers = [4]\nprint(numbers)"),
    "student's name as an argument": in_test("def helper(mean):\n    return mean\n"),
    "constants of check": in_test("try:\n    scaled(x, x)\nexcept check.StudentError as error:\n    print(error)"),
    "import in a probe": in_probe("import json; json.dumps([1])"),
    "student's names in a probe": in_probe("print(mean(numbers), WEIGHT, math.pi)"),
    "types in the head of a probe": change("def scaled(x, weight):", "def scaled(x: torch.Tensor, weight=WEIGHT):"),
    "another probe": in_test("@check.probe\ndef twice(x, w):\n    return scaled(scaled(x, w), w)\n"),
    "counting in a probe": in_probe("count = 0; exec('count')"),
    "nonlocal in a probe": in_probe("n = 0\n\n    def step():\n        nonlocal n\n        n += 1\n"),
    "seeded generator": in_setup("noise = torch.randn(3, generator=torch.Generator().manual_seed(1))"),
    "seeded numpy": in_setup(
        "import numpy as np\nnoise = np.random.default_rng(0).normal()\nnp.random.seed(1)\nnp.random.rand()"
    ),
    "seeded random": in_setup("import random\nnoise = random.Random(3).random()"),
    "shapes": in_setup("noise = torch.zeros(3).random"),
    "free cells share names": change(LAST, f"# %%\nprint(numbers, mean)\n\n{LAST}"),
    "free cell imports as setup": change("numbers = [1, 2, 3]", "import math\n\nnumbers = [1, 2, 3]"),
}


@pytest.mark.parametrize("name", ALLOWED)
def test_what_means_the_same_in_both_rooms_passes(name: str, tmp_path: Path) -> None:
    assert findings(tmp_path, ALLOWED[name]) == []
