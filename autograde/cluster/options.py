"""The options of the command line that name a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograde.cluster.scheduler import Scheduler
from autograde.errors import CourseError

Address = Annotated[
    str | None,
    typer.Option("--scheduler", metavar="tls://HOST:PORT", help="Grade on this Dask cluster; see docs/cluster.md."),
]
_Pem = typer.Option(
    metavar="PEM", dir_okay=False, help="The cluster's authority; else the one Dask is configured with."
)
Authority = Annotated[Path | None, _Pem]
Certificate = Annotated[Path | None, typer.Option(metavar="PEM", dir_okay=False, help="Your certificate; likewise.")]
Key = Annotated[Path | None, typer.Option(metavar="PEM", dir_okay=False, help="Your key; only you may read it.")]


def chosen(
    address: str | None, ca: Path | None, cert: Path | None, key: Path | None, workers: int | None
) -> Scheduler | None:
    """The scheduler that the options name, None for this machine.

    Raises:
        CourseError: options that do not go together, or see `Scheduler.of`.
    """
    if address is None:
        if ca or cert or key:
            raise CourseError("Certificates are for a cluster: also give --scheduler tls://HOST:PORT.")
        return None
    if workers is not None:
        raise CourseError("--workers is for this machine. How many a cluster grades side by side, its workers decide.")
    return Scheduler.of(address, ca, cert, key)
