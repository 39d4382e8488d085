"""The lint of numbers: what prose states needs a claim in reach that prints so, a test, or arithmetic that holds."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from lint_text import GOOD, IN_CLASS, NAME, change, found, line_of, one

from autograde.claims import Claim
from autograde.lint import lint
from autograde.lint.arithmetic import equations
from autograde.lint.numerals import numbers

SEE = "# **What to see.** The largest holds 71 %, twice ½."
COUNT = "# A digit has 28 × 28 pixels, cut into 14 · 14 = 196 tokens of shape (196, 12). We train for 60 updates."


def after(sentence: str, place: str = SEE) -> str:
    """The clean lesson with a sentence more."""
    return change(place, f"{place}\n# {sentence}", IN_CLASS)


def test_a_clean_lesson_has_no_finding(tmp_path: Path) -> None:
    assert found(tmp_path, IN_CLASS) == []
    assert found(tmp_path, GOOD, folder="source") == []


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("Without the scale it holds .712.", ".712"),  # printed digits: .711 is in the claim
        ("It gains 12 points.", "12 points"),
        ("It gains 9 points of a hundred.", "9 points"),
        ("It is 3 times as fast.", "3"),
        ("It takes 5 seconds.", "5"),
        ("Accuracy is 58.0 % here.", "58.0 %"),
        ("There are 50,176 of them.", "50,176"),
        ("All took $0.42$ of it.", "0.42"),
        ("It has 1.3 million weights.", "1.3"),
        ("So **90** is out of reach.", "90"),
        ("It learns from 2000 digits.", "2000"),
        ("Of all questions 0.58 are answered.", "0.58"),
        ("All of it in\n# 90. The rest is lost.", "90"),
        ("The bytes are 784.", "784"),  # a claim, but of another section
        ("It learns for 60 updates.", "60"),  # a setting, but of another section
    ],
)
def test_a_number_without_a_claim_is_reported(tmp_path: Path, sentence: str, shown: str) -> None:
    text = after(sentence)
    message = one(tmp_path, text, sentence.split("\n")[-1], "number")
    assert message.startswith(f"no claim in section “1 · Gates” gives {shown}. Add `claim(")


@pytest.mark.parametrize(
    "sentence",
    [
        "The gates .10 and .7 are rounded.",
        "It is 71.1 %, or 0.711.",
        "The others have $.096$, and .0960 is as good.",
        "All four sum to 1; 3 of them are equal, the 7 others not.",
        "See exercise 12, sections 14 and 15, page 118, slide 23 and `x = 0.35`, or [this](a/b-99.py).",
        "Vaswani et al., 2017, said it (ICLR 2021); on 2026-11-29 it was 12:30 with version 2.14.1.",
        "ViT-B/16, ImageNet-21k, float32, conv2d, W_12 and GPT-2 are names.",
        "Weights are 1/12 of $\\sqrt{12}$, below $10^{-16}$, from √64 and 256².",
        "Shapes are (2, 13, 13) and (..., 12, d), pictures of 224 × 224 pixels, or 16 × 16 × 3.",
        "It takes 45 minutes.",
        "<!-- 0.35 --> and ``code with 0.35``",
    ],
)
def test_what_a_claim_gives_or_what_states_nothing_is_not_reported(tmp_path: Path, sentence: str) -> None:
    assert found(tmp_path, after(sentence)) == []


def test_code_blocks_and_timing_columns_state_nothing(tmp_path: Path) -> None:
    block = "# ```python\n# lr = 0.003\n# ```\n#\n# | minutes | who |\n# |---|---|\n# | 12 | all 99 |"
    text = change(SEE, f"{SEE}\n#\n{block}", IN_CLASS)
    assert "gives 99." in one(tmp_path, text, "all 99", "number")


def test_a_section_reaches_its_own_claims_and_a_summary_all(tmp_path: Path) -> None:
    assert found(tmp_path, after("It needs 784 bytes.", COUNT)) == []
    assert "“2 · Counts” gives .711" in one(
        tmp_path, after("A gate of .711.", COUNT), "A gate of .711.\n"[:14], "number"
    )


def test_the_nearest_claim_is_named(tmp_path: Path) -> None:
    assert "nearest is 0.711 of “four gates”" in one(tmp_path, after("It is .715."), "It is .715.", "number")


@pytest.mark.parametrize(
    "expect", ["4 / 9", "[1, 4 / 9]", "WANTED", "math.log(2) - math.log(2) + 4 / 9", "[4 / 9] * 3"]
)
def test_expected_numbers_are_read_from_the_text(tmp_path: Path, expect: str) -> None:
    code = f'WANTED = 4 / 9\nclaim("corner", 1, expect={expect}, tol=1)\nclaim("bytes"'
    text = change('claim("bytes"', code, after("The corner has .444.", COUNT))
    assert found(tmp_path, text) == []


def test_a_name_that_was_given_something_else_is_not_read(tmp_path: Path) -> None:
    code = 'WANTED = 4 / 9\nWANTED = torch.rand(1)\nclaim("corner", 1, expect=WANTED, tol=1)\nclaim("bytes"'
    text = change('claim("bytes"', code, after("The corner has .444.", COUNT))
    assert "Not known without a run: “corner”" in one(tmp_path, text, "The corner has .444.", "number")


def test_the_name_and_source_of_a_claim_back_their_own_digits(tmp_path: Path) -> None:
    source = 'SLIDE = "lecture: .14"\nclaim("share of .135 or more", 1, expect=1, tol=1, source=SLIDE)\nclaim("bytes"'
    text = change('claim("bytes"', source, after("The lecture shows .14; .135 is rare.", COUNT))
    assert found(tmp_path, text) == []
    text = text.replace("shows .14;", "shows .1;")  # quoted digits are not rounded
    assert "gives .1." in one(tmp_path, text, "shows .1;", "number")


def test_a_recorded_result_and_an_executed_notebook_back_what_the_text_does_not_tell(tmp_path: Path) -> None:
    code = 'claim("gain", measure, expect=known(), tol=1, preset="nightly")\nclaim("bytes"'
    text = change('claim("bytes"', code, after("It gains 17.8 %.", COUNT))
    assert "Not known without a run: “gain”" in one(tmp_path, text, "It gains 17.8 %.", "number")
    entry = {"measured": [0.1, 0.178], "expect": 0.1, "tol": 0.1, "date": "2026-11-29"}
    (tmp_path / "course_utils").mkdir()
    record = tmp_path / "course_utils" / "recorded.json"
    record.write_text(json.dumps({"gain": entry}))
    assert found(tmp_path, text) == []
    record.unlink()
    cell = text[: text.index('claim("gain"')].count("\n# %%")  # the first cell begins with `# %%`, too
    run = Claim("gain", 0.178, 0.1, 0.1, "", "nightly", "nightly", "", 0, True, False, None, cell)
    for path in (f"notebooks/{NAME}.ipynb", f"notebooks/{NAME}.py"):
        assert lint(tmp_path, NAME, {path: [run]}) == []
    other = Claim("gain", 0.2, 0.1, 0.1, "", "nightly", "nightly", "", 0, True, False, None, cell)
    assert len(lint(tmp_path, NAME, {f"notebooks/{NAME}.ipynb": [other]})) == 1


def test_in_a_homework_the_tests_and_the_claims_of_the_class_count(tmp_path: Path) -> None:
    text = change(
        "# ## 1. The mean\n", "# ## 1. The mean\n#\n# Of gates .711, by 9/3 = 3.0 and 784, at home 0.0035.\n", GOOD
    )
    snippet = "Of gates .711"
    found_at_home = found(tmp_path, text, folder="source")
    given = {re.search(r" gives (\S+)\. Add ", finding.message)[1] for finding in found_at_home}  # type: ignore[index]
    assert given == {".711", "784", "0.0035"}
    assert {finding.line for finding in found_at_home} == {line_of(snippet, text)}
    tested = change('check.close(got, 3.0, "the mean of 1, 2 and 6")',
                    'check.close(got, 3.0, "the mean of 1, 2 and 6", atol=0.0035)', text)  # fmt: skip
    assert found(tmp_path, tested, folder="source", notebooks=IN_CLASS) == []
    message = one(tmp_path, text, snippet, "number", folder="source", notebooks=IN_CLASS)
    assert "no claim in the in-class notebook or in the tests of section “1. The mean” gives 0.0035" in message


@pytest.mark.parametrize(
    ("code", "backed"),
    [
        ("RATE = 0.15", True),
        ("def mask(words, share=0.15): ...", True),
        ('HOW = {"share": 0.15}', True),
        ("torch.nn.Dropout(p=0.15)", True),
        ("print([0.15])", False),
        ('claim("other", 1, expect=1, tol=0.15)', False),
        ("RATE = 0.151", False),  # a setting is not rounded
    ],
)
def test_a_setting_has_a_name(tmp_path: Path, code: str, backed: bool) -> None:
    sentence = "We hide 15 % of the words."
    text = change("UPDATES = 60\n", f"UPDATES = 60\n{code}\n", after(sentence, COUNT))
    if backed:
        assert found(tmp_path, text) == []
    else:
        one(tmp_path, text, sentence, "number")


def test_marks_are_points_at_home(tmp_path: Path) -> None:
    text = change("# ## 1. The mean\n", "# ## 1. The mean\n#\n# This is worth 8 of 20 points.\n", GOOD)
    assert found(tmp_path, text, folder="source") == []


def test_wrong_arithmetic_is_reported_where_it_stands(tmp_path: Path) -> None:
    text = change("14 · 14 = 196 tokens", "14 · 14 = 197 tokens", IN_CLASS)
    assert one(tmp_path, text, "14 · 14 = 197", "number") == "14 · 14 is 196, not 197. Correct one of them."


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("14 · 14 = 196", True),
        ("(1 + 3 · ½) / 4 = 62.5 % of all", True),
        ("$50176^2$ = 2,517,630,976", True),
        (r"$\ln 2$ = .693", True),
        (r"$\sqrt{2} = 1.414$", True),
        ("1 - 2 = -1", True),
        ("256² = 65,536", True),
        ("256² = 65,535", False),
        (r"$\sqrt 2$ = 1.415", False),
        ("3 / 144 = .02", True),
        ("3 / 144 = .03", False),
    ],
)
def test_arithmetic_is_evaluated_to_the_printed_digits(text: str, holds: bool) -> None:
    (equation,) = equations(text)
    assert equation.holds is holds


@pytest.mark.parametrize(
    "text",
    [
        "d = 256",
        "4 = √d",
        "k - 1 · 2 = 5",
        r"$a + 2 \cdot 3 = 7$",
        "2 + 3 = 4 + 1",
        "f(2 · 3) = 7",
        "x² = 9",
        "1/0 = 3",
    ],
)
def test_what_is_no_arithmetic_is_left_alone(text: str) -> None:
    assert list(equations(text)) == []


def test_numbers_as_prose_writes_them() -> None:
    text = "gates .711, 62.5 %, 1.3 million of 50,176; float32 W_12 21k; 2.5 × 10⁹ or 2.1e4; about 65,000. Then 2.5."
    assert [(number.text, number.value) for number in numbers(text)] == [
        (".711", 0.711),
        ("62.5", 62.5),
        ("1.3", 1.3e6),
        ("50,176", 50176),
        ("2.5 × 10⁹", 2.5e9),
        ("2.1e4", 2.1e4),
        ("65,000", 65000),
        ("2.5", 2.5),
    ]


@pytest.mark.parametrize(
    ("text", "value", "agrees"),
    [
        (".711", 0.7112, True),
        (".711", 0.7116, False),
        (".71", 0.7112, True),
        ("58.0 %", 0.5801, True),
        ("58.0 %", 0.5806, False),
        ("-0.3", 0.3, True),
        ("65,000", 65536, False),
        ("about 65,000", 65400, True),
        ("about 65,000", 65536, False),
        ("2.5e9", 2.517e9, True),
        (".5", float("nan"), False),
    ],
)
def test_agreement_is_to_the_printed_digits(text: str, value: float, agrees: bool) -> None:
    (number,) = numbers(text)
    assert number.agrees(value) is agrees
