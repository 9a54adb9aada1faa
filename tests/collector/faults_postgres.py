#!/usr/bin/env python3
"""Never lost, never twice, on PostgreSQL: two podiumd on one database, of which one is killed again and again; a database
that is stopped and started, that is slow, or whose connections are cut at the worst moment, which is the commit.
Afterwards the store must have exactly what was acknowledged.

    faults_postgres.py PODIUMD PODIUM WORK-DIR [KILLS [SEED]]

From 50 kills on, it also waits until the server gives up finding out what became of a commit, which takes some time. The
seed chooses moments, servers and cuts. A correct server passes always.
"""
import pathlib
import random
import signal
import socket
import subprocess
import sys
import threading
import time

from clients import OPTIONS, Crowd, progress, resident
from server import Bench, Cluster, run_cases, until

KILLS = int(sys.argv[4]) if len(sys.argv) > 4 else 6
SEED = int(sys.argv[5]) if len(sys.argv) > 5 else 18
LONG = KILLS >= 50
MIB = 1 << 20


class Proxy:
    """Between podiumd and PostgreSQL. `mode` is `pass`; `cut`, which ends connections at commits, half of them before and
    half of them after the server gets the commit; `swallow`, which passes a commit, ends the connection, and accepts no
    other one; `stall`, which reads nothing and answers nothing; or `slow`."""

    def __init__(self, cluster):
        self.to = str(cluster.sockets / ".s.PGSQL.5432")
        self.mode, self.cuts, self.random = "pass", {"before": 0, "after": 0}, random.Random(SEED)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def url(self, name):
        return f"postgresql://tester@127.0.0.1:{self.port}/{name}?sslmode=disable&gssencmode=disable"

    def accept(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            if self.mode == "refuse":
                client.close()
                continue
            try:
                server = socket.socket(socket.AF_UNIX)
                server.connect(self.to)
            except OSError:
                client.close()
                continue
            for source, sink, forth in ((client, server, True), (server, client, False)):
                threading.Thread(target=self.pump, args=(source, sink, forth), daemon=True).start()

    def wants_cut(self, data):
        """`before` or `after` if the connection is to end at these bytes of podiumd's"""
        if b"\0commit\0" not in data:
            return None
        if self.mode == "swallow":
            self.mode = "refuse"
            return "after"
        if self.mode == "cut" and self.random.random() < 0.1:
            return self.random.choice(["before", "after"])
        return None

    def pump(self, source, sink, forth):
        try:
            while data := source.recv(65536):
                cut = self.wants_cut(data) if forth else None
                if cut != "before":
                    while self.mode == "stall":
                        time.sleep(0.05)
                    if self.mode == "slow":
                        time.sleep(0.02)
                    sink.sendall(data)
                if cut:
                    self.cuts[cut] += 1
                    break
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        if forth:
            source.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.mode = "pass"
        self.listener.close()


def end_all(servers):
    for s in servers:
        assert s.stop() == 0


def case_two_servers_killed_at_random_moments(b):
    draw = random.Random(SEED)
    url = b.cluster.database("killed")
    servers = [b.server(f"killed{i}", *OPTIONS, database=url) for i in range(2)]
    crowd = Crowd(b, servers)
    for kill in range(KILLS):
        time.sleep(draw.uniform(0.02, 0.3))
        which = draw.randrange(2)
        servers[which].stop(signal.SIGKILL)
        servers[which] = b.server(f"killed{which}", *OPTIONS, database=url)
        progress(kill + 1, KILLS, "kills")
    time.sleep(0.2)
    crowd.join()
    crowd.check(servers)
    end_all(servers)
    print(f"{KILLS} kills of two servers, seed {SEED}: {crowd}")


def case_database_stopped_and_started(b):
    url = b.cluster.database("stopped")
    servers = [b.server(f"stopped{i}", *OPTIONS, database=url) for i in range(2)]
    crowd = Crowd(b, servers)
    stops = 10 if LONG else 2
    for stop in range(stops):
        stored = crowd.total("acknowledged")
        until(lambda: crowd.total("acknowledged") > stored + 100)
        b.cluster.stop("immediate" if stop % 2 == 0 else "fast")
        before = crowd.total("refusals")
        until(lambda: crowd.total("refusals") > before + 50)
        answer = servers[0].post("age", {"codes": [1]})
        assert (answer.status, answer.problem()) == (503, "store-away") and int(answer.headers["Retry-After"]) > 0
        assert servers[0].get("/v1/collections/age/estimate").problem() == "store-away"
        assert servers[0].get("/readyz").status == 503 and servers[0].get("/healthz").status == 200
        b.cluster.start()
        until(lambda: servers[0].get("/readyz").status == 200 and servers[1].get("/readyz").status == 200)
        progress(stop + 1, stops, "stops")
    stored = crowd.total("acknowledged")
    until(lambda: crowd.total("acknowledged") > stored + 100)
    crowd.join()
    crowd.check(servers)
    memory = max(map(resident, servers))
    end_all(servers)
    log = (b.work / "stopped0.log").read_text()
    assert 0 < log.count("cannot be written") == log.count("can be written again") <= stops, log
    print(f"{stops} stops of the database: {crowd}, {memory >> 20} MiB resident")


def case_commits_cut_off(b):
    """Also without keys nothing is lost or counted twice, because the server finds out what became of a commit."""
    url = b.cluster.database("cut")
    with Proxy(b.cluster) as proxy, b.server("cut", *OPTIONS, database=proxy.url("cut")) as through, \
            b.server("direct", *OPTIONS, database=url) as direct:
        for keyed in (False, True):
            proxy.cuts = {"before": 0, "after": 0}
            crowd = Crowd(b, [through, direct], keyed=keyed)
            proxy.mode = "cut"
            wanted = 100 if LONG else 10
            until(lambda: min(proxy.cuts.values()) >= wanted, seconds=120)
            proxy.mode = "pass"
            crowd.join()
            crowd.check([through, direct])
            assert crowd.total("unknown") == 0
            print(f"commits cut off {proxy.cuts}, {'with' if keyed else 'without'} keys: {crowd}")
            now = int(time.time())
            direct.call("DELETE", "/v1/collections/age/reports", **{"from": 0, "to": now + 1})
            b.cluster.sql("DELETE FROM podiumd.keys", "cut")
        end_all([through, direct])


def case_a_slow_database(b):
    """A lock that somebody holds for seconds, then a proxy that delays everything: 503, bounded memory, recovery."""
    url = b.cluster.database("slow")
    with Proxy(b.cluster) as proxy:
        servers = [b.server("slow", *OPTIONS, "--queue-max", "16", database=proxy.url("slow"))]
        crowd = Crowd(b, servers, count=48)
        until(lambda: crowd.total("acknowledged") > 200)
        holder = subprocess.Popen(["psql", "-X", "-q", url, "-c", "BEGIN; LOCK podiumd.sums IN EXCLUSIVE MODE",
                                   "-c", "SELECT pg_sleep(5); COMMIT"], stdout=subprocess.DEVNULL)
        before, memory = crowd.total("refusals"), resident(servers[0])
        until(lambda: servers[0].get("/readyz").status == 503)
        assert crowd.total("refusals") > before
        assert servers[0].get("/v1/collections/age/estimate", force="true").status == 200  # reading needs no lock
        holder.wait()
        until(lambda: servers[0].get("/readyz").status == 200)
        proxy.mode = "slow"
        stored = crowd.total("acknowledged")
        until(lambda: crowd.total("acknowledged") > stored + 200, seconds=60)
        if LONG:
            proxy.mode = "stall"
            until(lambda: servers[0].get("/readyz").status == 503, seconds=60)
            time.sleep(20)
        proxy.mode = "pass"
        crowd.join()
        crowd.check(servers)
        grown = resident(servers[0]) - memory
        sanitised = b"__asan_init" in pathlib.Path(b.podiumd).read_bytes()  # AddressSanitizer keeps what was freed
        assert grown < 8 * MIB or sanitised, f"{grown} bytes"
        end_all(servers)
    print(f"slow database: {crowd}, memory grew by {grown >> 10} KiB")


def case_an_outcome_that_stays_unknown(b):
    """The database gets the commit, and then nobody can connect to it until the server has given up."""
    if not LONG:
        return
    b.cluster.database("unknown")
    with Proxy(b.cluster) as proxy, b.server("unknown", *OPTIONS, database=proxy.url("unknown")) as s:
        for keyed in (False, True):
            assert s.post("age", {"codes": [1]}).status == 200
            proxy.mode = "swallow"
            answer = s.post("age", {"codes": [1, 2, 3]}, key="k" if keyed else None)
            if keyed:
                assert (answer.status, answer.problem()) == (503, "store-away") and answer.headers["Retry-After"]
            else:
                assert (answer.status, answer.problem()) == (500, "outcome-unknown"), answer.bytes
                assert "Retry-After" not in answer.headers
            assert s.get("/readyz").status == 503
            proxy.mode = "pass"
            until(lambda: s.get("/readyz").status == 200)
            if keyed:
                assert s.post("age", {"codes": [1, 2, 3]}, key="k").json() == {
                    "accepted": 3, "refused": 0, "duplicate": True}
            assert s.count("age") == ((1 + 3) * (2 if keyed else 1), 0)
        assert s.stop() == 0
    print("an outcome that stays unknown: the batch with a key counts once")


def case_a_standby_that_is_missing(b):
    """A commit that a standby should have confirmed is not acknowledged before it has."""
    if not LONG:
        return
    configure = "ALTER SYSTEM {} synchronous_standby_names {}; SELECT pg_reload_conf()"
    with b.server("standby", *OPTIONS, database=b.cluster.database("standby")) as s:
        assert s.post("age", {"codes": [1]}).status == 200
        for line in configure.format("SET", "= 'nobody'").split("; "):
            b.cluster.sql(line)
        time.sleep(1)
        answer = s.post("age", {"codes": [1, 2]}, key="k")
        assert (answer.status, answer.problem()) == (503, "store-away"), answer.bytes
        b.cluster.sql("SET synchronous_commit = local; ALTER SYSTEM RESET synchronous_standby_names")
        b.cluster.sql("SELECT pg_reload_conf()")
        until(lambda: s.get("/readyz").status == 200)
        assert s.post("age", {"codes": [1, 2]}, key="k").json()["accepted"] == 2
        assert s.count("age") == (3, 0)
        assert s.stop() == 0


if __name__ == "__main__":
    bench = Bench(*sys.argv[1:4])
    with Cluster(bench) as bench.cluster:
        run_cases(dict(globals()), bench)
