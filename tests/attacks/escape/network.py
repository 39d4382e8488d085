"""The network: names, addresses of the outside, raw and packet sockets, other families."""
# exercise: none
# expect: keeps
# spares: all

# %% free before attention
import socket

def attempt(what, action):
    try:
        action()
        print("ESCAPED:", what)
    except OSError:
        pass

def send(family, address):
    with socket.socket(family, socket.SOCK_DGRAM) as line:
        line.settimeout(2)
        line.sendto(b"hello", address)

socket.setdefaulttimeout(2)
attempt("a name was resolved", lambda: socket.getaddrinfo("example.org", 80))
attempt("TCP to the outside", lambda: socket.create_connection(("1.1.1.1", 53), 2))
attempt("UDP to the outside", lambda: send(socket.AF_INET, ("8.8.8.8", 53)))
attempt("UDP over IPv6", lambda: send(socket.AF_INET6, ("2001:4860:4860::8888", 53)))
attempt("multicast", lambda: send(socket.AF_INET, ("224.0.0.1", 5353)))
attempt("a raw socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP))
attempt("a packet socket", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attempt("the host by vsock", lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).connect((2, 22)))

# %% twin: free before attention
import socket

here, there = socket.socketpair()          # a pipe between two threads of mine
here.send(b"hello")
print(there.recv(5), socket.gethostname())
