"""With torch, results as tensors of one number."""

def adam_reach(lrs):
    return torch.tensor(list(lrs), dtype=torch.float64).sum()

def needed_bias(n, share=0.5):
    if not n >= 2:
        raise ValueError("n")
    if not (share > 0 and share < 1):
        raise ValueError("share")
    return torch.logit(torch.tensor(share, dtype=torch.float64)) + math.log(n - 1)
