#!/usr/bin/env python3
"""Limits the memory and the work of the program on hostile inputs. The operating system measures memory; valgrind
counts instructions, which do not depend on how busy the machine is.

    costs.py PROGRAM WORK-DIR
"""
import os
import re
import shutil
import subprocess
import sys

program, work = os.path.abspath(sys.argv[1]), sys.argv[2]
COLLECTION = ["--range", "0:10", "--epsilon", "1"]
MEBIBYTE = 1 << 20
failed = False


def expect(what, measured, most):
    global failed
    print(f"{what}: {measured:.3g}, at most {most:.3g}")
    failed |= measured > most


def memory(*arguments):
    """Returns the largest resident set in MiB. It includes that of this script at the start, which is small."""
    command = [program, *arguments]
    pid = os.posix_spawn(program, command, os.environ,
                         file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        sys.exit(f"costs.py: {' '.join(command)} ended with {status}")
    return usage.ru_maxrss / 1024


def instructions(*arguments):
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=counts", "--log-file=log"]
    subprocess.run([*valgrind, program, *arguments], check=True, stdout=subprocess.DEVNULL)
    with open("log") as log:
        return int(re.search(r"Collected : (\d+)", log.read())[1])


def growth(small, large):
    """Returns the ratio of the costs of two runs, without what an empty run costs."""
    start = instructions("help")
    return (instructions(*large) - start) / (instructions(*small) - start)


def write(name, pieces):
    with open(name, "wb") as file:
        for piece in pieces:
            file.write(piece)


def check_memory():
    commas = 16 * MEBIBYTE - 2000
    write("commas.csv", ([b"," * MEBIBYTE] * 15 + [b"," * (commas - 15 * MEBIBYTE) + b"5\n"]) * 10)
    write("digits.csv", [b"0\n" * 500_000] * 20)
    write("pairs.csv", [b"0,0\n" * 500_000] * 10)
    long = ["--column", str(commas + 1), "commas.csv"]
    for threads in "8", "64":
        options = [*COLLECTION, "--threads", threads]
        expect(f"MiB for long lines, {threads} threads", memory("privatize", *options, "--header", "no", *long), 64)
        expect(f"MiB for a long header, {threads} threads", memory("privatize", *options, "--header", "yes", *long), 64 + 34)
        expect(f"MiB to aggregate long lines, {threads} threads",
               memory("aggregate", "--force", *options, "--header", "no", *long), 64)
        tiny = ["--range", "0:1e-8", "--epsilon", "1", "--threads", threads]  # so that reports have many digits
        expect(f"MiB for short lines, {threads} threads", memory("privatize", *tiny, "digits.csv"), 64)
        expect(f"MiB for two columns, {threads} threads",
               memory("privatize", *tiny, "--column", "1", "--column", "2", "pairs.csv"), 64)
        expect(f"MiB for groups, {threads} threads",
               memory("estimate", "--force", *options, "--column", "1", "--by", "2", "--format", "csv", "pairs.csv"), 64)


def check_columns():
    """Twice the columns must cost about twice the work."""
    for columns in 5_000, 10_000:
        write(f"{columns}.csv", [",".join(f"c{i}" for i in range(columns)).encode(), b"\n", b"1," * (columns - 1), b"1\n"])
    runs = [["privatize", *COLLECTION, "--column", f"c{n - 1}", f"{n}.csv"] for n in (5_000, 10_000)]
    expect("work for twice the columns", growth(*runs), 2.5)


def check_groups():
    """Names that collide in a hash of the form 31 x + y must cost no more than others of the same length."""
    pairs = [b"".join(b"Aa" if i >> bit & 1 else b"BB" for bit in range(11)) for i in range(2048)]
    plain = [b"%022d" % i for i in range(2048)]
    for name, groups in ("plain", plain), ("collide", pairs):
        write(f"{name}.csv", [b"%s,5\n" % group for group in groups] * 3)
    runs = [["estimate", "--force", *COLLECTION, "--column", "2", "--by", "1", "--header", "no", "--format", "csv",
             f"{name}.csv"] for name in ("plain", "collide")]
    expect("work for names that collide", growth(*runs), 1.1)


def check_quantiles():
    """The channel for estimating shapes must be made once, not once per group. It takes about 340 million instructions,
    and the estimate of a group 170 million."""
    for groups in 10, 20:
        write(f"{groups}.csv", [b"%d,%d\n" % (i % groups, i % 7) for i in range(60 * groups)])
    runs = [["estimate", "--force", *COLLECTION, "--column", "2", "--by", "1", "--header", "no", "--format", "csv",
             "--quantiles", "0.5", f"{groups}.csv"] for groups in (10, 20)]
    few, many = (instructions(*run) for run in runs)
    expect("million instructions for the quantiles of one more group", (many - few) / 10e6, 260)


shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
os.chdir(work)
check_memory()
check_columns()
check_groups()
check_quantiles()
shutil.rmtree(os.getcwd())
sys.exit(failed)
