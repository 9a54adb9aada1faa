#!/usr/bin/env python3
"""How fast podiumd is, with wrk as its client on the same machine: ratios of numbers of one run.

    collector.py PODIUMD PODIUM WORK-DIR [REQUESTS [URL]]

REQUESTS is how many requests the memory is watched over (200,000 if not given). With the URL of an empty PostgreSQL
database, only the posts are measured, on that store.
"""

import atexit
import http.client
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import time

podiumd, podium, work = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
REQUESTS = int(sys.argv[4]) if len(sys.argv) > 4 else 200_000
URL = sys.argv[5] if len(sys.argv) > 5 else None
SECONDS, CONNECTIONS, BATCH = 8, 64, 1000
DAY, LABELS = 86400, 20


class Server:
    def __init__(self, data, *options):
        self.process = subprocess.Popen(
            [
                podiumd,
                *(("--database", URL) if URL else ("--data", str(data))),
                "--collection",
                str(work / "age.podium"),
                "--open",
                "--listen",
                "127.0.0.1:0",
                *options,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        atexit.register(self.process.kill)  # also if a measurement fails
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def cpu(self):
        """Seconds of the processor that all threads have used"""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident(self):
        """MiB"""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status == 200, body
        return body

    def wrk(self, path, script, connections=CONNECTIONS, seconds=SECONDS):
        """Returns requests a second, and the 50th and 99th percentile of the latency in milliseconds."""
        file = work / "script.lua"
        file.write_text(script)
        said = subprocess.run(
            [
                "wrk",
                "-t1",
                f"-c{connections}",
                f"-d{seconds}s",
                "--latency",
                "-s",
                str(file),
                f"http://127.0.0.1:{self.port}{path}",
            ],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        unit = {"us": 1e-3, "ms": 1, "s": 1e3}
        latency = [float(x) * unit[u] for x, u in re.findall(r"^ *(?:50|99)% +([\d.]+)(us|ms|s)$", said, re.M)]
        if "Non-2xx" in said and "405" not in script:
            raise RuntimeError(said)
        return float(re.search(r"Requests/sec: +([\d.]+)", said)[1]), *latency

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


REPORTS = "/v1/collections/age/reports"
EMPTY = '-- answered by 405\nwrk.method = "POST"\n'
ONE = 'wrk.method = "POST"\nwrk.body = \'{"codes":[17]}\'\nwrk.headers["Content-Type"] = "application/json"\n'
KEYED = (
    ONE
    + """local n = 0
request = function()
    n = n + 1
    wrk.headers["Idempotency-Key"] = string.format("%d-%d", START, n)
    return wrk.format()
end
"""
)
MANY = (
    f'wrk.method = "POST"\nwrk.body = string.rep("\\17", {BATCH})\n'
    'wrk.headers["Content-Type"] = "application/vnd.podium.codes"\n'
)


def row(job, measured, target):
    print(f"{job:<66} {measured:>22}   {target}", flush=True)


def sync_time():
    """How long the disk takes to synchronise 4 KiB, in milliseconds"""
    with open(work / "sync", "wb", buffering=0) as file:
        file.write(bytes(1 << 20))
        os.fdatasync(file)
        began = time.perf_counter()
        for i in range(50):
            os.pwrite(file.fileno(), bytes(4096), 4096 * i)
            os.fdatasync(file)
        return 1000 * (time.perf_counter() - began) / 50


def measure_posts():
    s = Server(work / "posts", "--connections-max", "2000")
    before = s.cpu()
    empty = s.wrk("/healthz", EMPTY)[0]
    between = s.cpu()
    one, p50, p99 = s.wrk(REPORTS, ONE)
    costs = 1e6 * (between - before) / SECONDS / empty, 1e6 * (s.cpu() - between) / SECONDS / one
    keyed = s.wrk(REPORTS, f"local START = {time.time_ns()}\n" + KEYED)[0]
    row("an empty POST, 64 connections", f"{empty:,.0f}/s", "")
    row("one report a request, after sync", f"{one:,.0f}/s = {one / empty:.2f} x", ">= 0.4 x an empty POST")
    row("  the same with an Idempotency-Key for each", f"{keyed:,.0f}/s = {keyed / empty:.2f} x", "")
    row("  processor time for an empty POST, and for one report", f"{costs[0]:.0f} us, {costs[1]:.0f} us", "")
    row("  its latency at full load, 50% and 99%", f"{p50:.1f} ms, {p99:.1f} ms", "")
    delay = max(1, round(2000 * CONNECTIONS / one - p50))
    half, p50, p99 = s.wrk(REPORTS, ONE + f"function delay() return {delay} end\n")
    row(f"p99 at {half / one:.2f} of that load", f"{p99:.1f} ms", "<= 25 ms at half")
    before, began = s.cpu(), time.perf_counter()
    many = s.wrk(REPORTS, MANY)[0] * BATCH
    used = (s.cpu() - before) / (time.perf_counter() - began)
    row("batches of 1,000 codes", f"{many / 1e6:.1f} million/s", "")
    row(f"  for each core that podiumd used ({used:.2f})", f"{many / 1e6 / used:.1f} million/s", ">= 10 million/s")
    s.stop()


def measure_memory():
    s = Server(work / "memory", "--connections-max", "2000")
    s.wrk(REPORTS, ONE, connections=1000, seconds=4)
    first, sent = s.resident(), 0
    while sent < REQUESTS:
        sent += int(s.wrk(REPORTS, ONE, connections=1000, seconds=10)[0] * 10)
    row("memory after 1,000 connections", f"{first:.0f} MiB", "<= 64 MiB")
    row(f"  and after {sent:,} more requests", f"{s.resident():.0f} MiB", "not growing")
    s.stop()


def measure_year():
    """Writes a year of sums into the store, and asks for the estimate of all of them."""
    options = ("--period", "day", "--label", "age:city=" + ",".join(f"c{i}" for i in range(LABELS)))
    s = Server(work / "year", *options)
    s.stop()
    people = "".join(f"{day}-{city},{20 + i}\n" for day in range(365) for city in range(LABELS) for i in range(60))
    reports = subprocess.run(
        [podium, "privatize", "--collection", work / "age.podium", "--column", "age"],
        input="group,age\n" + people,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    states = subprocess.run(
        [podium, "aggregate", "--collection", work / "age.podium", "--column", "age", "--by", "group"],
        input=reports,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    today = int(time.time()) // DAY * DAY
    sums = [
        (today - DAY * int(day), DAY, f'{{"city": "c{city}"}}', bytes.fromhex(state))
        for day, city, state in re.findall(r"(\d+)-(\d+).*podium-aggregate:([0-9a-f]+)", states)
    ]
    assert len(sums) == 365 * LABELS, states[:300]
    database = sqlite3.connect(work / "year" / "podium.db")
    database.executemany("INSERT INTO sums (collection, start, period, labels, state) VALUES (1, ?, ?, ?, ?)", sums)
    database.commit()
    database.close()
    s = Server(work / "year", *options)
    for path in ("estimate", "estimate?by=city", "history?every=day&by=city"):
        took = []
        for _ in range(5):
            began = time.perf_counter()
            s.get(f"/v1/collections/age/{path}")
            took.append(1000 * (time.perf_counter() - began))
        row(
            f"{path.split('&')[0]} of a year by day with 20 labels",
            f"{min(took):.0f} ms",
            "<= 100 ms" if "?" not in path else "",
        )
    s.stop()


shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
subprocess.run(
    [
        podium,
        "design",
        "--range",
        "1:120",
        "--epsilon",
        "1",
        "--mechanism",
        "minimax",
        "--name",
        "age",
        "-o",
        work / "age.podium",
    ],
    check=True,
)
print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, one synchronisation takes {sync_time():.2f} ms")
measure_posts()
if URL is None:
    measure_memory()
    measure_year()
