"""Packed things as what is in them, so that they can be searched: zip files, and long words that hold packed text."""

from __future__ import annotations

import base64
import binascii
import bz2
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator

#: Files that are not looked into, by how they begin.
CLOSED = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"7z\xbc\xaf": "7z", b"\x28\xb5\x2f\xfd": "zstd"}
#: Unpacked bytes of one file, at most.
MOST = 256 * 2**20
#: Base64 in either alphabet, behind nothing or behind a line's end as JSON writes it.
WORD = re.compile(rb"(?:\\n)?([A-Za-z0-9+/_-]{40,}={0,2})")
UNPACKERS: tuple[Callable[[bytes], bytes], ...] = (
    lambda data: bz2.BZ2Decompressor().decompress(data, MOST),
    lambda data: zlib.decompressobj(wbits=47).decompress(data, MOST),  # 47: zlib and gzip
    lambda data: lzma.LZMADecompressor().decompress(data, MOST),
)


def unpack(path: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """A file and all that is packed in it, with paths like `data.npz/x.npy`.

    In notebooks, JSON and Python each long word that is base64 is decoded, and decompressed if it can be: it becomes
    `x.ipynb/word-1.json`. (A live notebook carries its finished code so.)

    Raises:
        ValueError: it is packed in a way that this does not look into.
    """
    yield path, data
    for start, kind in CLOSED.items():
        if data.startswith(start):
            raise ValueError(f"this is a {kind} file.")
    if data[257:262] == b"ustar":
        raise ValueError("this is a tar file.")
    if zipfile.is_zipfile(io.BytesIO(data)):
        yield from _members(path, data)
    elif path.endswith((".ipynb", ".json", ".py", ".txt", ".csv", ".md")):
        for number, word in enumerate(WORD.findall(data), 1):
            for inside in _decoded(word):
                name = f"{path}/word-{number}.json"
                yield from _members(name, inside) if zipfile.is_zipfile(io.BytesIO(inside)) else [(name, inside)]


def _members(path: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(member.file_size for member in archive.infolist()) > MOST:
                raise ValueError("this zip is too large.")
            for member in archive.infolist():
                yield from unpack(f"{path}/{member.filename}", archive.read(member))
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, zlib.error) as error:
        raise ValueError(f"this zip cannot be read ({error}).") from error


def _decoded(word: bytes) -> Iterator[bytes]:
    """What a base64 word holds, decompressed if it is compressed; nothing if it is no base64."""
    try:
        inside = base64.b64decode(word.replace(b"-", b"+").replace(b"_", b"/").rstrip(b"=") + b"==")
    except binascii.Error:
        return
    yield inside
    for decompress in UNPACKERS:
        try:
            yield decompress(inside)
        except (OSError, EOFError, zlib.error, lzma.LZMAError):
            continue
