#!/usr/bin/env python3
"""A disk that is really full: podiumd on a file system of 16 MiB, which a file of nothing fills up again and again.

    disk.py PODIUMD PODIUM WORK-DIR

The file system is in a namespace of its own. Where that is not allowed, the test is skipped.
"""
import pathlib
import subprocess
import sys

from clients import OPTIONS, Crowd, resident
from server import Bench, run_cases, until

MOUNT = 'mount -t tmpfs -o size=16m tmpfs "$0" && exec "$@"'


def fill(path):
    """Writes until there is no space left, and returns how many bytes that took."""
    size = 0
    with open(path, "wb", buffering=0) as file:
        for block in (1 << 16, 1 << 12):
            try:
                while True:
                    size += file.write(bytes(block))
            except OSError:
                pass
    return size


def case_full_disk(b):
    small = b.work / "small"
    small.mkdir()
    wrapper = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", MOUNT, str(small))
    with b.server("small/data", *OPTIONS, wrapper=wrapper, log=b.work / "small.log") as s:
        inside = pathlib.Path(f"/proc/{s.process.pid}/root{small.resolve()}")
        crowd = Crowd(b, [s])
        until(lambda: crowd.total("batches") > 50)
        for _ in range(3):
            assert fill(inside / "filler") > 0
            before = crowd.total("refusals")
            until(lambda: crowd.total("refusals") > before + 50)
            until(lambda: s.get("/readyz").status == 503)  # what has space in the log may still have been stored
            ended = subprocess.run([b.podiumd, "backup", inside / "copy.db", "--data", inside / "data"],
                                   capture_output=True, check=False)
            assert ended.returncode == 3 and not list(inside.glob("copy.db*")), ended
            assert s.get("/healthz").status == 200
            assert s.get("/v1/collections/age/estimate", force="true").status == 200
            inside.joinpath("filler").unlink()
            stored = crowd.total("acknowledged")
            until(lambda: crowd.total("acknowledged") > stored + 50)  # it recovers by itself
            until(lambda: s.get("/readyz").status == 200)
        stored = crowd.total("batches")
        until(lambda: crowd.total("batches") > stored + 4000)  # whose log must begin again to fit
        crowd.join()
        crowd.check([s])
        memory = resident(s)
        assert s.stop() == 0
    print(f"full file system: {crowd}, {memory >> 20} MiB resident")


if __name__ == "__main__":
    bench = Bench(*sys.argv[1:4])
    tried = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", MOUNT, bench.work, "true"],
                           capture_output=True, check=False)
    if tried.returncode != 0:
        print("no file system can be mounted here:", tried.stderr.decode().strip())
        sys.exit(77)
    run_cases(dict(globals()), bench)
