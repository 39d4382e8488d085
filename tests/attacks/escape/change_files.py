"""Existing files are opened for writing, replaced, linked and given other rights: the interpreter's, ours, the
system's."""
# exercise: none
# expect: keeps
# spares: all

# %% free before attention
import os, sys
import course_utils, msgpack, torch
from course_utils import check, wire

files = [check.__file__, wire.__file__, course_utils.__file__, torch.__file__, msgpack.__file__, os.__file__,
         sys.executable, "/etc/passwd", "/etc/shadow", "/etc/hosts", "/etc/ld.so.preload", "/bin/sh"]

def attempt(what, action, *args, **kwargs):
    try:
        action(*args, **kwargs)
        print("ESCAPED:", what, args[0])
    except OSError:
        pass

for path in filter(os.path.exists, files):
    attempt("opened for writing:", open, path, "ab")
    attempt("changed the rights of", os.chmod, path, os.stat(path).st_mode)
    attempt("changed the times of", os.utime, path, ns=(os.stat(path).st_atime_ns, os.stat(path).st_mtime_ns))
    attempt("linked", os.link, path, os.path.join(os.path.dirname(path), "ESCAPED_link"))

# %% twin: free before attention
import os

with open("notes.txt", "w") as file:
    file.write("mine")
os.chmod("notes.txt", 0o600)
os.replace("notes.txt", "renamed.txt")
print(open("renamed.txt").read())
