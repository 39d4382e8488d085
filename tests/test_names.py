"""The analysis of names agrees with what Python does when the code runs, whatever the code."""

from __future__ import annotations

import ast
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograde.rules.names import COMPOUND, names_of
from autograde.rules.text import read_text


class Anything:
    """A value that every operation of the generated programs accepts."""

    def __add__(self, other: Any) -> Anything:
        return self

    __radd__ = __add__

    def __iter__(self) -> Any:
        return iter([1, 2])

    def __enter__(self) -> Anything:
        return self

    def __exit__(self, *problem: object) -> None:
        return None

    def __call__(self, function: Any) -> Any:
        return function


names = st.sampled_from(["a", "b", "c", "d", "e"])
expressions = st.recursive(
    names | st.just("1"),
    lambda part: st.one_of(
        st.tuples(part, part).map(lambda pair: f"({pair[0]} + {pair[1]})"),
        st.tuples(st.sampled_from("uvw"), part).map(lambda pair: f"(({pair[0]} := {pair[1]}) + {pair[0]})"),
        st.tuples(part, names).map(lambda pair: f"[{pair[0]} for {pair[1]} in [1, 2]][0]"),
        st.tuples(names, names).map(lambda pair: f"(lambda {pair[0]}, z={pair[1]}: {pair[0]} + z)(1)"),
    ),
    max_leaves=4,
)


@st.composite
def statements(draw: st.DrawFn, number: int = 0) -> str:
    """One statement; functions are given names of their own, and are called at the end of the program."""
    a, b, one, two = draw(names), draw(names), draw(expressions), draw(expressions)
    forms = [
        f"{a} = {one}",
        f"{a} += {one}",
        f"{a}: int = {one}",
        f"{a}: int",
        f"del {a}",
        f"for {a} in [1, {one}]:\n    {b} = {two}",
        f"with any as {a}:\n    {b} = {one}",
        f"try:\n    {a} = {one}\nexcept OSError as gone:\n    pass\nelse:\n    {two}",
        f"if 1:\n    {a} = {one}",
        f"match {one}:\n    case {a}:\n        {two}",
        f"import math as {a}, json",
        f"from math import pi as {a}",
        f"class {a}:\n    x = {one}\n    y = [{two} for {b} in [1]]",
        f"@any\ndef f{number}({a}, {b}={one}):\n    return {two}",
        f"def f{number}({a}):\n    def g({b}):\n        nonlocal {a}\n        {a} = {one}\n    return g",
        f"def f{number}(x):\n    global g{number}\n    g{number} = {one}",
        f"async def f{number}():\n    return {one}",
        f"{a} = [{one} async for {b} in c]"
        if draw(st.just(False))
        else f"print({one}, {{{two} for {b} in [1]}}, end='')",
    ]
    return draw(st.sampled_from(forms))


@st.composite
def programs(draw: st.DrawFn) -> str:
    lines = [draw(statements(number)) for number in range(draw(st.integers(1, 5)))]
    return "\n".join(line for line in lines if _is_python(line) and not _order_matters(line))


def _is_python(code: str) -> bool:
    try:
        compile(code, "<statement>", "exec")
    except SyntaxError:  # a walrus that binds the variable of its comprehension, two parameters of one name
        return False
    return True


def _order_matters(code: str) -> bool:
    """A loop or branch that binds a name and uses it too; there the analysis does not follow the order."""
    [statement] = ast.parse(code).body
    kinds: dict[bool, set[str]] = {True: set(), False: set()}
    for node in ast.walk(statement):
        if isinstance(node, ast.Name):
            kinds[isinstance(node.ctx, ast.Store)].add(node.id)
        elif isinstance(node, ast.MatchAs) and node.name:
            kinds[True].add(node.name)
    return isinstance(statement, COMPOUND) and bool(kinds[True] & kinds[False] - set("uvw"))


def _run(code: str, namespace: dict[str, Any]) -> str | None:
    """Run a program and then every function it has; the name that was missing, if one was, "?" if it stopped early."""
    namespace.update(any=Anything(), print=lambda *args, **options: None)
    try:
        exec(compile(code, "<program>", "exec"), namespace)
        for function in [value for name, value in namespace.items() if name.startswith("f")]:
            inner = function(1) if function.__code__.co_argcount else function()
            if hasattr(inner, "send"):
                _finish(inner)
            elif callable(inner):
                inner(1)
    except NameError as error:
        return None if isinstance(error, UnboundLocalError) else error.name
    except (TypeError, ValueError, AttributeError):
        return "?"  # a module was added to a number, say
    return None


def _finish(coroutine: Any) -> None:
    try:
        coroutine.send(None)
    except StopIteration:
        pass
    finally:
        coroutine.close()


@settings(deadline=None, max_examples=150)
@given(programs())
def test_with_its_free_names_a_program_finds_every_name(code: str) -> None:
    free = names_of(ast.parse(code)).free
    missing = _run(code, {name: Anything() for name in free})
    deleted = {
        target.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Delete) for target in node.targets
    }
    assert missing in {None, "?", *deleted}, code


@settings(deadline=None, max_examples=150)
@given(programs(), st.data())
def test_without_one_of_them_it_does_not_run(code: str, data: st.DataObject) -> None:
    free = sorted(names_of(ast.parse(code)).free)
    if not free or "del " in code:
        return
    gone = data.draw(st.sampled_from(free))
    namespace: dict[str, Any] = {name: Anything() for name in free if name != gone}
    assert _run(code, namespace) in (gone, "?"), code


@pytest.mark.parametrize(
    ("code", "bound", "free"),
    [
        ("x = x + 1", "x", "x"),
        ("n = (m := 3) + m", "m n", ""),
        ("def top(which):\n    return which", "top", ""),
        ("def f(q, k=d):\n    return [w for w in q if w is k and later]\nlater = 1", "f later", "d"),
        ("class A(B):\n    def m(self):\n        return super().m() + __class__.x", "A", "B"),
        ("f = lambda q, *, r=s: q + r + t", "f", "s t"),
        ("print(f'{a!r:>{w}} {b[\"k\"]}')", "", "a b w"),
        (
            "match v:\n    case {'k': k, **rest}:\n        pass\n    case P(x=1) | [_, *_]:\n        pass",
            "k rest",
            "P v",
        ),
        ("async def f():\n    async for i in g:\n        yield i", "f", "g"),
        ("try:\n    pass\nexcept* E as e:\n    print(e)", "e", "E"),
        ("del attention", "", "attention"),
        ("x: int\nprint(x)", "", "x"),
        ("import a.b, c.d as e\nfrom g import h as i", "a e i", ""),
    ],
)
def test_forms_of_python(code: str, bound: str, free: str) -> None:
    names = names_of(ast.parse(code))
    assert (set(names.bound), set(names.free)) == (set(bound.split()), set(free.split()))


def test_lines_and_imports() -> None:
    names = names_of(
        ast.parse("import torch\nimport math\nmath = 3\n\nprint(\n    1,\n    unknown,\n)\nfrom x import *\n")
    )
    assert names.free == {"unknown": 7}
    assert names.imports == {"torch": "torch"}
    assert names.stars == [9]


sources = st.lists(
    st.sampled_from(
        ["x = 1", "", "# a comment", "def f():", "    return 2", "'''", "# %%time", "%matplotlib inline", '"# %% no"']
    ),
    max_size=8,
)
cells = st.lists(st.tuples(st.sampled_from(["code", "markdown"]), sources), min_size=1, max_size=6)


@settings(deadline=None, max_examples=150)
@given(cells, st.booleans(), st.booleans())
def test_every_line_of_a_cell_is_found_in_the_text(parts: list[tuple[str, list[str]]], header: bool, end: bool) -> None:
    import jupytext
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

    make = {"code": new_code_cell, "markdown": new_markdown_cell}
    notebook = new_notebook(cells=[make[kind]("\n".join(lines)) for kind, lines in parts])
    notebook.metadata["jupytext"] = {} if header else {"notebook_metadata_filter": "-all"}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lesson.py"
        path.write_text(jupytext.writes(notebook, fmt="py:percent") + "\n" * end, encoding="utf-8")
        text = read_text(path, Path(folder))
    for cell, place in zip(text.notebook.cells, text.places, strict=True):
        for number, line in enumerate(cell.source.split("\n") if cell.source else [], place.first):
            assert text.lines[number - 1].lstrip("# ") == line.lstrip("# ")
