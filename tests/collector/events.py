#!/usr/bin/env python3
"""Server-sent events of podiumd: they say what the estimate says, to all who listen, and hold nothing up.

    events.py PODIUMD PODIUM WORK-DIR
"""
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import time

from server import Bench, Stream, run_cases, until

AGE = "/v1/collections/age"
VALUES = [random.Random(2).gauss(45, 15) for _ in range(2000)]


def case_events_are_the_estimate(b):
    options = ("--open", "--label", "age:region=north,south", "--label", "age:app=ios")
    with b.server("estimate", *options) as s:
        stream = Stream(s)
        assert stream.response.getheader("Content-Type") == "text/event-stream"
        assert stream.response.getheader("Cache-Control") == "no-store"
        assert stream.wait(0)["groups"] == {"app": [], "region": []}
        s.post("age", {"reports": b.reports(b.age, VALUES[:1000]) + ["x", 1e300], "labels": {"region": "north"}})
        s.post("age", {"reports": b.reports(b.age, VALUES[:500]), "fingerprint": "0" * 16})
        s.post("age", {"codes": b.codes(b.age, VALUES[:500]) + [256], "labels": {"region": "south", "app": "ios"}})
        event = until(lambda: stream.events[-1] if stream.events[-1]["n"] == 1500 else None)
        groups, refusals, batches = (event.pop(key) for key in ("groups", "refusals", "refused_batches"))
        assert event == s.get(AGE + "/estimate", interval="anytime", histogram=20).json()
        for label in ("region", "app"):
            assert groups[label] == s.get(AGE + "/estimate", interval="anytime", by=label).json()
        assert event["refused"] == 3 and refusals == {"not_numbers": 1, "not_reports": 2}
        assert batches == {"fingerprint-wrong": 1}
        metrics = s.get("/metrics").bytes.decode()
        assert "podiumd_listeners 1\n" in metrics
        assert 'podiumd_reports_not_numbers_total{collection="age"} 1\n' in metrics
        # a delete shows too, although it may be of periods that are long gone
        s.call("DELETE", AGE + "/reports", **{"from": "0", "to": "99999999999"})
        until(lambda: stream.events[-1]["n"] == 0)
        stream.close()


def case_dishonest_reports_are_shown(b):
    reports = b.reports(b.age, VALUES)
    with b.server("dishonest", "--open") as s:
        stream = Stream(s)
        s.post("age", {"reports": reports})
        assert "excess" not in stream.wait(2000)
        s.post("age", {"reports": [max(reports)] * 400})
        event, shown = stream.wait(2400), s.get(AGE + "/dishonest").json()
        assert event["problem"] == "not-reports" and shown.pop("n") == 2400
        assert event["excess"] == shown and shown["dishonest"] > 200
        stream.close()


def case_not_reports_and_mean_only(b):
    coin = b.design("coin", "--mechanism", "duchi", "--range", "0:1", "--epsilon", "1")
    with b.server("odd", "--open", collections=[b.speed, coin]) as s:
        raw, mean = Stream(s, "/v1/collections/speed/events"), Stream(s, "/v1/collections/coin/events")
        s.post("speed", {"reports": [5.0] * 1000})
        s.post("coin", {"reports": b.reports(coin, [0.5] * 100)})
        assert raw.wait(1000)["problem"] == "not-reports" and "mean" not in raw.events[-1]
        assert "mean" in mean.wait(100) and "histogram" not in mean.events[-1]


def case_many_listeners_and_few_events(b):
    """Under load each listener gets one or two events a second, the same ones, and the last one is complete."""
    codes = b.codes(b.age, VALUES[:100])
    with b.server("many", "--open", "--listeners-max", "20") as s:
        streams = [Stream(s) for _ in range(20)]
        refused = Stream(s)
        assert refused.response.status == 503 and refused.response.getheader("Retry-After")
        start, posted = time.monotonic(), 0
        while time.monotonic() - start < 2:
            s.post("age", {"codes": codes})
            posted += 100
        last = [stream.wait(posted) for stream in streams]
        seconds = time.monotonic() - start
        assert all(event == last[0] for event in last)
        for stream in streams:
            counts = [event["n"] for event in stream.events]
            assert counts == sorted(counts) and 2 <= len(counts) <= 2 * seconds + 2, counts
        for stream in streams:
            stream.close()
        # a listener that has left is noticed when there is something to send
        until(lambda: s.post("age", {"codes": codes}) and "podiumd_listeners 0\n" in s.get("/metrics").bytes.decode())
        again = Stream(s)
        assert again.response.status == 200 and again.wait(s.count("age")[0])


def case_tokens(b):
    with b.server("tokens") as s:
        bearer = {"Authorization": f"Bearer {s.tokens['read', 'age']}"}
        for wrong in ({}, {"Authorization": "Bearer x"}, {"Authorization": f"Bearer {s.tokens['write', 'age']}"}):
            assert Stream(s, headers=wrong).response.status in (401, 403)
        assert Stream(s, "/v1/collections/speed/events", bearer).response.status == 403
        assert Stream(s, AGE + "/events?by=x", bearer).response.status == 400
        stream = Stream(s, headers=bearer)
        stream.wait(0)
        # a revoked token hears nothing more
        listed = subprocess.run([b.podiumd, "token", "list", "--data", s.data], capture_output=True, text=True).stdout
        ident = next(line.split()[0] for line in listed.splitlines() if line.split()[1:3] == ["read", "age"])
        subprocess.run([b.podiumd, "token", "revoke", ident, "--data", s.data], check=True)
        until(lambda: s.call("GET", AGE + "/estimate", headers=bearer).status == 401)
        s.post("age", {"codes": b.codes(b.age, [30])}, headers={"Authorization": f"Bearer {s.tokens['write', 'age']}"})
        until(lambda: stream.ended)
        assert [event["n"] for event in stream.events] == [0]


WIDE = [f"v{i:03d}-{'x' * 50}" for i in range(900)]


def send_wide(b, server):
    """Sends a report for each of the labels, so that an event has hundreds of kilobytes."""
    connection = server.connection()
    for value, code in zip(WIDE, b.codes(b.age, VALUES[:900])):
        server.post("age", {"codes": [code]}, connection=connection, label=f"v:{value}")
    connection.close()


def listen_and_not_read(server):
    """A connection that asks for events and reads none, with little room for them."""
    deaf = socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    deaf.connect(("127.0.0.1", server.port))
    deaf.sendall(f"GET {AGE}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    return deaf


def case_timeouts(b):
    """Neither the timeout of idle connections nor the one of slow requests ends a stream, unless nobody reads it."""
    with b.server("idle", "--open", "--timeout", "1", "--request-timeout", "1", "--label", "age:v=" + ",".join(WIDE)) as s:
        stream = Stream(s)
        stream.wait(0)
        send_wide(b, s)
        stream.wait(900)
        deaf = listen_and_not_read(s)
        until(lambda: "podiumd_listeners 2\n" in s.get("/metrics").bytes.decode())
        time.sleep(1.5)
        send_wide(b, s)
        stream.wait(1800)
        until(lambda: "podiumd_listeners 1\n" in s.get("/metrics").bytes.decode())
        assert not stream.ended
        deaf.close()


def case_end(b):
    """SIGTERM ends streams at once, also of listeners that do not read."""
    with b.server("end", "--open", "--label", "age:v=" + ",".join(WIDE)) as s:
        good = Stream(s)
        good.wait(0)
        deaf = listen_and_not_read(s)
        send_wide(b, s)
        good.wait(900)
        start = time.monotonic()
        assert s.stop(signal.SIGTERM) == 0
        assert time.monotonic() - start < 5, "listeners held up the end"
        until(lambda: good.ended)
        deaf.close()


def case_changes_of_others(b):
    """What another process does to the store shows as well."""
    with b.server("others", "--open") as s:
        stream = Stream(s)
        s.post("age", {"codes": b.codes(b.age, VALUES[:50])})
        stream.wait(50)
        with b.server("source", "--open") as other:
            other.post("age", {"codes": b.codes(b.age, VALUES[:70])})
            assert other.stop() == 0
        source = sqlite3.connect(b.work / "source" / "podium.db")
        (state,) = source.execute("SELECT state FROM sums").fetchone()
        target = sqlite3.connect(b.work / "others" / "podium.db")
        with target:
            target.execute("UPDATE sums SET state = ?", (state,))
        stream.wait(70)


if __name__ == "__main__":
    run_cases(dict(globals()), Bench(*sys.argv[1:]))
