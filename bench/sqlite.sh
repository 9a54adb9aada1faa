#!/bin/sh
# What Podium's aggregates cost in SQLite, beside its own avg(): one column of a table, one core. The queries take
# turns, and the best of seven counts.
#
#   sqlite.sh EXTENSION WORK-DIR [ROWS]
set -eu
extension=$1 work=$2 rows=${3:-10000000}
mkdir -p "$work"
database=$work/reports.db

shell() { sqlite3 -init /dev/null -batch -cmd ".load ${extension%.so}" "$database"; }

# Made anew: what a run measures is what it has made
rm -f "$database"
shell <<END
CREATE TABLE reports(report REAL);
INSERT INTO reports
    WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < $rows)
    SELECT podium_privatize(i % 120, 'podium epsilon=1 range=1:120') FROM s;
CREATE TABLE minimax(report REAL);
INSERT INTO minimax
    WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < $rows)
    SELECT podium_privatize(i % 120, 'minimax epsilon=1 range=1:120') FROM s;
END

# name|table|what is selected: the first is what the others are compared with
queries='avg(report)|reports|avg(report)
sum(report)|reports|sum(report)
podium_aggregate(report, spec)|reports|length(podium_aggregate(report, "podium epsilon=1 range=1:120"))
podium_aggregate(report, spec), minimax|minimax|length(podium_aggregate(report, "minimax epsilon=1 range=1:120"))
podium_mean(report, spec)|reports|podium_mean(report, "podium epsilon=1 range=1:120")
podium_aggregate(report, 1, 120, 1.0)|reports|length(podium_aggregate(report, 1, 120, 1.0))
podium_aggregate, range from 0|reports|length(podium_aggregate(report, 0, 120, 1.0))
podium_aggregate, mechanism named|reports|length(podium_aggregate(report, 1, 120, 1.0, "podium"))
podium_aggregate, mechanism minimax|minimax|length(podium_aggregate(report, 1, 120, 1.0, "minimax"))'

echo "$queries" | awk -F'|' '{ query[NR] = $3 " FROM " $2 }
    END {
        print ".timer on"
        for (k = 0; k < 7; k++) for (i = 1; i <= NR; i++) print "SELECT " query[i] ";"
    }' |
    sed "s/\"/'/g" | shell | awk '/^Run Time/ { print $6 + $8 }' >"$work/sqlite-times"

echo
echo "  SQLite $(sqlite3 --version | cut -d' ' -f1), $rows rows, processor time, best of 7"
echo "$queries" | awk -F'|' -v times="$work/sqlite-times" -v rows="$rows" '
    { name[NR] = $1 }
    END {
        for (i = 0; (getline t < times) > 0; i++) {
            k = i % NR + 1
            if (!(k in best) || t < best[k]) best[k] = t
        }
        for (k = 1; k <= NR; k++)
            printf "  %-40s %7.1f ns a row   %5.2f of avg()\n", name[k], 1e9 * best[k] / rows, best[k] / best[1]
    }'
rm -f "$database" "$work/sqlite-times"
