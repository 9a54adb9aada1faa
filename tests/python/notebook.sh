#!/bin/sh
# Executes examples/notebook.ipynb in the environment of python/environment, with the flights of npm. It must execute
# without an error or a warning, which includes its assertions, and the outputs that it has in the repository must be of
# the same kinds. The reports are drawn from the system's random bits; the notebook says how often a correct package would
# fail each assertion, which is less than once in 5 million runs for all of them.
#
#   notebook.sh SOURCE-DIR WORK-DIR
#
# Exits with 77 if there is no environment, because PyPI cannot be reached, or if npm cannot get the flights.
set -eu
source=$1 work=$2
"$source/scripts/python.sh" there "$work"
FLIGHTS=$("$source/scripts/flights.sh" "$work" flights-3m.parquet)
export FLIGHTS PYTHONDONTWRITEBYTECODE=1
"$work/venv/bin/python" "$source/scripts/notebook.py" --compare "$source/examples/notebook.ipynb" "$work/notebook.ipynb"
