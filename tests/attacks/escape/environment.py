"""The grader's secrets in the environment: the bait, and every variable whose name promises something."""
# exercise: none
# expect: keeps
# spares: all

# %% free before attention
import glob, os, re, subprocess

bait = "course-attack-" + "bait"
texts = {"os.environ": "\n".join(f"{name}={value}" for name, value in os.environ.items())}
texts["a subprocess"] = subprocess.run(["env"], capture_output=True, text=True).stdout
for path in glob.glob("/proc/[0-9]*/environ"):
    try:
        texts[path] = open(path, errors="replace").read().replace("\0", "\n")
    except OSError:
        pass
for where, text in texts.items():
    if bait in text:
        print("ESCAPED: the grader's environment is in", where)
    for name in re.findall(r"^(\w*(?:SECRET|TOKEN|PASSW|CREDENTIAL|API_KEY|SSH_AUTH|JUPYTERHUB)\w*)=.", text, re.M):
        print("ESCAPED: the variable", name, "is in", where)

# %% twin: free before attention
import os

os.environ["MY_SETTING"] = "blue"
print(os.environ.get("HOME"), os.environ["MY_SETTING"], os.environ.get("LANG"))
