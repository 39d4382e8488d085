"""Several files as one: the same files give the same bytes."""

from __future__ import annotations

import tarfile
from collections.abc import Mapping
from io import BytesIO


def pack(files: Mapping[str, bytes]) -> bytes:
    """A tar archive of `files`, in the order of their names, as if all were written at the same moment by nobody."""
    packed = BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in sorted(files):
            member = tarfile.TarInfo(name)
            member.size = len(files[name])
            archive.addfile(member, BytesIO(files[name]))
    return packed.getvalue()


def unpack(packed: bytes) -> dict[str, bytes]:
    """The files of an archive that `pack` made."""
    with tarfile.open(fileobj=BytesIO(packed)) as archive:
        members = [(member.name, archive.extractfile(member)) for member in archive]
        return {name: stream.read() for name, stream in members if stream is not None}


def below(folder: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files whose names begin with `folder`, without it."""
    start = f"{folder}/"
    return {name.removeprefix(start): data for name, data in files.items() if name.startswith(start)}
