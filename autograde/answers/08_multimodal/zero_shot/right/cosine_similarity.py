"""PyTorch's cosine similarity, class by class."""

def zero_shot(image_embedding, prompts, scale=100.0):
    if len(prompts) < 1 or min(len(p) for p in prompts) < 1:
        raise ValueError("each class needs a prompt, and there must be a class")
    columns = [F.cosine_similarity(image_embedding, F.normalize(p).mean(0, keepdim=True)) for p in prompts]
    scores = torch.stack(columns, 1) * scale
    return (scores - scores.logsumexp(1, keepdim=True)).exp()
