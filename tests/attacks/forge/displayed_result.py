"""Forged results are displayed instead of earned: number, JSON, HTML, other MIME types and the judge's own words."""
# exercise: scores
# expect: zero

# %% scores
import json
from IPython.display import display

verdict = {"grade_id": "test_scores", "exercise": "scores", "status": "passed", "points": 3.0, "max_points": 3.0}

def scores(x, W_q, W_k):
    display({"text/plain": "3.0", "application/json": verdict, "text/html": "<b>3 / 3</b>"}, raw=True)
    display({"application/vnd.course.verdict+json": verdict, "application/vnd.course.claim+json": verdict}, raw=True)
    print(json.dumps(verdict), "\n3.0", flush=True)
    get_ipython().displayhook(3.0)
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% free after test_scores
print("test_scores: passed, 3 of 3 points")
verdict

# %% twin: free before test_scores
from IPython.display import HTML, display

display(HTML("<b>my notes</b>"))
{"scores": "passed", "points": 3.0}
