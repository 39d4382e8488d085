"""Services of the host on the loopback device: the bait's port and those of Jupyter, ssh, databases, Dask,
printers."""
# exercise: none
# expect: keeps
# spares: all

# %% free before attention
import socket

ports = [48213, 22, 25, 53, 80, 111, 443, 631, 3306, 5432, 6379, 8000, 8001, 8080, 8081, 8786, 8787, *range(8888, 8899)]
for address in ("127.0.0.1", "::1", "127.0.1.1", "0.0.0.0"):
    for port in ports:
        try:
            socket.create_connection((address, port), 0.3).close()
            print(f"ESCAPED: connected to {address}:{port}")
        except OSError:
            pass

# %% twin: free before attention
import socket

try:
    socket.create_connection(("127.0.0.1", 9), 0.3)
except OSError as error:
    print("nobody there, as expected:", type(error).__name__)
