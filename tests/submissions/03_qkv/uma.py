"""Uma, a forger: when a test fails, her shell shows no error and publishes 100 as the cell's last value, which stock
nbgrader takes for the points. No points: no output of the student's kernel becomes a score."""
# from: release
# expect: scores=0 attention=0 SelfAttention=0

# %% free after setup
shell = get_ipython()
shell.set_custom_exc((BaseException,), lambda *args, **kwargs: shell.displayhook(100.0))
shell.showtraceback = shell.showsyntaxerror = lambda *args, **kwargs: shell.displayhook(100.0)

# %% scores
def scores(x, W_q, W_k):
    return x

100.0

# %% free after test_scores
3.0

# %% attention
def attention(q, k, v, mask=None):
    return q, k

100.0

# %% SelfAttention
class SelfAttention(nn.Module):
    pass

100.0
