"""Each patch becomes a token. Average first."""

def image_token(features: Tensor, project: nn.Linear) -> Tensor:
    if features.shape[1] == 0:
        raise ValueError("a picture without patches has no average")
    return project(features)  # (B, 1, D_text)
