"""The marks ## were taken off the pieces. They stay, for they name other rows of the table."""

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
            return ["[UNK]"]
        pieces.append(found.removeprefix("##"))
        start = end
    return pieces
