"""Memory grows in small Python objects (it stops by itself at 4 GiB, which no sandbox should allow)."""
# exercise: scores
# expect: zero
# spares: all

# %% scores
def scores(x, W_q, W_k):
    hoard = []
    for block in range(4 * 64):
        hoard.append([bytes(1 << 16) for _ in range(256)])      # 16 MiB each
    print("ESCAPED: 4 GiB of memory in small objects")
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: free before scores
numbers = list(range(5_000_000))       # some 200 MB, used and given back
print(sum(numbers))
del numbers
