#!/bin/sh
# Runs clang-tidy, with the checks of .clang-tidy, over the library, the program, the server and the adapters, as a build compiles
# them. Says what it finds, and fails if that is anything.
#
#   tidy.sh BUILD-DIR [JOBS]
set -eu
build=$(cd "$1" && pwd) jobs=${2:-2}
cd "$(dirname "$0")/.."

command -v clang-tidy >/dev/null || { echo "tidy.sh: clang-tidy is missing" >&2; exit 2; }

# "Shallow" looks at one function at a time. Following the calls takes ten times as long, and all that it reported was
# wrong, because it cannot know what the callers have checked.
shallow="--extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=mode=shallow"
# shellcheck disable=SC2086
find src cli collector adapters/sqlite adapters/common -name '*.c' ! -name '*_windows.c' | sort |
    xargs -P"$jobs" -n8 clang-tidy --quiet -p "$build" $shallow 2>/dev/null # which says how many warnings there are
# shellcheck disable=SC2086
clang-tidy --quiet $shallow cli/platform_windows.c -- --target=x86_64-w64-mingw32 -std=c11 -Iinclude -Icli 2>/dev/null
# The Python module, which is not a part of that build
python=$(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))')
# shellcheck disable=SC2086
clang-tidy --quiet $shallow adapters/python/core/*.c -- -std=c11 -Iinclude -isystem "$python" 2>/dev/null
