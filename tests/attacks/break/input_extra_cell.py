"""`input()` and `getpass()` in extra cells: these cells fail, no exercise loses anything."""
# exercise: none
# expect: keeps
# spares: all

# %% free after setup
name = input("Your name? ")

# %% free before attention
import getpass, sys

getpass.getpass()
sys.stdin.read()
