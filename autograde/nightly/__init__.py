"""The nightly run: executes every notebook, grades every answer, and says in one report whether all of it holds."""
