"""Numbers that state nothing: they count, name a place, or say what shape something has. No claim is asked for them."""

from __future__ import annotations

import re

from autograde.lint.numerals import Number
from autograde.lint.prose import Prose, blank, blank_tables

#: Whole numbers up to this one count things, unless a unit says that they measure.
COUNTS = 10
#: Units of a schedule. A card and a timing sheet may say them.
SCHEDULE = {"minute", "minutes", "hour", "hours", "sentence", "sentences"}
#: What is counted in these is measured; no setting can stand for it.
QUANTITIES = {"times", "x", "second", "seconds", "s", "ms", "gb", "mb", "kb", "gib", "mib"}
#: Units that make a measurement of any number. Points are marks in a homework, and hundredths in class.
MEASURES = QUANTITIES | {"%", "percent", "bytes"}
POINTS = "points"
#: Columns of cards and timing sheets. The build and tests see to what they say.
COLUMNS = {"points", "minutes", "lines in our solution", "length"}
#: Words before the number of a thing that has one.
REFERENCE = (
    r"chapters?|dimensions?|equations?|exercises?|figures?|hints?|lessons?|pages?|questions?|sections?|seeds?|slides?|"
    r"steps?|tables?|tokens?|votes?|(?:eqs?|figs?|pp?|secs?)\."
)
#: Years, as papers and lectures have them: not the round numbers that data sets have, too.
YEAR = r"(?!1900|2000|2048)(?:19|20)\d{2}\b(?![,.]\d|\s*%)"
PATTERNS = [
    re.compile(r"(?m)^(#{1,6}\s+(?:\w+\s+)?)\d+(?=\s*·)"),  # ## 3 · Query; ## Exercise 2 · `attention`
    re.compile(r"(?m)^\s*1?\d[.)]\s"),  # the marks of a list
    re.compile(rf"\b(?:{REFERENCE})\s+\d+(?:(?:,| and| or| to|–|-)\s*\d+)*\b(?!\s*%|\.\d)", re.IGNORECASE),
    re.compile(r"\b(?:Python|PyTorch|torch|versions?)\s+\d+(?:\.\d+)*\b(?!\s*%)"),
    re.compile(r"\d{4}-\d{2}-\d{2}|\d+\.\d+\.\d+|\b\d{1,2}:\d{2}\b"),  # dates, versions, times of the day
    re.compile(rf"(?:\(|, |\b(?:[Ii]n|of|since|from|until) ){YEAR}|\b[A-Z]\w+\.? {YEAR}(?=[),;.:\s]*(?:$|[A-Z)]))"),
    re.compile(r"(?<![\w.,])\d+/\d+(?![\w.])"),  # fractions are exact
    re.compile(r"√\s*\d+\b(?!\.\d)|(?<![\w.,])\d+[²³⁴⁵⁶⁷⁸⁹]"),
    # 28 × 28 and 16 × 16 × 3 are sizes; so are (4, 144) and (..., 12, d): whole numbers and letters between commas
    re.compile(r"(?<![\w.,])\d+(?:\s*×\s*\d+\b)+(?!\.\d)(?![⁻⁰¹²³⁴⁵⁶⁷⁸⁹^])"),
    re.compile(r"\((?=[^()]*\d)(?:[\w·+-]+|\.\.\.)(?:,\s*(?:[A-Za-z]\w*|\d+|[\w·+-]+|\.\.\.))+\)"),
]


def without_structure(prose: Prose) -> str:
    """The text of a cell in which numbers of places, dates, shapes and cards are blanked; positions hold."""
    text = blank_tables(prose.plain, lambda head, _: head.strip("* ").lower() in COLUMNS)
    for pattern in PATTERNS:
        text = pattern.sub(blank, text)
    return text


def is_structure(number: Number, *, in_math: bool, homework: bool) -> bool:
    """Does this number only count, or define?"""
    if not number.is_whole:
        return False
    if in_math or number.unit in SCHEDULE or (homework and number.unit == POINTS):
        return True  # in formulas whole numbers are definitions
    return number.value <= COUNTS and number.unit not in MEASURES | {POINTS}
