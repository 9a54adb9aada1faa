"""What the tests of the Python package share."""

import importlib
import os
import subprocess

import numpy as np
import pytest
from hypothesis import settings

from podium import Collection

PROGRAM = os.environ.get("PODIUM_PROGRAM")
SOURCE = os.environ.get("PODIUM_SOURCE")
SPECS = [
    "minimax epsilon=1 range=1:120",
    "podium epsilon=1 range=1:120",
    "duchi epsilon=0.5 range=0:1",
    "laplace epsilon=2 range=-5:5",
    "minimax epsilon=1 range=0:1 cells=1000",
]
AGE = Collection(SPECS[0])
needs_program = pytest.mark.skipif(PROGRAM is None, reason="PODIUM_PROGRAM names no program")


def imported(name):
    """The module, or None if this environment does not have it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


pd, pl, pa = imported("pandas"), imported("polars"), imported("pyarrow")


def run(*arguments, data=None):
    return subprocess.run([PROGRAM, *arguments], input=data, check=True, stdout=subprocess.PIPE).stdout


def is_report(c, reports):
    cells = {round(x, 9) for x in c.reports(np.arange(c.cells, dtype=np.uint32)).tolist()}
    return all(round(x, 9) in cells for x in np.asarray(reports, float).ravel().tolist())


# The same examples each time, so that a test passes always or never. PODIUM_EXAMPLES is how many.
settings.register_profile(
    "podium", derandomize=True, deadline=None, database=None, max_examples=int(os.environ.get("PODIUM_EXAMPLES", "100"))
)
settings.load_profile("podium")
