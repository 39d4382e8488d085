"""Hana, unfinished: `scores` is done, `attention` stops at the mask, the rest is untouched."""
# from: release
# expect: scores=3 attention=0 SelfAttention=0 score_statistics=0 gates_for=0 permute_check=0 gate_cost=0 Classifier=0
# says: Not attempted

# %% scores
def scores(x: Tensor, W_q: Tensor, W_k: Tensor) -> Tensor:
    """The score of every query against every key, without scale and softmax."""
    queries = nn.functional.linear(x, W_q)
    keys = nn.functional.linear(x, W_k)
    return torch.matmul(queries, keys.mT)

# %% attention
def attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention that also returns its gates."""
    s = q @ k.mT / math.sqrt(k.shape[-1])
    # what about the mask?
    raise NotImplementedError
