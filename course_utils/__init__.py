"""The small module that the notebooks import. It holds no solution to any exercise."""
