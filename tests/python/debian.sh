#!/bin/sh
# The tests of the package with what Debian has, without a wheel and without PyPI: a module that CMake alone builds, for
# the system's Python, with its NumPy, pandas, pytest and hypothesis. Those are years older than PyPI's.
#
#   debian.sh SOURCE-DIR PROGRAM WORK-DIR
#
# Exits with 77 if this is not a Debian, or pytest is not installed.
set -eu
source=$1 program=$2 work=$3 python=/usr/bin/python3
export PYTHONDONTWRITEBYTECODE=1
"$python" -c 'import hypothesis, numpy, pandas, pytest' || { echo "debian.sh: skipped, because of that" >&2; exit 77; }
"$source/tests/python/module.sh" "$source" "$work" "$python" -DCMAKE_BUILD_TYPE=Release
work=$(cd "$work" && pwd)
PYTHONPATH=$work/package PODIUM_SOURCE=$source PODIUM_PROGRAM=$program PODIUM_EXAMPLES=25 \
    "$python" -m pytest -q -p no:cacheprovider "$source"/tests/python/test_package.py \
    "$source"/tests/python/test_properties.py "$source"/tests/python/test_processes.py \
    "$source"/tests/python/test_vectors.py
