# What the tests of the PostgreSQL extension share: servers of their own, from a private copy of the installation, in a
# temporary directory, run by a user without privileges, and gone at the end however the test ends. Nothing outside that
# directory is written, and no cluster that was there before is touched.
#
# Sourced with SOURCE-DIR and BUILD-DIR (where CMake built the library) in $source and $build.
set -eu
source=$(cd "$source" && pwd) build=$(cd "$build" && pwd)
for variable in $(env | sed -n 's/^\(PG[A-Z]*\)=.*/\1/p'); do
    [ "$variable" = PG_CONFIG ] || unset "$variable"
done
PG_CONFIG=$(command -v "${PG_CONFIG:-pg_config}")
LC_ALL=C PGUSER=tester PGDATABASE=postgres PGOPTIONS='-c client_min_messages=warning'
export LC_ALL PGUSER PGDATABASE PGOPTIONS

work=$(mktemp -d /tmp/podium.XXXXXX) # short: a socket's path has at most 107 bytes
chmod 755 "$work"
bin=$work$("$PG_CONFIG" --bindir)
PATH=$(cd "$build/cli" && pwd):$bin:$PATH
PGHOST=$work/sockets
export PATH PGHOST

# ---- Saying and finding ----

say() { printf '%s\n' "$*"; }
fail() { say "FAILED: $*" >&2; exit 1; }

# same WHAT A B: fails unless A is B; says neither, they may be long
same() {
    [ "$2" = "$3" ] || { printf '%.300s\n' "$2" "$3" >&2; fail "$1"; }
    say "ok: $1"
}

# eventually COMMAND...: waits until it succeeds, some minutes at the most
eventually() {
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ "$tries" -lt 1000 ] || return 1
        sleep 0.1
    done
}

# sql SERVER [PSQL-OPTION...]: runs standard input there, stops at the first error; bare values on standard output
sql() {
    server=$1
    shift
    psql -X -q -At -v ON_ERROR_STOP=1 -p "$(port_of "$server")" "$@"
}

# sql_one SERVER QUERY
sql_one() { printf '%s\n' "$2" | sql "$1"; }

# ---- A private installation ----

# A user without privileges for the servers: PostgreSQL refuses to run as root.
unprivileged() {
    if [ "$(id -u)" -eq 0 ]; then
        exec setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups --pdeathsig QUIT "$@"
    else
        exec setpriv --pdeathsig QUIT "$@"
    fi
}
mine() { [ "$(id -u)" -ne 0 ] || chown -R nobody "$@"; }

# PostgreSQL finds its files from where its program is: programs are copied to the same path below $work, files linked,
# and the extension installed beside them.
install_privately() {
    libraries=$("$PG_CONFIG" --pkglibdir) shared=$("$PG_CONFIG" --sharedir)
    mkdir -p "$bin" "$work$libraries" "$work$shared/extension" "$PGHOST"
    cp "$("$PG_CONFIG" --bindir)"/* "$bin"
    ln -s "$libraries"/* "$work$libraries"
    for file in "$shared"/*; do
        [ "${file##*/}" = extension ] || ln -s "$file" "$work$shared"
    done
    ln -s "$shared"/extension/* "$work$shared/extension"
    rm -f "$work$libraries"/podium.so "$work$shared"/extension/podium*
    (cd "$build/postgres" && make -s -f "$source/adapters/postgres/Makefile" PODIUM_BUILD="$build" PG_CONFIG="$PG_CONFIG" \
        install DESTDIR="$work") >"$work/install.log" 2>&1 || { cat "$work/install.log"; fail "installing"; }
    mine "$PGHOST"
}

# ---- Servers ----

servers=""

# A number of its own for each name: sockets are told apart by it
port_of() {
    case $1 in
    one | coordinator) echo 5432 ;; shard1) echo 5433 ;; shard2) echo 5434 ;; shard3) echo 5435 ;;
    *) fail "no server is called $1" ;;
    esac
}

answers() { psql -X -q -At -p "$(port_of "$1")" -c 'SELECT 1' >/dev/null 2>&1; }

# start SERVER: starts it, after making its cluster if there is none, and waits for it. The server dies with this shell.
start() {
    if [ ! -d "$work/$1" ]; then
        mkdir "$work/$1"
        mine "$work/$1"
        (cd "$work/$1" && unprivileged initdb -D "$work/$1" -U "$PGUSER" -A trust -E UTF8 --no-locale -N) \
            >"$work/$1.log" 2>&1 || { cat "$work/$1.log"; fail "initdb for $1"; }
        servers="$servers $1"
    fi
    (cd "$work/$1" && unprivileged postgres -D "$work/$1" -k "$PGHOST" -p "$(port_of "$1")" -c listen_addresses='' \
        -c logging_collector=off -c shared_preload_libraries=pg_stat_statements) >>"$work/$1.log" 2>&1 &
    eventually answers "$1" || { cat "$work/$1.log"; fail "$1 does not answer"; }
}

# stop SERVER MODE: fast, or immediate, which is a crash that leaves nothing running
stop() {
    (unprivileged pg_ctl -D "$work/$1" -s -w -m "$2" stop)
}

clean() {
    status=$?
    trap - EXIT
    for server in $servers; do
        [ ! -f "$work/$server/postmaster.pid" ] || stop "$server" immediate >/dev/null 2>&1 || true
    done
    rm -rf "$work"
    exit $status
}
trap clean EXIT
trap 'exit 1' HUP INT TERM
