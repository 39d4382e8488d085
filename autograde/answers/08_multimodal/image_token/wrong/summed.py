"""The patches are added. Take their average."""

def image_token(features: Tensor, project: nn.Linear) -> Tensor:
    if features.shape[1] == 0:
        raise ValueError("a picture without patches has no average")
    return project(features.sum(1, keepdim=True))  # (B, 1, D_text)
