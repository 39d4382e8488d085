"""NumPy's argmax takes the first of equal values, too."""

import numpy as np
def hardmax(v, dim=-1):
    a = v.detach().numpy()
    out = np.zeros_like(a)
    np.put_along_axis(out, np.expand_dims(a.argmax(axis=dim), dim), 1, axis=dim)
    return torch.from_numpy(out)
