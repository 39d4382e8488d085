"""Jamal, damaged: deleted a test cell that annoyed him. It is put back and run. All points."""
# from: instructor
# damage: first_test_deleted
# expect: scores=3 attention=4 SelfAttention=4 score_statistics=2 gates_for=1 permute_check=1 gate_cost=1 Classifier=2
# says: test_scores was missing

# %% scores
def scores(x: Tensor, W_q: Tensor, W_k: Tensor) -> Tensor:
    """The score of every query against every key, without scale and softmax."""
    pair = W_q.mT @ W_k  # (f, f): both halves in one matrix
    return x @ pair @ x.mT
