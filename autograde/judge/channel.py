"""The judge's end of the line to the student's kernel: frames with deadlines, nothing believed."""

from __future__ import annotations

import select
import socket
import time
from typing import Any

from course_utils import wire

#: A refusal or an error text longer than this is cut; the student's code wrote it.
TEXT_LIMIT = 2_000


class Silence(BaseException):
    """No answer in time. Not an Exception, so that no test cell can mistake it for the student's error."""


class Gone(BaseException):
    """The student's kernel closed the line."""


class Nonsense(BaseException):
    """The answer was not one that our own agent gives."""


class Channel:
    """One connection, from the agent's entry into a test cell to its leave."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._socket.setblocking(False)

    def close(self) -> None:
        self._socket.close()

    def ask(self, request: Any, seconds: float) -> Any:
        """Send a request, wait for its answer.

        Returns:
            `("ok", value)` or `("error", kinds, message)`.

        Raises:
            Silence, Gone, Nonsense: what an answer may be instead.
        """
        deadline = time.monotonic() + seconds
        self._send(wire.encode(request), deadline)
        try:
            prefix = self._receive(wire.PREFIX.size, deadline)
            header, blob = wire.frame_sizes(prefix)
            frame = prefix + self._receive(header + blob, deadline)
            return _checked(wire.decode(frame))
        except wire.WireError as error:
            raise Nonsense(str(error)) from None
        except MemoryError:
            raise Nonsense("the answer needs more memory than the judge may have") from None

    def _send(self, data: bytes, deadline: float) -> None:
        rest = memoryview(data)
        while rest:
            self._wait(deadline, reading=False)
            try:
                rest = rest[self._socket.send(rest) :]
            except BlockingIOError:
                continue
            except OSError:
                raise Gone from None

    def _receive(self, count: int, deadline: float) -> bytes:
        data = bytearray()
        while len(data) < count:
            self._wait(deadline, reading=True)
            try:
                piece = self._socket.recv(min(count - len(data), 1 << 20))
            except BlockingIOError:
                continue
            except OSError:
                raise Gone from None
            if not piece:
                raise Gone
            data += piece
        return bytes(data)

    def _wait(self, deadline: float, *, reading: bool) -> None:
        left = deadline - time.monotonic()
        sockets = [self._socket]
        ready = left > 0 and any(select.select(sockets if reading else [], [] if reading else sockets, [], left))
        if not ready:
            raise Silence


def _checked(answer: Any) -> Any:
    """An answer as our agent would give it, its texts cut to size."""
    if isinstance(answer, tuple) and len(answer) == 2 and answer[0] == "ok":
        return answer
    if isinstance(answer, tuple) and len(answer) == 3 and answer[0] == "error":
        _, kinds, message = answer
        if (
            isinstance(kinds, tuple)
            and kinds
            and all(isinstance(kind, str) for kind in kinds)
            and isinstance(message, str)
        ):
            return "error", tuple(kind[:100] for kind in kinds[:20]), message[:TEXT_LIMIT]
    raise Nonsense("the answer has another form than an answer has")
