"""Extra cells between right answers end the process, one after another: each restart must leave out the guilty cell
and still know the earlier ones."""
# exercise: none
# expect: keeps
# spares: all

# %% free after setup
import os

os._exit(1)

# %% free after scores
os.kill(os.getpid(), 9)

# %% free after test_scores
import ctypes

ctypes.string_at(0)

# %% free before test_attention
import os

os.abort()
