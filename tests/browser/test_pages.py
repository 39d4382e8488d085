"""The feedback page and the report in a real browser: nothing runs, nothing loads, nothing lies over the score."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from feedback_page import PIXEL, answer, graded, notebook, verdict
from nbformat.v4 import new_output
from playwright.sync_api import Browser, Page

from autograde.feedback import Mark, page
from autograde.lesson import Cell, Lesson
from autograde.report import write_report

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

#: Each way to run a script leaves a variable; each way to load something asks for this address.
AWAY = "http://127.0.0.1:9/seen"
MARKUP = f"""
<script>window.ran_script = 1</script><script src="{AWAY}.js"></script>
<img src=x onerror="window.ran_image = 1"><img src="{AWAY}.png">
<svg onload="window.ran_svg = 1"><script>window.ran_svg_script = 1</script><image href="{AWAY}.svg"/></svg>
<iframe src="{AWAY}.html"></iframe><iframe srcdoc="<script>parent.ran_frame = 1</script>"></iframe>
<base href="{AWAY}/"><meta http-equiv="refresh" content="0; url={AWAY}"><link rel="stylesheet" href="{AWAY}.css">
<style>@import url({AWAY}.css); .score, header {{ display: none }}</style>
<div style="position: fixed; inset: 0; background: white">Score: 11 of 11 points</div>
<p class="score" id="result-test_attention">11 of 11 points</p>
<a href="javascript:window.ran_link = 1">a link</a> <details open ontoggle="window.ran_toggle = 1">x</details>
<video src="{AWAY}.mp4" onerror="window.ran_video = 1"></video><object data="{AWAY}.swf"></object>
<form action="{AWAY}"><input autofocus onfocus="window.ran_focus = 1"></form>
<math><mtext><img src=x onerror="window.ran_math = 1"></mtext></math>
\u202eabc $\\text{{<img src=x onerror="window.ran_tex = 1">}}$ [away](javascript:window.ran_markdown=1)
![away]({AWAY}-markdown.png)
"""
SVG = f"""<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="parent.ran_picture = 1">
<script>parent.ran_picture_script = 1</script><image href="{AWAY}.png" width="9" height="9"/></svg>"""
LONG = "x = '" + "very_long_" * 200 + "'"


def outputs() -> list[Any]:
    def display(**data: str) -> Any:
        return new_output("display_data", data={name.replace("_", "/", 1): value for name, value in data.items()})

    return [
        new_output("stream", name="stdout", text=f"\x1b[31m{MARKUP}\x1b[0m" + "wide " * 3000),
        display(text_html=MARKUP),
        display(text_html="<table><tr>" + "<td>a wide column</td>" * 60 + "</tr></table>"),
        display(text_html="<h1>0 of 0 points</h1>" * 3),
        display(text_markdown=MARKUP),
        display(text_latex=r"$\href{javascript:window.ran_href=1}{x} \rule{99em}{99em}$"),
        new_output("display_data", data={"image/svg+xml": SVG}),
        display(image_png=PIXEL),
        display(application_javascript="window.ran_javascript = 1"),
        new_output("error", ename="Error", evalue=MARKUP, traceback=[MARKUP]),
    ]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A feedback page and a report in which every text that a student controls is hostile."""
    root = tmp_path_factory.mktemp("pages")
    failed = verdict(
        "attention", "failed", message=f"{MARKUP}\n{LONG}\n  likely cause: {MARKUP}", text=MARKUP, figures=(PIXEL,)
    )
    named = verdict("scores", "failed", message=LONG, mistake=MARKUP, detail=MARKUP, flag=True)
    result = graded(named, failed, student=MARKUP[:200])
    cells = notebook(MARKUP, "| a |\n|---|\n" + "| b |" * 80, answer("attention", f"# {MARKUP}\n{LONG}", outputs()))
    feedback = root / "feedback.html"
    feedback.write_text(page(result, {"why": Mark(1, 2, MARKUP, True)}, cells))
    tests = tuple(Cell(at, "test", f"test_{name}", "", 4.0) for at, name in enumerate(("scores", "attention")))
    lesson = Lesson("03_qkv", tests, None, None)  # type: ignore[arg-type]
    return {"feedback": feedback, "report": write_report(root, lesson, [result])}


@pytest.fixture(params=[(390, "dark"), (1280, "light")], ids=["phone", "desktop"])
def window(request: pytest.FixtureRequest, browser: Browser) -> Iterator[tuple[Page, list[str]]]:
    """A browser window and every address that it asks for."""
    width, scheme = request.param
    window = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    asked: list[str] = []
    window.on("request", lambda call: asked.append(call.url))
    window.on("popup", lambda popup: asked.append(popup.url))
    yield window, asked
    window.close()


@pytest.mark.parametrize("kind", ["feedback", "report"])
def test_nothing_runs_nothing_loads_and_nothing_is_too_wide(
    kind: str, window: tuple[Page, list[str]], hostile: dict[str, Path]
) -> None:
    shown, asked = window
    shown.goto(hostile[kind].as_uri())
    for link in shown.get_by_text("a link", exact=True).all():
        link.click(force=True)
    shown.wait_for_timeout(300)
    assert [name for name in shown.evaluate("Object.keys(window)") if name.startswith("ran_")] == []
    assert [address for address in asked if not address.startswith("data:")] == [hostile[kind].as_uri()]
    assert shown.url == hostile[kind].as_uri()
    assert shown.locator("script, iframe, object, video, form, input, base, link").count() == 0
    assert shown.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_score_is_ours_alone_and_lies_on_top(window: tuple[Page, list[str]], hostile: dict[str, Path]) -> None:
    shown, _ = window
    shown.goto(hostile["feedback"].as_uri())
    score = shown.locator(".score")
    assert score.count() == 1
    assert score.inner_text() == "1 of 10 points"
    place = score.bounding_box()
    assert place is not None
    on_top = "([x, y]) => document.elementFromPoint(x, y).closest('.score') !== null"
    assert shown.evaluate(on_top, [place["x"] + 10, place["y"] + place["height"] / 2])
    assert max(sizes(shown, ".student *")) < 20 < max(sizes(shown, ".score"))


def test_even_a_script_that_slipped_through_would_not_run(
    window: tuple[Page, list[str]], hostile: dict[str, Path], tmp_path: Path
) -> None:
    """Were the cleaning to fail one day, the page's policy still holds."""
    shown, asked = window
    refused: dict[str, str | None] = {}
    shown.on("requestfailed", lambda call: refused.update({call.url: call.failure}))
    broken = tmp_path / "broken.html"
    broken.write_text(hostile["feedback"].read_text().replace("</body>", f"{MARKUP.replace('meta', 'i')}</body>"))
    shown.goto(broken.as_uri())
    shown.wait_for_timeout(300)
    assert [name for name in shown.evaluate("Object.keys(window)") if name.startswith("ran_")] == []
    away = {address for address in asked if address.startswith(AWAY)}
    assert away
    assert {refused.get(address) for address in away} == {"csp"}
    assert shown.locator("header .score").is_visible()


def test_text_can_be_read_in_dark_and_light(window: tuple[Page, list[str]], hostile: dict[str, Path]) -> None:
    shown, _ = window
    shown.goto(hostile["feedback"].as_uri())
    ink, paper = shown.evaluate("(s => [s.color, s.backgroundColor])(getComputedStyle(document.body))")
    light, dark = sorted((_brightness(ink), _brightness(paper)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) > 7
    assert min(sizes(shown, "p, li, td, pre, a")) >= 12


def sizes(shown: Page, names: str) -> list[float]:
    """The sizes of letters, in pixels, of all elements that a selector names."""
    script = "names => [...document.querySelectorAll(names)].map(e => parseFloat(getComputedStyle(e).fontSize))"
    return list(shown.evaluate(script, names))


def _brightness(colour: str) -> float:
    """Relative luminance of `rgb(r, g, b)`, after WCAG."""
    parts = [int(part) / 255 for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
