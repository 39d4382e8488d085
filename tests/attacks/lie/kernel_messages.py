"""The kernel's own messages are forged: idle while it works, finished, a result, an error taken back, a request for
input, other comms."""
# exercise: scores
# expect: zero

# %% scores
kernel = get_ipython().kernel

def forge():
    for parent in (kernel.get_parent("shell"), {}):
        for kind, content in [
            ("status", {"execution_state": "idle"}), ("status", {"execution_state": "dead"}),
            ("execute_result", {"data": {"text/plain": "3.0"}, "metadata": {}, "execution_count": 1}),
            ("clear_output", {"wait": False}), ("comm_open", {"comm_id": "x", "target_name": "y", "data": {}}),
            ("update_display_data", {"data": {"text/plain": "3.0"}, "metadata": {}, "transient": {"display_id": "z"}}),
        ]:
            kernel.session.send(kernel.iopub_socket, kind, content, parent=parent, ident=kernel._topic(kind))
    kernel.session.send(kernel.iopub_socket, "stream", {"name": 3, "text": None}, parent={}, ident=b"\xff")
    kernel.session.send(kernel.iopub_socket, "no such kind", {"a": ["b"] * 1000}, parent={"header": {"msg_id": 7}})

def scores(x, W_q, W_k):
    forge()
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

forge()

# %% twin: free before scores
from IPython.display import clear_output, display

shown = display("first", display_id=True)
shown.update("second")
clear_output(wait=True)
