#!/usr/bin/env python3
"""Never lost, never twice: clients that send a batch again under its key until it is answered, a server that is killed
at random moments, and a disk that is full. Afterwards the store must have exactly what was acknowledged.

    faults.py PODIUMD PODIUM WORK-DIR [KILLS [SEED]]

The seed chooses how long the server lives each time; what it does at that moment depends on the machine. A correct server
passes always.
"""
import random
import resource
import signal
import sys
import time

from clients import OPTIONS, Crowd, progress, resident
from server import Bench, run_cases, until

KILLS = int(sys.argv[4]) if len(sys.argv) > 4 else 6
SEED = int(sys.argv[5]) if len(sys.argv) > 5 else 18


def case_killed_at_random_moments(b):
    moments = random.Random(SEED)
    servers = [b.server("killed", *OPTIONS)]
    crowd = Crowd(b, servers)
    for kill in range(KILLS):
        time.sleep(moments.uniform(0.02, 0.3))
        servers[0].stop(signal.SIGKILL)
        servers[0] = b.server("killed", *OPTIONS)
        progress(kill + 1, KILLS, "kills")
    time.sleep(0.2)
    crowd.join()
    with servers[0] as s:
        crowd.check([s])
        assert s.stop() == 0
    print(f"{KILLS} kills, seed {SEED}: {crowd}")


def case_full_disk(b):
    """The limit of a file's size is as good as a disk that is full."""
    with b.server("full", *OPTIONS) as s:
        crowd = Crowd(b, [s])
        until(lambda: crowd.total("batches") > 50)
        unlimited = resource.RLIM_INFINITY
        for _ in range(2):
            resource.prlimit(s.process.pid, resource.RLIMIT_FSIZE, (4096, unlimited))
            before = crowd.total("refusals")
            until(lambda: crowd.total("refusals") > before + 50)
            answer = s.post("age", {"codes": [1]})
            assert (answer.status, answer.problem()) == (503, "store-away") and int(answer.headers["Retry-After"]) > 0
            assert s.get("/readyz").status == 503 and s.get("/healthz").status == 200
            assert s.get("/v1/collections/age/estimate", force="true").status == 200
            resource.prlimit(s.process.pid, resource.RLIMIT_FSIZE, (unlimited, unlimited))
            stored = crowd.total("batches")
            until(lambda: crowd.total("batches") > stored + 20)  # it recovers by itself
            until(lambda: s.get("/readyz").status == 200)
        crowd.join()
        crowd.check([s])
        memory = resident(s)
        assert s.stop() == 0
    log = (b.work / "full.log").read_text()
    assert log.count("cannot be written") == 2 and log.count("can be written again") == 2, log
    print(f"full disk: {crowd}, {memory >> 20} MiB resident")


def case_ready_again_without_requests(b):
    """Whoever routes requests by /readyz sends none to a server that is not ready."""
    with b.server("alone", *OPTIONS) as s:
        assert s.post("age", {"codes": [1]}).status == 200
        unlimited = resource.RLIM_INFINITY
        resource.prlimit(s.process.pid, resource.RLIMIT_FSIZE, (4096, unlimited))
        assert s.post("age", {"codes": [1]}).status == 503
        time.sleep(1.2)
        assert s.get("/readyz").status == 503  # the server has looked, and it is still so
        resource.prlimit(s.process.pid, resource.RLIMIT_FSIZE, (unlimited, unlimited))
        until(lambda: s.get("/readyz").status == 200)
        assert s.count("age") == (1, 0)


if __name__ == "__main__":
    run_cases(dict(globals()), Bench(*sys.argv[1:4]))
