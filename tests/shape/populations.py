"""
The populations: how to draw their values, and their cumulative distribution, which is the truth. All are between 0 and
1. numpy's RandomState is the generator whose numbers never change from version to version.
"""
import json
import math

import numpy as np

SPIKES = (0.27, 0.52)


def normal_cdf(x):
    return np.array([math.erfc(-z / math.sqrt(2)) / 2 for z in np.ravel(x)])


def within(draw):
    """The same, but a value outside 0 to 1 is drawn again."""
    def drawn(random, n):
        values = draw(random, n)
        outside = (values < 0) | (values > 1)
        if outside.any():
            values[outside] = drawn(random, int(outside.sum()))
        return values
    return drawn


def normals(*parts):
    """A mixture of normal distributions: (weight, mean, standard deviation)..."""
    weights, means, deviations = np.array(parts).T

    def draw(random, n):
        part = random.choice(len(parts), n, p=weights)
        return means[part] + deviations[part] * random.standard_normal(n)

    def untruncated(x):
        return sum(weight * normal_cdf((x - mean) / deviation) for weight, mean, deviation in parts)

    least, most = untruncated(np.array([0.0, 1.0]))
    return within(draw), lambda x: (untruncated(x) - least) / (most - least)


def heavy():
    def cdf(x):
        return normal_cdf(np.log(np.maximum(x, 1e-300) / 0.06)) / normal_cdf(math.log(1 / 0.06))
    return within(lambda random, n: 0.06 * np.exp(random.standard_normal(n))), cdf


def spikes():
    def draw(random, n):
        part = random.choice(3, n, p=[0.2, 0.2, 0.6])
        return np.choose(part, [SPIKES[0], SPIKES[1], random.beta(2, 3, n)])

    def cdf(x):
        return 0.6 * (6 * x**2 - 8 * x**3 + 3 * x**4) + 0.2 * (x >= SPIKES[0]) + 0.2 * (x >= SPIKES[1])
    return draw, cdf


POPULATIONS = {
    "smooth": (lambda random, n: random.beta(5, 2, n), lambda x: 6 * x**5 - 5 * x**6),
    "two peaks": normals((0.35, 0.22, 0.05), (0.65, 0.6, 0.12)),
    "three peaks": normals((0.3, 0.15, 0.05), (0.4, 0.5, 0.06), (0.3, 0.8, 0.04)),
    "heavy-tailed": heavy(),
    "U-shaped": (lambda random, n: random.beta(0.5, 0.5, n), lambda x: 2 / math.pi * np.arcsin(np.sqrt(x))),
    "uniform": (lambda random, n: random.random_sample(n), lambda x: x),
    "spikes": spikes(),
}


# The upper ends of the ranges, which start at 0. They come from what the columns mean, and not from the data: hours of a
# day, and miles of a domestic flight of the United States. Longer distances would be clamped, in the truth too.
FLIGHTS = {"time": 24, "distance": 5000}


def flights(path):
    """The columns of the flights as populations, and how many flights there are."""
    with open(path, encoding="utf-8") as file:
        rows = json.load(file)
    return {"flight " + name: observed(np.array([row[name] for row in rows], float) / most)
            for name, most in FLIGHTS.items()}, len(rows)


def observed(values):
    """The values are always all of them, so that only the noise of the reports is random."""
    values = np.clip(values, 0, 1)
    ordered = np.sort(values)
    return lambda random, n: values, lambda x: np.searchsorted(ordered, x, side="right") / len(ordered)
