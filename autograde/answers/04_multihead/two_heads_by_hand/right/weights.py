"""The weights as matrices, and scaled_dot_product_attention for both heads at once."""

def two_heads_by_hand(x):
    W_q = torch.tensor([[2.0, 0, 0], [2, 0, 0]], dtype=x.dtype)
    W_k = torch.tensor([[0.0, 1, 0], [0, 0, 1]], dtype=x.dtype)
    q = (x @ W_q.T).movedim(-1, -2)[..., None]
    k = (x @ W_k.T).movedim(-1, -2)[..., None]
    gates = torch.softmax(q @ k.mT / 1**0.5, dim=-1)
    joined = (gates @ k)[..., 0].mT
    return joined @ torch.tensor([1.0, -1], dtype=x.dtype), joined, gates
