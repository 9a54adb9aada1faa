#!/bin/sh
# How fast PostgreSQL adds up reports: beside its own avg(), in parallel, and from three shards. Times are the best of
# seven, the queries taking turns. Called by `make bench-postgres`; in servers of its own, as the tests have.
#
#   postgres.sh SOURCE-DIR BUILD-DIR [ROWS]
source=$1 build=$2 rows=${3:-10000000}
. "$(dirname "$0")/../tests/postgres/lib.sh"
rounds=7

install_privately
for server in coordinator shard1 shard2 shard3; do
    start $server
    sql_one $server "CREATE EXTENSION podium"
done

# times_of SETTINGS QUERY: how long the coordinator takes, and how long its processor works for that, in milliseconds
times_of() {
    printf '%s; SET client_min_messages = log; SET log_executor_stats = on;\n\\o /dev/null\n%s;\n' "$1" "$2" |
        sql coordinator 2>&1 | sed -n '/ s elapsed/{s/[^0-9. ]//g; p; q}' |
        awk '{ printf "%.6f\t%.6f", 1e3 * $3, 1e3 * ($1 + $2) }'
}
# Queries that take turns: one a line on standard input, its name, settings and text with tabs between them. Prints the
# best times of each, and their ratios to those of the first.
race() {
    cat >"$work/queries"
    : >"$work/times"
    round=0
    while [ $round -lt $rounds ]; do
        while IFS="$(printf '\t')" read -r name settings query; do
            printf '%s\t%s\n' "$name" "$(times_of "$settings" "$query" </dev/null)" >>"$work/times"
        done <"$work/queries"
        round=$((round + 1))
    done
    awk -F '\t' '!($1 in time) { order[++n] = $1; time[$1] = $2; work[$1] = $3 }
        $2 < time[$1] { time[$1] = $2 } $3 < work[$1] { work[$1] = $3 }
        END { for (i = 1; i <= n; i++) printf "  %-40s %8.0f %6.2f %14.0f %6.2f\n", order[i], time[order[i]],
              time[order[i]] / time[order[1]], work[order[i]], work[order[i]] / work[order[1]] }' "$work/times"
}

echo "$("$PG_CONFIG" --version), $rows reports, milliseconds, best of $rounds, and ratios to the first line of each part."
echo "What the processor works is that of one process, and less disturbed by other programs than the time that passes."
echo
printf '  %-40s %8s %6s %14s %6s\n' "" "time" "ratio" "processor" "ratio"
draw="podium_privatize(n % 100, 'podium epsilon=1 range=1:120')"
for i in 1 2 3; do
    sql_one shard$i "CREATE TABLE reports AS SELECT 'shard$i'::text AS shard, $draw AS report
        FROM generate_series(1, $rows / 3) n; VACUUM ANALYZE reports" &
    jobs="${jobs:-} $!"
done
for job in $jobs; do wait "$job"; done
sql_one coordinator "CREATE TABLE together AS SELECT $draw AS report FROM generate_series(1, $rows) n;
    CREATE TABLE minimax AS SELECT podium_privatize(n % 100, 'minimax epsilon=1 range=1:120') AS report
    FROM generate_series(1, $rows) n;
    VACUUM ANALYZE together, minimax"

serial='SET max_parallel_workers_per_gather = 0'
parallel='SET max_parallel_workers_per_gather = 2'
echo "  one process"
race <<END
avg	$serial	SELECT avg(report) FROM together
podium_aggregate	$serial	SELECT podium_aggregate(report, 'podium epsilon=1 range=1:120') FROM together
podium_aggregate, minimax	$serial	SELECT podium_aggregate(report, 'minimax epsilon=1 range=1:120') FROM minimax
podium_aggregate, 4 arguments	$serial	SELECT podium_aggregate(report, 1, 120, 1) FROM together
podium_aggregate, 5 arguments, minimax	$serial	SELECT podium_aggregate(report, 1, 120, 1, 'minimax') FROM minimax
podium_privatize	$serial	SELECT avg(podium_privatize(50, 'podium epsilon=1 range=1:120')) FROM together
END
echo
echo "  two parallel workers and their leader, on $(nproc) cores"
race <<END
avg	$parallel	SELECT avg(report) FROM together
podium_aggregate	$parallel	SELECT podium_aggregate(report, 1, 120, 1) FROM together
END

sql_one coordinator "CREATE EXTENSION postgres_fdw;
    CREATE TABLE reports (shard text, report float8) PARTITION BY LIST (shard)"
for i in 1 2 3; do
    sql_one coordinator "CREATE SERVER shard$i FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$PGHOST',
            port '$(port_of shard$i)', dbname 'postgres', extensions 'podium', async_capable 'true',
            fetch_size '10000');
        CREATE USER MAPPING FOR CURRENT_USER SERVER shard$i OPTIONS (user '$PGUSER');
        CREATE FOREIGN TABLE reports_shard$i PARTITION OF reports FOR VALUES IN ('shard$i') SERVER shard$i
            OPTIONS (table_name 'reports');
        ANALYZE reports_shard$i"
done
rounds=3
by_shard='SELECT podium_aggregate(report, 1, 120, 1) AS aggregate FROM reports GROUP BY shard'
wise='SET enable_partitionwise_aggregate = on'
echo
echo "  a coordinator and three shards, all on this machine; rows are fetched 10,000 at a time"
race <<END
aggregates of the shards, merged	$wise	SELECT podium_merge(aggregate) FROM ($by_shard) x
all rows pulled, then added up	$wise	SELECT podium_aggregate(report, 1, 120, 1) FROM reports
END
