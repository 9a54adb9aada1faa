#!/bin/sh
# Four servers, a coordinator and three shards with a million reports each. Their answer is that of one server with all
# reports, to the bit, while nothing but aggregates crosses between them; without one of them there is no answer at all;
# and when it is back, the answer is what it was.
#
#   servers.sh SOURCE-DIR BUILD-DIR
source=$1 build=$2
. "$(dirname "$0")/lib.sh"

install_privately
for server in coordinator shard1 shard2 shard3; do
    start $server
    sql_one $server 'CREATE EXTENSION podium; CREATE EXTENSION pg_stat_statements'
done

# ---- Reports on the shards ----

for i in 1 2 3; do
    sql shard$i -v shard="shard$i" -v i="$i" <<'SQL' &
CREATE TABLE reports (shard text DEFAULT :'shard', city text, report float8, small float8);
INSERT INTO reports (city, report, small)
    SELECT (ARRAY['Aarhus', 'Bergen', 'Cork'])[1 + n % 3],
           podium_privatize(CASE WHEN n % 10 > 0 THEN 20 * :i + n % 20 END, 1, 120, 1),
           CASE WHEN n % 10 = 0 THEN podium_privatize(n % 100, 0, 100, 2, 'minimax') END
    FROM generate_series(1, 1000000) n;
ANALYZE reports;
CHECKPOINT; -- what follows stops this server hard: it should be back soon
SQL
    jobs="${jobs:-} $!"
done
for job in $jobs; do wait "$job"; done

# ---- The coordinator: all shards as one table, by postgres_fdw; and as a cluster, by PL/Proxy ----

sql coordinator <<'SQL'
CREATE EXTENSION postgres_fdw;
CREATE EXTENSION plproxy;
CREATE TABLE reports (shard text, city text, report float8, small float8) PARTITION BY LIST (shard);
SQL
for i in 1 2 3; do
    sql coordinator -v shard=shard$i -v table=reports_shard$i -v host="$PGHOST" -v port="$(port_of shard$i)" \
        -v user="$PGUSER" <<'SQL'
CREATE SERVER :shard FOREIGN DATA WRAPPER postgres_fdw
    OPTIONS (host :'host', port :'port', dbname 'postgres', extensions 'podium', async_capable 'true');
CREATE USER MAPPING FOR CURRENT_USER SERVER :shard OPTIONS (user :'user');
CREATE FOREIGN TABLE :table PARTITION OF reports FOR VALUES IN (:'shard') SERVER :shard OPTIONS (table_name 'reports');
ANALYZE :table;
SQL
done
at() { echo "host=$PGHOST port=$(port_of "$1") dbname=postgres"; }
sql coordinator -v p0="$(at shard1)" -v p1="$(at shard2)" -v p2="$(at shard3)" <<'SQL'
ANALYZE reports;
CREATE SERVER shards FOREIGN DATA WRAPPER plproxy OPTIONS (modular_mapping '1', p0 :'p0', p1 :'p1', p2 :'p2');
CREATE USER MAPPING FOR CURRENT_USER SERVER shards;
CREATE FUNCTION aggregates_of_shards() RETURNS SETOF podium_aggregate LANGUAGE plproxy AS $$
    CLUSTER 'shards';
    RUN ON ALL;
    SELECT podium_aggregate(report, 1, 120, 1) FROM reports;
$$;
CREATE FUNCTION aggregates_of_cities(OUT city text, OUT aggregate podium_aggregate) RETURNS SETOF record
LANGUAGE plproxy AS $$
    CLUSTER 'shards';
    RUN ON ALL;
    SELECT city, podium_aggregate(report, 1, 120, 1) AS aggregate FROM reports GROUP BY city;
$$;
SQL

# ---- One server with all reports ----

sql_one coordinator 'CREATE UNLOGGED TABLE together (shard text, city text, report float8, small float8)'
for i in 1 2 3; do
    sql shard$i -c 'COPY reports TO STDOUT (FORMAT binary)' </dev/null |
        sql coordinator -c 'COPY together FROM STDIN (FORMAT binary)'
done
together=$(sql_one coordinator 'SELECT podium_aggregate(report, 1, 120, 1) FROM together')
together_small=$(sql_one coordinator "SELECT podium_aggregate(small, 0, 100, 2, 'minimax') FROM together")
together_cities=$(sql_one coordinator 'SELECT city, podium_aggregate(report, 1, 120, 1) FROM together
    GROUP BY 1 ORDER BY 1')
same "three shards have three million rows, of which 300,000 have no report" \
    "$(sql_one coordinator 'SELECT count(*), count(report), (podium_estimate(report, 1, 120, 1)).n FROM together')" \
    "3000000|2700000|2700000"

# ---- The same from the shards, which send aggregates only ----

forget() { for i in 1 2 3; do sql_one shard$i 'SELECT FROM pg_stat_statements_reset()'; done; }
# Rows that each shard has sent since: postgres_fdw fetches from a cursor, PL/Proxy selects
sent() {
    for i in 1 2 3; do
        sql_one shard$i "SELECT coalesce(sum(rows), 0) FROM pg_stat_statements
            WHERE query ILIKE 'FETCH %' OR query ILIKE 'SELECT %podium_aggregate%'"
    done | tr '\n' ' '
}
settings='SET enable_partitionwise_aggregate = on; SET extra_float_digits = 1'
# from_shards WHAT ANSWER ROWS QUERY: the query's answer, with so many rows from each shard
from_shards() {
    forget
    same "$1: the answer of one server" "$(sql_one coordinator "$settings; $4")" "$2"
    same "$1: $3 rows from each shard" "$(sent)" "$3 $3 $3 "
}
union='SELECT podium_merge(aggregate) FROM (
    SELECT podium_aggregate(report, 1, 120, 1) AS aggregate FROM reports_shard1
    UNION ALL SELECT podium_aggregate(report, 1, 120, 1) FROM reports_shard2
    UNION ALL SELECT podium_aggregate(report, 1, 120, 1) FROM reports_shard3) x'
by_shard='SELECT podium_merge(aggregate) FROM (
    SELECT podium_aggregate(report, 1, 120, 1) AS aggregate FROM reports GROUP BY shard) x'
proxy='SELECT podium_merge(aggregate) FROM aggregates_of_shards() aggregate'
from_shards "UNION ALL of shards" "$together" 1 "$union"
from_shards "GROUP BY shard" "$together" 1 "$by_shard"
from_shards "GROUP BY shard, with a mechanism" "$together_small" 1 "SELECT podium_merge(aggregate) FROM (
    SELECT podium_aggregate(small, 0, 100, 2, 'minimax') AS aggregate FROM reports GROUP BY shard) x"
from_shards "GROUP BY shard, with a spec" "$together_small" 1 "SELECT podium_merge(aggregate) FROM (
    SELECT podium_aggregate(small, 'minimax epsilon=2 range=0:100') AS aggregate FROM reports GROUP BY shard) x"
from_shards "GROUP BY shard and city" "$together_cities" 3 "SELECT city, podium_merge(aggregate) FROM (
    SELECT city, podium_aggregate(report, 1, 120, 1) AS aggregate FROM reports GROUP BY shard, city) x
    GROUP BY 1 ORDER BY 1"
from_shards "PL/Proxy" "$together" 1 "$proxy"
from_shards "PL/Proxy by city" "$together_cities" 3 \
    "SELECT city, podium_merge(aggregate) FROM aggregates_of_cities() GROUP BY 1 ORDER BY 1"

# The plan says the same, and runs on all shards at once
sql_one coordinator "$settings; EXPLAIN (ANALYZE, VERBOSE, COSTS off, TIMING off) $by_shard" >"$work/plan"
same "three scans in the plan, all at once, with a row each" \
    "$(grep -c 'Async Foreign Scan (actual rows=1 loops=1)' "$work/plan")" 3
same "three aggregates in the plan's remote SQL" "$(grep -c 'Remote SQL: SELECT.*podium_aggregate' "$work/plan")" 3

# What is not shipped, as docs/sql.md says: the shards are asked for bare columns
not_shipped() {
    sql_one coordinator "$2; EXPLAIN (VERBOSE, COSTS off) $3" >"$work/plan"
    same "$1: not shipped" "$(grep -c 'Remote SQL' "$work/plan"), $(grep -c 'Remote SQL.*podium' "$work/plan")" "$4, 0"
}
not_shipped "GROUP BY shard as the settings are" "SET enable_partitionwise_aggregate = off" "$by_shard" 3
not_shipped "one level" "$settings" "SELECT podium_aggregate(report, 1, 120, 1) FROM reports" 3
not_shipped "podium_privatize" "$settings" "SELECT podium_privatize(report, 1, 120, 1) FROM reports_shard1" 1
sql_one coordinator "ALTER SERVER shard1 OPTIONS (DROP extensions)"
not_shipped "a server whose extensions are not named" "$settings" \
    "SELECT podium_aggregate(report, 1, 120, 1) FROM reports_shard1" 1
sql_one coordinator "ALTER SERVER shard1 OPTIONS (ADD extensions 'podium')"

# Without the two levels the rows are pulled: as right, and what this test is there to notice
from_shards "one level" "$together" 1000000 'SELECT podium_aggregate(report, 1, 120, 1) FROM reports'

# ---- A shard that dies: an error, and not a word else ----

# no_answer WHAT QUERY
no_answer() {
    if sql_one coordinator "$settings; $2" >"$work/said" 2>"$work/error"; then
        fail "$1: an answer without shard2"
    fi
    same "$1: nothing is said" "$(cat "$work/said")" ""
    grep -q "ERROR:.*\(could not connect\|connection to server.*failed\|server closed the connection\)" "$work/error" ||
        { cat "$work/error"; fail "$1: no clear error"; }
    say "ok: $1: $(grep -m1 ERROR: "$work/error" | cut -c1-100)"
}
stop shard2 immediate
no_answer "UNION ALL without shard2" "$union"
no_answer "GROUP BY shard without shard2" "$by_shard"
no_answer "PL/Proxy without shard2" "$proxy"
start shard2
from_shards "UNION ALL, shard2 is back" "$together" 1 "$union"
from_shards "GROUP BY shard, shard2 is back" "$together" 1 "$by_shard"
from_shards "PL/Proxy, shard2 is back" "$together" 1 "$proxy"

# The same while the query runs: shard2 is slow, and dies at work
sql_one shard2 'CREATE VIEW slow_reports AS SELECT reports.* FROM reports, pg_sleep(60)'
sql_one coordinator "ALTER FOREIGN TABLE reports_shard2 OPTIONS (SET table_name 'slow_reports')"
at_work() { [ "$(sql_one shard2 "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'PgSleep'")" = t ]; }
dies_at_work() {
    no_answer "$1" "$2" &
    query=$!
    eventually at_work
    stop shard2 immediate
    wait $query
    start shard2
}
dies_at_work "UNION ALL, shard2 dies at work" "$union"
dies_at_work "GROUP BY shard, shard2 dies at work" "$by_shard"
sql_one coordinator "ALTER FOREIGN TABLE reports_shard2 OPTIONS (SET table_name 'reports')"
same "shard2 is back: the same answer" "$(sql_one coordinator "$union")" "$together"
