"""Who starts kernels by name alone gets warm ones: nbclient, papermill, nbgrader."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from typing import Any

import nbformat
import psutil
import pytest
from nbclient import NotebookClient

pytestmark = pytest.mark.sandbox

#: Runs two notebooks as anybody would, and says of each what it printed and whether it was warm.
TWO_NOTEBOOKS = """
import nbformat
from nbclient import NotebookClient

for number in range(2):
    cell = nbformat.v4.new_code_cell("import sys; print('torch' in sys.modules)")
    notebook = nbformat.v4.new_notebook(cells=[cell])
    client = NotebookClient(notebook, kernel_name="course-sandbox", timeout=60)
    client.execute()
    print(notebook.cells[0].outputs[0].text.strip(), flush=True)
print("done", flush=True)
input()
"""


def warm_servers_below(pid: int) -> list[psutil.Process]:
    return [each for each in psutil.Process(pid).children(recursive=True) if "warm.py" in " ".join(each.cmdline())]


def test_two_kernels_come_from_one_server_which_ends_with_its_owner() -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", TWO_NOTEBOOKS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert owner.stdout is not None
    lines = [owner.stdout.readline().strip() for _ in range(3)]
    assert lines == ["True", "True", "done"], "torch is there before the notebook asks for it"
    servers = warm_servers_below(owner.pid)
    assert servers
    assert owner.communicate("\n", timeout=30)
    assert owner.returncode == 0
    gone, alive = psutil.wait_procs(servers, timeout=10)
    assert (len(gone), alive) == (len(servers), [])


def test_in_a_thread_a_kernel_starts_cold() -> None:
    """A server started there would end with the thread."""
    notebook = nbformat.v4.new_notebook(cells=[])
    client = NotebookClient(notebook, kernel_name="course-sandbox", timeout=60)
    found: list[Any] = []

    async def start_and_stop() -> None:
        await client.async_start_new_kernel()
        found.append(client.km.provisioner.warm)
        await client.km.shutdown_kernel(now=True)

    client.create_kernel_manager()
    thread = threading.Thread(target=lambda: asyncio.run(start_and_stop()))
    thread.start()
    thread.join()
    assert found == [False]
