"""Logarithms of probabilities, gathered."""

def read_hidden(model, ids, images, hidden):
    rows, columns = hidden.nonzero(as_tuple=True)
    if not len(rows):
        raise ValueError("hide something")
    seen = ids.clone()
    seen[rows, columns] = MASK
    logs = model(seen, images).log_softmax(-1)[rows, columns]
    words = ids[rows, columns]
    loss = -logs.gather(1, words[:, None]).mean()
    return loss, sum(int(a == b) for a, b in zip(logs.argmax(1), words)) / len(words)
