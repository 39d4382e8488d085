"""Gates from an identity matrix seen through a padded window."""

def conv_as_attention(x, kernel):
    k, (h, w) = kernel.shape[-1], x.shape[-2:]
    if k % 2 != 1:
        raise ValueError("k must be odd")
    cells = torch.eye(h * w).view(h * w, h, w)
    padded = torch.zeros(h * w, h + k - 1, w + k - 1)
    padded[:, k // 2 : k // 2 + h, k // 2 : k // 2 + w] = cells
    gates = torch.stack([padded[:, a : a + h, b : b + w].flatten(1).T for a in range(k) for b in range(k)])
    out = torch.einsum("iqk,bck,nci->bnq", gates, x.flatten(2), kernel.flatten(2))
    return out.reshape(len(x), len(kernel), h, w), gates
