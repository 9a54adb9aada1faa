#!/bin/sh
# Builds the wheel, installs it into an environment of its own, and tests it there: the types with mypy, the examples of
# the docstrings and of docs/python.md, and test_package.py. Then every other Python that is there, from 3.9 on, imports
# the same wheel.
#
#   run.sh SOURCE-DIR PROGRAM WORK-DIR
#
# Exits with 77 if PyPI cannot be reached.
set -eu
source=$1 program=$2 work=$3
export PYTHONDONTWRITEBYTECODE=1
"$source/scripts/python.sh" venv "$work" pytest hypothesis mypy numpy \
    pandas pandas-stubs polars pyarrow matplotlib
"$source/scripts/python.sh" wheel "$work"
work=$(cd "$work" && pwd)
cd "$work"
venv/bin/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps ./*.whl
package=$(venv/bin/python -c 'import os, podium; print(os.path.dirname(podium.__file__))')
venv/bin/python -m mypy --config-file "$source/adapters/python/pyproject.toml" --cache-dir "$work/mypy" \
    "$source/adapters/python/podium"
# Whoever uses the package sees its types.
venv/bin/python -m mypy --strict --cache-dir "$work/mypy" -c \
    'import podium; c = podium.Collection(""); x: float = c.aggregate([]).summary().mean; y: float = c.privatize(1)'
PODIUM_SOURCE=$source PODIUM_PROGRAM=$program venv/bin/python -m pytest -q -p no:cacheprovider --doctest-modules \
    "$package" "$source/tests/python/test_package.py"

venv/bin/python -m doctest "$source/docs/python.md"
include=$(venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("include"))')
for compiler in gcc clang; do
    "$compiler" -std=c11 -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I"$source/include" \
        -isystem "$include" "$source"/adapters/python/core/*.c
done

# One wheel for all: nothing is installed but what is in it.
tried=0
rm -rf unpacked
venv/bin/python -m zipfile -e ./*.whl unpacked
others="python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 /usr/bin/python3"
if command -v pyenv >/dev/null; then
    others="$others $(find "$(pyenv root)/versions" -path '*/bin/python3' | sort)"
fi
for python in ${PYTHONS:-$others}; do
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || continue
    PYTHONPATH=$work/unpacked "$python" "$source/tests/python/smoke.py"
    PYTHONPATH=$work/unpacked "$python" "$source/tests/python/interpreters.py"
    tried=$((tried + 1))
done
echo "python: the same wheel in $tried other Pythons"
