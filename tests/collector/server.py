"""What the tests of podiumd share: starting a server, calling it, making reports with the program."""
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse


class Answer:
    def __init__(self, response):
        self.status, self.headers, self.bytes = response.status, dict(response.getheaders()), response.read()

    def json(self):
        return json.loads(self.bytes)

    def problem(self):
        """Returns the type of the problem, after checking what all problems have."""
        problem = self.json()
        assert self.headers["Content-Type"] == "application/problem+json", self.headers
        assert problem["status"] == self.status and problem["title"] and problem["detail"], problem
        return problem["type"].removeprefix("urn:podium:problem:")


class Server:
    """A podiumd on a port of the system's choice. `tokens` has the tokens that it printed, by scope and collection. If it
    has no database, it keeps everything in the directory `data`; in any case it logs beside that."""

    def __init__(self, program, data, *options, database=None, environment=None, wait=True, wrapper=(), log=None, port=0):
        self.program, self.data, self.options = program, pathlib.Path(data), options
        self.log = open(log or f"{data}.log", "ab")
        store = ["--database", database] if database else ["--data", str(data)]
        self.process = subprocess.Popen([*wrapper, program, *store, "--listen", f"127.0.0.1:{port}", *options],
                                        stdout=subprocess.PIPE, stderr=self.log, text=True, env=environment)
        self.tokens, self.port, self.printed = {}, None, ""
        if wait:
            self.read_start()

    def read_start(self):
        for line in self.process.stdout:
            self.printed += line
            token = re.fullmatch(r"token to (\w+) (\S+), shown only now: (\S+)\n", line)
            if token:
                self.tokens[token[1], token[2]] = token[3]
            if line.startswith("podiumd listens at "):
                self.port = int(line.rsplit(":", 1)[1])
                return
        raise RuntimeError(f"podiumd did not start; see {self.data}.log")

    def connection(self, timeout=30):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def call(self, method, path, body=None, headers=None, connection=None, **query):
        """Sends a request. A query that is a list is a parameter for each of its items."""
        if query:
            path += "?" + urllib.parse.urlencode(query, doseq=True)
        used = connection or self.connection()
        try:
            used.request(method, path, body=body, headers=headers or {})
            return Answer(used.getresponse())
        finally:
            if connection is None:
                used.close()

    def get(self, path, **query):
        return self.call("GET", path, **query)

    def post(self, collection, content, key=None, connection=None, headers=None, **query):
        """Posts reports: a dictionary as JSON, or bytes as they are."""
        body = json.dumps(content) if isinstance(content, dict) else content
        headers = {"Content-Type": "application/json", **(headers or {})}
        if key is not None:
            headers["Idempotency-Key"] = key
        return self.call("POST", f"/v1/collections/{collection}/reports", body, headers, connection, **query)

    def count(self, collection, **query):
        """Returns how many reports are in the store, and how many were refused."""
        estimate = self.get(f"/v1/collections/{collection}/estimate", force="true", **query).json()
        return estimate["n"], estimate.get("refused", 0)

    def send(self, number):
        self.process.send_signal(number)

    def stop(self, number=signal.SIGTERM):
        """Ends the server, and returns its exit status."""
        if self.process.poll() is None:
            self.send(number)
        status = self.process.wait(timeout=60)
        self.process.stdout.close()
        self.log.close()
        return status

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.log.close()


class Cluster:
    """A PostgreSQL of the test's own, made by the scripts that test the extension. Gone at the end, however that comes."""

    def __init__(self, bench):
        if shutil.which(os.environ.get("PG_CONFIG", "pg_config")) is None:
            print("there is no PostgreSQL: make setup PARTS=check", file=sys.stderr)
            sys.exit(77)
        script = pathlib.Path(__file__).parents[1] / "postgres" / "cluster.sh"
        self.log = open(bench.work / "cluster.log", "wb")
        self.shell = subprocess.Popen([script, script.parents[2], pathlib.Path(bench.podium).resolve().parents[1]],
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.sockets = pathlib.Path(self.shell.stdout.readline().strip())
        self.start()

    def order(self, command):
        self.shell.stdin.write(command + "\n")
        self.shell.stdin.flush()
        assert self.shell.stdout.readline() == "done\n", "see cluster.log"

    def start(self):
        self.order("start")

    def stop(self, mode="immediate"):
        self.order(f"stop {mode}")

    def url(self, name="postgres", user="tester"):
        return f"postgresql://{user}@/{name}?host={self.sockets}"

    def sql(self, text, name="postgres"):
        """Returns the lines that the statements print."""
        ended = subprocess.run(["psql", "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", self.url(name)], check=True,
                               input=text, capture_output=True, text=True, env={**os.environ, "PGOPTIONS": ""})
        return ended.stdout.splitlines()

    def database(self, name):
        """Makes an empty database, and returns its URL."""
        self.sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        self.sql(f"CREATE DATABASE {name}")
        return self.url(name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.shell.stdin.close()
        self.shell.wait()
        self.shell.stdout.close()
        self.log.close()


class Bench:
    """The programs under test, a directory of the test's own, and two collections in it."""

    def __init__(self, podiumd, podium, work):
        self.podiumd, self.podium, self.work = (pathlib.Path(path).resolve() for path in (podiumd, podium, work))
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        self.age = self.design("age", "--mechanism", "minimax", "--range", "1:120", "--epsilon", "1")
        self.speed = self.design("speed", "--range", "0:10", "--epsilon", "2")

    def run(self, *arguments, check=True, **more):
        return subprocess.run([self.podium, *map(str, arguments)], check=check, capture_output=True, **more)

    def design(self, name, *options):
        path = self.work / f"{name}.podium"
        self.run("design", *options, "--name", name, "-o", path)
        return path

    def reports(self, collection, values):
        lines = self.run("privatize", "--collection", collection, "--header", "no",
                         input="".join(f"{x}\n" for x in values).encode()).stdout.split()
        return [float(x) for x in lines]

    def codes(self, collection, values):
        lines = self.run("privatize", "--collection", collection, "--codes", "--header", "no",
                         input="".join(f"{x}\n" for x in values).encode()).stdout.split()
        return [int(x) for x in lines]

    def server(self, name, *options, collections=None, **more):
        files = [self.age, self.speed] if collections is None else collections
        return Server(self.podiumd, self.work / name, *[f"--collection={file}" for file in files], *options, **more)


class Stream:
    """Reads the events of a collection on a thread: `events` has what came, `ended` whether the server ended it."""

    def __init__(self, server, path="/v1/collections/age/events", headers=None):
        self.connection = server.connection(timeout=60)
        self.connection.request("GET", path, headers=headers or {})
        self.response = self.connection.getresponse()
        self.events, self.ended = [], False
        self.thread = threading.Thread(target=self.read, daemon=True)
        if self.response.status == 200:
            self.thread.start()

    def read(self):
        try:
            for line in self.response:
                if line.startswith(b"data: "):
                    self.events.append(json.loads(line[6:]))
        except (OSError, ValueError):
            pass
        self.ended = True

    def wait(self, n, seconds=20):
        """Waits for an event about n reports, and returns it."""
        return until(lambda: next((e for e in self.events if e["n"] == n), None), seconds)

    def close(self):
        self.connection.sock.shutdown(socket.SHUT_RDWR)
        self.thread.join()


def until(true, seconds=30):
    """Waits until the function returns something true, and returns that."""
    end = time.monotonic() + seconds
    while True:
        found = true()
        if found:
            return found
        assert time.monotonic() < end, "it never became true"
        time.sleep(0.02)


def run_cases(namespace, bench):
    """Calls each function whose name begins with case_, and reports those that fail."""
    cases = [function for name, function in namespace.items() if name.startswith("case_")]
    failed = 0
    for case in cases:
        try:
            case(bench)
        except Exception as error:  # pylint: disable=broad-except
            failed += 1
            import traceback
            traceback.print_exc()
            print(f"{case.__name__}: {error}", file=sys.stderr)
    print(f"{len(cases)} cases, {failed} failed")
    sys.exit(1 if failed else 0)
