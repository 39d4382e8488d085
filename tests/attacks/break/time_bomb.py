"""A timer that ends the process later, while another, innocent cell is running."""
# exercise: none
# expect: graded

# %% free after setup
import os, threading

threading.Timer(1.5, os._exit, (1,)).start()

# %% free before test_attention
import time

time.sleep(3)       # makes sure that the kernel is busy with something else then

# %% twin: free after setup
import threading

threading.Timer(0.2, print, ("tea is ready",)).start()
