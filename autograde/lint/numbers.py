"""A number in prose needs something in reach that proves it: a claim, in a homework also a test, or written arithmetic.

In reach is the section: from one heading of the first two levels to the next. A section without claims, such as an
introduction or a summary, reaches all of its notebook. Prose of a homework also reaches every claim of the in-class
notebook of its lesson. A number may be a setting instead: a whole one then stands in the code in reach, any other is
given a name there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from autograde.claims import Claim
from autograde.lint.arithmetic import equations
from autograde.lint.finding import Found
from autograde.lint.numerals import Number, numbers
from autograde.lint.page import Page
from autograde.lint.stated import ClaimText, claims_of, flat, literals, named_literals
from autograde.lint.structure import QUANTITIES, is_structure, without_structure

Recorded = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Evidence:
    """All that a text states: its claims with every number known of them, its code and its tests by section."""

    page: Page
    claims: tuple[ClaimText, ...]

    @classmethod
    def of(cls, page: Page, recorded: Recorded, executed: Sequence[Claim] | None) -> Evidence:
        """Claims as the text has them, completed by the record, or by what an executed notebook says."""
        claims = [_completed(claim, recorded.get(claim.name or "", {})) for claim in claims_of(page)]
        runs = {run.name: run for run in executed or ()}
        claims = [claim if claim.name not in runs else _completed(claim, vars(runs[claim.name])) for claim in claims]
        known = {claim.name for claim in claims}
        claims += [_run(run) for run in runs.values() if run.name not in known]
        return cls(page, tuple(claims))

    def claims_near(self, section: int) -> list[ClaimText]:
        near = [claim for claim in self.claims if self.page.section(claim.cell) == section]
        return near or list(self.claims)

    def settings_near(self, section: int, *, whole: bool) -> set[float]:
        """The numbers of the section's code and of what both rooms run; of all code, where a section has none.

        Whole ones wherever they stand, others where a name is given to them.
        """
        cells = [(cell, tree) for cell, tree in self.page.code()]
        near = [pair for pair in cells if self.page.section(pair[0].cell.index) == section]
        shared = [pair for pair in cells if pair[0].cell.kind == "setup"]
        trees = [tree for _, tree in ([*near, *shared] if near else cells)]
        return set(literals(trees) if whole else named_literals(trees))

    def tests_near(self, section: int) -> set[float]:
        """The numbers of the section's test cells."""
        near = [
            tree
            for cell, tree in self.page.code()
            if cell.cell.kind == "test" and self.page.section(cell.cell.index) == section
        ]
        return set(literals(near))


def _completed(claim: ClaimText, run: Mapping[str, Any]) -> ClaimText:
    """With what a run expected, if the text does not tell, and what it measured."""
    expected = claim.expected or flat(run.get("expect"))
    return replace(claim, expected=expected, measured=(*claim.measured, *flat(run.get("measured"))))


def _run(run: Claim) -> ClaimText:
    """A claim whose name the text does not tell."""
    return ClaimText(run.name, run.cell - 1, flat(run.expect), flat(run.measured), ())


def check_numbers(own: Evidence, in_class: Evidence | None) -> Iterator[Found]:
    """Yield the numbers of prose that nothing in reach proves, and arithmetic that is wrong."""
    page = own.page
    for index, prose in page.prose.items():
        text = without_structure(prose)
        done: list[range] = []
        for equation in equations(prose.plain):
            done.append(range(equation.start, equation.end))
            if not equation.holds:
                left = " ".join(equation.left.replace("$", "").split())
                wrong = f"{left} is {equation.value:.6g}, not {equation.stated.text}. Correct one of them."
                yield Found("number", index, prose.line_of(equation.stated.start), wrong, equation.stated.text)
        for number in numbers(text):
            if any(number.start in place for place in done):
                continue
            if is_structure(number, in_math=prose.in_math(number.start), homework=page.is_homework):
                continue
            line = prose.line_of(number.start)
            if not _backed(number, page.section(index, line), own, in_class):
                message = _advice(number, page.section(index, line), own, in_class)
                yield Found("number", index, line, message, number.text)


def _in_reach(section: int, own: Evidence, in_class: Evidence | None) -> list[ClaimText]:
    return [*own.claims_near(section), *(in_class.claims if in_class else ())]


def _backed(number: Number, section: int, own: Evidence, in_class: Evidence | None) -> bool:
    near = own.claims_near(section)
    # of other notebooks only what they state: what they measured may be close to anything
    values = [value for claim in near for value in (*claim.expected, *claim.measured)]
    values += [value for claim in (in_class.claims if in_class else ()) for value in claim.expected]
    said = [value for claim in _in_reach(section, own, in_class) for value in claim.said]
    if any(map(number.agrees, values)) or any(map(number.equals, said)):
        return True
    if number.unit in QUANTITIES:
        return False  # no setting is so many times something, or takes so many seconds
    if any(map(number.agrees, own.tests_near(section))):
        return True
    whole = number.is_whole and not number.is_share
    return any(map(number.equals, own.settings_near(section, whole=whole)))


def _advice(number: Number, section: int, own: Evidence, in_class: Evidence | None) -> str:
    """What is missing, what would back it, and what comes near."""
    shown = f"{number.text} {number.unit}" if number.is_share else number.text
    where = f"section “{own.page.titles[section]}”" if own.page.titles[section] else "this section"
    place = f"the in-class notebook or in the tests of {where}" if own.page.is_homework else where
    expect = f"{number.value / 100 if number.is_share else number.value:.10g}"
    advice = (
        f'no claim in {place} gives {shown}. Add `claim("…", measured, expect={expect}, tol=…)` there, or correct it'
    )
    claims = _in_reach(section, own, in_class)
    if (near := _nearest(number, claims)) is not None:
        advice += f"; nearest is {near[0]:.6g} of “{near[1]}”"
    unknown = [f"“{claim.name}”" for claim in claims if claim.name and not claim.expected]
    if unknown:
        advice += f". Not known without a run: {', '.join(unknown[:3])}"
    return f"{advice}."


def _nearest(number: Number, claims: Iterable[ClaimText]) -> tuple[float, str] | None:
    """The value that is off by less than a tenth, and the name of its claim."""
    target = number.value / 100 if number.is_share else number.value
    found = [
        (abs(abs(value) - abs(target)), value, claim.name)
        for claim in claims
        if claim.name
        for value in claim.expected
        if value and abs(abs(value) - abs(target)) < 0.1 * abs(value)
    ]
    return min(found)[1:] if found else None
