"""The word gets shorter from the front."""

def wordpiece(word, vocab):
    result, mark = [], ""
    while word:
        n = len(word)
        while n and mark + word[:n] not in vocab:
            n -= 1
        if n == 0:
            return ["[UNK]"]
        result.append(mark + word[:n])
        word, mark = word[n:], "##"
    return result
