"""Who may speak to a cluster, and what travels there."""

from __future__ import annotations

import os
import socket
import ssl
import zlib
from collections.abc import Iterator
from pathlib import Path

import dask.config
import pytest
from dask_cluster import DaskCluster, dask_cluster, make_certificates
from distributed import Client
from typer.testing import CliRunner

from autograde.bank import bank
from autograde.cli import app
from autograde.cluster import client, scheduler
from autograde.cluster.client import Cluster
from autograde.cluster.parcel import pack_job, pack_lesson, unpack_job, unpack_lesson
from autograde.cluster.runner import runner_of
from autograde.cluster.scheduler import Scheduler
from autograde.errors import CourseError
from autograde.lesson import Lesson
from autograde.limits import Limits
from autograde.run import capacity
from autograde.run.capacity import free_memory
from autograde.run.pool import Job

ADDRESS = "tls://127.0.0.1:8786"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def cluster(certificates: Path) -> Iterator[DaskCluster]:
    """A scheduler that has no worker yet."""
    with dask_cluster(certificates) as cluster:
        yield cluster


def files(certificates: Path) -> tuple[Path, Path, Path]:
    return certificates / "ca.pem", certificates / "client.pem", certificates / "client.key"


@pytest.mark.parametrize("scheme", ["tcp://", "", "ws://"])
def test_without_tls_nothing_is_sent(certificates: Path, scheme: str) -> None:
    ca, cert, key = files(certificates)
    with socket.socket() as there:
        there.bind(("127.0.0.1", 0))
        there.listen()
        there.settimeout(0.5)
        words = ["--scheduler", f"{scheme}127.0.0.1:{there.getsockname()[1]}"]
        words += ["--tls-ca", str(ca), "--tls-cert", str(cert), "--tls-key", str(key)]
        done = CliRunner().invoke(app, ["grade", "00_tiny", *words])
        with pytest.raises(TimeoutError):
            there.accept()
    assert isinstance(done.exception, CourseError)
    assert "does not begin with tls://, so nothing was sent" in str(done.exception)


def test_without_certificates_it_says_what_to_give(certificates: Path, tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="give --tls-ca and --tls-cert, or name the files in Dask's configuration"):
        Scheduler.of(ADDRESS)
    with pytest.raises(CourseError, match=r"nowhere\.pem does not exist"):
        Scheduler.of(ADDRESS, tmp_path / "nowhere.pem", *files(certificates)[1:])


def test_dasks_own_configuration_names_certificates_and_options_come_first(certificates: Path, tmp_path: Path) -> None:
    ca, cert, key = files(certificates)
    other = tmp_path / "other.pem"
    other.write_bytes(ca.read_bytes())
    told = {"ca-file": str(ca), "client": {"cert": str(cert), "key": str(key)}}
    with dask.config.set({"distributed.comm.tls": told}):
        assert Scheduler.of(ADDRESS) == Scheduler(ADDRESS, ca, cert, key)
        assert Scheduler.of(ADDRESS, ca=other).ca == other
        # a certificate that is given brings its own key
        both = tmp_path / "both.pem"
        both.write_bytes(cert.read_bytes() + key.read_bytes())
        both.chmod(0o600)
        assert Scheduler.of(ADDRESS, cert=both) == Scheduler(ADDRESS, ca, both, None)


def test_a_key_that_others_can_read_is_refused(
    certificates: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ca, cert, key = files(certificates)
    mine = tmp_path / "mine.key"
    mine.write_bytes(key.read_bytes())
    for mode in (0o640, 0o604):
        mine.chmod(mode)
        with pytest.raises(CourseError, match=f"Other users can read the key {mine}: run `chmod 600 {mine}`"):
            Scheduler.of(ADDRESS, ca, cert, mine)
    mine.chmod(0o600)
    Scheduler.of(ADDRESS, ca, cert, mine)
    monkeypatch.setattr(scheduler, "SEEN_INSIDE", (*scheduler.SEEN_INSIDE, tmp_path))
    with pytest.raises(CourseError, match=r"Sandboxes see the folder in which the key .* lies"):
        Scheduler.of(ADDRESS, ca, cert, mine)


def test_options_that_do_not_go_together(certificates: Path) -> None:
    def said(*words: str) -> str:
        done = CliRunner().invoke(app, ["grade", "00_tiny", *words])
        assert isinstance(done.exception, CourseError)
        return str(done.exception)

    assert "--workers is for this machine" in said("--scheduler", ADDRESS, "--workers", "2")
    assert "also give --scheduler" in said("--tls-ca", "ca.pem")
    with pytest.raises(CourseError, match="leave out --no-sandbox"):
        runner_of(Scheduler.of(ADDRESS, *files(certificates)), None, sandboxed=False, root=Path())


def test_a_client_without_a_certificate_of_the_cluster_is_refused(
    cluster: DaskCluster, certificates: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "CONNECT", 10.0)
    # Somebody with it is let in, and told that nobody works there.
    with pytest.raises(CourseError, match="No worker is connected to tls://"), Cluster(cluster.known()):
        pass
    stranger = cluster.known("client", make_certificates(tmp_path))
    with pytest.raises(CourseError, match=r"There is no connection to tls://.*signed by the same authority"):
        Cluster(stranger).__enter__()
    plain = ssl.create_default_context(cafile=certificates / "ca.pem")
    plain.check_hostname = False
    with (
        socket.create_connection(("127.0.0.1", cluster.port)) as line,
        pytest.raises(ssl.SSLError, match=r"certificate.required"),
        plain.wrap_socket(line) as nobody,
    ):
        assert nobody.recv(1) != b""
    with pytest.raises(OSError, match=r"reset|closed|Timed out"):
        Client(f"tcp://127.0.0.1:{cluster.port}", timeout=2, set_as_default=False)


def test_what_travels_is_all_that_a_run_needs_and_nothing_of_the_course_folder(
    course: Path, lesson: Lesson, tmp_path: Path
) -> None:
    own = tmp_path / "own"
    (own / "deep").mkdir(parents=True)
    (own / "deep" / "table.csv").write_text("1,2")
    targets = ("/home/student/own", "/home/student/table.csv")
    sources = (own, own / "deep" / "table.csv")
    job = Job(
        *("\udcff ada", b"\x00raw", course, "03_qkv", Limits(cell=7.0), {"test_scores": 1 << 62}),
        only=("scores",),
        files=tuple((str(source), target) for source, target in zip(sources, targets, strict=True)),
    )
    packed = pack_lesson(job), pack_job(job)
    for each in packed:
        assert str(course).encode() not in zlib.decompress(each)
    there = tmp_path / "there" / "lesson"
    for _ in range(2):  # a second thread comes later, and changes nothing
        unpack_lesson(packed[0], there)
    assert [path.name for path in there.parent.iterdir()] == ["lesson"]
    assert there.stat().st_mode & 0o077 == 0
    got = unpack_job(packed[1], there)
    same = {**vars(job), "root": there, "answers": str(there / "answers"), "files": got.files}
    assert vars(got) == same
    assert [target for _, target in got.files] == list(targets)
    (folder, _), (file, _) = got.files
    assert Path(folder, "deep", "table.csv").read_text() == Path(file).read_text() == "1,2"
    loaded = Lesson.load(got.root, got.lesson, Path(str(got.answers)))
    assert loaded.notebook == lesson.notebook
    assert [(answer.id, answer.source) for answer in bank(loaded)] == [
        (answer.id, answer.source) for answer in bank(lesson)
    ]


def test_memory_is_what_the_machine_and_its_container_have_left(tmp_path: Path) -> None:
    (tmp_path / "meminfo").write_text("MemTotal: 99 kB\nMemAvailable:  8388608 kB\n")
    assert free_memory(tmp_path, tmp_path) == 8 << 30
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text(f"{3 << 30}\n")
    (tmp_path / "memory.stat").write_text(f"anon 5\ninactive_file {1 << 30}\n")
    assert free_memory(tmp_path, tmp_path) == 8 << 30
    (tmp_path / "memory.max").write_text(f"{6 << 30}\n")
    assert free_memory(tmp_path, tmp_path) == 4 << 30
    assert 0 < free_memory() < 1 << 50


def test_workers_side_by_side_go_by_cores_and_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))
    for free, workers in ((0, 1), (5 << 30, 2), (64 << 30, 16)):
        monkeypatch.setattr(capacity, "free_memory", lambda free=free: free)
        assert capacity.side_by_side() == workers
