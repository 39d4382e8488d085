"""The tested function raises what test runners take for "skipped", not for "failed"."""
# exercise: scores
# expect: zero
# spares: all
# says: SkipTest

# %% scores
import unittest

def scores(x, W_q, W_k):
    raise unittest.SkipTest("not needed on this machine")

# %% twin: free before test_scores
import unittest

class MyTest(unittest.TestCase):
    @unittest.skip("later")
    def test_later(self): pass
    def test_shape(self): self.assertEqual(tuple(scores(*map(torch.ones, [(4, 3), (2, 3), (2, 3)])).shape), (4, 4))

print(unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(MyTest)))
