"""Spark with executors in processes of their own: the same aggregates as on one machine, to the bit.

The 20 million reports are drawn from the system's random bits, and compared exactly: what Spark added up is what one
process added up. Where a mean is compared with the truth, the margin is 7 standard errors, and a correct package fails
with a probability below 1e-10 in all.
"""

import dataclasses
import datetime
import decimal
import doctest
import math
import os
import pickle
import subprocess
import sys
import threading
import time

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark import cloudpickle
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import podium
import podium.spark
from podium import Aggregate, Collection, PodiumError

AGE = Collection("minimax epsilon=1 range=1:120")
CITIES = ["Oslo", "Paris", "Rome", None]
FILES, ROWS = 20, 1_000_000
SECRET = 83.4375  # a value that no message may contain

QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # short programs gain nothing from the second compiler
SETTINGS = {
    "spark.driver.extraJavaOptions": QUICK,
    "spark.executor.extraJavaOptions": QUICK,
    "spark.sql.shuffle.partitions": "4",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.task.maxFailures": "2",  # a failure that stays is shown sooner
    "spark.sql.files.maxPartitionBytes": "4m",  # a task for each file
    "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",  # these two as docs/python.md says
    "spark.sql.execution.arrow.maxBytesPerBatch": "2147483647",
    "spark.sql.session.timeZone": "UTC",
}


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    os.chdir(tmp_path_factory.mktemp("work"))
    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
    session = SparkSession.builder.master("local-cluster[2,1,1024]").config(map=SETTINGS).getOrCreate()
    yield session
    session.stop()


@dataclasses.dataclass
class Reports:
    """Files, and what one process made of the same reports"""

    path: str
    whole: Aggregate
    by_city: dict
    by_both: dict


def write_file(path, random):
    values = np.clip(random.normal(40, 12, ROWS), 1, 120)
    cities = random.choice(len(CITIES), ROWS, p=[0.9, 0.05, 0.04, 0.01]).astype("int8")  # most in one group
    halves = random.integers(0, 2, ROWS).astype("int32")
    codes = AGE.codes(values)
    pq.write_table(
        pa.table(
            {
                "report": AGE.reports(codes),
                "code": codes.astype("int16"),
                "city": pa.DictionaryArray.from_arrays(pa.array(cities, mask=cities == 3), CITIES[:3]),
                "half": halves,
            }
        ),
        path,
    )
    return {
        (city, half): AGE.aggregate(codes=codes[(cities == i) & (halves == half)])
        for i, city in enumerate(CITIES)
        for half in (0, 1)
    }


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    directory, random = tmp_path_factory.mktemp("reports"), np.random.default_rng(1)
    parts = [write_file(directory / f"{i}.parquet", random) for i in range(FILES)]
    by_both = {key: sum(part[key] for part in parts) for key in parts[0]}
    by_city = {city: by_both[city, 0] + by_both[city, 1] for city in CITIES}
    return Reports(str(directory), sum(by_city.values()), by_city, by_both)


@pytest.fixture(scope="module")
def frame(spark, reports):
    return spark.read.parquet(reports.path)


def is_executor(process):
    try:
        return any("CoarseGrainedExecutorBackend" in word for word in process.cmdline())
    except psutil.Error:  # it has just ended
        return False


def executors():
    """The processes of the executors of this test's own Spark."""
    return [process for process in psutil.Process().children(recursive=True) if is_executor(process)]


# ---- 20 million reports ----


def test_the_executors_are_two_processes(frame):
    assert frame.rdd.getNumPartitions() == FILES and len(executors()) == 2


def test_a_frame_is_added_up_as_on_one_machine(frame, reports):
    sums = podium.spark.aggregate(frame, "report", AGE)
    assert sums == reports.whole and sums.count == FILES * ROWS


def test_files_are_added_up_as_on_one_machine(spark, reports):
    assert podium.spark.aggregate(reports.path, "report", AGE.spec) == reports.whole
    assert podium.spark.aggregate(reports.path, "code", AGE, codes=True) == reports.whole
    sums = podium.spark.aggregate(reports.path, "report", AGE, by=["city", "half"])
    assert sums == reports.by_both
    assert list(sums) == [(city, half) for city in CITIES for half in (0, 1)]


def killed_at_work(spark, job):
    """Runs the job and kills an executor while tasks of it run. Returns its result and how many tasks were lost."""
    result, lost = [], 0
    tracker, thread = spark.sparkContext.statusTracker(), threading.Thread(target=lambda: result.append(job()))
    thread.start()
    while thread.is_alive() and not lost:
        for stage in map(tracker.getStageInfo, tracker.getActiveStageIds()):
            if stage is not None and stage.numActiveTasks == 2:
                executors()[0].kill()
                thread.join()
                lost = tracker.getStageInfo(stage.stageId).numFailedTasks
                break
        time.sleep(0.002)
    thread.join()
    return result, lost


@pytest.mark.parametrize("source", ["frame", "files"])
def test_an_executor_killed_at_work_changes_nothing(source, spark, frame, reports):
    """It is tried again if the tasks were done before the executor was dead."""
    from_where = frame if source == "frame" else reports.path
    for _ in range(5):
        result, lost = killed_at_work(spark, lambda: podium.spark.aggregate(from_where, "report", AGE, by="city"))
        assert result == [reports.by_city]
        if lost:
            return
    pytest.fail("no task was lost with an executor")


# ---- Any layout of the data ----


@pytest.fixture(scope="module")
def small(spark):
    """Reports with nulls and keys of many types, in 7 partitions; and the same rows for pyarrow."""
    random, n = np.random.default_rng(2), 20_000
    keys = random.integers(0, 9000, n)
    rows = pa.table(
        {
            "report": pa.array(AGE.privatize(random.uniform(1, 120, n)), mask=random.random(n) < 0.1),
            "key": keys,
            "state": keys % 2 == 0,
            "half": keys % 2,
            "0": pa.array(random.choice([math.nan, -0.0, 0.0, 2.5], n), mask=random.random(n) < 0.1),
            "when": pa.array([datetime.datetime(2024, 2, 28 + k % 2) for k in keys], pa.timestamp("us", "UTC")),
            "price.$": pa.array([decimal.Decimal(k % 3) / 4 for k in keys.tolist()], pa.decimal128(9, 2)),
        }
    )
    return spark.createDataFrame(rows).repartition(7), rows


def expected(rows, names):
    """The aggregates by key, in plain Python."""
    items = {}
    for report, *key in zip(rows["report"].to_pylist(), *(rows[name].to_pylist() for name in names)):
        key = tuple(math.nan if x != x else x for x in key)
        items.setdefault(key, []).append(report)
    return {key: AGE.aggregate(reports) for key, reports in items.items()}


@pytest.mark.parametrize("names", [["key"], ["0"], ["when", "price.$"], ["state"]])
def test_keys_of_any_name_and_type(names, small):
    frame, rows = small
    assert podium.spark.aggregate(frame, "report", AGE, by=names) == expected(rows, names)


@pytest.mark.parametrize("partitions, batch", [(1, 10_000), (3, 100), (30, 65_536)])
def test_neither_partitions_nor_batches_matter(partitions, batch, spark, small):
    frame, rows = small
    whole, setting = AGE.aggregate(rows["report"]), "spark.sql.execution.arrow.maxRecordsPerBatch"
    spark.conf.set(setting, batch)
    assert podium.spark.aggregate(frame.repartition(partitions), "report", AGE) == whole
    assert podium.spark.aggregate(frame, "report", AGE, by=["half"]) == expected(rows, ["half"])
    assert whole.count == rows.num_rows - rows["report"].null_count
    spark.conf.set(setting, SETTINGS[setting])


def test_files_of_few_row_groups_and_of_directories(spark, small, tmp_path):
    _, rows = small
    pq.write_table(rows, tmp_path / "one.parquet", row_group_size=4096)
    assert podium.spark.aggregate(tmp_path / "one.parquet", "report", AGE) == AGE.aggregate(rows["report"])
    small[0].write.partitionBy("half").parquet(f"file://{tmp_path}/many")
    halves = podium.spark.aggregate([f"file://{tmp_path}/many"], "report", AGE, by=["half"])
    assert halves == expected(rows, ["half"])


def test_frames_without_rows_or_partitions(spark, frame):
    for none in (frame.limit(0), spark.createDataFrame(spark.sparkContext.emptyRDD(), frame.schema)):
        assert podium.spark.aggregate(none, "report", AGE) == AGE.aggregate()
        assert podium.spark.aggregate(none, "report", AGE, by="city") == {}
        assert podium.spark.summary(none, "report", AGE).withheld["mean"] == "too few reports"
        assert len(podium.spark.summary(none, "report", AGE, by="city").to_frame()) == 0


def test_nan_is_refused_or_skipped(spark):
    frame = spark.createDataFrame([(math.nan,), (AGE.privatize(5.0),), (None,)], "report double")
    sums = podium.spark.aggregate(frame, "report", AGE)
    assert (sums.count, sums.refused) == (1, 1)
    assert podium.spark.aggregate(frame, "report", AGE, nan="skip").refused == 0


# ---- Summaries ----


def test_summaries_are_those_of_the_aggregates(frame, reports):
    question = {"interval": "anytime", "quantiles": [0.5], "bins": 4, "dishonest": 1}  # so that nothing is NaN
    assert podium.spark.summary(reports.path, "report", AGE, **question) == reports.whole.summary(**question)
    groups = podium.spark.summary(reports.path, "report", AGE, by="city", **question)
    assert groups == {city: sums.summary(**question) for city, sums in reports.by_city.items()}
    assert pickle.loads(pickle.dumps(groups)) == groups
    table = groups.to_frame()
    assert table.index.name == "city" and table.loc["Rome", "mean"] == groups["Rome"].mean
    assert len(groups.to_frame("bins")) == 4 * len(CITIES) and "<table" in groups._repr_html_()
    both = podium.spark.summary(reports.path, "report", AGE, by=["city", "half"]).to_frame()
    assert both.index.names == ["city", "half"]


def test_what_cannot_be_reports_is_refused(small, reports):
    one = f"{reports.path}/0.parquet"
    with pytest.raises(PodiumError, match="^these cannot be reports of this collection$"):
        podium.spark.summary(one, "code", AGE)
    with pytest.raises(PodiumError, match="^group 'Oslo': these cannot be reports of this collection$"):
        podium.spark.summary(one, "code", AGE, by="city")
    assert podium.spark.summary(one, "code", AGE, by="city", check=False)["Oslo"].refused > 0
    other = Collection("minimax epsilon=2 range=1:120")
    with pytest.raises(PodiumError, match="cannot be reports"):
        podium.spark.summary(small[0], "report", other)


# ---- Privatising ----


@pytest.fixture(scope="module")
def people(spark):
    rows = [(80.5, 42, decimal.Decimal("17.5"), True), (None, None, None, None)] * 20_000
    return spark.createDataFrame(rows, "d double, i int, m decimal(9, 2), b boolean").repartition(3)


def test_reports_of_numbers_of_any_type(people, tmp_path):
    work = {"report": podium.spark.privatize, "code": podium.spark.codes}
    drawn = [draw(F.col(name), AGE).alias(name + kind) for name in people.columns for kind, draw in work.items()]
    people.select(*drawn).write.parquet(f"{tmp_path}/drawn")
    rows = pq.read_table(f"{tmp_path}/drawn")
    for name, mean in zip(people.columns, (80.5, 42, 17.5, 1)):
        assert rows[name + "report"].null_count == rows[name + "code"].null_count == 20_000
        for sums in (AGE.aggregate(rows[name + "report"]), AGE.aggregate(codes=rows[name + "code"].drop_null())):
            estimate = sums.summary()
            assert sums.count == 20_000 and abs(estimate.mean - mean) < 7 * estimate.standard_error


@pytest.mark.parametrize(
    "spec, kind",
    [
        ("duchi epsilon=1 range=0:1", "smallint"),
        ("minimax epsilon=1 range=0:1 cells=1000", "int"),
        ("podium epsilon=1 range=0:1", "bigint"),
    ],
)
def test_codes_of_any_size(spec, kind, people):
    c = Collection(spec)
    coded = people.select(podium.spark.codes("d", c).alias("code")).persist()
    assert coded.dtypes == [("code", kind)]
    drawn = [row.code for row in coded.collect()]
    assert podium.spark.aggregate(coded, "code", c, codes=True) == c.aggregate(codes=drawn)
    coded.unpersist()


def test_a_query_draws_one_report_of_a_value(people):
    once = people.select(podium.spark.privatize("d", AGE).alias("r")).filter("r is not null and r > -1000")
    rows = once.select("r", (F.col("r") + 0).alias("again"), F.abs("r").alias("size")).collect()
    assert len(rows) == 20_000 and all(row.r == row.again and abs(row.r) == row.size for row in rows)
    two = people.select(podium.spark.privatize("d", AGE), podium.spark.privatize("d", AGE)).collect()
    assert any(a != b for a, b in two)


def test_nan_is_an_error_unless_one_says_what_it_means(spark):
    frame = spark.createDataFrame([(math.nan,), (None,), (3.0,)], "x double").coalesce(1)

    def drawn(work, nan):
        return [row[0] for row in frame.select(work("x", AGE, nan=nan)).collect()]

    with pytest.raises(Exception, match="podium.PodiumError: a value is NaN: pass nan="):
        drawn(podium.spark.privatize, "error")
    kept = drawn(podium.spark.privatize, "keep")
    assert math.isnan(kept[0]) and kept[1] is None and kept[2] == kept[2]
    assert [x is None for x in drawn(podium.spark.codes, "keep")] == [True, True, False]
    assert [x is None for x in drawn(podium.spark.codes, "middle")] == [False, True, False]


@pytest.mark.parametrize("shows_locals", ["false", "true"])
def test_no_failure_shows_a_value(shows_locals, spark):
    """Spark can be set to print the local variables of its Python functions."""
    setting = "spark.sql.execution.pyspark.udf.tracebackWithLocals.enabled"
    spark.conf.set(setting, shows_locals)
    frame = spark.createDataFrame([(SECRET, str(SECRET)), (math.nan, "")], "number double, text string").coalesce(1)
    for column, words in (("text", "TypeError: values must be numbers, not str"), ("number", "a value is NaN")):
        with pytest.raises(Exception, match=words) as caught:
            frame.select(podium.spark.privatize(column, AGE)).collect()
        assert str(SECRET) not in str(caught.value)
    spark.conf.unset(setting)


# ---- Mistakes ----


@pytest.mark.parametrize(
    "arguments, keywords, words",
    [
        (("reprot", AGE), {}, "`reprot` cannot be resolved. Did you mean one of the following"),
        (("city", AGE), {}, "reports must be numbers, and the column 'city' has the type string"),
        (("report", AGE), {"by": "town"}, "`town` cannot be resolved"),
        (("report", AGE), {"by": []}, "by must be the name of a column, or a list of names"),
        (("report", AGE), {"by": 3}, "by must be the name of a column, or a list of names"),
        (("report", "minmax epsilon=1 range=0:1"), {}, 'no mechanism is called "minmax"'),
        (("report", 1), {}, "a collection must be a podium.Collection or a spec, not int"),
        (("report", AGE), {"nan": "keep"}, "nan must be 'refuse' or 'skip'"),
        (("report", AGE), {"bye": "city"}, "unexpected keyword argument 'bye'"),
        (("report", AGE), {"quantile": [0.5]}, "unexpected keyword argument 'quantile'"),
        (("report", AGE), {"confidence": 2}, "confidence must be between 0 and 1"),
        (("report", AGE), {"codes": True}, "a code is not one of this collection's"),
    ],
)
def test_mistakes(arguments, keywords, words, spark, reports):
    frame = spark.read.parquet(f"{reports.path}/0.parquet")
    with pytest.raises(Exception) as caught:
        podium.spark.summary(frame, *arguments, **keywords)
    assert words in str(caught.value)


def test_mistakes_about_files(spark, reports, tmp_path):
    for source, column, words in (
        (reports.path, "reprot", "no column is called 'reprot'; there are report, code, city, half"),
        (reports.path, "city", "reports must be numbers, and the column 'city'"),
        (str(tmp_path / "nowhere"), "report", "nowhere"),
        (5, "report", "give a DataFrame of Spark, or the path or paths of Parquet files"),
        ([], "report", "give a DataFrame of Spark, or the path or paths of Parquet files"),
    ):
        with pytest.raises(Exception) as caught:
            podium.spark.aggregate(source, column, AGE)
        assert words in str(caught.value)
    for work in (podium.spark.privatize, podium.spark.codes):
        with pytest.raises(PodiumError, match="nan must be 'error', 'keep' or 'middle'"):
            work("x", AGE, nan="skip")


def test_an_executor_without_the_package_says_so(tmp_path):
    sent = tmp_path / "sent"
    sent.write_bytes(cloudpickle.dumps(podium.spark._on_executors("_merge")))
    there = "import pickle, sys; sys.modules['podium'] = None; pickle.load(open(sys.argv[1], 'rb'))([])"
    done = subprocess.run([sys.executable, "-c", there, sent], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode != 0
    assert f"Spark's executors run {sys.executable}, which needs: pip install 'podium-privacy[spark]'" in done.stderr


# ---- Documents ----


def test_examples_of_the_docstrings(spark):
    people = spark.createDataFrame([("Oslo", 42.0), ("Rome", 17.0)] * 5000, "city string, age double")
    reports = people.withColumn("age", podium.spark.privatize("age", AGE)).persist()
    names = {"spark": spark, "people": people, "reports": reports, "age": AGE, "podium": podium}
    assert doctest.testmod(podium.spark, extraglobs=names).failed == 0
