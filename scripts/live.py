#!/usr/bin/env python3
"""Starts a podiumd and lets simulated devices answer it over a minute. Called by `make live`.

    live.py PODIUMD PODIUM [DEVICES] [SECONDS] [PORT]

Every device has an age and lives in a region, both drawn by a seeded generator. Its age is privatised by the program, as
a device would do it, and its one report is sent in a request of its own. The server, on the other side, has only reports.
Afterwards it stays up until Ctrl-C, which stops everything and removes the data.
"""
import http.client
import json
import queue
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid

REGIONS = {"north": 31, "east": 38, "south": 47, "west": 55}  # and the mean age there
CONNECTIONS = 16


def draw(devices, seconds, seed=8470):
    """Returns the region, the age and the time of each device, in the order of time."""
    chance = random.Random(seed)
    people = []
    for _ in range(devices):
        region = chance.choice(list(REGIONS))
        age = min(max(round(chance.gauss(REGIONS[region], 14)), 1), 120)
        people.append((chance.uniform(0, seconds), region, age))
    return sorted(people)


def privatise(podium, collection, ages):
    """Returns the codes that the devices send instead of their ages."""
    printed = subprocess.run([podium, "privatize", "--collection", collection, "--codes", "--header", "no"], check=True,
                             input="".join(f"{age}\n" for age in ages), stdout=subprocess.PIPE, text=True).stdout
    return [int(code) for code in printed.split()]


class Devices:
    """Threads that send one report at a time, each when its device answers."""

    def __init__(self, port, people, codes):
        self.port, self.waiting, self.stopping = port, queue.Queue(), threading.Event()
        self.lock, self.answered, self.failed = threading.Lock(), 0, 0
        for (when, region, _), code in zip(people, codes):
            self.waiting.put((when, region, code))
        self.began = time.monotonic()
        self.threads = [threading.Thread(target=self.run) for _ in range(CONNECTIONS)]
        for thread in self.threads:
            thread.start()

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        while not self.stopping.is_set():
            try:
                when, region, code = self.waiting.get_nowait()
            except queue.Empty:
                break
            if not self.stopping.wait(max(0, self.began + when - time.monotonic())):
                self.send(connection, region, code)
        connection.close()

    def send(self, connection, region, code):
        """Sends the report until it is acknowledged, always with the same key, so that it counts once."""
        body = json.dumps({"codes": [code], "labels": {"region": region}})
        headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
        for pause in (0.1, 0.5, 2, 5):
            try:
                connection.request("POST", "/v1/collections/age/reports", body, headers)
                answer = connection.getresponse()
                if json.load(answer).get("accepted") == 1:
                    with self.lock:
                        self.answered += 1
                    return
            except (OSError, http.client.HTTPException, ValueError):
                connection.close()
            if self.stopping.wait(pause):
                break
        with self.lock:
            self.failed += 1

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join()


def estimate(port):
    """Returns what the reports say by now, or nothing if they are too few."""
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        connection.request("GET", "/v1/collections/age/estimate?interval=anytime")
        answer = json.load(connection.getresponse())
        connection.close()
        return f"; mean age {answer['mean']:.1f}, from {answer['lower']:.1f} to {answer['upper']:.1f}"
    except (OSError, http.client.HTTPException, KeyError, TypeError, ValueError):
        return ""


def show(line, last=False):
    """Overwrites the line before on a terminal; elsewhere only the last line is printed."""
    if sys.stderr.isatty():
        print(f"\r\033[K{line}", end="\n" if last else "", file=sys.stderr, flush=True)
    elif last:
        print(line, file=sys.stderr, flush=True)


def watch(server, devices, people):
    """Shows the progress until all have answered, then waits for Ctrl-C or for the end of the server."""
    truth = sum(age for _, _, age in people) / len(people)
    while any(thread.is_alive() for thread in devices.threads) and server.poll() is None:
        time.sleep(1)
        show(f"{devices.answered} of {len(people)} devices have answered{estimate(devices.port)}")
    show(f"{devices.answered} of {len(people)} devices have answered{estimate(devices.port)} "
         f"(true mean {truth:.1f}, which the server never saw); Ctrl-C ends it", last=True)
    if devices.failed:
        print(f"{devices.failed} devices were never answered", file=sys.stderr)
    server.wait()


def run(podiumd, podium, people, port, directory):
    collection = f"{directory}/age.podium"
    subprocess.run([podium, "design", "--range", "1:120", "--epsilon", "1", "--mechanism", "minimax", "--name", "age",
                    "-o", collection], check=True)
    codes = privatise(podium, collection, [age for _, _, age in people])
    # in a session of its own, so that Ctrl-C reaches this script alone, which then stops it
    server = subprocess.Popen([podiumd, "--data", f"{directory}/collected", "--collection", collection, "--open",
                               "--label", f"age:region={','.join(REGIONS)}", "--question",
                               "age:How old are you, in years?", "--listen", f"127.0.0.1:{port}"],
                              stdout=subprocess.PIPE, text=True, start_new_session=True)
    devices = None
    try:
        line = server.stdout.readline()
        found = re.search(r"http://\S+:(\d+)", line)
        if not found:
            return 1
        print(f"{found[0]}/ is the page of the server, and {len(people)} devices answer it. Ctrl-C ends it.", flush=True)
        devices = Devices(int(found[1]), people, codes)
        watch(server, devices, people)
        print("live.py: the server ended by itself", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nstopping; the data are removed", file=sys.stderr)
        return 0
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not leave a server behind
        if devices is not None:
            devices.stop()
        if server.poll() is None:
            server.terminate()
        server.wait()


def main(podiumd, podium, devices="10000", seconds="60", port="8470"):
    people = draw(int(devices), float(seconds))
    # SIGTERM ends it as Ctrl-C does; and a shell may have started it in the background with SIGINT ignored
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="podium-live-") as directory:
        return run(podiumd, podium, people, port, directory)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
