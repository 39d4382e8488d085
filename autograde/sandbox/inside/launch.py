"""First program inside a sandbox that starts cold: sets the limits, drops to an ordinary user, becomes the kernel.

Runs before any code of the student, so what it sets cannot be taken back: hard limits only go down, and a user without
capabilities stays one. The warm server (`warm.py`) uses the same functions.
"""

import json
import os
import resource
import sys
from typing import Any, ClassVar


def limit(rlimits: dict[str, int]) -> None:
    """Hard limits of this process and all that come from it."""
    for name, value in rlimits.items():
        resource.setrlimit(getattr(resource, name), (value, value))


def drop(uid: "int | None") -> None:
    """Leave root for good; RLIMIT_NPROC does not hold for root."""
    if uid is None:
        return
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def arrange_path(here: str, library: str) -> None:
    """The submission's folder comes after everything installed: a torch.py beside the notebook shadows nothing."""
    sys.path[:] = [entry for entry in sys.path if entry not in ("", here)]
    sys.path[1:1] = [library]
    sys.path += [here, ""]


def import_kernel() -> None:
    """Import the kernel without its debugger: nobody can attach one here, and it costs more than the kernel itself."""
    sys.modules["debugpy"] = None  # type: ignore[assignment]
    import ipykernel.debugger
    import ipykernel.ipkernel
    import ipykernel.kernelapp
    import ipykernel.zmqshell  # noqa: F401

    del sys.modules["debugpy"]


def become_kernel(sockets: dict[str, int], connection_file: str) -> None:
    """Serve Jupyter on sockets that the other side opened: the sandbox needs no folder to make them in."""
    import_kernel()
    from ipykernel.kernelapp import IPKernelApp
    from ipykernel.zmqshell import ZMQInteractiveShell
    from traitlets.config import Config
    from zmq.constants import SocketOption

    class Kernel(IPKernelApp):
        def _bind_socket(self, s: Any, port: int) -> int:
            s.setsockopt(SocketOption.USE_FD, sockets[str(port)])
            s.bind(f"ipc://{self.ip}-{port}")
            return port

        def init_heartbeat(self) -> None:
            """Whether the kernel lives is known from its process."""

        def init_poller(self) -> None:
            """The parent is in another pid namespace; the sandbox ends us with it."""

        def write_connection_file(self, **_: object) -> None:
            """The file is not ours to write."""

        def cleanup_connection_file(self) -> None:
            """Nor to remove."""

    def leave(shell: Any) -> None:
        raise SystemExit("exit() and quit() end this cell only")

    # Otherwise the kernel ends a moment later, in the middle of a cell that has nothing to do with it.
    ZMQInteractiveShell.ask_exit = leave

    sys.argv = ["kernel", "-f", connection_file, "--IPKernelApp.ignore_cwd=True", "--HistoryManager.enabled=False"]
    # Figures are drawn once, as they are laid out; to cut off their margins Jupyter would draw each of them twice.
    kernel = Kernel.instance(config=Config({"InlineBackend": {"print_figure_kwargs": {}}}))
    _initialize(kernel)
    kernel.start()


def _initialize(kernel: Any) -> None:
    """Without the list of all modules that a kernel makes for its debugger. Where this process was forked from one that
    had imported them, a look at each copies a page of memory; that would be a quarter of the whole start."""
    import ipykernel.ipkernel

    class Sys:
        modules: ClassVar[dict[str, Any]] = {}

        def __getattr__(self, name: str) -> Any:
            return getattr(sys, name)

    ipykernel.ipkernel.sys = Sys()
    try:
        kernel.initialize()
    finally:
        ipykernel.ipkernel.sys = sys


if __name__ == "__main__":
    spec = json.loads(sys.argv[1])
    limit(spec["rlimits"])
    drop(spec["uid"])
    arrange_path(spec["here"], spec["library"])
    become_kernel(spec["sockets"], spec["connection_file"])
