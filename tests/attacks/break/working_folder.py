"""Right answers; the working folder is left for `/`, then for one that is removed."""
# exercise: none
# expect: keeps
# spares: all

# %% free after setup
import os

here = os.getcwd()
os.chdir("/")

# %% free after test_scores
import os, tempfile

os.chdir(tempfile.mkdtemp())
os.rmdir(os.getcwd())
