"""An hour of live coding in JupyterLab: type, reveal, vote, come late."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import pytest
from conftest import REPO
from live_text import LIVE_NAME, live_course
from playwright.sync_api import Page, expect

from autograde.build import build
from autograde.notebooks import from_text, write
from autograde.rules import read_text
from browser.lab import Notebook, Server

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = live_course(tmp_path_factory.mktemp("live"))
    build(root)
    return root / "notebooks" / "live" / f"{LIVE_NAME}.ipynb"


@pytest.fixture
def places(live: Path) -> dict[str, int]:
    """What a cell begins with -> its place."""
    cells = nbformat.read(live, as_version=4).cells
    return {cell.source.split("(")[0].split("\n")[0]: place for place, cell in enumerate(cells)}


def open_copy(page: Page, server: Server, classroom: Path, live: Path, name: str) -> Notebook:
    """A copy under another name, alone in its folder: nothing but the notebook itself brings the code."""
    (classroom / name).mkdir()
    shutil.copy(live, classroom / name / "renamed.ipynb")
    return Notebook(page, server, f"{name}/renamed.ipynb")


def test_reveal_fills_a_cell_below_and_keeps_what_was_typed(
    page: Page, server: Server, classroom: Path, live: Path, places: dict[str, int], tmp_path: Path
) -> None:
    notebook = open_copy(page, server, classroom, live, "reveal")
    assert "Live cells: mean, largest." in notebook.run(1)
    for place in (2, 3):
        notebook.run(place)
    place = places["# live: mean -> averages"]
    typed = ["", "def mean(rows:", "%reveal mean"]
    notebook.cell(place).locator(".cm-content").click()
    page.keyboard.press("Control+End")
    for line in typed:
        page.keyboard.type(line)
        page.keyboard.press("Enter")
    assert "Our code for mean is in a new cell below" in notebook.run(place)
    assert "def mean(rows:" in notebook.source(place), "what was typed stays"
    assert "total / rows.shape[-1]" in notebook.source(place + 1)
    page.screenshot(path=tmp_path / "revealed.png")
    assert notebook.run(place + 1) == "tensor([1., 4.])"
    claims = notebook.run(place + 2)
    assert "✓ mean of all averages: 2.5, expected 2.5 ± 1e-06 (by hand)" in claims
    expect(notebook.outputs(place + 2).locator("img")).to_be_visible()
    page.screenshot(path=tmp_path / "claim.png")


def test_a_latecomer_catches_up_and_goes_on(
    page: Page, server: Server, classroom: Path, live: Path, places: dict[str, int], tmp_path: Path
) -> None:
    notebook = open_copy(page, server, classroom, live, "late")
    notebook.run(1)
    place = places["# live: largest -> largest"]
    notebook.cell(place).locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.press("Enter")
    page.keyboard.type("%catch_up largest")
    assert "✓ Caught up: 6 cells, up to and including largest" in notebook.run(place)
    expect(notebook.outputs(place).locator("img")).to_have_count(0)
    said = notebook.run(place + 1)
    assert "? largest, measured for hours: expected 7 ± 0, not measured" in said
    page.screenshot(path=tmp_path / "late.png")


def test_votes_are_counted_and_then_answered(
    page: Page, server: Server, classroom: Path, live: Path, places: dict[str, int], tmp_path: Path
) -> None:
    notebook = open_copy(page, server, classroom, live, "vote")
    for place in (1, 2, 3):
        notebook.run(place)
    place = places["# A vote. Run this cell; the answer stands in its code."]
    cell = notebook.cell(place)
    expect(cell.locator(".jp-Placeholder")).to_be_visible()
    expect(cell).not_to_contain_text("It is linear.")
    notebook.run(place - 1)  # Shift+Enter goes on to the vote; a click would unfold it
    page.keyboard.press("Control+Enter")
    button = {name: cell.get_by_role("button", name=name) for name in ("A:", "B:", "Show the answer", "Start again")}
    expect(button["A:"]).to_have_text("A:  0")
    expect(cell.get_by_text("B · it doubles")).to_be_visible()
    for _ in range(2):
        button["B:"].click()
    expect(button["B:"]).to_have_text("B:  2")
    button["A:"].focus()
    page.keyboard.press("Enter")
    expect(button["A:"]).to_have_text("A:  1")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(button["B:"]).to_have_text("B:  3")
    expect(cell.get_by_text("It is linear.")).to_have_count(0)
    page.screenshot(path=tmp_path / "votes.png")
    button["Show the answer"].click()
    expect(cell.get_by_text("It is linear.")).to_be_visible()
    expect(button["A:"]).to_be_disabled()
    page.screenshot(path=tmp_path / "answer.png")
    button["Start again"].click()
    expect(button["A:"]).to_have_text("A:  0")
    expect(cell.get_by_text("It is linear.")).to_have_count(0)


def test_the_start_page_answers_and_its_slider_reaches_the_kernel(
    page: Page, server: Server, classroom: Path, tmp_path: Path
) -> None:
    text = read_text(REPO / "notebooks" / "00_start.py", REPO)
    cells = from_text(text.notebook)
    write(cells, classroom / "00_start.ipynb")
    code = [place for place, cell in enumerate(cells.cells) if cell.cell_type == "code"]
    notebook = Notebook(page, server, "00_start.ipynb")
    notebook.run(code[0])
    said = notebook.run(code[1])
    assert "✓ ipywidgets" in said
    assert "✗" not in said
    page.screenshot(path=tmp_path / "start.png")
    notebook.run(code[2])
    cell = notebook.cell(code[2])
    cell.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    expect(cell.get_by_text("The kernel sees 4.")).to_be_visible()
    for place in range(code[2] + 1, len(cells.cells)):
        notebook.cell(place)
        page.screenshot(path=tmp_path / f"start_{place}.png")
