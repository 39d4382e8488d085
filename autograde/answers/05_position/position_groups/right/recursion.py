"""The function walks down itself and remembers what it has seen."""

def position_groups(model, lr, factor=10.0):
    groups, seen = ([], []), set()

    def walk(part, inside):
        inside = inside or isinstance(part, OffsetBias)
        for p in part._parameters.values():
            if p is not None and id(p) not in seen:
                seen.add(id(p))
                groups[inside].append(p)
        for child in part.children():
            walk(child, inside)

    walk(model, False)
    return [{"lr": lr, "params": groups[0]}, {"lr": lr * factor, "params": groups[1]}]
