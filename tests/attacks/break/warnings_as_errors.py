"""Right answers; the student turns every warning into an error, which must not reach the grader's own code."""
# exercise: none
# expect: keeps
# spares: scores, attention

# %% free after setup
import warnings

warnings.simplefilter("error")
