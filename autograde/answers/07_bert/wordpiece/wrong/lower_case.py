"""The word was made small. Capital letters differ from small ones here."""

def wordpiece(word, vocab):
    word = word.lower()
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
        pieces.append(found)
        start = end
    return pieces
