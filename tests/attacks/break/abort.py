"""The tested function aborts the process and asks for a core dump first."""
# exercise: attention
# expect: zero
# spares: scores
# says: ended the kernel

# %% attention
import os, resource

resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)

def attention(q, k, v, mask=None):
    os.abort()

# %% twin: free before attention
import faulthandler

faulthandler.enable(open("crash.txt", "w"))       # in case something goes wrong
