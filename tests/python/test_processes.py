"""Threads, processes and memory: Python's lock, random bits of one's own, nothing that stays."""

import concurrent.futures
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import podium
from common import AGE, SPECS, is_report
from podium import Collection, PodiumError

PODIUM = Collection(SPECS[1])

# ---- Threads ----


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads(threads):
    values = np.full(500_000, 42.0)
    reports = AGE.privatize(values, threads=threads)
    assert is_report(AGE, reports[::997]) and len(np.unique(reports)) > 100
    assert AGE.aggregate(reports, threads=threads) == AGE.aggregate(reports)
    codes = AGE.codes(values.reshape(500, 1000), threads=threads)
    assert AGE.aggregate(codes=codes, threads=threads) == AGE.aggregate(AGE.reports(codes))
    # The parts have random bits of their own: the same ones would repeat the reports.
    assert not (reports[:100_000] == reports[100_000:200_000]).all()
    for wrong in (0, -1, 1.5):
        with pytest.raises((PodiumError, TypeError), match="threads must"):
            AGE.privatize(values, threads=wrong)


def test_many_threads_share_a_collection():
    c = Collection("minimax epsilon=1 range=0:10")

    def work(_):
        sums = c.aggregate(c.privatize(np.full(20_000, 3.0)))
        return sums.summary(bins=5).count

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(32))) == [20_000] * 32


def others_run_during(job):
    """Does another thread run while the job does? It asks for the lock, but nobody is made to give it up."""
    times = []

    def work():
        times.append(time.perf_counter())
        job()
        times.append(time.perf_counter())

    thread = threading.Thread(target=work)
    seen = []
    thread.start()
    while len(times) < 2:
        time.sleep(0.0002)
        seen.append(time.perf_counter())
    thread.join()
    return any(times[0] < moment < times[1] for moment in seen[:-1])


@pytest.mark.parametrize("name", ["privatize", "keep", "codes", "reports", "aggregate", "summary", "collection"])
def test_work_releases_the_lock(name):
    """Of ten trials one is enough, because a busy machine may run the other thread too late."""
    values = np.full(3_000_000, 42.0)
    values[0] = np.nan if name == "keep" else 42.0
    reports, codes = AGE.privatize(values, nan="keep"), AGE.codes(values, nan="middle")
    sums = AGE.aggregate(codes=codes)
    jobs = {
        "privatize": lambda: AGE.privatize(values, nan="middle"),
        "keep": lambda: AGE.privatize(values, nan="keep"),
        "codes": lambda: AGE.codes(values, nan="middle"),
        "reports": lambda: AGE.reports(codes),
        "aggregate": lambda: AGE.aggregate(reports),
        "summary": lambda: sums.summary(bins=100),
        "collection": lambda: Collection("minimax epsilon=1.5 range=0:1 cells=4000"),
    }
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        assert any(others_run_during(jobs[name]) for _ in range(10))
    finally:
        sys.setswitchinterval(interval)


# ---- Processes ----


def pickled_work(c):
    return c.aggregate(c.privatize([1.0] * 100))


def draw(c):
    """Reports by each way to random bits: one value a call, some, and so many that a cipher makes the bits."""
    single = [c.privatize(3.0) for _ in range(40)]
    return np.concatenate([single, c.privatize(np.full(20, 3.0)), c.privatize(np.full(5000, 3.0))])


def have_nothing_in_common(draws):
    """A correct package fails with a probability below 1e-70: two of the 4 million reports are rarely the same, and in
    each of the three parts most would have to be."""
    for part in (slice(0, 40), slice(40, 60), slice(60, None)):
        for i in range(len(draws)):
            for j in range(i):
                if (draws[i][part] == draws[j][part]).mean() > 0.5:
                    return False
    return True


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(method):
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert sum(pool.map(pickled_work, [AGE] * 4)).count == 400
        assert have_nothing_in_common(pool.map(draw, [PODIUM] * 4))


def drawn_by_a_child():
    """What a child draws that was forked just now."""
    from_child, to_parent = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            with os.fdopen(to_parent, "wb") as file:
                file.write(draw(PODIUM).tobytes())
        finally:
            os._exit(0)
    os.close(to_parent)
    with os.fdopen(from_child, "rb") as file:
        drawn = np.frombuffer(file.read())
    os.waitpid(child, 0)
    return drawn


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_does_not_repeat_its_parent():
    """Children that have the parent's memory must not have its random bits, before or after it draws more."""
    draws = [draw(PODIUM)]
    draws += [drawn_by_a_child(), drawn_by_a_child()]
    draws.append(draw(PODIUM))
    assert all(len(drawn) == 5060 for drawn in draws) and have_nothing_in_common(draws)


def test_interpreters():
    environment = dict(os.environ, PYTHONPATH=str(Path(podium.__file__).parent.parent))
    script = Path(__file__).with_name("interpreters.py")
    subprocess.run([sys.executable, script], env=environment, check=True, stdout=subprocess.PIPE)


# ---- Memory ----


def test_nothing_leaks():
    script = Path(__file__).with_name("leaks.py")
    subprocess.run([sys.executable, script, "50000"], check=True, stdout=subprocess.PIPE)
