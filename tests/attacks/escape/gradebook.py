"""The gradebook is looked for and written to: by path, by environment, by nbgrader's own code."""
# exercise: none
# expect: keeps
# spares: all

# %% free before attention
import glob, os, sqlite3
import course_utils

roots = {os.getcwd(), os.path.dirname(os.path.dirname(os.path.realpath(course_utils.__file__))), "/srv", "/tmp"}
roots = (roots | {os.path.dirname(root) for root in roots}) - {"/", "/usr", ""}
for path in {path for root in roots for path in glob.glob(os.path.join(root, "**/*.db"), recursive=True)[:50]}:
    try:
        book = sqlite3.connect(f"file:{path}?mode=rw", uri=True, timeout=1)
        tables = [name for (name,) in book.execute("select name from sqlite_master where type = 'table'")]
        if "grade" in tables or "result" in tables:
            print("ESCAPED: a gradebook can be read:", path, tables[:3])
    except sqlite3.Error:
        pass
try:
    from nbgrader.api import Gradebook
    with Gradebook(os.environ.get("NBGRADER_DB_URL", "sqlite:////srv/gradebook.db")) as book:
        print("ESCAPED: nbgrader opened a gradebook", book)
except Exception:
    pass

# %% twin: free before attention
import sqlite3

book = sqlite3.connect("my_experiments.db")
book.execute("create table if not exists run (width integer, error real)")
book.execute("insert into run values (4, 0.1)")
book.commit()
