"""Which names a cell binds and which it takes from elsewhere, by Python's own scope analysis (symtable)."""

from __future__ import annotations

import ast
import builtins
import functools
import symtable
from collections.abc import Iterator
from dataclasses import dataclass, field

BUILTINS = frozenset(dir(builtins)) | {"__name__", "__builtins__", "__module__", "__qualname__", "__class__"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPOUND = (
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.If,
    ast.With,
    ast.AsyncWith,
    ast.Try,
    ast.TryStar,
    ast.Match,
)


@dataclass
class Names:
    """The names of a piece of code at its top level.

    `bound`: name -> line where it is first bound. `free`: name -> line where it is used without being bound before
    (in a function body: anywhere in the code). `imports`: name -> what it is imported from, for names that nothing but
    imports bind. `stars`: lines of `import *`, whose names nobody knows.
    """

    bound: dict[str, int] = field(default_factory=dict)
    free: dict[str, int] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)
    stars: list[int] = field(default_factory=list)


def names_of(tree: ast.Module) -> Names:
    """Analyse a cell, or a part of one. Builtins are never free.

    Statements are taken in order, so that `x = x + 1` needs an `x`; inside a loop, a branch or
    a statement with `:=` order is not followed.
    """
    found = Names()
    deferred: dict[str, int] = {}
    rebound: set[str] = set()
    before = set(BUILTINS)
    for statement in tree.body:
        scope = _scope_in(ast.unparse(statement))
        own = scope.bound if isinstance(statement, COMPOUND) else scope.early
        for name in sorted(scope.now - before - own):
            found.free.setdefault(name, _line_of(statement, name))
        for name in sorted(scope.later):
            deferred.setdefault(name, _line_of(statement, name))
        before |= scope.bound
        if isinstance(statement, ast.Delete):
            before -= scope.now
        for name in sorted(scope.bound):
            found.bound.setdefault(name, statement.lineno)
        for name, origin in _imported(statement):
            if name == "*":
                found.stars.append(statement.lineno)
            elif found.imports.setdefault(name, origin) != origin:
                rebound.add(name)
        rebound |= scope.bound - {name for name, _ in _imported(statement)}
    for name, line in deferred.items():
        if name not in found.bound and name not in BUILTINS:
            found.free.setdefault(name, line)
    found.imports = {name: origin for name, origin in found.imports.items() if name not in rebound}
    return found


@dataclass
class _Scope:
    """One statement: names it binds, those bound before it ends (`:=`), names it uses now, and when called later."""

    bound: set[str] = field(default_factory=set)
    early: set[str] = field(default_factory=set)
    now: set[str] = field(default_factory=set)
    later: set[str] = field(default_factory=set)


@functools.lru_cache(maxsize=4096)
def _scope_in(source: str) -> _Scope:
    """The scope of the one statement in `source`; shared, so nobody may change it.

    Kept, because a cell is looked at for several rules, and with its parts.
    """
    scope, statement = _Scope(), ast.parse(source).body[0]
    if any(isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp) for node in ast.walk(statement)):
        source = ast.unparse(_Generators().visit(ast.parse(source)))
    table = symtable.symtable(source, "<statement>", "exec")
    for symbol in table.get_symbols():
        name = symbol.get_name()
        if symbol.is_assigned() or symbol.is_imported():
            scope.bound.add(name)
        if symbol.is_referenced():
            scope.now.add(name)
    for child in table.get_children():
        _visit(child, scope, later=False)
    for node in _walk_now(statement):
        if isinstance(node, ast.NamedExpr) and isinstance(node.target, ast.Name):
            scope.early.add(node.target.id)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            scope.now.add(node.target.id)
    scope.bound |= scope.early
    if isinstance(statement, ast.Delete):
        scope.now |= scope.bound
        scope.bound = set()
    if isinstance(statement, ast.AnnAssign) and statement.value is None:
        scope.bound = set(scope.early)
    return scope


class _Generators(ast.NodeTransformer):
    """Writes every comprehension as a generator: from Python 3.12 on, symtable mixes the variables of the others with
    those of the scope around them."""

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp) -> ast.AST:
        return self.generic_visit(ast.GeneratorExp(node.elt, node.generators))

    visit_SetComp = visit_ListComp

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        return self.generic_visit(ast.GeneratorExp(ast.Tuple([node.key, node.value], ast.Load()), node.generators))


def _visit(table: symtable.SymbolTable, scope: _Scope, *, later: bool) -> None:
    """Collect the globals of a nested scope; the bodies of classes and comprehensions run at once, functions later."""
    later = later or (table.get_type() == "function" and table.get_name() != "genexpr")
    for symbol in table.get_symbols():
        # not is_global(): in Python 3.11 it takes a function called `top` for a module
        if symbol.is_referenced() and not symbol.is_local() and not symbol.is_free():
            (scope.later if later else scope.now).add(symbol.get_name())
        if symbol.is_declared_global() and symbol.is_assigned():
            scope.bound.add(symbol.get_name())
    for child in table.get_children():
        _visit(child, scope, later=later)


def _walk_now(node: ast.AST) -> Iterator[ast.AST]:
    """Walk what runs when the statement runs: not the bodies of functions and classes."""
    yield node
    for name, value in ast.iter_fields(node):
        if name == "body" and isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _walk_now(child)


def _imported(statement: ast.stmt) -> Iterator[tuple[str, str]]:
    """The names that imports in a statement bind at its level, each with what it is imported from."""
    for node in _walk_now(statement):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.asname or alias.name.split(".")[0], alias.name if alias.asname else alias.name.split(".")[0]
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, f"{'.' * node.level}{node.module or ''}.{alias.name}"


def _line_of(statement: ast.stmt, name: str) -> int:
    """Where the statement uses the name."""
    names = [node for node in ast.walk(statement) if isinstance(node, ast.Name) and node.id == name]
    uses = [node.lineno for node in names if not isinstance(node.ctx, ast.Store)]
    return min(uses or [node.lineno for node in names], default=statement.lineno)
