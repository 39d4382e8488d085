"""One family of exceptions. Every message says what was wrong, where, and what to do."""


class CourseError(Exception):
    """Anything this project refuses to do; its message is meant for the person who typed the command."""


class BuildError(CourseError):
    """The text of a lesson breaks a rule of the build; the message lists every `file:line: reason`."""


class UnreadableSubmission(CourseError):
    """A file handed in is not a notebook at all (empty, cut off, conflict markers); one line says which."""


class SandboxUnavailable(CourseError):
    """This machine cannot isolate student code; the message names the missing package or setting."""


class BrokenTest(CourseError):
    """A test cell of ours misbehaved (bad award, own exception); an instructor's problem, never the student's."""


class DiskFull(CourseError):
    """There is no room left to write a file; the message names it. What was there before is still there."""
