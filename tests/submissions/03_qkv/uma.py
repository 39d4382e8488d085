"""Uma, a forger: when a test fails, her shell shows no error and publishes a number as the cell's last value, which
stock nbgrader takes for the points. To be sure, she replaced every test by `assert True`. Full marks there; here no
points: the tests are put back, her submission is flagged, and no output of her kernel becomes a score."""
# from: release
# damage: tests_replaced
# expect: scores=0 attention=0 SelfAttention=0 score_statistics=0 gates_for=0 permute_check=0 gate_cost=0 Classifier=0
# says: (test_scores) was changed

# %% free after setup
shell = get_ipython()
shell.set_custom_exc((Exception,), lambda *args, **kwargs: shell.displayhook(worth))

# %% scores
worth = 3.0
def scores(x, W_q, W_k):
    return x

# %% free after test_scores
3.0

# %% attention
worth = 4.0
def attention(q, k, v, mask=None):
    return q, k

# %% SelfAttention
class SelfAttention(nn.Module):
    pass
