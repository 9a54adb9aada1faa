#!/usr/bin/env python3
"""Compares csv.c with Python's csv module, on thousands of nasty files that are read in chunks of every size.

    csv_oracle.py CSV_DUMP

The two differ by design in a few points. A blank line is a row without fields for Python, but has one empty field
here. The files contain no zero bytes, which some versions of Python reject, and no lone carriage returns, which end a
line for Python. A byte order mark does not belong to a field here, so Python gets the file without it, and finds no
row if there is nothing else.
"""
import csv
import io
import random
import struct
import subprocess
import sys

FILES = 6000
csv.field_size_limit(1 << 24)


def nasty(rng, separator):
    parts = [separator] * 4 + ['"'] * 3 + ["\n"] * 3 + ["\r\n", '""', '"\n', '"\r\n', separator + '"', '"' + separator,
             "a", "12", "-3.5", " ", ",", ";", "\t", "é", "日本", "😀", "\ufeff", "'", "\\"]
    text = "".join(rng.choices(parts, k=rng.choice((0, 1, 2, 5, 20, 80))))
    if rng.random() < 0.02:
        text += '"' * rng.randint(0, 1) + "long" * rng.randint(1, 100000) + rng.choice(parts) * 2 + "1\n"
    return rng.choice(("", "", "", "\ufeff")) + text + rng.choice(("", "\n", "\r\n"))


def quoted(rng, separator):
    """Returns a file as a program would write it."""
    to = io.StringIO(newline="")
    writer = csv.writer(to, delimiter=separator, quoting=rng.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL)),
                        lineterminator=rng.choice(("\n", "\r\n")))
    fields = ("", "x", "1.5", 'say "hi"', "two\nlines", "two\r\nlines", "a,b;c\td", "ü")
    writer.writerows(rng.choices(fields, k=rng.randint(1, 5)) for _ in range(rng.randint(0, 8)))
    return to.getvalue()


def expected(text, separator):
    marked = text.startswith("\ufeff")
    text = text[marked:]
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=False)
    found = [[field.encode() for field in row] or [b""] for row in rows]
    return found or ([[b""]] if marked else [])


def records(stream):
    def number():
        return struct.unpack("<I", stream.read(4))[0]

    found = []
    while (fields := number()) != 0xFFFFFFFF:
        found.append([stream.read(number()) for _ in range(fields)])
    return found


def main():
    rng = random.Random(20240229)
    files = []
    for i in range(FILES):
        separator = rng.choice(",,,;\t|")
        files.append((separator, (quoted if i % 4 == 0 else nasty)(rng, separator)))
    fed = b"".join(struct.pack("<III", ord(separator), rng.getrandbits(32), len(text.encode())) + text.encode()
                   for separator, text in files)
    out = io.BytesIO(subprocess.run([sys.argv[1]], input=fed, stdout=subprocess.PIPE, check=True).stdout)
    wrong = 0
    for separator, text in files:
        ours, theirs = records(out), expected(text, separator)
        if ours != theirs:
            wrong += 1
            if wrong <= 5:
                print(f"separator {separator!r}, file {text[:300]!r}\n  ours   {ours!r:.500}\n  theirs {theirs!r:.500}")
    print(f"{FILES - wrong} files read alike, {wrong} not")
    return wrong > 0


sys.exit(main())
