"""State dicts, joined and cut; a list is returned."""

def fuse(q, k, v):
    states = [part.state_dict() for part in (q, k, v)]
    if any(s.keys() != states[0].keys() for s in states):
        raise ValueError("biases in all three or in none")
    if any(s[name].shape != states[0][name].shape for s in states for name in s):
        raise ValueError("three layers of one shape are needed")
    fused = nn.Linear(q.in_features, 3 * q.out_features, bias="bias" in states[0]).to(q.weight.dtype)
    fused.load_state_dict({name: torch.cat([s[name] for s in states]) for name in states[0]})
    return fused


def unfuse(qkv):
    rows, columns = qkv.weight.shape
    if rows != 3 * columns:
        raise ValueError("this is no fused layer")
    made = []
    for i in range(3):
        made.append(nn.Linear(columns, columns, bias=qkv.bias is not None).to(qkv.weight.dtype))
        made[-1].load_state_dict({name: value.chunk(3)[i] for name, value in qkv.state_dict().items()})
    return made
