"""nbgrader's side of the grader: its gradebook, its converters, its formgrader, with our execution inside."""
