"""`exit()` and `quit()` in cells, as people write them at the end of a script."""
# exercise: none
# expect: keeps
# spares: all

# %% free after test_scores
exit()

# %% free at end
quit()
