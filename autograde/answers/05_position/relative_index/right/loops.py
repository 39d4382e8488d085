"""Four loops over rows and columns."""

def relative_index(rows, cols):
    out = torch.zeros(rows * cols, rows * cols, dtype=torch.long)
    for qr in range(rows):
        for qc in range(cols):
            for kr in range(rows):
                for kc in range(cols):
                    number = (kr - qr + rows - 1) * (2 * cols - 1) + (kc - qc + cols - 1)
                    out[qr * cols + qc, kr * cols + kc] = number
    return out
