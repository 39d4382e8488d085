"""Pieces inside a word are looked up without ##. There they have their mark."""

def wordpiece(word, vocab):
    pieces, start = [], 0
    while start < len(word):
        found = None
        for end in range(len(word), start, -1):
            piece = word[start:end]
            if start > 0:
                piece = piece
            if piece in vocab:
                found = piece
                break
        if found is None:
            return ["[UNK]"]
        pieces.append(found)
        start = end
    return pieces
