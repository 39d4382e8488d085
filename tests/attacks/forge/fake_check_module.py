"""`course_utils.check` and `course_utils.room` in `sys.modules`, in the package and in the notebook are replaced by a
fake on which every call passes."""
# exercise: scores
# expect: zero

# %% free after setup
import sys, types
import course_utils

honest = course_utils.check

class Fake(types.ModuleType):
    normal, hidden, hidden_seed = map(staticmethod, (honest.normal, honest.hidden, honest.hidden_seed))
    Failed = StudentError = type("Never", (Exception,), {})
    def __getattr__(self, name):
        return lambda *args, **kwargs: args[0] if args and callable(args[0]) else None

for name in ("check", "room", "wire"):
    fake = sys.modules[f"course_utils.{name}"] = Fake(f"course_utils.{name}")
    setattr(course_utils, name, fake)
check = course_utils.check

# %% scores
def scores(x, W_q, W_k):
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: free after setup
import sys, types

helpers = types.ModuleType("my_helpers")      # a module made in the notebook
helpers.scale = lambda width: width ** -0.5
sys.modules["my_helpers"] = helpers
import my_helpers
