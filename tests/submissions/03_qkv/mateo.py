"""Mateo, damaged: the folder that he handed in is empty. One line says so; no points."""
# file: none
# expect: scores=0 attention=0 SelfAttention=0 score_statistics=0 gates_for=0 permute_check=0 gate_cost=0 Classifier=0
# says: empty
