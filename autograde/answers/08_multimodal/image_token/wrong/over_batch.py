"""Averaged over the batch as well: all pictures get one token."""

def image_token(features: Tensor, project: nn.Linear) -> Tensor:
    if features.shape[1] == 0:
        raise ValueError("a picture without patches has no average")
    return project(features.mean((0, 1), keepdim=True)).expand(len(features), -1, -1)  # (B, 1, D_text)
