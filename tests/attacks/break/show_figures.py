"""Right answers; figures are shown in every way that needs a screen or a browser."""
# exercise: none
# expect: keeps
# spares: all

# %% free after setup
#| %matplotlib notebook
import matplotlib.pyplot as plt

plt.plot([1, 2, 3])
plt.show(block=True)

# %% free before attention
#| %matplotlib widget

# %% free before test_attention
import matplotlib

matplotlib.use("TkAgg")
plt.figure().show()

# %% free at end
#| %matplotlib inline
plt.plot([1, 2, 3])
plt.show()
