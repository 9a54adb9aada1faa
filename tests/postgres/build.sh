#!/bin/sh
# Builds the PostgreSQL extension without a warning, and looks at what it shows and needs.
#
#   build.sh SOURCE-DIR BUILD-DIR
set -eu
source=$1 build=$2
PG_CONFIG=${PG_CONFIG:-pg_config}

rm -rf "$build/postgres"
mkdir -p "$build/postgres"
cd "$build/postgres"
make -s -f "$source/sql/postgres/Makefile" PODIUM_BUILD="$build" PG_CONFIG="$PG_CONFIG" COPT=-Werror
clang -fsyntax-only -std=gnu11 -Werror -Wall -Wextra -Wshadow -Wconversion -I"$source/include" \
    -isystem "$("$PG_CONFIG" --includedir-server)" "$source"/sql/postgres/*.c "$source/sql/spec.c"

# Shown is what PostgreSQL calls, and each of these is declared in SQL
nm -D --defined-only podium.so | awk '{ print $3 }' | sed 's/^pg_finfo_//' | grep -v '^Pg_magic_func$' | sort -u >shown
grep -oh "podium_sql_[a-z_]*" "$source"/sql/postgres/podium--*.sql | sort -u >declared
diff declared shown
if ldd podium.so | grep libpodium; then exit 1; fi
echo "build: podium.so shows $(wc -l <shown) functions, all declared in SQL"
