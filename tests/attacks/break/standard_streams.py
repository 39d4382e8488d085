"""Right answers; standard output and error are closed, replaced and redirected into a file."""
# exercise: none
# expect: keeps
# spares: all

# %% free after setup
import io, os, sys

sys.stdout = sys.stderr = io.StringIO()
sys.stdin = None
log = os.open("log.txt", os.O_WRONLY | os.O_CREAT)
os.dup2(log, 1)
os.dup2(log, 2)

# %% free after test_scores
sys.__stdout__.close()
sys.stdout.close()
