#!/bin/sh
# Compiles src/device with the headers of Windows and of WASI, without a warning, by the platform's own choice of sources,
# and looks whether the objects call what they should.
#
#   backends.sh SOURCE-DIR WORK-DIR
set -eu
source=$1 work=$2
rm -rf "$work"
mkdir -p "$work"
cd "$source"

# compile NAME SYMBOL CLANG-FLAG...: SYMBOL is what gives the random bytes there
compile() {
    name=$1 symbol=$2
    shift 2
    mkdir "$work/$name"
    for file in src/device/*.c; do
        clang "$@" -std=c11 -O2 -Iinclude -Isrc -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror \
            -c "$file" -o "$work/$name/$(basename "$file" .c).o"
    done
    # The import that a call goes through is named in the object file.
    grep -q "$symbol" "$work/$name"/random_*.o || { echo "$name: nothing calls $symbol" >&2; exit 1; }
    echo "$name: compiles, and calls $symbol"
}
compile windows BCryptGenRandom --target=x86_64-w64-mingw32
compile wasi __wasi_random_get --target=wasm32-wasi -isystem /usr/include/wasm32-wasi
