"""The builtins that everything needs are deleted, for all modules of the process."""
# exercise: none
# expect: graded
# spares: scores

# %% free after test_scores
import builtins

for name in ("open", "isinstance", "len", "tuple", "type", "getattr", "print", "BaseException", "__import__"):
    delattr(builtins, name)

# %% twin: free after test_scores
len = len
del len                                    # my own name, not the builtin
print(len("still there"))
