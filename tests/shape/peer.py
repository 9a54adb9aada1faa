"""
The peer of the estimate: Square Wave with EMS, from the formulas of Li, Wang, Lopuhaa-Zwakenberg, Skoric and Li,
"Estimating Numerical Distributions under Local Differential Privacy" (SIGMOD 2020). Nothing here asks Podium's library.
"""
import math

import numpy as np

BINS = 256  # of the values, and of the reports
ITERATIONS_MOST = 10000


def square_wave_width(epsilon):
    """The width 2b of the wave, for values from 0 to 1."""
    e = math.exp(epsilon)
    return (epsilon * e - e + 1) / (e * (e - 1 - epsilon))


def channel(epsilon, width):
    """
    The matrix of the probability of report bin i for values that are evenly spread in value bin j. The report y is
    between 0 and 1 + width. Its density is e^epsilon times as high for x <= y <= x + width as elsewhere. (Square Wave's
    own y is smaller by b.)
    """
    e = math.exp(epsilon)
    low = 1 / (width * e + 1)
    y = np.linspace(0, 1 + width, BINS + 1)[:, None]
    x = np.linspace(0, 1, BINS + 1)[None, :]

    def window_integral(t):
        """The integral from 0 to t of how much of the window [0, width] lies below s, over s."""
        inside = np.clip(t, 0, width)
        return inside ** 2 / 2 + width * np.maximum(t - width, 0)

    below = window_integral(y - x)
    window = (below[:, :-1] - below[:, 1:]) * BINS  # the mean over the value bin of the part of the window below y
    return np.diff(low * y + low * (e - 1) * window, axis=0)


def smoothed(shares):
    """Binomial weights 1, 2, 1 over each bin and its neighbours; a bin at an end has one neighbour, so 2, 1."""
    out = 2 * shares
    out[1:] += shares[:-1]
    out[:-1] += shares[1:]
    out[1:-1] /= 4
    out[[0, -1]] /= 3
    return out / out.sum(axis=0)


def ems(matrix, counts, epsilon):
    """
    Expectation maximisation with smoothing. Each column of counts is a collection of its own, and each column of the
    result has its shares. A collection is finished as soon as its log-likelihood changes by less than 10^-3 e^epsilon.
    """
    enough = 1e-3 * math.exp(epsilon)
    result = np.full((BINS, counts.shape[1]), 1 / BINS)
    before = np.full(counts.shape[1], -np.inf)
    running = np.arange(counts.shape[1])
    for _ in range(ITERATIONS_MOST):
        shares, seen = result[:, running], counts[:, running]
        expected = matrix @ shares
        likelihood = (seen * np.log(expected)).sum(axis=0)
        going = np.abs(likelihood - before[running]) >= enough
        before[running] = likelihood
        running = running[going]
        if running.size == 0:
            break
        shares = shares[:, going] * (matrix.T @ (seen[:, going] / expected[:, going]))
        result[:, running] = smoothed(shares / shares.sum(axis=0))
    return result
