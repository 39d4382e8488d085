"""Homes and system secrets: shadow file, keys, shell history, tokens, Jupyter's runtime files, the machine's
identity."""
# exercise: none
# expect: keeps
# spares: all

# %% free before attention
import glob, os, pwd

homes = {entry.pw_dir for entry in pwd.getpwall() if len(entry.pw_dir) > 1} | {"/root", *glob.glob("/home/*")}
names = [".bashrc", ".profile", ".bash_history", ".ssh/*", ".gitconfig", ".git-credentials", ".netrc", ".aws/*",
         ".kube/*", ".docker/*", ".jupyter/*", ".local/share/jupyter/runtime/*", ".config/gh/*", ".pypirc", "*.ipynb"]
paths = [path for home in homes for name in names for path in glob.glob(os.path.join(home, name))]
for pattern in ("/etc/ssh/*_key", "/etc/munge/*", "/etc/ssl/private/*", "/etc/sudoers*"):
    paths += glob.glob(pattern)
for path in [*paths, "/etc/shadow", "/etc/gshadow", "/var/log/syslog", "/var/log/auth.log"]:
    try:
        if os.path.isfile(path) and not path.startswith(os.getcwd()) and open(path, "rb").read(1):
            print("ESCAPED: can be read:", path)
    except OSError:
        pass

# %% twin: free before attention
import os, pathlib

print(pathlib.Path.home(), os.getcwd())
pathlib.Path("~").expanduser()
print(open("/etc/hostname").read() if os.path.exists("/etc/hostname") else "no name")
