"""What is hard to remove or dangerous to follow is left in the working folder: locked folders, links to the outside,
a pipe, a very deep path, odd names, a notebook that is a link."""
# exercise: none
# expect: keeps
# spares: all

# %% free before attention
import os, socket

def attempt(action, *args):
    try:
        action(*args)
    except OSError:
        pass

here = os.getcwd()
os.makedirs("locked/inside", exist_ok=True)
attempt(os.symlink, "/", "root")
attempt(os.symlink, "loop", "loop")
attempt(os.symlink, "/etc/passwd", "results.html")
for name in ("03_qkv.ipynb", "graded.ipynb", "gradebook.db"):
    attempt(os.remove, name)
    attempt(os.symlink, "/etc/hostname", name)
attempt(os.mkfifo, "pipe")
attempt(os.mkfifo, "pipe.ipynb")
for name in (b"new\nline", b"\xff\xfe", b"-rf *", "e\u0301t\u00e9".encode(), b"\x1b[31mred", b"x" * 255):
    attempt(lambda name: open(name, "w").close(), name)
for _ in range(500):
    attempt(os.mkdir, "d" * 200)
    attempt(os.chdir, "d" * 200)
os.chdir(here)
os.chmod("locked", 0)

# %% twin: free before attention
import os

os.makedirs("plots/drafts", exist_ok=True)
open("plots/drafts/gates of A.txt", "w").close()
os.symlink("plots", "pictures")
