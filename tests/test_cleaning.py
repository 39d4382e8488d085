"""What is left of a student's HTML and markdown in the formgrader; `tests/browser` sees the same in a real browser."""

from __future__ import annotations

import time
from typing import Any

import nbformat
import pytest
from bs4 import BeautifulSoup
from jinja2 import Environment

from autograde.gradebook.cleaning import CleanSubmission, clean, markdown

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<IMG SRC=x OnError = alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg onload=alert(1)>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<iframe src='javascript:alert(1)'></iframe>",
    "<a href='javascript:alert(1)'>x</a>",
    "<a href=' &#106;avascript:alert(1)'>x</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "<a href='vbscript:x'>x</a>",
    "<img src='https://example.org/seen.png'>",
    "<img src='data:image/svg+xml;base64,PHN2Zy8+'>",
    "<div style='position:fixed;inset:0'>Full marks</div>",
    "<form action='https://example.org'><input name=score><button>Save</button></form>",
    "<meta http-equiv=refresh content='0;url=https://example.org'>",
    "<base href='https://example.org'>",
    "<details open ontoggle=alert(1)>x</details>",
    "<div id='test_scores' class='score'>3</div>",
    "<<script>script>alert(1)<</script>/script>",
]


def rendered(source: str, attachments: Any = None) -> str:
    environment = Environment(autoescape=False)
    environment.filters["markdown2html"] = markdown
    cell = {"attachments": attachments} if attachments is not None else {}
    return environment.from_string("{{ source | markdown2html }}").render(source=source, cell=cell)


@pytest.mark.parametrize("show", [clean, rendered])
@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_acts_is_left(show: Any, text: str) -> None:
    for tag in BeautifulSoup(show(text), "html.parser").find_all(True):
        assert tag.name in ("a", "details", "div", "img", "p", "pre", "table", "span", "code")
        assert not set(tag.attrs) - {"open", "title"}, tag


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("**bold** and `code`", "<strong>bold</strong> and <code>code</code>"),
        ("a < b and a <b> c", "a &lt; b and a <b> c</b>"),
        ("$a < b$ and $$x_1 & y$$", "$a &lt; b$ and $$x_1 &amp; y$$"),
        ("[torch](https://pytorch.org)", '<a href="https://pytorch.org">torch</a>'),
        ("## Title", "<h2>Title</h2>"),
        ("| a |\n|---|\n| 1 |", "<th>a</th>"),
        ("```python\nx = 1\n```", '<span class="n">x</span>'),
        ("<details><summary>Hint</summary>\n\nText\n</details>", "<summary>Hint</summary>"),
    ],
)
def test_what_is_harmless_stays(source: str, wanted: str) -> None:
    assert wanted in rendered(source)


def test_a_picture_comes_from_the_attachments() -> None:
    shown = rendered("![my drawing](attachment:p.png)", {"p.png": {"image/png": PIXEL}})
    assert f'<img src="data:image/png;base64,{PIXEL}" alt="my drawing">' in shown


@pytest.mark.parametrize(
    ("source", "attachments"),
    [
        ("![gone](attachment:p.png)", {}),
        ("![gone](attachment:p.png)", {"p.png": {}}),
        ("![odd](attachment:p.png)", {"p.png": {"text/html": "<script>alert(1)</script>"}}),
        (">" * 5_000 + "deep", {}),
        ("[" * 5_000, {}),
    ],
)
def test_odd_markdown_can_still_be_read(source: str, attachments: Any) -> None:
    shown = rendered(source, attachments)
    assert "<script" not in shown
    assert shown.strip()


def test_no_text_takes_long_to_clean() -> None:
    start = time.process_time()
    assert "<div" not in clean("<div>" * 50_000)
    assert time.process_time() - start < 2


def test_a_page_gets_no_metadata_of_the_student() -> None:
    attack = '1"><script>alert(1)</script>'
    output = nbformat.v4.new_output(
        "display_data",
        data={"image/png": PIXEL, "application/javascript": "alert(1)", "text/plain": "figure"},
        metadata={"image/png": {"width": attack, "alt": "my figure"}, "filenames": {"image/png": attack}},
    )
    marks = {"grade_id": attack, "solution": True, "grade": False}
    cells = [
        nbformat.v4.new_code_cell("1", outputs=[output], metadata={"tags": [attack], "nbgrader": marks}),
        nbformat.v4.new_markdown_cell("2", metadata={"nbgrader": {"grade_id": "why", "points": 2}}),
    ]
    resources = {"student": "<b>", "notebook_path": "a/<b>/c", "index": 0}
    notebook, resources = CleanSubmission().preprocess(nbformat.v4.new_notebook(cells=cells), resources)
    assert attack not in str(notebook)
    assert set(notebook.cells[0].outputs[0].data) == {"image/png", "text/plain"}
    assert notebook.cells[0].outputs[0].metadata["image/png"] == {"alt": "my figure"}
    assert notebook.cells[1].metadata == {"nbgrader": {"grade_id": "why", "points": 2}}
    assert resources == {"student": "&lt;b&gt;", "notebook_path": "a/&lt;b&gt;/c", "index": 0}
