#!/bin/sh
# Runs every command of docs/sql.md's parts about PostgreSQL, in the order in which they stand there: blocks fenced as
# sql on the coordinator, as "sql shards" on each of three shards, and the lines of console blocks that begin with "$ ".
# Blocks fenced as "sql citus", and those of plain text, are not run. Then the README's SQL.
#
#   examples.sh SOURCE-DIR BUILD-DIR
source=$1 build=$2
. "$(dirname "$0")/lib.sh"

install_privately
for server in coordinator shard1 shard2 shard3; do
    start $server
done
for server in shard1 shard2 shard3; do
    sql_one $server 'CREATE DATABASE survey'
done
mkdir "$work/blocks" "$work/here"

# A file a block, named by its line and what it is
awk -v to="$work/blocks" '
    /^## / { on = /^## (PostgreSQL|Many servers)$/ }
    /^```/ && file != "" { close(file); file = ""; next }
    /^```(sql|console)/ && on { file = sprintf("%s/%04d.%s", to, NR, substr($0, 4)); gsub(/ /, ".", file); next }
    /^```/ { file = "/dev/null"; next }
    file != "" { print >file }' "$source/docs/sql.md"

# As they are run: shards are found by their sockets
for file in "$work/blocks"/*; do
    for i in 1 2 3; do
        port=$(port_of shard$i)
        sed -i "s|host 'shard$i.example.org'|host '$PGHOST', port '$port'|
                s|host=shard$i.example.org|host=$PGHOST port=$port|" "$file"
    done
done

# run_console FILE: its lines that begin with "$ ", and those that such a line goes on in
run_console() {
    awk '/^\$ / { print substr($0, 3); next } /^      / { print }' "$1" >"$work/script"
    (cd "$work/here" && bash -eu "$work/script")
}
ran=0
for file in "$work/blocks"/*; do
    line=$(basename "$file" | cut -d. -f1)
    case $file in
    *.citus) continue ;;
    *.shards)
        for i in 1 2 3; do
            sed "s/'shard1'/'shard$i'/" "$file" | PGDATABASE=survey sql shard$i
        done
        ;;
    *.sql) PGDATABASE=survey sql coordinator <"$file" ;;
    *.console) run_console "$file" ;;
    esac >>"$work/said" 2>"$work/error" || { cat "$work/error"; fail "docs/sql.md, the block after line $line"; }
    [ ! -s "$work/error" ] || { cat "$work/error"; fail "docs/sql.md, the block after line $line, says something"; }
    ran=$((ran + 1))
done
[ "$ran" -ge 15 ] || fail "only $ran blocks were found"
same "the documented plan has the aggregate at the shards" \
    "$(grep -c 'Remote SQL: SELECT public.podium_aggregate' "$work/said")" 3
for picture in week.svg shares.svg; do
    grep -q '</svg>' "$work/here/$picture" || fail "$picture is no picture"
done

# The README's, for a table of people that it takes for granted
sql_one coordinator 'CREATE DATABASE readme'
{
    echo "CREATE TABLE people AS SELECT 'Aarhus' AS city, 34 AS age FROM generate_series(1, 100);"
    awk '/^## / { on = /^## From SQL$/ } /^```/ { block = /^```sql/; next } on && block' "$source/README.md"
} | PGDATABASE=readme sql coordinator >"$work/said"
same "the README's SQL says what it should" "$(sed 's/0|.*/0|/; s/:.*/:/' "$work/said")" "Aarhus|100|
podium-aggregate:"
say "examples: $ran blocks of docs/sql.md ran, and drew two pictures"
