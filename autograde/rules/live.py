"""Live cells, the cell of parameters, and claims: what a class and the nightly run must be able to rely on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograde.live import LIVE, PARAMETERS, TEACHER, has_tag
from autograde.rules.leaks import WHOLE, Secret, Shelf, code_shelf, prose_shelf, squeeze, stands_on
from autograde.rules.python import blocks, is_string
from autograde.rules.text import Finding, TextCell
from course_utils.settings import PRESETS

#: What can be typed after %reveal, and be part of a cell id.
NAME = re.compile(r"[A-Za-z]\w{0,49}", re.ASCII)
Parsed = list[tuple[TextCell, ast.Module]]


def check_live(cells: list[TextCell], parsed: Parsed) -> Iterator[Finding]:
    """Yield what is wrong with the live cells of an in-class notebook."""
    seen: dict[str, int] = {}
    for cell in cells:
        for number, line in enumerate(cell.source.split("\n"), 1) if cell.is_code else ():
            if line.split() == ["%load_ext", "course_utils.live"]:
                advice = "Delete it: the build puts it into the first cell of the live notebook."
                yield cell.at(number, "loaded twice, the commands greet with what looks like an error.", advice)
        name, tagged = cell.metadata.get("live"), _tagged(cell, LIVE)
        if _tagged(cell, TEACHER) and cell.is_code:
            yield cell.at(None, "code tagged `teacher` would be missing in class.", "Only prose can be the teacher's.")
        if name is None and not tagged:
            continue
        if not tagged or name is None or not cell.is_code:
            advice = 'Write `# %% tags=["live"] live="NAME"` above code.'
            yield cell.at(None, "a live cell is code with a tag and a name.", advice)
            continue
        if not isinstance(name, str) or not NAME.fullmatch(name):
            advice = "Use letters, digits and `_`, at most 50, a letter first."
            yield cell.at(None, f"%reveal cannot use the name {name!r}.", advice)
        elif name in seen:
            yield cell.at(None, f"the live cell `{name}` stands on line {seen[name]} already.", "Give it another name.")
        seen.setdefault(str(name), cell.place.header)
        if not cell.source.strip():
            yield cell.at(None, f"the live cell `{name}` is empty.", "Write the finished code.")
        above = cells[cell.cell.index - 1] if cell.cell.index else None
        if above is None or above.is_code or not above.source.strip() or _tagged(above, TEACHER):
            advice = "Say there what to write and what the output should look like."
            yield cell.at(None, f"there is no prompt above the live cell `{name}`.", advice)
    yield from _check_shown(cells, parsed)


def _check_shown(cells: list[TextCell], parsed: Parsed) -> Iterator[Finding]:
    """The finished code of a live cell must not stand in what the class sees before it has written it."""
    for cell, tree in parsed:
        if not _tagged(cell, LIVE):
            continue
        above = [_shelf(other) for other in cells[: cell.cell.index] if not _tagged(other, LIVE, TEACHER)]
        for place in above:
            if any(stands_on(secret, place) for secret in _secrets(cell, tree)):
                wrong = f"the code of the live cell `{cell.metadata.get('live')}` stands in {place.where} already."
                yield cell.at(None, wrong, "Take it out there: the class shall write it.")
                break


def _secrets(cell: TextCell, tree: ast.Module) -> Iterator[Secret]:
    """The whole cell, and the whole body of each function and class in it."""
    for block in blocks(tree):
        body = [node for node in block if not (is_string(node) or isinstance(node, ast.Import | ast.ImportFrom))]
        lines = [squeeze(ast.unparse(node)) for node in body]
        if sum(map(len, lines)) >= 2 * WHOLE and len(body) > 1:
            yield Secret(0, "", frozenset(["".join(lines)]), "\n" + "\n".join(lines) + "\n")


def _shelf(cell: TextCell) -> Shelf:
    return (code_shelf if cell.is_code else prose_shelf)(f"the cell of line {cell.place.header}", cell.source)


def check_not_live(cells: list[TextCell]) -> Iterator[Finding]:
    """Yield live cells in a homework, where nobody reveals anything."""
    for cell in cells:
        if "live" in cell.metadata or _tagged(cell, LIVE, TEACHER):
            yield cell.at(None, "a homework has no live or teacher's cells.", "They stand in notebooks/.")


def check_parameters(cells: list[TextCell], parsed: Parsed) -> Iterator[Finding]:
    """Yield what would keep papermill from choosing the preset, or a student from the cheap one."""
    tagged = [cell for cell in cells if _tagged(cell, PARAMETERS)]
    for cell in tagged[1:]:
        yield cell.at(None, "a second cell tagged `parameters`.", "Papermill knows one; join them.")
    for cell in tagged[:1]:
        trees = [tree for other, tree in parsed if other is cell]
        found = [_preset(node) for tree in trees for node in tree.body]
        if not cell.is_code or (trees and PRESETS[0] not in found):
            yield cell.at(None, "this cell of parameters sets no preset.", f'Write `PRESET = "{PRESETS[0]}"` in it.')


def _preset(node: ast.stmt) -> object:
    """The constant that a statement gives to PRESET."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
        names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        return node.value.value if names == ["PRESET"] else None
    return None


def check_claims(parsed: Parsed) -> Iterator[Finding]:
    """Yield claims with one name twice, with an unknown preset, or where they could cost a student points."""
    seen: dict[str, int] = {}
    for cell, tree in parsed:
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call) and _is_claim(node.func)):
            if cell.cell.kind not in ("free", "prose"):
                advice = "It stands in an unmarked cell; a test uses check."
                yield cell.at(call.lineno, "a claim in a cell that is graded or runs in the judge.", advice)
            given = {word.arg: word.value for word in call.keywords}
            name = call.args[0] if call.args else given.get("name")
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                if name.value in seen:
                    wrong = f"the claim {name.value!r} stands on line {seen[name.value]} already."
                    yield cell.at(call.lineno, wrong, "Give it another name.")
                seen.setdefault(name.value, cell.text_line(call.lineno))
            preset = given.get("preset")
            if isinstance(preset, ast.Constant) and preset.value not in PRESETS:
                wrong = f"there is no preset {preset.value!r}."
                yield cell.at(call.lineno, wrong, f"Choose one of {', '.join(PRESETS)}.")


def _is_claim(function: ast.expr) -> bool:
    """`claim` or `claims.claim`."""
    if isinstance(function, ast.Attribute):
        return function.attr == "claim" and isinstance(function.value, ast.Name) and function.value.id == "claims"
    return isinstance(function, ast.Name) and function.id == "claim"


def _tagged(cell: TextCell, *tags: str) -> bool:
    return any(has_tag(cell, tag) for tag in tags)
