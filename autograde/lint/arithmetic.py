"""Arithmetic that prose writes out, `14 · 14 = 196`: evaluated, so that it backs its numbers or is refused."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from autograde.lint.numerals import NUMBER, Number, numbers

FRACTIONS = {"½": 1 / 2, "⅓": 1 / 3, "⅔": 2 / 3, "¼": 1 / 4, "¾": 3 / 4, "⅛": 1 / 8, "⅕": 1 / 5}
RAISED = {"²": 2, "³": 3, "⁴": 4, "⁵": 5, "⁶": 6, "⁷": 7, "⁸": 8, "⁹": 9}
#: TeX as plain signs; the other commands of TeX are no arithmetic.
TEX = {r"\cdot": "·", r"\times": "×", r"\sqrt": "√", r"\ln": "ln", r"\exp": "exp", r"\frac12": "½"}
TOKEN = re.compile(
    rf"(?P<gap>[\s$]+|\\[,;! ])|(?P<number>{NUMBER.pattern})"
    rf"|(?P<fraction>[{''.join(FRACTIONS)}])|(?P<raised>[{''.join(RAISED)}])"
    r"|(?P<sign>\\cdot|\\times|\\sqrt|\\ln|\\exp|[-−+·×*/÷^()√{}%]|\bln\b|\bexp\b)|(?P<equal>=)"
)
MINUS, TIMES, OVER = ("-", "−"), ("·", "×", "*"), ("/", "÷")
SIGNS = ("+", "^", *MINUS, *TIMES, *OVER)


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Equation:
    """Arithmetic and what the text says it gives; `value` is what it gives."""

    start: int
    end: int
    left: str
    value: float
    stated: Number

    @property
    def holds(self) -> bool:
        return self.stated.agrees(self.value)


def equations(text: str) -> Iterator[Equation]:
    """Every `arithmetic = number` of a text; with several signs (a = b = c) each side is compared with its left one."""
    stated = {number.start: number for number in numbers(text)}
    for run in _runs(text):
        cuts = [number for number, token in enumerate(run) if token.kind == "equal"]
        for before, cut, after in zip([-1, *cuts], cuts, [*cuts[1:], len(run)], strict=False):
            left = _last_expression(run[before + 1 : cut])
            right = run[cut + 1 : after]
            if right and right[0].text in MINUS:
                right = right[1:]
            if left is None or not right or right[0].start not in stated or _goes_on(right[1:]):
                continue
            tokens, value = left
            if tokens[0].text == "(" and re.search(r"[\w}]\s*$", text[: tokens[0].start]):
                continue  # a function of it, which is not known here
            number = stated[right[0].start]
            yield Equation(tokens[0].start, number.end, text[tokens[0].start : tokens[-1].end], value, number)


def _runs(text: str) -> Iterator[list[Token]]:
    """Stretches of tokens of arithmetic without another word between them."""
    run: list[Token] = []
    position = 0
    while position < len(text):
        match = TOKEN.match(text, position)
        if match is None or "\n\n" in match[0]:
            yield run
            run = []
            position += 1
            continue
        kind = str(match.lastgroup if match.lastgroup in ("gap", "fraction", "raised", "sign", "equal") else "number")
        if kind != "gap":
            run.append(Token(kind, TEX.get(match[0], match[0]), match.start(), match.end()))
        position = match.end()
    yield run


def _goes_on(rest: list[Token]) -> bool:
    """Is what stands behind a number arithmetic with it, so that the number alone is not the result?"""
    first = rest[0].text if rest else ""
    return first in ("^", *RAISED) or (first in ("+", *MINUS, *TIMES, *OVER) and len(rest) > 1)


def _last_expression(tokens: list[Token]) -> tuple[list[Token], float] | None:
    """The longest arithmetic at the end of the tokens, with its value.

    None for a number alone, and where a sign leads into it from something that is no number: k - 1 · 2.
    """
    for start in range(len(tokens)):
        part = tokens[start:]
        if len(part) < 2 or part[0].text in MINUS or (start and tokens[start - 1].text in SIGNS):
            return None
        try:
            value = _Parser(part).value()
        except (ValueError, ZeroDivisionError, OverflowError):
            continue
        return part, value
    return None


class _Parser:
    """Sums of products of powers. A ValueError means: this is no arithmetic."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens, self._at = tokens, 0

    def value(self) -> float:
        result = self._sum()
        if self._at < len(self._tokens):
            raise ValueError(self._tokens[self._at].text)
        return result

    def _next(self) -> str:
        return self._tokens[self._at].text if self._at < len(self._tokens) else ""

    def _take(self, *wanted: str) -> bool:
        found = self._next() in wanted
        self._at += found
        return found

    def _sum(self) -> float:
        result = -self._product() if self._take(*MINUS) else self._product()
        while self._next() in ("+", *MINUS):
            result += self._product() if self._take("+") else -self._minus()
        return result

    def _minus(self) -> float:
        self._take(*MINUS)
        return self._product()

    def _product(self) -> float:
        result = self._power()
        while self._next() in (*TIMES, *OVER):
            if self._take(*TIMES):
                result *= self._power()
            else:
                self._take(*OVER)
                result /= self._power()
        return result

    def _power(self) -> float:
        base = self._atom()
        while self._next() in ("^", "%", *RAISED):
            sign = self._next()
            self._at += 1
            base = base * 0.01 if sign == "%" else base ** (self._atom() if sign == "^" else RAISED[sign])
        return float(base)

    def _atom(self) -> float:
        if self._at >= len(self._tokens):
            raise ValueError("nothing left")
        token = self._tokens[self._at]
        self._at += 1
        if token.text in ("(", "{"):
            inside = self._sum()
            if not self._take(")", "}"):
                raise ValueError("a bracket is open")
            return inside
        if token.text in ("√", "ln", "exp"):
            return {"√": math.sqrt, "ln": math.log, "exp": math.exp}[token.text](self._atom())
        if token.kind == "fraction":
            return FRACTIONS[token.text]
        if token.kind == "number":
            return next(number.value for number in numbers(token.text))
        raise ValueError(token.text)
