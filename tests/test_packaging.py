"""The repository around the code: requirements, entry points, documents that tell the truth, sizes, leftovers."""

import ast
import importlib
import importlib.metadata
import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from jupyter_client.kernelspec import KernelSpecManager
from packaging.requirements import Requirement

from autograde.build import build
from autograde.cli import app
from autograde.lesson import Lesson
from course_utils import check

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "architecture.md")
#: Written by students, or as students would: they are what they are.
FOREIGN = ("tests/submissions/", "tests/attacks/", "autograde/answers/")
MODULES = sorted(
    path
    for folder in ("autograde", "course_utils")
    for path in (ROOT / folder).rglob("*.py")
    if not path.is_relative_to(ROOT / "autograde" / "answers")
)


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def ranges(lines: list[str]) -> dict[str, str]:
    requirements = [Requirement(line) for line in lines]
    return {requirement.name.lower().replace("_", "-"): str(requirement.specifier) for requirement in requirements}


# Requirements


def test_environment_file_asks_for_what_pyproject_asks_for():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    *conda, pip = environment["dependencies"]
    assert pip["pip"].pop() == "-e ."
    extras = PROJECT["optional-dependencies"]
    assert ranges(pip["pip"]) == ranges(PROJECT["dependencies"] + extras["digits"] + extras["photos"] + extras["grade"])
    assert ranges(conda) == {"python": PROJECT["requires-python"], "pip": ""}
    assert environment["name"] == PROJECT["name"]


def test_every_import_of_the_packages_is_declared():
    extras = PROJECT["optional-dependencies"]
    declared = ranges(PROJECT["dependencies"] + extras["grade"] + extras["cluster"]).keys()
    providers = importlib.metadata.packages_distributions()
    undeclared = set()
    for path in MODULES:
        # what runs inside the sandbox, or watches it, has no packages of ours, only its neighbours
        alone = path.parent.name == "inside" or path.name == "supervisor.py"
        beside = {each.stem for each in path.parent.glob("*.py")} if alone else set()
        ours = sys.stdlib_module_names | {"autograde", "course_utils"} | beside
        for module in imported(ast.parse(path.read_text())) - ours:
            distributions = {each.lower().replace("_", "-") for each in providers.get(module, [module])}
            if not distributions & declared:
                undeclared.add(f"{name(path)}: {module}")
    assert undeclared == set()


def imported(tree: ast.AST) -> set[str]:
    """The top-level names of all modules that a file imports, wherever it does."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def test_course_utils_imports_nothing_of_the_grader():
    for path in (ROOT / "course_utils").glob("*.py"):
        assert imported(ast.parse(path.read_text())) & {"autograde", "nbgrader"} == set(), name(path)


# Installation


def test_entry_points_resolve():
    points = importlib.metadata.distribution(PROJECT["name"]).entry_points
    assert {point.name for point in points} == {"autograde", "course-sandbox", "course"}
    assert all(callable(point.load()) for point in points)


def test_installed_kernelspec_is_ours():
    found = Path(KernelSpecManager().get_kernel_spec("course-sandbox").resource_dir)
    assert found.is_relative_to(sys.prefix)
    ours = ROOT / "autograde" / "sandbox" / "kernelspec" / "kernel.json"
    assert json.loads((found / "kernel.json").read_text()) == json.loads(ours.read_text())


# Documents


def test_map_of_the_readme_names_every_folder_and_no_other():
    text = (ROOT / "README.md").read_text()
    section = text.partition("## Map")[2].partition("\n## ")[0]
    mapped = re.findall(r"^\| `([\w./-]+)/` \|", section, re.MULTILINE)
    missing = [folder for folder in mapped if not (ROOT / folder).is_dir()]
    assert missing == []
    top = {path.relative_to(ROOT).parts[0] for path in tracked() if path.parent != ROOT}
    assert {folder.partition("/")[0] for folder in mapped} == top


def commands(document: str) -> list[list[str]]:
    """The words of every command line in a document's code blocks, and of every `make` and `autograde` in its text."""
    text = (ROOT / document).read_text()
    found = []
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        if language == "sh":
            found += [shlex.split(line, comments=True) for line in block.splitlines()]
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    found += [span.split() for span in re.findall(r"`([^`\n]+)`", prose) if re.match(r"(make|autograde) ", span)]
    return [words for words in found if words]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_make_targets_and_commands_named_in_documents_exist(document):
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    group = typer.main.get_command(app)
    for words in commands(document):
        if words[0] == "make":
            assert {word for word in words[1:] if "=" not in word} <= targets, words
        elif words[0].endswith("autograde"):
            check_command(group, words)


def check_command(group: Any, words: list[str]) -> None:
    """A command line must be one that `autograde` understands; folders in it need not exist."""
    assert words[1] in group.commands or words[1] == "--help", words
    known = {option for each in group.commands[words[1]].params for option in (*each.opts, *each.secondary_opts)}
    assert {word for word in words[2:] if word.startswith("--")} <= known | {"--help"}, words


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_of_documents_lead_somewhere(document):
    links = re.findall(r"\]\(([^)#]+)\)", (ROOT / document).read_text())
    assert [link for link in links if "://" not in link and not (ROOT / link).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_files_named_in_documents_exist(document):
    """Paths that begin in one of our folders; `LESSON`, `STUDENT` and the like stand for others."""
    spans = re.findall(r"`((?:autograde|course_utils|source|release|tests|scripts)/[\w./-]+)`", whole(document))
    made = re.compile(r"[A-Z]{3,}|^source/\w+/")  # a placeholder, or what a build makes
    assert [path for path in spans if not made.search(path) and not (ROOT / path).exists()] == []


def whole(document: str) -> str:
    return (ROOT / document).read_text()


HEADER = """# ---
# jupyter:
#   course:
#     points: 2
#   jupytext:
#     notebook_metadata_filter: course,-jupytext.text_representation.jupytext_version
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% room="both"
import math

import torch
from torch import Tensor

from course_utils import check

"""


def test_example_of_contributing_builds_and_earns_its_points(tmp_path):
    example = whole("CONTRIBUTING.md").partition("```python\n")[2].partition("```")[0]
    text = tmp_path / "source" / "04_example.py"
    text.parent.mkdir()
    text.write_text(HEADER + example)
    build(tmp_path, "04_example")
    lesson = Lesson.load(tmp_path, "04_example")
    assert [cell.exercise for cell in lesson.tests] == ["entropy"]
    namespace: dict[str, Any] = {}
    for cell in lesson.cells:
        if cell.kind != "prose":
            exec(cell.source, namespace)
    namespace["entropy"] = lambda gates: -(gates * gates.log2()).nansum(dim=-1)
    with pytest.raises(check.Failed, match="likely cause: the logarithm has base 2"):
        exec(lesson.tests[0].source, namespace)


def test_architecture_is_short():
    assert len(whole("architecture.md").splitlines()) <= 200


def test_hooks_run_what_make_test_runs():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    makefile = (ROOT / "Makefile").read_text()
    for hook in hooks:
        assert f"$(RUN) {hook['entry'].removeprefix('.venv/bin/')}\n" in makefile
    assert len(hooks) == 5


# What is committed


def test_modules_are_small():
    lengths = {name(path): len(path.read_text().splitlines()) for path in MODULES}
    assert {path: lines for path, lines in lengths.items() if lines > 250} == {}


@pytest.mark.parametrize("path", sorted((ROOT / "course_utils").glob("[!_]*.py")), ids=name)
def test_public_names_are_sorted_and_exist(path):
    module = importlib.import_module(f"course_utils.{path.stem}")
    assert module.__all__ == sorted(module.__all__, key=sort_key)
    assert all(hasattr(module, each) for each in module.__all__)


def sort_key(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions: the order that ruff keeps (RUF022)."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def test_modules_say_what_they_do():
    first_lines = {
        name(path): (ast.get_docstring(ast.parse(path.read_text())) or "").partition("\n")[0] for path in MODULES
    }
    assert [path for path, line in first_lines.items() if not line.endswith((".", ":", "?"))] == []


def test_no_file_names_a_machine():
    pattern = re.compile(rb"(?<![\w.])/(root|work|home/(?!student\b)\w+)(?=[/\"'\s])")
    named = [
        f"{name(path)}: {match[0].decode()}"
        for path in tracked()
        if not name(path).startswith(FOREIGN) and path != Path(__file__)
        for match in pattern.finditer(path.read_bytes())
    ]
    assert named == []


def test_no_outputs_in_committed_notebooks():
    for path in tracked():
        if path.suffix == ".ipynb" and not name(path).startswith(FOREIGN):
            cells = json.loads(path.read_text())["cells"]
            assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells), name(path)


def test_no_large_files():
    assert [name(path) for path in tracked() if path.stat().st_size > 1_000_000] == []
