"""Script and markup in everything that a report may repeat: class names, messages, function names, printed text."""
# exercise: scores
# expect: zero
# hides: <script>course_attack

# %% scores
words = "</pre></td><script>course_attack()</script><img src=x onerror=course_attack()>=1+1,\"'\n"
print(words)

def scores(x, W_q, W_k):
    raise type(words, (ValueError,), {})(words)

# %% twin: scores
def scores(x, W_q, W_k):
    print("a < b & c > d, <b>bold</b>, \"quoted\", =1+1")
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
