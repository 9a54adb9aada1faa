#!/bin/sh
# The long trials of podiumd: 60 kills on each store, a PostgreSQL that is stopped, slow and cut off, a full disk, 1,000
# losses of power, many more requests by Schemathesis, and every test again with ThreadSanitizer. Called by
# `make check-collector`, which has installed what this needs.
#
#   check-collector.sh [JOBS]
set -eu
jobs=${1:-2}
cd "$(dirname "$0")/.."
source=$PWD work=$PWD/build/check-collector
mkdir -p "$work/power"
export PYTHONDONTWRITEBYTECODE=1

printf '\n== release\n'
cmake --preset release >"$work/log"
cmake --build --preset release -j"$jobs" --target podiumd podium collector_power >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
podiumd=$source/build/release/collector/podiumd podium=$source/build/release/cli/podium
tests/collector/faults.py "$podiumd" "$podium" "$work/faults" 60
tests/collector/faults_postgres.py "$podiumd" "$podium" "$work/faults-postgres" 60 || [ $? -eq 77 ]
tests/collector/disk.py "$podiumd" "$podium" "$work/disk" || [ $? -eq 77 ]
build/release/tests/collector_power "$work/power" 1000
tests/collector/schema.sh "$source" "$podiumd" "$podium" "$work/schema" 300 || [ $? -eq 77 ]

printf '\n== ThreadSanitizer\n'
cmake -S . -B build/tsan -DPODIUM_COLLECTOR=ON -DPODIUM_HARDENED=OFF -DPODIUM_INSTALL=OFF \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_FLAGS="-fsanitize=thread -fno-omit-frame-pointer" >"$work/log"
cmake --build build/tsan -j"$jobs" --target podiumd >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
for test in api operate tls send events faults postgres faults_postgres; do
    rm -f "$work"/races.*
    TSAN_OPTIONS="log_path=$work/races" "tests/collector/$test.py" build/tsan/collector/podiumd "$podium" "$work/tsan-$test"
    if cat "$work"/races.* 2>/dev/null; then exit 1; fi
done
