"""How fast the grader is, as ratios within one run: `python -m benchmarks` (or `make benchmark`)."""
