"""The judge's errand boy in the student's kernel: runs probes, sends back plain data.

It shares a process with code that may lie through it. That is why it knows nothing: it gets a probe's source and
arguments, never an expected value, and the judge believes only what it has compared itself.
"""

import contextlib
import socket
from typing import Any

from course_utils import wire


def serve(path: str, namespace: dict) -> None:
    """Answer the judge for one test cell; returns when the judge hangs up."""
    probes: dict = {}
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(path)
        # The judge may hang up in the middle of an answer: it has seen enough, or waited long enough.
        with contextlib.suppress(ConnectionError), line.makefile("rwb") as stream:
            while (request := _receive(stream)) is not None:
                stream.write(_answer(request, probes, namespace))
                stream.flush()


def _receive(stream: Any) -> "tuple | None":
    prefix = stream.read(wire.PREFIX.size)
    if len(prefix) < wire.PREFIX.size:
        return None
    return wire.decode(prefix + stream.read(sum(wire.frame_sizes(prefix))))


def _answer(request: tuple, probes: dict, namespace: dict) -> bytes:
    try:
        if request[0] == "define":
            _, name, source = request
            exec(compile(source, f"<probe {name}>", "exec"), namespace)
            probes[name] = namespace[name]
            return wire.encode(("ok", None))
        _, name, arguments = request
        return wire.encode(("ok", probes[name](*arguments)))
    except BaseException as error:  # SystemExit and KeyboardInterrupt too: all of it is news for the judge
        kinds = tuple(kind.__name__ for kind in type(error).__mro__ if kind not in (object, BaseException))
        return wire.encode(("error", kinds or ("BaseException",), str(error)[:2000]))
