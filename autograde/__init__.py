"""The grader: builds lessons, runs student code in a sandbox, judges it from outside, writes the gradebook."""
