"""What a notebook shows below a test cell: one green line, or the message without a way through our own code."""

from __future__ import annotations

import re
import sys
from typing import Any

import nbclient
import nbformat
import pytest
import torch

from course_utils import check
from course_utils.check import Failed
from course_utils.room import LocalRoom, StudentError

CELLS = {
    "setup": "import torch\nfrom course_utils import check",
    "student": """
def good(x):
    return x
def bad(x):
    return torch.ones(2, 3) @ torch.ones(2, 3)
def odd(x):
    return x.sum
class Layer:
    def forward(self, x):
        raise NotImplementedError()
""",
    **{
        name: f"@check.probe\ndef observe(x):\n    return {call}\n\ncheck.close(observe(torch.ones(2)), {expected})"
        for name, call, expected in [
            ("right", "good(x)", "torch.ones(2)"),
            ("wrong", "good(x)", "torch.zeros(2)"),
            ("raises", "bad(x)", "0"),
            ("not plain", "odd(x)", "0"),
            ("not attempted", "Layer().forward(x)", "0"),
        ]
    },
    "awards": "@check.probe\ndef observe(x):\n    return x\n\ncheck.award(0.5)",
    "no test": "1 + 1\nNone",
}


@pytest.fixture(scope="module")
def shown() -> dict[str, str]:
    """What each cell shows as text, without colours."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS.values()])
    nbclient.NotebookClient(notebook, allow_errors=True, kernel_name="python3", timeout=120).execute()
    return {name: text(cell) for name, cell in zip(CELLS, notebook.cells, strict=True)}


def text(cell: Any) -> str:
    parts = [output.get("text", "\n".join(output.get("traceback", []))) for output in cell.outputs]
    return re.sub(r"\x1b\[[\d;]*m", "", "\n".join(parts)).strip()


def test_a_passed_cell_says_so(shown: dict[str, str]) -> None:
    assert shown["right"] == "✓ All checks of this cell hold."


@pytest.mark.parametrize("name", ["setup", "student", "no test"])
def test_other_cells_say_nothing(shown: dict[str, str], name: str) -> None:
    assert shown[name] == ""


def test_a_cell_that_awards_points_does_not_claim_that_all_hold(shown: dict[str, str]) -> None:
    assert "All checks" not in shown["awards"]


def test_a_failed_check_shows_its_message_alone(shown: dict[str, str]) -> None:
    first, *rest = shown["wrong"].split("\n")
    assert first == "✗ the result has wrong values."
    assert [line.split()[0] for line in rest] == ["called", "expected", "yours", "largest"]


def test_an_exception_shows_the_students_own_lines(shown: dict[str, str]) -> None:
    assert shown["raises"].startswith("✗ Your code raised RuntimeError: mat1 and mat2 shapes")
    assert "return torch.ones(2, 3) @ torch.ones(2, 3)" in shown["raises"]
    assert "room.py" not in shown["raises"]
    assert "return bad(x)" not in shown["raises"]


def test_what_cannot_be_looked_at_is_named(shown: dict[str, str]) -> None:
    assert shown["not plain"].startswith("✗ a probe takes and returns plain data")
    assert "\n" not in shown["not plain"]


def test_a_stub_is_not_attempted(shown: dict[str, str]) -> None:
    assert shown["not attempted"] == "✗ Not attempted: `Layer.forward` still says NotImplementedError."


def test_without_a_notebook_messages_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    room = LocalRoom()

    def observe() -> None:
        raise ValueError("odd")

    with pytest.raises(StudentError, match="Your code raised ValueError: odd") as caught:
        room.probe(observe)()
    assert caught.value._render_traceback_() == [
        "\x1b[31m✗ Your code raised ValueError: odd\x1b[0m\n  called    observe()"
    ]
    assert Failed("It is wrong.")._render_traceback_() == ["\x1b[31m✗ It is wrong.\x1b[0m"]


def test_of_a_large_tensor_the_worst_number_is_told() -> None:
    """Means alone can be equal where single numbers are exchanged."""
    expected = torch.zeros(3, 4, 5)
    expected[2, 1, 3] = 0.5
    with pytest.raises(check.Failed) as failed:
        check.close(expected.flip(2), expected, "the map")
    assert "(3, 4, 5), mean of absolute values 0.008333" in str(failed.value)
    assert "largest difference 0.5 at (2, 1, 1): expected 0, yours 0.5" in str(failed.value)
