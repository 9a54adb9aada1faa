#!/usr/bin/env python3
"""The Python package's speed as ratios in one run, beside the C library, NumPy, OpenDP and diffprivlib.

    python.py LIBPODIUM.SO

All run on one thread, except where it says two. Each number is the least of several runs, and jobs that are compared
take turns, so that a machine that is busy for a while slows all of them down. OpenDP is measured by its call for
arrays, and diffprivlib, which has none, by its call for one value; both with fewer values, scaled up.
"""

import ctypes
import sys
import time

import numpy as np

import podium

N, ROUNDS = 10_000_000, 5
SPEC = "podium epsilon=1 range=1:120"


class Aggregate(ctypes.Structure):
    _fields_ = [("words", ctypes.c_uint64 * (8704 // 8))]


class CLibrary:
    """The library's own functions, called with the addresses of the arrays"""

    def __init__(self, path, spec):
        self.lib = ctypes.CDLL(path)
        self.collection = (ctypes.c_uint64 * 512)()
        line = spec.encode()
        assert (
            self.lib.podium_collection_parse(
                self.collection, None, ctypes.c_size_t(0), None, line, ctypes.c_size_t(len(line))
            )
            == 0
        )
        self.sums = Aggregate()

    def privatize(self, out, values):
        at, to, n = (
            ctypes.c_void_p(values.ctypes.data),
            ctypes.c_void_p(out.ctypes.data),
            ctypes.c_size_t(values.size),
        )
        assert self.lib.podium_privatize(self.collection, to, at, n) == 0

    def aggregate(self, reports):
        self.lib.podium_aggregate_init(self.collection, ctypes.byref(self.sums))
        at, n = ctypes.c_void_p(reports.ctypes.data), ctypes.c_size_t(reports.size)
        assert self.lib.podium_aggregate_add(self.collection, ctypes.byref(self.sums), at, n) == 0

    def one(self, repetitions):
        """Seconds of one value in C: an array of one, again and again, less what ctypes costs."""
        value, report = np.array([42.0]), np.empty(1)
        privatize, version = self.lib.podium_privatize, self.lib.podium_version
        arguments = (
            self.collection,
            ctypes.c_void_p(report.ctypes.data),
            ctypes.c_void_p(value.ctypes.data),
            ctypes.c_size_t(1),
        )
        return (
            seconds(lambda: [privatize(*arguments) for _ in range(repetitions)]) / repetitions
            - seconds(lambda: [version(*arguments) for _ in range(repetitions)]) / repetitions
        )


def seconds(job):
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def least(jobs):
    """The least time of each job; they take turns."""
    times = [[seconds(job) for job in jobs.values()] for _ in range(ROUNDS)]
    return dict(zip(jobs, map(min, zip(*times))))


def opendp_job(values):
    try:
        import opendp.prelude as dp
    except ImportError:
        return None
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l1_distance(T=float)
    laplace = dp.m.make_laplace(*space, scale=119.0)
    part = values[: N // 500].tolist()
    return lambda: laplace(part), N / len(part)


def diffprivlib_job(values):
    try:
        from diffprivlib.mechanisms import Laplace
    except ImportError:
        return None
    mechanism = Laplace(epsilon=1, sensitivity=119)
    part = values[: N // 1000].tolist()
    return lambda: [mechanism.randomise(x) for x in part], N / len(part)


def row(job, took, ratio, target):
    print(f"{job:<52}{took:>12} {ratio:>12}   {target}")


def main():
    c, library = podium.Collection(SPEC), CLibrary(sys.argv[1], SPEC)
    values = np.random.default_rng(1).uniform(1, 120, N)
    out, other = np.empty(N), np.empty(N)
    random = np.random.default_rng(2)
    jobs = {
        "C": lambda: library.privatize(other, values),
        "C, new array": lambda: library.privatize(np.empty(N), values),
        "Python": lambda: c.privatize(values),
        "Python, out=": lambda: c.privatize(values, out=out),
        "Python, 2 threads": lambda: c.privatize(values, threads=2),
        'Python, out=, nan="middle"': lambda: c.privatize(values, out=out, nan="middle"),
        "numpy.random.laplace": lambda: values + np.random.laplace(0, 119, N),
        "Generator.laplace": lambda: values + random.laplace(0, 119, N),
        "C aggregate": lambda: library.aggregate(out),
        "aggregate": lambda: c.aggregate(out),
        "numpy.sum": lambda: out.sum(),
    }
    took = least(jobs)
    row(f"{SPEC}, {N:.0e} values", "ms", "", "")
    for name, t in took.items():
        row(name, f"{1e3 * t:.1f}", "", "")
    for name, make in (("OpenDP", opendp_job), ("diffprivlib", diffprivlib_job)):
        made = make(values)
        if made is None:
            row(name, "not there", "", "")
            continue
        took[name] = least({name: made[0]})[name] * made[1]
        row(name, f"{1e3 * took[name]:.0f}", "", "")
    print()
    row("ratio of speeds", "", "", "target")
    for name, base, against, target in (
        ("privatize", "Python", "C, new array", 0.9),
        ("privatize, out=", "Python, out=", "C", 0.9),
        ("privatize, out=, NaN not looked for", 'Python, out=, nan="middle"', "C", 0.9),
        ("privatize, out=", "Python, out=", "numpy.random.laplace", None),
        ("privatize", "Python", "numpy.random.laplace", 8),
        ("privatize, 2 threads", "Python, 2 threads", "numpy.random.laplace", None),
        ("privatize", "Python", "Generator.laplace", None),
        ("privatize", "Python", "OpenDP", 1000),
        ("privatize", "Python", "diffprivlib", 100),
        ("aggregate", "aggregate", "C aggregate", 0.8),
        ("aggregate", "aggregate", "numpy.sum", 0.3),
    ):
        if against in took:
            row(
                f"{name} to {against}",
                "",
                f"{took[against] / took[base]:.2f}",
                "" if target is None else f"at least {target}",
            )
    one = min(seconds(lambda: [c.privatize(42.0) for _ in range(20_000)]) / 20_000 for _ in range(ROUNDS))
    in_c = min(library.one(20_000) for _ in range(ROUNDS))
    row("one value, microseconds above C", f"{1e6 * one:.2f}", f"{1e6 * (one - in_c):.2f}", "at most 2")


if __name__ == "__main__":
    main()
