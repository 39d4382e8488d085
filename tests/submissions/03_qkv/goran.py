"""Goran, unfinished: handed in the notebook as it was released. No points, "not attempted" everywhere."""
# from: release
# expect: scores=0 attention=0 SelfAttention=0 score_statistics=0 gates_for=0 permute_check=0 gate_cost=0 Classifier=0
# says: Not attempted
