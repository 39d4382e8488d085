"""A tiny BERT from PyTorch's own layers: tokens in, a guess for each place out; other tokens may stand before them."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.sentences import CLS, MASK, PAD, SEP

__all__ = ["TextNet", "hide", "pretrain"]

#: The label of a place that the loss leaves out; what `F.cross_entropy` ignores unless it is told otherwise.
IGNORED = -100


class TextNet(nn.Module):
    """Embedding + learned position, a stack of encoder blocks, layer normalisation, scores for each word.

    Args:
        words: size of the vocabulary.
        length: most tokens of a sentence.
        width: numbers in a token.
        heads, blocks: of the encoder.
        norm_first: pre-norm (as this course does) or post-norm (as BERT was).
        tied: the scores use the rows of the embedding.
    """

    def __init__(
        self,
        words: int,
        length: int,
        *,
        width: int = 32,
        heads: int = 2,
        blocks: int = 2,
        norm_first: bool = True,
        tied: bool = True,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        nn.init.normal_(self.embedding.weight, std=width**-0.5)  # then tied scores start near 1
        self.place = nn.Parameter(0.02 * torch.randn(length, width))
        layer = nn.TransformerEncoderLayer(
            width, heads, 4 * width, dropout=0.0, activation="gelu", batch_first=True, norm_first=norm_first
        )
        self.encoder = nn.TransformerEncoder(layer, blocks, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(width)
        self.scores = nn.Linear(width, words)
        nn.init.zeros_(self.scores.bias)
        if tied:
            self.scores.weight = self.embedding.weight

    def read(self, ids: Tensor, before: Tensor | None = None) -> Tensor:
        """The words (B, T, width) after the encoder; places with [PAD] are not read.

        Args:
            ids: (B, T) words.
            before: (B, N, width) other tokens, which stand before the words, such as those of a picture.
        """
        x = self.embedding(ids) + self.place[: ids.shape[1]]  # (B, T, width)
        padding = ids == PAD  # (B, T)
        if before is not None:
            x = torch.cat([before, x], 1)  # (B, N + T, width)
            padding = F.pad(padding, (before.shape[1], 0))  # (B, N + T)
        x = self.norm(self.encoder(x, src_key_padding_mask=padding))
        return x[:, -ids.shape[1] :]  # (B, T, width)

    def forward(self, ids: Tensor, before: Tensor | None = None) -> Tensor:
        """Scores (B, T, words) for the word at each place."""
        return self.scores(self.read(ids, before))


def hide(ids: Tensor, drawn: torch.Generator, rate: float = 0.15) -> tuple[Tensor, Tensor]:
    """Sentences with words hidden behind [MASK], and the labels: the hidden words, -100 elsewhere; both (B, T).

    Simpler than BERT: each hidden word becomes [MASK]. [CLS], [SEP] and [PAD] are never hidden.

    Args:
        ids: (B, T) words; they stay as they are.
        drawn: the generator that decides which.
        rate: how likely a word is hidden.
    """
    special = (ids == CLS) | (ids == SEP) | (ids == PAD)
    chosen = (torch.rand(ids.shape, generator=drawn) < rate) & ~special
    return ids.masked_fill(chosen, MASK), ids.masked_fill(~chosen, IGNORED)


def pretrain(
    model: nn.Module, ids: Tensor, *, updates: int, lr: float = 3e-3, batch: int = 64, seed: int = 0
) -> list[float]:
    """Train `model` in place to fill hidden words, with Adam; returns the loss of each update.

    Args:
        model: from ids (B, T) to scores (B, T, words).
        ids: (n, T) sentences.
        updates: how many.
        lr: the learning rate.
        batch: sentences of an update.
        seed: decides which sentences and words; torch's own generator is not touched.

    Raises:
        ValueError: nothing to train on.
    """
    if not len(ids):
        raise ValueError("there are no sentences to train on.")
    drawn, optimiser = torch.Generator().manual_seed(seed), torch.optim.Adam(model.parameters(), lr=lr)
    losses: list[float] = []
    model.train()
    for _ in range(updates):
        rows = torch.randint(len(ids), (batch,), generator=drawn)
        seen, labels = hide(ids[rows], drawn)
        if (labels == IGNORED).all():  # a batch of short sentences may have nothing hidden
            continue
        loss = F.cross_entropy(model(seen).flatten(0, 1), labels.flatten(), ignore_index=IGNORED)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    model.eval()
    return losses
