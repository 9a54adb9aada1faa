#!/bin/sh
# The page "try it": static files that need no server and no network, with the library in them.
#
#   site.sh build PACKAGE DIRECTORY   bundles site/ with the npm package in PACKAGE into DIRECTORY; uPlot comes
#                                     from npm into DIRECTORY-npm. Exits with 77 if npm cannot be reached.
#   site.sh sizes DIRECTORY           prints how large the page is
#   site.sh open DIRECTORY            serves it on this machine alone, and prints the address
set -eu
command=$1
source=$(cd "$(dirname "$0")/.." && pwd)

build() {
    mkdir -p "$2"
    package=$(cd "$1" && pwd) directory=$(cd "$2" && pwd)
    npm=$directory-npm
    "$source/scripts/web.sh" npm "$npm" uplot@1.6.32
    bundle() {
        NODE_PATH=$npm/node_modules esbuild --bundle --minify --format=iife --target=es2022 \
            --charset=utf8 --log-level=warning "$@"
    }
    rm -rf "${directory:?}"/*
    bundle "$source/site/src/worker.js" --alias:podium-privacy/inline="$package/inline.js" --outfile="$npm/worker.txt"
    bundle "$source/site/src/main.js" --alias:worker-source="$npm/worker.txt" --loader:.txt=text \
        --outfile="$directory/main.js"
    cat "$npm/node_modules/uplot/dist/uPlot.min.css" "$source/site/style.css" >"$directory/style.css"
    cp "$source/site/index.html" "$source/LICENSE" "$directory"
    cp "$npm/node_modules/uplot/LICENSE" "$directory/LICENSE-uPlot"
}

sizes() {
    for file in "$1"/index.html "$1"/main.js "$1"/style.css; do
        printf '%-12s %7d bytes, %6d gzipped\n' "$(basename "$file")" "$(wc -c <"$file")" "$(gzip -9nc "$file" | wc -c)"
    done | awk '{ print; all += $2; gzipped += $4 }
        END { printf "%-12s %7d bytes, %6d gzipped\n", "all", all, gzipped }'
}

case $command in
build) build "$2" "$3" ;;
sizes) sizes "$2" ;;
open) cd "$2" && exec python3 -u -m http.server --bind 127.0.0.1 "${PORT:-8017}" ;;
*) echo "site.sh: no command is called '$command'" >&2; exit 2 ;;
esac
