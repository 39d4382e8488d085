"""Any nbgrader assignment, graded as nbgrader grades it: its test cells run in the student's own kernel.

A test that was written for one room cannot be moved into two: it names what the student defined. So these tests run
where the student's code runs, in the sandbox, and student code can influence them. Wherever scores of such a run are
shown, `WARNING` stands beside them.
"""

from autograde.lesson import ONE_ROOM as WARNING

__all__ = ["WARNING"]
