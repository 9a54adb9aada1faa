"""Clients for the tests of faults: they send batches again under their keys until they are answered, and know how many
reports were acknowledged."""
import http.client
import random
import resource
import sys
import threading
import time

from server import until

CLIENTS = 8
OPTIONS = ("--open", "--label", "age:region=north,south")


class Client(threading.Thread):
    """Sends batches of one to three codes until it is told to stop, each time to one of the servers. `servers` is a list
    that changes when a server is started again. Without keys, a batch is sent again only after a 503, which promises that
    nothing was stored."""

    def __init__(self, number, servers, codes, stop, keyed=True):
        super().__init__(daemon=True)
        self.number, self.servers, self.codes, self.stop, self.keyed = number, servers, codes, stop, keyed
        self.random = random.Random(number)
        self.acknowledged = self.batches = self.repeated = self.duplicates = self.refusals = self.unknown = 0
        self.connections = {}
        self.failure = None

    def try_once(self, body, key):
        """Returns the answer of a server, or None if the batch has to be sent again."""
        server = self.random.choice(self.servers)
        try:
            if server not in self.connections:
                self.connections[server] = server.connection(timeout=60)
            answer = server.post("age", body, key=key, connection=self.connections[server])
        except (OSError, http.client.HTTPException):
            if server in self.connections:
                self.connections.pop(server).close()
            assert self.keyed, "without a key, every batch has to be answered"
            time.sleep(0.01)
            return None
        if answer.status == 500 and answer.problem() == "outcome-unknown":
            return {"unknown": True}
        if answer.status != 503:
            assert answer.status == 200, answer.bytes
            return answer.json()
        assert int(answer.headers["Retry-After"]) > 0
        self.refusals += 1
        time.sleep(0.02)
        return None

    def send_one(self):
        count = self.random.randint(1, 3)
        body = {"codes": self.random.choices(self.codes, k=count),
                "labels": {"region": self.random.choice(["north", "south"])}}
        key = f"{self.number}-{self.batches}" if self.keyed else None
        self.batches += 1
        while (answer := self.try_once(body, key)) is None:
            self.repeated += 1
        if "unknown" in answer:
            assert not self.keyed
            self.unknown += count
            return
        assert answer["accepted"] == count and answer["refused"] == 0, answer
        self.duplicates += answer["duplicate"]
        self.acknowledged += count

    def run(self):
        try:
            while not self.stop.is_set():
                self.send_one()
        except Exception as error:  # pylint: disable=broad-except
            self.failure = error


class Crowd:
    """Several clients, which begin at once."""

    def __init__(self, b, servers, count=CLIENTS, keyed=True):
        self.stop = threading.Event()
        codes = b.codes(b.age, [random.Random(2).uniform(1, 120) for _ in range(100)])
        self.clients = [Client(i, servers, codes, self.stop, keyed) for i in range(count)]
        for client in self.clients:
            client.start()

    def total(self, what):
        return sum(getattr(client, what) for client in self.clients)

    def join(self):
        """Waits until every batch is answered."""
        self.stop.set()
        for client in self.clients:
            client.join(timeout=120)
            assert not client.is_alive() and client.failure is None, client.failure

    def check(self, servers):
        """Compares what is stored with what was acknowledged, and returns that number."""
        for server in servers:
            until(lambda: server.get("/v1/collections/age/estimate", force="true").status == 200)
            counted = server.count("age")
            assert counted == (self.total("acknowledged"), 0), (counted, self.total("acknowledged"))
        return counted[0]

    def __str__(self):
        return (f"{self.total('batches')} batches, {self.total('refusals')} answers of 503, {self.total('repeated')} "
                f"repetitions, of which {self.total('duplicates')} had been counted: "
                f"{self.total('acknowledged')} reports acknowledged and stored")


def resident(server):
    """The memory of a server, in bytes"""
    with open(f"/proc/{server.process.pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def progress(done, count, what):
    if sys.stdout.isatty():
        print(f"\r{done} of {count} {what}", end="\n" if done == count else "", flush=True)
