"""The published folder as a student uses it: installed in a fresh environment, from there alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from publish_course import REPO, whole

from autograde.publish import publish

#: Runs in the student's environment: executes a notebook up to its first test cell and prints what each cell shows.
RUN = """
import json, sys, nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
tests = [n for n, cell in enumerate(notebook.cells) if cell.metadata.get("nbgrader", {}).get("grade")]
where = "import course_utils, importlib.util as u; print(course_utils.__file__, u.find_spec('autograde'))"
notebook.cells[tests[0] + 1:] = [nbformat.v4.new_code_cell(where)]
NotebookClient(notebook, allow_errors=True, timeout=300).execute()
print("SHOWN" + json.dumps([cell.outputs for cell in notebook.cells if cell.cell_type == "code"]))
"""


@pytest.fixture(scope="module")
def students(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = whole(tmp_path_factory.mktemp("own"))
    publish(root, root.parent / "students")
    return root.parent / "students"


@pytest.fixture(scope="module")
def python(students: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a new environment with the published package in it.

    What students download (torch, JupyterLab) is taken from this environment, so that the test needs no network. A path
    in a `.pth` file runs no other `.pth` file: the repository, installed here to be edited, is not there.
    """
    venv = tmp_path_factory.mktemp("environment") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    python = venv / "bin" / "python"
    inside = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=students).strip()
    (Path(inside) / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    offline = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check", "--quiet"]
    run(python, "-m", "pip", "install", *offline, "-e", ".", cwd=students)
    return python


def run(python: Path, *words: str, cwd: Path) -> str:
    """Run a Python as a student would, with nothing of this repository or of the tests in its environment."""
    ours = {"PYTHONPATH", "VIRTUAL_ENV", "PYTHONHOME", "JUPYTER_PATH"}
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    environment |= {"PATH": f"{python.parent}:/usr/bin:/bin", "PYTHONWARNINGS": "default"}
    done = subprocess.run([python, *words], cwd=cwd, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_repository_cannot_be_imported(python: Path, tmp_path: Path) -> None:
    code = "import importlib.util as u; print([u.find_spec(name) for name in ('autograde', 'tests', 'publish_course')])"
    assert run(python, "-c", code, cwd=tmp_path).strip() == "[None, None, None]"


def test_the_package_is_the_published_one_with_its_requirements(python: Path, students: Path, tmp_path: Path) -> None:
    code = (
        "import course_utils, importlib.metadata as m; d = m.distribution('course-utils');"
        "print(course_utils.__file__); print(d.version); print(*sorted(d.requires), sep='\\n')"
    )
    where, version, *requires = run(python, "-c", code, cwd=tmp_path).splitlines()
    assert Path(where) == students / "course_utils" / "__init__.py"
    assert version == "0.1.0"
    assert any(line.startswith("torch>=") for line in requires)
    assert [line for line in requires if "nbgrader" in line and "extra ==" not in line] == []


def test_every_module_of_the_package_can_be_imported(python: Path, students: Path, tmp_path: Path) -> None:
    modules = [path.stem for path in sorted((students / "course_utils").glob("[!_]*.py"))]
    code = "".join(f"import course_utils.{module}\n" for module in modules)
    run(python, "-c", code, cwd=tmp_path)


@pytest.mark.parametrize("lesson", sorted(path.stem for path in (REPO / "source").glob("*.py")))
def test_a_homework_opens_and_runs_up_to_its_first_check(lesson: str, python: Path, students: Path) -> None:
    homework = students / "homework" / lesson
    said = run(python, "-c", RUN, f"{lesson}.ipynb", cwd=homework)
    *cells, test, where = json.loads(said.partition("SHOWN")[2])
    assert not [output for outputs in cells for output in outputs if output["output_type"] == "error"]
    assert "Not attempted" in json.dumps(test, ensure_ascii=False)
    assert "".join(output["text"] for output in where).split() == [str(students / "course_utils/__init__.py"), "None"]


def test_an_ordinary_installation_needs_the_folder_no_more(students: Path, python: Path, tmp_path: Path) -> None:
    """`pip install .`: also the data of the package is copied."""
    target = tmp_path / "site"
    offline = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check", "--quiet"]
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in students.rglob("*"):
        name = path.relative_to(students)
        if path.is_file() and name.parts[0] in ("course_utils", "pyproject.toml", "README.md", "LICENSE"):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes(path.read_bytes())
    run(python, "-m", "pip", "install", *offline, "--target", str(target), ".", cwd=copy)
    wanted = {path.name for path in (students / "course_utils").iterdir() if path.is_file()}
    assert {path.name for path in (target / "course_utils").iterdir() if path.is_file()} == wanted
