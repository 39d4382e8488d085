"""Viktor, a forger: replaces every test by `assert True` and hands in lines without meaning. No points: the released
tests are put back, and his submission is flagged."""
# from: release
# damage: tests_replaced
# expect: scores=0 attention=0 SelfAttention=0
# says: The text of cell

# %% scores
scores = lambda *args: None

# %% attention
attention = lambda *args: (None, None)

# %% SelfAttention
class SelfAttention(nn.Module):
    """Nothing."""
