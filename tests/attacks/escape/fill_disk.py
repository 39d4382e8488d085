"""Every place that takes files is filled (up to 3 GiB altogether, which no sandbox should allow)."""
# exercise: none
# expect: graded
# spares: scores

# %% free before attention
import os, tempfile

places = {".", "/", "/tmp", "/dev", "/dev/shm", "/run", "/var/tmp", "/proc", "/home", "/mnt", tempfile.gettempdir(),
          os.path.expanduser("~"), os.environ.get("XDG_RUNTIME_DIR", "."), os.environ.get("JUPYTER_RUNTIME_DIR", "."),
          os.environ.get("MPLCONFIGDIR", "."), os.environ.get("IPYTHONDIR", ".")}
left, files, block = 3 << 30, [], os.urandom(16 << 20)
for place in places:
    path = os.path.join(place, "ESCAPED_filler")
    try:
        with open(path, "wb") as file:
            files.append(path)
            while left > 0:
                left -= file.write(block)
    except OSError:
        pass
for path in files:
    os.remove(path)
print("ESCAPED: 3 GiB of files" if left <= 0 else "stopped in time")

# %% twin: free before attention
import os

with open("large.bin", "wb") as file:
    file.write(b"x" * 20_000_000)          # 20 MB are nothing special
os.remove("large.bin")
