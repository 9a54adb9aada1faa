#!/usr/bin/env python3
"""podiumd with TLS of its own: who can talk to it, and how its certificate is exchanged while it runs.

    tls.py PODIUMD PODIUM WORK-DIR
"""
import http.client
import os
import signal
import socket
import ssl
import subprocess
import sys
import time

from server import Answer, Bench, run_cases, until

CLEAN = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}


def certificate(b, name):
    """Makes a key and a certificate for localhost that it signs itself."""
    key, cert = b.work / f"{name}.key", b.work / f"{name}.crt"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-keyout", key, "-out", cert, "-days", "2", "-subj", f"/CN={name}",
                    "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, capture_output=True)
    return cert, key


def trusting(cert, **options):
    context = ssl.create_default_context(cafile=str(cert))
    for name, value in options.items():
        setattr(context, name, value)
    return context


def get(connection):
    connection.request("GET", "/healthz")
    return Answer(connection.getresponse()).status


def connect(s, cert, **options):
    return http.client.HTTPSConnection("127.0.0.1", s.port, timeout=30, context=trusting(cert, **options))


def refused(cert, s, **options):
    try:
        return get(connect(s, cert, **options)) is None
    except ssl.SSLError:
        return True


def case_who_can_talk(b):
    cert, key = certificate(b, "first")
    other, _ = certificate(b, "stranger")
    with b.server("talk", "--tls-certificate", str(cert), "--tls-key", str(key), "--open") as s:
        assert s.printed.endswith(f"https://127.0.0.1:{s.port}\n")
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            assert get(connect(s, cert, minimum_version=version, maximum_version=version)) == 200
        if subprocess.run(["openssl", "s_client", "-help"], capture_output=True, text=True).stderr.find("-tls1_1") >= 0:
            old = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{s.port}", "-tls1_1", "-cipher",
                                  "ALL:@SECLEVEL=0"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
            assert old.returncode != 0 and "Cipher is (NONE)" in old.stdout, old.stdout
        assert refused(other, s)
        plain = socket.create_connection(("127.0.0.1", s.port), timeout=30)  # HTTP without TLS is no request
        plain.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try:
            answered = plain.recv(1000)
        except ConnectionResetError:
            answered = b""
        assert not answered.startswith(b"HTTP"), answered
        send = [b.podium, "send", "--to", f"https://localhost:{s.port}", "--collection", b.age, "--retry", "5"]
        ended = subprocess.run([*send, "--ca", cert], input=b"5\n" * 100, capture_output=True, cwd=b.work, env=CLEAN)
        if b"without libcurl" not in ended.stderr:
            assert ended.returncode == 0 and b"100 reports were acknowledged" in ended.stderr, ended.stderr
            for untrusted in ([], ["--ca", other]):
                ended = subprocess.run([*send, *untrusted], input=b"5\n", capture_output=True, cwd=b.work, env=CLEAN)
                assert ended.returncode == 3 and b"certificate" in ended.stderr, ended.stderr
            estimate = connect(s, cert)
            estimate.request("GET", "/v1/collections/age/estimate")
            assert Answer(estimate.getresponse()).json()["n"] == 100
        assert s.stop() == 0


def case_the_other_scheme(b):
    """https:// to a server without TLS fails at once, and http:// to one with TLS is tried again: both with a hint."""
    cert, key = certificate(b, "scheme")
    for options, scheme, other in (([], "https", "http"),
                                   (["--tls-certificate", str(cert), "--tls-key", str(key)], "http", "https")):
        with b.server(f"{scheme}-to-{other}", *options, "--open") as s:
            began = time.monotonic()
            ended = subprocess.run([b.podium, "send", "--to", f"{scheme}://127.0.0.1:{s.port}", "--collection", b.age,
                                    "--retry", "20" if scheme == "https" else "1"],
                                   input=b"5\n", capture_output=True, cwd=b.work, env=CLEAN)
            if b"without libcurl" in ended.stderr:
                return
            assert ended.returncode == 3, ended.stderr
            assert f"begin with {other}:// instead of {scheme}://".encode() in ended.stderr.replace(b"begins", b"begin")
            assert (b"gave up" in ended.stderr) == (scheme == "http"), ended.stderr
            assert time.monotonic() - began < 10


def case_reload(b):
    old, new = certificate(b, "old"), certificate(b, "new")
    cert, key = b.work / "live.crt", b.work / "live.key"
    def use(pair):
        for path, content in zip((cert, key), pair):
            path.write_bytes(content.read_bytes())
    use(old)
    with b.server("reload", "--tls-certificate", str(cert), "--tls-key", str(key), "--open") as s:
        log = b.work / "reload.log"
        kept = connect(s, old[0])
        assert get(kept) == 200
        use(new)
        s.send(signal.SIGHUP)
        until(lambda: "read again" in log.read_text())
        assert get(connect(s, new[0])) == 200 and refused(old[0], s)
        assert get(kept) == 200  # the same connection
        key.write_bytes(old[1].read_bytes())  # a key that is not that of the certificate
        s.send(signal.SIGHUP)
        until(lambda: "is not the key of" in log.read_text())
        cert.write_text("nonsense")
        s.send(signal.SIGHUP)
        until(lambda: "not a certificate in PEM" in log.read_text())
        assert get(connect(s, new[0])) == 200 and get(kept) == 200
        kept.close()
        assert s.stop() == 0


def case_what_a_start_refuses(b):
    cert, key = certificate(b, "a")
    other = certificate(b, "b")[1]
    for options, words in ((["--tls-certificate", cert], "together"), (["--tls-key", key], "together"),
                           (["--tls-certificate", cert, "--tls-key", other], "is not the key of"),
                           (["--tls-certificate", key, "--tls-key", key], "not a certificate"),
                           (["--tls-certificate", cert, "--tls-key", cert], "not a key"),
                           (["--tls-certificate", "/nowhere", "--tls-key", key], "/nowhere")):
        ended = subprocess.run([b.podiumd, "--data", b.work / "refuses", "--collection", b.age, "--open", "--listen",
                                "127.0.0.1:0", *options], capture_output=True, text=True, timeout=30)
        assert ended.returncode == 1 and words in ended.stderr, (options, ended)


if __name__ == "__main__":
    run_cases(dict(globals()), Bench(*sys.argv[1:]))
