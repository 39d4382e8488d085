"""Processes that are to outlive the notebook: forked twice, in sessions of their own, deaf to signals, without the
notebook's files. Their command line holds OUTLIVES_GRADING; they leave after ten minutes."""
# exercise: none
# expect: keeps
# spares: all

# %% free after setup
import os, subprocess, sys

code = "import signal, time; [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 3, 15)]; time.sleep(600)"
command = [sys.executable, "-c", code, "OUTLIVES_" + "GRADING"]
subprocess.Popen(command, start_new_session=True, stdin=-3, stdout=-3, stderr=-3)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.chdir("/")
        os.closerange(0, 256)
        os.execv(sys.executable, command)
    os._exit(0)

# %% twin: free after setup
import subprocess, sys

done = subprocess.run([sys.executable, "-c", "print(6 * 7)"], capture_output=True, text=True, timeout=20)
print(done.stdout)
