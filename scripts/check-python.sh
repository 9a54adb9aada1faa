#!/bin/sh
# The longer trials of the Python package, each a part that can be named alone. Called by `make check-python`, which has
# installed what this needs and built the program.
#
#   check-python.sh [PART...]
#
#   package        what `make check` runs, with more examples
#   sanitizers     the same tests on a module with AddressSanitizer and UndefinedBehaviorSanitizer
#   leaks          a million calls of every kind, after which nothing may be left
#   huge           arrays of more than 2^32 bytes and items; takes 1 GB
#   fuzz           the readers, with atheris, for FUZZ_SECONDS each (60)
#   free_threaded  the tests on a Python without a lock: FREE_THREADED, python3.13t, python3.14t or one of pyenv's
#
# Whatever cannot be had here is skipped, and named again at the end.
set -eu
cd "$(dirname "$0")/.."
source=$PWD work=$PWD/build/check-python tests=$PWD/tests/python
export PYTHONDONTWRITEBYTECODE=1 PODIUM_SOURCE="$source" PODIUM_PROGRAM="$source/build/cli/podium"
python=$work/venv/bin/python

# All that `make check` tests, with this python
run_tests() {
    "$1" -m pytest -q -p no:cacheprovider --capture=sys "$tests/test_package.py" "$tests/test_properties.py" \
        "$tests/test_processes.py" "$tests/test_vectors.py"
}

part_package() {
    "$tests/environment.sh" "$work"
    PODIUM_EXAMPLES=1000 "$tests/run.sh" "$source" "$PODIUM_PROGRAM" "$work"
}

# Python itself does not free everything, so that leaks are for leaks.py. The sanitizer's library must come first, and
# that of C++ at once after it, so that exceptions of pyarrow's find their way.
part_sanitizers() {
    flags="-fsanitize=address,undefined -fno-sanitize-recover=all"
    "$tests/module.sh" "$source" "$work/sanitizers" "$python" -DCMAKE_BUILD_TYPE=None \
        -DCMAKE_C_FLAGS="-g -O1 -fno-omit-frame-pointer $flags" -DCMAKE_MODULE_LINKER_FLAGS="$flags"
    libraries=""
    for name in libasan.so libubsan.so libstdc++.so.6; do
        libraries="$libraries $(gcc -print-file-name="$name")"
    done
    (
        export LD_PRELOAD="$libraries" ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc
        export PYTHONPATH="$work/sanitizers/package"
        run_tests "$python"
    )
}

part_leaks() {
    "$python" "$tests/leaks.py" 1000000
}

part_huge() {
    "$python" -m pytest -q -p no:cacheprovider "$tests/test_huge.py"
}

part_fuzz() {
    "$tests/fuzz.sh" "$source" "$work/fuzz" "${FUZZ_SECONDS:-60}"
}

find_free_threaded() {
    without='import sys, sysconfig; sys.exit(not sysconfig.get_config_var("Py_GIL_DISABLED"))'
    versions=""
    if command -v pyenv >/dev/null; then
        versions=$(find "$(pyenv root)/versions" -path '*t/bin/python3')
    fi
    for candidate in ${FREE_THREADED:-python3.14t python3.13t $versions}; do
        if "$candidate" -c "$without" 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
}

# That importing a module brings the lock back is a warning, which is an error here.
part_free_threaded() {
    found=$(find_free_threaded)
    [ -n "$found" ] || { echo "check-python.sh: no free-threaded Python is here"; exit 77; }
    PYTHON=$found PIP_ONLY_BINARY=numpy,pandas,pyarrow \
        scripts/python.sh venv "$work/free-threaded" pytest hypothesis numpy pandas pyarrow
    scripts/python.sh wheel "$work/free-threaded"
    "$work/free-threaded/venv/bin/pip" install --quiet --force-reinstall --no-deps "$work"/free-threaded/*.whl
    "$work/free-threaded/venv/bin/python" -W error::RuntimeWarning -c \
        'import sys, podium; assert not sys._is_gil_enabled(); print("Python", sys.version)'
    run_tests "$work/free-threaded/venv/bin/python"
}

if [ "${1:-}" = --only ]; then
    "part_$2"
    exit
fi
skipped=""
for part in ${*:-package sanitizers leaks huge fuzz free_threaded}; do
    printf '\n== %s\n' "$part"
    status=0
    scripts/check-python.sh --only "$part" || status=$? # in a shell of its own, which ends at the first failure
    case $status in
    0) ;;
    77) skipped="$skipped $part" ;;
    *) exit "$status" ;;
    esac
done
[ -z "$skipped" ] || printf '\nSkipped, because something cannot be had here:%s\n' "$skipped"
