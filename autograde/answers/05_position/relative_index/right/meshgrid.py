"""Coordinates from meshgrid, as in Swin."""

def relative_index(rows, cols):
    coords = torch.stack(torch.meshgrid(torch.arange(rows), torch.arange(cols), indexing="ij")).flatten(1)
    relative = (coords[:, None, :] - coords[:, :, None]).permute(1, 2, 0).contiguous()
    relative[:, :, 0] += rows - 1
    relative[:, :, 1] += cols - 1
    relative[:, :, 0] *= 2 * cols - 1
    return relative.sum(-1)
