"""Modules that shadow ours, start-up files and poisoned byte code are planted in the working and home folders, then
the kernel is killed: the kernel that replaces it would import them."""
# exercise: scores
# expect: zero

# %% free after setup
import os, pathlib

fake = "def __getattr__(name): return lambda *a, **k: a[0] if a and callable(a[0]) else None\n__path__ = []\n"
home = pathlib.Path(os.path.expanduser("~"))
places = ["course_utils.py", "course_utils/__init__.py", "course_utils/check.py", "torch.py", "msgpack.py",
          "sitecustomize.py", "usercustomize.py", home / ".ipython/profile_default/startup/00.py",
          home / ".local/lib/python3.11/site-packages/sitecustomize.py", "__pycache__/check.cpython-311.pyc"]
first = not pathlib.Path("planted").exists()
for place in map(pathlib.Path, places):
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(fake)
    except OSError:
        pass
pathlib.Path("planted").touch()
if first:
    os._exit(1)

# %% scores
def scores(x, W_q, W_k):
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: free after setup
import pathlib

pathlib.Path("notes").mkdir(exist_ok=True)
pathlib.Path("notes/torch.py").write_text("# a badly named file in a folder of my own\n")
