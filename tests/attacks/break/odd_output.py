"""A right answer whose prints hold what breaks JSON, terminals and web pages: lone surrogates, NUL, escape sequences,
script."""
# exercise: scores
# expect: keeps
# spares: all
# hides: <script>course_attack

# %% scores
from IPython.display import HTML, Javascript, display

def scores(x, W_q, W_k):
    print("\x00 \x1b[2J\x1b]0;title\x07 \r\b \u202e <script>course_attack()</script> </pre>")
    try:
        print("\ud800")
    except UnicodeEncodeError:
        print("a lone surrogate cannot be printed")
    display(HTML("<script>course_attack()</script>"), Javascript("course_attack()"))
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
