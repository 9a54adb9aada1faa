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
make -s -f "$source/adapters/postgres/Makefile" PODIUM_BUILD="$build" PG_CONFIG="$PG_CONFIG" COPT=-Werror
clang -fsyntax-only -std=gnu11 -Werror -Wall -Wextra -Wshadow -Wconversion -I"$source/include" \
    -isystem "$("$PG_CONFIG" --includedir-server)" "$source"/adapters/postgres/*.c "$source/adapters/common/spec.c"

# Shown is what PostgreSQL calls, and each of these is declared in SQL
nm -D --defined-only podium.so | awk '{ print $3 }' | sed 's/^pg_finfo_//' | grep -v '^Pg_magic_func$' | sort -u >shown
grep -oh "podium_sql_[a-z_]*" "$source/adapters/postgres/podium.sql" | sort -u >declared
diff declared shown
if ldd podium.so | grep libpodium; then exit 1; fi
"$source/tests/install/hardened.sh" podium.so
echo "build: podium.so shows $(wc -l <shown) functions, all declared in SQL"

# Debian's PostgreSQL was itself built outside its source tree. For one that was not, configure strips every assignment
# to VPATH from PGXS: with a copy of PGXS that is stripped likewise, the extension builds and installs as well.
pgxs=$("$PG_CONFIG" --pgxs)
mkdir in-tree
cp -r "${pgxs%/src/makefiles/pgxs.mk}" in-tree/pgxs
sed -i '/^[[:space:]]*VPATH[[:space:]]*=/d' in-tree/pgxs/src/Makefile.global
cat >in-tree/pg_config <<END
#!/bin/sh
[ "\$1" != --pgxs ] || exec echo "$PWD/in-tree/pgxs/src/makefiles/pgxs.mk"
exec "$PG_CONFIG" "\$@"
END
chmod +x in-tree/pg_config
cd in-tree
make -s -f "$source/adapters/postgres/Makefile" PODIUM_BUILD="$build" PG_CONFIG=./pg_config COPT=-Werror install DESTDIR="$PWD/to"
[ "$(nm -D --defined-only podium.so | awk '{ print $3 }')" = "$(nm -D --defined-only ../podium.so | awk '{ print $3 }')" ]
[ "$(find to -name 'podium*' -type f | wc -l)" -eq 3 ] || { find to -type f; exit 1; }
echo "build: the same with the PGXS of a PostgreSQL that was built in its source tree"
