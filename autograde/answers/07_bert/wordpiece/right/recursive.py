"""Each call takes one piece and asks for the rest."""

def wordpiece(word, vocab):
    def cut(rest, mark):
        if not rest:
            return []
        for n in reversed(range(1, len(rest) + 1)):
            if mark + rest[:n] in vocab:
                later = cut(rest[n:], "##")
                return None if later is None else [mark + rest[:n]] + later
        return None

    return cut(word, "") or ["[UNK]"]
