"""The wheel in interpreters inside an interpreter: three that share Python's lock, and three with locks of their own.

Python 3.11 and earlier have only the first kind.
"""

import sys

CODE = f"""
import sys
sys.path[:] = {sys.path!r}
import podium
c = podium.Collection("minimax epsilon=1 range=0:1")
sums = c.aggregate(c.privatize([0.5] * 200_000, threads=2))
assert sums.summary(bins=4).count == 200_000
try:
    podium.Collection("nonsense")
except podium.PodiumError as error:
    assert "no mechanism is called" in str(error)
else:
    raise AssertionError("nonsense is accepted")
"""


def kinds():
    """Python's module for interpreters, and a function for each kind that makes one."""
    if sys.version_info >= (3, 13):
        import _interpreters as module

        return module, [lambda: module.create("legacy"), lambda: module.create("isolated")]
    import _xxsubinterpreters as module

    isolated = [False, True] if sys.version_info >= (3, 12) else [False]
    return module, [lambda each=each: module.create(isolated=each) for each in isolated]


def main():
    module, creates = kinds()
    for create in creates * 3:
        interpreter = create()
        failure = module.run_string(interpreter, CODE)  # before 3.13 it raises the failure itself
        module.destroy(interpreter)
        assert failure is None, failure
    print("Python %d.%d: interpreters of %d kinds" % (*sys.version_info[:2], len(creates)))


main()
