"""Difference of logarithms, and a loop for the sum."""

def adam_reach(lrs):
    total = 0.0
    for lr in lrs:
        total += lr
    return total

def needed_bias(n, share=0.5):
    if n <= 1 or share <= 0 or share >= 1:
        raise ValueError(f"no bias gives the gate {share} among {n}")
    return math.log(n - 1) + math.log(share) - math.log(1 - share)
