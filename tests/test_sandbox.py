"""The sandbox, wall by wall: each limit and each trap that we know of, however the sandbox starts."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import REPO, run_async
from nbclient import NotebookClient

from autograde.limits import Limits
from autograde.sandbox.provisioner import SandboxOptions
from autograde.sandbox.warm import WarmServer

pytestmark = pytest.mark.sandbox


#: The line of the warm server that the tests use, None where they start cold.
line: Path | None = None


@pytest.fixture(scope="module", params=["cold", "warm"], autouse=True)
def start(request: pytest.FixtureRequest) -> Iterator[str]:
    """Every wall stands twice."""
    global line
    server = WarmServer(hidden=(REPO,)) if request.param == "warm" else None
    line = server.line if server else None
    yield request.param
    line = None
    if server is not None:
        assert server.alive, server.said.read_text()
        server.close()


def options(**limits: Any) -> SandboxOptions:
    return SandboxOptions(Limits(**limits), hidden=(REPO,), warm=line)


def inside(*cells: str, timeout: int = 60) -> list[str]:
    """Run cells in one sandboxed kernel under stock nbclient; returns what each printed."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = NotebookClient(notebook, kernel_name="course-sandbox", timeout=timeout, allow_errors=True)
    client.execute(sandbox=options())
    return ["".join(output.get("text", "") for output in cell.outputs) for cell in notebook.cells]


def tried(statement: str) -> str:
    """Code that prints `done` when the statement works, else the error's name."""
    return f"try:\n    {statement}\n    print('done')\nexcept BaseException as error:\n    print(type(error).__name__)"


@pytest.fixture(scope="module")
def seen(start: str) -> dict[str, str]:
    """One kernel that looks around, so that many tests share one start."""
    looks = {
        "status": "print(open('/proc/self/status').read())",
        "environment": "import os; print(dict(os.environ))",
        "pids": "import os; print([p for p in os.listdir('/proc') if p.isdigit()])",
        "interfaces": "print(open('/proc/net/dev').read())",
        "home": "import os; print(os.getcwd(), os.listdir('/home'), os.path.expanduser('~'))",
        "repo": f"import os; print(sorted(os.listdir({str(REPO)!r})) if os.path.exists({str(REPO)!r}) else [])",
        "etc": "import os; print(os.listdir('/etc'))",
        "io": "import os; print(os.listdir('/run/course/io'))",
        "grader": "import importlib.util as u; print(u.find_spec('autograde'))",
        "limits": "from resource import *; print(getrlimit(RLIMIT_NPROC), getrlimit(RLIMIT_NOFILE))",
        "raise limit": tried("import resource; resource.setrlimit(resource.RLIMIT_NPROC, (5000, 5000))"),
        "namespace": "import ctypes; print(ctypes.CDLL(None, use_errno=True).unshare(0x10000000))",
        "memfd": tried("import os; os.memfd_create('x')"),
        "socket": tried("import socket; socket.create_connection(('127.0.0.1', 22), 1)"),
        "lookup": tried("import socket; socket.getaddrinfo('example.org', 80)"),
        "root": tried("open('/x', 'w')"),
        "dev": tried("open('/dev/x', 'w')"),
        "usr": tried("open('/usr/x', 'w')"),
        "prefix": tried(f"open({sys.prefix + '/x'!r}, 'w')"),
        "io write": tried("open('/run/course/io/x', 'w')"),
        "own folder": tried("open('x', 'w').write('fine')"),
        "path": "import sys; print(sys.path)",
        "threads": "import torch; print(torch.get_num_threads())",
    }
    texts = inside(*looks.values())
    return dict(zip(looks, texts, strict=True))


def test_code_runs_as_an_ordinary_user_without_capabilities(seen: dict[str, str]) -> None:
    status = dict(line.split(":\t", 1) for line in seen["status"].splitlines() if ":\t" in line)
    assert set(status["Uid"].split()) != {"0"}
    assert int(status["CapEff"], 16) == int(status["CapPrm"], 16) == int(status["CapAmb"], 16) == 0
    assert status["NoNewPrivs"] == "1"
    assert status["Seccomp"] == "2"


def test_nothing_of_the_environment_comes_in(seen: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_TOKEN", "swordfish")
    text = inside("import os; print(dict(os.environ))")[0]
    assert "swordfish" not in text
    assert "GRADER_TOKEN" not in text


def test_a_world_of_its_own(seen: dict[str, str]) -> None:
    assert len(eval(seen["pids"])) <= 3
    interfaces = [line.split(":")[0].strip() for line in seen["interfaces"].strip().splitlines()[2:]]
    assert interfaces == ["lo"]
    assert seen["home"].strip() == "/home/student ['student'] /home/student"


def test_it_sees_the_course_module_and_nothing_else_of_the_repository(seen: dict[str, str]) -> None:
    assert set(eval(seen["repo"])) <= {".venv"}
    assert seen["grader"].strip() == "None"
    assert not {"passwd", "shadow", "hosts"} & set(eval(seen["etc"]))


@pytest.mark.parametrize("what", ["root", "dev", "usr", "prefix", "io write"])
def test_only_its_own_folder_is_writable(seen: dict[str, str], what: str) -> None:
    assert seen[what].strip() in ("OSError", "PermissionError", "FileNotFoundError")
    assert seen["own folder"].strip() == "done"


@pytest.mark.parametrize("what", ["socket", "lookup", "memfd", "raise limit"])
def test_what_must_fail_fails(seen: dict[str, str], what: str) -> None:
    assert seen[what].strip() in ("ConnectionRefusedError", "OSError", "gaierror", "PermissionError", "ValueError")


def test_no_new_namespaces(seen: dict[str, str]) -> None:
    assert seen["namespace"].strip() == "-1"


def test_limits_hold_for_root_too(seen: dict[str, str]) -> None:
    limits = Limits()
    assert seen["limits"].strip() == f"({limits.processes}, {limits.processes}) ({limits.files}, {limits.files})"


def test_the_working_folder_is_imported_from_last(seen: dict[str, str]) -> None:
    assert eval(seen["path"])[-2:] == ["/home/student", ""]
    assert "/home/student" not in eval(seen["path"])[:-2]


def test_one_thread(seen: dict[str, str]) -> None:
    assert seen["threads"].strip() == "1"


def test_processes_are_limited() -> None:
    code = """
import subprocess
children = []
try:
    for _ in range(500):
        children.append(subprocess.Popen(['sleep', '60']))
except OSError as error:
    print('stopped', len(children) < 130)
for child in children: child.kill()
for child in children: child.wait()
"""
    assert inside(code)[0].strip() == "stopped True"


def test_threads_are_limited() -> None:
    code = """
import threading, time
halt = threading.Event()
try:
    for _ in range(5000): threading.Thread(target=halt.wait).start()
except RuntimeError:
    print('stopped', threading.active_count() < 130)
halt.set()
"""
    assert inside(code)[0].strip() == "stopped True"


def test_files_fill_only_their_own_small_disk() -> None:
    code = """
import os
for place in ('.', '/tmp', '/dev/shm'):
    total = 0
    try:
        for number in range(40):
            with open(f'{place}/{number}', 'wb') as file: total += file.write(bytes(32 << 20))
    except OSError as error:
        print(error.errno, total <= 256 << 20)
    for number in range(40):
        if os.path.exists(f'{place}/{number}'): os.remove(f'{place}/{number}')
"""
    assert inside(code)[0].split() == ["28", "True"] * 3


def test_many_empty_files_end_the_sandbox() -> None:
    code = "for number in range(1_000_000): open(f'{number}', 'w').close()"
    assert _watched(code, entries=5_000) == "files"


def test_one_huge_allocation_is_a_memory_error() -> None:
    assert inside(tried("bytearray(40 << 30)"))[0].strip() == "MemoryError"


def _watched(code: str, **limits: Any) -> str:
    """The supervisor's report after code that breaks a limit."""
    from autograde.run.kernel import StudentKernel

    async def run() -> str:
        kernel = StudentKernel(options(**limits))
        await kernel.start()
        assert kernel.warm == (line is not None)
        ran = await kernel.execute(code, 30, [])
        await kernel.kill()
        return ran.ending

    return run_async(run())


def test_memory_growth_ends_the_sandbox() -> None:
    code = "blocks = []\nwhile True: blocks.append(bytearray(b'x' * (8 << 20)))"
    assert _watched(code, memory=512 << 20) == "memory"


def test_memory_of_many_small_processes_counts_together() -> None:
    code = """
import os, time
for _ in range(8):
    if os.fork() == 0:
        block = bytearray(b'x' * (100 << 20)); time.sleep(60)
time.sleep(60)
"""
    assert _watched(code, memory=512 << 20) == "memory"


def test_everything_is_dead_afterwards() -> None:
    marker = f"survivor{os.getpid()}"
    code = f"""
import os, subprocess
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execvp('sleep', ['sleep', '300'])
    os._exit(0)
subprocess.Popen(['python3', '-c', 'import time; time.sleep(300)', '{marker}'], start_new_session=True)
print('started')
"""
    assert inside(code)[0].strip() == "started"
    time.sleep(0.5)
    lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not [line for line in lines if marker.encode() in line]


def test_a_timeout_interrupts_the_cell_and_keeps_the_state() -> None:
    from autograde.run.kernel import StudentKernel

    async def run() -> tuple[str, bool, list[Any]]:
        kernel = StudentKernel(options())
        await kernel.start()
        await kernel.execute("kept = 41", 10, [])
        ran = await kernel.execute("while True: pass", 1.0, [])
        outputs: list[Any] = []
        await kernel.execute("print(kept + 1)", 10, outputs)
        await kernel.kill()
        return ran.ending, ran.alive, outputs

    ending, alive, outputs = run_async(run())
    assert (ending, alive) == ("timeout", True)
    assert outputs[0].text == "42\n"


def test_the_sandbox_dies_with_its_owner() -> None:
    script = """
import asyncio, os, pathlib, sys
from autograde.run.kernel import StudentKernel
from autograde.sandbox.provisioner import SandboxOptions
async def main():
    warm = pathlib.Path(sys.argv[1]) if sys.argv[1] else None
    kernel = StudentKernel(SandboxOptions(warm=warm))
    await kernel.start()
    print(kernel._manager.provisioner.pid, flush=True)
    os.kill(os.getpid(), 9)
asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", script, str(line or "")], capture_output=True, text=True, check=False)
    supervisor = Path("/proc") / done.stdout.strip() / "cmdline"
    deadline = time.monotonic() + 5
    while supervisor.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not supervisor.exists()


def test_a_launch_from_a_thread_outlives_the_thread() -> None:
    """bubblewrap's --die-with-parent goes by the thread; the supervisor is there so that this does not matter."""
    import threading

    texts: list[str] = []
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("print('alive')")])
    client = NotebookClient(notebook, kernel_name="course-sandbox", timeout=60)

    def start() -> None:
        import asyncio

        asyncio.run(client.async_start_new_kernel())

    client.create_kernel_manager()
    starter = threading.Thread(target=start)
    starter.start()
    starter.join()
    time.sleep(1.0)
    assert client.km.provisioner.process.poll() is None
    client.km.provisioner.process.stdin.close()
    client.km.provisioner.process.wait(10)
    texts.append("ended")
    assert texts == ["ended"]


def test_papermill_gets_the_sandbox_by_its_name(tmp_path: Path) -> None:
    import papermill

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("import os; print(os.getcwd())")])
    nbformat.write(notebook, tmp_path / "in.ipynb")
    papermill.execute_notebook(
        str(tmp_path / "in.ipynb"),
        str(tmp_path / "out.ipynb"),
        kernel_name="course-sandbox",
        progress_bar=False,
        log_output=False,
    )
    done = nbformat.read(tmp_path / "out.ipynb", as_version=4)
    assert done.cells[0].outputs[0].text.strip() == "/home/student"
