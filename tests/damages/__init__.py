"""Ways in which a submission gets damaged; `tests/damage.py` gathers them."""
