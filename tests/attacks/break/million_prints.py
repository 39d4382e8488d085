"""A million prints, in an extra cell and beside a right answer."""
# exercise: none
# expect: keeps
# spares: all

# %% free before scores
for number in range(1_000_000):
    print(number)

# %% free after test_scores
import sys

for number in range(100_000):
    print(number, flush=True)
    print(number, file=sys.stderr, flush=True)
