#!/usr/bin/env python3
"""`make live`, with fewer devices and less time.

    live.py PODIUMD PODIUM WORK-DIR SCRIPT
"""
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import sys

from server import Bench, run_cases, until

SCRIPT = sys.argv.pop()


def count(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/v1/collections/age/estimate?force=true&by=region")
    groups = json.load(connection.getresponse())
    connection.close()
    return {group["group"]: group["n"] for group in groups}


def start(b, devices, seconds):
    temporary = b.work / "temporary"
    temporary.mkdir(exist_ok=True)
    process = subprocess.Popen([SCRIPT, b.podiumd, b.podium, str(devices), str(seconds), "0"], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": temporary})
    process.port = int(re.match(r"http://127\.0\.0\.1:(\d+)/ ", process.stdout.readline())[1])
    return process, temporary


def end(process, temporary, number):
    server = [int(pid) for pid in pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
    process.send_signal(number)
    err = process.communicate(timeout=60)[1]
    assert process.returncode == 0, err
    assert list(temporary.iterdir()) == [] and not any(pathlib.Path(f"/proc/{pid}").exists() for pid in server), server
    assert len(server) == 1, server
    return err


def case_all_answer(b):
    process, temporary = start(b, 300, 1)
    until(lambda: sum(count(process.port).values()) == 300)
    groups = count(process.port)
    assert set(groups) == {"north", "east", "south", "west"} and min(groups.values()) > 40, groups
    err = end(process, temporary, signal.SIGINT)
    assert "the data are removed" in err, err


def case_interrupted(b):
    process, temporary = start(b, 10000, 60)
    until(lambda: sum(count(process.port).values()) > 20)
    end(process, temporary, signal.SIGTERM)


if __name__ == "__main__":
    run_cases(dict(globals()), Bench(*sys.argv[1:]))
