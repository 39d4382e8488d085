"""Only the first patch is read. Average all."""

def image_token(features: Tensor, project: nn.Linear) -> Tensor:
    if features.shape[1] == 0:
        raise ValueError("a picture without patches has no average")
    return project(features[:, :1])  # (B, 1, D_text)
