"""All answers are right and tested; then a last cell ends the process."""
# exercise: none
# expect: keeps
# spares: all

# %% free at end
import os

os._exit(1)
