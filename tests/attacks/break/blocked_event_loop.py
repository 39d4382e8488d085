"""The kernel's event loop is blocked after the cell has ended: the guilty cell is long reported as done."""
# exercise: none
# expect: graded

# %% free after test_scores
import asyncio, time

asyncio.get_running_loop().call_later(0.2, time.sleep, 1_000_000)

# %% twin: free after test_scores
import asyncio

await asyncio.sleep(0.1)
task = asyncio.get_running_loop().create_task(asyncio.sleep(30))       # still waiting when the notebook ends
