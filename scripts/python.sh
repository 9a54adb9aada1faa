#!/bin/sh
# Python's environment in the build directory, and the package in it. Nothing of the system's Python is changed.
#
#   python.sh venv DIRECTORY PACKAGE...   makes DIRECTORY/venv with these packages of PyPI, unless it has them; exits
#                                         with 77 if PyPI cannot be reached
#   python.sh wheel DIRECTORY             writes DIRECTORY/*.whl; needs the environment, with scikit-build-core
#   python.sh install DIRECTORY PACKAGE...   both, and installs the wheel in the environment
#   python.sh there DIRECTORY             exits with 77 unless an environment is there
#
# PYTHON names the Python to use, if it is not python3.
set -eu
command=$1 directory=$2
shift 2
source=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
venv=$directory/venv

make_venv() {
    wanted="$(${PYTHON:-python3} -V) $*"
    [ "$(cat "$venv/wanted" 2>/dev/null)" != "$wanted" ] || return 0
    rm -rf "$venv"
    ${PYTHON:-python3} -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --retries 1 "$@" >"$directory/pip.log" 2>&1 || {
        echo "python.sh: skipped, because pip cannot install $*:" >&2
        tail -n 3 "$directory/pip.log" >&2
        exit 77
    }
    echo "$wanted" >"$venv/wanted"
}

make_wheel() {
    rm -f "$directory"/*.whl
    "$venv/bin/pip" wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir "$directory" \
        --config-settings=build-dir="$directory/wheel" "$source/adapters/python" >"$directory/wheel.log" 2>&1 ||
        { cat "$directory/wheel.log" >&2; exit 1; }
}

case $command in
venv) make_venv "$@" ;;
wheel) make_wheel ;;
install)
    make_venv scikit-build-core "$@"
    make_wheel
    "$venv/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$directory"/*.whl
    ;;
there) [ -e "$venv/wanted" ] || { echo "python.sh: skipped, because there is no $venv" >&2; exit 77; } ;;
*) echo "python.sh: no command is called '$command'" >&2; exit 2 ;;
esac
