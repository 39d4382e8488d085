"""Runs one submission through the two rooms; many at once, each in a process of its own."""
