"""All candidates, longest first."""

def wordpiece(word, vocab):
    at, out = 0, []
    while at < len(word):
        prefix = "##" if out else ""
        candidates = (prefix + word[at:end] for end in range(len(word), at, -1))
        piece = next((c for c in candidates if c in vocab), None)
        if piece is None:
            return ["[UNK]"]
        out.append(piece)
        at += len(piece) - len(prefix)
    return out
