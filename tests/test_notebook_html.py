"""A student's notebook on the feedback page: each kind of output, however large or odd, is readable and harmless."""

from __future__ import annotations

import base64
import time
from typing import Any

import pytest
from bs4 import BeautifulSoup
from feedback_page import PIXEL, notebook
from nbformat.v4 import new_code_cell, new_output

from autograde.mathml import typeset
from autograde.notebook_html import shown_cells
from autograde.pages import plain, said, visible


def outputs(*given: Any) -> str:
    """The HTML of a cell's outputs."""
    cells, _ = shown_cells(notebook(new_code_cell("x", outputs=list(given))), {})
    return "".join(cells[0].outputs)


def stream(text: str, name: str = "stdout") -> Any:
    return new_output("stream", name=name, text=text)


def display(**data: str) -> Any:
    kinds = {name.replace("_", "/", 1).replace("svgxml", "svg+xml"): value for name, value in data.items()}
    return new_output("display_data", data=kinds)


def test_text_keeps_its_words_and_loses_its_colours() -> None:
    assert outputs(stream("\x1b[31mred\x1b[0m <b>\n")) == "<pre>red &lt;b&gt;\n</pre>"
    trace = new_output("error", ename="KeyError", evalue="'a'", traceback=["\x1b[0;31mKeyError\x1b[0m: 'a'"])
    assert outputs(trace) == "<pre>KeyError: &#39;a&#39;</pre>"
    assert "no lines: x" in outputs(new_output("error", ename="no lines", evalue="x", traceback=[]))


def test_a_progress_bar_ends_at_its_end() -> None:
    assert plain("0%\r50%\r100%\ndone\r\n") == "100%\ndone\n"


@pytest.mark.parametrize("char", ["\u202e", "\u2066", "\x00", "\x1b", "\x9b", "\U000e0041"])
def test_characters_that_turn_or_hide_others_are_seen(char: str) -> None:
    assert visible(f"a{char}b") == f"a⟦U+{ord(char):04X}⟧b"
    assert char not in outputs(stream(f"a{char}b"))


def test_ordinary_letters_of_every_script_stay() -> None:
    words = "naïve שלום مرحبا 日本 √d\t\u200fé"
    assert visible(words) == words


def test_pieces_of_one_stream_are_one_output() -> None:
    assert outputs(stream("a"), stream("b"), stream("c", "stderr")) == "<pre>ab</pre><pre>c</pre>"


def test_the_picture_is_shown_rather_than_its_name() -> None:
    shown = outputs(display(image_png=PIXEL, text_plain="<Figure size 640x480>", text_html="<p>x</p>"))
    assert shown == f'<img src="data:image/png;base64,{PIXEL}" alt="picture that this cell made">'


def test_an_svg_is_a_picture_and_no_part_of_the_page() -> None:
    shown = outputs(display(image_svgxml="<svg onload='alert(1)'><script>alert(1)</script></svg>"))
    image = BeautifulSoup(shown, "html.parser").find("img")
    assert image is not None
    assert set(image.attrs) == {"src", "alt"}
    assert base64.b64decode(image["src"].removeprefix("data:image/svg+xml;base64,")).startswith(b"<svg")  # type: ignore[union-attr]
    assert "<svg" not in shown


def test_a_picture_that_is_none_is_left_out() -> None:
    shown = outputs(display(image_png='x" onerror="alert(1)'))
    assert "onerror" not in shown
    assert "cannot be read" in shown


def test_a_table_of_pandas_keeps_its_cells_and_loses_its_style() -> None:
    table = (
        "<div><style scoped>.dataframe {color: red}</style><table class='dataframe'><tr><td>7</td></tr></table></div>"
    )
    shown = outputs(display(text_html=table, text_plain="7"))
    assert "<td>7</td>" in shown
    assert "color" not in shown
    assert "class" not in shown


@pytest.mark.parametrize(
    "html",
    [
        "<style>.score {display: none}</style><p>x</p>",
        "<STYLE>.score {display: none}",
        "<sty<style></style>le>.score {display: none}</style>",
        "<base href='https://example.org/'>",
        "<p style='position: fixed; inset: 0'>11 of 11</p>",
        "<p class='score' id='look'>11 of 11</p>",
        "<form action='https://example.org'><button>x</button></form>",
        "<meta http-equiv='refresh' content='0; url=https://example.org'>",
        "<math><mtext><script>alert(1)</script></mtext></math>",
    ],
)
def test_html_of_a_student_hides_and_moves_nothing(html: str) -> None:
    for kind in ("text_html", "text_markdown"):
        tags = BeautifulSoup(outputs(display(**{kind: html})), "html.parser").find_all(True)
        assert {tag.name for tag in tags} <= {"p", "pre", "div"}
        assert not [tag for tag in tags if tag.attrs]


def test_huge_outputs_are_cut_and_say_so() -> None:
    started = time.process_time()
    shown = outputs(stream("x" * 5_000_000), *(stream(str(i), name="stdout" if i % 2 else "stderr") for i in range(99)))
    assert len(shown) < 30_000
    assert "4980000 more characters are left out" in shown
    assert "70 more outputs are left out" in shown
    assert time.process_time() - started < 5


def test_a_huge_table_is_read_as_text() -> None:
    shown = outputs(display(text_html="<table>" + "<tr><td>1</td></tr>" * 50_000, text_plain="a table"))
    assert shown == "<pre>a table</pre>"


def test_pictures_share_the_room_of_a_page() -> None:
    cells = [new_code_cell(str(i), outputs=[display(image_png="A" * 2_500_000)]) for i in range(3)]
    budgeted, _ = shown_cells(notebook(*cells), {})
    assert ["<img" in cell.outputs[0] for cell in budgeted] == [True, True, False]


def test_a_notebook_of_thousands_of_cells_is_cut() -> None:
    cells, more = shown_cells(notebook(*(new_code_cell(f"x = {i}") for i in range(500)), new_code_cell("  ")), {})
    assert (len(cells), more) == (400, 100)


def test_a_cell_that_ran_after_a_hidden_test_has_no_output() -> None:
    cell = new_code_cell("x", outputs=[stream("kept")], metadata={"after_hidden": True})
    (shown,), _ = shown_cells(notebook(cell), {})
    assert shown.outputs == ()
    assert shown.left_out


# Math


@pytest.mark.parametrize(
    ("page", "wanted"),
    [
        ("<p>so $x_1$.</p>", '<math display="inline"><mrow><msub><mi>x</mi><mn>1</mn></msub></mrow></math>.</p>'),
        ("<p>$$\\frac{a}{b}$$</p>", '<math display="block">'),
        ("<p>$a &lt; b$</p>", "<mo>&lt;</mo>"),
        ("<p>\\begin{matrix}1\\end{matrix}</p>", "<mtable>"),
        ("<p>$\\frac{$ left</p>", '<span class="tex">$\\frac{$</span>'),
    ],
)
def test_math_becomes_mathml_or_stays_readable(page: str, wanted: str) -> None:
    assert wanted in typeset(page)


@pytest.mark.parametrize(
    "page",
    [
        "<p>5 $ and 6 $</p>",
        "<p>costs $5 or $6</p>",
        "<code>$x$</code>",
        "<pre>a $x$ <span>$y$</span></pre>",
        '<img alt="$x$" src="data:,">',
        '<a href="https://e.org/$x$">$x$</a>',
        "<p>a &amp; b &#60; c</p>",
    ],
)
def test_what_is_no_math_stays_as_it_is(page: str) -> None:
    assert typeset(page) == page


@pytest.mark.parametrize(
    "tex",
    [
        r"\text{&lt;script&gt;alert(1)&lt;/script&gt;}",
        r"\text{&amp;lt;script&amp;gt;}",
        r"\href{javascript:alert(1)}{x}",
        r"\style{position:fixed}{x}",
        r"\class{score}{x}",
        r"\color{red&quot; onclick=&quot;alert(1)}{x}",
        r"\mathrm{&lt;img src=x onerror=alert(1)&gt;}",
        "{" * 900,
        "x" * 3000,
    ],
)
def test_math_of_a_student_only_draws(tex: str) -> None:
    page = BeautifulSoup(typeset(f"<p>${tex}$</p>"), "html.parser")
    assert not page.find_all(["script", "img", "a"])
    for tag in page.find_all(True):
        assert not {"href", "style", "onclick", "id"} & set(tag.attrs)
        assert tag.get("class", ["tex"]) == ["tex"]


def test_code_in_a_sentence_stands_between_backticks() -> None:
    assert said("use `dim=<1>`, not `0`") == "use <code>dim=&lt;1&gt;</code>, not <code>0</code>"
    assert said("one ` alone <") == "one ` alone &lt;"
