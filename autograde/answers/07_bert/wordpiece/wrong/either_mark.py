"""Inside a word an unmarked piece was taken where there is no marked one. ing and ##ing are two entries."""

def wordpiece(word, vocab):
    pieces, start = [], 0
    while start < len(word):
        found = None
        for end in range(len(word), start, -1):
            piece = word[start:end]
            if start > 0 and "##" + piece in vocab:
                piece = "##" + piece
            if piece in vocab:
                found = piece
                break
        if found is None:
            return ["[UNK]"]
        pieces.append(found)
        start = end
    return pieces
