"""10,000 open figures, shown at the end of the cell."""
# exercise: none
# expect: keeps
# spares: all

# %% free before attention
import matplotlib.pyplot as plt

for number in range(10_000):
    plt.figure(figsize=(1, 1)).suptitle(str(number))
plt.show()
