#!/usr/bin/python3
"""
How far the estimated distribution is from the truth, beside Square Wave with EMS in 256 bins (peer.py), as Wasserstein
distances in units of the value range: the area between the two cumulative distributions.

  measure.py [OPTION...] ESTIMATE-PROGRAM

Prints a table in Markdown, and fails if the estimate is not as much better as docs/estimation.md promises. Its
interpreter is Debian's own, because Debian's python3-numpy belongs to that.
"""
import argparse
import concurrent.futures
import csv
import os
import subprocess
import sys
import zlib

import numpy as np

import peer
import populations

SHARES = 512  # PODIUM_SHARES
MECHANISMS = ("square-wave", "podium")
POINTS = (np.arange(4096) + 0.5) / 4096  # where cumulative distributions are compared
COUNTS = [10**4, 10**5, 10**6]  # of the values
EPSILONS, EPSILONS_OF_FLIGHTS = (0.5, 1, 2, 4), (1, 2)
SMOOTH = ("smooth", "uniform")  # these hardly vary within a bin of the peer, so its channel can be checked with them
CHI_SQUARED_SIGMAS = 7  # 48 comparisons, false alarms below 1e-7 in all
FIELDS = ("population", "epsilon", "n", "repetitions", "square_wave", "square_wave_ems", "podium", "podium_ems")

# The readings: what is divided by what
SAME = "Podium, same reports"
READINGS = {
    "Square Wave": ("square_wave", "square_wave_ems"),
    "Podium": ("podium", "square_wave_ems"),
    SAME: ("podium", "podium_ems"),
}

# What is promised: a reading's geometric mean, and its largest cell. With a part of the numbers of values, which `make
# check` measures in seconds, and with the flights, which are only four cells, less is promised.
ANY = float("inf")
PROMISES_OF_ALL = (("Square Wave", 0.8, 1.2), ("Podium", 0.8, ANY), (SAME, 0.8, ANY))
PROMISES_OF_PART = (("Square Wave", 0.8, ANY), (SAME, 0.8, ANY))
PROMISES_OF_FLIGHTS = (("Square Wave", 1, ANY), (SAME, 1, ANY))


def distance(shares, truth):
    edges = np.linspace(0, 1, len(shares) + 1)
    below = np.concatenate([[0], np.cumsum(shares)])
    return np.abs(np.interp(POINTS, edges, below) - truth).mean()


def checked_truth(name, values, cdf):
    """The truth at POINTS. The values must come from it: their own distance is at most 1/(2 sqrt(n)) on average."""
    truth = cdf(POINTS)
    below = np.searchsorted(np.sort(values), POINTS, side="right") / len(values)
    if np.abs(below - truth).mean() > 3 / np.sqrt(len(values)):
        sys.exit("measure.py: the values of '%s' do not have its distribution" % name)
    return truth


def estimates(program, seed, specs, blocks):
    """The width of each spec's step, and arrays [block][spec] of the estimated shares and of the reports' counts."""
    with subprocess.Popen([program, str(seed), *specs], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        def receive(n):
            return np.frombuffer(process.stdout.read(8 * n))

        widths, answers = receive(len(specs)), []
        for values in blocks:
            process.stdin.write(np.array([len(values)], float).tobytes() + values.tobytes())
            process.stdin.flush()
            answers.append(receive(len(specs) * (SHARES + peer.BINS)).reshape(len(specs), -1))
        process.stdin.close()
    if process.returncode != 0:
        sys.exit("measure.py: %s failed" % program)
    answers = np.array(answers)
    return widths, answers[:, :, :SHARES], answers[:, :, SHARES:]


def check_channel(matrix, counts, cdf):
    """Exits if the peer's channel is not that of the reports, which would make the peer look bad: Pearson's chi-squared."""
    expected = matrix @ np.diff(cdf(np.linspace(0, 1, peer.BINS + 1))) * counts.sum()
    freedom = peer.BINS - 1
    if ((counts - expected) ** 2 / expected).sum() > freedom + CHI_SQUARED_SIGMAS * np.sqrt(2 * freedom):
        sys.exit("measure.py: the peer's channel is not that of the reports")


def peer_width(mechanism, epsilon, width):
    """The peer computes Square Wave's step itself; the steps of others are as the library says."""
    if mechanism != "square-wave":
        return width
    wanted = peer.square_wave_width(epsilon)
    if abs(width - wanted) > 1e-9 * wanted:
        sys.exit("measure.py: the step of Square Wave is %r wide, and should be %r" % (width, wanted))
    return wanted


def measure(arguments, name, population, n, epsilons):
    """The cells of one population and number of values, one for each epsilon, with the distances of all repetitions."""
    draw, cdf = population
    seed = zlib.crc32(("%s, %d" % (name, n)).encode(), arguments.seed)
    random = np.random.RandomState(seed)
    cases = [(mechanism, epsilon) for epsilon in epsilons for mechanism in MECHANISMS]
    truth = checked_truth(name, draw(random, n), cdf)
    widths, shares, counts = estimates(arguments.program, seed, ["%s epsilon=%g range=0:1" % case for case in cases],
                                       (draw(random, n) for _ in range(arguments.repetitions)))
    cells = {epsilon: {"population": name, "epsilon": epsilon, "n": n, "repetitions": arguments.repetitions}
             for epsilon in epsilons}
    for i, (mechanism, epsilon) in enumerate(cases):
        matrix = peer.channel(epsilon, peer_width(mechanism, epsilon, widths[i]))
        if name in SMOOTH:
            check_channel(matrix, counts[0, i], cdf)
        peers = peer.ems(matrix, counts[:, i].T, epsilon).T
        field = mechanism.replace("-", "_")
        cells[epsilon][field] = np.array([distance(one, truth) for one in shares[:, i]])
        cells[epsilon][field + "_ems"] = np.array([distance(one, truth) for one in peers])
    return list(cells.values())


def measure_all(arguments, tasks):
    """All cells, with a line of progress for each task, which is a population's name, the population, n and epsilons."""
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        running = {pool.submit(measure, arguments, *task): task for task in tasks}
        for done, future in enumerate(concurrent.futures.as_completed(running), 1):
            future.result()
            name, _, n, _ = running[future]
            print("%2d of %d: %s, n = %d" % (done, len(running), name, n), file=sys.stderr, flush=True)
    return [cell for future in running for cell in future.result()]


def ratio(cell, reading):
    ours, peers = (cell[field] for field in READINGS[reading])
    return ours.mean() / peers.mean()


def geometric_mean(cells, reading):
    return np.exp(np.mean([np.log(ratio(cell, reading)) for cell in cells]))


def standard_error(cells, reading):
    """Of the geometric mean, if the seed were another. The errors of ours and of the peer come in pairs."""
    pairs = [[cell[field] / cell[field].mean() for field in READINGS[reading]] for cell in cells]
    variances = [np.var(ours - peers, ddof=1) / len(ours) for ours, peers in pairs]
    return geometric_mean(cells, reading) * np.sqrt(np.sum(variances)) / len(cells)


def print_rows(head, rows):
    print("| %s |" % " | ".join(head))
    print("|---" + "|---:" * (len(head) - 1) + "|")
    for row in rows:
        print("| %s |" % " | ".join(row))
    print()


def print_cells(cells):
    """A row for each population and n, a column for each epsilon, and in each cell the ratios of all readings."""
    epsilons = sorted({cell["epsilon"] for cell in cells})
    rows = {}
    for cell in cells:
        label = "{population}, n = {n:,}".format(**cell)
        rows.setdefault(label, {})[cell["epsilon"]] = " · ".join("%.2f" % ratio(cell, reading) for reading in READINGS)
    print_rows(["population"] + ["ε = %g" % epsilon for epsilon in epsilons],
               ([label] + [row.get(epsilon, "") for epsilon in epsilons] for label, row in rows.items()))


def mean_rows(cells, field, label):
    """A row of geometric means for each value of a field."""
    for key in dict.fromkeys(cell[field] for cell in cells):
        some = [cell for cell in cells if cell[field] == key]
        yield [label.format(key)] + ["%.2f" % geometric_mean(some, reading) for reading in READINGS]


def print_means(cells):
    print_rows(["geometric mean of the cells", *READINGS], [
        *mean_rows(cells, "population", "{}"), *mean_rows(cells, "epsilon", "ε = {:g}"),
        *mean_rows(cells, "n", "n = {:,}"),
        ["**all %d cells**, ± standard error" % len(cells)]
        + ["**%.3f** ± %.3f" % (geometric_mean(cells, reading), standard_error(cells, reading)) for reading in READINGS],
        ["the largest cell"] + ["%.2f" % max(ratio(cell, reading) for cell in cells) for reading in READINGS]])


def write_cells(path, cells):
    """The mean distances, in a file that is replaced only when complete."""
    with open(path + ".new", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        for cell in cells:
            writer.writerow({key: "%.6f" % value.mean() if isinstance(value, np.ndarray) else value
                             for key, value in cell.items()})
    os.replace(path + ".new", path)


def broken(promises, cells):
    for reading, mean_most, cell_most in promises:
        mean, most = geometric_mean(cells, reading), max(ratio(cell, reading) for cell in cells)
        if not mean <= mean_most:
            yield "%s: the geometric mean is %.3f, and %g is promised" % (reading, mean, mean_most)
        if not most <= cell_most:
            yield "%s: the largest cell is %.2f, and %g is promised" % (reading, most, cell_most)


def parsed_arguments():
    def numbers(text):
        return [int(float(number)) for number in text.split(",") if number]

    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("program")
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--counts", type=numbers, default=COUNTS, help="numbers of values; may be empty")
    parser.add_argument("--flights", help="flights-200k.json, to measure its columns too")
    parser.add_argument("--csv", help="where to write the cells")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args()


def main():
    arguments = parsed_arguments()
    tasks = [(name, population, n, EPSILONS) for name, population in populations.POPULATIONS.items()
             for n in arguments.counts]
    if arguments.flights:
        columns, n = populations.flights(arguments.flights)
        tasks += [(name, column, n, EPSILONS_OF_FLIGHTS) for name, column in columns.items()]
    cells = measure_all(arguments, tasks)
    if arguments.csv:
        write_cells(arguments.csv, cells)
    print_cells(cells)
    sys.exit(judge(cells, arguments.counts))


def judge(cells, counts):
    """Prints the means, and says which promises are broken. Returns whether any are."""
    drawn = [cell for cell in cells if cell["population"] in populations.POPULATIONS]
    observed = [cell for cell in cells if cell["population"] not in populations.POPULATIONS]
    failures = []
    for some, promises in ((drawn, PROMISES_OF_ALL if set(counts) >= set(COUNTS) else PROMISES_OF_PART),
                           (observed, PROMISES_OF_FLIGHTS)):
        if some:
            print_means(some)
            failures += broken(promises, some)
    print("\n".join(failures) or "All promises are kept.")
    return len(failures) > 0


if __name__ == "__main__":
    main()
