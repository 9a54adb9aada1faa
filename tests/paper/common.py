"""What the scripts in this directory share: reading what `podium paper` wrote, and counting what is wrong with it."""
import csv
import os
import sys

wrong = 0
checks = 0


def read(directory, name):
    """A CSV file as a list of dictionaries, whose rows all have as many fields as the head."""
    with open(os.path.join(directory, name), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True, restkey="", restval=None))
    for number, row in enumerate(rows, 2):
        if "" in row or None in row.values():
            sys.exit("%s, line %d: not as many fields as the head" % (name, number))
    return rows


def expect(right, *what):
    global wrong, checks
    checks += 1
    if not right:
        wrong += 1
        if wrong <= 20:
            print("WRONG:", *what)


def near(got, wanted, tolerance, *what):
    """Absolute tolerance. Written so that a NaN is wrong."""
    expect(abs(got - wanted) <= tolerance, *what, "is", got, "and should be", wanted, "within", tolerance)


def finish(name):
    print("%s: %d checks, %d wrong" % (name, checks, wrong))
    sys.exit(wrong > 0)
