#!/usr/bin/env python3
"""podiumd as those see it who run it, and those who should not get in.

    operate.py PODIUMD PODIUM WORK-DIR
"""
import calendar
import gzip
import json
import os
import re
import resource
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import threading
import time

from server import Bench, Server, run_cases, until

AGE = "/v1/collections/age"


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def run(b, *arguments, **more):
    return subprocess.run([b.podiumd, *map(str, arguments)], capture_output=True, text=True, timeout=60, **more)


def case_tokens(b):
    report = {"reports": b.reports(b.age, [30])}
    with b.server("tokens") as s:
        assert set(s.tokens) == {(scope, name) for scope in ("write", "read", "manage") for name in ("age", "speed")}
        assert len(set(s.tokens.values())) == 6 and all(len(t) >= 50 for t in s.tokens.values())
        routes = {"write": ("POST", "/reports", json.dumps(report)), "read": ("GET", "/estimate", None),
                  "manage": ("DELETE", "/reports?from=0&to=1", None)}
        for needed, (method, path, body) in routes.items():
            for (scope, collection), token in s.tokens.items():
                answer = s.call(method, AGE + path, body, bearer(token))
                right = scope == needed and collection == "age"
                assert answer.status == (200 if right else 403), (needed, scope, collection, answer.bytes)
            for problem, *wrong in (("token-missing", {}, {"Authorization": "Basic eDp4"}),
                                    ("token-unknown", bearer(""), bearer("x"), bearer(s.tokens[needed, "age"][:-1]))):
                for headers in wrong:
                    answer = s.call(method, AGE + path, body, headers)
                    assert (answer.status, answer.problem()) == (401, problem), headers
                    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
        assert s.call("POST", "/v1/collections/nobody/reports", "{}").status == 404
        assert s.get("/v1/collections").status == 200 and s.get("/healthz").status == 200
        # at rest there are only hashes
        stored = b"".join(f.read_bytes() for f in s.data.iterdir())
        assert not any(token.encode() in stored for token in s.tokens.values())
        # a new token counts at once, and a revoked one no longer, without a restart
        fresh = run(b, "token", "new", "age", "write", "--data", s.data).stdout.strip()
        until(lambda: s.post("age", report, headers=bearer(fresh)).status == 200)
        listed = run(b, "token", "list", "--data", s.data).stdout.splitlines()
        assert len(listed) == 7
        for line in listed:
            ident, scope, collection, created = line.split()
            assert abs(calendar.timegm(time.strptime(created, "%Y-%m-%dT%H:%M:%SZ")) - time.time()) < 3600
            if (scope, collection) == ("write", "age"):
                assert run(b, "token", "revoke", ident, "--data", s.data).returncode == 0
        until(lambda: s.post("age", report, headers=bearer(fresh)).status == 401)
        assert s.post("age", report, headers=bearer(s.tokens["write", "age"])).status == 401
        assert run(b, "token", "revoke", "0" * 32, "--data", s.data).returncode == 1
        assert s.stop() == 0
    with b.server("tokens") as s:  # they are printed once
        assert s.tokens == {}


def case_open_is_for_loopback_only(b):
    ended = run(b, "--data", b.work / "open", "--collection", b.age, "--open", "--listen", "0.0.0.0:0")
    assert ended.returncode == 1 and "loopback" in ended.stderr
    with b.server("open", "--open") as s:
        assert s.call("GET", AGE, headers={"Host": "example.org"}).problem() == "host-wrong"
        for host in ("localhost", f"localhost:{s.port}", "127.0.0.2:1", "[::1]", "[::1]:1"):
            assert s.call("GET", AGE, headers={"Host": host}).status == 200, host
        for host in ("", "127.0.0.1.example.org", "[::2]", "[", "128.0.0.1", "127.0.0.1" * 9):
            assert s.call("GET", AGE, headers={"Host": host}).status in (400, 421), host
        answer = s.post("age", {"reports": []}, headers={"Origin": "https://example.org"})
        assert (answer.status, answer.problem()) == (403, "origin-wrong")
        assert s.post("age", {"reports": []}, headers={"Origin": f"http://127.0.0.1:{s.port}"}).status == 200
    with b.server("origin", "--open", "--origin", "https://example.org") as s:
        answer = s.post("age", {"reports": []}, headers={"Origin": "https://example.org"})
        assert answer.status == 200 and answer.headers["Access-Control-Allow-Origin"] == "https://example.org"
        assert answer.headers["Access-Control-Expose-Headers"] == "Retry-After"  # or a page could not read it
        answer = s.call("OPTIONS", AGE + "/reports", headers={"Origin": "https://example.org"})
        assert answer.status == 204 and "POST" in answer.headers["Access-Control-Allow-Methods"]
        assert "Authorization" in answer.headers["Access-Control-Allow-Headers"]


def case_one_server_for_a_directory(b):
    with b.server("lock", "--open"):
        ended = run(b, "--data", b.work / "lock", "--collection", b.age, "--open", "--listen", "127.0.0.1:0")
        assert ended.returncode == 3 and "another podiumd uses this directory" in ended.stderr, ended
    with b.server("lock", "--open") as s:
        assert s.stop() == 0


def case_what_a_start_refuses(b):
    with b.server("start", "--open", collections=[b.age]) as s:
        s.post("age", {"reports": b.reports(b.age, [30])})
        assert s.stop() == 0
    changed = b.work / "changed.podium"
    b.run("design", "--mechanism", "minimax", "--range", "1:120", "--epsilon", "2", "--name", "age", "-o", changed)
    start = ("--data", b.work / "start", "--open", "--listen", "127.0.0.1:0")
    ended = run(b, *start, "--collection", changed)
    assert ended.returncode == 1 and "epsilon=1" in ended.stderr and "epsilon=2" in ended.stderr, ended
    ended = run(b, *start, "--collection", b.age, "--collection", b.age)
    assert ended.returncode == 1 and "another collection" in ended.stderr
    nameless = b.work / "nameless.podium"
    b.run("design", "--range", "1:120", "--epsilon", "2", "-o", nameless)
    assert "--name" in run(b, *start, "--collection", nameless).stderr
    assert run(b, *start, "--collection", "/nowhere").returncode == 1
    assert run(b, *start).returncode == 2 and run(b, "--collection", b.age).returncode == 2
    assert run(b, *start, "--listen", "nonsense", "--collection", b.age).returncode == 2  # given twice
    for listen in ("nonsense", "127.0.0.1:99999", "127.0.0.1:", "127.0.0.1:http", "127.0.0.1:-1"):
        ended = run(b, *start[:3], "--listen", listen, "--collection", b.age)
        assert ended.returncode == 1 and "--listen takes ADDRESS:PORT" in ended.stderr, (listen, ended)
    for words in (("nonsense",), ("token",), ("token", "nonsense")):  # also without --data
        ended = run(b, *words)
        assert ended.returncode == 2 and f"no command '{' '.join(words)}'" in ended.stderr, ended
    assert run(b, "nonsense", *start).returncode == 2
    (b.work / "empty").write_text("")
    ended = run(b, *start, "--collection", b.work / "empty")
    assert ended.returncode == 1 and "not a collection" in ended.stderr and "line 0" not in ended.stderr, ended
    for setting, message in (("user_version = 99", "format 99"), ("application_id = 7", "not a store")):
        database = sqlite3.connect(b.work / "start" / "podium.db")
        database.execute(f"PRAGMA {setting}")
        database.close()
        ended = run(b, *start, "--collection", b.age)
        assert ended.returncode == 3 and message in ended.stderr, ended


def case_why_it_does_not_start(b):
    start = ("--data", b.work / "why", "--collection", b.age, "--open", "--listen")
    with socket.create_server(("127.0.0.1", 0)) as taken, b.server("taken", "--open") as s:
        for port in (taken.getsockname()[1], s.port):  # another podiumd must not share it either
            ended = run(b, *start, f"127.0.0.1:{port}")
            assert ended.returncode == 3 and "is the port in use?" in ended.stderr, ended
    if resource.getrlimit(resource.RLIMIT_STACK)[1] != resource.RLIM_INFINITY:
        return
    # each thread then wants a stack that is larger than all addresses there are
    ended = run(b, *start, "127.0.0.1:0", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (1 << 47, -1)))
    if "ThreadSanitizer" in ended.stderr:  # which cannot start with such a stack
        return
    assert ended.returncode == 3 and "threads of the server cannot be started" in ended.stderr, ended


def case_open_files(b):
    """As many connections as --connections-max allows, although the usual limit of files is lower."""
    def limited(option):
        return ("sh", "-c", f'ulimit {option} 256 && exec "$@"', "sh")
    with b.server("files", "--open", "--connections-max", "500", wrapper=limited("-Sn")) as s:
        many = [socket.create_connection(("127.0.0.1", s.port), timeout=10) for _ in range(480)]
        for client in many:
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        for client in many:
            assert client.recv(100).startswith(b"HTTP/1.1 200 ")
        for client in many:
            client.close()
        assert s.stop() == 0
    assert "warning" not in (b.work / "files.log").read_text()
    with b.server("few", "--open", "--connections-max", "500", wrapper=limited("-n")) as s:
        assert s.get("/healthz").status == 200 and s.stop() == 0
    assert "--connections-max 500 needs" in (b.work / "few.log").read_text()


def case_configuration(b):
    listed = [line.split("\t") for line in run(b, "--list-options").stdout.splitlines()]
    assert len(listed) > 20 and run(b, "--help").stdout.count("\n  --") == len(listed) + 2
    file = b.work / "podiumd.conf"
    file.write_text(f"# a comment\n\ncollection = {b.age}\nreports-max = 5\nopen = true\nbody-max=2000\n")
    environment = {**os.environ, "PODIUMD_REPORTS_MAX": "6", "PODIUMD_LABEL": "age:a=b;age:c=d,e"}
    with Server(b.podiumd, b.work / "configured", "--config", str(file), environment=environment) as s:
        about = s.get(AGE).json()
        assert (about["reports_max"], about["body_max"], about["labels"]) == (6, 2000, {"a": ["b"], "c": ["d", "e"]})
    with Server(b.podiumd, b.work / "configured", f"--config={file}", "--reports-max=7",
                environment=environment) as s:
        assert s.get(AGE).json()["reports_max"] == 7
    for line in ("nothing = 1", "rate = x", "rate", "open = perhaps", "period = week", "rate = 1\nrate = 2"):
        file.write_text(line + "\n")
        ended = run(b, "--data", b.work / "x", "--config", file)
        assert ended.returncode == 2 and "line" in ended.stderr, (line, ended)
    for wrong in (("--nothing",), ("--rate", "-1"), ("--rate",), ("--rate", "1", "--rate", "2")):
        ended = run(b, "--data", b.work / "x", *wrong)
        assert ended.returncode == 2 and wrong[0] in ended.stderr, (wrong, ended)


def case_reload(b):
    file = b.work / "reload.conf"
    file.write_text(f"collection = {b.age}\nopen = true\n")
    with Server(b.podiumd, b.work / "reload", "--config", str(file)) as s:
        kept = s.connection()
        assert s.call("GET", "/v1/collections/speed", connection=kept).status == 404
        file.write_text(f"collection = {b.age}\ncollection = {b.speed}\nlabel = age:region=north\nopen = true\n"
                        "period = day\n")
        s.send(signal.SIGHUP)
        until(lambda: s.get("/v1/collections/speed").status == 200)
        assert s.call("GET", AGE, connection=kept).json()["labels"] == {"region": ["north"]}  # the same connection
        assert "reload: period changes at the next start only" in (b.work / "reload.log").read_text()
        for count, wrong in enumerate(("collection = /nowhere\n", ""), 1):  # whatever is wrong leaves everything as it was
            file.write_text(wrong)
            s.send(signal.SIGHUP)
            until(lambda: (b.work / "reload.log").read_text().count("nothing was changed") == count)
        assert s.call("GET", "/v1/collections/speed", connection=kept).status == 200
        kept.close()
        assert s.stop() == 0


def case_limits(b):
    codes = b.codes(b.age, [30] * 200)
    raw = {"Content-Type": "application/vnd.podium.codes"}
    with b.server("limits", "--open", "--reports-max", "100", "--body-max", "2000") as s:
        answer = s.post("age", bytes(codes), headers=raw)
        assert (answer.status, answer.problem()) == (413, "too-many-reports")
        assert s.post("age", {"codes": codes}).problem() == "too-many-reports"
        answer = s.post("age", b" " * 2001)
        assert (answer.status, answer.problem()) == (413, "body-too-large")
        answer = s.call("POST", AGE + "/reports", iter([b" " * 1500] * 2))
        assert (answer.status, answer.problem()) == (413, "body-too-large")
        answer = s.post("age", gzip.compress(b" " * 1000000), headers={"Content-Encoding": "gzip"})
        assert (answer.status, answer.problem()) == (413, "body-too-large")
        assert s.post("age", bytes(codes[:100]), headers=raw).json()["accepted"] == 100
        assert s.call("GET", AGE, headers={"X": "x" * 40000}).status in (413, 431)
    with b.server("rate", "--open", "--rate", "20") as s:
        answers = [s.get("/healthz").status for _ in range(40)]
        assert 20 <= answers.count(200) < 40 and set(answers) == {200, 429}, answers
        time.sleep(1.1)
        answers += [s.call("OPTIONS", AGE).status for _ in range(20)] + [s.get("/nowhere").status for _ in range(20)]
        assert answers[40:].count(429) >= 10, answers  # what is not there counts too
        time.sleep(1.1)
        limited = answers.count(429)
        assert {s.get("/page/style.css").status for _ in range(40)} <= {200, 404}  # a page has many files
        assert f"podiumd_rate_limited_total {limited}\n" in s.get("/metrics").bytes.decode()
    with b.server("default") as s:  # 100 a second, unless it is open
        connection = s.connection()
        answers = [200]
        while answers[-1] == 200 and len(answers) < 5000:
            answers.append(s.call("GET", "/healthz", connection=connection).status)
        connection.close()
        assert answers[-1] == 429 and len(answers) > 100, len(answers)
        assert "--behind-proxy" in (b.work / "default.log").read_text()
    with b.server("proxied", "--behind-proxy", "--rate", "5") as s:
        connection = s.connection()

        def ask(address, times):
            headers = {"X-Forwarded-For": address}
            found = [s.call("GET", "/healthz", headers=headers, connection=connection).status for _ in range(times)]
            return found.count(429)
        # of several addresses the last counts, which the proxy has added; of IPv6 the first half
        for address in ("192.0.2.1", "192.0.2.1, 192.0.2.2", "2001:db8:0:1::7", "::ffff:192.0.2.8", "::ffff:192.0.2.9",
                        "nonsense"):
            assert ask(address, 5) == 0 and ask(address, 20) > 0, address
        assert ask("192.0.2.2", 20) > 0 and ask("192.0.2.2, 192.0.2.3", 5) == 0 and ask("2001:db8:0:1::8", 20) > 0
        with socket.create_connection(("127.0.0.1", s.port), timeout=10) as client:  # and of several headers the last
            for i in range(30):
                client.sendall(f"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.{100 + i}\r\n"
                               "X-Forwarded-For: 192.0.2.5\r\n\r\n".encode())
            until(lambda: b" 429 " in client.recv(100000))
        connection.close()
        assert (b.work / "proxied.log").read_text() == ""
    with b.server("connections", "--open", "--connections-max", "5") as s:
        many = [socket.create_connection(("127.0.0.1", s.port)) for _ in range(20)]
        time.sleep(0.2)
        for c in many:
            c.close()
        until(lambda: s.get("/healthz").status == 200)


def case_slow_clients_are_cut_off(b):
    with b.server("slow", "--open", "--request-timeout", "1") as s:
        slow = socket.create_connection(("127.0.0.1", s.port))
        head = b"POST " + AGE.encode() + b"/reports HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"
        with_body = socket.create_connection(("127.0.0.1", s.port))
        with_body.sendall(head)
        closed = 0
        for byte in head * 10:  # one sends its head, and the other its body, a byte at a time
            for c in (slow, with_body):
                try:
                    c.sendall(bytes([byte]))
                except OSError:
                    closed += 1
            if closed > 2:
                break
            time.sleep(0.05)
        assert closed > 2
        assert s.get("/healthz").status == 200
        until(lambda: b"podiumd_slow_clients_total 2" in s.get("/metrics").bytes)


def case_nobody_is_in_log_or_store(b):
    """Plants an agent, a referrer, a cookie, a query, a key and an address, and looks for them everywhere."""
    planted = {"User-Agent": "planted-agent", "Referer": "http://planted-referrer/", "Cookie": "planted=cookie",
               "X-Forwarded-For": "198.51.100.77", "Forwarded": "for=198.51.100.78", "From": "planted@example.org",
               "Idempotency-Key": "planted-key"}
    with b.server("nobody", "--open", "--keep-reports", "--log-format", "json", "--behind-proxy", "--rate", "1000") as s:
        s.post("age", {"reports": b.reports(b.age, [30])}, headers=planted)
        s.call("GET", AGE + "/estimate?planted-query=1", headers=planted)
        s.call("GET", "/planted-path", headers=planted)
        s.post("age", '{"planted-member": 1}', headers=planted)
        s.send(signal.SIGHUP)
        metrics = s.get("/metrics", ).bytes
        assert s.stop() == 0
    files = {f: f.read_bytes() for f in [*(b.work / "nobody").iterdir(), b.work / "nobody.log"]}
    assert files[b.work / "nobody.log"].count(b"\n") >= 2
    for line in files[b.work / "nobody.log"].splitlines():
        assert set(json.loads(line)) == {"time", "level", "message"}
    for where, content in [*files.items(), ("metrics", metrics)]:
        for word in (b"planted", b"198.51.100", b"127.0.0.1"):
            assert word not in content, (where, word)


def case_keep_reports(b):
    reports, codes = b.reports(b.age, [30, 40]), b.codes(b.age, [50])
    for option, expected in (((), 0), (("--keep-reports",), 2)):
        name = f"keep{expected}"
        with b.server(name, "--open", *option) as s:
            s.post("age", {"reports": reports})
            s.post("age", {"codes": codes})
            assert s.stop() == 0
        database = sqlite3.connect(b.work / name / "podium.db")
        kept = database.execute("SELECT reports, codes FROM reports ORDER BY rowid").fetchall()
        assert kept == [(struct.pack("<2d", *reports), None), (None, struct.pack("<I", *codes))][:expected], kept
        database.close()


def case_only_who_uses_a_store_makes_it(b):
    """A directory that was misspelled must not become an empty store, whose backup would look like a good one."""
    empty, other, copy = b.work / "no-store", b.work / "other-file", b.work / "no-store.db"
    empty.mkdir()
    other.mkdir()
    (other / "podium.db").touch()
    for data in (b.work / "misspelled", empty, other):
        for command in (("backup", copy), ("token", "list"), ("token", "revoke", "0" * 32)):
            ended = run(b, *command, "--data", data)
            assert ended.returncode == 3 and f"{data}: there is no store" in ended.stderr, (command, ended)
    assert not copy.exists() and not (b.work / "misspelled").exists() and not list(empty.iterdir())
    assert run(b, "token", "new", "age", "write", "--data", b.work / "made").returncode == 0
    assert run(b, "token", "list", "--data", b.work / "made").stdout.count("\n") == 1


def case_backup_while_running(b):
    stop = threading.Event()
    report = {"reports": b.reports(b.age, [30])}
    with b.server("running", "--open") as s:
        def send():
            connection = s.connection()
            while not stop.is_set():
                s.post("age", report, connection=connection)
        sender = threading.Thread(target=send)
        sender.start()
        until(lambda: s.count("age")[0] > 20)
        before = s.count("age")[0]
        copy = b.work / "restored"
        copy.mkdir()
        ended = run(b, "backup", copy / "podium.db", "--data", s.data)
        after = s.count("age")[0]
        assert ended.returncode == 0, ended
        assert run(b, "backup", copy / "podium.db", "--data", s.data).returncode == 3  # replaces nothing
        stop.set()
        sender.join()
        assert s.stop() == 0
    with b.server("restored", "--open") as s:
        assert before <= s.count("age")[0] <= after


def grown(b, name):
    """Makes a store of several megabytes, and returns its directory."""
    with b.server(name, "--open") as s:
        assert s.stop() == 0
    database = sqlite3.connect(b.work / name / "podium.db")
    database.executescript("INSERT INTO reports SELECT 1, 0, '{}', zeroblob(3000000), NULL FROM collections;")
    database.close()
    return b.work / name


def case_backup_is_private_and_complete(b):
    data, copy, part = grown(b, "large"), b.work / "large.db", b.work / "large.db.part"
    part.write_text("what a backup that was killed has left")
    part.chmod(0o644)
    assert run(b, "backup", copy, "--data", data, umask=0o022).returncode == 0
    assert copy.stat().st_mode & 0o777 == 0o600 and copy.stat().st_size > 6000000 and not part.exists()
    database = sqlite3.connect(copy)
    assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    database.close()
    before = copy.read_bytes()
    ended = run(b, "backup", copy, "--data", data)
    assert ended.returncode == 3 and "File exists" in ended.stderr and copy.read_bytes() == before, ended
    copy.unlink()

    def full():  # a write beyond this fails, as on a full disk
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    ended = run(b, "backup", copy, "--data", data, preexec_fn=full, restore_signals=False)
    assert ended.returncode == 3 and str(copy) in ended.stderr, ended
    assert not copy.exists() and not part.exists()
    ended = run(b, "backup", b.work / "nowhere" / "x.db", "--data", data)
    assert ended.returncode == 3 and "No such file" in ended.stderr, ended


def case_backup_interrupted(b):
    """Stopped at any moment, a backup leaves either nothing under its name or all of it."""
    data, copy = grown(b, "stopped"), b.work / "stopped.db"
    kinds = set()
    for i in range(20):
        process = subprocess.Popen([b.podiumd, "backup", copy, "--data", data])
        time.sleep(0.003 * i)
        process.send_signal(signal.SIGINT)
        process.wait()
        kinds.add(copy.exists())
        if copy.exists():
            assert copy.stat().st_size > 6000000
            copy.unlink()
    print("stopped backups, of which some came to the end:", True in kinds)


def case_backup_is_on_the_disk(b):
    """The copy is synchronised before it gets its name, and then the directory that has the name."""
    if shutil.which("strace") is None:
        print("strace is missing, so what a backup synchronises was not looked at")
        return
    data, copy, trace = grown(b, "synchronised"), b.work / "synchronised.db", b.work / "backup.trace"
    subprocess.run(["strace", "-f", "-y", "-o", trace, "-e", "trace=pwrite64,write,fsync,fdatasync,rename,renameat,renameat2",
                    b.podiumd, "backup", copy, "--data", data], check=True, capture_output=True,
                   env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})  # it cannot look for leaks while it is traced
    calls = [line.split(None, 1)[1] for line in trace.read_text().splitlines()]

    def last(pattern):
        return max((i for i, call in enumerate(calls) if re.match(pattern, call)), default=-1)
    written, named = last(r"p?write(64)?\(\d+<.*/synchronised\.db\.part>"), last(r"rename.*synchronised\.db\.part")
    synced, listed = last(r"fsync\(\d+<.*/synchronised\.db\.part>"), last(rf"fsync\(\d+<{re.escape(str(b.work))}>\)")
    assert 0 <= written < synced < named < listed, (written, synced, named, listed)


def case_sigterm_finishes_what_is_under_way(b):
    report = {"reports": b.reports(b.age, [30])}
    with b.server("sigterm", "--open") as s:
        acknowledged = []
        def send():
            try:
                connection = s.connection()
                while True:
                    acknowledged.append(s.post("age", report, connection=connection).json()["accepted"])
            except (OSError, Exception):  # pylint: disable=broad-except
                pass
        senders = [threading.Thread(target=send) for _ in range(8)]
        for t in senders:
            t.start()
        until(lambda: len(acknowledged) > 100)
        assert s.stop() == 0
        for t in senders:
            t.join()
    with b.server("sigterm", "--open") as s:
        # every client had at most one request under way, whose answer it may have missed
        assert len(acknowledged) <= s.count("age")[0] <= len(acknowledged) + 8


def case_pages(b):
    """Whether it was built with all pages or with none but the one that says so, the server sends them as it should."""
    with b.server("pages") as s:
        plain, packed = s.get("/"), s.call("GET", "/", headers={"Accept-Encoding": "br, gzip"})
        assert plain.status == packed.status == 200 and plain.headers["Content-Type"] == "text/html; charset=utf-8"
        assert "Content-Encoding" not in plain.headers and packed.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(packed.bytes) == plain.bytes and b"podiumd" in plain.bytes
        assert s.call("GET", "/", headers={"Accept-Encoding": "gzip;q=0"}).bytes == plain.bytes
        for answer in (plain, packed, s.call("HEAD", "/")):
            policy = answer.headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe-inline" not in policy
            assert answer.headers["Referrer-Policy"] == "no-referrer" and answer.headers["Cache-Control"] == "no-cache"
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert plain.headers["ETag"] != packed.headers["ETag"]
        for answer in (plain, packed):
            again = s.call("GET", "/", headers={"If-None-Match": answer.headers["ETag"]})
            assert again.status == 304 and again.bytes == b""
        assert s.call("GET", "/", headers={"If-None-Match": '"x"'}).status == 200
        assert s.get("/join/age").status == s.get("/join/nobody").status == 200
        for wrong in ("/page/none", "/client/none.js", "/client/../page/live.js", "/client/%2e%2e", "/page/", "/join/"):
            assert (s.get(wrong).status, s.get(wrong).problem()) == (404, "not-found"), wrong
        assert s.get("/", x=1).problem() == "query-wrong" and s.call("POST", "/").status == 405


def case_questions(b):
    with b.server("question", "--open", "--question", "age: How old are you: \"exactly\"?") as s:
        listed = {c["name"]: c["question"] for c in s.get("/v1/collections").json()["collections"]}
        assert listed == {"age": 'How old are you: "exactly"?', "speed": ""}
        assert s.get("/v1/collections").json()["open"] is True
    for wrong in ("age", "age:", "nobody:What?", "age:" + "x" * 512):
        ended = run(b, "--data", b.work / "question-wrong", "--collection", b.age, "--question", wrong)
        assert ended.returncode == 1 and "--question" in ended.stderr, (wrong, ended)


def case_a_service_manager_is_told(b):
    for name in (str(b.work / "notify"), f"@podiumd-{os.getpid()}"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(name.replace("@", "\0"))
            manager.settimeout(30)
            log = b.work / "notified.log"
            log.write_text("")
            at = log.stat()
            environment = {**os.environ, "NOTIFY_SOCKET": name, "JOURNAL_STREAM": f"{at.st_dev}:{at.st_ino}"}
            with b.server("notified", "--open", environment=environment) as s:
                assert manager.recv(100) == b"READY=1"
                assert s.stop() == 0
                assert manager.recv(100) == b"STOPPING=1"
            assert log.read_text() == "<6>ending, after the requests that are under way\n"


def case_metrics(b):
    with b.server("metrics", "--open") as s:
        s.post("age", {"codes": b.codes(b.age, [30]) + [999]}, key="a")
        s.post("age", {"codes": b.codes(b.age, [30])})
        text = s.get("/metrics").bytes.decode()
        assert s.get("/readyz").status == 200
    names = set()
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split()
            assert name.startswith("podiumd_") and name.endswith("_total") == (kind == "counter"), line
            assert name not in names
            names.add(name)
        elif not line.startswith("#"):
            name = re.match(r"[a-z_]+", line)[0]
            assert name in names or re.sub("_(bucket|sum|count)$", "", name) in names, line
            float(line.rsplit(" ", 1)[1])
    for line in ('podiumd_reports_accepted_total{collection="age"} 2', 'podiumd_reports_refused_total{collection="age"} 1',
                 'podiumd_http_requests_total{route="reports",code="200"} 2', "podiumd_idempotency_keys 1"):
        assert line in text.splitlines(), line


if __name__ == "__main__":
    run_cases(dict(globals()), Bench(*sys.argv[1:]))
