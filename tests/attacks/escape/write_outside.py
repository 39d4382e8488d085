"""Files are made outside the own folder: in the system, among the installed packages, beside our own modules, in
homes."""
# exercise: none
# expect: keeps
# spares: all

# %% free before attention
import os, sys, sysconfig
import course_utils, torch, IPython

folders = {"/", "/etc", "/usr", "/usr/bin", "/usr/lib", "/usr/local/bin", "/var", "/var/spool/cron", "/opt",
           "/boot", "/srv", "/mnt", "/media", "/lib", "/bin", "/sbin", sys.prefix, sys.base_prefix}
folders |= set(sysconfig.get_paths().values())
folders |= {os.path.dirname(module.__file__) for module in (course_utils, torch, IPython, os)}
folders |= {os.path.dirname(os.path.dirname(course_utils.__file__)), os.path.dirname(sys.executable)}
for folder in sorted(folders):
    path = os.path.join(folder, "ESCAPED_file")
    try:
        with open(path, "w") as file:
            file.write("x")
        os.remove(path)
        print("ESCAPED: wrote into", folder)
    except OSError:
        pass

# %% twin: free before attention
import os, pathlib, tempfile

pathlib.Path("results").mkdir(exist_ok=True)
pathlib.Path("results/gates.txt").write_text("mine")
with tempfile.TemporaryDirectory() as folder:
    pathlib.Path(folder, "draft.txt").write_text("mine too")
print(os.listdir("results"))
