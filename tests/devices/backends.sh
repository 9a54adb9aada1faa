#!/bin/sh
# Compiles src/device with the headers of Windows and of WASI, without a warning, by the platform's own choice of sources,
# and looks whether the objects call what they should. Of the platforms whose headers are not here, only what is chosen
# is looked at.
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

# choice TARGET RANDOM WIPE: what backend.h chooses there
choice() {
    {
        echo '#include "device/backend.h"'
        echo "_Static_assert(PODIUM_RANDOM == PODIUM_RANDOM_$2 && PODIUM_WIPE == PODIUM_WIPE_$3, \"another choice\");"
    } >"$work/choice.c"
    clang --target="$1" -ffreestanding -nostdinc -isystem "$(clang -print-file-name=include)" \
        -isystem tests/devices/freestanding -Iinclude -Isrc -fsyntax-only "$work/choice.c"
    echo "$1: $2 and $3"
}
choice aarch64-linux-android21 ARC4RANDOM VOLATILE
choice arm64-apple-ios13 ARC4RANDOM MEMSET_S
choice x86_64-unknown-freebsd13 GETENTROPY EXPLICIT_BZERO
choice x86_64-linux-gnu GETRANDOM EXPLICIT_BZERO
choice armv7m-none-eabi NONE VOLATILE
