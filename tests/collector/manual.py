#!/usr/bin/env python3
"""Compares podiumd(1) with the table of options. At the end it makes mistakes on purpose, and must find each.

    manual.py PODIUMD PODIUM WORK-DIR MANUAL
"""
import pathlib
import re
import subprocess
import sys

podiumd, page = sys.argv[1], pathlib.Path(sys.argv[4]).read_text()
listed = subprocess.run([podiumd, "--list-options"], check=True, capture_output=True, text=True).stdout
options = {line.split("\t")[0]: line.split("\t")[1].lower() for line in listed.splitlines()}
options.update({"--help": "", "--version": ""})


def complaints(text):
    documented = {}
    tags = [tag for line in re.findall(r"^\.It Fl (.*)$", text, re.M) for tag in line.split(" , Fl ")]
    for name, argument in (re.fullmatch(r"-(\S+)(?: (.*))?", tag).groups(default="") for tag in tags):
        documented["--" + name] = re.sub(r"\b(Ar|Cm) ", "", argument).replace(" ", "").lower()
    for option in options.keys() - documented.keys():
        yield f"{option} is not documented"
    for option in documented.keys() - options.keys():
        yield f"{option} is documented, but podiumd does not know it"
    for option in options.keys() & documented.keys():
        if options[option] != documented[option]:
            yield f"the argument of {option} is '{documented[option]}' here and '{options[option]}' in podiumd"


wrong = list(complaints(page))
for right, mistake in ((".It Fl -rate Ar n\n", ""), (".It Fl -rate Ar n\n", ".It Fl -rates Ar n\n"),
                       (".It Fl -period Cm hour | day\n", ".It Fl -period Cm hour | week\n")):
    if page.count(right) != 1 or not list(complaints(page.replace(right, mistake))):
        wrong.append(f"'{mistake.strip()}' instead of '{right.strip()}' is not found")
for complaint in wrong:
    print("manual.py:", complaint, file=sys.stderr)
print(f"manual: {len(options)} options, {len(wrong)} complaints")
sys.exit(1 if wrong else 0)
