"""Loops over pictures and queries."""

def attention(q, k, v, mask=None):
    if q.shape[-1] != k.shape[-1]:
        raise ValueError("widths of q and k differ")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError("tokens of k and v differ")
    lead, Tq, Tk, d, n = q.shape[:-2], q.shape[-2], k.shape[-2], q.shape[-1], v.shape[-1]
    allowed = torch.ones(*lead, Tq, Tk, dtype=torch.bool)
    if mask is not None:
        allowed = allowed & mask
    outs, all_gates = [], []
    for Q, K, V, M in zip(q.reshape(-1, Tq, d), k.reshape(-1, Tk, d), v.reshape(-1, Tk, n), allowed.reshape(-1, Tq, Tk)):
        for i in range(Tq):
            if not M[i].any():
                raise ValueError(f"query {i} may attend to nothing")
            s = torch.stack([Q[i] @ K[j] / math.sqrt(d) if M[i, j] else torch.tensor(-math.inf, dtype=q.dtype) for j in range(Tk)])
            g = torch.softmax(s, dim=0)
            all_gates.append(g)
            outs.append(sum(g[j] * V[j] for j in range(Tk)))
    return torch.stack(outs).reshape(*lead, Tq, n), torch.stack(all_gates).reshape(*lead, Tq, Tk)
