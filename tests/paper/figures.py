#!/usr/bin/env python3
"""
The data behind each of the paper's six figures, against closed.py: every row, and that densities integrate to 1 and
have the right mean. Figure 6 is seeded; its values and reports are compared with their distributions by Kolmogorov and
Smirnov's distance, each wrong by chance once in 10^6. Then the pictures: whole, well formed, and with one colour for
each mechanism throughout.

  figures.py DIRECTORY
"""
import math
import os
import re
import struct
import sys
import xml.etree.ElementTree as ElementTree
from decimal import Decimal

from closed import HALF, LOG3, LOG9, Laplace, Podium, Staircase, approximate
from common import expect, finish, near, read

TEN_DIGITS = Decimal("6e-10")  # relative, of what %.10g prints


def alike(got, wanted, *what):
    near(Decimal(got), wanted, TEN_DIGITS * abs(wanted), *what)


# ---- 1: the densities of the noise at epsilon 0.5 ----


def figure1(directory):
    rows = read(directory, "figure1.csv")
    laplace, staircase = Laplace(HALF), Staircase(HALF)
    expect([Decimal(row["z"]) for row in rows] == [Decimal(i) / 100 for i in range(-800, 801)], "figure 1: z")
    for row in rows:
        z = Decimal(row["z"])
        alike(row["laplace"], laplace.density(z), "figure 1, Laplace at", z)
        alike(row["staircase"], staircase.density(z), "figure 1, Staircase at", z)

    # Laplace by Simpson's rule, whose error is below 1e-9 here (the kink is on the grid)
    y = [float(row["laplace"]) for row in rows]
    simpson = (y[0] + y[-1] + 4 * sum(y[1:-1:2]) + 2 * sum(y[2:-1:2])) / 300
    near(simpson + 2 * float(laplace.below(Decimal(-8))), 1, 1e-8, "figure 1, the integral of Laplace")
    # Staircase by trapezoids, which miss half a step at each jump at the most
    y = [float(row["staircase"]) for row in rows]
    jumps = sum(abs(a - b) for a, b in zip(y, y[1:]))
    total = sum(y) / 100 - (y[0] + y[-1]) / 200 + 2 * float(staircase.below(Decimal(-8)))
    near(total, 1, jumps / 200, "figure 1, the integral of Staircase")


# ---- 2 and 3: Podium at epsilon log 9 ----


def integrals(points):
    """Of a density that is constant between points, and of it times y"""
    pieces = [(a, b, f) for (a, f), (b, g) in zip(points, points[1:]) if a < b and f == g]
    return sum((b - a) * f for a, b, f in pieces), sum((b * b - a * a) / 2 * f for a, b, f in pieces)


def check_shape(points, wanted, x, name):
    expect(len(points) == len(wanted), name, "has", len(points), "points")
    for (y, f), (wanted_y, wanted_f) in zip(points, wanted):
        alike(y, wanted_y, name, "y")
        alike(f, wanted_f, name, "density at", y)
    mass, mean = integrals(points)
    near(mass, 1, Decimal("2e-9"), name, "integral")
    near(mean, x, Decimal("2e-9"), name, "mean")


def figures2_3(directory):
    p = Podium(LOG9)
    end, high = p.m / 2, p.d * p.e
    rows = read(directory, "figure2.csv")
    expect(len(rows) == 32, "figure 2 has", len(rows), "rows")
    for i, x in enumerate((-HALF, Decimal(-1) / 6, Decimal(1) / 6, HALF)):
        mine = rows[8 * i : 8 * i + 8]
        for row in mine:
            alike(row["x"], x, "figure 2, x")
        t = p.step(x)
        wanted = [(-end, 0), (-end, p.d), (t, p.d), (t, high), (t + p.w, high), (t + p.w, p.d), (end, p.d), (end, 0)]
        check_shape([(Decimal(row["y"]), Decimal(row["density"])) for row in mine], wanted, x, "figure 2, x = %.3f" % x)

    t = p.step(HALF)
    near(t + p.w, end, Decimal("1e-40"), "the right end of the extreme right step")
    wanted = [(-end, 0), (-end, p.d), (t, p.d), (t, high), (end, high), (end, 0)]
    points = [(Decimal(row["y"]), Decimal(row["density"])) for row in read(directory, "figure3.csv")]
    check_shape(points, wanted, HALF, "figure 3")


# ---- 4 and 5: s, and the variances ----


def figure4(directory):
    rows = read(directory, "figure4.csv")
    expect([Decimal(row["epsilon"]) for row in rows] == [Decimal(i) / 20 for i in range(1, 201)], "figure 4: epsilon")
    for row in rows:
        epsilon = Decimal(row["epsilon"])
        alike(row["exact"], Podium(epsilon).s, "figure 4, s at", epsilon)
        alike(row["approximate"], epsilon / 3, "figure 4, s at", epsilon)


def figure5(directory):
    rows = read(directory, "figure5.csv")
    expect(len(rows) == 404, "figure 5 has", len(rows), "rows")
    for i, epsilon in enumerate((HALF, LOG3, Decimal(5), Decimal(10))):
        shapes = {"laplace": Laplace(epsilon), "staircase": Staircase(epsilon), "podium": Podium(epsilon),
                  "podium_approximate": approximate(epsilon)}
        for name in ("podium", "podium_approximate"):
            near(shapes[name].edge_variance(), shapes[name].variance(HALF), Decimal("1e-40"), "two formulas of", name)
        for k, row in enumerate(rows[101 * i : 101 * i + 101]):
            x = Decimal(k) / 100 - HALF
            alike(row["epsilon"], epsilon, "figure 5, epsilon")
            near(Decimal(row["x"]), x, 0, "figure 5, x")
            for name, shape in shapes.items():
                alike(row[name], shape.variance(x), "figure 5, epsilon", row["epsilon"], "x", row["x"], name)


# ---- 6: the simulation ----

DISTANCE = math.sqrt(math.log(2 / 1e-6) / 2 / 10000)  # Dvoretzky, Kiefer, Wolfowitz and Massart: exceeded once in 10^6
LAST_DIGIT = 5e-6  # of values and reports


def distance(uniform):
    """From the uniform distribution, Kolmogorov and Smirnov's"""
    n = len(uniform)
    return max(max((i + 1) / n - u, u - i / n) for i, u in enumerate(sorted(uniform)))


def sample_variance(numbers):
    mean = math.fsum(numbers) / len(numbers)
    return math.fsum((x - mean) ** 2 for x in numbers) / (len(numbers) - 1)


def beta22_below(value):
    u = value + 0.5
    return u * u * (3 - 2 * u)


def below(mechanism, epsilon):
    """The cumulative distribution of a report y from x. In doubles, for speed: that of Podium is linear in pieces."""
    if mechanism == "podium":
        p = Podium(epsilon)
        d, w, e, q, half = float(p.d), float(p.w), float(p.e), float(p.q), float(p.m) / 2
        return lambda x, y: d * (y + half + (e - 1) * min(max(y - (x / q - w / 2), 0), w))
    noise = Laplace(epsilon) if mechanism == "laplace" else Staircase(epsilon)
    return lambda x, y: float(noise.below(Decimal(y - x)))


def figure6(directory):
    rows = read(directory, "figure6.csv")
    panels = read(directory, "simulation.csv")
    order = [(mechanism, epsilon) for epsilon in ("1", "5") for mechanism in ("laplace", "staircase", "podium")]
    expect(len(rows) == 60000, "figure 6 has", len(rows), "rows")
    expect([(panel["mechanism"], panel["epsilon"]) for panel in panels] == order, "simulation.csv: the panels")
    values = [float(row["x"]) for row in rows[:10000]]
    expect(min(values) >= -0.5 and max(values) <= 0.5, "figure 6: a value is out of range")
    expect(distance([beta22_below(x) for x in values]) < DISTANCE, "figure 6: the values are not Beta(2, 2)")
    for i, (mechanism, epsilon) in enumerate(order):
        name = "figure 6, %s, epsilon %s:" % (mechanism, epsilon)
        mine = rows[10000 * i : 10000 * i + 10000]
        expect(all((row["mechanism"], row["epsilon"]) == (mechanism, epsilon) for row in mine), name, "other rows")
        expect([float(row["x"]) for row in mine] == values, name, "the people are others")
        reports = [float(row["report"]) for row in mine]
        if mechanism == "podium":
            end = float(Podium(Decimal(epsilon)).m) / 2
            expect(max(map(abs, reports)) <= end + LAST_DIGIT, name, "a report is outside the support")
        cumulative = below(mechanism, Decimal(epsilon))
        far = distance([cumulative(x, y) for x, y in zip(values, reports)])
        expect(far < DISTANCE, name, "the reports are", far, "from their distribution")
        printed, variance = float(panels[i]["variance_of_one_draw"]), sample_variance(reports)
        near(variance, printed, 2 * math.sqrt(variance) * LAST_DIGIT + 1e-8, name, "variance")


# ---- The pictures ----

L, S, P, A = "laplace", "staircase", "podium", "podium-approximate"
# What each plot in a picture is of, in its order. (Figure 2 draws area and outline, figure 5 ends with its key.)
PLOTS = {1: [S, L], 2: [P] * 8, 3: [P] * 2, 4: [P, A], 5: [L, S, P, A] * 5, 6: [L, S, P] * 2}
TITLES = {1: ["Staircase", "Laplace"], 4: ["exact", "ε/3"],
          5: ["Laplace", "Staircase", "Podium, exact", "Podium, approximate"]}


def plots(root):
    """The title and the colours of each plot: gnuplot puts each in a group of its own."""
    for group in root.iter("{http://www.w3.org/2000/svg}g"):
        if group.get("id", "").startswith("gnuplot_plot_"):
            colours = {re.sub(r"\s", "", value) for element in group.iter() for value in element.attrib.values()
                       if value.startswith("rgb(")}
            yield group.findtext("{http://www.w3.org/2000/svg}title"), colours


def pictures(directory):
    colours = {}
    for figure, mechanisms in PLOTS.items():
        path = os.path.join(directory, "figure%d" % figure)
        root = ElementTree.parse(path + ".svg").getroot()
        drawn = list(plots(root))
        expect(len(drawn) == len(mechanisms), path, "has", len(drawn), "plots")
        titles = TITLES.get(figure, [])
        expect([title for title, _ in drawn][len(drawn) - len(titles):] == titles, path, "has titles", drawn)
        for mechanism, (_, its) in zip(mechanisms, drawn):
            colours.setdefault(mechanism, set()).update(its)
            expect(len(its) == 1, path, mechanism, "is drawn in", its)
        with open(path + ".svg", encoding="utf-8") as file:
            expect(os.path.abspath(directory) not in file.read(), path, "tells where it was made")
        with open(path + ".png", "rb") as file:
            png = file.read()
        box = [float(x) for x in root.get("viewBox").split()]
        expect(png[:8] == b"\x89PNG\r\n\x1a\n" and png[-8:-4] == b"IEND", path, "is no whole PNG")
        expect(struct.unpack(">II", png[16:24]) == (box[2] * 1.5, box[3] * 1.5), path, "PNG and SVG differ in size")
    for mechanism, its in colours.items():
        expect(len(its) == 1, mechanism, "has several colours:", its)
    expect(len(set.union(*colours.values())) == 4, "two mechanisms have the same colour:", colours)

    # The variances written in the panels of figure 6
    written = re.findall(r"variance ([0-9.]+)<", open(os.path.join(directory, "figure6.svg"), encoding="utf-8").read())
    told = ["%.3f" % float(panel["variance_of_one_draw"]) for panel in read(directory, "simulation.csv")]
    expect(written == told, "figure 6 says", written, "and simulation.csv", told)


def main():
    (directory,) = sys.argv[1:]
    figure1(directory)
    figures2_3(directory)
    figure4(directory)
    figure5(directory)
    figure6(directory)
    pictures(directory)
    finish("figures")


main()
