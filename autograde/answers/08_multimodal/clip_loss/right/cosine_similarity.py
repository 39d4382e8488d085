"""PyTorch's cosine similarity of all pairs."""

def clip_loss(img, txt, scale):
    if len(img.shape) != 2 or tuple(img.shape) != tuple(txt.shape):
        raise ValueError(f"not two (B, D): {img.shape}, {txt.shape}")
    s = scale * F.cosine_similarity(img[:, None], txt[None], dim=-1)
    labels = torch.eye(len(s))
    return torch.stack([F.cross_entropy(s, labels), F.cross_entropy(s.T, labels)]).mean()
