#!/usr/bin/env python3
"""Compares podium amplify with every bag of reports that a few people can send, without any theorem.

    shuffle_oracle.py PROGRAM

For collections with few cells, the probability of each bag (how many reports fell into each cell) is computed for all
values of the other people and both values of the one who is protected. The divergence of the two distributions must not
exceed delta at the epsilon that the program prints, whatever the values are; and it must come close for some of them, so
that the test would notice a bound that says nothing.

At the end it shows why the theorem in docs/promises.md counts Z at random: with its mean in place of Z, as in the
statement by Wang and others, the divergence of a collection with four cells is larger than the bound.
"""
import collections
import itertools
import json
import math
import subprocess
import sys

program = sys.argv[1]


def amplified(cells, epsilon, people, delta):
    command = [program, "amplify", "--mechanism", "minimax", "--cells", str(cells), "--epsilon", str(epsilon),
               "--people", str(people), "--delta", str(delta), "--format", "json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def reports(cells, width, p):
    """Returns the probabilities of the cells at each place: cells on the step are p times as likely as the others."""
    low = 1 / (cells + width * (p - 1))
    return [[low * (p if place <= cell < place + width else 1) for cell in range(cells)]
            for place in range(cells - width + 1)]


def width_of(cells, p, variation):
    """Finds the step by which the program's total variation is explained."""
    for width in range(1, cells):
        ends = reports(cells, width, p)
        if abs(sum(abs(a - b) for a, b in zip(ends[0], ends[-1])) / 2 - variation) < 1e-8:
            return width
    sys.exit(f"shuffle_oracle.py: no step of {cells} cells has the variation {variation}")


def with_another(bags, report):
    """Adds a report to each bag."""
    more = collections.defaultdict(float)
    for bag, probability in bags.items():
        for cell, chance in enumerate(report):
            more[bag[:cell] + (bag[cell] + 1,) + bag[cell + 1:]] += probability * chance
    return more


def divergence(first, second, epsilon):
    return math.fsum(max(0, p - math.exp(epsilon) * second[bag]) for bag, p in first.items())


def exact_epsilon(pairs, local, delta):
    """Returns the least epsilon that is enough for all pairs of distributions."""
    low, high = 0, local
    for _ in range(40):
        middle = (low + high) / 2
        enough = all(divergence(a, b, middle) <= delta for a, b in pairs)
        low, high = (low, middle) if enough else (middle, high)
    return high


def all_pairs(places, people):
    """The bags for two values of one person, for all values of the others"""
    cells = len(places[0])
    for others in itertools.combinations_with_replacement(places, people - 1):
        bags = {(0,) * cells: 1.0}
        for report in others:
            bags = with_another(bags, report)
        bags = [with_another(bags, report) for report in places]
        yield from itertools.permutations(bags, 2)


closest = 0
for cells, people in ((2, 12), (4, 5), (6, 3)):
    for epsilon in (0.5, 2, 4):
        for delta in (0.1, 1e-3):
            printed = amplified(cells, epsilon, people, delta)
            p = math.exp(epsilon)
            places = reports(cells, width_of(cells, p, printed["variation"]), p)
            exact = exact_epsilon(list(all_pairs(places, people)), epsilon, delta)
            if exact > printed["epsilon"] + 1e-9:
                sys.exit(f"shuffle_oracle.py: {cells} cells, {people} people, epsilon {epsilon}, delta {delta}: "
                         f"{printed['epsilon']} is printed, but it is {exact}")
            closest = max(closest, exact / printed["epsilon"] if 1e-6 < exact < 0.9 * epsilon else 0)
if closest < 0.8:
    sys.exit(f"shuffle_oracle.py: the closest bound is {1 / closest} times the truth")


def with_mean(p, beta, people, epsilon):
    """The bound with the mean of Z, given A + B, in place of Z"""
    each, e = beta / (p - 1), math.exp(epsilon)
    common = (1 - beta - 2 * each) / (1 - 2 * each)
    total = 0
    for a in range(people + 1):
        for b in range(people + 1 - a):
            z = (people - a - b) * common
            ways = math.comb(people, a + b) * math.comb(a + b, a)
            mass = ways * each ** (a + b) * (1 - 2 * each) ** (people - a - b)
            total += mass * max(0, p * a + b + z - e * (a + p * b + z)) / people
    return total


p, people, epsilon = math.e, 8, 0.3
places = reports(4, 1, p)
bags = {(0,) * 4: 1.0}
for _ in range(people - 1):
    bags = with_another(bags, places[2])
truth = divergence(with_another(bags, places[0]), with_another(bags, places[1]), epsilon)
bound = with_mean(p, (p - 1) / (p + 3), people, epsilon)
if not bound * 1.01 < truth:
    sys.exit(f"shuffle_oracle.py: the divergence {truth} is not above {bound}")
print(f"shuffle_oracle.py: bounds hold, and the closest is {1 / closest:.3f} times the truth; {truth:.5f} > {bound:.5f}")
