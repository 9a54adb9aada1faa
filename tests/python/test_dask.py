"""Dask with workers in processes of their own: the same aggregates as on one machine, to the bit.

The 20 million reports are drawn from the system's random bits, and compared exactly. Where a mean is compared with the
truth, the margin is 7 standard errors, and a correct package fails with a probability below 1e-10 in all.
"""

import doctest
import math
import os
import signal
import threading

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

import podium
import podium.dask
from podium import Collection, PodiumError

AGE = Collection("minimax epsilon=1 range=1:120")
CITIES = ["Oslo", "Paris", "Rome", None]
FILES, ROWS = 20, 1_000_000
SECRET = 83.4375  # a value that no message may contain


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    os.chdir(tmp_path_factory.mktemp("work"))
    workers = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    with LocalCluster(**workers, host="127.0.0.1", dashboard_address=None) as made, Client(made) as client:
        yield client


def write_file(path, random):
    values = np.clip(random.normal(40, 12, ROWS), 1, 120)
    cities = random.choice(len(CITIES), ROWS, p=[0.9, 0.05, 0.04, 0.01]).astype("int8")  # most in one group
    codes = AGE.codes(values)
    pd.DataFrame(
        {
            "report": AGE.reports(codes),
            "code": codes,
            "city": pd.Categorical.from_codes(np.where(cities == 3, -1, cities), CITIES[:3]),
        }
    ).to_parquet(path)
    return {city: AGE.aggregate(codes=codes[cities == i]) for i, city in enumerate(CITIES)}


@pytest.fixture(scope="module")
def reports(cluster, tmp_path_factory):
    """A frame of 20 million rows, and what one process made of the same reports by city."""
    directory, random = tmp_path_factory.mktemp("reports"), np.random.default_rng(1)
    parts = [write_file(directory / f"{i}.parquet", random) for i in range(FILES)]
    return dd.read_parquet(directory, split_row_groups=False), {city: sum(p[city] for p in parts) for city in CITIES}


# ---- 20 million reports ----


def test_aggregates_are_those_of_one_machine(reports):
    frame, by_city = reports
    whole = podium.dask.aggregate(frame, "report", AGE)
    assert whole == sum(by_city.values()) and whole.count == FILES * ROWS
    assert podium.dask.aggregate(frame, "code", AGE.spec, codes=True) == whole
    assert list(podium.dask.aggregate(frame, "report", AGE, by="city")) == CITIES


def killed_at_work(cluster, job):
    """Runs the job and kills a worker while it runs a task. Returns the result and how many tasks were lost."""
    processes, result = cluster.run(os.getpid), []
    thread = threading.Thread(target=lambda: result.append(job()))
    thread.start()
    victim = None
    while thread.is_alive() and victim is None:
        victim = next((address for address, tasks in cluster.processing().items() if tasks), None)
    if victim is not None:
        os.kill(processes[victim], signal.SIGKILL)
    thread.join()
    removed = [e for _, e in cluster.get_events("all") if e["action"] == "remove-worker" and e["worker"] == victim]
    return result, sum(len(event["processing-tasks"]) for event in removed)


def test_a_worker_killed_at_work_changes_nothing(cluster, reports):
    """It is tried again if the work was done before the worker was dead."""
    frame, by_city = reports
    for _ in range(5):
        result, lost = killed_at_work(cluster, lambda: podium.dask.aggregate(frame, "report", AGE, by="city"))
        assert result == [by_city]
        if lost:
            return
    pytest.fail("no task was lost with a worker")


# ---- Any layout of the data ----


@pytest.fixture(scope="module")
def small():
    """Rows with missing reports and keys of many types."""
    random, n = np.random.default_rng(2), 20_000
    keys = random.integers(0, 500, n)
    values = AGE.privatize(random.uniform(1, 120, n))
    return pd.DataFrame(
        {
            "report": np.where(random.random(n) < 0.1, math.nan, values),
            "nullable": pd.array(values).astype("Float64"),
            "key": keys,
            "real": random.choice([math.nan, -0.0, 2.5], n),
            "text": pd.Series(random.choice(["a", "b"], n), dtype="string").where(random.random(n) < 0.9),
            "when": pd.Timestamp("2024-02-28") + pd.to_timedelta(keys % 2, "D"),
        }
    )


def expected(rows, names):
    """The aggregates by key, in plain Python."""
    items = {}
    for report, *key in zip(rows["report"], *(rows[name] for name in names)):
        items.setdefault(tuple(None if pd.isna(x) else x for x in key), []).append(report)
    return {key: AGE.aggregate(reports, nan="skip") for key, reports in items.items()}


@pytest.mark.parametrize("names", [["key"], ["real"], ["text", "when"]])
def test_keys_of_any_type(names, cluster, small):
    frame = dd.from_pandas(small, npartitions=5)
    assert podium.dask.aggregate(frame, "report", AGE, by=names) == expected(small, names)


@pytest.mark.parametrize("partitions", [1, 3, 100])
def test_partitions_do_not_matter(partitions, cluster, small):
    frame, whole = dd.from_pandas(small, npartitions=partitions), AGE.aggregate(small["report"])
    assert podium.dask.aggregate(frame, "report", AGE) == whole and whole.count == small["report"].count()
    assert podium.dask.aggregate(frame, "report", AGE, nan="refuse").refused == small["report"].isna().sum()


def test_frames_without_rows(cluster, small):
    none = dd.from_pandas(small, npartitions=2).query("key > 1000")
    assert podium.dask.aggregate(none, "report", AGE) == AGE.aggregate()
    assert podium.dask.aggregate(none, "report", AGE, by="key") == {}
    assert podium.dask.summary(none, "report", AGE).withheld["mean"] == "too few reports"


# ---- Summaries ----


def test_summaries_are_those_of_the_aggregates(reports):
    frame, by_city = reports
    question = {"interval": "anytime", "quantiles": [0.5], "dishonest": 1}  # so that nothing is NaN
    groups = podium.dask.summary(frame, "report", AGE, by="city", **question)
    assert groups == {city: sums.summary(**question) for city, sums in by_city.items()}
    assert groups.to_frame().loc["Rome", "mean"] == groups["Rome"].mean
    with pytest.raises(PodiumError, match="^group 'Oslo': these cannot be reports of this collection$"):
        podium.dask.summary(frame.partitions[0], "code", AGE, by="city")


# ---- Privatising ----


def test_missing_values_stay_missing(cluster, small):
    frame = dd.from_pandas(small, npartitions=3)
    for name in ("key", "report", "nullable"):
        drawn = podium.dask.privatize(frame[name], AGE).compute()
        assert list(drawn.isna()) == list(small[name].isna()) and drawn.name == name
        assert AGE.aggregate(drawn).refused == 0
        assert list(podium.dask.codes(frame[name], AGE).compute().isna()) == list(small[name].isna())


def test_the_mean_of_the_reports_is_near_the_truth(cluster, small):
    frame = dd.from_pandas(small, npartitions=3)
    estimate = podium.dask.summary(frame.assign(key=podium.dask.privatize(frame["key"], AGE)), "key", AGE)
    assert abs(estimate.mean - small["key"].clip(1, 120).mean()) < 7 * estimate.standard_error


def test_one_computation_draws_one_report_of_a_value(cluster, small):
    frame = dd.from_pandas(small, npartitions=3)
    drawn = frame.assign(drawn=podium.dask.privatize(frame["key"], AGE))
    drawn = drawn.assign(again=drawn["drawn"] + 0)
    rows, total = dask.compute(drawn, drawn["drawn"].sum())
    assert (rows["drawn"] == rows["again"]).all() and math.isclose(rows["drawn"].sum(), total, rel_tol=1e-9)


def test_no_failure_shows_a_value(cluster):
    frame = dd.from_pandas(pd.DataFrame({"number": [SECRET, math.nan], "text": [str(SECRET), ""]}), npartitions=1)
    kept = frame.persist()
    for source in (frame, kept):
        with pytest.raises(PodiumError, match="a value is NaN") as caught:
            podium.dask.privatize(source["number"], AGE, nan="error").compute()
        assert str(SECRET) not in str(caught.value)
        with pytest.raises(TypeError, match="values must be numbers, not of the dtype") as caught:
            podium.dask.privatize(source["text"], AGE)
        assert str(SECRET) not in str(caught.value)
    logs = str(cluster.get_worker_logs())
    assert "a value is NaN" in logs and str(SECRET) not in logs


# ---- Mistakes ----


@pytest.mark.parametrize(
    "arguments, keywords, words",
    [
        (("reprot", AGE), {}, "no column is called 'reprot'; there are report, nullable, key, real, text, when"),
        (("text", AGE), {}, "reports must be numbers, and the column 'text' has the type string"),
        (("report", AGE), {"by": "town"}, "no column is called 'town'"),
        (("report", AGE), {"by": []}, "by must be the name of a column, or a list of names"),
        (("report", "minmax epsilon=1 range=0:1"), {}, 'no mechanism is called "minmax"'),
        (("report", AGE), {"nan": "keep"}, "nan must be 'refuse' or 'skip'"),
        (("report", AGE), {"quantile": [0.5]}, "unexpected keyword argument 'quantile'"),
        (("report", AGE), {"codes": True}, "a code is not one of this collection's"),
    ],
)
def test_mistakes(arguments, keywords, words, cluster, small):
    with pytest.raises(Exception) as caught:
        podium.dask.summary(dd.from_pandas(small, npartitions=1), *arguments, **keywords)
    assert words in str(caught.value)


def test_what_is_not_of_dask(small):
    with pytest.raises(TypeError, match="give a DataFrame of Dask, not DataFrame"):
        podium.dask.aggregate(small, "report", AGE)
    for column in (small["key"], dd.from_pandas(small, npartitions=1)):
        with pytest.raises(TypeError, match="privatise one column, a Series of Dask, not"):
            podium.dask.privatize(column, AGE)


# ---- Documents ----


def test_examples_of_the_docstrings(cluster):
    people = dd.from_dict({"city": ["Oslo", "Rome"] * 5000, "age": [42.0, 17.0] * 5000}, npartitions=2)
    reports = people.assign(age=podium.dask.privatize(people["age"], AGE)).persist()
    names = {"people": people, "reports": reports, "age": AGE, "podium": podium}
    assert doctest.testmod(podium.dask, extraglobs=names).failed == 0
