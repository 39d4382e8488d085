"""Sentences from a small grammar, with a vocabulary of whole words: enough English to train a tiny BERT on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import NamedTuple

import torch
from torch import Tensor

__all__ = ["CLS", "LENGTH", "MASK", "PAD", "SEP", "SPECIALS", "UNK", "WORDS", "Corpus", "Vocabulary", "corpus", "every"]

#: The five special tokens of BERT, first in the vocabulary, and their ids.
SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
PAD, UNK, CLS, SEP, MASK = range(5)

#: Who, with what they do there and where they do it. Any word of a row goes with any other word of it.
_LIFE: tuple[tuple[str, str, str], ...] = (
    ("cat kitten", "sat slept", "on the mat|on the sofa"),
    ("dog puppy", "stood barked", "on the grass|in the yard"),
    ("cow horse", "ate ran", "in the field|in the barn"),
    ("bird eagle", "flew circled", "in the sky|over the roof"),
    ("boat ship", "sailed drifted", "on the sea|on the lake"),
    ("fish shark", "swam hid", "in the water|under the bridge"),
    ("boy girl", "read wrote", "in the school|at the table"),
    ("train bus", "stopped waited", "at the station|in the town"),
)
_LOOKS = ["red", "blue", "green", "grey", "black", "white", "old", "young", "big", "small"]
#: Who cut what with what: here a word depends on two others.
_WORK: tuple[tuple[str, str, str, str], ...] = (
    ("cook baker", "cut", "bread cheese meat", "knife"),
    ("cook baker", "stirred", "soup tea milk", "spoon"),
    ("farmer gardener", "dug", "hole garden", "spade"),
    ("farmer gardener", "watered", "rose tree", "hose"),
    ("painter artist", "painted", "wall door picture", "brush"),
    ("carpenter smith", "hit", "nail iron", "hammer"),
)
#: One spelling, two words: "bank" and "bat".
_BANK_MONEY = (
    "the {} put the money in the bank",
    "the {} took the coins from the bank",
    "the bank lent money to the {}",
)
_BANK_RIVER = ("the {} fished from the bank of the river", "the {} sat by the bank of the stream")
_BAT_ANIMAL = ("the {} saw a bat in the cave", "a bat flew from the cave at night")
_BAT_SPORT = ("the {} swung the bat at the ball", "the {} hit the ball with the bat")
_PEOPLE = ["man", "woman", "clerk", "farmer", "teacher", "student"]


def _life() -> list[str]:
    return [
        f"{article} {look} {who} {does} {where}".replace("a old", "an old")
        for whos, doings, wheres in _LIFE
        for article, look, who, does, where in product(
            ("the", "a"), _LOOKS, whos.split(), doings.split(), wheres.split("|")
        )
    ] + [
        f"the {who} {does} {where}"
        for whos, doings, wheres in _LIFE
        for who, does, where in product(whos.split(), doings.split(), wheres.split("|"))
    ]


def _work() -> list[str]:
    return [
        f"the {who} {does} the {what} with the {tool}"
        for whos, does, whats, tool in _WORK
        for who, what in product(whos.split(), whats.split())
    ]


def _twofold() -> list[str]:
    every_form = (*_BANK_MONEY, *_BANK_RIVER, *_BAT_ANIMAL, *_BAT_SPORT)
    return sorted({form.format(who) for form in every_form for who in _PEOPLE})


#: How often each kind of sentence is drawn: life, work, words with two meanings.
_SHARES = (0.5, 0.25, 0.25)


def every() -> tuple[tuple[str, ...], ...]:
    """All sentences that the grammar makes, in three kinds: life, work, words with two meanings."""
    return tuple(map(tuple, (_life(), _work(), _twofold())))


class Vocabulary:
    """Words and their ids: the specials first, then the words in the order given.

    Raises:
        ValueError: a word twice, or one that is a special.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self.words = (*SPECIALS, *words)
        self._ids = {word: id for id, word in enumerate(self.words)}
        if len(self._ids) < len(self.words):
            raise ValueError("each word must stand once in a vocabulary, and no special among them.")

    def __len__(self) -> int:
        return len(self.words)

    def id(self, word: str) -> int:
        """The id of a word or special; that of [UNK] for a word that is not in the vocabulary."""
        return self._ids.get(word, UNK)

    def encode(self, sentences: str | Sequence[str], length: int | None = None) -> Tensor:
        """Ids of sentences whose words are separated by spaces: [CLS], the words, [SEP], then [PAD] up to `length`.

        Args:
            sentences: one, or several.
            length: tokens of a row; None: as many as the longest needs.

        Returns:
            (T,) for one sentence, (n, T) for several; int64.

        Raises:
            ValueError: a sentence needs more than `length` tokens.
        """
        if isinstance(sentences, str):
            return self.encode([sentences], length)[0]
        rows = [[CLS, *map(self.id, sentence.split()), SEP] for sentence in sentences]
        longest = max(map(len, rows), default=0)
        if length is not None and longest > length:
            raise ValueError(f"the longest sentence needs {longest} tokens, and length is {length}.")
        return torch.tensor([row + [PAD] * ((length or longest) - len(row)) for row in rows], dtype=torch.long)

    def decode(self, ids: Tensor) -> str:
        """The tokens of one row (T,) as text, without [PAD].

        Raises:
            ValueError: ids of another shape.
        """
        if ids.dim() != 1:
            raise ValueError(f"decode takes one row of ids (T,), not {tuple(ids.shape)}.")
        return " ".join(self.words[id] for id in ids.tolist() if id != PAD)


#: The vocabulary of this grammar.
WORDS = Vocabulary(sorted({word for kind in every() for sentence in kind for word in sentence.split()}))
#: Tokens of the longest sentence, with [CLS] and [SEP].
LENGTH = max(len(sentence.split()) for kind in every() for sentence in kind) + 2


class Corpus(NamedTuple):
    """Sentences: `text`, a tuple of n; `ids` (n, LENGTH), with [PAD]; `real` (n, LENGTH), True where no padding is."""

    text: tuple[str, ...]
    ids: Tensor
    real: Tensor


def corpus(count: int, seed: int) -> Corpus:
    """So many sentences, drawn with replacement: half of life, a quarter of work, a quarter with "bank" or "bat".

    The same arguments give the same sentences.

    Raises:
        ValueError: a negative count.
    """
    if count < 0:
        raise ValueError(f"count must not be negative, got {count}.")
    drawn = torch.Generator().manual_seed(seed)
    kinds = every()
    weights = torch.cat(
        [torch.full((len(kind),), share / len(kind)) for kind, share in zip(kinds, _SHARES, strict=True)]
    )
    sentences = [sentence for kind in kinds for sentence in kind]
    chosen = torch.multinomial(weights, count, replacement=True, generator=drawn) if count else torch.zeros(0).long()
    text = tuple(sentences[i] for i in chosen.tolist())
    ids = WORDS.encode(text, LENGTH) if count else torch.zeros(0, LENGTH, dtype=torch.long)
    return Corpus(text, ids, ids != PAD)
