#!/bin/sh
# Tests podium.spark and podium.dask on clusters of this machine, whose workers are processes of their own and listen on
# the loopback alone.
#
#   cluster.sh SOURCE-DIR WORK-DIR prepare        makes their environment, with the wheel, and checks the types there
#   cluster.sh SOURCE-DIR WORK-DIR spark|dask     runs test_spark.py or test_dask.py
#
# Exits with 77 if PyPI cannot be reached, or if Spark has no Java.
set -eu
source=$1 work=$2 part=$3
export PYTHONDONTWRITEBYTECODE=1

prepare() {
    # pandas below 3, because that is what PySpark supports
    "$source/scripts/python.sh" install "$work" pytest mypy 'pandas<3' 'pandas-stubs<3' pyarrow pyspark \
        'dask[dataframe,distributed]'
    "$work/venv/bin/python" -m mypy --config-file "$source/adapters/python/pyproject.toml" --cache-dir "$work/mypy" \
        "$source/adapters/python/podium"
}

require_java() {
    version=$("${JAVA_HOME:+$JAVA_HOME/bin/}java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p') || true
    [ "${version:-0}" -ge 17 ] || { echo "cluster.sh: skipped, because Spark needs Java 17 or later" >&2; exit 77; }
}

run() {
    "$source/scripts/python.sh" there "$work"
    status=0
    "$work/venv/bin/python" -m pytest -q -p no:cacheprovider --basetemp "$work/$part" \
        "$source/tests/python/test_$part.py" || status=$?
    rm -rf "$work/$part" "$work"/venv/lib/python*/site-packages/pyspark/work # where Spark keeps its executors' logs
    exit $status
}

case $part in
prepare) prepare ;;
spark) require_java; run ;;
dask) run ;;
*) echo "cluster.sh: no part is called '$part'" >&2; exit 2 ;;
esac
