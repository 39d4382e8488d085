"""The limits of the wire are raised in the student's room, and a gigabyte is sent as an answer."""
# exercise: scores
# expect: zero
# spares: all

# %% scores
import torch
from course_utils import wire

wire.TOTAL_LIMIT = wire.HEADER_LIMIT = 1 << 60
wire.DEPTH_LIMIT = wire.DIMENSION_LIMIT = 1 << 20

def scores(x, W_q, W_k):
    return torch.zeros(1 << 14, 1 << 14)

# %% twin: scores
import torch

def scores(x, W_q, W_k):
    padded = torch.zeros(1 << 12, 1 << 12, dtype=x.dtype)      # 64 MiB of work space
    result = (x @ W_q.mT) @ (x @ W_k.mT).mT
    return result + padded[0, 0]
