#!/bin/sh
# Runs each target of fuzz.py for some seconds: on a finished wheel, where the coverage of Python's half leads it, or on a
# module of its own, compiled by clang with AddressSanitizer and the coverage of the C half.
#
#   fuzz.sh SOURCE-DIR WORK-DIR SECONDS [WHEEL]
#
# Exits with 77 if PyPI has no atheris for this Python, or cannot be reached.
set -eu
source=$(cd "$1" && pwd) work=$2 seconds=$3 wheel=${4:-}
export PYTHONDONTWRITEBYTECODE=1
PIP_ONLY_BINARY=atheris "$source/scripts/python.sh" venv "$work" atheris
work=$(cd "$work" && pwd)
python=$work/venv/bin/python
if [ -n "$wheel" ]; then
    rm -rf "$work/package"
    "$python" -m zipfile -e "$wheel" "$work/package"
else
    CC=clang "$source/tests/python/module.sh" "$source" "$work" "$python" -DCMAKE_BUILD_TYPE=None \
        -DCMAKE_C_FLAGS="-g -O1 -fno-omit-frame-pointer -fsanitize=address,fuzzer-no-link"
    LD_PRELOAD=$("$python" -c 'import atheris; print(atheris.path())')/asan_with_fuzzer.so
    export LD_PRELOAD ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
fi
rm -rf "$work/corpus"
for target in aggregate spec pickle; do
    PYTHONPATH=$work/package "$python" "$source/tests/python/fuzz.py" "$target" "$work/corpus" \
        -max_total_time="$seconds" -seed=1 -max_len=24640 -timeout=20 >"$work/$target.log" 2>&1 ||
        { tail -n 40 "$work/$target.log" >&2; exit 1; }
    sed -n "s/^Done/fuzz: $target,/p" "$work/$target.log"
done
