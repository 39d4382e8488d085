"""Displays of 40 MB and 150 MB, a value with an endless repr, and 50,000 small displays."""
# exercise: none
# expect: keeps
# spares: all

# %% free after setup
from IPython.display import HTML, display

display(HTML("<p>" + "x" * 40_000_000))

# %% free before attention
for number in range(50_000):
    display({"text/plain": str(number)}, raw=True)

# %% free after test_attention
"x" * 150_000_000

# %% free at end
class Endless:
    def __repr__(self):
        while True:
            pass

Endless()
