"""A liar in the place of our agent: says to the judge's socket whatever it likes, in forms that hypothesis draws."""

from __future__ import annotations

import contextlib
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgpack
import torch
from hypothesis import strategies as st

from course_utils import wire

#: What the honest agent answers to the probe's call, and so what earns the points.
RIGHT = [0.5, 0.5, torch.tensor([1.0, 2.0])]
HONEST = wire.encode(("ok", RIGHT))


@dataclass(frozen=True)
class Lie:
    """What is said in place of the answer number `at` (0 is the one to the probe's definition).

    `after` is what happens then: the line is closed, or kept and nothing more said, or all of it said again and again.
    With a `pause` the bytes come one by one, so many seconds apart.
    """

    at: int
    said: bytes
    after: str = "close"
    pause: float = 0.0

    def __repr__(self) -> str:
        return f"Lie(at={self.at}, said={self.said[:200]!r}[{len(self.said)}], after={self.after}, pause={self.pause})"


def frame(header: bytes, blob: bytes = b"", sizes: tuple[int, int] | None = None) -> bytes:
    """A frame of any header and blob, which may announce other sizes than it has."""
    return struct.pack("<II", *(sizes or (len(header), len(blob)))) + header + blob


def _packed(value: Any) -> bytes:
    return frame(msgpack.packb(value, use_bin_type=True), b"12345678")


@st.composite
def flipped(draw: st.DrawFn) -> bytes:
    """A right answer with some bits the other way round."""
    data = bytearray(HONEST)
    for place in draw(st.lists(st.integers(0, 8 * len(data) - 1), min_size=1, max_size=4, unique=True)):
        data[place // 8] ^= 1 << place % 8
    return bytes(data)


@st.composite
def cut(draw: st.DrawFn) -> bytes:
    return HONEST[: draw(st.integers(0, len(HONEST) - 1))]


@st.composite
def spliced(draw: st.DrawFn) -> bytes:
    """A right answer's header with other bytes put in."""
    header, _ = wire.frame_sizes(HONEST[:8])
    body, blob = HONEST[8 : 8 + header], HONEST[8 + header :]
    at, more = draw(st.integers(0, header)), draw(st.binary(min_size=1, max_size=20))
    return frame(body[:at] + more + body[at + draw(st.integers(0, 8)) :], blob)


#: What msgpack can say and a frame of ours cannot: other tags, twice the same key, keys that are no text, extensions.
LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**63), 2**64 - 1), st.floats(), st.text(max_size=8), st.binary(max_size=8),
    st.builds(msgpack.ExtType, st.integers(0, 127), st.binary(max_size=12)),
    st.builds(msgpack.Timestamp, st.integers(0, 2**40), st.integers(0, 999)),
)  # fmt: skip
TAGS = st.sampled_from(["tensor", "array", "tuple", "dict", "int", "complex", "set", "__class__", "__reduce__"])
NAMES = st.sampled_from([*wire.DTYPES, "object", "os", "float128", "O", "U8", "V8", ">f4", "__builtins__"])
NUMBERS = st.one_of(st.integers(-2, 5), st.sampled_from([2**31, 2**39, 2**40, 2**63, 2**64 - 1, True, 1.0, None]))
SHAPED = st.builds(
    lambda tag, name, shape, size: {tag: [name, shape, size]},
    st.sampled_from(["tensor", "array"]),
    NAMES,
    st.lists(NUMBERS, max_size=5) | NUMBERS,
    NUMBERS,
)
INNER = st.recursive(
    LEAVES | SHAPED,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(TAGS | st.integers(0, 9) | st.text(max_size=4), inner, max_size=3)
        | st.builds(lambda tag, body: {tag: body}, TAGS, inner)
    ),
    max_leaves=10,
)
ANSWERS = st.one_of(
    INNER,
    st.builds(lambda value: {"tuple": ["ok", value]}, INNER),
    st.builds(lambda kinds, text: {"tuple": ["error", kinds, text]}, INNER, INNER),
    st.builds(lambda kinds: {"tuple": ["error", {"tuple": kinds}, "words"]}, st.lists(INNER, max_size=3)),
).map(_packed)

CANARY = "__import__('os').system('touch {canary}')"
#: Single lies that a draw would hardly find.
KNOWN = {
    "nothing": b"",
    "header of 4 GiB": frame(b"", sizes=(2**32 - 1, 2**32 - 1)),
    "header at its limit, then nothing": frame(b"\xc0", sizes=(wire.HEADER_LIMIT, 0)),
    "blob at its limit, then nothing": frame(b"\xc0", sizes=(1, wire.TOTAL_LIMIT)),
    "lists in lists": frame(b"\x91" * 100_000 + b"\xc0"),
    "maps in maps": frame(b"\x81\xa5tuple" * 20_000 + b"\xc0"),
    "tuples 31 deep": frame(b"\x81\xa5tuple\x92\xa2ok" + b"\x81\xa5tuple\x91" * 31 + b"\xc0"),
    "tuples 33 deep": frame(b"\x81\xa5tuple\x92\xa2ok" + b"\x81\xa5tuple\x91" * 33 + b"\xc0"),
    "a list that announces 4 billion": frame(b"\xdd\xff\xff\xff\xff"),
    "a map that announces 4 billion": frame(b"\xdf\xff\xff\xff\xff"),
    "a text that announces 4 GiB": frame(b"\xdb\xff\xff\xff\xff"),
    "the same key twice": frame(b"\x82\xa5tuple\x92\xa2ok\xc0\xa5tuple\x92\xa2ok\xc0"),
    "the same key twice inside": frame(b"\x81\xa5tuple\x92\xa2ok\x81\xa4dict\x92\x92\x01\x02\x92\x01\x03"),
    "a million nothings": frame(b"\x81\xa5tuple\x92\xa2ok\xdd\x00\x0f\x00\x00" + b"\xc0" * 0x0F0000),
    "a text that is none": frame(b"\x81\xa5tuple\x92\xa2ok\xa4\xff\xfe\xed\xa0"),
    "NaN": wire.encode(("ok", [float("nan"), 0.5, torch.tensor([float("nan"), 2.0])])),
    "infinities": wire.encode(("ok", [float("inf"), -float("inf"), torch.tensor([float("inf"), 2.0])])),
    "a giant number": wire.encode(("ok", 2**3000)),
    "a tensor without numbers": wire.encode(("ok", [0.5, 0.5, torch.empty(2, device="meta")])),
    "a tensor of no numbers and 2**39 columns": _packed({"tuple": ["ok", {"tensor": ["float32", [0, 2**39], 0]}]}),
    "a request": wire.encode(("define", "observe", "def observe(x): return 1")),
    "code": wire.encode(("ok", CANARY)),
    "code as an error": wire.encode(("error", (CANARY, "Exception"), CANARY)),
    "a pickle": frame(b"cos\nsystem\n(S'touch {canary}'\ntR."),
    "a pickle in a tensor": _packed({"tuple": ["ok", {"array": ["object", [1], 8]}]}),
    "no classes of an error": wire.encode(("error", (), "")),
    "words without end": wire.encode(("error", ("E" * 100_000,) * 5, "w" * 500_000)),
    "two answers at once, both right": HONEST * 2,
    "an answer and half of another": HONEST + HONEST[:20],
}

SAID = st.one_of(
    st.binary(max_size=300),
    flipped(),
    cut(),
    spliced(),
    ANSWERS,
    st.sampled_from(list(KNOWN)).map(lambda name: KNOWN[name]),
)
LIES = st.builds(
    Lie, at=st.integers(0, 1), said=SAID, after=st.sampled_from(["close", "silence", "again"]),
    pause=st.sampled_from([0.0, 0.0, 0.0, 0.0, 0.03]),
)  # fmt: skip


def earns(lie: Lie) -> bool:
    """Whether the lie is the right answer after all: then it may have the points."""
    try:
        header, blob = wire.frame_sizes(lie.said[:8])
        tag, value = wire.decode(lie.said[: 8 + header + blob])
        return tag == "ok" and (lie.at == 0 or (value[:2] == RIGHT[:2] and torch.equal(value[2], RIGHT[2])))
    except Exception:
        return False


def honest(line: socket.socket) -> None:
    """Answer as our agent does, with the right answer."""
    while request := _request(line):
        line.sendall(wire.encode(("ok", None)) if request[0] == "define" else HONEST)


def lying(lie: Lie) -> Callable[[socket.socket], None]:
    """An agent that answers honestly until its lie."""

    def agent(line: socket.socket) -> None:
        for _ in range(lie.at):
            if not _request(line):
                return
            line.sendall(wire.encode(("ok", None)))
        _request(line)
        while True:
            for piece in [lie.said[at : at + 1] for at in range(len(lie.said))] if lie.pause else [lie.said]:
                line.sendall(piece)
                time.sleep(lie.pause)
            if lie.after != "again" or not lie.said:
                break
        if lie.after == "silence":
            line.recv(1 << 20)  # until the judge hangs up; then once more, to nobody
            line.recv(1 << 20)
            line.sendall(HONEST)

    return agent


def answering(path: Path, agent: Callable[[socket.socket], None]) -> None:
    """Be an agent for one test; the judge may hang up at any time."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as line:
        line.connect(str(path))
        agent(line)


def _request(line: socket.socket) -> Any:
    prefix = line.recv(8, socket.MSG_WAITALL)
    return wire.decode(prefix + line.recv(sum(wire.frame_sizes(prefix)), socket.MSG_WAITALL)) if prefix else None
