#!/usr/bin/env python3
"""podium send against a real podiumd, and against a network that loses answers.

    send.py PODIUMD PODIUM WORK-DIR
"""
import http.client
import http.server
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

from server import Bench, run_cases, until

CLEAN = {name: value for name, value in os.environ.items() if name != "PODIUM_TOKEN" and "proxy" not in name.lower()}


def started(b, port, *arguments, collection=None, token=None, under=(), **more):
    command = [*map(str, under), b.podium, "send", "--to", f"http://127.0.0.1:{port}", "--collection", str(collection or b.age),
               *map(str, arguments)]
    environment = {**CLEAN, **({} if token is None else {"PODIUM_TOKEN": token})}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            cwd=b.work, env=environment, **more)


def send(b, port, *arguments, given=None, **more):
    process = started(b, port, *arguments, **more)
    process.said, process.err = process.communicate(given, timeout=120)
    assert process.said == "", process.said
    return process


def table(b, name, rows):
    """Writes people with ages and regions, which are north, south or missing."""
    path = b.work / name
    with open(path, "w", encoding="ascii") as file:
        file.write("name,age,region\n")
        for i in range(rows):
            file.write(f"person{i},{i % 100 + 1},{('north', 'south', '')[i % 3]}\n")
    return path


class Hostile(http.server.ThreadingHTTPServer):
    """Describes a collection as `description` says, and acknowledges no report."""

    def __init__(self, description):
        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self, body):
                self.send_response(200)
                self.end_headers()
                self.wfile.write(json.dumps(body).encode())

            def do_GET(self):
                self.answer(description)

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self.answer({"accepted": 0, "refused": 0, "duplicate": False})

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Network:
    """Stands between client and server, keeps the keys and bodies that it saw, and may spoil things: `plan` is called
    with the number of each post, and returns None, a status, "lose" for an answer that gets lost, or seconds to wait."""

    def __init__(self, server, plan):
        network, self.posts = self, []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self, status, body, headers=()):
                self.send_response(status)
                for name, value in headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def forward(self, method, body):
                headers = {name: self.headers[name] for name in ("Content-Type", "Idempotency-Key") if self.headers[name]}
                answer = server().call(method, self.path, body, headers)
                self.answer(answer.status, answer.bytes)

            def do_GET(self):
                self.forward("GET", None)

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                network.posts.append((self.headers["Idempotency-Key"], body, time.monotonic()))
                what = plan(len(network.posts))
                if isinstance(what, float):
                    time.sleep(what)
                if what == "lose":
                    server().call("POST", self.path, body, {"Content-Type": self.headers["Content-Type"],
                                                            "Idempotency-Key": self.headers["Idempotency-Key"]})
                    self.close_connection = True
                elif isinstance(what, int):
                    self.answer(what, b"not today", [("Retry-After", "1")])
                else:
                    try:
                        self.forward("POST", body)
                    except (OSError, http.client.HTTPException):
                        self.close_connection = True

            def log_message(self, *_):
                pass

        class Quiet(http.server.ThreadingHTTPServer):
            def handle_error(self, *_):  # a client that was killed
                pass

        self.http = Quiet(("127.0.0.1", 0), Handler)
        self.port = self.http.server_port
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()

    def bodies(self):
        """Returns the body of each key, after checking that a key always had the same."""
        found = {}
        for key, body, _ in self.posts:
            assert found.setdefault(key, body) == body, "a key came with another body"
        return found


def spool_of(b):
    return b.work / "age.spool"


def resume_advice(ended):
    """The command that the program says to run."""
    return re.search(r"^podium: to send them.*, run: (podium send .*--resume)$", ended.err, re.M)[1]


def follow(b, advice):
    """Runs that command in a shell."""
    return subprocess.run(["sh", "-c", advice], capture_output=True, text=True, cwd=b.work, timeout=120, check=False,
                          env={**CLEAN, "PATH": f"{b.podium.parent}:{os.environ['PATH']}"})


def case_counts(b):
    people = table(b, "people.csv", 5000)
    with b.server("counts", "--open", "--label", "age:region=north,south", "--label", "age:kind=a,b%ü") as s:
        ended = send(b, s.port, "--column", "age", people)
        assert (ended.returncode, ended.err) == (0, "podium: 5000 reports were acknowledged\n"), ended.err
        assert s.count("age") == (5000, 0) and not spool_of(b).exists()
        mean = s.get("/v1/collections/age/estimate").json()
        assert abs(mean["mean"] - 50.5) < 6 * mean["standard_error"]  # a false alarm in 5e8 runs
        ended = send(b, s.port, "--column", "age", "--label-column", "region", "--label", "kind=b%ü", "--batch", 7, people)
        assert ended.returncode == 0, ended.err
        assert "podium: 1666 of 5000 rows have no region, so their reports are sent without this label\n" in ended.err
        for region, expected in (("north", 1667), ("south", 1667)):
            assert s.count("age", label=[f"region:{region}", "kind:b%ü"]) == (expected, 0)
        assert s.count("age", label="kind:b%ü") == (5000, 0)
        ended = send(b, s.port, "--column", "2", "--label-column", "region=3", "--header", "yes", people)
        assert s.count("age", label="region:north")[0] == 2 * 1667, ended.err
        # another mechanism, whose codes have several bytes, from standard input
        ended = send(b, s.port, collection=b.speed, given="".join(f"{i / 100}\n" for i in range(1000)))
        assert ended.returncode == 0 and s.count("speed") == (1000, 0), ended.err
        ended = send(b, s.port, "--invalid", "drop", given="age\n5\nx\n300\n7\n")
        assert ended.returncode == 0 and "left out 2 of 4 rows" in ended.err and "2 reports were" in ended.err, ended.err
        for empty in ("", "age\n"):
            ended = send(b, s.port, given=empty)
            assert (ended.returncode, ended.err) == (0, "podium: warning: there are no values in the input, so there is "
                                                     "nothing to send\npodium: 0 reports were acknowledged\n"), ended.err
        assert s.stop() == 0


def case_what_is_refused(b):
    people = table(b, "few.csv", 30)
    other = b.design("other", "--mechanism", "minimax", "--range", "1:120", "--epsilon", "2")
    with b.server("refused", "--open", "--label", "age:region=north,south", "--reports-max", "50") as s:
        ended = send(b, s.port, "--column", "age", "--name", "age", people, collection=other)
        fingerprints = {re.search(r'fingerprint = "?([0-9a-f]{16})', path.read_text())[1] for path in (b.age, other)}
        assert ended.returncode == 1 and fingerprints == set(re.findall(r"\b[0-9a-f]{16}\b", ended.err)), ended.err
        ended = send(b, s.port, "--column", "age", people, collection=other)
        assert ended.returncode == 1 and "/v1/collections" in ended.err, ended.err
        bad = b.work / "bad.csv"
        bad.write_text(people.read_text() + "somebody,117.31x,north\n")
        cases = ((["--column", "age", bad], 1, "bad.csv, line 32, column age: not a number"),
                 (["--column", "age", "--label", "region=west", people], 1, "region=west: the collection does not declare"),
                 (["--column", "age", "--label", "land=x", people], 1, "no label of that name"),
                 (["--column", "age", "--label", "region", people], 2, "LABEL=VALUE"),
                 (["--column", "age", "--label-column", "name", people], 1, "no label of that name"),
                 (["--column", "age", "--label-column", "region=name", people], 1, "few.csv, line 2: label region"),
                 (["--column", "age", "--label-column", "region=age", people], 2, "column of values"),
                 (["--column", "age", "--label", "region=north", "--label-column", "region", people], 2, "region is given twice"),
                 (["--column", "age", "--label", "region=north", "--label", "region=south", people], 2, "given twice"),
                 (["--column", "age", "--label-column", "region", "--label-column", "region=2", people], 2, "given twice"),
                 (["--column", "age", "--batch", "51", people], 2, "up to 50 reports"),
                 (["--column", "age", "--resume", people], 2, "takes no files"),
                 (["--resume"], 3, "age.spool: No such file"),
                 *((["--resume", option, value], 2, f"takes no {option}") for option, value in
                   (("--column", "age"), ("--label", "region=north"), ("--label-column", "region"), ("--batch", 5),
                    ("--separator", ";"), ("--header", "yes"), ("--invalid", "drop"))),
                 (["--column", "age", "--ca", "x", people], 2, "https://"),
                 (["--column", "age", "missing.csv"], 3, "missing.csv: No such file"))
        for arguments, status, words in cases:
            ended = send(b, s.port, *arguments)
            assert ended.returncode == status and words in ended.err, (arguments, ended.returncode, ended.err)
            assert "117.31" not in ended.err and not spool_of(b).exists()
        assert s.count("age") == (0, 0)
        ended = subprocess.run([b.podium, "send", "--to", "ftp://x", "--collection", b.age], capture_output=True, text=True)
        assert ended.returncode == 2 and "--to takes" in ended.stderr
        assert s.stop() == 0


def case_tokens(b):
    people = table(b, "few.csv", 30)
    with b.server("tokens") as s:
        good, file = s.tokens["write", "age"], b.work / "token"
        for wrong, words in ((None, "give the token by"), (s.tokens["read", "age"], "token does not allow"),
                             ("podium_write_x", "status 401")):
            ended = send(b, s.port, "--column", "age", people, token=wrong)
            assert ended.returncode == 3 and words in ended.err, ended.err
            assert "0 of 30 reports were acknowledged" in ended.err and str(wrong) not in ended.err
            # nothing of a batch that was refused can have arrived, and the spool knows it as never sent
            assert "may have arrived" not in ended.err, ended.err
            assert re.findall(rb"\n- (\d{20}) ", spool_of(b).read_bytes()) == [b"0" * 20]
        ended = send(b, s.port, "--column", "age", people, token=good)  # goes on with what is there
        assert ended.returncode == 0 and "going on" in ended.err, ended.err
        file.write_text(good + "\n")
        assert send(b, s.port, "--column", "age", "--token-file", file, people, token="x").returncode == 0
        file.write_text("")
        assert "no token" in send(b, s.port, "--column", "age", "--token-file", file, people).err
        s.stop()
    with b.server("tokens", "--open") as s:
        assert s.count("age") == (60, 0)


def case_lost_answers(b):
    """503, 429 and answers that get lost: the same reports come again under the same key, and count once."""
    people = table(b, "lost.csv", 1000)
    with b.server("lost", "--open") as s:
        plan = {1: 503, 2: "lose", 4: 429, 6: "lose", 7: "lose"}
        with Network(lambda: s, plan.get) as network:
            ended = send(b, network.port, "--column", "age", "--batch", 100, people)
            assert ended.returncode == 0 and "1000 reports" in ended.err, ended.err
            assert len(network.bodies()) == 10 and len(network.posts) == 15
            assert network.posts[1][2] - network.posts[0][2] >= 1, "Retry-After was not obeyed"
        assert s.count("age") == (1000, 0)


def case_refused_after_a_lost_answer(b):
    """A refusal says nothing about an earlier attempt, in this run or in the one before."""
    people = table(b, "doubt.csv", 30)
    with b.server("doubt", "--open") as s:
        for answers in (["lose", 401], [429, 403], [409]):
            with Network(lambda: s, lambda _: answers.pop(0) if answers else 404) as network:  # pylint: disable=W0640
                doubtful = answers[0] != 429
                ended = send(b, network.port, "--column", "age", people)
                assert ended.returncode == 3 and ("30 of them may have arrived" in ended.err) == doubtful, ended.err
                ended = send(b, network.port, "--column", "age", people)
                assert "404" in ended.err and ("30 of them may have arrived" in ended.err) == doubtful, ended.err
            spool_of(b).unlink()
        assert s.count("age") == (30, 0)


def case_all_server_errors_are_retried(b):
    """Proxies have statuses of their own above 500. A key makes it safe to try again after any of them."""
    people = table(b, "errors.csv", 30)
    plan = {1: 500, 3: 501, 5: 507, 7: 520, 9: 599}
    with b.server("errors", "--open") as s, Network(lambda: s, plan.get) as network:
        ended = send(b, network.port, "--column", "age", "--batch", 6, people)
        assert (ended.returncode, ended.err) == (0, "podium: 30 reports were acknowledged\n"), ended.err
        assert len(network.posts) == 10 and s.count("age") == (30, 0)


def case_rate_limit(b):
    """The client waits when it is told to, and says nothing about a limit that a second attempt does not meet."""
    people = table(b, "rate.csv", 30)
    with b.server("rate", "--open") as s, Network(lambda: s, {2: 429}.get) as network:
        ended = send(b, network.port, "--column", "age", "--batch", 10, people)
        assert ended.err == "podium: 30 reports were acknowledged\n", ended.err
        assert len(network.posts) == 4 and s.count("age") == (30, 0)


def case_hostile_servers(b):
    people = table(b, "hostile.csv", 30)
    with b.server("described", "--open") as s:
        described = s.get("/v1/collections/age").json()
    for change, words in (({"body_max": 0}, "no report at all"), ({"reports_max": 0}, "no report at all"),
                          ({}, "accepted 0 and refused 0")):
        spool = b.work / f"hostile-{len(words)}.spool"
        with Hostile({**described, **change}) as server:
            ended = send(b, server.server_port, "--column", "age", "--spool", spool, people)
        assert ended.returncode != 0 and words in ended.err, ended.err


def case_gives_up_and_goes_on(b):
    people = table(b, "up.csv", 1000)
    with b.server("up", "--open") as s:
        with Network(lambda: s, lambda number: 503 if 4 <= number <= 6 else None) as network:
            ended = send(b, network.port, "--column", "age", "--batch", 100, "--retry", 2, people)
            assert ended.returncode == 3 and "later than --retry 2 allows" in ended.err, ended.err
            assert "300 of 1000 reports were acknowledged; the other 700 are in age.spool (100 of them may have arrived" in ended.err
            advice = resume_advice(ended)
            # other values must not be lost or sent in its place
            ended = send(b, network.port, "--column", "age", table(b, "others.csv", 10))
            assert ended.returncode == 1 and "nothing was sent" in ended.err and resume_advice(ended) == advice, ended.err
            ended = send(b, network.port, given="5\n")
            assert ended.returncode == 1 and resume_advice(ended) == advice, ended.err
            seen = len(network.posts)
            ended = follow(b, advice)
            assert ended.returncode == 0 and "1000 reports were acknowledged" in ended.stderr, ended.stderr
            assert network.posts[seen][:2] == network.posts[3][:2] and len(network.bodies()) == 10
        assert s.count("age") == (1000, 0)
        ended = send(b, s.port, "--column", "age", "--retry", "1", "--to=http://127.0.0.1:9", people)
        assert ended.returncode == 2  # --to is given twice


def case_another_command_is_refused(b):
    """Reports that were made otherwise than the command says are not sent in place of those that it asks for."""
    people = table(b, "made.csv", 30)
    made = ["--column", "age", "--label", "region=north"]
    with b.server("made", "--open", "--label", "age:region=north,south") as s:
        with Network(lambda: s, lambda number: 403 if number == 1 else None) as network:
            assert send(b, network.port, *made, people).returncode == 3
            for other, words in (
                    (["--column", "2", *made[2:]], "with --column age, not with --column 2"),
                    (made[:2], "with --label region=north, not without --label"),
                    ([*made[:2], "--label", "region=south"], "not with --label region=south"),
                    ([*made[:2], "--label-column", "region"], "not without --label"),
                    ([*made, "--separator", ";"], "not with --separator ';'"),
                    ([*made, "--separator", "tab"], "not with --separator tab"),
                    ([*made, "--header", "yes"], "not with --header yes"),
                    ([*made, "--invalid", "clamp"], "not with --invalid clamp")):
                ended = send(b, network.port, *other, people)
                assert ended.returncode == 1 and words in ended.err and resume_advice(ended), ended.err
                assert len(network.posts) == 1
            ended = send(b, network.port, *made, "--invalid", "error", "--batch", 7, people)  # nothing else than before
            assert ended.returncode == 0 and "30 reports were" in ended.err and "batches stay" in ended.err, ended.err
        assert s.count("age", label="region:north") == (30, 0)


def case_advice_with_quotes(b):
    """The advice works in a shell whatever the names, and for a collection that only options describe."""
    with b.server("quotes", "--open") as s:
        with Network(lambda: s, lambda number: 403 if number <= 2 else None) as network:
            ended = send(b, network.port, "--spool", "it's; here", given="5\n7\n")
            assert "'it'\\''s; here'" in resume_advice(ended), ended.err
            described = subprocess.run([b.podium, "send", "--to", f"http://127.0.0.1:{network.port}", "--name", "age",
                                        "--mechanism", "minimax", "--range", "1:120", "--epsilon", "1"],
                                       input="5\n", capture_output=True, text=True, cwd=b.work, env=CLEAN, check=False)
            assert described.returncode == 3, described.stderr
            described.err = described.stderr
            for left in (ended, described):
                followed = follow(b, resume_advice(left))
                assert followed.returncode == 0, followed.stderr
        assert s.count("age") == (3, 0)


def case_unanswered_for_too_long(b):
    """A batch that may have arrived must not be sent again when the server may have forgotten its key."""
    people = table(b, "old.csv", 300)
    with b.server("old", "--open") as s:
        with Network(lambda: s, lambda number: None if number == 1 else "lose" if number == 2 else 503) as network:
            assert send(b, network.port, "--column", "age", "--batch", 100, "--retry", 1, people).returncode == 3
        assert s.count("age") == (200, 0)
        spool = spool_of(b)
        content = spool.read_bytes().replace(f"to http://127.0.0.1:{network.port}".encode(),
                                             f"to http://127.0.0.1:{s.port}".encode())
        sent = [int(t) for t in re.findall(rb"\n- (\d{20}) ", content)]
        assert [t > 0 for t in sent] == [True, False], sent
        content = content.replace(b"%020d" % sent[0], b"%020d" % (sent[0] - 24 * 3600))
        for choice, status, count in ((None, 1, 200), ("skip", 0, 300), ("send", 0, 400)):
            spool.write_bytes(content)
            ended = send(b, s.port, "--resume", *(["--unanswered", choice] if choice else []))
            assert ended.returncode == status, ended.err
            assert ("may count twice" in ended.err) == (choice is None) and ("given up" in ended.err) == (choice == "skip")
            # the last batch is sent under its key in both of the runs that send, and counts once; that of "send" was
            # known all the time to this server, which has forgotten nothing
            assert s.count("age")[0] == min(count, 300), (choice, s.count("age"))
        assert send(b, s.port, "--resume").returncode == 3


def case_retry_ends_before_the_key_is_forgotten(b):
    """A batch that arrived without an answer, an old spool, a long --retry, and a server that is away until it has
    forgotten the key: sent then, the batch would count twice."""
    people, began = table(b, "window.csv", 100), time.monotonic()
    with b.server("window", "--open", "--key-hours", "1") as s:
        answers = ["lose", 503]

        def plan(_):
            return answers.pop(0) if answers else 503 if time.monotonic() < began + 10 else None
        with Network(lambda: s, plan) as network:
            assert send(b, network.port, "--column", "age", "--retry", 1, people).returncode == 3
            content, asked = spool_of(b).read_bytes(), len(network.posts)
            sent = int(re.search(rb"\n- (\d{20}) ", content)[1])
            began, now = time.monotonic(), int(time.time())
            spool_of(b).write_bytes(content.replace(b"%020d" % sent, b"%020d" % (now - 3600 + 600 + 5)))
            ended = send(b, network.port, "--resume", "--retry", 60)
            assert ended.returncode == 3 and "forgotten the key" in ended.err, ended.err
            assert len(network.posts) > asked + 1 and network.posts[-1][2] < began + 6, "sent again after that"
            until(lambda: time.time() > now + 5)
            ended = send(b, network.port, "--resume", "--retry", 60)
            assert ended.returncode == 1 and "--unanswered" in ended.err, ended.err
            assert send(b, network.port, "--resume", "--unanswered", "skip").returncode == 0
        assert s.count("age") == (100, 0)


def case_spool_cut_off(b):
    """A copy of a spool that lacks its end is noticed wherever it was cut, before anything of it is sent."""
    people = table(b, "cut.csv", 300)
    with b.server("cut", "--open") as s:
        with Network(lambda: s, lambda number: 503) as network:
            assert send(b, network.port, "--column", "age", "--batch", 100, "--retry", 0, people).returncode == 3
        content = spool_of(b).read_bytes().replace(b":%d\n" % network.port, b":%d\n" % s.port, 1)
        batches = [found.start() + 1 for found in re.finditer(rb"\n- \d{20} [0-9a-f]{32} ", content)]
        assert len(batches) == 3
        for n in (*batches, batches[1] + 30, batches[2] + 100, len(content) - 5, len(content) - 4, len(content) - 1):
            spool_of(b).write_bytes(content[:n])
            ended = send(b, s.port, "--resume")
            assert ended.returncode == 1 and s.count("age") == (0, 0), (n, ended.returncode, ended.err)
            assert "the end of this file is missing" in ended.err, ended.err
        spool_of(b).write_bytes(content)
        assert send(b, s.port, "--resume").returncode == 0 and s.count("age") == (300, 0)


def case_server_killed_and_restarted(b):
    people = table(b, "killed.csv", 4000)
    servers = [b.server("killed", "--open")]
    try:
        port, killed = servers[0].port, threading.Event()

        def kill():
            until(lambda: servers[0].count("age")[0] >= 500)
            servers[0].stop(signal.SIGKILL)
            time.sleep(0.3)
            servers.append(b.server("killed", "--open", port=port))
            killed.set()
        killer = threading.Thread(target=kill)
        killer.start()
        ended = send(b, port, "--column", "age", "--batch", 4, people)
        killer.join()
        assert killed.is_set() and ended.returncode == 0 and "trying again" in ended.err, ended.err
        assert servers[-1].count("age") == (4000, 0)
    finally:
        servers[-1].__exit__()


def case_client_killed(b):
    """Killed again and again, and started again by the same command: every report counts once. Seeded."""
    people, chance, kills = table(b, "client.csv", 2000), random.Random(7), 0
    with b.server("client", "--open") as s, Network(lambda: s, lambda number: 0.01) as network:
        process = started(b, network.port, "--column", "age", "--batch", 50, people)
        until(spool_of(b).exists)  # killed while it privatizes, or soon after
        while process.poll() is None:
            process.kill()
            process.communicate()
            kills += 1
            process = started(b, network.port, "--column", "age", "--batch", 50, people)
            enough = len(network.posts) + chance.randint(2, 9)
            until(lambda: len(network.posts) >= enough or process.poll() is not None)
            time.sleep(chance.uniform(0, 0.008))
        err = process.communicate()[1]
        assert process.returncode == 0, err
        assert kills >= 2 and len(network.bodies()) == 40, (kills, len(network.bodies()))
        assert s.count("age") == (2000, 0), (kills, s.count("age"))


def case_interrupted(b):
    people = table(b, "interrupted.csv", 2000)
    with b.server("interrupted", "--open") as s, Network(lambda: s, lambda number: 0.02) as network:
        process = started(b, network.port, "--column", "age", "--batch", 50, people)
        until(lambda: len(network.posts) >= 5)
        second = send(b, network.port, "--column", "age", people)  # while the first is at work
        assert second.returncode == 3 and "another podium send" in second.err, second.err
        process.send_signal(signal.SIGINT)
        err = process.communicate(timeout=30)[1]
        assert process.returncode == -signal.SIGINT
        found = re.search(r"^podium: (\d+) of 2000 reports were acknowledged; the other (\d+) are in age.spool \(50 of", err, re.M)
        assert found and int(found[1]) + int(found[2]) == 2000 and int(found[1]) >= 200, err
        assert send(b, network.port, "--column", "age", people).returncode == 0
        assert s.count("age") == (2000, 0)


def case_spool_is_on_the_disk(b):
    """Before the first batch is sent, the spool is on the disk, and so is its name."""
    if shutil.which("strace") is None:
        print("strace is missing, so what the spool synchronises was not looked at")
        return
    people, trace = table(b, "disk.csv", 30), b.work / "send.trace"
    with b.server("disk", "--open") as s:
        ended = send(b, s.port, "--column", "age", people,
                     under=("strace", "-f", "-y", "-s", "40", "-o", trace, "-e", "trace=fsync,sendto,write,writev,sendmsg"))
        assert ended.returncode == 0, ended.err
    calls = [line.split(None, 1)[1] for line in trace.read_text().splitlines()]

    def first(pattern):
        return next(i for i, call in enumerate(calls) if re.match(pattern, call))
    spool, name = first(r"fsync\(\d+<.*/age\.spool>"), first(rf"fsync\(\d+<{re.escape(str(b.work))}>\)")
    complete, posted = first(r"write\(\d+<.*/age\.spool>, \"podium spool \d complete"), first(r'.*"POST /v1/')
    assert spool < name < complete < posted, (spool, name, complete, posted)


def case_huge(b):
    rows = 3_000_000
    path = b.work / "huge.csv"
    path.write_text("age\n" + "".join(f"{i}\n" for i in range(1, 101)) * (rows // 100))
    with b.server("huge", "--open") as s:
        ended = send(b, s.port, path)
        assert ended.returncode == 0, ended.err
        assert s.count("age") == (rows, 0)
    path.unlink()


if __name__ == "__main__":
    bench = Bench(*sys.argv[1:])
    listed = subprocess.run([bench.podium, "send", "--to", "http://127.0.0.1:9", "--retry", "0", "--collection",
                             bench.age],
                            input=b"", capture_output=True, env=CLEAN)
    if b"without libcurl" in listed.stderr:
        print("this podium was built without libcurl")
        sys.exit(77)
    run_cases(dict(globals()), bench)
