"""A student's evening in JupyterLab: open the homework, run it, go wrong, get it right, validate."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import FULL, WRITTEN, Grader
from playwright.sync_api import Page, expect

from browser.lab import Notebook, Server

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

RIGHT = ["q = x @ W_q.mT", "k = x @ W_k.mT", "return q @ k.mT"]
STUB = 2  # lines: a comment, raise NotImplementedError()


@pytest.fixture(scope="session")
def places(lesson: Any) -> dict[str, int]:
    """grade_id -> place in the release."""
    ids = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in lesson.release.cells]
    return {name: place for place, name in enumerate(ids) if name}


def test_an_exercise_is_solved_by_typing(page: Page, server: Server, places: dict[str, int], tmp_path: Path) -> None:
    notebook = Notebook(page, server, "release/03_qkv/03_qkv.ipynb")
    expect(notebook.cell(0).get_by_role("heading", name="Queries, keys, values")).to_be_visible()
    assert notebook.run(places["setup"]) == ""
    for place in range(places["setup"] + 1, places["scores"]):
        if "jp-CodeCell" in (notebook.cell(place).get_attribute("class") or ""):
            assert "Error" not in notebook.run(place)
            expect(notebook.outputs(place).locator("img")).to_be_visible()
    card = notebook.cell(places["scores"] - 1)
    expect(card.get_by_role("heading", name="Exercise 1")).to_be_visible()
    expect(card.locator("mjx-container").first).to_be_visible()

    notebook.run(places["scores"])
    assert notebook.run(places["test_scores"]) == "✗ Not attempted: `scores` still says NotImplementedError."

    notebook.type_over(places["scores"], STUB, RIGHT)
    assert notebook.source(places["scores"]).endswith("\n" + "\n".join(f"    {line}" for line in RIGHT))
    assert notebook.run(places["scores"]) == ""
    assert notebook.run(places["test_scores"]).strip() == "✓ All checks of this cell hold."
    expect(notebook.outputs(places["test_scores"]).locator(".ansi-green-fg")).to_be_visible()
    page.screenshot(path=tmp_path / "solved.png")


def test_a_wrong_solution_is_shown_beside_the_right_one(
    page: Page, server: Server, classroom: Path, places: dict[str, int]
) -> None:
    folder = classroom / "wrong"
    shutil.copytree(classroom / "release" / "03_qkv", folder)
    notebook = Notebook(page, server, "wrong/03_qkv.ipynb")
    notebook.run(places["setup"])
    notebook.type_over(places["scores"], STUB, [*RIGHT[:2], "return k @ q.mT"])
    notebook.run(places["scores"])
    said = notebook.run(places["test_scores"])
    for words in ("has wrong values", "expected", "yours", "likely cause: rows and columns are exchanged"):
        assert words in said
    assert "Traceback" not in said
    heat_maps = notebook.outputs(places["test_scores"]).locator("img")
    expect(heat_maps).to_have_count(1)
    assert heat_maps.evaluate("image => image.complete && image.naturalWidth > 400")


@pytest.mark.parametrize("solved", [True, pytest.param(False, marks=pytest.mark.nightly)])
def test_the_validate_button_answers(page: Page, server: Server, classroom: Path, grader: Grader, solved: bool) -> None:
    name = "solved" if solved else "unsolved"
    handed_in = grader.solved() if solved else grader.lesson.release
    for cell in handed_in.cells:
        if solved and cell.metadata.get("nbgrader", {}).get("grade_id") == WRITTEN:
            cell.source = "The query asks."
    nbformat.write(handed_in, classroom / f"{name}.ipynb")
    notebook = Notebook(page, server, f"{name}.ipynb")
    notebook.panel.get_by_role("button", name="Validate").click()
    answer = page.locator("#validation-message")
    expect(answer).to_be_visible()
    if solved:
        expect(answer).to_contain_text("Success! Your notebook passes all the tests.")
        return
    expect(answer.get_by_text("The following cell failed")).to_have_count(len(FULL) + 1)  # and the written answer
    for exercise in FULL:
        expect(answer).to_contain_text(re.compile(f"Not attempted: `{exercise}[.\\w]*` still says"))
