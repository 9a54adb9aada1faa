#!/usr/bin/env python3
"""podiumd on PostgreSQL: the answers of the other store to the bit, several servers at once, and no password anywhere.

    postgres.py PODIUMD PODIUM WORK-DIR
"""
import concurrent.futures
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import time

from server import Bench, Cluster, Stream, run_cases, until

AGE = "/v1/collections/age"
LABELS = ("--label", "age:region=north,south", "--label", "age:app=ios,android")
HOUR, DAY = 3600, 86400


def run(b, *arguments, **more):
    return subprocess.run([b.podiumd, *map(str, arguments)], capture_output=True, text=True, timeout=60, **more)


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


class Both:
    """A server on each store, which are sent the same batches."""

    def __init__(self, b, name, *options):
        self.url = b.cluster.database(name)
        self.name, self.cluster = name, b.cluster
        self.sqlite = b.server(f"{name}-sqlite", "--open", *LABELS, *options)
        self.postgres = b.server(f"{name}-postgres", "--open", *LABELS, *options, database=self.url)

    def each(self, call):
        """Calls both servers, and returns the answer, which must be the same."""
        one, other = call(self.sqlite), call(self.postgres)
        assert (one.status, one.bytes) == (other.status, other.bytes), (one.bytes, other.bytes)
        return one

    def sql(self, text):
        """Changes both stores behind their servers' backs."""
        database = sqlite3.connect(self.sqlite.data / "podium.db")
        database.executescript(text)
        database.close()
        self.cluster.sql(f"SET search_path = podiumd; {text}", self.name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for server in (self.sqlite, self.postgres):
            server.__exit__()


def random_batch(draw):
    """Codes of all kinds, of which some cannot be codes, and reports, of which none can be"""
    batch = {"codes": [draw.randrange(260) for _ in range(draw.randrange(40))]}
    if draw.random() < 0.2:
        batch["reports"] = [draw.uniform(-50, 200) for _ in range(3)]
    labels = {name: value for name, value in (("region", draw.choice(["north", "south"])), ("app", "ios"))
              if draw.random() < 0.7}
    return {**batch, "labels": labels}


QUESTIONS = [("estimate", {}), ("estimate", {"by": "region"}), ("estimate", {"label": "app:ios", "interval": "anytime"}),
             ("distribution", {}), ("distribution", {"label": "region:north", "histogram": "7"}), ("history", {"every": "hour"}),
             ("history", {"every": "day", "by": "region"}), ("difference", {"by": "region"}),
             ("difference", {"by": "app", "interval": "guaranteed"}), ("state", {}), ("state", {"format": "bytes"})]


def pass_time(both, seconds):
    """By way of negative times, so that no sum ever has the time of another."""
    both.sql(f"UPDATE sums SET start = -start; UPDATE sums SET start = -start - {seconds}")


def compare_answers(both):
    for path, query in QUESTIONS:
        force = {} if path in ("state", "history") else {"force": "true"}
        answer = both.each(lambda s: s.get(f"{AGE}/{path}", **query, **force))
        assert answer.status == 200, answer.bytes
    return both.sqlite.get(AGE + "/state").bytes


def case_the_same_answers_to_the_bit(b):
    draw = random.Random(18)
    with Both(b, "same") as both:
        for step in range(24):
            for i in range(3):
                batch = random_batch(draw)
                key = f"{step}-{i}" if i < 2 else None
                answer = both.each(lambda s: s.post("age", batch, key=key)).json()
                assert not answer["duplicate"]
                if i == 0:
                    assert both.each(lambda s: s.post("age", batch, key=key)).json() == {**answer, "duplicate": True}
                    other = {**batch, "codes": [1]}
                    assert both.each(lambda s: s.post("age", other, key=key)).problem() == "key-reused"
            if step == 12:
                state = both.each(lambda s: s.get(AGE + "/state")).bytes
                both.each(lambda s: s.call("POST", AGE + "/state", state, {"Idempotency-Key": "state"}))
            pass_time(both, 2 * HOUR)
        compare_answers(both)
        now = int(time.time())
        span = {"from": now - 40 * HOUR, "to": now - 20 * HOUR}
        both.each(lambda s: s.get(AGE + "/estimate", force="true", **span))
        deleted = both.each(lambda s: s.call("DELETE", AGE + "/reports", **span)).json()["deleted_sums"]
        assert deleted > 8
        compare_answers(both)


def case_rolling_up(b):
    """Two servers on each database roll up the same sums, while reports come in: the totals stay the same to the bit."""
    draw = random.Random(5)
    with Both(b, "roll") as both:
        for _ in range(34):
            batch = random_batch(draw)
            both.each(lambda s: s.post("age", batch))
            pass_time(both, 3 * HOUR)
        before = compare_answers(both)
        daily = both.each(lambda s: s.get(AGE + "/history", every="day", by="region")).json()
        hours = both.each(lambda s: s.get(AGE + "/history", every="hour")).json()
        assert len(hours) > 30
        assert both.sqlite.stop() == 0 and both.postgres.stop() == 0
        options = ("--open", *LABELS, "--roll-up-days", "1")
        both.sqlite = b.server("roll-sqlite", *options)
        with b.server("roll-second", *options, database=both.url) as second:
            both.postgres = b.server("roll-postgres", *options, database=both.url)

            def rolled(s):
                points = s.get(AGE + "/history", every="hour").json()
                return len([p for p in points if p["from"][11:] == p["to"][11:]]) >= 2 and len(points) < 20
            until(lambda: rolled(both.sqlite) and rolled(both.postgres))
            time.sleep(2.1)
            assert compare_answers(both) == before == second.get(AGE + "/state").bytes
        assert both.each(lambda s: s.get(AGE + "/history", every="day", by="region")).json() == daily
        points = both.each(lambda s: s.get(AGE + "/history", every="hour")).json()
        assert sum(p["n"] for p in points) == sum(p["n"] for p in hours)
        assert sum(p.get("refused", 0) for p in points) == sum(p.get("refused", 0) for p in hours)
        today = time.strftime("%Y-%m-%d", time.gmtime(time.time() - DAY))
        assert all(p in hours for p in points if p["from"] >= today)  # of late, nothing has changed
        assert all(p["from"][11:] == p["to"][11:] for p in points if p["from"] < today)


def case_starting_at_once_on_an_empty_database(b):
    url = b.cluster.database("empty")
    servers = [b.server(f"empty{i}", database=url, wait=False) for i in range(3)]
    try:
        for s in servers:
            s.read_start()
        assert sorted(len(s.tokens) for s in servers) == [0, 0, 6]  # one of them made and printed the tokens
        tokens = next(s.tokens for s in servers if s.tokens)
        for s in servers:
            until(lambda: s.post("age", {"codes": [1]}, headers=bearer(tokens["write", "age"])).status == 200)
            until(lambda: s.get(AGE + "/estimate", force="true").status == 401)
        # a token that another process makes or revokes counts everywhere, without a restart
        fresh = run(b, "token", "new", "age", "write", "--database", url).stdout.strip()
        for s in servers:
            until(lambda: s.post("age", {"codes": [1]}, headers=bearer(fresh)).status == 200)
        listed = run(b, "token", "list", "--database", url).stdout.splitlines()
        assert len(listed) == 7
        for line in listed:
            ident, scope, collection, _ = line.split()
            if (scope, collection) == ("write", "age"):
                assert run(b, "token", "revoke", ident, "--database", url).returncode == 0
        for s in servers:
            until(lambda: s.post("age", {"codes": [1]}, headers=bearer(fresh)).status == 401)
        assert run(b, "token", "revoke", "0" * 32, "--database", url).returncode == 1
        assert sum(s.stop() for s in servers) == 0
    finally:
        for s in servers:
            s.__exit__()


def case_the_same_key_at_two_servers_at_once(b):
    url = b.cluster.database("keys")
    with b.server("keys0", "--open", *LABELS, database=url) as one, \
            b.server("keys1", "--open", *LABELS, database=url) as other, \
            concurrent.futures.ThreadPoolExecutor(8) as pool:
        connections = [[s.connection() for _ in range(4)] for s in (one, other)]
        counted = 0
        for i in range(100):
            # the same batch four times at once at each server; if i is odd, also another batch under the same key
            bodies = [{"codes": [7] * (1 + i % 3), "labels": {"region": "north"}}] * 4
            if i % 2:
                bodies[1] = bodies[2] = {"codes": [9], "labels": {"region": "south"}}
            calls = [pool.submit(s.post, "age", bodies[j], key=f"k{i}", connection=connections[n][j])
                     for j in range(4) for n, s in enumerate((one, other))]
            answers = [call.result() for call in calls]
            taken = [a.json() for a in answers if a.status == 200]
            assert [a["duplicate"] for a in taken].count(False) == 1, taken
            assert all(a.status == 200 or a.problem() == "key-reused" for a in answers)
            assert len({a["accepted"] for a in taken}) == 1
            counted += taken[0]["accepted"]
        assert one.count("age") == other.count("age") == (counted, 0)


def case_no_lost_updates(b):
    url = b.cluster.database("updates")
    servers = [b.server(f"updates{i}", "--open", *LABELS, database=url) for i in range(3)]
    draw, sent = random.Random(3), [0] * 6

    def send(i):
        s, connection = servers[i % 3], servers[i % 3].connection()
        for j in range(150):
            labels = {"region": draw.choice(["north", "south"]), "app": draw.choice(["ios", "android"])}
            answer = s.post("age", {"codes": [j % 200] * 3, "labels": labels}, connection=connection)
            assert answer.status == 200, answer.bytes
            sent[i] += answer.json()["accepted"]

    try:
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            list(pool.map(send, range(6)))
        assert {s.count("age") for s in servers} == {(sum(sent), 0)} and sum(sent) == 6 * 150 * 3
        assert b.cluster.sql("SELECT deadlocks FROM pg_stat_database WHERE datname = 'updates'") == ["0"]
    finally:
        for s in servers:
            s.__exit__()


def case_events_of_other_servers(b):
    """Whoever listens to one server hears what another one stores."""
    url = b.cluster.database("events")
    with b.server("events-1", "--open", *LABELS, database=url) as one, \
            b.server("events-2", "--open", *LABELS, database=url) as other:
        stream = Stream(one)
        stream.wait(0)
        other.post("age", {"codes": b.codes(b.age, range(20, 80)), "labels": {"region": "north"}})
        assert [group["n"] for group in stream.wait(60)["groups"]["region"]] == [60]
        assert one.stop() == 0
        until(lambda: stream.ended)


def case_many_sums(b):
    """12,000 hours: they are deleted in slices, and a history of them counts against --memory-max until it is read."""
    with Both(b, "many", "--memory-max", "3000000") as both:
        reports = {"codes": b.codes(b.age, range(20, 50))}
        both.each(lambda s: s.post("age", reports))
        both.sql("WITH RECURSIVE hours (k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM hours WHERE k < 11999) "
                 "INSERT INTO sums (collection, start, period, labels, state) "
                 "SELECT collection, 3600 * k, period, labels, state FROM sums, hours")
        assert both.each(lambda s: s.get(AGE + "/history")).problem() == "busy"
        part = both.each(lambda s: s.get(AGE + "/history", to=5000 * HOUR))
        assert len(part.json()) == 4999 and len(part.bytes) > 10**6
        for s in (both.sqlite, both.postgres):
            until(lambda: b"podiumd_body_bytes 0\n" in s.get("/metrics").bytes)
        deleted = both.each(lambda s: s.call("DELETE", AGE + "/reports", **{"from": 0, "to": 11000 * HOUR}))
        assert deleted.json() == {"deleted_sums": 10999}
        assert both.each(lambda s: s.get(AGE + "/estimate", force="true")).json()["n"] == 30 * 1001


def case_a_database_that_hangs(b):
    """Whoever reads is told so in time, and the server ends in time."""
    with b.server("hangs", "--open", database=b.cluster.database("hangs")) as s:
        s.post("age", {"reports": b.reports(b.age, [30])})
        assert s.get(AGE + "/estimate").status == 200
        backends = [int(pid) for pid in b.cluster.sql("SELECT pid FROM pg_stat_activity WHERE datname = 'hangs'")]
        postmaster = int(pathlib.Path(f"/proc/{backends[0]}/stat").read_text().rsplit(")", 1)[1].split()[1])
        for pid in (postmaster, *backends):
            os.kill(pid, signal.SIGSTOP)
        try:
            answer = s.get(AGE + "/estimate")  # the client's own patience ends after 30 seconds
            assert (answer.status, answer.problem()) == (503, "store-away")
        finally:
            for pid in (postmaster, *backends):
                os.kill(pid, signal.SIGCONT)
        until(lambda: s.get(AGE + "/estimate").status == 200)
        assert s.stop() == 0


def case_keys_are_bounded_and_forgotten(b):
    url = b.cluster.database("bounded")
    options = ("--open", "--keys-max", "3", "--key-hours", "1")
    with b.server("bounded0", *options, database=url) as one, b.server("bounded1", *options, database=url) as other:
        for key, s in (("a", one), ("b", other), ("c", one)):
            assert s.post("age", {"codes": [1]}, key=key).status == 200
        answer = other.post("age", {"codes": [1]}, key="d")
        assert (answer.status, answer.problem()) == (503, "keys-full") and int(answer.headers["Retry-After"]) > 0
        assert other.post("age", {"codes": [1]}, key="a").json()["duplicate"] is True
        b.cluster.sql(f"UPDATE podiumd.keys SET at = at - {HOUR} - 1", "bounded")
        until(lambda: other.post("age", {"codes": [1]}).status == 200
              and other.post("age", {"codes": [1]}, key="d").status == 200)
        assert b"podiumd_idempotency_keys 1\n" in other.get("/metrics").bytes
        # a server that has not written for more than a day is forgotten, but its keys are still counted
        b.cluster.sql(f"UPDATE podiumd.writers SET at = at - {DAY} - 9", "bounded")
        assert other.post("age", {"codes": [1]}).status == 200
        assert b.cluster.sql("SELECT count(*), sum(keys) FROM podiumd.writers", "bounded") == ["1|1"]
        assert one.post("age", {"codes": [1]}, key="e").json()["duplicate"] is False
        assert b.cluster.sql("SELECT count(*), sum(keys) FROM podiumd.writers", "bounded") == ["2|2"]


def case_a_new_connection_after_a_reload(b):
    with b.server("reload", "--open", database=b.cluster.database("reload")) as s:
        assert s.post("age", {"codes": [1]}).status == 200 and s.count("age") == (1, 0)
        s.send(signal.SIGHUP)
        until(lambda: "read again" in (b.work / "reload.log").read_text())
        b.cluster.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'reload'")
        assert s.post("age", {"codes": [1]}).status == 200 and s.count("age") == (2, 0)
        assert s.stop() == 0


def case_kept_reports(b):
    reports, codes = b.reports(b.age, [30, 40]), b.codes(b.age, [50])
    with b.server("kept", "--open", "--keep-reports", database=b.cluster.database("kept")) as s:
        s.post("age", {"reports": reports})
        s.post("age", {"codes": codes})
        s.post("age", {"codes": []})
    kept = b.cluster.sql("SELECT encode(reports, 'hex'), encode(codes, 'hex') FROM podiumd.reports", "kept")
    assert sorted(kept) == sorted([struct.pack("<2d", *reports).hex() + "|", "|" + struct.pack("<I", *codes).hex()])


def case_what_a_start_refuses(b):
    url = b.cluster.database("start")
    start = ("--collection", b.age, "--open", "--listen", "127.0.0.1:0")
    ended = run(b, "--data", b.work / "x", "--database", url, *start)
    assert ended.returncode == 2 and "--data" in ended.stderr and "--database" in ended.stderr
    ended = run(b, "--data", b.work / "x", *start, env={**os.environ, "PODIUMD_DATABASE": url})
    assert ended.returncode == 2 and not (b.work / "x").exists()
    with b.server("start", "--open", database=url) as s:
        s.post("age", {"codes": [1]})
        assert s.stop() == 0
    empty = b.cluster.database("nothing")
    for command in (("backup", b.work / "copy"), ("token", "list"), ("token", "revoke", "0" * 32)):
        ended = run(b, *command, "--database", empty)
        assert ended.returncode == 3 and "there is no store" in ended.stderr, ended
    assert b.cluster.sql("SELECT to_regnamespace('podiumd') IS NULL", "nothing") == ["t"]
    ended = run(b, "backup", b.work / "copy", "--database", url)
    assert ended.returncode == 3 and "pg_dump" in ended.stderr
    changed = b.work / "changed.podium"
    b.run("design", "--mechanism", "minimax", "--range", "1:120", "--epsilon", "2", "--name", "age", "-o", changed)
    ended = run(b, "--database", url, "--open", "--listen", "127.0.0.1:0", "--collection", changed)
    assert ended.returncode == 1 and "epsilon=1" in ended.stderr and "epsilon=2" in ended.stderr, ended
    b.cluster.sql("UPDATE podiumd.store SET format = 99", "start")
    ended = run(b, "--database", url, *start)
    assert ended.returncode == 3 and "format 99" in ended.stderr, ended


def case_no_password_is_shown(b):
    """In the arguments, the environment or the file, right or wrong: the password is in no output, log or answer."""
    b.cluster.sql("CREATE ROLE asked LOGIN PASSWORD 'pl4nted'")
    b.cluster.database("asked")
    b.cluster.sql("GRANT CREATE ON DATABASE asked TO asked")
    rules = b.cluster.sockets.parent / "one" / "pg_hba.conf"
    rules.write_text("local all asked scram-sha-256\n" + rules.read_text())
    b.cluster.sql("SELECT pg_reload_conf()")
    start = ("--collection", b.age, "--open", "--listen", "127.0.0.1:0")
    shown = ""
    host = f"host={b.cluster.sockets}"
    for wrong in (f"postgresql://asked:pl4nted-not@/asked?{host}", "postgresql://asked:pl4nted@/asked?host=/nowhere",
                  f"postgresql://asked:pl4nted@/nothing?{host}", "postgresql://asked:pl4nted@[::1/asked",
                  "postgresql://asked:pl4nted@h/asked?pl4nted", "host=pl4nted password", "asked:pl4nted",
                  f"postgresql://asked:pl4nted@/asked?{host}&target_session_attrs=pl4nt",
                  f"postgresql://asked:pl4nted@/asked?{host}&sslmode=bad"):
        for arguments, more in ((("--database", wrong, *start), {}), (start, {"PODIUMD_DATABASE": wrong}),
                                (("token", "list", "--database", wrong), {})):
            ended = run(b, *arguments, env={**os.environ, **more})
            assert ended.returncode == 3 and ended.stderr.startswith("podiumd: --database: "), ended
            shown += ended.stdout + ended.stderr
    file = b.work / "database.conf"
    right = f"postgresql://asked:pl4nted@/asked?{host}"
    file.write_text(f"database = {right}\ndatabase = {right}\n")
    ended = run(b, "--config", file, *start)
    assert ended.returncode == 2
    shown += ended.stderr + run(b, "--list-options").stdout
    b.work.joinpath("pass").write_text("*:*:*:asked:pl4nted\n")
    b.work.joinpath("pass").chmod(0o600)
    b.work.joinpath("service").write_text(f"[podium]\n{host}\nuser=asked\ndbname=asked\npassword=pl4nted\n")
    without = f"postgresql://asked@/asked?{host}"
    file.write_text(f"database = {right}\n")
    ways = ((("--database", right), {}), ((), {"PODIUMD_DATABASE": right}), (("--config", str(file)), {}),
            (("--database", without), {"PGPASSFILE": str(b.work / "pass")}),
            (("--database", without), {"PGPASSWORD": "pl4nted"}),
            (("--database", "service=podium"), {"PGSERVICEFILE": str(b.work / "service")}))
    for i, (arguments, more) in enumerate(ways):
        store = {"database": arguments[1]} if arguments[:1] == ("--database",) else {"database": None}
        rest = () if store["database"] else arguments
        if not store["database"]:
            more = {**more, "PODIUMD_OPEN": "true"}
            process = subprocess.Popen([b.podiumd, *rest, "--collection", b.age, "--listen", "127.0.0.1:0"],
                                       env={**os.environ, **more}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                       text=True)
            line = process.stdout.readline()
            assert line.startswith("podiumd listens"), line
            process.terminate()
            shown += line + process.communicate()[0]
            continue
        with b.server(f"asked{i}", "--open", environment={**os.environ, **more}, **store) as s:
            assert s.post("age", {"codes": [1]}).status == 200
            b.cluster.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'asked'")
            assert s.post("age", {"codes": [1]}).status == 200  # over a new connection
            shown += s.get("/metrics").bytes.decode() + s.printed
            assert s.stop() == 0
        shown += (b.work / f"asked{i}.log").read_text()
    assert "pl4nted" not in shown, shown


def documented(b):
    """The commands of docs/collector.md about three servers, for the cluster and the ports of this test"""
    manual = pathlib.Path(__file__).parents[2] / "docs" / "collector.md"
    section = manual.read_text().split("## Three podiumd on one PostgreSQL")[1].split("\n## ")[0]
    script = "\n".join(re.findall(r"```sh\n(.*?)```", section, re.S))
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
    ports = [listener.getsockname()[1] for listener in listeners]
    for listener in listeners:
        listener.close()
    for written, used in (("sudo -u postgres createuser --pwprompt podium", "true"), ("sudo -u postgres ", ""),
                          ("?sslmode=verify-full", ""), ("@db.example.org/podium", f"@/podium?host={b.cluster.sockets}"),
                          *((str(8471 + i), str(port)) for i, port in enumerate(ports))):
        assert written in script, written
        script = script.replace(written, used)
    return "set -m\n" + script + "\nkill %2 %3\nwait\n"


def case_three_servers_as_documented(b):
    here = b.work / "three"
    here.mkdir()
    shutil.copy(b.age, here)
    b.cluster.sql("CREATE ROLE podium LOGIN PASSWORD 'pl4nted'")
    environment = {**os.environ, "PGHOST": str(b.cluster.sockets), "PGUSER": "tester", "PASSWORD": "pl4nted",
                   "PATH": ":".join([*(str(pathlib.Path(x).resolve().parent) for x in (b.podiumd, b.podium)),
                                     os.environ["PATH"]])}
    ended = subprocess.run(["bash", "-c", documented(b)], cwd=here, env=environment, capture_output=True, text=True,
                           timeout=60)
    taken = '{"accepted":61,"refused":0,"duplicate":%s}\n'
    expected = [taken % "false", *[taken % "true"] * 3, '{"n": 61, "mean": ', taken % "false"]
    lines = ended.stdout.splitlines(keepends=True)
    assert len(lines) == 6 and all(map(str.startswith, lines, expected)), ended
    # the copy is a store
    url = b.cluster.database("restored")
    subprocess.run(["pg_restore", "--no-owner", f"--dbname={url}", here / "podium.dump"], check=True)
    with b.server("restored", "--open", collections=[b.age], database=url) as s:
        assert s.count("age") == (122, 0)


if __name__ == "__main__":
    bench = Bench(*sys.argv[1:4])
    with Cluster(bench) as bench.cluster:
        run_cases(dict(globals()), bench)
