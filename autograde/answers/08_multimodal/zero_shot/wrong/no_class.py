"""No class at all is not checked."""

def zero_shot(image_embedding: Tensor, prompts: Sequence[Tensor], scale: float = 100.0) -> Tensor:
    if any(len(some) == 0 for some in prompts):
        raise ValueError("there must be at least one class, and a prompt for each")
    if not prompts:
        return image_embedding.new_zeros(len(image_embedding), 0)
    means = torch.stack([F.normalize(some, dim=-1).mean(0) for some in prompts])  # (C, D)
    cosines = F.normalize(image_embedding, dim=-1) @ F.normalize(means, dim=-1).mT  # (B, C)
    return (scale * cosines).softmax(-1)
