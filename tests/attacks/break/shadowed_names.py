"""Right answers; the notebook's names cover builtins and modules, as happens to beginners."""
# exercise: none
# expect: keeps
# spares: scores, attention

# %% free after test_scores
input, id, dict, vars, hash, next, map, filter, type, str = "blue", 1, {"q": 1}, [2], 3, 4, "sky", 5, "boat", "sea"
socket, os, sys, wire, serve, namespace = "s", "o", "s", "w", "v", "n"
