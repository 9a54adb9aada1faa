#!/bin/sh
# Fetches flights from the npm package vega-datasets: domestic flights of the U.S. Bureau of Transportation Statistics. Only
# the package is downloaded, nothing of it runs.
#
#   flights.sh DIRECTORY [FILE]
#
# FILE is flights-200k.json, which measure.py --flights reads, or flights-3m.parquet, which examples/notebook.ipynb reads;
# by default the first. Prints the path of the file. Exits with 77 if there is no npm or it cannot reach its registry, and
# with 1 if the file is not the one that was measured.
set -eu
mkdir -p "$1"
directory=$(cd "$1" && pwd)
name=${2:-flights-200k.json}
case $name in
flights-200k.json) sum=82c60682ccdec1a9cf1102b2a011bef789243053f1ac01a531580c72be3d8bc0 ;;
flights-3m.parquet) sum=dbeb920c90f59b6ccaff823dcc3d08f25a97fa1ce128d93f40be4e931f5900b0 ;;
*) echo "flights.sh: no file is called '$name'" >&2; exit 2 ;;
esac
package=vega-datasets version=3.2.1
member=package/data/$name
file=$directory/$package-$version/$member

same() { echo "$sum  $file" | sha256sum --check --status 2>/dev/null; }

if ! same; then
    command -v npm >/dev/null || { echo "flights.sh: skipped, because npm is missing" >&2; exit 77; }
    npm pack --loglevel error --ignore-scripts --cache "$directory/npm" --fetch-retries 0 --pack-destination "$directory" \
        $package@$version >/dev/null 2>"$directory/npm.log" ||
        { echo "flights.sh: skipped, because npm cannot get $package@$version:" >&2; cat "$directory/npm.log" >&2; exit 77; }
    mkdir -p "$directory/$package-$version"
    tar -xzf "$directory/$package-$version.tgz" -C "$directory/$package-$version" "$member"
    rm -rf "$directory/$package-$version.tgz" "$directory/npm"
    same || { echo "flights.sh: $file is not the file that was measured" >&2; exit 1; }
fi
echo "$file"
