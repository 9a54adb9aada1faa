#!/bin/sh
# The npm package, built by Debian's clang, lld, wasi-libc, binaryen and esbuild.
#
#   web.sh build DIRECTORY   writes DIRECTORY/package (the modules, the JavaScript) and DIRECTORY/podium-privacy-*.tgz
#   web.sh sizes DIRECTORY   prints how large that is, gzipped
#   web.sh npm DIRECTORY PACKAGE...   installs packages of npm there, unless they are there; exits with 77 if npm cannot be
#                                     reached
set -eu
command=$1 directory=$2
shift 2
cd "$(dirname "$0")/.."
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
package=$directory/package
clang=${CLANG:-clang-14} linker=${WASM_LD:-wasm-ld-14}
command -v "$clang" >/dev/null || clang=clang
command -v "$linker" >/dev/null || linker=wasm-ld

version() {
    sed -n 's/^#define PODIUM_VERSION_\(MAJOR\|MINOR\|PATCH\) //p' include/podium.h | paste -sd. -
}

# What every browser of the last years has, and makes the module smaller: Safari since version 15
features="-mbulk-memory -msign-ext -mnontrapping-fptoint -mmutable-globals -DPODIUM_WIPE=PODIUM_WIPE_VOLATILE -DPODIUM_RANDOM=PODIUM_RANDOM_NONE"

# compile NAME STACK FILE...: writes NAME.wasm from the sources
compile() {
    name=$1 stack=$2
    shift 2
    objects=$directory/objects-$name
    rm -rf "$objects"
    mkdir -p "$objects"
    for file; do
        case $file in
        src/device/privatize.c | src/device/draw.c | src/device/report.c) how=-O2 ;;
        adapters/web/core/memory.c | adapters/web/core/fill.c) how="-Oz -fno-builtin" ;;
        *) how="-Oz -fno-inline" ;;
        esac
        # Indices compress better than the pointers that the reduction of strength makes of them, and are as fast.
        how="$how -mllvm -disable-lsr"
        # shellcheck disable=SC2086
        "$clang" --target=wasm32-wasi -std=c11 $how -ffp-contract=off $features -Iinclude -Isrc -fno-builtin-strlen \
            -fvisibility=hidden -ffunction-sections -fdata-sections -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror \
            -c "$file" -o "$objects/$(echo "$file" | tr / _).o"
    done
    # The stack is first, so that an overflow traps and overwrites nothing. There are no constructors, and whoever exports
    # their caller gets no wrapper of each function that would call them.
    "$linker" --no-entry --export=__wasm_call_ctors --gc-sections --strip-all --stack-first -z stack-size="$stack" "$objects"/*.o \
        -L/usr/lib/wasm32-wasi -lm -lc -o "$objects/linked.wasm"
    # shellcheck disable=SC2086
    wasm-opt --flatten --rereloop -Oz -Oz --converge --low-memory-unused --enable-bulk-memory --enable-sign-ext --enable-nontrapping-float-to-int \
        --enable-mutable-globals "$objects/linked.wasm" -o "$package/$name.wasm"
}

build() {
    rm -rf "$package"
    mkdir -p "$package"
    drawing="src/collection/check.c src/collection/collection.c src/collection/status.c src/collection/threshold.c
        src/device/draw.c src/device/privatize.c src/device/random.c src/device/random_none.c
        src/device/report.c src/device/vector.c src/device/wipe_volatile.c adapters/web/core/device.c
        adapters/web/core/fill.c adapters/web/core/random.c"
    compile podium-device 32768 $drawing
    compile podium 262144 src/collection/*.c src/collection/mechanisms/*.c src/device/*.c src/analysis/*.c \
        src/text/number.c src/text/spec_text.c adapters/web/core/*.c
    for name in podium-device podium; do
        printf "// %s.wasm, for pages that cannot fetch it\nconst text =\n  '%s';\n\n%s\n" "$name" \
            "$(base64 -w0 "$package/$name.wasm")" \
            'export const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));' >"$package/$name-bytes.js"
    done
    for file in adapters/web/src/*.js "$package"/*-bytes.js; do
        esbuild --minify --target=es2022 --log-level=warning "$file" >"$directory/minified.js"
        mv "$directory/minified.js" "$package/$(basename "$file")"
    done
    chmod +x "$package/cli.js"
    cp adapters/web/src/*.d.ts adapters/web/README.md LICENSE "$package"
    sed "s/@VERSION@/$(version)/" adapters/web/package.json >"$package/package.json"
    tar --sort=name --owner=0 --group=0 --mtime=@0 -czf "$directory/podium-privacy-$(version).tgz" -C "$directory" package
}

# The files that a page loads from an entry, and their size in kilobytes, gzipped
sizes() {
    part=$1 total=0
    shift
    for file; do
        total=$((total + $(gzip -9nc "$package/$file" | wc -c)))
    done
    printf '%-30s %2d.%d KB gzipped: %s\n' "$part" $((total / 1000)) $((total / 100 % 10)) "$*"
}

npm_install() {
    wanted="$(node -v) $*"
    [ "$(cat "$directory/wanted" 2>/dev/null)" != "$wanted" ] || exit 0
    rm -rf "$directory/node_modules" "$directory"/package*.json
    npm install --prefix "$directory" --no-audit --no-fund --fetch-retries 1 "$@" >"$directory/npm.log" 2>&1 || {
        echo "web.sh: skipped, because npm cannot install $*:" >&2
        tail -n 3 "$directory/npm.log" >&2
        exit 77
    }
    echo "$wanted" >"$directory/wanted"
}

case $command in
build) build ;;
sizes)
    device="collection.js design.js library.js"
    # shellcheck disable=SC2086
    sizes podium-privacy/device podium-device.wasm device.js device-half.js $device
    # shellcheck disable=SC2086
    sizes podium-privacy podium.wasm index.js whole.js aggregate.js numbers.js $device
    sizes podium-privacy/reporter reporter.js
    ;;
npm) npm_install "$@" ;;
*) echo "web.sh: no command is called '$command'" >&2; exit 2 ;;
esac
