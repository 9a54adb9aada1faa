#!/bin/sh
# One server: parallel plans are used, no two of many backends draw the same random words, and aggregates go to the
# program and to SQLite and come back, through dumps too.
#
#   one.sh SOURCE-DIR BUILD-DIR
source=$1 build=$2
. "$(dirname "$0")/lib.sh"

install_privately
start one
sql_one one 'CREATE EXTENSION podium'

# ---- Parallel plans, with the settings that a server has from the start ----

sql one <<'SQL'
CREATE TABLE reports AS
    SELECT i AS id, i % 7 AS city, podium_privatize(34, 1, 120, 1) AS report FROM generate_series(1, 1000000) i;
CREATE TABLE aggregates AS SELECT id / 100 AS id, podium_aggregate(report, 1, 120, 1) AS aggregate FROM reports GROUP BY 1;
VACUUM ANALYZE reports, aggregates;
SQL
# works_in_parallel QUERY [SETTING]: its plan adds up in workers, and they were there
works_in_parallel() {
    sql_one one "${2:-}; EXPLAIN (ANALYZE, COSTS off, TIMING off) $1" >"$work/plan"
    grep -q "Partial.*Aggregate" "$work/plan" && grep -q "Workers Launched: [1-9]" "$work/plan" ||
        { cat "$work/plan"; fail "not in parallel: $1"; }
    say "ok: in parallel: $1"
}
works_in_parallel "SELECT podium_aggregate(report, 1, 120, 1) FROM reports"
works_in_parallel "SELECT (podium_estimate(report, 1, 120, 1, 'podium')).* FROM reports"
works_in_parallel "SELECT city, (podium_estimate(report, 1, 120, 1)).mean FROM reports GROUP BY city"
works_in_parallel "SELECT podium_aggregate(report, 'podium epsilon=1 range=1:120') FROM reports"
works_in_parallel "SELECT podium_merge(aggregate) FROM aggregates" "SET min_parallel_table_scan_size = 0" # a small table
same "parallel, serial and merged aggregates are the same" "$(sql one <<'SQL'
CREATE TABLE answers AS SELECT podium_aggregate(report, 1, 120, 1) AS aggregate FROM reports;
INSERT INTO answers SELECT podium_merge(aggregate) FROM aggregates;
SET max_parallel_workers_per_gather = 0;
INSERT INTO answers SELECT podium_aggregate(report, 1, 120, 1) FROM reports;
SELECT count(*), count(DISTINCT aggregate::text), min((podium_estimate(aggregate)).n) FROM answers;
SQL
)" "3|1|1000000"

# ---- Random words: one value, drawn 100,000 times each by four backends at once and by one with parallel workers ----

sql_one one 'CREATE TABLE drawn (backend int, report float8)'
for backend in 1 2 3 4; do
    sql_one one "INSERT INTO drawn SELECT $backend, podium_privatize(34, 1, 120, 1) FROM generate_series(1, 100000)" &
    jobs="${jobs:-} $!"
done
for job in $jobs; do wait "$job"; done
sql one >"$work/plan" <<'SQL'
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
EXPLAIN (ANALYZE, VERBOSE, COSTS off, TIMING off)
    CREATE TABLE drawn_in_parallel AS SELECT podium_privatize(34, 1, 120, 1) AS report FROM reports WHERE id <= 100000;
SQL
# The draw stands below Gather, where the workers are
awk '/Gather/ { below = 1 } below && /Scan/ { scan = 1 } scan && /Output:.*podium_privatize/ { found = 1 }
    END { exit !found }' "$work/plan" && grep -q "Workers Launched: [1-9]" "$work/plan" ||
    { cat "$work/plan"; fail "podium_privatize does not run in parallel workers"; }
# Of n reports on 2^32 cells, none more than e times as likely as another, at most e n^2/2^33 pairs agree on average:
# 79 of these 500,000. 200 pairs have a probability below 1e-28. Two backends with the same words would have 100,000.
same "half a million draws of many processes agree in few pairs" "$(sql one <<'SQL'
SELECT sum(times), sum(times * (times - 1) / 2) < 200
FROM (SELECT count(*) AS times FROM (SELECT report FROM drawn UNION ALL TABLE drawn_in_parallel) x GROUP BY report) y;
SQL
)" "500000|t"

# ---- The program, SQLite and PostgreSQL: the same aggregate from the same reports, the same estimate from it ----

cd "$work"
awk 'BEGIN { srand(5); print "age"; for (i = 0; i < 3000; i++) printf "%.3f\n", 1 + 119 * rand() ^ 2 }' >ages.csv
# there_and_back MECHANISM [OPTION...]: options as the program has them
there_and_back() {
    mechanism=$1
    shift
    podium design --range 1:120 --epsilon 4 "$@" -o age.podium 2>design.err || { cat design.err; fail "design"; }
    podium privatize --collection age.podium ages.csv -o reports.csv
    podium aggregate --collection age.podium reports.csv -o program.aggregate
    sqlite3 :memory: ".load $build/sqlite/podium" "CREATE TABLE reports(age REAL)" \
        ".import --csv --skip 1 reports.csv reports" \
        "SELECT hex(podium_aggregate(age, 1, 120, 4, '$mechanism')) FROM reports" >sqlite.blob
    sql one -v mechanism="$mechanism" -v aggregate="$(cat program.aggregate)" -v blob="$(cat sqlite.blob)" \
        >database.aggregate <<'SQL'
CREATE TEMPORARY TABLE reports (report float8);
\copy reports FROM 'reports.csv' (FORMAT csv, HEADER)
SELECT podium_merge(aggregate) FROM (
    SELECT podium_aggregate(report, 1, 120, 4, :'mechanism') AS aggregate FROM reports
    UNION ALL SELECT :'aggregate'
    UNION ALL SELECT decode(:'blob', 'hex')::podium_aggregate) three;
SQL
    podium merge program.aggregate program.aggregate program.aggregate -o thrice.aggregate
    same "$mechanism: aggregates of the program, SQLite and PostgreSQL" \
        "$(cat thrice.aggregate)" "$(cat database.aggregate)"
    podium merge thrice.aggregate thrice.aggregate -o six.aggregate
    same "$mechanism: SQLite merges an aggregate of PostgreSQL" "$(cat six.aggregate)" "$(sqlite3 :memory: \
        ".load $build/sqlite/podium" "SELECT podium_aggregate_text(podium_merge(column1))
         FROM (VALUES (readfile('thrice.aggregate')), (readfile('database.aggregate')))")"
    shape="--quantiles 0.1,0.5 --histogram 20" expected="2|t 20|t"
    [ "$mechanism" != duchi ] || shape="" expected="0| 0|" # two outputs tell the mean alone
    # shellcheck disable=SC2086
    podium estimate database.aggregate --format json $shape >estimate.json 2>/dev/null
    sql one -v aggregate="$(cat program.aggregate)" -v json="$(cat estimate.json)" >said 2>/dev/null <<'SQL'
SELECT podium_merge(podium_merge(:'aggregate', :'aggregate'), :'aggregate') AS s \gset
SELECT bool_and(:'json'::jsonb -> key IS NOT DISTINCT FROM value)
FROM jsonb_each(to_jsonb(podium_estimate(:'s')) - 'refused');
SELECT count(*), bool_and(p = (e ->> 'p')::float8 AND value = (e ->> 'value')::float8
                          AND lower = (e ->> 'lower')::float8 AND upper = (e ->> 'upper')::float8)
FROM podium_quantiles(:'s', '{0.1, 0.5}') WITH ORDINALITY q (p, value, lower, upper, i)
JOIN jsonb_array_elements(:'json'::jsonb -> 'quantiles') WITH ORDINALITY x (e, i) USING (i);
SELECT count(*), bool_and(start = (e ->> 'from')::float8 AND stop = (e ->> 'to')::float8
                          AND share = (e ->> 'share')::float8
                          AND lower = (e ->> 'lower')::float8 AND upper = (e ->> 'upper')::float8)
FROM podium_histogram(:'s', 20)
JOIN jsonb_array_elements(:'json'::jsonb -> 'histogram') WITH ORDINALITY x (e, bin) USING (bin);
SQL
    same "$mechanism: estimates of the program and of PostgreSQL" "$(tr '\n' ' ' <said)" "t $expected "
}
for mechanism in podium podium-approximate laplace staircase duchi piecewise hybrid minimax; do
    there_and_back $mechanism --mechanism $mechanism
done
there_and_back podium-tuned:0.05 --mechanism podium-tuned --spread 0.05
there_and_back minimax:1024 --mechanism minimax --cells 1024

# ---- A dump has everything ----

sql_one one 'CREATE DATABASE restored'
pg_dump -p "$(port_of one)" -t answers -t aggregates --extension=podium postgres |
    PGDATABASE=restored sql one >/dev/null
digest='SELECT count(*), md5(string_agg(md5(aggregate::bytea), NULL ORDER BY id)) FROM aggregates'
same "aggregates survive a dump" "$(sql_one one "$digest")" "$(PGDATABASE=restored sql_one one "$digest")"

# ---- What the server logs of a value that is sent as a parameter, as docs/sql.md says ----

printf '%s\n' '\set value 98765' 'SELECT podium_privatize(:value, 1, 120, 1)' >"$work/draw"
printf '%s\n' '\set value 98765' 'SELECT podium_privatize(:value, 1, 120, 51)' >"$work/fail"
# logged SCRIPT SETTING...: whether the value is in what the server logs meanwhile
logged() {
    script=$1
    shift
    before=$(wc -l <"$work/one.log")
    PGOPTIONS=$(printf -- ' -c %s' "$@") pgbench -n -t 1 -M extended -p "$(port_of one)" -f "$work/$script" postgres \
        >"$work/said" 2>&1 || [ "$script" = fail ] || { cat "$work/said"; fail "pgbench"; }
    tail -n +$((before + 1)) "$work/one.log" | grep -q podium_privatize || fail "nothing is logged: $*"
    if tail -n +$((before + 1)) "$work/one.log" | grep -q 98765; then echo yes; else echo no; fi
}
explain="session_preload_libraries=auto_explain auto_explain.log_min_duration=0"
same "log_statement logs parameters" "$(logged draw log_statement=all)" yes
same "log_min_duration_statement too" "$(logged draw log_min_duration_statement=0)" yes
same "log_parameter_max_length = 0 keeps them out" \
    "$(logged draw log_statement=all log_min_duration_statement=0 log_parameter_max_length=0)" no
same "an error does not log them" "$(logged fail log_min_error_statement=error)" no
same "unless that is asked for" "$(logged fail log_parameter_max_length_on_error=-1)" yes
# shellcheck disable=SC2086
same "auto_explain with a limit of 0 does not" "$(logged draw $explain auto_explain.log_parameter_max_length=0)" no
# shellcheck disable=SC2086
same "but does in a verbose plan" \
    "$(logged draw $explain auto_explain.log_parameter_max_length=0 auto_explain.log_verbose=on)" yes
