#!/bin/sh
# Runs the examples of podiumd(1) and podium-send(1), each with a server of its own on a port of the system's choice. At the
# end it makes a mistake in an example on purpose, which must be found.
#
#   examples.sh SOURCE-DIR PODIUMD PODIUM WORK-DIR
set -eu
source=$(cd "$1" && pwd) podiumd=$2 podium=$3 work=$4
command -v curl >/dev/null || { echo "curl is missing"; exit 77; }
if "$podium" send --to http://127.0.0.1:9 --collection 'podium epsilon=1 range=0:1' --name x --retry 0 </dev/null 2>&1 |
    grep 'without libcurl'; then
    exit 77
fi
rm -rf "$work"
mkdir -p "$work/pages"
PATH=$(cd "$(dirname "$podiumd")" && pwd):$PATH
no_proxy=127.0.0.1
export PATH no_proxy

port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
run() { # PAGE EXPRESSION: the page, changed by a command of sed
    PODIUMD_LISTEN=127.0.0.1:$(port)
    export PODIUMD_LISTEN
    sed "s/127\.0\.0\.1:8470/$PODIUMD_LISTEN/g; $2" "$source/man/$1" >"$work/pages/$1"
    "$source/tests/cli/examples.sh" "$source" "$podium" "$work/run" "$work/pages/$1"
}

for page in podiumd.1 podium-send.1; do run "$page" ''; done
if run podium-send.1 's/--label-column region/--label-column land/' >/dev/null 2>&1; then
    echo "examples.sh: a mistake in an example was not found" >&2
    exit 1
fi
