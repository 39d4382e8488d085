"""Goran, unfinished: handed in the notebook as it was released. No points, "not attempted" three times."""
# from: release
# expect: scores=0 attention=0 SelfAttention=0
# says: Not attempted
