"""Random draws of setup cells: both rooms run these cells, so that both must draw the same numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

#: Functions that draw from a global generator, by the module whose seed rules them.
DRAWS = {
    "torch": re.compile(
        r"torch\.(rand|randn|randint|randperm|normal|rand_like|randn_like|randint_like|bernoulli|multinomial|poisson)$"
        # a new layer draws its weights
        r"|torch\.nn\.(Linear|Bilinear|LazyLinear|Embedding\w*|Conv\w+|RNN\w*|LSTM\w*|GRU\w*|MultiheadAttention|Transformer\w*)$"
        r"|torch\.nn\.init\.\w*(uniform|normal|orthogonal|sparse)\w*$|torch\.(nn\.functional\.)?(dropout|gumbel_softmax)$"
    ),
    "numpy": re.compile(r"numpy\.random\.(?!seed$|Generator$|PCG64$|Philox$|MT19937$|SeedSequence$|BitGenerator$)\w+$"),
    "random": re.compile(r"random\.(?!seed$|getstate$|setstate$)\w+$"),
}
IN_PLACE = {"normal_", "uniform_", "random_", "bernoulli_", "exponential_", "cauchy_", "log_normal_", "geometric_"}
SEEDS = {
    "torch.manual_seed": "torch",
    "torch.random.manual_seed": "torch",
    "numpy.random.seed": "numpy",
    "random.seed": "random",
}
#: These make a generator of their own, which is seeded when it is given a seed.
GENERATORS = {"numpy.random.default_rng", "numpy.random.RandomState", "random.Random"}


def imported_as(tree: ast.Module) -> dict[str, str]:
    """What the names of modules and functions stand for: `np` -> `numpy`, `randn` -> `torch.randn`."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                names[alias.asname or alias.name.split(".")[0]] = (
                    alias.name if alias.asname else alias.name.split(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return names


def unseeded(tree: ast.Module, imports: dict[str, str]) -> Iterator[tuple[int, str]]:
    """Yield line and text of each call that draws without `generator=` and without a seed set above it in the cell."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    seeded: set[str] = set()
    for call in sorted(calls, key=lambda node: (node.lineno, node.col_offset)):
        name = _dotted(call.func, imports)
        if name in SEEDS:
            if call.args or call.keywords:
                seeded.add(SEEDS[name])
            continue
        if name in GENERATORS and (call.args or call.keywords):
            continue
        family = next((family for family, draws in DRAWS.items() if draws.match(name)), None)
        if isinstance(call.func, ast.Attribute) and call.func.attr in IN_PLACE:
            family = "torch"
        if family and family not in seeded and not any(keyword.arg == "generator" for keyword in call.keywords):
            yield call.lineno, ast.unparse(call.func)


def _dotted(node: ast.expr, imports: dict[str, str]) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value, imports)}.{node.attr}"
    return imports.get(node.id, "") if isinstance(node, ast.Name) else ""
