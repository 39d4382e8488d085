"""Loops over all pairs, batch dimensions flattened and restored."""

def scores(x, W_q, W_k):
    *lead, T, f = x.shape
    flat = x.reshape(-1, T, f)
    pictures = []
    for picture in flat:
        rows = []
        for i in range(T):
            query = W_q @ picture[i]
            rows.append(torch.stack([query @ (W_k @ picture[j]) for j in range(T)]))
        pictures.append(torch.stack(rows))
    return torch.stack(pictures).reshape(*lead, T, T)
