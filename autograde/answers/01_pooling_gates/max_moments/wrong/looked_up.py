"""A table holds only the n of the visible test. Integrate for any n."""

def max_moments(n):
    if n < 1: raise ValueError
    return {1:(0.0,1.0),2:(0.56419,0.68169),4:(1.02938,0.49172),9:(1.48501,0.35735),100:(2.50759,0.1844)}[n]
