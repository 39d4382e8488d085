"""What one kernel leaves for the next one of the same fork server: start-up files in every folder that it may write
to, changed modules, a process that waits; then it ends itself, and the next kernel looks what came through."""
# exercise: none
# expect: keeps
# spares: all

# %% free after setup
import builtins, os, subprocess, sys
import torch

home = os.path.expanduser("~")
for place in (home, "/tmp", "/dev/shm", f"{home}/.ipython/profile_default/startup", f"{home}/.cache/matplotlib"):
    for name in ("left_for_the_next.py", "sitecustomize.py", "usercustomize.py", "conftest.pth"):
        try:
            os.makedirs(place, exist_ok=True)
            with open(f"{place}/{name}", "w") as file:
                file.write("import builtins; builtins.left_for_the_next = True\n")
        except OSError:
            pass
builtins.left_for_the_next = torch.left_for_the_next = sys.left_for_the_next = True
os.environ["LEFT_FOR_THE_NEXT"] = "yes"
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(50)", "left_for_the_next"], start_new_session=True)
os._exit(0)

# %% free before attention
import builtins, glob, os, sys
import torch

found = [thing for thing in (builtins, torch, sys) if hasattr(thing, "left_for_the_next")]
for place in (os.path.expanduser("~"), "/tmp", "/dev/shm"):
    found += glob.glob(f"{place}/**/left_for_the_next.py", recursive=True, include_hidden=True)
found += [name for name in os.environ if name == "LEFT_FOR_THE_NEXT"]
for path in glob.glob("/proc/[0-9]*/cmdline"):
    try:
        if b"left_for_the_next\0" in open(path, "rb").read():
            found.append(path)
    except OSError:
        pass
if found:
    print("ESCAPED: into the next kernel:", found)

# %% twin: free after setup
import os

with open("left_for_later.txt", "w") as file:
    file.write("my notes")
os.environ["LEFT_FOR_LATER"] = "yes"

# %% twin: free before attention
import os

assert open("left_for_later.txt").read() == "my notes" and os.environ["LEFT_FOR_LATER"] == "yes"
