"""An endless loop in an extra cell: it costs no exercise anything."""
# exercise: none
# expect: keeps
# spares: all

# %% free before attention
import itertools

for number in itertools.count():
    pass
