"""One query after the other, with the global seed and lists."""

def score_statistics(d, sigma=1.0, keys=144, queries=500, seed=0):
    torch.manual_seed(seed)
    all_scores, largest, scaled = [], [], []
    for _ in range(queries):
        q = torch.randn(d) * sigma
        k = torch.randn(keys, d) * sigma
        s = k @ q
        all_scores.extend(s.tolist())
        largest.append(float(s.softmax(0).max()))
        scaled.append(float((s / math.sqrt(d)).softmax(0).max()))
    mean = sum(all_scores) / len(all_scores)
    spread = math.sqrt(sum((s - mean) ** 2 for s in all_scores) / len(all_scores))
    return {
        "predicted": sigma * sigma * d**0.5,
        "measured": spread,
        "largest": sum(largest) / queries,
        "largest_scaled": sum(scaled) / queries,
    }
