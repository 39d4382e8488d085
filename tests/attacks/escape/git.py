"""Version control knows every solution that ever was: `git` is called on all folders above our packages."""
# exercise: none
# expect: keeps
# spares: all

# %% free before attention
import os, subprocess
import course_utils

for start in (os.path.realpath(course_utils.__file__), os.getcwd()):
    command = ["git", "-c", "safe.directory=*", "-C", os.path.dirname(start), "log", "--oneline", "-3"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10)
        if done.returncode == 0 and done.stdout.strip():
            print("ESCAPED: the history of the course:", done.stdout.splitlines()[0])
    except (OSError, subprocess.TimeoutExpired):
        pass

# %% twin: free before attention
import shutil

print("git is", "here" if shutil.which("git") else "not here")
