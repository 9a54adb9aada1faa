#!/usr/bin/env python3
"""
What the paper proves and says, in the numbers of privacy.csv, high-privacy.csv, low-privacy.csv, simulation.csv,
ages.csv and truncated-noise.csv: every row against closed.py or against integration by Simpson's rule, the last rows
against the limits, which are derived here. And the numbers in errata.md. The simulation is seeded; each of its 18
numbers is wrong by chance once in 10^6.

  theorems.py DIRECTORY
"""
import math
import os
import sys
from decimal import Decimal

from closed import HALF, LOG3, LOG9, Laplace, Podium, Staircase, approximate
from common import expect, finish, near, read

TEN_DECIMALS, SIX_DECIMALS = Decimal("6e-11"), 6e-7


def simpson(f, a, b, pieces=2000):
    h = (b - a) / pieces
    inner = math.fsum((4 if i % 2 else 2) * f(a + i * h) for i in range(1, pieces))
    return h / 3 * (f(a) + f(b) + inner)


# ---- Privacy ----


def privacy(directory):
    rows = read(directory, "privacy.csv")
    expect(len(rows) == 4, "privacy.csv has", len(rows), "rows")
    for row, epsilon in zip(rows, (HALF, Decimal(1), LOG9, Decimal(5))):
        name = "privacy, epsilon %s:" % row["epsilon"]
        near(Decimal(row["epsilon"]), epsilon, Decimal("1e-9"), name)
        down, same, up, other = (int(row[key]) for key in ("e^-epsilon", "1", "e^epsilon", "other"))
        expect(other == 0, name, other, "other ratios")
        expect(down + same + up == 41 * 41 * 401, name, "not all pairs were looked at")
        # At a report, some of the 41 values have their step there: each of those against each of the rest
        p, differing = Podium(epsilon), 0
        for k in range(401):
            y = p.m * (Decimal(k) / 400 - HALF) * (1 - Decimal("1e-12"))
            stepped = sum(p.density(Decimal(i) / 40 - HALF, y) > p.d for i in range(41))
            differing += stepped * (41 - stepped)
        # A report on the very edge of a step may fall on either side
        near(up, differing, 0.002 * differing, name, "e^epsilon")
        expect(up == down, name, "a ratio and its inverse are not as frequent")
        near(Decimal(row["least"]), 1 / epsilon.exp(), Decimal("1e-9"), name, "least")
        near(Decimal(row["most"]) / epsilon.exp(), 1, Decimal("1e-9"), name, "most")


# ---- The two regimes ----


def check_regime(directory, name, epsilons, columns, limits):
    """columns: of epsilon; limits: of columns, and how close the last row must be"""
    rows = read(directory, name)
    expect([Decimal(row["epsilon"]) for row in rows] == epsilons, name, "epsilon")
    for row, epsilon in zip(rows, epsilons):
        wanted = columns(epsilon)
        expect(list(row)[1:] == list(wanted), name, "has columns", list(row))
        for key, value in wanted.items():
            tolerance = Decimal("6e-10") * value if key == "edge/laplace*e^(2epsilon/3)" else TEN_DECIMALS
            near(Decimal(row[key]), value, tolerance, name, epsilon, key)
    for key, (limit, tolerance) in limits.items():
        near(float(rows[-1][key]), limit, tolerance, name, "at its last epsilon", key)


def high_privacy(directory):
    def columns(epsilon):
        p, laplace, staircase = Podium(epsilon), Laplace(epsilon), Staircase(epsilon)
        edge = p.variance(HALF)
        return {"edge/laplace": edge / laplace.variance(), "middle/laplace": p.variance(0) / laplace.variance(),
                "edge/staircase": edge / staircase.variance(), "variance*epsilon^2": edge * epsilon**2,
                "m*epsilon": p.m * epsilon, "w/(delta*m)": p.w / p.m}

    # As epsilon -> 0 the root of sinh(2s - e) + 2 sinh(s) tends to that of 2s - e + 2s: s = e/4. Then m = 4/e, w = m/2,
    # V = m^2/12 = (4/3)/e^2 everywhere, and Laplace's and Staircase's are 2/e^2. At 1e-6 that is so to a few 1e-7.
    near_limit = 5e-7
    limits = {"edge/laplace": 2 / 3, "middle/laplace": 2 / 3, "edge/staircase": 2 / 3, "variance*epsilon^2": 4 / 3,
              "m*epsilon": 4, "w/(delta*m)": 1 / 2}
    check_regime(directory, "high-privacy.csv", [Decimal(10) ** -i for i in range(7)], columns,
                 {key: (limit, near_limit) for key, limit in limits.items()})


def low_privacy(directory):
    def columns(epsilon):
        p, laplace, staircase = Podium(epsilon), Laplace(epsilon), Staircase(epsilon)
        edge, middle, grow = p.variance(HALF), p.variance(0), (2 * epsilon / 3).exp()
        ratio = edge / laplace.variance() * grow
        return {"edge/staircase": edge / staircase.variance(), "middle/staircase": middle / staircase.variance(),
                "approximate/exact": approximate(epsilon).variance(HALF) / edge, "middle/edge": middle / edge,
                "variance*e^(2epsilon/3)": edge * grow, "edge/laplace*e^(2epsilon/3)": ratio,
                "edge/laplace*e^(2epsilon/3)/epsilon^2": ratio / epsilon**2}

    # As epsilon -> oo the root u = e^s tends to that of u^2/e^e - e^e/u^2 + 2u without its first term: e^e = 2u^3. Then
    # m -> 1, w -> 1/u, d -> u/e^e = 1/(2u^2), and V -> d/12 + w^2/12 + x^2 d = (1/24 + 1/12 + x^2/2)/u^2: at the end
    # 1/4, in the middle 1/8 of 1/u^2 = 2^(2/3) e^(-2e/3). With s = e/3, d is 1/u^2, and V at the end (1/12 + 1/12 +
    # 1/4) e^(-2e/3). Staircase's tends to 4^(-1/3) e^(-2e/3), Laplace's is 2/e^2.
    edge = 2 ** (-4 / 3)
    limits = {"edge/staircase": 2 ** (-2 / 3), "middle/staircase": 2 ** (-2 / 3) / 2,
              "approximate/exact": 5 / 12 / edge, "middle/edge": 1 / 2, "variance*e^(2epsilon/3)": edge,
              "edge/laplace*e^(2epsilon/3)/epsilon^2": edge / 2}
    check_regime(directory, "low-privacy.csv", [Decimal(i) for i in (1, 2, 5, 10, 20, 50, 100, 200, 700)], columns,
                 {key: (limit, 1e-10) for key, limit in limits.items()})


# ---- The simulation ----


def fourth_moment(shape, epsilon):
    """Of a report from a Beta(2, 2) value, less a half, by integration over values and noise"""
    def beta22(power):
        return simpson(lambda x: 6 * (0.25 - x * x) * x**power, -0.5, 0.5)

    if isinstance(shape, Podium):
        d, w, e, q, half = (float(x) for x in (shape.d, shape.w, shape.e, shape.q, shape.m / 2))

        def given(x):
            t = x / q - w / 2
            return d * (2 * half**5 + (e - 1) * ((t + w) ** 5 - t**5)) / 5

        return simpson(lambda x: 6 * (0.25 - x * x) * given(x), -0.5, 0.5)
    if isinstance(shape, Laplace):
        noise = 24 / epsilon**4
    else:  # stair by stair, each with both its sides
        gamma, top, b, noise = float(shape.gamma), float(shape.top), float(shape.b), 0
        for k in range(200):
            middle = k + gamma
            noise += 2 * top * b**k * ((middle**5 - k**5) + b * ((k + 1) ** 5 - middle**5)) / 5
    return beta22(4) + 6 * beta22(2) * float(shape.variance()) + noise


def check_said_of_simulation(rows):
    """What the page says of the differences between the mechanisms"""
    def difference(a, b):
        a, b = rows[a, "1"], rows[b, "1"]
        deviation = max(float(a["standard_deviation"]), float(b["standard_deviation"]))
        return abs(float(a["mean_of_400"]) - float(b["mean_of_400"])) / deviation

    for other in ("laplace", "staircase"):
        expect(difference("podium", other) > 20, "podium and", other, "differ by", difference("podium", other))
    near(difference("laplace", "staircase"), 2, 0.5, "the difference between laplace and staircase")
    expect(0.05 / float(rows["podium", "5"]["expected"]) > 0.75, "the values have less of the variance than most")


def simulation(directory):
    rows = read(directory, "simulation.csv")
    check_said_of_simulation({(row["mechanism"], row["epsilon"]): row for row in rows})
    for row in rows:
        name, epsilon = "simulation, %s, epsilon %s:" % (row["mechanism"], row["epsilon"]), Decimal(row["epsilon"])
        shape = {"laplace": Laplace, "staircase": Staircase, "podium": Podium}[row["mechanism"]](epsilon)
        # Beta(2, 2) has variance 1/20, so the noise is on average what it is at the square root of that. The shipped
        # Laplace is made of stairs, with a little less variance than the true one.
        ideal = 1 / 20 + float(shape.variance(Decimal("0.05").sqrt()))
        near(float(row["expected"]), ideal, 1e-4 * ideal if row["mechanism"] == "laplace" else 1e-8, name, "expected")
        # The sample variance of n has variance (fourth moment - variance^2)/n or so. Of 400 the deviation itself
        # deviates by a factor of 1/sqrt(800).
        deviation = math.sqrt((fourth_moment(shape, float(epsilon)) - ideal**2) / 10000)
        near(float(row["standard_deviation"]), deviation, 5 * deviation / math.sqrt(800), name, "deviation")
        error = deviation / math.sqrt(400)
        near(float(row["mean_of_400"]), float(row["expected"]), 5 * error, name, "mean")
        near(float(row["variance_of_one_draw"]), float(row["expected"]), 5 * deviation, name, "one draw")


# ---- The introduction ----


def clamped_mean(rate, x):
    """Of Laplace reports clamped to [1, 120], by integration between the places where the integrand has a corner"""
    ends = [x - 50 / rate] + sorted({1.0, x, 120.0}) + [x + 50 / rate]
    return math.fsum(simpson(lambda y: rate / 2 * math.exp(-rate * abs(y - x)) * min(max(y, 1), 120), a, b)
                     for a, b in zip(ends, ends[1:]))


def ages(directory):
    rows = read(directory, "ages.csv")
    pairs = [(epsilon, age) for epsilon in (0.5, 1, 2, 5) for age in (1, 30, 60.5, 90, 120)]
    expect([(float(row["epsilon"]), float(row["age"])) for row in rows] == pairs, "ages.csv: epsilons and ages")
    for row, (epsilon, age) in zip(rows, pairs):
        rate, x = epsilon / 119, (Decimal(age) - Decimal("60.5")) / 119
        p, name = Podium(Decimal(epsilon)), "ages, epsilon %g, age %g:" % (epsilon, age)
        noise = lambda y: rate / 2 * math.exp(-rate * abs(y - age))
        zero, top = (0 - Decimal("60.5")) / 119, HALF
        mean = clamped_mean(rate, age)
        wanted = {"laplace_below_0": simpson(noise, age - 50 / rate, 0),
                  "laplace_above_120": simpson(noise, 120, 120 + 50 / rate),
                  "podium_below_0": p.below(x, zero), "podium_above_120": 1 - p.below(x, top),
                  "podium_lowest": Decimal("60.5") - 119 * p.m / 2, "podium_highest": Decimal("60.5") + 119 * p.m / 2,
                  "clamped_laplace_mean": mean, "clamped_laplace_bias": mean - age}
        for key, value in wanted.items():
            near(float(row[key]), float(value), SIX_DECIMALS, name, key)


def truncation(directory):
    rows = read(directory, "truncated-noise.csv")
    pairs = [(epsilon, cut) for epsilon in (1, 5) for cut in (1, 2, 3, 5, 10)]
    expect([(float(row["epsilon"]), float(row["cut"])) for row in rows] == pairs, "truncated-noise.csv: rows")
    for row, (epsilon, cut) in zip(rows, pairs):
        noise = lambda z: math.exp(-epsilon * abs(z))
        # From the upper end of the range, more than the cut away from the lower one
        share = simpson(noise, cut - 1, cut) / (2 * simpson(noise, 0, cut, 20000))
        near(float(row["certain_share"]), share, 6e-10 * share, "truncated noise", epsilon, cut)


# ---- Errata ----


def errata(directory):
    with open(os.path.join(directory, "errata.md"), encoding="utf-8") as file:
        text = file.read()

    def ratio(epsilon, other, x):
        return Podium(Decimal(epsilon)).variance(Decimal(x)) / other(Decimal(epsilon)).variance()

    def saving(epsilon, x):
        return 100 * (1 - ratio(epsilon, Laplace, x))

    one, far = Podium(Decimal(1)), 2 ** (-2 / 3)
    grown = [ratio(e, Laplace, HALF) * (2 * Decimal(e) / 3).exp() for e in (10, 20)]
    half = Podium(Decimal(1), HALF)
    shortened = one.m**2 / 12 * (1 + 1 / one.u) * (1 + one.u) / (1 + one.u + one.e + one.e / one.u)
    s, e = 0.5, 1.0
    for said in (
        "it is %.1f%% (ε = 0.1) to %.1f%% (ε = 1) below Laplace's" % (saving("0.1", HALF), saving(1, HALF)),
        "in the middle of the range it is %.1f%% to %.1f%% below." % (saving("0.1", 0), saving(1, 0)),
        "at ε = 700 it is %.5f and %.5f." % (far, far / 2),
        "It is %.4f of Laplace's at the ends of the range, and %.4f in the middle."
        % (ratio(LOG3, Laplace, HALF), ratio(LOG3, Laplace, 0)),
        "At ε = 1 it is %.4f, and %.4f would be possible (with s = ε/2)." % (one.m, half.m),
        "the first line is %.6f, which is right, and the others are %.6f." % (one.variance(0), shortened),
        "it is %.2f at ε = 10 and %.2f at ε = 20, so it still grows; divided by ε² as well, it is %.4f and %.4f."
        % (*grown, grown[0] / 100, grown[1] / 400),
        "at ε = 50, where s is %.6f," % Podium(Decimal(50)).s,
        "At ε = 1 and s = 0.5 it is %.4f, and the derivative is %.4f."
        % (2 * math.exp(e + s) - 2 * math.exp(e - s) + math.exp(2 * s) - math.exp(2 * e - 2 * s),
           (2 * math.sinh(2 * s - e) + 4 * math.sinh(s)) / (12 * (math.cosh(e) - 1))),
    ):
        expect(said in text, "errata.md does not say", said)

    # Duchi's two reports are (e^e + 1)/(e^e - 1)/2 from the middle. It is better than Podium below epsilon 1.18 or so.
    def duchi_is_better(epsilon):
        grow = Decimal(epsilon).exp()
        return ((grow + 1) / (grow - 1)) ** 2 / 4 < Podium(Decimal(epsilon)).variance(HALF)

    expect(duchi_is_better("1.18") and not duchi_is_better("1.19"), "Duchi crosses Podium elsewhere than at 1.18")
    # The least m, over s, is at epsilon/2
    least = min(range(1, 100), key=lambda i: Podium(Decimal(1), Decimal(i) / 100).m)
    expect(least == 50, "the least support has s =", least, "% of epsilon")


def main():
    (directory,) = sys.argv[1:]
    privacy(directory)
    high_privacy(directory)
    low_privacy(directory)
    simulation(directory)
    ages(directory)
    truncation(directory)
    errata(directory)
    finish("theorems")


main()
