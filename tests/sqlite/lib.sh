# What the cases in SQLite's shell share.
. "$TESTS/cli/lib.sh"
DATA=$TESTS/cli/data
C="--collection $DATA/age.podium --column age"

# sql [FILE]: SQLite's shell with the extension loaded, and no habits of whoever runs the tests
sql() {
    sqlite3 -init /dev/null -batch -cmd ".load ${EXTENSION%.so}" -nullvalue NULL "$@"
}

# with_reports SQL...: a database in memory that has the reports of the program's own tests
with_reports() {
    sql :memory: 'CREATE TABLE r(id INTEGER, city TEXT, report REAL)' ".import --csv --skip 1 $DATA/reports.csv r" "$@"
}

# The aggregate of these reports, as the program makes it
podium aggregate $C "$DATA/reports.csv" -o whole
