"""Only the weight of the layer is used, its bias is forgotten. Call the layer."""

def image_token(features: Tensor, project: nn.Linear) -> Tensor:
    if features.shape[1] == 0:
        raise ValueError("a picture without patches has no average")
    return features.mean(1, keepdim=True) @ project.weight.mT  # (B, 1, D_text)
