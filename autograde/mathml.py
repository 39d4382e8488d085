"""Turns the TeX in a cleaned page into MathML, which browsers draw without a script and screen readers speak.

MathJax is a script, and would have to be loaded. What cannot be converted stays readable as TeX.
"""

from __future__ import annotations

import html
import re
from functools import lru_cache
from html.parser import HTMLParser
from xml.etree.ElementTree import Element

from latex2mathml.converter import convert_to_element

#: `$x$`, `$$x$$` and environments, as a browser's MathJax would find them; prices ("$5 or $6") are no formula.
TEX = re.compile(
    r"\$\$(?P<block>[^$]+)\$\$"
    r"|(?<![\\$])\$(?P<inline>[^\s$](?:[^$\n]*[^\s$\\])?)\$(?![\d$])"
    r"|(?P<environment>\\begin\{(?P<name>[a-z]+\*?)\}.*?\\end\{(?P=name)\})",
    re.DOTALL,
)
LONGEST = 2_000
#: Elements and attributes of MathML that only draw. No link, no style, no class, nothing that holds HTML.
_ELEMENTS = """math mrow mi mn mo mtext mspace msup msub msubsup munder mover munderover mfrac msqrt mroot mtable mtr
mtd mpadded mphantom mstyle"""
_ATTRIBUTES = """display mathvariant stretchy fence form separator accent accentunder lspace rspace width minsize
maxsize linethickness columnalign rowspacing columnspacing movablelimits displaystyle scriptlevel"""
TAGS, ATTRIBUTES = frozenset(_ELEMENTS.split()), frozenset(_ATTRIBUTES.split())
VALUE = re.compile(r"[\w.% -]*")
#: Here a dollar is a dollar.
VERBATIM = frozenset({"code", "pre", "kbd", "a"})


def typeset(page: str) -> str:
    """Convert the math in the text of clean, well-formed HTML; tags, code and links stay as they are."""
    typesetter = _Typesetter()
    typesetter.feed(page)
    typesetter.close()
    return typesetter.result()


class _Typesetter(HTMLParser):
    """Copies HTML; the text between two tags is searched for math."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self._done: list[str] = []
        self._text: list[str] = []
        self._verbatim = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._flush()
        self._done.append(self.get_starttag_text() or "")
        self._verbatim += tag in VERBATIM

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self._flush()
        self._done.append(self.get_starttag_text() or "")

    def handle_endtag(self, tag: str) -> None:
        self._flush()
        self._done.append(f"</{tag}>")
        self._verbatim -= tag in VERBATIM and self._verbatim > 0

    def handle_data(self, data: str) -> None:
        self._text.append(data)

    def handle_entityref(self, name: str) -> None:
        self._text.append(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._text.append(f"&#{name};")

    def _flush(self) -> None:
        text = "".join(self._text)
        self._text.clear()
        self._done.append(text if self._verbatim else TEX.sub(_converted, text))

    def result(self) -> str:
        self._flush()
        return "".join(self._done)


def _converted(match: re.Match[str]) -> str:
    tex = html.unescape(match["block"] or match["inline"] or match["environment"]).strip()
    drawn = mathml(tex, block=match["inline"] is None)
    return drawn or f'<span class="tex">{match[0]}</span>'


@lru_cache(maxsize=2_000)
def mathml(tex: str, *, block: bool = False) -> str:
    """One formula as MathML; empty when it cannot be converted."""
    if not tex or len(tex) > LONGEST:
        return ""
    try:
        return _written(convert_to_element(tex, display="block" if block else "inline"))
    except Exception:  # whatever a student wrote between dollars: the TeX itself can be read
        return ""


def _written(element: Element) -> str:
    """The element with its known parts only; the text in it is escaped, which the library does not do."""
    tag = str(element.tag)
    inside = html.escape(html.unescape(element.text or "")) + "".join(_written(child) for child in element)
    tail = html.escape(html.unescape(element.tail or ""))
    if tag not in TAGS:
        return f"<mrow>{inside}</mrow>{tail}"
    kept = [(name, value) for name, value in element.attrib.items() if name in ATTRIBUTES and VALUE.fullmatch(value)]
    attributes = "".join(f' {name}="{value}"' for name, value in kept)
    return f"<{tag}{attributes}>{inside}</{tag}>{tail}"
