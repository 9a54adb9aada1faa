#!/bin/sh
# Compiles src/device for other systems, without a warning, by the platform's own choice of sources, and looks whether the
# objects call what they should: with the real headers of Windows and WASI, and with headers of our own (systems/) of Apple's
# systems, the BSDs and Android, for which also the part of the program compiles that differs between systems.
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

# elsewhere TARGET RANDOM WIPE: what gives random bytes and what clears memory there
elsewhere() {
    set -- "$@" -nostdinc -isystem "$(clang -print-file-name=include)" -isystem tests/devices/systems
    target=$1 random=$2 wipe=$3
    shift 3
    compile "$target" "$random" --target="$target" "$@"
    grep -q "$wipe" "$work/$target"/wipe_*.o || { echo "$target: nothing calls $wipe" >&2; exit 1; }
    clang --target="$target" "$@" -std=c11 -Iinclude -Icli -Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only \
        cli/platform_posix.c
}
compile windows BCryptGenRandom --target=x86_64-w64-mingw32
compile wasi __wasi_random_get --target=wasm32-wasi -isystem /usr/include/wasm32-wasi
for target in arm64-apple-macos11 x86_64-apple-macos11 arm64-apple-ios14; do
    elsewhere $target arc4random_buf memset_s
done
for target in x86_64-unknown-freebsd13 x86_64-unknown-openbsd7 x86_64-unknown-dragonfly; do
    elsewhere $target getentropy explicit_bzero
done
elsewhere x86_64-unknown-netbsd9 arc4random_buf memset
elsewhere aarch64-linux-android21 arc4random_buf memset
elsewhere armv7a-linux-androideabi27 arc4random_buf memset
elsewhere aarch64-linux-android28 getrandom memset
