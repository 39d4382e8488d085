"""Runs a student kernel behind bubblewrap: no network, no secrets, limits on everything."""
