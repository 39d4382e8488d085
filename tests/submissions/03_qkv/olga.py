"""Olga, slow: where a query may attend to no key she waits for one to open, for ever. Loses `attention`; the
exercises before and after it are graded."""
# from: instructor
# expect: scores=3 attention=0 SelfAttention=4 score_statistics=2 gates_for=1 permute_check=1 gate_cost=1 Classifier=2
# says: took longer

# %% attention
def attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention that also returns its gates."""
    if q.shape[-1] != k.shape[-1] or k.shape[-2] != v.shape[-2]:
        raise ValueError("the shapes of q, k and v do not fit")
    s = q @ k.mT / math.sqrt(q.shape[-1])  # (..., Tq, Tk)
    if mask is not None:
        while not mask.any(dim=-1).all():
            mask = mask | (mask.sum(dim=-1, keepdim=True) < 0)  # open the rows in which nothing is open
        s = s.masked_fill(~mask, -math.inf)
    gates = s.softmax(dim=-1)
    return gates @ v, gates
