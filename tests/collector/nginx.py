#!/usr/bin/env python3
"""The documented configuration, with other ports and paths: podiumd behind nginx with TLS, by the files in
docs/collector.md as they stand there.

    nginx.py PODIUMD PODIUM WORK-DIR SOURCE-DIR
"""
import http.client
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys

from server import Answer, Bench, Server, run_cases, until

SOURCE = pathlib.Path(sys.argv.pop())
CLEAN = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}


def block(language, words=""):
    """Returns the first block of the manual in this language that has these words in it."""
    text = (SOURCE / "docs/collector.md").read_text()
    return next(found for found in re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S) if words in found)


def replaced(text, *pairs):
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, str(new))
    return text


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Nginx:
    def __init__(self, b, upstream):
        self.work, self.port = b.work, free_port()
        # the command of the manual, with paths of the test, and a name that this machine has
        command = replaced(block("sh", "openssl req"), ("sudo ", ""), ("/etc/nginx", b.work), ("DNS:reports.example.org", "DNS:localhost"))
        subprocess.run(command, shell=True, check=True, capture_output=True)
        site = replaced(block("nginx"), ("127.0.0.1:8470", f"127.0.0.1:{upstream}"), ("/etc/nginx", b.work),
                        ("listen 443", f"listen 127.0.0.1:{self.port}"), ("/var/log/nginx", b.work))
        paths = "".join(f"    {kind}_temp_path {b.work}/{kind};\n" for kind in
                        ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        user = "user root;\n" if os.geteuid() == 0 else ""
        configuration = b.work / "nginx.conf"
        configuration.write_text(f"{user}daemon off;\npid {b.work}/nginx.pid;\nerror_log {b.work}/error.log emerg;\n"
                                 f"events {{}}\nhttp {{\n{paths}{site}\n}}\n")
        start = [shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin"), "-p", b.work, "-c", configuration]
        tested = subprocess.run([*start, "-t"], capture_output=True, text=True)
        assert tested.returncode == 0, tested.stderr
        self.process = subprocess.Popen(start, stderr=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate(timeout=30)

    def connection(self):
        context = ssl.create_default_context(cafile=str(self.work / "podiumd.crt"))
        return http.client.HTTPSConnection("localhost", self.port, context=context, timeout=30)

    def call(self, method, path, body=None, connection=None, **headers):
        used = connection or self.connection()
        used.request(method, path, body, headers)
        answer = Answer(used.getresponse())
        if connection is None:
            used.close()
        return answer


def up(nginx):
    try:
        return nginx.call("GET", "/healthz").status == 200
    except OSError:
        return False


def case_documented(b):
    configuration = b.work / "podiumd.conf"
    configuration.write_text(replaced(block("ini"), ("/etc/podiumd", b.work), ("listen = 127.0.0.1:8470\n", "")))
    data = b.work / "data"

    def token(scope):
        return subprocess.run([b.podiumd, "token", "new", "age", scope, "--data", data], check=True, capture_output=True,
                              text=True).stdout.strip()
    data.mkdir()
    write, read = token("write"), token("read")
    with Server(b.podiumd, data, "--config", str(configuration)) as s, Nginx(b, s.port) as nginx:
        assert s.tokens == {}  # because there are some already
        until(lambda: up(nginx))
        (b.work / "write.token").write_text(write + "\n")
        (b.work / "people.csv").write_text("age\n" + "30\n" * 5000)
        send = [b.podium, "send", "--to", f"https://localhost:{nginx.port}", "--token-file", "write.token", "--collection",
                b.age, "--ca", b.work / "podiumd.crt", "--column", "age", "--label", "region=north", "--retry", "10"]
        ended = subprocess.run([*send, "people.csv"], cwd=b.work, env=CLEAN, capture_output=True, text=True)
        if "without libcurl" in ended.stderr:
            codes = bytes(b.codes(b.age, [30] * 5000))
            answer = nginx.call("POST", "/v1/collections/age/reports?label=region:north", codes,
                                **{"Content-Type": "application/vnd.podium.codes", "Authorization": f"Bearer {write}"})
            assert answer.status == 200, answer.bytes
        else:
            assert ended.returncode == 0 and "5000 reports were acknowledged" in ended.stderr, ended.stderr
        path, bearer = "/v1/collections/age/estimate", {"Authorization": f"Bearer {read}"}
        assert nginx.call("GET", path + "?label=region:north", **bearer).json()["n"] == 5000
        # a page of the server's own may send, and another may not
        for origin, status in ((f"https://localhost:{nginx.port}", 200), ("https://example.com", 403)):
            answer = nginx.call("POST", "/v1/collections/age/reports", '{"reports": []}', Origin=origin,
                                Authorization=f"Bearer {write}")
            assert answer.status == status, (origin, answer.bytes)
        # events arrive while the stream goes on
        stream = nginx.connection()
        stream.request("GET", "/v1/collections/age/events", headers=bearer)
        assert any(b'"n": 5000' in stream.sock.recv(65536) for _ in range(5))
        stream.close()
        assert nginx.call("GET", path).status == 401 and nginx.call("GET", "/metrics").status == 404
        assert nginx.call("POST", "/v1/collections/age/reports", b" " * 1100000).status == 413
        # whatever the client claims, its address is the one that nginx sees, and the limit holds
        kept = nginx.connection()
        claims = ({"X-Forwarded-For": f"192.0.2.{i % 250}"} for i in range(5000))
        assert any(nginx.call("GET", "/healthz", connection=kept, **claim).status == 429 for claim in claims)
        kept.close()
        assert s.stop() == 0
    for log in b.work.glob("*.log"):
        assert b"127.0.0.1" not in log.read_bytes() and b"192.0.2" not in log.read_bytes(), log


if __name__ == "__main__":
    if shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin") is None:
        print("nginx is missing")
        sys.exit(77)
    run_cases(dict(globals()), Bench(*sys.argv[1:]))
