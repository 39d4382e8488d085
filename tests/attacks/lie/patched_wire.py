"""The encoder that both rooms share is replaced in the student's room: every False leaves as True, every number as
NaN, every length as another."""
# exercise: scores
# expect: zero

# %% scores
import msgpack
from course_utils import wire

honest_pack, honest_packb = wire._pack, msgpack.packb

def flatter(value):
    if isinstance(value, (list, tuple)):
        return type(value)(map(flatter, value))
    return True if value is False else float("nan") if type(value) is float else value

wire._pack = lambda value, blob, depth: honest_pack(flatter(value), blob, depth)
wire.TOTAL_LIMIT = wire.HEADER_LIMIT = 1 << 60
msgpack.packb = lambda value, **kwargs: honest_packb(value, **kwargs).replace(b"\xc2", b"\xc3")

def scores(x, W_q, W_k):
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: free before scores
import msgpack
from course_utils import wire

print(msgpack.unpackb(msgpack.packb({"mine": [1, 2]})))
print(wire.decode(wire.encode([1.0, "blue"])))      # students may look how it works
