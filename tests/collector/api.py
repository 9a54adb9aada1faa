#!/usr/bin/env python3
"""podiumd as its clients see it.

    api.py PODIUMD PODIUM WORK-DIR
"""
import gzip
import json
import random
import subprocess
import sys

from server import Bench, run_cases

AGE = "/v1/collections/age"
VALUES = [random.Random(1).gauss(45, 15) for _ in range(3000)]


def case_a_post_is_counted(b):
    reports = b.reports(b.age, [34, 60])
    with b.server("counted", "--open") as s:
        answer = s.post("age", {"reports": reports})
        assert answer.status == 200 and answer.json() == {"accepted": 2, "refused": 0, "duplicate": False}
        assert answer.bytes == b'{"accepted":2,"refused":0,"duplicate":false}\n'
        assert s.count("age") == (2, 0)
        assert s.count("speed") == (0, 0)
        assert s.stop() == 0
    with b.server("counted", "--open") as s:  # a restart keeps everything
        assert s.count("age") == (2, 0)


def case_every_format(b):
    reports, codes = b.reports(b.age, VALUES[:40]), b.codes(b.age, VALUES[:40])
    lines = "\n".join(str(x) for x in reports[:20]) + "\n\n"
    lines += "".join(f'{{"code": {c}}}\n' for c in codes[:10]) + "".join(f'{{"report":{x}}}\n' for x in reports[:5])
    raw = {"Content-Type": "application/vnd.podium.codes"}
    with b.server("formats", "--open") as s:
        assert s.post("age", {"reports": reports}).json()["accepted"] == 40
        assert s.post("age", {"codes": codes}).json()["accepted"] == 40
        assert s.post("age", {"codes": codes, "reports": reports}).json()["accepted"] == 80
        assert s.post("age", lines, headers={"Content-Type": "application/x-ndjson"}).json()["accepted"] == 35
        assert s.post("age", bytes(codes), headers=raw).json()["accepted"] == 40
        assert s.post("age", gzip.compress(bytes(codes)), headers={**raw, "Content-Encoding": "gzip"}).json()[
            "accepted"] == 40
        # curl -d says that it sends a form
        assert s.post("age", json.dumps({"reports": reports}).encode(),
                      headers={"Content-Type": "application/x-www-form-urlencoded"}).json()["accepted"] == 40
        assert s.count("age") == (40 * 7 + 35, 0)
        # codes of this collection have four bytes
        wide = b.codes(b.speed, [1, 2, 3])
        body = b"".join(c.to_bytes(4, "little") for c in wide)
        assert s.get("/v1/collections/speed").json()["code_bytes"] == 4
        assert s.post("speed", body, headers=raw).json()["accepted"] == 3
        answer = s.post("speed", body[:-1], headers=raw)
        assert (answer.status, answer.problem()) == (400, "body-wrong")


def case_every_format_is_the_same_sum(b):
    codes = b.codes(b.age, VALUES[:100])
    b.work.joinpath("same.csv").write_text("\n".join(map(str, codes)) + "\n")
    aggregate = b.run("aggregate", "--collection", b.age, "--codes", "--header", "no", b.work / "same.csv").stdout
    for name, content, kind in (("json", {"codes": codes}, "application/json"),
                                ("bytes", bytes(codes), "application/vnd.podium.codes")):
        with b.server(f"same-{name}", "--open") as s:
            s.post("age", content, headers={"Content-Type": kind})
            state = s.get(AGE + "/state")
            assert state.bytes == aggregate.splitlines(keepends=True)[-1], (state.bytes, aggregate)


def case_refused_reports(b):
    codes = b.codes(b.age, VALUES[:10])
    with b.server("refused", "--open") as s:
        mixed = codes + [256, -1, 1.5, "x", None, [1], {"a": 1}, 1e300]
        assert s.post("age", {"codes": mixed}).json() == {"accepted": 10, "refused": 8, "duplicate": False}
        answer = s.post("age", {"codes": mixed}, atomic="true")
        assert (answer.status, answer.problem()) == (422, "reports-refused")
        assert answer.json()["accepted"] == 0 and answer.json()["refused"] == 8
        assert s.post("age", {"codes": mixed, "atomic": True}).status == 422
        assert s.post("age", {"codes": codes, "atomic": True}).json()["accepted"] == 10
        ndjson = {"Content-Type": "application/x-ndjson"}
        assert s.post("age", "hello\n12.\n{}\n{\"code\": 3}\n", headers=ndjson).json() == {
            "accepted": 1, "refused": 3, "duplicate": False}
        assert s.post("age", {"reports": [1e9, -1e9, 34.25]}).json()["refused"] == 3
        assert s.count("age") == (21, 14)


def case_idempotency(b):
    one, two = b.reports(b.age, [30]), b.reports(b.age, [40, 50])
    with b.server("keys", "--open", "--keys-max", "3") as s:
        assert s.post("age", {"reports": one}, key="k1").json() == {"accepted": 1, "refused": 0, "duplicate": False}
        for _ in range(3):
            assert s.post("age", {"reports": one}, key="k1").json() == {"accepted": 1, "refused": 0, "duplicate": True}
        answer = s.post("age", {"reports": two}, key="k1")
        assert (answer.status, answer.problem()) == (422, "key-reused")
        # the labels, and the form, belong to what the key stands for; another collection has keys of its own
        assert s.post("age", {"reports": one}, key="k1", atomic="true").status == 422
        assert s.post("speed", {"reports": b.reports(b.speed, [3])}, key="k1").json()["duplicate"] is False
        assert s.post("age", {"reports": two}, key="k2").json()["duplicate"] is False
        answer = s.post("age", {"reports": one}, key="k3")
        assert (answer.status, answer.problem()) == (503, "keys-full") and int(answer.headers["Retry-After"]) > 0
        assert s.post("age", {"reports": two}, key="k2").json()["duplicate"] is True
        for wrong in ("", "a b", "x" * 256):
            assert s.post("age", {"reports": one}, key=wrong).problem() == "key-wrong", wrong
        assert s.count("age") == (3, 0)
        assert s.stop() == 0
    with b.server("keys", "--open") as s:  # keys outlive the process
        assert s.post("age", {"reports": one}, key="k1").json()["duplicate"] is True


def case_fingerprints(b):
    report = b.reports(b.age, [30])
    with b.server("fingerprints", "--open") as s:
        right = s.get(AGE).json()["fingerprint"]
        assert right in b.age.read_text()
        assert s.post("age", {"reports": report, "fingerprint": right}).status == 200
        assert s.post("age", {"reports": report}, fingerprint=right).status == 200
        for answer in (s.post("age", {"reports": report, "fingerprint": "0123456789abcdef"}),
                       s.post("age", {"reports": report}, fingerprint="0123456789abcdef")):
            assert (answer.status, answer.problem()) == (409, "fingerprint-wrong")
            assert answer.json()["fingerprint"] == right
            assert answer.json()["given_fingerprint"] == "0123456789abcdef"
            assert right in answer.json()["detail"] and "0123456789abcdef" in answer.json()["detail"]
        assert s.post("age", {"reports": report, "fingerprint": "xyz"}).problem() == "body-wrong"
        assert s.count("age") == (2, 0)


def case_labels(b):
    with b.server("blanks", "--open", "--label", "age:city=New York,Bern") as s:
        report = b.reports(b.age, [30])
        assert s.post("age", {"reports": report, "labels": {"city": "New York"}}).json()["accepted"] == 1
        assert s.post("age", {"reports": report}, label="city:New York").json()["accepted"] == 1
        assert s.count("age", label="city:New York") == (2, 0)
    options = ("--open", "--label", "age:region=north,south", "--label", "age:app=ios,android")
    north, south = b.reports(b.age, VALUES[:300]), b.reports(b.age, VALUES[300:500])
    with b.server("labels", *options) as s:
        assert s.get(AGE).json()["labels"] == {"region": ["north", "south"], "app": ["ios", "android"]}
        s.post("age", {"reports": north, "labels": {"region": "north", "app": "ios"}})
        s.post("age", {"reports": south}, label=["region:south", "app:ios"])
        s.post("age", {"reports": south[:7]})
        assert s.count("age") == (507, 0)
        assert s.count("age", label="region:north") == (300, 0)
        assert s.count("age", label=["region:south", "app:ios"]) == (200, 0)
        assert s.count("age", label=["region:south", "app:android"]) == (0, 0)
        groups = s.get(AGE + "/estimate", by="region").json()
        assert [(g["group"], g["n"]) for g in groups] == [("", 7), ("north", 300), ("south", 200)]
        for wrong in ({"region": "west"}, {"country": "x"}, {"region": 3}, {"region": "north", "x": "y"}):
            answer = s.post("age", {"reports": south, "labels": wrong})
            assert (answer.status, answer.problem()) == (422, "label-wrong"), wrong
        assert s.post("age", {"reports": south}, label="region").problem() == "query-wrong"
        assert s.post("age", {"reports": south, "labels": {"app": "ios"}}, label="app:ios").problem() == "label-wrong"
        assert s.get(AGE + "/estimate", by="country").problem() == "label-wrong"
        assert s.get(AGE + "/difference").problem() == "query-wrong"
        compared = s.get(AGE + "/difference", by="region", baseline="north").json()
        assert [(c["a"], c["b"]) for c in compared] == [("", "north"), ("south", "north")]
    with b.server("labels", "--open", "--label", "age:region=north") as s:  # app and south are no longer declared
        assert s.count("age", label="region:north") == (300, 0)
        groups = s.get(AGE + "/estimate", by="region").json()
        assert [(g["group"], g["n"]) for g in groups] == [("", 207), ("north", 300)]
    for wrong in ("age:region=" + ",".join(f"v{i}" for i in range(1000)), "age:x", "nobody:x=y", "age:a=b,b",
                  "age:a=b, c", "age:a= b", "age:a=b\tc"):
        ended = subprocess.run([b.podiumd, "--data", b.work / "labels-wrong", "--collection", b.age, "--label", wrong],
                               capture_output=True, text=True)
        assert ended.returncode == 1 and "--label" in ended.stderr, (wrong, ended)


def case_estimates_are_those_of_the_program(b):
    """The same keys in the same order and the same numbers as podium estimate, from the state that the server gives."""
    reports = b.reports(b.speed, [x / 10 for x in VALUES])
    questions = [{}, {"confidence": "0.9", "interval": "guaranteed"}, {"interval": "anytime", "population": "true"},
                 {"histogram": "5", "quantiles": "0.1,0.5", "below": "3,4.5"}, {"dishonest": "10"}]
    with b.server("estimates", "--open", "--label", "speed:half=a,b") as s:
        s.post("speed", {"reports": reports[:2000], "labels": {"half": "a"}})
        s.post("speed", {"reports": reports[2000:], "labels": {"half": "b"}})
        for name in ("", "a", "b"):
            query = {"label": f"half:{name}"} if name else {}
            b.work.joinpath(f"state-{name}").write_bytes(s.get("/v1/collections/speed/state", **query).bytes)
        for question in questions:
            options = [f"--{k}" if v == "true" else f"--{k}={v}" for k, v in question.items()]
            expected = b.run("estimate", "--format", "json", *options, b.work / "state-").stdout
            answer = s.get("/v1/collections/speed/estimate", **question)
            assert answer.bytes == expected, (question, answer.bytes, expected)
        expected = json.loads(b.run("difference", "--format", "json", b.work / "state-a", b.work / "state-b").stdout)
        answer = s.get("/v1/collections/speed/difference", by="half").json()
        for record in expected + answer:
            del record["a"], record["b"]
        assert answer == expected and list(answer[0]) == list(expected[0])
        shape = s.get("/v1/collections/speed/distribution").json()
        assert list(shape) == ["n", "confidence", "telling", "quantiles", "histogram"] and len(shape["histogram"]) == 20
        for wrong in ({"confidence": "1"}, {"interval": "usual"}, {"histogram": "0"}, {"quantiles": "2"},
                      {"below": ""}, {"nothing": "1"}, {"from": "yesterday"}, {"from": "2026-02-31"}):
            assert s.get("/v1/collections/speed/estimate", **wrong).problem() == "query-wrong", wrong
        for wrong in ("=1", "force", "&&x=", "force=true=", "%00=1", "force%20=true", "confidence=0.9&confidence=0.8"):
            assert s.get(f"/v1/collections/speed/estimate?{wrong}").problem() == "query-wrong", wrong


def case_data_that_are_not_reports(b):
    with b.server("raw", "--open") as s:
        s.post("speed", {"reports": [5.0] * 1000})
        answer = s.get("/v1/collections/speed/estimate")
        assert (answer.status, answer.problem()) == (409, "not-reports")
        assert s.get("/v1/collections/speed/estimate", force="true").json()["n"] == 1000
        (point,) = s.get("/v1/collections/speed/history").json()  # of which nothing but the number is known
        assert (point["n"], point["problem"]) == (1000, "not-reports") and "mean" not in point
        (point,) = s.get("/v1/collections/speed/history", force="true").json()
        assert point["n"] == 1000 and "mean" in point
        assert s.get("/v1/collections/speed/history", force="maybe").problem() == "query-wrong"


def case_two_outputs_show_only_the_mean(b):
    coin = b.design("coin", "--mechanism", "duchi", "--range", "0:1", "--epsilon", "1")
    with b.server("coin", "--open", collections=[coin]) as s:
        s.post("coin", {"reports": b.reports(coin, [0.5] * 100)})
        assert s.get("/v1/collections/coin/estimate").status == 200
        answer = s.get("/v1/collections/coin/distribution")
        assert (answer.status, answer.problem()) == (422, "mean-only")


def case_states_travel(b):
    reports = b.reports(b.age, VALUES[:500])
    with b.server("from", "--open") as one, b.server("to", "--open") as other:
        one.post("age", {"reports": reports})
        for form in ("text", "bytes"):
            state = one.get(AGE + "/state", format=form).bytes
            answer = other.call("POST", AGE + "/state", state, {"Idempotency-Key": form})
            assert answer.json() == {"accepted": 500, "refused": 0, "duplicate": False}
            answer = other.call("POST", AGE + "/state", state, {"Idempotency-Key": form})
            assert answer.json() == {"accepted": 500, "refused": 0, "duplicate": True}
        assert other.count("age") == (1000, 0)
        answer = other.call("POST", "/v1/collections/speed/state", state)
        assert (answer.status, answer.problem()) == (409, "fingerprint-wrong")
        for wrong in (b"", b"x", b"podium-aggregate:00", state[:-1], state + b"x"):
            assert other.call("POST", AGE + "/state", wrong).problem() in ("body-wrong", "fingerprint-wrong"), wrong


def case_history_and_deleting(b):
    with b.server("history", "--open", "--label", "age:region=north,south") as s:
        s.post("age", {"reports": b.reports(b.age, VALUES[:50]), "labels": {"region": "north"}})
        s.post("age", {"reports": b.reports(b.age, VALUES[:20]), "labels": {"region": "south"}})
        for every, length in (("hour", 13), ("day", 10)):
            points = s.get(AGE + "/history", every=every).json()
            assert sum(p["n"] for p in points) == 70, points
            assert all(p["from"][length:] in (":00:00Z", "T00:00:00Z") for p in points)
            by = s.get(AGE + "/history", every=every, by="region").json()
            assert sum(p["n"] for p in by if p["group"] == "north") == 50
        first = s.get(AGE + "/history", every="hour").json()[0]["from"]
        assert s.count("age", to=first) == (0, 0) and s.count("age", **{"from": first}) == (70, 0)
        assert s.get(AGE + "/history", every="minute").problem() == "query-wrong"
        path = AGE + "/reports"
        assert s.call("DELETE", path).problem() == "query-wrong"
        assert s.call("DELETE", path, **{"from": "2000-01-01"}).problem() == "query-wrong"
        assert s.call("DELETE", path, **{"from": "2000-01-01", "to": first}).json() == {"deleted_sums": 0}
        deleted = s.call("DELETE", path, **{"from": first, "to": "2999-01-01"}).json()["deleted_sums"]
        assert deleted >= 2 and s.count("age") == (0, 0)


def case_an_empty_batch_leaves_nothing(b):
    with b.server("empty", "--open") as s:
        for _ in range(2):
            assert s.post("age", {"reports": []}, key="empty").json()["accepted"] == 0
        assert s.call("POST", AGE + "/state", s.get(AGE + "/state").bytes).json()["accepted"] == 0
        assert s.get(AGE + "/history").json() == []
        assert s.post("age", {"reports": [1e9]}).json()["refused"] == 1  # a refused report is worth a sum
        assert [p["n"] for p in s.get(AGE + "/history").json()] == [0]


def case_what_is_not_there(b):
    with b.server("missing", "--open") as s:
        for path in ("/v1", "/v1/collections/", "/v1/collections/nobody", AGE + "/", AGE + "/nothing", "//"):
            answer = s.get(path)
            assert (answer.status, answer.problem()) == (404, "not-found"), path
        answer = s.call("PUT", AGE + "/reports")
        assert (answer.status, answer.problem()) == (405, "method-wrong")
        assert answer.headers["Allow"] == "POST, DELETE, OPTIONS"
        assert s.call("OPTIONS", AGE + "/reports").status == 204
        assert s.call("HEAD", AGE).status == 200
        answer = s.post("age", "<xml/>", headers={"Content-Type": "text/xml"})
        assert (answer.status, answer.problem()) == (415, "format-unknown")
        answer = s.post("age", "x", headers={"Content-Encoding": "br"})
        assert (answer.status, answer.problem()) == (415, "format-unknown")
        for wrong in ("", "[", "[]", "3", '{"reports": 3}', '{"reports": [1,]}', '{"reports": [01]}', '{"x": 1}',
                      '{"reports": []} x', '{"reports": [], "reports": []}', '{"labels": []}', '{"atomic": 1}',
                      "{" * 100, '{"reports": ' + "[" * 100 + "]" * 100 + "}", '{"fingerprint": "\\ud800"}'):
            answer = s.post("age", wrong)
            assert (answer.status, answer.problem()) == (400, "body-wrong"), wrong
        assert s.post("age", b"\x1f\x8bnonsense", headers={"Content-Encoding": "gzip"}).problem() == "body-wrong"
        assert s.count("age") == (0, 0)


def case_dishonest_devices_are_shown_and_trimmed(b):
    """A fifth of all devices send the greatest report. The mean of the others is 40, with a standard error of 1.6."""
    reports = b.reports(b.age, [40] * 8000)
    with b.server("dishonest", "--open") as s:
        assert s.post("age", {"reports": reports}).status == 200
        honest = s.get(AGE + "/dishonest").json()
        assert honest == {"n": 8000, "dishonest": 0, "cells": []}
        assert s.get(AGE + "/estimate?trim=true").json() == s.get(AGE + "/estimate").json()
        assert s.post("age", {"reports": [max(reports)] * 2000}).status == 200
        shown = s.get(AGE + "/dishonest").json()
        assert shown["n"] == 10000 and 1500 < shown["dishonest"] <= 2000 and len(shown["cells"]) == 1, shown
        cell = shown["cells"][0]
        assert abs(cell["from"] - max(reports)) < 1e-6 and cell["n"] - cell["most"] == shown["dishonest"], shown
        assert s.get(AGE + "/estimate").problem() == "not-reports"
        trimmed = s.get(AGE + "/estimate?trim=true").json()
        assert shown["dishonest"] <= trimmed["trimmed"] <= 2000 and trimmed["n"] == 10000 - trimmed["trimmed"]
        assert trimmed["suspect"] == cell["n"] - trimmed["trimmed"]
        assert abs(trimmed["mean"] - 40) < 6 * 1.6 + trimmed["suspect_influence"]
        assert s.get(AGE + "/distribution?trim=true").json()["trimmed"] == trimmed["trimmed"]
        assert s.get(AGE + "/estimate?trim=perhaps").problem() == "query-wrong"


if __name__ == "__main__":
    run_cases(dict(globals()), Bench(*sys.argv[1:]))
