#!/bin/sh
# Makes the environment that the tests of the Python package and its notebook share, with the wheel in it.
#
#   environment.sh WORK-DIR
#
# Exits with 77 if PyPI cannot be reached.
set -eu
# ruff's next version may format otherwise.
exec "$(dirname "$0")/../../scripts/python.sh" install "$1" pytest hypothesis mypy abi3audit ruff==0.17.5 \
    numpy pandas pandas-stubs polars pyarrow matplotlib nbclient ipykernel
