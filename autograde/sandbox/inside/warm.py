"""The warm server: imports what every kernel needs once, then forks a kernel for each sandbox that is asked for.

It runs behind bubblewrap like any sandbox, but no code of a student's ever runs in it. It is two processes, because a
fork costs the more the more its parent holds: a porter, who holds nothing, and a nursery, which has imported it all.
A request comes to the porter from a supervisor (`../supervisor.py`) over a socket that only the grader can reach: JSON,
and the descriptors that the kernel gets. Three processes come of it:

    the porter's:  one that leaves the server's namespaces, and ends
                     -> the first of the new pid namespace: it builds the sandbox and asks the nursery for a kernel;
                        when the line to the supervisor closes, it ends, and the operating system ends everything in the
                        namespace with it
    the nursery's: the kernel, born in that pid namespace, which enters the others
"""

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Iterator
from typing import Any

import isolate  # type: ignore[import-not-found]
import launch  # type: ignore[import-not-found]

MODULES = (
    *("torch", "matplotlib.pyplot", "matplotlib.backends.backend_agg"),
    *("IPython.core.pylabtools", "ipywidgets"),
    # what a shell imports when it starts
    *("IPython.core.completerlib", "IPython.core.debugger", "IPython.core.logger", "IPython.core.oinspect"),
    *("IPython.extensions.storemagic", "tornado.platform.asyncio", "faulthandler"),
    *("course_agent", "course_utils.check", "course_utils.data", "course_utils.plots", "course_utils.training"),
    *("course_utils.claims", "course_utils.live", "course_utils.votes", "course_utils.widgets"),
)
#: As dear again as torch itself, and not needed by every lesson: an optimizer imports torch._dynamo. They are imported
#: after so many requests, when nobody waits: a class is at work then.
LATER, AFTER, IDLE = ("torchvision", "torch._dynamo"), 3, 0.5


def preload() -> None:
    """Import, and draw one picture that nobody sees: the first one loads fonts.

    Nothing here may start a thread, draw a random number or choose matplotlib's backend; a child must be as new.
    """
    launch.import_kernel()
    _import(MODULES)
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(layout="constrained")
    axes = figure.subplots()
    axes.set_title("once")
    FigureCanvasAgg(figure).draw()


def _import(names: tuple[str, ...]) -> None:
    before = dict(os.environ)
    for name in names:
        with contextlib.suppress(ImportError):  # then it is imported where it is used, and fails there if it is needed
            importlib.import_module(name)
    os.environ.clear()
    os.environ.update(before)
    if len(os.listdir("/proc/self/task")) > 1:
        raise SystemExit("what was imported has started a thread; a fork would not be sound")
    gc.collect()
    gc.freeze()


def answer(listener: socket.socket, desk: socket.socket) -> None:
    """Be the porter: build a sandbox for each request, until whoever listens at the other end of our standard input is
    gone, or the nursery is, at whose `desk` a sandbox asks for its kernel."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # whoever leaves its namespaces ends at once; nobody waits for it
    while True:
        readable, _, _ = select.select([0, desk.fileno(), listener.fileno()], [], [])
        if desk.fileno() in readable or (0 in readable and not os.read(0, 4096)):
            return
        if listener.fileno() in readable:
            line, _ = listener.accept()
            with line:
                _build(line, desk)


def _build(line: socket.socket, desk: socket.socket) -> None:
    request, descriptors, _, _ = socket.recv_fds(line, 1 << 17, 32)
    if not request:
        return
    if os.fork() == 0:
        with _ending("the warm sandbox was not built"):
            _leave(line, desk, request, descriptors)
    for descriptor in descriptors:
        os.close(descriptor)


@contextlib.contextmanager
def _ending(words: str) -> Iterator[None]:
    """A child never returns into its parent's code."""
    try:
        yield
        os._exit(0)
    except BaseException as error:
        os.write(2, f"{words}: {error!r}\n".encode())
    finally:
        os._exit(1)


def _leave(line: socket.socket, desk: socket.socket, request: bytes, descriptors: list[int]) -> None:
    os.setsid()
    _speak_to(descriptors[-1])
    _close_all_but({0, 1, 2, line.fileno(), desk.fileno(), *descriptors})
    isolate.leave_namespaces()
    if os.fork() == 0:
        _keep(line, desk, request, descriptors)


def _speak_to(said: int) -> None:
    """Hear nothing, and say to the supervisor what is to be said outside of any cell."""
    null = os.open(os.devnull, os.O_RDWR)
    for target, source in ((0, null), (1, said), (2, said)):
        os.dup2(source, target)


def _close_all_but(kept: set[int]) -> None:
    for name in os.listdir("/proc/self/fd"):
        if int(name) not in kept:
            with contextlib.suppress(OSError):
                os.close(int(name))


def _keep(line: socket.socket, desk: socket.socket, request: bytes, descriptors: list[int]) -> None:
    """Be the first process of the sandbox: furnish it, ask for the kernel, wait; never returns. What loses its parent
    in the sandbox becomes our child, and is gone when it ends: nobody waits for that either."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    isolate.furnish(json.loads(request))
    if not _met(line):
        os._exit(0)
    isolate.hide_group()
    socket.send_fds(desk, [request], [line.fileno(), *descriptors, *isolate.namespaces()])
    _close_all_but({0, 1, 2, line.fileno()})
    isolate.hide()
    isolate.drop_capabilities()
    hung_up = select.poll()
    hung_up.register(line, 0)  # what is said on it, is said to the kernel
    hung_up.poll()
    os._exit(0)


def _met(line: socket.socket) -> bool:
    """Show this process to the supervisor: the operating system tells it the pid of whoever says this. It puts us into
    a control group and answers, or is gone."""
    line.send(b"here")
    return bool(line.recv(16))


def nurse(desk: socket.socket) -> None:
    """Be the nursery: fork a kernel for each sandbox that asks, until the porter is gone."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    answered = 0
    later: tuple[str, ...] = LATER
    while True:
        due = later and answered >= AFTER
        if not select.select([desk.fileno()], [], [], IDLE if due else None)[0]:
            _import(later)
            later = ()
            continue
        request, descriptors, _, _ = socket.recv_fds(desk, 1 << 17, 32)
        if not request:
            return
        try:
            _bear(request, descriptors)
        except OSError as error:  # the sandbox is gone meanwhile
            os.write(2, f"no kernel was born: {error}\n".encode())
        for descriptor in descriptors:
            os.close(descriptor)
        answered += 1


def _bear(request: bytes, descriptors: list[int]) -> None:
    spec = json.loads(request)
    count = len(spec["ports"])
    line, listeners, said = descriptors[0], descriptors[1 : 1 + count], descriptors[1 + count]
    pids, *others = descriptors[2 + count :]
    if isolate.fork_into(pids) == 0:
        with _ending("the kernel did not start"):
            os.setsid()
            _speak_to(said)
            _close_all_but({0, 1, 2, line, *listeners, *others})
            isolate.enter(others)
            with socket.socket(fileno=line) as supervisor:
                if not _met(supervisor):
                    return
            isolate.hide_group()
            _run(spec, listeners)


def _run(spec: dict[str, Any], listeners: list[int]) -> None:
    """Be the student's kernel: limits and privileges first, as in a sandbox that starts cold."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    isolate.become_ordinary(spec["uid"])
    launch.limit(spec["rlimits"])
    isolate.filter_calls(spec["filter"])
    os.chdir(spec["here"])
    os.environ.update(spec["environment"])
    _choose_backend()
    _forget_random_state()
    launch.become_kernel(dict(zip(spec["ports"], listeners, strict=True)), spec["connection_file"])


def _choose_backend() -> None:
    """As after a fresh import of matplotlib: the notebook's backend is loaded with the first figure."""
    import matplotlib

    inline = "module://matplotlib_inline.backend_inline"
    matplotlib.rcParams["backend"] = os.environ.get("MPLBACKEND", inline)


def _forget_random_state() -> None:
    """Python's own generator is another in every fork; numpy's and torch's would be the same in all of them."""
    import numpy
    import torch

    numpy.random.seed()
    torch.seed()


if __name__ == "__main__":
    spec = json.loads(sys.argv[1])
    porters, nursery = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listening = socket.socket(fileno=spec["listener"])
    if os.fork() == 0:
        porters.close()
        listening.close()
        launch.arrange_path(spec["here"], spec["library"])
        preload()
        nurse(nursery)
    else:
        nursery.close()
        answer(listening, porters)
