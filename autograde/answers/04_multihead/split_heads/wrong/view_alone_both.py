"""Both ways are one reshape. Each undoes the other, but head 0 gets whole tokens. Cut, then transpose; and back."""

def split_heads(x, heads):
    if heads < 1 or x.shape[-1] % heads:
        raise ValueError(f"{heads} heads do not divide {x.shape[-1]}")
    return x.reshape(*x.shape[:-2], heads, x.shape[-2], -1)


def merge_heads(x):
    return x.reshape(*x.shape[:-3], x.shape[-2], -1)
