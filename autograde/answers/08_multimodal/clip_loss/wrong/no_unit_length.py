"""The vectors are not made unit length: long ones win."""

def clip_loss(img: Tensor, txt: Tensor, scale: Tensor | float) -> Tensor:
    if img.dim() != 2 or img.shape != txt.shape:
        raise ValueError(f"pictures and texts must both be (B, D), got {tuple(img.shape)} and {tuple(txt.shape)}")
    scores = scale * img @ txt.mT  # (B, B)
    own = torch.arange(len(img))
    return (F.cross_entropy(scores, own) + F.cross_entropy(scores.mT, own)) / 2
