# ---
# jupyter:
#   jupytext:
#     notebook_metadata_filter: course,-jupytext.text_representation.jupytext_version
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # A trivial homework
#
# One exercise. What it costs to grade it is what grading costs without any work in it.

# %% room="both" nbgrader={"grade": false, "solution": false, "locked": true, "task": false, "grade_id": "setup", "schema_version": 3}
import torch

from course_utils import check


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "double", "schema_version": 3}
def double(x):
    """Twice a tensor x of any shape."""
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 20, "grade_id": "test_double", "schema_version": 3}
@check.probe
def doubled(x):
    return double(x)


x = torch.arange(4.0)
check.close(doubled(x), torch.tensor([0.0, 2.0, 4.0, 6.0]), "twice 0, 1, 2 and 3")
### BEGIN HIDDEN TESTS
x = check.hidden((3, 2))
check.close(doubled(x), x + x, "twice other numbers")
### END HIDDEN TESTS
