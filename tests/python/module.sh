#!/bin/sh
# Builds the package without a wheel, for tests that need another compiler or other flags, and writes it to
# DIRECTORY/package, for PYTHONPATH.
#
#   module.sh SOURCE-DIR DIRECTORY PYTHON [CMAKE-ARGUMENT...]
set -eu
source=$1 directory=$2 python=$3
shift 3
mkdir -p "$directory"
{
    cmake -S "$source/adapters/python" -B "$directory/module" -DPython_EXECUTABLE="$python" "$@" &&
        cmake --build "$directory/module" -j2 --target _core
} >"$directory/module.log" 2>&1 || { cat "$directory/module.log" >&2; exit 1; }
rm -rf "$directory/package"
mkdir "$directory/package"
cp -r "$source/adapters/python/podium" "$directory/package/"
cp "$directory"/module/_core.*.so "$directory/package/podium/"
