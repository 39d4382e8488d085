"""The lint of cells: figures without words, long cells, cards and stubs that say something else than the solution."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from conftest import REPO
from lint_text import GOOD, IN_CLASS, NAME, change, found, line_of, one, write_lesson

from autograde.build import build

SHOWN = 'described(plots.gate_map([gates.tolist()], title="One row"), "Four gates; the second is the largest.")'
MEAN = "### BEGIN SOLUTION\n    total ="
CARD = (
    "# ## 1. The mean\n#\n# | points | minutes | lines in our solution | uses | library calls allowed |\n"
    "# |---|---|---|---|---|\n# | 8 | 5 | {} | nothing | all |\n"
)


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ('figure, axes = plots.gate_map([gates.tolist()], title="One row")', "plots.gate_map"),
        ('charts.bars([1.0], "One bar")', "charts.bars"),
        ("import matplotlib.pyplot as plt\n\nfigure, axes = plt.subplots()\naxes.plot([1, 2])", "plt.subplots"),
        ("from matplotlib import pyplot\n\npyplot.plot([1, 2])", "pyplot.plot"),
        ("from course_utils.plots import gate_map\n\ngate_map([[1.0]])", "gate_map([[1"),
        ('def draw():\n    return charts.bars([1.0], "One")\n\n\nfigure, axes = draw()', "figure, axes = draw()"),
        ('for name in "ab":\n    charts.bars([1.0], name)', "charts.bars([1.0], name)"),
        (f"{SHOWN}\nplots.score_grid([[1.0]])", "plots.score_grid"),
        ('described(charts.bars([1.0], "One bar"), "")', "described(charts"),
        ('described(charts.bars([1.0], "One bar"))', "described(charts"),
    ],
)
def test_a_figure_without_words_is_reported(tmp_path: Path, code: str, line: str) -> None:
    text = change(SHOWN, code, IN_CLASS)
    message = one(tmp_path, text, line, "figure")
    assert "for those who cannot" in message


@pytest.mark.parametrize(
    "code",
    [
        'figure, axes = charts.bars([1.0], "One")\naxes.grid()\ndescribed((figure, axes), "One bar.")',
        'drawn = charts.bars([1.0], "One bar")\ndescribed(drawn, f"One bar of {gates[0]}.")',
        'described(drawn=charts.bars([1.0], "One bar"), words="One bar.")',
        'import matplotlib.pyplot as plt\n\nfigure = plt.figure()\nplt.plot([1])\ndescribed((figure, 0), "A point.")',
        'def draw():\n    return charts.bars([1.0], "One")\n\n\ndescribed(draw(), "One bar.")',
        'from course_utils import widgets\n\nwidgets.explore(lambda n: charts.bars([n], "One"), str, n=None)',
        "scenes = [1, 2]\nprint(scenes.index(2))",
    ],
)
def test_a_described_figure_is_not_reported(tmp_path: Path, code: str) -> None:
    assert found(tmp_path, change(SHOWN, code, IN_CLASS)) == []


def test_pictures_in_prose_need_alt_text(tmp_path: Path) -> None:
    for bad in ("![](bird.png)", '<img src="bird.png">', '<img src="bird.png" alt="">'):
        assert "alt text" in one(
            tmp_path, change("# ## 1 · Gates", f"# ## 1 · Gates\n#\n# {bad}", IN_CLASS), bad, "figure"
        )
    for good in ("![a bird](bird.png)", '<img src="bird.png" alt="a bird">', "`![](bird.png)`"):
        assert found(tmp_path, change("# ## 1 · Gates", f"# ## 1 · Gates\n#\n# {good}", IN_CLASS)) == []


def test_a_figure_in_a_test_cell_is_the_judges(tmp_path: Path) -> None:
    text = change('check.close(got, 3.0, "the', 'plots.expected_and_yours(3.0, got)\ncheck.close(got, 3.0, "the', GOOD)
    assert found(tmp_path, text, folder="source") == []


@pytest.mark.parametrize(("lines", "long"), [(25, False), (26, True)])
def test_cells_have_at_most_25_lines(tmp_path: Path, lines: int, long: bool) -> None:
    text = change("UPDATES = 60\n", "UPDATES = 60\n" + "".join(f"x{n} = 1\n" for n in range(lines - 2)), IN_CLASS)
    if long:
        message = one(tmp_path, text, 'claim("bytes"', "length")  # its 26th line
        assert message.startswith("this cell has 26 lines, more than 25. Cut it")
    else:
        assert found(tmp_path, text) == []


def test_of_a_solution_its_docstring_and_of_tests_nothing_counts(tmp_path: Path) -> None:
    told = '"""The mean of a list of numbers.\n' + "    Args:\n" * 30 + '    """'
    text = change('"""The mean of a list of numbers."""', told, GOOD)
    text = change(
        "got, untouched = observe([1.0, 2.0, 6.0])\n", "got, untouched = observe([1.0, 2.0, 6.0])\n" * 30, text
    )
    assert found(tmp_path, text, folder="source") == []
    text = change("    total = sum", "    x = 1\n" * 25 + "    total = sum", GOOD)
    (finding,) = found(tmp_path, text, folder="source")
    assert (finding.kind, "30 lines" in finding.message) == ("length", True)


@pytest.mark.parametrize("entry", ["3", "", "two"])
def test_a_card_that_counts_wrong_is_reported(tmp_path: Path, entry: str) -> None:
    text = change("# ## 1. The mean\n", CARD.format(entry), GOOD)
    message = one(tmp_path, text, "# | 8 | 5 |", "card", folder="source")
    assert "our solution of `mean` has 2 lines. Write 2 in the column" in message


def test_a_card_that_counts_right_is_not_reported(tmp_path: Path) -> None:
    text = change("# ## 1. The mean\n", CARD.format(2), GOOD)
    assert found(tmp_path, text, folder="source") == []
    longer = change(MEAN, "### BEGIN SOLUTION\n    # why\n\n    total =", text)
    assert found(tmp_path, longer, folder="source") == []  # comments and empty lines are no lines of code


def test_code_outside_the_markers_is_reported_as_the_build_refuses_it(tmp_path: Path) -> None:
    text = change(f"    {MEAN}", f"    count = len(x)\n    {MEAN}", GOOD)
    message = one(tmp_path, text, "count = len(x)", "stub", folder="source")
    assert message.startswith("this line stands outside the solution's markers.")


def released(root: Path) -> tuple[Path, dict]:
    """The release of the tiny homework, built by nbgrader itself."""
    write_lesson(root, GOOD)
    shutil.copytree(REPO / "course_utils", root / "course_utils", ignore=shutil.ignore_patterns("__pycache__"))
    build(root, NAME)
    path = root / "release" / NAME / f"{NAME}.ipynb"
    return path, json.loads(path.read_text())


def test_a_release_that_differs_outside_the_markers_is_reported(tmp_path: Path) -> None:
    path, notebook = released(tmp_path)
    assert found(tmp_path, GOOD, folder="source") == []
    (stub,) = [cell for cell in notebook["cells"] if cell["id"] == "mean"]
    assert any("YOUR CODE HERE" in line for line in stub["source"])
    whole = list(stub["source"])
    changes = {
        "def mean(x):": [whole[0].replace("(x)", "(numbers)"), *whole[1:]],  # edited
        "if not x:  # given": [line for line in whole if "if not x" not in line],  # lost
        "### BEGIN SOLUTION": [line.replace("YOUR CODE", "OUR CODE") for line in whole],  # no stub of nbgrader's
        "return total / len(x)": [*whole, "\n", "print(1)\n"],  # more below
    }
    for snippet, source in changes.items():
        stub["source"] = source
        path.write_text(json.dumps(notebook))
        (finding,) = found(tmp_path, GOOD, folder="source")
        assert (finding.kind, "`autograde build 07_tiny`" in finding.message) == ("stub", True)
        below = 1 if snippet.startswith("return") else 0  # the end marker is the cell's last line
        assert finding.line == line_of(snippet, GOOD) + below, snippet
