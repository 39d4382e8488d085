"""Numbers as prose writes them: .711, 62.5 %, 1.3 million, 50,176, 2.1e4, and what each of them means."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

#: Digits with at most one point, thousands set off by commas, a power of ten behind them.
NUMBER = re.compile(
    r"(?P<digits>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)"
    r"(?P<power>[eE][-+−]?\d+|\s*(?:×|·|\\times|\\cdot)\s*10(?:\^\{?[-−]?\d+\}?|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?"
)
SCALES = {"thousand": 3, "million": 6, "billion": 9}
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")
#: What stands before digits that are no number of their own: W_1, float32, ViT-H/14, a version's last part.
PART_OF_A_NAME = re.compile(r"(?:[A-Za-z_](?:[-./^_]|\{|)|\d[./^_]?|[_^]\{?)\Z")
ROUGHLY = re.compile(r"(?:\b(?:about|almost|around|nearly|roughly|some)|[≈~])\s*[-−]?\Z", re.IGNORECASE)


@dataclass(frozen=True)
class Number:
    """A number in a text, from `start` to `end`.

    `half` is half a unit of its last printed digit: a value that prints as this number is no farther away. `unit` is
    the word or sign that follows it, and `value` that of the number alone: 62.5 for 62.5 %.
    """

    text: str
    start: int
    end: int
    value: float
    half: float
    unit: str

    @property
    def is_whole(self) -> bool:
        return self.value.is_integer() and "." not in self.text

    @property
    def is_share(self) -> bool:
        """Is it in hundredths: a percentage, or points of one?"""
        return self.unit in ("%", "percent", "points")

    def agrees(self, value: float) -> bool:
        """Does a value, rounded to the printed digits, give this number? The sign may stand in words."""
        if not math.isfinite(value):
            return False
        scales = (1.0, 100.0) if self.is_share else (1.0,)
        return any(abs(abs(value) * scale - abs(self.value)) <= self.half * (1 + 1e-9) for scale in scales)

    def equals(self, value: float) -> bool:
        """Is it this very value?"""
        scales = (1.0, 100.0) if self.is_share else (1.0,)
        return any(math.isclose(abs(value) * scale, abs(self.value), rel_tol=1e-12) for scale in scales)


def numbers(text: str) -> Iterator[Number]:
    """The numbers of a text; digits that are part of a name (float32, ViT-H/14, 21k) are none."""
    for match in NUMBER.finditer(text):
        start, end = match.span()
        unit = _unit(text[end:])
        glued = text[end : end + 1].isalpha() and not unit
        if glued or PART_OF_A_NAME.search(text[max(0, start - 3) : start]):
            continue
        yield _number(match, unit, bool(ROUGHLY.search(text[:start])))


def _unit(after: str) -> str:
    match = re.match(r"\s?\s*(%|per ?cent\b|(?:percentage )?points?\b|times\b|[a-zA-Z]+\b)", after)
    if match is None:
        return ""
    word = match[1].lower()
    glued = not after[0].isspace()
    if glued and word not in ("%", "gb", "mb", "kb", "ms", "s", "x"):
        return ""
    word = word.removeprefix("percentage ")
    return {"per cent": "percent", "point": "points"}.get(word, word)


def _number(match: re.Match[str], unit: str, roughly: bool) -> Number:
    digits = match["digits"].replace(",", "")
    decimals = len(digits.partition(".")[2])
    exponent = SCALES.get(unit, 0)
    if match["power"]:
        exponent += int(re.sub(r".*10|[{}^eE+]", "", match["power"], flags=re.DOTALL).translate(RAISED))
    last = exponent - decimals
    if roughly and not decimals:
        last += len(digits) - len(digits.rstrip("0") or "0")
    value = float(f"{digits}e{exponent}")
    return Number(match[0], match.start(), match.end(), value, 0.5 * 10.0**last, unit)
