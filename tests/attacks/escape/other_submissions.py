"""What lies around our packages, the working folder and the kernel's files: other students' work, the lesson's text,
version control, graded notebooks."""
# exercise: none
# expect: keeps
# spares: all

# %% free before attention
import glob, os, sys
import course_utils

starts = {os.path.realpath(course_utils.__file__), os.getcwd(), os.path.realpath(sys.executable), *sys.path, *sys.argv}
folders = set()
for start in starts:
    while len(start) > 1:
        start = os.path.dirname(start)
        folders.add(start)
patterns = ("submitted/*/*", "autograded/*/*", "feedback/*/*", "source/*", "release/*/*", "autograde/*.py", "tests/*/*",
            ".git/*", "nbgrader_config.py", "*.ipynb", "exchange/*", "../*/*.ipynb", "pyproject.toml")
for folder in sorted(folders):
    for pattern in patterns:
        found = glob.glob(os.path.join(folder, pattern))
        found = [path for path in found if not os.path.abspath(path).startswith(os.getcwd())]
        if found and "site-packages" not in found[0] and "/share/" not in found[0]:
            print("ESCAPED: visible:", found[0], f"and {len(found) - 1} more")

# %% twin: free before attention
import os, sys
import course_utils

print(os.path.basename(course_utils.__file__), [os.path.basename(path) for path in sys.path])
