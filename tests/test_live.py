"""Live coding: the class's notebook holds no code of ours, %reveal and %catch_up bring it, and a class's hour runs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest
from lesson_text import Case, broken, change, contents, refusal
from live_text import LIVE, LIVE_NAME, Kernel, kernel, live_course

from autograde.build import build, check_built
from autograde.errors import CourseError
from autograde.live import as_class, is_live, live_notebook
from autograde.needed import needed_names
from autograde.notebooks import from_text
from autograde.rules import read_text
from autograde.rules.names import names_of
from autograde.rules.python import parse
from course_utils.live import Code, LiveError, only_command, pack, unpack
from course_utils.votes import vote

ROOT = Path(__file__).resolve().parent.parent
MEAN = """def mean(rows):
    total = rows.sum(dim=-1)  # (B,)
    return total / rows.shape[-1]


averages = mean(x)
averages"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = live_course(tmp_path_factory.mktemp("live"))
    build(root)
    return root


def read(root: Path, live: bool) -> Any:
    folder = root / "notebooks" / ("live" if live else ".")
    return nbformat.read(folder / f"{LIVE_NAME}.ipynb", as_version=4)


def first_cell(root: Path) -> str:
    return str(next(cell.source for cell in read(root, True).cells if cell.cell_type == "code"))


# What is built


def test_the_class_gets_prompts_instead_of_code(built: Path) -> None:
    cells = {cell.id: cell for cell in read(built, True).cells}
    text = "\n".join(cell.source for cell in cells.values())
    assert "total" not in text
    assert ".max(" not in text
    live = [cell.source for cell in cells.values() if "live" in cell.metadata]
    assert live == [
        f"# live: {name} -> {makes}\n# Type here. `%reveal {name}` shows our code; "
        f"`%catch_up {name}` runs all up to here."
        for name, makes in {"mean": "averages", "largest": "largest"}.items()
    ]
    assert "Five minutes" not in text, "this is the teacher's"
    votes = [cell for cell in cells.values() if "live.vote(" in cell.source]
    assert [cell.metadata.jupyter.source_hidden for cell in votes] == [True]
    assert "It is linear" not in votes[0].source.split("\n")[0], "JupyterLab shows the first line of a folded cell"


def notebook_of(*cells: tuple[str, str]) -> Any:
    """Code cells as (name, source); one without a name is not live."""
    made = [
        nbformat.v4.new_code_cell(source, metadata={"tags": ["live"], "live": name} if name else {})
        for name, source in cells
    ]
    return nbformat.v4.new_notebook(cells=made)


def test_a_live_cell_says_which_names_later_cells_need() -> None:
    """Bound there and used below, also inside functions; not what nobody uses or what is bound anew first."""
    notebook = notebook_of(
        ("", "%matplotlib inline\nx = 1"),
        ("first", "b, a = x, 2\ndef inner(): return b\nunused = again = loop = 3\nimport math"),
        ("second", "c = a + x\nfor loop in range(2): pass\nagain = 4"),
        ("", "def later(): return b + again\nprint(loop, [c for c in 'ab'], math.pi)"),
        ("last", "print('nothing')"),
    )
    assert needed_names(notebook) == {"first": ["a", "b", "math"], "second": ["loop", "again"], "last": []}
    live = live_notebook(notebook, "x", needed_names(notebook))
    firsts = [cell.source.split("\n")[0] for cell in live.cells if "live" in cell.metadata]
    assert firsts == ["# live: first -> a, b, math", "# live: second -> loop, again", "# live: last"]


def test_the_names_that_our_lessons_ask_for_are_those_a_class_misses() -> None:
    """Without the live cells, each name that a cell needs and nobody makes is announced by one of them."""
    for path in sorted((ROOT / "notebooks").glob("*.py")):
        notebook = from_text(read_text(path, ROOT).notebook)
        announced = {name for names in needed_names(notebook).values() for name in names}
        given = [cell.source for cell in notebook.cells if cell.cell_type == "code" and not is_live(cell)]
        missing = set(names_of(parse("\n".join(given), magics=True)).free)
        assert missing <= announced, path.name


def test_the_complete_notebook_holds_everything(built: Path) -> None:
    complete, live = read(built, False), read(built, True)
    text = "\n".join(cell.source for cell in complete.cells)
    assert MEAN in text
    assert "Five minutes" in text
    assert "%live_code" not in text
    assert {cell.id for cell in live.cells} - {cell.id for cell in complete.cells} == {"live-code"}


def test_building_again_gives_the_same_bytes(built: Path, tmp_path: Path) -> None:
    build(live_course(tmp_path))
    assert contents(tmp_path) == contents(built)
    assert check_built(built) == []


def test_a_stale_or_orphaned_live_notebook_is_said(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built, tmp_path, dirs_exist_ok=True)
    live_course(tmp_path, LIVE.replace("rows.sum(dim=-1)", "rows.sum(-1)"))
    path = f"notebooks/live/{LIVE_NAME}.ipynb"
    assert f"{path} is stale. Run `autograde build {LIVE_NAME}`." in check_built(tmp_path)
    live_course(tmp_path, LIVE.replace('tags=["live"] live="mean"', "").replace('tags=["live"] live="largest"', ""))
    build(tmp_path)
    assert check_built(tmp_path) == [f"notebooks/live/{LIVE_NAME}.ipynb has no live cell in its lesson. Delete it."]


def test_packed_code_is_the_same_code() -> None:
    cells = [Code("", "x = 'ü√ %s {x} $y'\n"), Code("a", "", True)]
    assert unpack(pack(cells)) == cells
    assert set(pack(cells)) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=")


@pytest.mark.parametrize("damaged", ["", "x", "abcd", pack([Code("a", "b")])[:-8]])
def test_damaged_code_says_what_to_do(damaged: str) -> None:
    with pytest.raises(LiveError, match="Copy this cell from a fresh notebook"):
        unpack(damaged)


# What is refused

CASES = [
    broken("twice", 'live="largest"', 'live="mean"', ('live="mean"', "stands on line"), text=LIVE),
    broken("odd name", 'live="largest"', 'live="the largest"', ('live="the', "cannot use the name"), text=LIVE),
    broken("no name", ' live="largest"', "", ('# %% tags=["live"]\n'[:-1], "with a tag and a name"), text=LIVE),
    broken("no tag", 'tags=["live"] live="largest"', 'live="largest"', ("live=", "a tag and a name"), text=LIVE),
    broken(
        "no prompt",
        "# %% [markdown]\n# Now the largest. Of `x` it gives 2 and 5.\n\n",
        "",
        ('live="largest"', "no prompt above"),
        text=LIVE,
    ),
    broken(
        "code in the prompt",
        "# Write `mean`, the average of each row.",
        "# Write `total = rows.sum(dim=-1)`,\n# `return total / rows.shape[-1]`.".replace("`,\n# `", "\n# "),
        ('live="mean"', "stands in the cell of line"),
        text=LIVE,
    ),
    broken(
        "code in a cell above",
        "typed = []",
        "def mean_(a):\n    total = rows.sum(dim=-1)\n    return total / rows.shape[-1]",
        ('live="mean"', "stands in the cell of line"),
        text=LIVE,
    ),
    broken("loaded twice", "# %matplotlib", "# %load_ext course_utils.live\n# %matplotlib",
           ("# %load_ext", "loaded twice"), text=LIVE),
    broken("teacher's code", '# %%\nclaim("m', '# %% tags=["teacher"]\nclaim("m', ("teacher", "missing"), text=LIVE),
    broken("preset", '"quick"', '"full"', ("parameters", "sets no preset"), text=LIVE),
    broken("claim twice", '"largest, measured for hours"', '"mean of all averages"', ("mean of", "line"), text=LIVE),
    broken("unknown preset", 'preset="full"', 'preset="fast"', ("fast", "no preset 'fast'"), text=LIVE),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_live_text_that_breaks_a_rule_is_refused_on_its_line(case: Case, tmp_path: Path) -> None:
    from lesson_text import findings

    found = [(finding.line, finding.reason) for finding in findings(tmp_path, case.text, folder="notebooks")]
    lines = case.text.split("\n")
    assert len(found) == len(case.expected), found
    for (line, reason), (snippet, words) in zip(found, case.expected, strict=True):
        assert snippet in lines[line - 1]
        assert words in reason


def test_the_answer_to_a_homework_is_refused_in_live_code(tmp_path: Path) -> None:
    from lesson_text import write_lesson

    live_course(tmp_path, change("    total = rows.sum(dim=-1)  # (B,)\n", LEAK, LIVE))
    write_lesson(tmp_path)
    assert f"survives in notebooks/{LIVE_NAME}.ipynb" in refusal(tmp_path)


LEAK = "    x = rows\n    total = sum(number for number in x if number is not None)\n"


# What a class does


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """A kernel in a folder where no notebook lies."""
    with kernel(tmp_path_factory.mktemp("elsewhere")) as fresh:
        fresh.run("%load_ext course_utils.live")
        assert "Run the first code cell of this notebook first" in fresh.run("%reveal mean").text
        yield fresh


@pytest.fixture
def room(built: Path, started: Kernel) -> Kernel:
    """A kernel without any variable in which the first cell has run."""
    started.run("%reset -f")
    assert "Live cells: mean, largest." in started.run(first_cell(built)).text
    return started


def test_reveal_asks_for_a_cell_below(room: Kernel) -> None:
    answer = room.run("%reveal mean")
    assert answer.cells == [MEAN]
    assert "Our code for mean is in a new cell below" in answer.text
    [shown] = answer.data("text/html")
    assert "total / rows.shape[-1]" in shown, "where a kernel cannot ask for cells, the code can be read"


def test_reveal_works_in_a_half_finished_cell_and_runs_nothing_of_it(room: Kernel) -> None:
    answer = room.run("# live: mean\ntyped = 1\ndef mean(rows:\n  %reveal mean")
    assert answer.cells == [MEAN]
    assert not room.run("typed").ok
    assert room.run("# live: mean -> averages\n%reveal").cells == [MEAN], "the cell says its name"


def test_catch_up_runs_everything_up_to_the_cell_and_nothing_below(room: Kernel) -> None:
    answer = room.run("%catch_up mean")
    assert answer.ok
    assert answer.text.startswith("✓ Caught up: 3 cells, up to and including mean")
    assert room.run("averages.tolist()").text == "[1.0, 4.0]"
    assert not room.run("figure").ok
    assert not room.run("largest").ok


def test_catch_up_shows_no_old_outputs_and_no_figures(room: Kernel) -> None:
    answer = room.run("%catch_up largest")
    assert [output.get("name") for output in answer.outputs] == ["stdout"]
    assert "drawn" not in answer.text
    assert room.run("largest.tolist(), figure.axes[0] is axes").text == "([2.0, 5.0], True)"
    assert room.run("import matplotlib.pyplot as plt; plt.get_fignums()").text == "[]", "no figure waits to be drawn"


def test_catch_up_replaces_what_went_wrong_before(room: Kernel) -> None:
    room.run("x = 'broken'; mean = None")
    assert room.run("%catch_up mean").ok
    assert room.run("averages.tolist()").text == "[1.0, 4.0]"


@pytest.mark.parametrize("command", ["reveal", "catch_up"])
def test_an_unknown_name_is_answered_with_the_known_ones(room: Kernel, command: str) -> None:
    for line, words in {f"%{command} men": "no live cell men", f"%{command}": "needs the name of a cell"}.items():
        answer = room.run(line)
        assert not answer.ok
        assert words in answer.text
        assert f"Write %{command} and one of: mean, largest." in answer.text
        assert "Traceback" not in answer.text


def test_catch_up_passes_what_fails_on_purpose_and_stops_at_what_does_not(room: Kernel) -> None:
    claim = "from course_utils.claims import claim\nclaim('one', 2, expect=1, tol=0)"
    cells = [Code("", claim), Code("", "1 / 0", may_fail=True), Code("a", "a = 1"), Code("b", "b = nothing")]
    room.run(f"%live_code x {pack(cells)}")
    answer = room.run("%catch_up a")
    assert answer.ok
    assert "ZeroDivisionError" not in answer.text
    answer = room.run("%catch_up b")
    assert not answer.ok
    for words in ("stopped at cell 4 of 4, the cell b", "NameError: name 'nothing' is not defined", "Restart"):
        assert words in answer.text
    assert room.run("a").text == "1"
    assert "ZeroDivisionError" in room.run("1 / 0").text, "tracebacks are shown again"


def test_other_cells_are_left_alone() -> None:
    lines = ["x = 5 %reveal\n", "print('%reveal mean')\n", "#%reveal mean\n"]
    assert only_command(lines) == lines


def variables(notebook: Any, folder: Path) -> dict[str, str]:
    """The values of all variables at the end of a notebook that runs without an error."""
    ask = "import json as _j; print(_j.dumps({n: repr(v) for n, v in globals().items() if n in _names}))"
    names = "_names = ['averages', 'largest', 'last', 'x', 'typed', 'PRESET']"
    notebook.cells.append(nbformat.v4.new_code_cell(f"{names}\n{ask}"))
    nbclient.NotebookClient(notebook, resources={"metadata": {"path": str(folder)}}, timeout=120).execute()
    return dict(json.loads(notebook.cells[-1].outputs[0]["text"]))


def test_a_class_that_reveals_everything_ends_where_the_complete_notebook_ends(built: Path, tmp_path: Path) -> None:
    complete, live = variables(read(built, False), tmp_path), variables(as_class(read(built, True)), tmp_path)
    assert set(complete) == {"averages", "largest", "last", "x", "typed", "PRESET"}
    assert live == complete


def test_an_hour_is_a_valid_notebook_and_others_are_refused(built: Path) -> None:
    hour = as_class(read(built, True))
    nbformat.validate(hour, version=4, version_minor=5, relax_add_props=False)
    sources = [cell.source for cell in hour.cells]
    assert sources[sources.index("%reveal mean") + 1] == MEAN
    with pytest.raises(CourseError, match="no live notebook"):
        as_class(read(built, False))
    old = read(built, True)
    next(cell for cell in old.cells if "live" in cell.metadata).metadata["live"] = "gone"
    with pytest.raises(CourseError, match="no code for 'gone'"):
        as_class(old)


# Votes


def test_a_vote_can_be_read_where_no_widget_lives(room: Kernel) -> None:
    room.run("%catch_up mean")
    answer = room.run('live.vote("Is $a<b$?", {"A": "yes & no", "B": "no"}, answer="B", why="Because <b>.")')
    assert answer.ok
    assert answer.text == "Vote: Is $a<b$?\n  A: yes & no\n  B: no\nAnswer: B. Because <b>."
    question, right = answer.data("text/html")
    assert "yes &amp; no" in question
    assert "Because" not in question
    assert right.startswith("<details><summary>Show the answer</summary>")
    assert "Because &lt;b&gt;." in right
    assert len(answer.data("application/vnd.jupyter.widget-view+json")) == 1


def test_a_vote_without_ipywidgets_is_text(room: Kernel) -> None:
    room.run("import sys; sys.modules['ipywidgets'] = None\nfrom course_utils import live")
    answer = room.run('live.vote("Which?", {"A": "a", "B": "b"}, answer="A", why="So.")')
    assert answer.ok
    assert "<details>" in answer.data("text/html")[1]
    assert not answer.data("application/vnd.jupyter.widget-view+json")
    room.run("del sys.modules['ipywidgets']")


@pytest.mark.parametrize("choices", [{"A": "only"}, {"A": "a", "C": "c"}])
def test_a_vote_that_nobody_can_win_is_refused(choices: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="an answer among them"):
        vote("?", choices, answer="B", why="")
