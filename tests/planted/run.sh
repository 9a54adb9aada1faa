#!/bin/sh
# Plants one bug in a copy of the tree and demands that each test named in the patch's "Caught-by:" line fails.
# A suite that cannot fail proves nothing.
#
#   run.sh SOURCE-DIR WORK-DIR PATCH
set -eu
source=$1 work=$2 patch=$3

rm -rf "$work"
mkdir -p "$work"
cp -R "$source/CMakeLists.txt" "$source/cmake" "$source/include" "$source/src" "$source/cli" \
    "$source/man" "$source/adapters" "$source/examples" "$source/tests" "$work"
patch --quiet --strip=1 --fuzz=0 --directory="$work" <"$patch"
cmake -S "$work" -B "$work/build" -DPODIUM_TESTS=ON -DPODIUM_SQLITE=ON >/dev/null

for test in $(sed -n 's/^Caught-by: //p' "$patch"); do
    case $test in
    ctime/*) ;; # builds for itself
    *) cmake --build "$work/build" --target "$(echo "$test" | tr / _)" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; } ;;
    esac
    if ctest --test-dir "$work/build" -R "^$test\$" --no-tests=ignore >"$work/log" 2>&1; then
        echo "$test does not notice: $(sed -n 's/^Bug: //p' "$patch")" >&2
        exit 1
    fi
    grep -q "1 tests failed out of 1" "$work/log" || { cat "$work/log"; exit 1; }
    echo "$test caught it: $(sed -n 's/^Bug: //p' "$patch")"
done
