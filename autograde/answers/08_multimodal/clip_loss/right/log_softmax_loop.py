"""Pair by pair."""

def clip_loss(img, txt, scale):
    if img.dim() != 2 or txt.dim() != 2 or img.shape != txt.shape:
        raise ValueError("pictures and texts do not fit")
    u, v = F.normalize(img), F.normalize(txt)
    s = (u @ v.t()) * scale
    rows, columns = s.log_softmax(1), s.log_softmax(0)
    total = 0
    for i in range(len(s)):
        total = total - rows[i, i] - columns[i, i]
    return total / (2 * len(s))
