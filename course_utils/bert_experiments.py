"""Lesson 07: a tiny BERT watched while it trains, one that has nothing to guess, and the time that a sentence takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.sentences import LENGTH, MASK, PAD, WORDS, Corpus
from course_utils.text_net import TextNet, hide
from course_utils.training import seeded

__all__ = ["Attention", "Watched", "best", "copier", "guesses", "hits", "seconds", "step_by_step", "unigram", "watch"]

#: Sentences of an update, and the learning rate at the start; it falls to 0 in a straight line.
BATCH, LR = 64, 3e-3


class Watched(NamedTuple):
    """A trained `model`; after each of `updates` its `guesses` (n, words), gates of the watched place; all `losses`."""

    model: TextNet
    updates: tuple[int, ...]
    guesses: Tensor
    losses: list[float]


def watch(
    data: Tensor, sentence: str, *, updates: int, looks: Sequence[int], seed: int, norm_first: bool = True,
    show: bool = True,
) -> Watched:  # fmt: skip
    """Train a tiny BERT to fill hidden words, and look at its guess for `sentence` after so many updates.

    Args:
        data: (n, T) sentences.
        sentence: one with [MASK] in it.
        updates: how many.
        looks: after which of them to look; 0 is before the first.
        seed: of the weights, the sentences and the words that are hidden.
        norm_first: pre-norm or post-norm.
        show: print one line that follows the training.

    Raises:
        ValueError: a look after the last update.
    """
    if not looks or max(looks) > updates:
        raise ValueError(f"looks must lie within the {updates} updates, not {list(looks)}.")
    model = seeded(lambda: TextNet(len(WORDS), LENGTH, norm_first=norm_first), seed)
    assert isinstance(model, TextNet)
    drawn, optimiser = torch.Generator().manual_seed(seed), torch.optim.Adam(model.parameters(), lr=LR)
    falling = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.01, updates)
    seen_at: list[Tensor] = []
    losses: list[float] = []
    start = time.process_time()
    for update in range(updates + 1):
        if update in looks:
            seen_at.append(guesses(model, sentence))
        if show and update and update % 25 == 0:
            _follow(update, updates, losses[-1], sentence, seen_at[-1], time.process_time() - start)
        if update < updates:
            hidden, labels = hide(data[torch.randint(len(data), (BATCH,), generator=drawn)], drawn)
            losses.append(_learn(model, optimiser, hidden, labels))
            falling.step()
    model.eval()
    return Watched(model, tuple(sorted(looks)), torch.stack(seen_at), losses)


def copier(data: Tensor, *, updates: int, seed: int) -> TextNet:
    """A tiny BERT that sees every word and is asked for every word: nothing is hidden."""
    model = seeded(lambda: TextNet(len(WORDS), LENGTH), seed)
    assert isinstance(model, TextNet)
    drawn, optimiser = torch.Generator().manual_seed(seed), torch.optim.Adam(model.parameters(), lr=LR)
    for _ in range(updates):
        ids = data[torch.randint(len(data), (BATCH,), generator=drawn)]
        _learn(model, optimiser, ids, ids.masked_fill(ids == PAD, -100))
    return model.eval()


@torch.no_grad()
def guesses(model: nn.Module, sentence: str) -> Tensor:
    """Probabilities of all words (words,) for the first [MASK] of a sentence.

    Raises:
        ValueError: nothing is hidden.
    """
    ids = WORDS.encode(sentence)
    if MASK not in ids:
        raise ValueError(f"there is no [MASK] in {sentence!r}.")
    scores: Tensor = model(ids[None])[0, ids.tolist().index(MASK)]  # (words,)
    return scores.softmax(-1)


def best(probabilities: Tensor, count: int) -> dict[str, float]:
    """The `count` likeliest words with their probabilities."""
    top = probabilities.topk(count)
    return {WORDS.words[i]: p for i, p in zip(top.indices.tolist(), top.values.tolist(), strict=True)}


@torch.no_grad()
def hits(model: nn.Module, data: Corpus, seed: int) -> float:
    """How often the best guess for a hidden word is right, over sentences (n, T)."""
    hidden, labels = hide(data.ids, torch.Generator().manual_seed(seed))
    right = model(hidden).argmax(-1) == labels  # (n, T)
    return float(right[labels >= 0].float().mean())


def unigram(data: Tensor) -> Tensor:
    """The share of each word (words,) among the real words of sentences (n, T): what one guesses without reading."""
    counts = torch.bincount(data.flatten(), minlength=len(WORDS)).double()
    counts[: MASK + 1] = 0  # the specials are never hidden
    return counts / counts.sum()


class Attention(nn.Module):
    """One attention layer of one head: all places at once."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.project = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        """From (B, T, width) to (B, T, width)."""
        q, k, v = self.project(x).chunk(3, -1)  # (B, T, width) each
        mixed: Tensor = self.out(F.scaled_dot_product_attention(q, k, v))
        return mixed


def step_by_step(cell: nn.RNNCell, x: Tensor) -> tuple[Tensor, int]:
    """A recurrent cell along (B, T, width): its states (B, T, width), and how many steps it took, one after another."""
    state, states = x.new_zeros(len(x), cell.hidden_size), []
    for word in x.unbind(1):
        state = cell(word, state)  # needs the state before it
        states.append(state)
    return torch.stack(states, 1), len(states)


@torch.no_grad()
def seconds(run: Callable[[Tensor], Any], lengths: Sequence[int], width: int = 64, repeats: int = 5) -> list[float]:
    """Wall seconds of `run` on one sentence (1, T, width) of each length: the best of several."""
    found = []
    for length in lengths:
        x, spent = torch.randn(1, length, width), []
        for _ in range(repeats):
            start = time.perf_counter()
            run(x)
            spent.append(time.perf_counter() - start)
        found.append(min(spent))
    return found


def _learn(model: nn.Module, optimiser: torch.optim.Optimizer, ids: Tensor, labels: Tensor) -> float:
    loss = F.cross_entropy(model(ids).flatten(0, 1), labels.flatten())
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    return loss.item()


def _follow(update: int, updates: int, loss: float, sentence: str, guess: Tensor, spent: float) -> None:
    """One line that is written over itself: the sentence with its best guess at the last look."""
    ((word, p),) = best(guess, 1).items()
    filled = sentence.replace("[MASK]", f"[{word} {p:.2f}]")
    end = "\n" if update == updates else ""
    print(f"\rupdate {update} of {updates} · loss {loss:.2f} · {spent:.0f} s · {filled:40}", end=end, flush=True)
