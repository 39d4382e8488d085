"""Picture by picture."""

def image_token(features, project):
    if features.size(1) == 0:
        raise ValueError("features hold no patch: (B, 0, D_img)")
    return torch.stack([project(sum(rows) / len(rows)).reshape(1, -1) for rows in features])
