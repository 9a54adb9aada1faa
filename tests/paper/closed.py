"""
The paper's definitions once more, in 50-digit arithmetic and with nothing taken from the library: densities, cumulative
distributions and variances of Laplace, Staircase (Geng and Viswanath's optimal one) and Podium, for a range of width 1
about 0. Podium follows Algorithm 1, with s found by bisection of sinh(2s - epsilon) + 2 sinh(s) = 0.
"""
from decimal import Decimal, getcontext

getcontext().prec = 50
HALF = Decimal("0.5")
LOG3, LOG9 = Decimal(3).ln(), Decimal(9).ln()


def power(x, numerator, denominator):
    return (x.ln() * numerator / denominator).exp()


class Laplace:
    def __init__(self, epsilon):
        self.epsilon = epsilon

    def density(self, z):
        return self.epsilon / 2 * (-self.epsilon * abs(z)).exp()

    def below(self, z):
        tail = (-self.epsilon * abs(z)).exp() / 2
        return tail if z < 0 else 1 - tail

    def variance(self, _x=0):
        return 2 / self.epsilon**2


class Staircase:
    def __init__(self, epsilon):
        b = self.b = (-epsilon).exp()
        self.gamma = -b / (1 - b) + power((b - 2 * b**2 + 2 * b**4 - b**5) / 2, 1, 3) / (1 - b) ** 2
        self.top = (1 - b) / (2 * (self.gamma + b * (1 - self.gamma)))

    def density(self, z):
        whole = int(abs(z))
        return self.top * self.b ** (whole if abs(z) - whole < self.gamma else whole + 1)

    def below(self, z):
        """All beyond |z|: the rest of its unit, and e^-epsilon of the same again for every unit after that."""
        whole = int(abs(z))
        part = abs(z) - whole
        high, low = max(self.gamma - part, 0), min(1 - self.gamma, 1 - part)
        unit = self.top * (self.gamma + self.b * (1 - self.gamma))
        tail = self.b**whole * (self.top * (high + self.b * low) + unit * self.b / (1 - self.b))
        return tail if z < 0 else 1 - tail

    def variance(self, _x=0):
        b = self.b
        return (power(b * (1 + b), 2, 3) / power(Decimal(4), 1, 3) + b) / (1 - b) ** 2


class Podium:
    def __init__(self, epsilon, s=None):
        e = self.e = epsilon.exp()
        self.u = bisect_u(e) if s is None else s.exp()
        u = self.u
        self.s = u.ln()
        self.m = (1 + u) * (u + e) / (u * (e - 1))
        self.w = self.m / (1 + u)
        self.d = 1 / (self.m + self.w * (e - 1))
        # A report is from the step alone with probability q, and from all of the support otherwise
        self.q, self.rest = self.w * self.d * (e - 1), self.m * self.d

    def step(self, x):
        """The left end of the step, from the mean, q times the step's middle; inside the support."""
        return x / self.q - self.w / 2

    def density(self, x, y):
        if abs(y) > self.m / 2:
            return Decimal(0)
        return self.d * (self.e if self.step(x) <= y < self.step(x) + self.w else 1)

    def below(self, x, y):
        y = min(max(y, -self.m / 2), self.m / 2)
        in_step = min(max(y - self.step(x), 0), self.w)
        return self.d * (y + self.m / 2 + in_step * (self.e - 1))

    def variance(self, x):
        return self.rest * self.m**2 / 12 + self.q * self.w**2 / 12 + x**2 * self.rest / self.q

    def edge_variance(self):
        """The second moment about 1/2 of the extreme right shape, piece by piece."""
        def piece(a, b):
            return ((b - HALF) ** 3 - (a - HALF) ** 3) / 3
        t = self.m / 2 - self.w
        return self.d * piece(-self.m / 2, t) + self.d * self.e * piece(t, self.m / 2)


def approximate(epsilon):
    return Podium(epsilon, epsilon / 3)


def bisect_u(e):
    """u = e^s between 1 and e^epsilon, where sinh(2s - epsilon) + 2 sinh(s), which grows, changes its sign."""
    low, high = Decimal(1), e
    while high - low > low * Decimal("1e-45"):
        u = (low + high) / 2
        if u * u / e - e / (u * u) + 2 * (u - 1 / u) < 0:
            low = u
        else:
            high = u
    return low
