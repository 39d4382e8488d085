"""The pictures are not made unit length."""

def zero_shot(image_embedding: Tensor, prompts: Sequence[Tensor], scale: float = 100.0) -> Tensor:
    if len(prompts) == 0 or any(len(some) == 0 for some in prompts):
        raise ValueError("there must be at least one class, and a prompt for each")
    means = torch.stack([F.normalize(some, dim=-1).mean(0) for some in prompts])  # (C, D)
    cosines = image_embedding @ F.normalize(means, dim=-1).mT  # (B, C)
    return (scale * cosines).softmax(-1)
