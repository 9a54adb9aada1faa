#!/bin/sh
# The server is killed, by SIGKILL, while clients insert reports: after a restart every report whose insertion was
# acknowledged is there, and an aggregate that was kept up to date in the same transactions is that of its reports.
#
#   crash.sh SOURCE-DIR BUILD-DIR
source=$1 build=$2
. "$(dirname "$0")/lib.sh"

install_privately
start one
sql one <<'SQL'
CREATE EXTENSION podium;
CREATE TABLE reports (client text, id bigint, report float8 NOT NULL, PRIMARY KEY (client, id));
CREATE TABLE totals (client text PRIMARY KEY, aggregate podium_aggregate);
INSERT INTO totals VALUES ('careful', NULL);
SQL

# Statements without an end, each of which says its number when, and only when, it is committed
inserts() {
    awk -v client="$1" -v from="$2" 'BEGIN {
        for (i = from; ; i++) {
            print "INSERT INTO reports VALUES (\x27" client "\x27, " i ", podium_privatize(34, 1, 120, 1))"
            print "RETURNING id;"
        }
    }' 2>/dev/null
}
transactions() {
    awk -v from="$1" 'BEGIN {
        for (i = from; ; i++) {
            print "BEGIN;"
            print "WITH drawn AS (INSERT INTO reports VALUES (\x27careful\x27, " i ", podium_privatize(34, 1, 120, 1))"
            print "RETURNING report), added AS (SELECT podium_aggregate(report, 1, 120, 1) AS aggregate FROM drawn)"
            print "UPDATE totals SET aggregate ="
            print "coalesce(podium_merge(totals.aggregate, added.aggregate), added.aggregate) FROM added;"
            print "COMMIT;\n\\echo " i
        }
    }' 2>/dev/null
}

kill_server() {
    postmaster=$(head -n 1 "$work/one/postmaster.pid")
    # shellcheck disable=SC2046
    kill -9 "$postmaster" $(ps -o pid= --ppid "$postmaster")
}
enough() { [ "$(cat "$work"/said.* | wc -l)" -ge "$1" ]; }

for round in 1 2 3; do
    clients=""
    for client in first second third; do
        inserts $client "${round}00000000" | sql one >"$work/said.$client.$round" 2>/dev/null &
        clients="$clients $!"
    done
    transactions "${round}00000000" | sql one >"$work/said.careful.$round" 2>/dev/null &
    clients="$clients $!"
    eventually enough $((round * 1000)) || fail "nobody inserts"
    kill_server
    for client in $clients; do
        if wait "$client"; then fail "a client that goes on without its server"; fi
    done
    start one
    for client in first second third careful; do
        sed "s/^/$client\t/" "$work/said.$client.$round"
    done >"$work/acknowledged"
    same "round $round: of the reports acknowledged, none is missing" "$({
        echo 'CREATE TEMPORARY TABLE acknowledged (client text, id bigint); COPY acknowledged FROM STDIN;'
        cat "$work/acknowledged"
        printf '\\.\n'
        echo 'SELECT count(*), count(report) FROM acknowledged LEFT JOIN reports USING (client, id);'
    } | sql one)" "$(awk 'END { print NR "|" NR }' "$work/acknowledged")"
    say "    $(wc -l <"$work/acknowledged") acknowledged in this round"
    same "round $round: the aggregate is that of its reports" "$(sql one <<'SQL'
SELECT totals.aggregate = (SELECT podium_aggregate(report, 1, 120, 1) FROM reports WHERE client = 'careful') FROM totals;
SQL
    )" t
    same "round $round: every report is a report" "$(sql one <<'SQL'
SELECT (e).n = rows, (e).refused FROM (SELECT podium_estimate(report, 1, 120, 1) AS e, count(*) AS rows FROM reports) x;
SQL
    )" "t|0"
done
same "it recovered three times" "$(grep -c "not properly shut down" "$work/one.log")" 3
