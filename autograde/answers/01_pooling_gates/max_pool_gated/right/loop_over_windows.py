"""Window by window, without the functions of exercises 1 and 2."""

def max_pool_gated(x, k):
    B, C, h, w = x.shape
    if k < 1 or h % k or w % k: raise ValueError("k")
    out, gates = [], []
    for i in range(0, h, k):
        for j in range(0, w, k):
            v = x[:, :, i:i+k, j:j+k].reshape(B, C, k*k)
            g = F.one_hot(v.argmax(-1), k*k).to(x.dtype)
            out.append((v*g).sum(-1)); gates.append(g)
    out = torch.stack(out, -1).view(B, C, h//k, w//k)
    return out, torch.stack(gates, 2).view(B, C, h//k, w//k, k*k)
