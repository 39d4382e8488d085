"""Logarithms of sums, and the diagonal."""

def clip_loss(img, txt, scale):
    if img.shape != txt.shape or img.ndim != 2:
        raise ValueError("give two tensors of one shape (B, D)")
    u = img / img.norm(dim=1, keepdim=True)
    v = txt / txt.norm(dim=1, keepdim=True)
    s = torch.einsum("id,jd->ij", u, v) * scale
    right = s.diagonal()
    return 0.5 * (s.logsumexp(1) - right).mean() + 0.5 * (s.logsumexp(0) - right).mean()
