"""The cut goes back and tries a shorter piece. Greedy never does; then the word is [UNK]."""

def wordpiece(word, vocab):
    def rest(start):
        if start == len(word):
            return []
        for end in range(len(word), start, -1):
            piece = ("##" if start else "") + word[start:end]
            if piece in vocab:
                later = rest(end)
                if later is not None:
                    return [piece, *later]
        return None

    found = rest(0)
    return ["[UNK]"] if found is None else found
