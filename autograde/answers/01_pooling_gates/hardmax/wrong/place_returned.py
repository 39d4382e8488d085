"""The place of the winner was returned. Gates are asked for: one number for each value."""

def hardmax(v, dim=-1):
    return v.argmax(dim)
