#!/usr/bin/env python3
"""/metrics by the conventions of Prometheus; and every metric that the dashboard and the documented alerts name exists.
promtool, where it is there, parses all of them.

    prometheus.py PODIUMD PODIUM WORK-DIR SOURCE-DIR
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

from server import Bench, run_cases

SOURCE = pathlib.Path(sys.argv.pop())
PROMTOOL = shutil.which("promtool")


def promtool(*arguments, given=None):
    if PROMTOOL is None:
        print("promtool is missing; only the names were compared")
        return
    ended = subprocess.run([PROMTOOL, *map(str, arguments)], input=given, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0 and not ended.stderr, (arguments, ended.stdout, ended.stderr)


def expressions():
    """Returns the expressions of the dashboard."""
    def walk(node):
        if isinstance(node, dict):
            for key in ("expr", "query"):
                if isinstance(node.get(key), str) and "podiumd_" in node[key]:
                    yield node[key]
            node = node.values()
        for child in node if not isinstance(node, (str, int, float, bool, type(None))) else ():
            yield from walk(child)
    return list(walk(json.loads((SOURCE / "collector/grafana.json").read_text())))


def documented():
    """Returns the scrape configuration and the rules of the manual."""
    return re.findall(r"^```yaml\n(.*?)^```", (SOURCE / "docs/collector.md").read_text(), re.M | re.S)


def names_in(text):
    return set(re.findall(r"\bpodiumd_[a-z_]+\b", text))


def case_names(b):
    with b.server("names", "--open") as s:
        s.post("age", {"codes": b.codes(b.age, [30]) + [999]}, key="a")
        text = s.get("/metrics").bytes.decode()
    promtool("check", "metrics", given=text)
    kinds = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.M))
    helped = set(re.findall(r"^# HELP (\S+) .+\.$", text, re.M))
    assert helped == set(kinds), helped ^ set(kinds)
    exist = set(kinds)
    for name, kind in kinds.items():
        assert name.startswith("podiumd_") and name.endswith("_total") == (kind == "counter"), name
        if kind == "histogram":
            exist |= {f"{name}_{part}" for part in ("bucket", "sum", "count")}
    shown = set().union(*(names_in(expression) for expression in expressions()))
    assert len(shown) > 10 and shown <= exist, shown - exist
    of_alerts = names_in(" ".join(re.findall(r"expr: (?:>-\n)?(.*?)\n *(?:for|annotations):", documented()[1], re.S)))
    assert len(of_alerts) >= 6 and of_alerts <= exist, of_alerts
    # each metric is on the dashboard, except those that only say more of the same
    forgotten = set(kinds) - {re.sub("_(bucket|sum|count)$", "", name) for name in shown}
    assert forgotten <= {"podiumd_batches_total"}, forgotten


def case_expressions(b):
    scrape, rules = documented()
    (b.work / "podiumd-rules.yml").write_text(rules)
    (b.work / "prometheus.yml").write_text(scrape)
    promtool("check", "config", b.work / "prometheus.yml")
    promtool("check", "rules", b.work / "podiumd-rules.yml")
    # those of the dashboard, with values for the variables that Grafana fills in
    lines = ["groups:", "  - name: dashboard", "    rules:"]
    for i, expression in enumerate(e for e in expressions() if not e.startswith("label_values")):
        for variable, value in (("$__rate_interval", "1m"), ("$job", ".*"), ("$instance", ".*"), ("$collection", ".*")):
            expression = expression.replace(variable, value)
        lines += [f"      - record: panel:{i}", f"        expr: {json.dumps(expression)}"]
    (b.work / "dashboard.yml").write_text("\n".join(lines).replace("panel:", "panel_") + "\n")
    promtool("check", "rules", b.work / "dashboard.yml")


def case_alerts_fire(b):
    """A store that is away for two minutes, and refused reports that are a tenth of all, are noticed."""
    (b.work / "podiumd-rules.yml").write_text(documented()[1])
    (b.work / "test.yml").write_text("""
rule_files: [podiumd-rules.yml]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - {series: 'podiumd_store_away{instance="a"}', values: '0 0 1 1 1 1 1 1'}
      - {series: 'podiumd_reports_accepted_total{collection="age"}', values: '0+90x60'}
      - {series: 'podiumd_reports_refused_total{collection="age"}', values: '0+10x60'}
    alert_rule_test:
      - {eval_time: 1m, alertname: PodiumdStoreAway, exp_alerts: []}
      - eval_time: 4m
        alertname: PodiumdStoreAway
        exp_alerts: [{exp_labels: {instance: a}, exp_annotations: {summary: "the store of a cannot be written; is the disk full?"}}]
      - eval_time: 40m
        alertname: PodiumdReportsRefused
        exp_alerts: [{exp_labels: {collection: age}, exp_annotations: {summary: "one in twenty reports of age cannot be a report: other devices, or an attack"}}]
""")
    promtool("test", "rules", b.work / "test.yml")


if __name__ == "__main__":
    run_cases(dict(globals()), Bench(*sys.argv[1:]))
