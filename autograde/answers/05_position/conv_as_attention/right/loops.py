"""Loops over the places of the kernel and over the tokens."""

def conv_as_attention(x, kernel):
    B, C, h, w = x.shape
    n, k = kernel.shape[0], kernel.shape[-1]
    if k % 2 == 0:
        raise ValueError("an even kernel has no middle")
    tokens = x.flatten(2).transpose(1, 2)
    gates, out = [], torch.zeros(B, h * w, n)
    for a in range(k):
        for b in range(k):
            gate = torch.zeros(h * w, h * w)
            for q in range(h * w):
                r, c = q // w + a - k // 2, q % w + b - k // 2
                if 0 <= r < h and 0 <= c < w:
                    gate[q, r * w + c] = 1
            gates.append(gate)
            out = out + gate @ (tokens @ kernel[:, :, a, b].T)
    return out.transpose(1, 2).reshape(B, n, h, w), torch.stack(gates)
