#!/bin/sh
# Tests the package where python/environment has installed it: the types with mypy, the style with ruff, the examples of
# the docstrings and of docs/python.md, and test_*.py. Then each version of Python that is there, from 3.9 on, installs
# and uses the same wheel.
#
#   run.sh SOURCE-DIR PROGRAM WORK-DIR
#
# Exits with 77 if there is no environment, because PyPI cannot be reached.
set -eu
source=$1 program=$2 work=$3
export PYTHONDONTWRITEBYTECODE=1
"$source/scripts/python.sh" there "$work"
work=$(cd "$work" && pwd)
cd "$work"
package=$(venv/bin/python -c 'import os, podium; print(os.path.dirname(podium.__file__))')
ruff="--quiet --no-cache --config $source/adapters/python/pyproject.toml"
# shellcheck disable=SC2086
venv/bin/ruff check $ruff "$source/adapters/python" "$source/tests/python" "$source"/bench/*.py
# shellcheck disable=SC2086
venv/bin/ruff format --check $ruff "$source/adapters/python/podium" "$source/tests/python" "$source"/bench/*.py
venv/bin/python -m mypy --config-file "$source/adapters/python/pyproject.toml" --cache-dir "$work/mypy" \
    "$source/adapters/python/podium"
# Whoever uses the package sees its types.
venv/bin/python -m mypy --strict --cache-dir "$work/mypy" -c \
    'import podium; c = podium.Collection(""); x: float = c.aggregate([]).summary().mean; y: float = c.privatize(1)'
tests=$source/tests/python
PODIUM_SOURCE=$source PODIUM_PROGRAM=$program venv/bin/python -m pytest -q -p no:cacheprovider --doctest-modules \
    --ignore-glob '*/podium/spark.py' --ignore-glob '*/podium/dask.py' "$package" "$tests/test_package.py" \
    "$tests/test_properties.py" "$tests/test_processes.py" "$tests/test_vectors.py"

venv/bin/python -m doctest -o ELLIPSIS -o NORMALIZE_WHITESPACE "$source/docs/python.md"
include=$(venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("include"))')
for compiler in gcc clang; do
    "$compiler" -std=c11 -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I"$source/include" \
        -isystem "$include" "$source"/adapters/python/core/*.c
done

venv/bin/abi3audit --strict ./*.whl

# One wheel for all Pythons: each version that is here installs it into an environment that is empty otherwise.
others="/usr/bin/python3 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14"
if command -v pyenv >/dev/null; then
    others="$others $(find "$(pyenv root)/versions" -path '*/bin/python3' | sort)"
fi
version='import sys, sysconfig; print("%d.%d" % sys.version_info[:2]);
sys.exit(sys.version_info < (3, 9) or bool(sysconfig.get_config_var("Py_GIL_DISABLED")))'
tried=""
for python in ${PYTHONS:-$others}; do
    number=$("$python" -c "$version" 2>/dev/null) || continue
    case " $tried " in *" $number "*) continue ;; esac
    rm -rf "empty-$number"
    "$python" -m venv --without-pip "empty-$number"
    venv/bin/pip --python "empty-$number/bin/python" install --quiet --disable-pip-version-check --no-index ./*.whl
    "empty-$number/bin/python" "$tests/smoke.py"
    "empty-$number/bin/python" "$tests/interpreters.py"
    [ "$("empty-$number/bin/python" -m podium --version)" = "$("$program" --version)" ]
    tried="$tried $number"
done
echo "python: the wheel, installed and used in Python$tried"
