"""Leila, damaged: git left its conflict markers in the file, which is no notebook any more. One line says
so; no points until she hands in again."""
# from: instructor
# damage: conflict_markers
# expect: scores=0 attention=0 SelfAttention=0 score_statistics=0 gates_for=0 permute_check=0 gate_cost=0 Classifier=0
# says: conflict
