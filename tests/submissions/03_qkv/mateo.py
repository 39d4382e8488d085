"""Mateo, damaged: the folder that he handed in is empty. One line says so; no points."""
# file: none
# expect: scores=0 attention=0 SelfAttention=0
# says: empty
