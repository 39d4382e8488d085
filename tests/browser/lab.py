"""A JupyterLab server of our own, and a notebook in it as a student handles it: with eyes, mouse and keyboard."""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import psutil
from playwright.sync_api import Locator, Page, expect

#: Seconds for anything that a busy machine may be slow at.
PATIENCE = 120
#: Whether an element is in the window, after scrolling there.
SEEN = """where => {
    const element = document.querySelector(where);
    element?.scrollIntoView({block: "nearest"});
    const box = element?.getBoundingClientRect();
    return box && box.bottom > 0 && box.top < window.innerHeight;
}"""


class Server:
    """JupyterLab on a free loopback port, in a course folder; a context manager that leaves no process behind."""

    def __init__(self, course: Path, folder: Path) -> None:
        self._course, self._folder = course, folder
        self._token = secrets.token_hex(16)
        self._log = folder / "server.log"

    def __enter__(self) -> Server:
        self._ask_nothing()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        command = [
            *("setpriv", "--pdeathsig", "TERM"),  # should the tests be killed, it goes, too
            *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1"),
            *(f"--ServerApp.port={self._port}", "--ServerApp.port_retries=0"),
            *(f"--IdentityProvider.token={self._token}", f"--ServerApp.root_dir={self._course}"),
        ]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                command, cwd=self._course, env=self._environment(), stdout=log, stderr=log, start_new_session=True
            )
        try:
            self._wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Ask the server to leave; then end what is left of it and of everything that it started."""
        started = [] if self._process.poll() is not None else psutil.Process(self._process.pid).children(recursive=True)
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for process in started:
            if process.is_running():
                process.kill()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self._port}/{path}?token={self._token}"

    def _ask_nothing(self) -> None:
        """No question about news in front of the notebook."""
        path = self._folder / "config/lab/user-settings/@jupyterlab/apputils-extension/notification.jupyterlab-settings"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"fetchNews": "false", "checkForUpdates": False}))

    def _environment(self) -> dict[str, str]:
        """Settings of whoever runs the tests change nothing, and what they have is not changed."""
        folders = {"CONFIG": "config", "DATA": "data", "RUNTIME": "runtime"}
        own = {f"JUPYTER_{name}_DIR": str(self._folder / folder) for name, folder in folders.items()}
        return {**os.environ, **own, "IPYTHONDIR": str(self._folder / "ipython")}

    def _wait(self) -> None:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self._process.poll() is None:
            try:
                with urllib.request.urlopen(self.url("api/status"), timeout=5):
                    return
            except OSError:
                time.sleep(0.2)
        raise AssertionError(f"JupyterLab does not answer. Its last words:\n{self._log.read_text()[-3000:]}")


class Notebook:
    """A notebook open in JupyterLab. A cell is named by its place in the file, which is its place on the page."""

    def __init__(self, page: Page, server: Server, path: str) -> None:
        self._page = page
        page.goto(server.url(f"lab/tree/{path}") + "&reset")
        self.panel = page.locator(".jp-NotebookPanel")
        expect(self.panel).to_have_count(1)
        self._rest()

    def _rest(self) -> None:
        """Wait until there is a kernel, and it has nothing left to do or to say."""
        expect(self._page.locator("#jp-main-statusbar")).to_contain_text("Python 3 (ipykernel) | Idle")

    def cell(self, place: int) -> Locator:
        """A cell, scrolled to where it can be seen; again should JupyterLab put another element in its place."""
        where = f".jp-NotebookPanel .jp-Cell[data-windowed-list-index='{place}']"
        self._page.wait_for_function(SEEN, arg=where)
        return self._page.locator(where)

    def source(self, place: int) -> str:
        return "\n".join(self.cell(place).locator(".cm-line").all_text_contents())

    def outputs(self, place: int) -> Locator:
        return self.cell(place).locator(".jp-OutputArea-output")

    def run(self, place: int) -> str:
        """Run a cell with Shift+Enter, wait until it is done, and return the text that it shows."""
        prompt = self.cell(place).locator(".jp-InputPrompt")
        before = prompt.inner_text()
        self.cell(place).locator(".cm-content").click()
        self._page.keyboard.press("Shift+Enter")
        expect(prompt).not_to_have_text(before)
        expect(prompt).to_have_text(re.compile(r"\[\d+\]:"))
        self._rest()
        return "\n".join(self.outputs(place).all_inner_texts())

    def type_over(self, place: int, lines: int, text: list[str]) -> None:
        """Select the last `lines` lines of a cell, but for the first one's indentation, and type others in their place.

        As a student does: Enter after each line, and the editor indents the next.
        """
        keyboard = self._page.keyboard
        self.cell(place).locator(".cm-content").click()
        keyboard.press("Control+End")
        for _ in range(lines - 1):
            keyboard.press("Shift+ArrowUp")
        keyboard.press("Shift+Home")
        for number, line in enumerate(text):
            if number:
                keyboard.press("Enter")
            keyboard.type(line)
