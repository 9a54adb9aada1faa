#!/bin/sh
# The pages of podiumd and its browser client, as a C file that has them all, compressed.
#
#   page.sh build DIRECTORY   writes DIRECTORY/page_files.c; the npm package and uPlot, which it needs, go there too. If
#                             a tool is missing or npm cannot be reached it says so, and goes on as with `plain`.
#   page.sh plain DIRECTORY   the same with nothing but a page that says how to get the others
set -eu
command=$1
source=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$2"
directory=$(cd "$2" && pwd)
files=$directory/files table=$directory/table

type_of() {
    case $1 in
    *.html) echo "text/html; charset=utf-8" ;;
    *.js) echo "text/javascript; charset=utf-8" ;;
    *.css) echo "text/css; charset=utf-8" ;;
    *.wasm) echo "application/wasm" ;;
    *) echo "text/plain; charset=utf-8" ;;
    esac
}

collect() {
    package=$directory/web/package uplot=$directory/npm/node_modules/uplot
    mkdir -p "$files/page" "$files/client"
    NODE_PATH=$directory/npm/node_modules esbuild --bundle --splitting --chunk-names=shared --minify --format=esm \
        --target=es2022 --charset=utf8 --log-level=warning --external:/client/* --outdir="$files/page" \
        "$source/collector/page/live.js" "$source/collector/page/join.js"
    cat "$uplot/dist/uPlot.min.css" "$source/site/style.css" "$source/collector/page/style.css" >"$files/page/style.css"
    cp "$source/collector/page/live.html" "$source/collector/page/join.html" "$files"
    cp "$uplot/LICENSE" "$files/page/LICENSE-uPlot"
    cp "$package"/*.js "$package"/*.wasm "$files/client"
    rm "$files"/client/cli.js "$files"/client/*inline.js "$files"/client/*-bytes.js
}

# Writes the C file from the files in $files.
write() {
    cd "$files"
    : >"$table"
    {
        echo '#include "page.h"'
        find . -type f | LC_ALL=C sort | while read -r file; do
            name=$(echo "$file" | tr -c 'a-zA-Z0-9\n' _)
            path=${file#.}
            printf 'static const unsigned char bytes%s[] = {\n' "$name"
            gzip -9nc "$file" | od -An -v -tu1 | sed 's/ *\([0-9][0-9]*\)/\1,/g'
            echo '};'
            printf '    {"%s", "%s", "%s", bytes%s, sizeof bytes%s, %d},\n' "$path" "$(type_of "$file")" \
                "$(sha256sum "$file" | cut -c1-16)" "$name" "$name" "$(wc -c <"$file")" >>"$table"
        done
        echo 'const page_file page_files[] = {'
        cat "$table"
        echo '    {NULL, NULL, NULL, NULL, 0, 0},'
        echo '};'
    } >"$directory/page_files.c"
}

plain() {
    cp "$source/collector/page/missing.html" "$files/live.html"
    write
}

rm -rf "$files"
mkdir -p "$files"
case $command in
build)
    if "$source/scripts/setup.sh" --check web && "$source/scripts/web.sh" build "$directory/web" &&
        "$source/scripts/web.sh" npm "$directory/npm" uplot@1.6.32; then
        collect
        write
    else
        echo "page.sh: podiumd has no pages, because what is named above is missing" >&2
        plain
        touch -d 1970-01-02 "$directory/page_files.c" # so that the next build tries again
    fi
    ;;
plain) plain ;;
*) echo "page.sh: no command is called '$command'" >&2; exit 2 ;;
esac
