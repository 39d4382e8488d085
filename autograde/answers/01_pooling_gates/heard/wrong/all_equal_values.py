"""Everything equal to what came out is marked. Of equal values only the first is heard: ask the gates, not the values."""

def heard(x, pools):
    out = x.detach()
    for _ in range(pools):
        out, _ = max_pool_gated(out, 2)
    big = out.repeat_interleave(2**pools, -1).repeat_interleave(2**pools, -2)
    return (x.detach() == big).to(x.dtype)
