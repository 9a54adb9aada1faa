#!/usr/bin/env python3
"""
Every printed entry of the paper's two tables, against the 40-digit values in tests/data: that the computed column is
right to the last bits of a double, and that the entries listed below are the ones printed wrong, all of them and no
others. The lists were made from tests/data, not from the program, whose `wrong` columns and errata.md must agree.

  tables.py DIRECTORY TESTS-DATA
"""
import csv
import os
import sys
from decimal import Decimal, ROUND_HALF_EVEN, getcontext

from common import expect, finish, near, read

getcontext().prec = 60
COMPUTED = Decimal("2e-15")  # relative; a double's own rounding is 1.1e-16
FIFTEEN = Decimal("1e-15")  # relative: right to 15 significant digits

# Of Table 1's 220 numbers, those that are not right to 15 digits: what is printed, and what is so
TABLE1_WRONG = {
    ("0.30", "w"): ("6.43742941938802015756", "6.43742941938801328998"),
    ("0.30", "s"): ("0.07510487916229519056", "0.07510487916229718217"),
    ("0.40", "w"): ("4.77715888034102764692", "4.77715888034101867552"),
    ("0.40", "s"): ("0.10024752738247424966", "0.10024752738247742209"),
    ("0.50", "s"): ("0.12548078156807165873", "0.12548078156807232560"),
    ("0.60", "s"): ("0.15082522671169806827", "0.15082522671169845230"),
    ("0.70", "s"): ("0.17630015488348824149", "0.17630015488348850706"),
    ("0.80", "s"): ("0.20192338579646795793", "0.20192338579646816122"),
}

# Of Table 2's 114 numbers, those that are not rounded from what is so
TABLE2_WRONG = {
    ("0.30", "podium/laplace"): ("0.6635", "0.66355227"),
    ("0.30", "edge/staircase"): ("0.6661", "0.66604618"),
    ("0.40", "staircase/laplace"): ("0.9933", "0.99335122"),
    ("0.80", "approximate/exact"): ("1.0022", "1.00214548"),
    ("1", "middle/edge"): ("0.7370", "0.73705352"),
    ("1", "staircase/laplace"): ("0.9590", "0.95905177"),
    ("1", "edge/staircase"): ("0.6603", "0.66024605"),
    ("5", "middle/edge"): ("0.5143", "0.51435481"),
    ("20", "approximate/exact"): ("1.0498", "1.04985395"),
    ("40", "approximate/exact"): ("1.0500", "1.04993411"),
    ("40", "edge/staircase"): ("0.6299", "0.62996019"),
    ("50", "approximate/exact"): ("1.0417", "1.04993420"),
    ("50", "middle/edge"): ("0.4977", "0.50000000"),
    ("50", "middle/staircase"): ("0.3153", "0.31498026"),
    ("50", "edge/staircase"): ("0.6335", "0.62996051"),
}

TABLE1_LABELS = ["%.2f" % (i / 10) for i in range(1, 51)] + ["%d.00" % i for i in range(6, 11)]
TABLE1_COLUMNS = ["exp", "d", "w", "m", "s"]
TABLE2_LABELS = (["0.%d0" % i for i in range(1, 10)] + ["1", "log 3", "log 16", "log 32"]
                 + ["5", "10", "20", "30", "40", "50"])
TABLE2_COLUMNS = ["approximate/exact", "middle/edge", "podium/laplace", "staircase/laplace", "middle/staircase",
                  "edge/staircase"]


def exact_values(data, name):
    """Rows by epsilon as a number; log(3) and so on, by their label."""
    with open(os.path.join(data, name), newline="") as file:
        rows = [row for row in csv.DictReader(file) if row.get("variant", "podium") == "podium"]
    return {row["label"] if "log" in row["label"] else Decimal(row["label"]): row for row in rows}


def row_of(exact, label):
    return exact["log(%s)" % label[4:] if label.startswith("log ") else Decimal(label)]


def rounded(value, decimals):
    return value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN)


def check_entries(rows, labels, columns):
    expect([(row["epsilon"], row["column"]) for row in rows] == [(a, b) for a in labels for b in columns],
           "the entries of the table are not the paper's, in its order")


def check_wrong(name, found, listed):
    for entry in sorted(set(found) | set(listed)):
        expect(entry in listed, name, entry, "is wrong and not listed:", found.get(entry))
        expect(entry in found, name, entry, "is listed as wrong and is not")
        expect(found.get(entry) == listed.get(entry), name, entry, "is", found.get(entry), "not", listed.get(entry))


def check_table1(directory, exact):
    rows = read(directory, "table1.csv")
    check_entries(rows, TABLE1_LABELS, TABLE1_COLUMNS)
    found, numbers, to_the_last = {}, 0, 0
    for row in rows:
        entry = row["epsilon"], row["column"]
        printed, computed = Decimal(row["printed"]), Decimal(float(row["computed"]))
        if row["column"] == "exp":
            so = Decimal(row["epsilon"]).exp()
            expect(printed == rounded(so, 2), "table 1", entry, "is printed", printed, "and is", so)
            is_wrong = False
        else:
            so = Decimal(row_of(exact, row["epsilon"])[row["column"]])
            numbers += 1
            to_the_last += printed == rounded(so, 20)
            is_wrong = abs(printed - so) > FIFTEEN * so
            if is_wrong:
                found[entry] = row["printed"], str(rounded(so, 20))
        near(computed, so, COMPUTED * so, "table 1", entry)
        off = (printed - so) / so  # told to two digits, beside the computed number
        near(Decimal(row["relative_difference"]), off, COMPUTED + abs(off) / 20, "table 1, difference", entry)
        expect(row["wrong"] == ("yes" if is_wrong else "no"), "table 1", entry, "says wrong:", row["wrong"])
        expect((row["cause"] != "") == is_wrong, "table 1", entry, "has the cause", row["cause"])
    check_wrong("table 1", found, TABLE1_WRONG)
    expect(numbers == 220, "table 1 has", numbers, "numbers")
    expect(to_the_last == 0, "table 1:", to_the_last, "numbers are right in all 20 decimals; the errata say none")
    print("table 1: of %d numbers %d are right in all 20 decimals, %d to 15 digits, %d are not"
          % (numbers, to_the_last, numbers - len(found), len(found)))


def check_table2(directory, exact):
    rows = read(directory, "table2.csv")
    check_entries(rows, TABLE2_LABELS, TABLE2_COLUMNS)
    found = {}
    for row in rows:
        entry = row["epsilon"], row["column"]
        # The reference values call the middle of the range its centre
        so = Decimal(row_of(exact, row["epsilon"])[row["column"].replace("middle", "centre")])
        near(Decimal(float(row["computed"])), so, COMPUTED * so, "table 2", entry)
        is_wrong = Decimal(row["printed"]) != rounded(so, 4)
        if is_wrong:
            found[entry] = row["printed"], str(rounded(so, 8))
        expect(row["wrong"] == ("yes" if is_wrong else "no"), "table 2", entry, "says wrong:", row["wrong"])
        expect((row["cause"] != "") == is_wrong, "table 2", entry, "has the cause", row["cause"])
    check_wrong("table 2", found, TABLE2_WRONG)
    print("table 2: of %d numbers %d are wrong" % (len(rows), len(found)))


def check_errata(directory):
    """errata.md lists the entries of Table 2 by the column's number, the first being epsilon."""
    with open(os.path.join(directory, "errata.md"), encoding="utf-8") as file:
        line = [line for line in file if line.startswith("**Table 2.**")]
    listed = "; ".join("%s (column %d): %s should be %s" % (label, TABLE2_COLUMNS.index(column) + 2, printed,
                                                            rounded(Decimal(so), 4))
                       for (label, column), (printed, so) in TABLE2_WRONG.items())
    expect(len(line) == 1 and ": " + listed + ". The rows" in line[0], "errata.md does not list", listed)


def main():
    directory, data = sys.argv[1:]
    check_table1(directory, exact_values(data, "shape.csv"))
    check_table2(directory, exact_values(data, "efficiency.csv"))
    check_errata(directory)
    finish("tables")


main()
