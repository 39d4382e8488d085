"""Only the rows count: which text belongs to this picture. The columns are missing."""

def clip_loss(img: Tensor, txt: Tensor, scale: Tensor | float) -> Tensor:
    if img.dim() != 2 or img.shape != txt.shape:
        raise ValueError(f"pictures and texts must both be (B, D), got {tuple(img.shape)} and {tuple(txt.shape)}")
    scores = scale * F.normalize(img, dim=-1) @ F.normalize(txt, dim=-1).mT  # (B, B)
    own = torch.arange(len(img))
    return F.cross_entropy(scores, own)
