#!/usr/bin/env python3
"""Never lost, never twice: clients that send a batch again under its key until it is answered, a server that is killed
at random moments, and a disk that is full. Afterwards the store must have exactly what was acknowledged.

    faults.py PODIUMD PODIUM WORK-DIR [KILLS]

The moments are random and not repeatable. A correct server passes always, whatever they are.
"""
import http.client
import json
import random
import resource
import signal
import sys
import threading
import time

from server import Bench, run_cases, until

KILLS = int(sys.argv[4]) if len(sys.argv) > 4 else 6
CLIENTS = 8


class Client(threading.Thread):
    """Sends batches of one to three codes, each under a key of its own, until it is told to stop."""

    def __init__(self, number, servers, codes, stop):
        super().__init__()
        self.number, self.servers, self.codes, self.stop = number, servers, codes, stop
        self.random = random.Random(number)
        self.acknowledged = self.batches = self.repeated = self.duplicates = self.refusals = 0
        self.connection = None

    def try_once(self, body, key):
        """Returns the answer of the server, or None if there is none."""
        try:
            if self.connection is None:
                self.connection = self.servers[-1].connection(timeout=20)
            answer = self.servers[-1].post("age", body, key=key, connection=self.connection)
            if answer.status == 503:
                self.refusals += 1
                time.sleep(0.02)
                return None
            assert answer.status == 200, answer.bytes
            return answer.json()
        except (OSError, http.client.HTTPException):
            if self.connection is not None:
                self.connection.close()
            self.connection = None
            time.sleep(0.01)
            return None

    def run(self):
        while not self.stop.is_set():
            count = self.random.randint(1, 3)
            body = {"codes": self.random.choices(self.codes, k=count),
                    "labels": {"region": self.random.choice(["north", "south"])}}
            key = f"{self.number}-{self.batches}"
            answer = self.try_once(body, key)
            while answer is None:
                self.repeated += 1
                answer = self.try_once(body, key)
            assert answer["accepted"] == count and answer["refused"] == 0, answer
            self.duplicates += answer["duplicate"]
            self.acknowledged += count
            self.batches += 1


def start_clients(b, servers):
    codes, stop = b.codes(b.age, [random.Random(2).uniform(1, 120) for _ in range(100)]), threading.Event()
    clients = [Client(i, servers, codes, stop) for i in range(CLIENTS)]
    for client in clients:
        client.start()
    return clients, stop


def join(clients, stop):
    stop.set()
    for client in clients:
        client.join(timeout=60)
        assert not client.is_alive()


def total(clients, what):
    return sum(getattr(client, what) for client in clients)


def case_killed_at_random_moments(b):
    options = ("--open", "--label", "age:region=north,south")
    servers = [b.server("killed", *options)]
    clients, stop = start_clients(b, servers)
    for kill in range(KILLS):
        time.sleep(random.uniform(0.02, 0.3))
        servers[-1].stop(signal.SIGKILL)
        servers.append(b.server("killed", *options))
        if sys.stdout.isatty():
            print(f"\r{kill + 1} of {KILLS} kills", end="", flush=True)
    time.sleep(0.2)
    join(clients, stop)
    with servers[-1] as s:
        counted = s.count("age")
        assert counted == (total(clients, "acknowledged"), 0), (counted, total(clients, "acknowledged"))
        assert s.stop() == 0
    print(f"{KILLS} kills, {total(clients, 'batches')} batches, {total(clients, 'repeated')} repetitions, of which "
          f"{total(clients, 'duplicates')} had been counted: {counted[0]} reports acknowledged and stored")


def case_full_disk(b):
    servers = [b.server("full", "--open", "--label", "age:region=north,south")]
    with servers[0] as s:
        clients, stop = start_clients(b, servers)
        until(lambda: total(clients, "batches") > 50)
        unlimited = resource.RLIM_INFINITY
        for _ in range(2):
            wal = (s.data / "podium.db-wal").stat().st_size
            resource.prlimit(s.process.pid, resource.RLIMIT_FSIZE, (max(wal - 4096, 4096), unlimited))
            before = total(clients, "refusals")
            until(lambda: total(clients, "refusals") > before + 50)
            answer = s.post("age", {"codes": [1]})
            assert (answer.status, answer.problem()) == (503, "store-away") and int(answer.headers["Retry-After"]) > 0
            assert s.get("/readyz").status == 503 and s.get("/healthz").status == 200
            assert s.get("/v1/collections/age/estimate", force="true").status == 200
            resource.prlimit(s.process.pid, resource.RLIMIT_FSIZE, (unlimited, unlimited))
            stored = total(clients, "batches")
            until(lambda: total(clients, "batches") > stored + 20)  # it recovers by itself
            assert s.get("/readyz").status == 200
        join(clients, stop)
        counted = s.count("age")
        assert counted == (total(clients, "acknowledged"), 0), (counted, total(clients, "acknowledged"))
        resident = int((open(f"/proc/{s.process.pid}/statm").read()).split()[1]) * resource.getpagesize()
        assert s.stop() == 0
    log = (b.work / "full.log").read_text()
    assert log.count("cannot be written") == 2 and log.count("can be written again") == 2, log
    print(f"full disk: {total(clients, 'refusals')} batches refused, {counted[0]} reports acknowledged and stored, "
          f"{resident >> 20} MiB resident")


if __name__ == "__main__":
    run_cases(dict(globals()), Bench(*sys.argv[1:4]))
