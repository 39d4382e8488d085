"""One browser and one JupyterLab for all tests of this folder, a page of its own for each of them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from browser.lab import PATIENCE, Server

# Nothing but the page's own server is to be reached; as root, in a container, Chromium starts only without its sandbox.
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        pytest.fail("There is no browser to drive. Install one: sudo apt-get install chromium fonts-dejavu-core")
    expect.set_options(timeout=PATIENCE * 1000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS.split())
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def classroom(course: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course folder that only the tests of this folder write to."""
    root = tmp_path_factory.mktemp("classroom") / "course"
    shutil.copytree(course, root)
    return root


@pytest.fixture(scope="session")
def server(classroom: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(classroom, tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    """A fresh browser window; what it showed last lies in the test's temporary folder."""
    page = browser.new_page(viewport={"width": 1300, "height": 1000})
    page.set_default_timeout(PATIENCE * 1000)
    yield page
    page.screenshot(path=tmp_path / "last.png")
    page.close()
