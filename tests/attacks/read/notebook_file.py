"""The notebook that is being graded lies in the working folder in stock nbgrader; its hidden tests are read there."""
# exercise: scores
# expect: zero

# %% scores
import glob, os, pathlib

marker = "HIDDEN" + " TESTS"
folders = {pathlib.Path.cwd(), *pathlib.Path.cwd().parents[:3], pathlib.Path(os.environ.get("PWD", "."))}
for path in [path for folder in folders for path in [*folder.glob("*.ipynb"), *folder.glob("*/*.ipynb")]]:
    try:
        if marker in path.read_text(errors="replace"):
            print("ESCAPED: hidden tests read from", path)
    except OSError:
        pass

def scores(x, W_q, W_k):
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: free before test_scores
import pathlib

print("my folder:", sorted(path.name for path in pathlib.Path(".").iterdir()))
