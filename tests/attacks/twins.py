"""Runs honest twins plainly, one forked process each, in a small notebook with a reference.

`python -m tests.attacks.twins GROUP` prints what went wrong as JSON. Only twins are ever run here: hostile cells
belong into the sandbox."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path

import nbformat

from tests.attacks import Attack, load_attacks, plant

SECONDS = 60
CELLS = {
    "setup": """
import math
import torch
import torch.nn.functional as F
from torch import nn
from course_utils import check""",
    "scores": "def scores(x, W_q, W_k):\n    return (x @ W_q.mT) @ (x @ W_k.mT).mT",
    "test_scores": """
for lead, dtype in [((), torch.float32), ((2, 3), torch.float64)]:
    x, W_q, W_k = (torch.randn(shape, dtype=dtype, requires_grad=True) for shape in ((*lead, 5, 4), (6, 4), (6, 4)))
    before, result = x.detach().clone(), scores(x, W_q, W_k)
    wanted = torch.einsum("...tf,df,dg,...sg->...ts", x, W_q, W_k, x)
    assert result.dtype == dtype and result.shape == wanted.shape and torch.allclose(result, wanted, atol=1e-4), result
    assert torch.equal(x, before)
    for got, right in zip(*(torch.autograd.grad(y.sum(), (x, W_q, W_k)) for y in (result, wanted))):
        assert torch.allclose(got, right, atol=1e-2), got""",
    "attention": """
def attention(q, k, v, mask=None):
    gates = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)
    return gates @ v, gates""",
    "test_attention": """
q, k, v = torch.randn(2, 5, 4), torch.randn(2, 7, 4), torch.randn(2, 7, 3)
assert torch.allclose(attention(q, k, v)[0], F.scaled_dot_product_attention(q, k, v), atol=1e-5)""",
    "SelfAttention": "class SelfAttention(nn.Module):\n    pass",
    "test_SelfAttention": "SelfAttention()",
}


def notebook() -> nbformat.NotebookNode:
    """A notebook with the lesson's cells, solved, and a plain test of each."""
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS.values()]
    for name, cell in zip(CELLS, cells, strict=True):
        cell.metadata["nbgrader"] = {"grade_id": name}
    return nbformat.v4.new_notebook(cells=cells)


def run(planted: nbformat.NotebookNode) -> list[str]:
    """Run every cell in a fresh IPython shell; what each failing cell showed."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    shell = InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}))
    failures: list[str] = []
    shell.showtraceback = lambda *args, **kwargs: failures.append(traceback.format_exc())
    shell.showsyntaxerror = shell.showtraceback
    for cell in planted.cells:
        shell.run_cell(cell.source, store_history=True)
    return failures


def _child(attack: Attack, report: Path) -> None:
    """Never returns: runs the twin with its output thrown away and leaves what failed in a file."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, open(os.devnull, "r+") as nowhere:
        os.chdir(folder)
        for number in (0, 1, 2):
            os.dup2(nowhere.fileno(), number)
        with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
            try:
                failures = run(plant(notebook(), *attack.twin))
            except BaseException:
                failures = [traceback.format_exc()]
        report.write_text("\n".join(failures))
        os.chdir("/")
    os._exit(0)


def check_twin(attack: Attack, reports: Path) -> str:
    """What is wrong with an attack's twin; empty when it gives the right answer."""
    report = reports / f"{attack.name}.txt"
    report.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        _child(attack, report)
    deadline = time.monotonic() + SECONDS
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        if time.monotonic() > deadline:
            os.kill(child, 9)
            os.waitpid(child, 0)
            return f"took longer than {SECONDS} s"
        time.sleep(0.01)
    return report.read_text() if report.exists() else "the process died"


def main(group: str) -> None:
    import torch

    torch.set_num_threads(1)  # no threads before the fork
    with tempfile.TemporaryDirectory() as folder:
        found = {attack.key: check_twin(attack, Path(folder)) for attack in load_attacks(group) if attack.twin}
    json.dump({key: words for key, words in found.items() if words}, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
