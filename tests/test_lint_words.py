"""The lint of words that the course has fixed, exemptions, and the command."""

from __future__ import annotations

from pathlib import Path

import pytest
from lint_text import GOOD, IN_CLASS, NAME, change, found, line_of, one, write_lesson
from typer.testing import CliRunner

from autograde.cli import app
from autograde.errors import CourseError
from autograde.lint import lint
from autograde.lint.words import fixed_words

SEE = "# **What to see.** The largest holds 71 %, twice ½."
CELL = f"# %% [markdown]\n{SEE}"


def after(sentence: str, text: str = IN_CLASS) -> str:
    return change(SEE, f"{SEE}\n# {sentence}", text)


@pytest.mark.parametrize(
    ("sentence", "write"),
    [
        ("Each attention weight is small.", "gate"),
        ("The Attention Map is sparse.", "matrix of gates"),
        ("A score after the softmax is large.", "gate"),
        ("The raw gates are summed.", "score"),
        ("Here rows are keys.", "rows are queries, columns are keys"),
        ("Hand in this assignment.", "homework"),
        ("The color is blue.", "colour"),
        ("All neighbors agree.", "neighbour"),
        ("First normalize it.", "-ise"),
    ],
)
def test_a_fixed_word_used_otherwise_is_reported(tmp_path: Path, sentence: str, write: str) -> None:
    text = after(sentence)
    message = one(tmp_path, text, sentence, "word")
    assert f": write “{write}" in message


def test_a_word_is_found_across_the_end_of_a_line(tmp_path: Path) -> None:
    text = after("This is an attention\n# weight.")
    assert one(tmp_path, text, "This is an attention", "word").startswith("“attention weight”: write “gate”.")


@pytest.mark.parametrize(
    "sentence",
    [
        "A *gate* (attention weight) is one after the softmax.",
        "It is `color=` in matplotlib, and `attention weight` in code.",
        "Read [this](https://example.org/attention_weights/color).",
        "$\\text{attention weight}$ and the two logits of a class.",
        "|\n#\n# | ours | in papers |\n# |---|---|\n# | gate | attention weight |",
    ],
)
def test_code_brackets_and_glossaries_may_say_the_fields_words(tmp_path: Path, sentence: str) -> None:
    assert found(tmp_path, after(sentence)) == []


def test_written_answers_are_prose_and_code_is_not(tmp_path: Path) -> None:
    answer = "# Because nothing divided by nothing has no value that all could agree on."
    text = change(answer, f"{answer}\n# Gray, I say.", GOOD)
    assert "“Gray”" in one(tmp_path, text, "Gray, I say.", "word", folder="source")
    assert found(tmp_path, change("total = sum(", "gray = color = 1\n    total = sum(", GOOD), folder="source") == []


def test_every_entry_says_what_to_write_and_why() -> None:
    for fixed in fixed_words():
        assert fixed.write
        assert fixed.why.endswith(".")
        assert not fixed.pattern.search(fixed.write), fixed.write


def marked(exemptions: str, sentence: str) -> str:
    return change(CELL, CELL.replace("[markdown]", f"[markdown] lint={exemptions}"), after(sentence))


@pytest.mark.parametrize(
    ("exemptions", "sentence"),
    [
        ('{"number .42": "measured by somebody else"}', "It is .42 there."),
        ('{"number .42, 1,234, 87.5": "quoted from their paper"}', "It is .42, 1,234 and 87.5 % there."),
        ('{"word attention weight": "the title of their paper"}', "Read “Attention Weight”."),
        ('{"number .42": "quoted from their paper", "word color": "the name of a package"}', "Color has .42."),
    ],
)
def test_what_an_exemption_names_is_not_reported(tmp_path: Path, exemptions: str, sentence: str) -> None:
    assert found(tmp_path, marked(exemptions, sentence)) == []


def test_long_cells_and_figures_are_exempted_by_their_kind(tmp_path: Path) -> None:
    more = "x = 1\n" * 30 + "charts.bars([x], str(x))\n"
    text = change("# %%\nUPDATES = 60\n", f"# %%\nUPDATES = 60\n{more}", IN_CLASS)
    assert [finding.kind for finding in found(tmp_path, text)] == ["length", "figure"]
    exemptions = 'lint={"length": "one table of settings", "figure": "nothing can be seen"}'
    assert found(tmp_path, text.replace("# %%\nUPDATES", f"# %% {exemptions}\nUPDATES")) == []


@pytest.mark.parametrize(
    ("exemptions", "words"),
    [
        ('{"number .42": ""}', ("the exemption `number .42` has no reason",)),
        ('{"number .42": "so"}', ("the exemption `number .42` has no reason",)),
        ('{"number .42, .43": "measured by somebody else"}', ("the exemption `number .43` exempts nothing",)),
        ('{"number": "all of them here"}', ("exempts nothing", "gives .42.")),
        ('{"numbers .42": "measured by somebody else"}', ("there is no kind of finding `numbers`", "gives .42.")),
        ('"number .42"', ("this exemption is no object", "gives .42.")),
    ],
)
def test_a_bad_exemption_is_a_finding(tmp_path: Path, exemptions: str, words: tuple[str, ...]) -> None:
    text = marked(exemptions, "It is .42 there.")
    findings = found(tmp_path, text)
    assert [finding.kind for finding in findings] == ["exemption", "number"][: len(words)]
    assert all(part in finding.message for part, finding in zip(words, findings, strict=True))
    assert findings[0].line == line_of("lint=", text)


def test_an_exemption_holds_for_its_cell_alone(tmp_path: Path) -> None:
    text = marked('{"number .42": "measured by somebody else"}', "It is .42 there.")
    text = change("# A gate of .711,", "# Again .42. A gate of .711,", text)
    assert "gives .42." in one(tmp_path, text, "Again .42.", "number")


def test_the_command_lists_what_it_found_and_says_so(tmp_path: Path) -> None:
    write_lesson(tmp_path, after("It is .42 there."), folder="notebooks")
    write_lesson(tmp_path, after("A color."), folder="notebooks", name="08_other")
    ran = CliRunner().invoke(app, ["lint", "--root", str(tmp_path)])
    assert ran.exit_code == 1
    lines = ran.output.splitlines()
    assert lines[0].startswith(f"notebooks/{NAME}.py:{line_of('It is .42', after('It is .42 there.'))}: no claim in")
    assert lines[1].startswith("notebooks/08_other.py:")
    assert lines[2] == "2 findings."
    ran = CliRunner().invoke(app, ["lint", "08_other", "--root", str(tmp_path)])
    assert (ran.exit_code, len(ran.output.splitlines())) == (1, 2)


def test_the_command_passes_a_clean_course_and_refuses_a_lesson_that_is_not_there(tmp_path: Path) -> None:
    write_lesson(tmp_path, IN_CLASS, folder="notebooks")
    ran = CliRunner().invoke(app, ["lint", "--root", str(tmp_path)])
    assert (ran.exit_code, ran.output) == (0, "Nothing found.\n")
    with pytest.raises(CourseError, match=f"there is no lesson 09_none. The lessons of .*: {NAME}"):
        lint(tmp_path, "09_none")


def test_the_lessons_of_this_course_are_clean() -> None:
    assert [str(finding) for finding in lint(Path(__file__).parents[1])] == []
