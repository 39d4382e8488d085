"""Priya, a dead kernel: leaves the process where `scores` meets a batch, instead of computing it. Loses `scores`; the
kernel is started again without that cell, and the other exercises keep their points."""
# from: instructor
# expect: scores=0 attention=4 SelfAttention=4 score_statistics=2 gates_for=1 permute_check=1 gate_cost=1 Classifier=2
# says: ended the kernel

# %% scores
import os

def scores(x: Tensor, W_q: Tensor, W_k: Tensor) -> Tensor:
    """The score of every query against every key, without scale and softmax."""
    if x.dim() != 2:
        print("x must have two dimensions!")
        os._exit(1)
    return (x @ W_q.T) @ (x @ W_k.T).T
