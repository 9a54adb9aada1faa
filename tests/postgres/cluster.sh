#!/bin/sh
# A server of PostgreSQL for a test in another language: says where its sockets are, and then obeys one command a line,
# `start`, `stop fast` or `stop immediate`, and answers `done` to each. When its input ends, the server is gone.
#
#   cluster.sh SOURCE-DIR BUILD-DIR
source=$1 build=$2
. "$(dirname "$0")/lib.sh"
PATH=$("$PG_CONFIG" --bindir):$PATH
mkdir "$PGHOST"
mine "$PGHOST"
say "$PGHOST"
while read -r command mode; do
    case $command in
    start) start one </dev/null >&2 ;;
    stop) stop one "$mode" </dev/null >&2 ;;
    esac
    say done
done
