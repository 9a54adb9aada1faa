#!/usr/bin/env python3
"""The systemd unit: how exposed systemd finds it, and whether the server can live within it. There is no systemd to
start it here, so the second case compares what the server asks of the kernel with what the unit allows.

    service.py PODIUMD PODIUM WORK-DIR UNIT
"""
import http.client
import os
import pathlib
import re
import shutil
import ssl
import subprocess
import sys

from server import Bench, Cluster, Server, run_cases

UNIT = pathlib.Path(sys.argv.pop())


def analyze(*arguments):
    return subprocess.run(["systemd-analyze", *map(str, arguments)], capture_output=True, text=True, timeout=60)


def case_exposure(b):
    assert "@" not in re.sub("SystemCallFilter=.*", "", UNIT.read_text())  # CMake has filled in everything
    level = re.search(r"Overall exposure level for podiumd.service: (\d+\.\d+)",
                      analyze("security", "--offline=true", "--no-pager", UNIT).stdout)
    assert level and float(level[1]) < 2, level
    print(f"exposure {level[1]}")
    files = re.search(r"^LimitNOFILE=(\d+)$", UNIT.read_text(), re.M)
    assert files and int(files[1]) >= 2000 + 64 + 4 * 64  # what the server needs by default, with any number of threads
    unit = b.work / "podiumd.service"  # with a program that is there, and without the manual, which may not be
    unit.write_text(re.sub(r"^Documentation=.*\n", "",
                           re.sub(r"^ExecStart=\S+", f"ExecStart={b.podiumd}", UNIT.read_text(), flags=re.M), flags=re.M))
    ended = analyze("verify", unit)
    assert "podiumd.service" not in ended.stderr, ended.stderr


def members(name, known={}):
    """Returns the system calls of a group such as @system-service."""
    if not name.startswith("@"):
        return {name}
    if name not in known:
        lines = analyze("syscall-filter", name).stdout.splitlines()[1:]
        words = [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]
        known[name] = set().union(*(members(word) for word in words))
    return known[name]


def allowed():
    found = set()
    for words in re.findall(r"^SystemCallFilter=(.*)$", UNIT.read_text(), re.M):
        named = set().union(*(members(word) for word in words.lstrip("~").split()))
        found = found - named if words.startswith("~") else found | named
    return found


def traced(b, trace):
    """Returns a program that runs podiumd and writes what it asks of the kernel to a file."""
    wrapper = b.work / "traced"
    wrapper.write_text(f'#!/bin/sh\nexec strace -D -f -A -o "{trace}" "{b.podiumd}" "$@"\n')
    wrapper.chmod(0o755)
    return wrapper


def use_plainly(b, program):
    report = {"reports": b.reports(b.age, [30])}
    with Server(program, b.work / "plain", f"--collection={b.age}", "--open", "--keep-reports") as s:
        assert s.post("age", report, key="k").status == 200 and s.count("age") == (1, 0)
        assert s.get("/metrics").status == 200 and s.get("/").status in (200, 404)
        assert s.stop() == 0


def use_by_tls(b, program):
    cert, key = b.work / "cert.pem", b.work / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "2",
                    "-subj", "/CN=localhost"], check=True, capture_output=True)
    context = ssl.create_default_context(cafile=str(cert))
    context.check_hostname = False
    with Server(program, b.work / "tls", f"--collection={b.age}", "--open", "--tls-certificate", str(cert), "--tls-key",
                str(key)) as s:
        connection = http.client.HTTPSConnection("127.0.0.1", s.port, context=context, timeout=30)
        connection.request("GET", "/v1/collections/age/estimate?force=true")
        assert connection.getresponse().status == 200
        assert s.stop() == 0


def use_with_postgres(b, program):
    # first one that has to be looked up by its name, and is not there
    subprocess.run([program, "--database", "postgresql://nobody@localhost:1/x?connect_timeout=2", "token", "list"],
                   capture_output=True, timeout=60)
    if shutil.which(os.environ.get("PG_CONFIG", "pg_config")) is None:
        print("there is no PostgreSQL, so that its calls were not compared")
        return
    with Cluster(b) as cluster, Server(program, b.work / "postgres", f"--collection={b.age}", "--open",
                                       database=cluster.database("traced")) as s:
        assert s.post("age", {"reports": b.reports(b.age, [30])}, key="k").status == 200 and s.count("age") == (1, 0)
        assert s.stop() == 0


def case_system_calls(b):
    if shutil.which("strace") is None:
        print("strace is missing, so the system calls were not compared")
        return
    allow, trace = allowed(), b.work / "trace"
    assert len(allow) > 200 and "fdatasync" in allow and "mount" not in allow and "setuid" not in allow
    for use in (use_plainly, use_by_tls, use_with_postgres):
        use(b, traced(b, trace))
    calls = trace.read_text()
    used = set(re.findall(r"^\d+ +(?:<\.\.\. )?(\w+)[( ]", calls, re.M))
    assert {"execve", "epoll_wait", "fdatasync", "connect"} <= used, used
    by_root = {"fchown"} if os.geteuid() == 0 else set()  # SQLite gives root's files to the owner of the database
    assert used <= allow | by_root, used - allow
    assert not re.search(r"PROT_WRITE\|PROT_EXEC", calls), "MemoryDenyWriteExecute would forbid this"
    families = set(re.findall(r"\bsocket(?:pair)?\((AF_\w+)", calls))
    permitted = set(re.search(r"^RestrictAddressFamilies=(.*)$", UNIT.read_text(), re.M)[1].split())
    # the resolver asks by netlink which addresses the machine has, and does without if it may not
    assert families <= permitted | {"AF_NETLINK"}, families


if __name__ == "__main__":
    if shutil.which("systemd-analyze") is None:
        print("systemd-analyze is missing")
        sys.exit(77)
    run_cases(dict(globals()), Bench(*sys.argv[1:]))
