"""Ingrid, damaged: a hosted editor dropped all metadata, cell ids and the kernel's name. Her cells are found
by their text. All points."""
# from: instructor
# damage: metadata_lost
# expect: scores=3 attention=4 SelfAttention=4 score_statistics=2 gates_for=1 permute_check=1 gate_cost=1 Classifier=2
# says: without their grading marks

# %% scores
def scores(x: Tensor, W_q: Tensor, W_k: Tensor) -> Tensor:
    """The score of every query against every key, without scale and softmax.

    Args:
        x: (..., T, f) tokens with their features.
        W_q: (d, f) weights of the queries.
        W_k: (d, f) weights of the keys.

    Returns:
        (..., T, T) scores; rows are queries, columns are keys.
    """
    q, k = x @ W_q.mT, x @ W_k.mT
    return (q.unsqueeze(-2) * k.unsqueeze(-3)).sum(-1)
