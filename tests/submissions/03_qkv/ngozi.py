"""Ngozi, damaged: handed in the second download, `hw (1).ipynb`. It is recognised by its cells. All points."""
# from: instructor
# file: hw (1).ipynb
# expect: scores=3 attention=4 SelfAttention=4 score_statistics=2 gates_for=1 permute_check=1 gate_cost=1 Classifier=2
# says: hw (1).ipynb

# %% attention
def attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention that also returns its gates."""
    if q.shape[-1] != k.shape[-1]:
        raise ValueError("widths differ")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError("numbers of tokens differ")
    s = q / math.sqrt(q.shape[-1]) @ k.mT  # (..., Tq, Tk)
    if mask is None:
        mask = torch.ones_like(s, dtype=torch.bool)
    if (~mask).all(-1).any():
        raise ValueError("nothing to attend to")
    weights = torch.where(mask, (s - s.masked_fill(~mask, -math.inf).amax(-1, keepdim=True)).clamp(max=0).exp(), 0)
    gates = weights / weights.sum(-1, keepdim=True)
    return gates @ v, gates
