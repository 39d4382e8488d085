"""The start page: it runs, its numbers hold, and what it asks for is what the packages ask for."""

from __future__ import annotations

import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import nbclient
import pytest
from packaging.requirements import Requirement

from autograde.claims import collect
from autograde.notebooks import from_text
from autograde.rules import check_in_class, read_text
from course_utils import machine

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def start() -> Any:
    """The start page after it ran from top to bottom."""
    text = read_text(ROOT / "notebooks" / "00_start.py", ROOT)
    assert check_in_class(text) == []
    notebook = from_text(text.notebook)
    nbclient.NotebookClient(notebook, timeout=120).execute()
    return notebook


def test_every_number_of_the_start_page_holds(start: Any) -> None:
    claims = collect(start)
    assert len(claims) >= 6
    assert [claim.name for claim in claims if claim.ok is not True] == []


def test_the_start_page_says_that_the_machine_works(start: Any) -> None:
    said = "".join(output.get("text", "") for cell in start.cells for output in cell.get("outputs", []))
    assert "✗" not in said
    for name in machine.VERSIONS:
        assert f"✓ {name} {metadata.version(name)}" in said
    widgets = [output for cell in start.cells for output in cell.get("outputs", []) if WIDGET in output.get("data", {})]
    assert len(widgets) == 1


WIDGET = "application/vnd.jupyter.widget-view+json"


def test_the_start_page_names_every_topic_that_the_course_assumes() -> None:
    text = (ROOT / "notebooks" / "00_start.py").read_text()
    for topic in ("Softmax", "Convolution", "GroupNorm", "Residual connection", "SwiGLU", "Adam"):
        assert f"**{topic}**" in text


def test_the_versions_are_those_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = {need.name: str(need.specifier) for need in map(Requirement, project["dependencies"])}
    assert {name: f">={version}" for name, version in machine.VERSIONS.items()} == asked
    assert project["requires-python"] == ">=" + ".".join(map(str, machine.PYTHON))


@pytest.mark.parametrize(
    ("version", "good"),
    [("2.4", True), ("2.14.1+cpu", True), ("2.4.0", True), ("2.3.9", False), ("1.13", False), ("", False)],
)
def test_old_and_missing_packages_are_named(
    version: str, good: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(machine, "_version", lambda name: version if name == "torch" else machine.VERSIONS[name])
    assert machine.check() is good
    said = capsys.readouterr().out
    assert ('pip install --upgrade "torch>=2.4"' in said) is not good
    assert f"✗ torch {version or 'is missing'}" in said or good


def test_an_old_python_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(machine, "PYTHON", (99, 0))
    assert not machine.check()
    assert "install 99.0 or newer" in capsys.readouterr().out


def test_the_slider_goes_to_the_kernel_and_back() -> None:
    dial, answer = machine.slider().children
    dial.value = 7
    assert answer.value == "The kernel sees 7."
