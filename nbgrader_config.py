"""nbgrader's configuration: its gradebook and formgrader, with this course's grader inside."""

from pathlib import Path

import autograde.gradebook  # noqa: F401 - nbgrader then finds its own commands, and its formgrader uses this file

c = get_config()  # noqa: F821 - given by nbgrader

c.CourseDirectory.root = str(Path(__file__).parent)
c.CourseDirectory.course_id = "gates-to-transformers"

# "Generate" is `autograde build`: it leaves the gradebook alone, and no failure deletes a release.
c.GenerateAssignment.exporter_class = "autograde.gradebook.release.ReleaseExporter"
c.GenerateAssignment.preprocessors = []
c.GenerateAssignment.no_database = True

# Grading: submissions are repaired and run in two rooms; nbgrader stores what the judge says.
c.Autograde.exporter_class = "autograde.gradebook.plugins.SubmissionExporter"
c.Autograde.autograde_preprocessors = [
    "autograde.gradebook.plugins.RunInRooms",
    "autograde.gradebook.plugins.SaveVerdicts",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]

# Feedback: our pages; nbgrader's own would print the hidden tests.
c.GenerateFeedback.exporter_class = "autograde.gradebook.plugins.FeedbackExporter"
c.GenerateFeedback.preprocessors = []

# The formgrader shows what students wrote: their scripts must not run in the instructor's browser.
c.HTMLExporter.sanitize_html = True
c.HTMLExporter.preprocessors = ["autograde.gradebook.cleaning.CleanSubmission"]
c.HTMLExporter.filters = {
    "markdown2html": "autograde.gradebook.cleaning.markdown",
    "clean_html": "autograde.gradebook.cleaning.clean",
}

# A name is only text: a spreadsheet that opens the table computes nothing of it.
c.ExportApp.plugin_class = "autograde.gradebook.export.CsvExport"
