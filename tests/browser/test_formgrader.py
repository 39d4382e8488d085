"""The instructor's side: the formgrader shows the graded class, runs nothing that a student wrote, and grades again."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import FULL, POINTS, Grader
from nbconvert.exporters import HTMLExporter
from nbgrader.server_extensions.formgrader import handlers
from playwright.sync_api import FrameLocator, Locator, Page, expect
from traitlets.config import Config

from browser.lab import Server

pytestmark = [pytest.mark.browser, pytest.mark.sandbox, pytest.mark.xdist_group("browser")]

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
#: The score of a submission whose every exercise is right, and whose question waits for a person.
ALL = sum(FULL.values())
#: Each way to run a script leaves a variable in the window of whoever looks at the submission.
MALLORY = "<img src=x onerror=window.ran_name=1>"
TEXT = """My **answer** has math, $a<b$, and a picture: ![drawing](attachment:p.png)

[a link](javascript:window.ran_link=1)

<script>window.ran_script=1</script> <img src=x onerror="window.ran_image=1"> <svg onload="window.ran_svg=1"></svg>
<iframe srcdoc="<script>parent.ran_frame=1</script>"></iframe>

## A heading <img src=x onerror=window.ran_heading=1>

$x <img src=x onerror=window.ran_math=1>$ ![alt" onerror="window.ran_alt=1](attachment:p.png)
"""
OUTPUTS = f"""from IPython.display import HTML, Javascript, Markdown, display

display(HTML("<script>window.ran_html=1</script><table><tr><th>my table</th></tr></table>"))
display(Markdown("<img src=x onerror='window.ran_markdown=1'>"))
display(Javascript("window.ran_javascript=1"))
display({{"image/png": "{PIXEL}"}}, raw=True, metadata={{"image/png": {{"width": "9 onload=window.ran_width=1"}}}})
vector = "<svg xmlns='http://www.w3.org/2000/svg'><script>window.ran_vector=1</script></svg>"
display({{"image/svg+xml": vector}}, raw=True)
display({{"text/latex": "$x$<img src=x onerror=window.ran_latex=1>"}}, raw=True)
display({{"text/plain": "<img src=x onerror=window.ran_plain=1>"}}, raw=True)
display({{"text/html": "<iframe srcdoc='<script>parent.ran_inner=1</script>'></iframe>"}}, raw=True)
display({{"text/html": "<p onclick=1>isolated</p><script>window.ran_isolated=1</script>"}}, raw=True,
        metadata={{"text/html": {{"isolated": True}}}})
display({{"application/vnd.course+json": {{}}, "<img src=x onerror=window.ran_type=1>": "x"}}, raw=True)
print("<img src=x onerror=window.ran_stream=1>\x1b[31m<img src=x onerror=window.ran_colour=1>")
"""
#: An exception's name and words are the student's, too.
RAISES = """Kind = type("<img src=x onerror=window.ran_kind=1>", (Exception,), {})
raise Kind("<img src=x onerror=window.ran_words=1>")
"""
RAW = "<script>window.ran_raw=1</script>"
#: What runs on nbgrader's own page: the other ways are closed there, too, and must stay closed here.
RUNS = {"name", "script", "image", "svg", "frame", "html", "markdown", "javascript", "width", "inner"}
#: In metadata and names, which nbgrader's page shows or not.
ATTRIBUTE = '"><img src=x onerror=window.ran_attribute=1>'


def hand_in(root: Path, student: str, notebook: Any) -> None:
    path = root / "submitted" / student / "03_qkv" / "03_qkv.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)


def hostile(notebook: Any) -> Any:
    text = nbformat.v4.new_markdown_cell(TEXT, attachments={"p.png": {"image/png": PIXEL}})
    marked = {"tags": [ATTRIBUTE, "raises-exception"], "name": ATTRIBUTE, "raw_mimetype": "text/html"}
    raw = nbformat.v4.new_raw_cell(RAW, metadata=marked)
    forged = nbformat.v4.new_markdown_cell("forged", metadata={"nbgrader": forged_marks(), **marked})
    cells = [text, *(nbformat.v4.new_code_cell(source, metadata=marked) for source in (OUTPUTS, RAISES)), raw, forged]
    cells[1].id = "ran'onload=1"[:12]
    notebook.cells[2:2] = cells
    notebook.metadata |= {"title": ATTRIBUTE, "authors": [{"name": ATTRIBUTE}], "language_info": {"name": ATTRIBUTE}}
    return notebook


def forged_marks() -> dict[str, Any]:
    """The marks of a question that there is not, under a name that would leave its attribute."""
    kinds = {"grade": True, "solution": True, "locked": False, "task": False, "schema_version": 3}
    return {**kinds, "grade_id": ATTRIBUTE, "points": 5}


def litter(folder: Path) -> None:
    """Files that nobody asked for: names and a time of submission that would run, a second notebook."""
    (folder / "timestamp.txt").write_text(RAW)
    (folder / f"{MALLORY}.txt").write_text(RAW)
    (folder / f"{MALLORY}.ipynb").write_text("{}")
    (folder / "03_qkv.html").write_text(RAW)


@pytest.fixture(scope="session")
def graded(classroom: Path, grader: Grader) -> Path:
    """Three submissions, graded: right, untouched, hostile."""
    from autograde.gradebook.grade import Course

    hand_in(classroom, "ada", grader.solved())
    hand_in(classroom, "boris", grader.lesson.release)
    hand_in(classroom, MALLORY, hostile(grader.solved()))
    litter(classroom / "submitted" / MALLORY / "03_qkv")
    assert {row.student: row.score for row in Course(classroom).grade("03_qkv")} == {
        "ada": ALL,
        "boris": 0,
        MALLORY: ALL,
    }
    return classroom


def ran(page: Page) -> set[str]:
    """Which of the scripts ran in this window."""
    page.wait_for_load_state("networkidle")
    return {name.removeprefix("ran_") for name in page.evaluate("Object.keys(window)") if name.startswith("ran_")}


def row_of(page: Page | FrameLocator, student: str) -> Locator:
    return page.locator("#main-table tr").filter(has_text=student)


def test_jupyterlab_opens_the_formgrader_with_the_graded_class(page: Page, server: Server, graded: Path) -> None:
    page.goto(server.url("lab") + "&reset")
    page.get_by_role("menuitem", name="Nbgrader").click()
    page.get_by_role("menuitem", name="Formgrader", exact=True).click()
    formgrader = page.frame_locator("iframe")
    formgrader.get_by_role("link", name="3", exact=True).click()
    for student, score in {"ada": ALL, "boris": 0, MALLORY: ALL}.items():
        row = row_of(formgrader, student)
        expect(row.locator(".score")).to_have_text(f"{score} / {POINTS}")
        expect(row.locator(".status")).to_have_text("graded")


def open_submission(page: Page, server: Server, student: str, course: str = "") -> None:
    """As an instructor goes there: Manual Grading, the lesson, its notebook, one student."""
    page.goto(server.url("formgrader") + (f"&path={course}" if course else ""))
    page.get_by_role("link", name="Manual Grading").click()
    for _ in range(2):
        page.locator("#main-table").get_by_role("link", name="03_qkv").click()
    expect(page.get_by_role("link", name="Submission #1", exact=True)).to_be_visible()
    page.get_by_role("button", name="Show All Names").click()
    page.locator("#main-table").get_by_role("link", name=student).click()
    expect(page.locator("#test_scores")).to_be_visible()


def test_a_submission_shows_its_scores(page: Page, server: Server, graded: Path) -> None:
    open_submission(page, server, "boris")
    for test in (f"test_{name}" for name in FULL):
        expect(page.locator(f"#{test}")).to_have_attribute("placeholder", "0")
    expect(page.get_by_text("not attempted: Not attempted: the cell is as it was released.")).to_have_count(len(FULL))


def test_nothing_that_a_student_wrote_runs(page: Page, server: Server, graded: Path) -> None:
    open_submission(page, server, MALLORY)
    assert ran(page) == set()
    assert page.locator("a[href^=javascript], iframe, #notebook script").count() == 0
    expect(page.get_by_text("<script>window.ran_script=1</script>").first).to_be_visible()
    # What is harmless stays as it was meant.
    expect(page.locator("strong", has_text="answer")).to_be_visible()
    expect(page.get_by_alt_text("drawing")).to_be_visible()
    expect(page.get_by_text("$a<b$")).to_be_visible()
    expect(page.locator("th", has_text="my table")).to_be_visible()


@pytest.mark.parametrize("where", ["manage_assignments", "manage_submissions/03_qkv", "manage_students", "gradebook"])
def test_nothing_runs_on_the_lists_either(page: Page, server: Server, graded: Path, where: str) -> None:
    """They show names of students and files, and read the time that a student's folder says."""
    page.goto(server.url("formgrader"))  # the login of a page below holds for what is below it
    page.goto(server.url(f"formgrader/{where}"))
    expect(page.locator("#main-table a").first).to_be_visible()  # rows come later than the page
    if where in ("manage_submissions/03_qkv", "manage_students"):
        expect(row_of(page, MALLORY)).to_have_count(1)
        expect(row_of(page, "ada")).to_have_count(1)
    assert ran(page) == set()


def test_nothing_runs_where_jupyterlab_was_started_above_the_course(page: Page, graded: Path, tmp_path: Path) -> None:
    with Server(graded.parent, tmp_path) as above:
        open_submission(page, above, MALLORY, str(graded))
        assert ran(page) == set()
        expect(page.get_by_text("<script>window.ran_script=1</script>").first).to_be_visible()


@pytest.mark.filterwarnings("ignore:Your element with mimetype")  # said of the type that nobody knows
def test_the_same_scripts_run_on_nbgraders_own_page(page: Page, server: Server, graded: Path) -> None:
    """Else the test above would prove nothing."""
    stock = Config()
    stock.HTMLExporter.template_name = "formgrade"
    stock.HTMLExporter.extra_template_basedirs = [handlers.template_path]
    path = graded / "autograded" / MALLORY / "03_qkv" / "03_qkv.ipynb"
    resources = {"student": MALLORY, "index": 0, "total": 1, "base_url": server.url("").split("/?")[0]}
    html, _ = HTMLExporter(config=stock).from_filename(str(path), resources=resources)
    page.set_content(html)
    assert ran(page) >= RUNS


def test_the_autograde_button_grades_again_each_time(page: Page, server: Server, graded: Path, grader: Grader) -> None:
    kept = graded / ".autograde" / "results" / "03_qkv" / "boris" / "result.json"
    autograded = graded / "autograded" / "boris" / "03_qkv" / "03_qkv.ipynb"
    answers = {name: f"{name} = None" for name in FULL if name != "scores"}
    for notebook, score in [(grader.solved(answers), FULL["scores"]), (grader.solved(), ALL)]:
        before = kept.stat().st_mtime_ns
        hand_in(graded, "boris", notebook)
        page.goto(server.url("formgrader"))
        page.get_by_role("link", name=re.compile(r"^[34]$")).click()
        row = row_of(page, "boris")
        row.locator(".autograde a").click()
        expect(page.get_by_text("Successfully autograded '03_qkv' for student 'boris'.")).to_be_visible()
        expect(row.locator(".score")).to_have_text(f"{score} / {POINTS}")
        assert kept.stat().st_mtime_ns > before
        assert sum(verdict["points"] for verdict in json.loads(kept.read_text())["verdicts"]) == score
        said = nbformat.read(autograded, as_version=4).metadata["course"]["result"]
        assert sum(verdict["points"] for verdict in said["verdicts"]) == score
        hand_in(graded, "zoe", grader.lesson.release)
        page.reload()
        expect(row_of(page, "zoe").locator(".status")).to_have_text("needs autograding")
