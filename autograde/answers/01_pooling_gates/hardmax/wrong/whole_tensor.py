"""One winner of the whole tensor. Each row along dim has a winner of its own."""

def hardmax(v, dim=-1):
    return (v == v.max()).to(v.dtype)
