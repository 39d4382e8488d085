"""Where a cluster's scheduler is, and the certificates without which nothing is sent to it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograde.errors import CourseError

DOCS = "docs/cluster.md says how to make them"
#: What every sandbox sees of a machine, besides.
SEEN_INSIDE = (Path("/usr"), Path(sys.prefix), Path(sys.base_prefix))


@dataclass(frozen=True)
class Scheduler:
    """A Dask scheduler behind TLS: its address, the cluster's own authority, and who we are.

    Without `key`, the key stands in the file of the certificate.
    """

    address: str
    ca: Path
    cert: Path
    key: Path | None

    @classmethod
    def of(cls, address: str, ca: Path | None = None, cert: Path | None = None, key: Path | None = None) -> Scheduler:
        """Check an address, and the certificates that are given or that Dask's own configuration names
        (`distributed.comm.tls`).

        Raises:
            CourseError: Dask is not installed, the address is not one of TLS, certificates are missing, or the key is
                where others can read it.
        """
        if not address.startswith("tls://"):
            raise CourseError(
                f"The scheduler's address {address} does not begin with tls://, so nothing was sent. Without "
                "certificates a Dask cluster runs the code of anybody who reaches it, a student too: start its "
                f"scheduler and workers with certificates ({DOCS}), then give --scheduler tls://HOST:PORT."
            )
        if cert is None:
            cert, key = configured("client.cert"), key or configured("client.key")
        found = {"--tls-ca": ca or configured("ca-file"), "--tls-cert": cert}
        missing = [option for option, path in found.items() if path is None]
        if missing:
            raise CourseError(
                f"A cluster takes work only from who has a certificate: give {' and '.join(missing)}, or name the "
                f"files in Dask's configuration, `distributed.comm.tls` ({DOCS})."
            )
        authority, certificate = (path for path in found.values() if path is not None)
        for path in filter(None, (authority, certificate, key)):
            if not path.is_file():
                raise CourseError(f"{path} does not exist, or is no file; {DOCS}.")
        if why := exposed(key or certificate):
            raise CourseError(f"{why} Whoever reads it can run code on the cluster.")
        return cls(address, authority, certificate, key)


def configured(name: str) -> Path | None:
    """A file that Dask's configuration names.

    Raises:
        CourseError: Dask is not installed.
    """
    require()
    import dask.config
    import distributed  # noqa: F401  (brings the defaults)

    path: Any = dask.config.get(f"distributed.comm.tls.{name}", None)
    return Path(path).expanduser() if path else None


def require() -> None:
    """Make sure that Dask is there.

    Raises:
        CourseError: it is not.
    """
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise CourseError('Dask is not installed. Run: pip install -e ".[grade,cluster]"') from error


def exposed(key: Path) -> str:
    """Why a key is not safe where it lies, and what to do; empty if it is."""
    if key.stat().st_mode & 0o077:
        return f"Other users can read the key {key}: run `chmod 600 {key}`."
    if any(key.resolve().is_relative_to(place.resolve()) for place in SEEN_INSIDE):
        return f"Sandboxes see the folder in which the key {key} lies: move it to a folder of its own below your home."
    return ""
