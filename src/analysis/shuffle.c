/*
 * Shuffle: what a whole collection promises if somebody who is trusted mixes the reports.
 *
 * Theorem (docs/promises.md has the proof, from the privacy blanket of Balle, Bell, Gascon and Nissim, 2019). Let the
 * probabilities of a report differ by a factor of at most p = e^local between any two values, let the reports of all
 * values share a mass of 1 - beta, with beta <= (p - 1)/(p + 1), and let a = beta/(p - 1). Draw n times from four kinds
 * with the probabilities a, a, 1 - beta - 2a, and the rest; let A, B and Z be how often the first three come up. Then
 * n mixed reports are (epsilon, delta)-private if
 *
 *     E max(0, (p A + B + Z) - e^epsilon (A + p B + Z)) / n <= delta.
 */
#include "analysis/analysis.h"

#include <math.h>

/* ---- Binomial probabilities ---- */

#define LOG_SQRT_TWO_PI 0.91893853320467274178

/* ln n! minus Stirling's formula, for a whole n >= 1. The series is off by less than 1e-13 where it begins. */
static double stirling_error(double n) {
    const double r = 1 / (n * n);
    double factorial = 1;
    if (n >= 16)
        return (1 / 12.0 - r * (1 / 360.0 - r * (1 / 1260.0 - r / 1680))) / n;
    for (int i = 2; i <= n; i++)
        factorial *= i;
    return log(factorial) - ((n + 0.5) * log(n) - n + LOG_SQRT_TWO_PI);
}

/* x ln(x/mean) + mean - x, without the loss of digits where x is close to the mean */
static double deviance(double x, double mean) {
    const double d = (x - mean) / mean;
    return x == 0 ? mean : mean * ((1 + d) * log1p(d) - d);
}

/* n times the relative entropy of x/n to q. Pr[Bin(n, q) <= x], for an x below the mean, is at most e to the minus
   that, and so is Pr[Bin(n, q) >= x] for an x above (Chernoff). */
static double entropy(double n, double q, double x) {
    return deviance(x, n * q) + deviance(n - x, n * (1 - q));
}

/* Pr[Bin(n, q) = k] for whole numbers 0 <= k <= n and 0 < q < 1, in Loader's form, in which nothing large cancels */
static double binomial(double n, double q, double k) {
    if (k == 0)
        return exp(n * log1p(-q));
    if (k == n)
        return exp(n * log(q));
    double error = stirling_error(n) - stirling_error(k) - stirling_error(n - k);
    return exp(error - entropy(n, q, k) - LOG_SQRT_TWO_PI) * sqrt(n / (k * (n - k)));
}

/* ---- The tail of fair coins ---- */

typedef struct {
    double coins, from;
    double at, beyond; /* Pr[heads = from] and Pr[heads >= from] */
} tail;

/* The terms of the sum fall, and ever faster, so that what is left out is at most last/(1 - ratio). */
static tail tail_of(double coins, double from) {
    tail t = {coins, from, binomial(coins, 0.5, from), 0};
    double term = t.at, ratio = 1;
    for (double k = from; k <= coins && term > 1e-18 * (1 - ratio) * t.beyond; k++) {
        t.beyond += term;
        ratio = (coins - k) / (k + 1);
        term *= ratio;
    }
    return t;
}

/* Tosses one more coin: there are then `from` heads or more if there were before, or if there was one fewer and this
   is a head. */
static void tail_toss(tail *t) {
    const double one_fewer = t->at * t->from / (t->coins - t->from + 1);
    t->beyond += one_fewer / 2;
    t->coins++;
    t->at = (t->at + one_fewer) / 2;
}

static void tail_raise(tail *t) {
    t->beyond -= t->at;
    t->at *= (t->coins - t->from) / (t->from + 1);
    t->from++;
}

/* ---- The divergence ---- */

typedef struct {
    double people;
    double p, p_less_1;
    double share;       /* 2a */
    double common;      /* the probability of the third kind, given that it is neither of the first two */
    double missed;      /* the probability of each of four tails that are left out of the sum */
    double first, last; /* the T = A + B of the sum */
    double reach;       /* how far Z can be from its mean, given T */
    bool coarse;        /* whether Z is replaced by three numbers, because there are too many */
} blanket;

/* Finds where the entropy exceeds `wanted` between the mean and an end. Returns `never` if it nowhere does. */
static double far_out(double n, double q, double end, double wanted, double never) {
    double inside = n * q, outside = end;
    if (!(entropy(n, q, end) > wanted))
        return never;
    for (int i = 0; i < 200 && fabs(outside - inside) > 0.5; i++) {
        const double middle = inside + (outside - inside) / 2;
        *(entropy(n, q, middle) > wanted ? &outside : &inside) = middle;
    }
    return outside;
}

#define TERMS_MOST 1e6

/* The sum is itself a divergence of two distributions. In the first, T is Bin(n - 1, 2a) or one more, and Z, given T,
   is Bin(n - T, common) or up to one more. What lies further out has at most the mass `missed`, by Chernoff's bound
   for T and by Bernstein's for Z. */
static blanket blanket_of(double local, double variation, double people, double delta) {
    blanket b = {.people = people, .p = exp(local), .p_less_1 = expm1(local), .missed = 1e-6 * delta};
    const double a = variation / b.p_less_1, others = people - 1, rare = -log(b.missed);
    b.share = 2 * a;
    b.common = fmax(0, 1 - a - a * b.p) / (1 - b.share);
    b.first = fmax(1, floor(far_out(others, b.share, 0, rare, 0)));
    b.last = fmin(people, ceil(far_out(others, b.share, others, rare, people)));
    const double variance = (people - b.first + 1) * b.common * (1 - b.common);
    b.reach = 1 + rare / 3 + sqrt(rare * rare / 9 + 2 * rare * variance);
    b.coarse = (b.last - b.first + 1) * fmin(2 * b.reach, people) > TERMS_MOST;
    return b;
}

/* ---- Summing, for one epsilon ---- */

typedef struct {
    const blanket *b;
    double grows, slope; /* e^epsilon - 1 and (p - 1)(e^epsilon + 1) */
} sum_state;

/*
 * Rounding. Factors that all terms share are off by less than 1 + SLACK. The two parts of a term cancel, by much if
 * epsilon is large; each is off by less than ROUNDING in the first step after the tail was summed, and by so much more
 * in each further one, as long as is_reliable holds. All of that is added to the result.
 */
#define SLACK 1e-6
#define ROUNDING 1e-14
#define TINY 1e-200 /* below this an underflow might be near */

/* With A = T/2 + d, what is summed is slope (d - excess) where that is positive. */
static double excess_of(const sum_state *s, double t, double z) {
    return s->grows * ((s->b->p + 1) / 2 * t + z) / s->slope;
}

/* The mean of max(0, slope (d - excess)). The sum of d Pr[heads = T/2 + d] from `from` on is from/2 Pr[heads = from].
 */
static double term(const sum_state *s, const tail *heads, double excess, double since) {
    const double most = heads->from / 2 * heads->at, less = excess * heads->beyond;
    return s->slope * ((1 + SLACK) * fmax(0, most - less) + (most + less) * (1 + since) * ROUNDING);
}

/* Whether the tail can be moved by another step. A step far out, and many steps, change its order of magnitude, and
   rounding errors grow with that. */
static bool is_reliable(const tail *heads, double t, double excess, double since) {
    return heads->at > TINY && excess < t / 4 && since < sqrt(t) / 2 && since * 4 * excess * excess < t * t;
}

/* A tail that follows t, and how many steps ago it was summed */
typedef struct {
    tail heads;
    double since;
} follower;

static tail tail_beyond(double t, double excess) {
    const double from = ceil(t / 2 + excess);
    return from <= t ? tail_of(t, from) : (tail){t, from, 0, 0};
}

/* Moves the tail from t - 1 coins to t, and to the heads beyond t/2 + excess. */
static void follow(follower *f, double t, double excess) {
    if (!is_reliable(&f->heads, t, excess, f->since)) {
        *f = (follower){tail_beyond(t, excess), 0};
        return;
    }
    const double from = ceil(t / 2 + excess);
    tail_toss(&f->heads);
    while (f->heads.from < from)
        tail_raise(&f->heads);
    f->since++;
}

/* The mean over Z, given T = t: one term for each Z within reach. A tail that has fallen by much is summed again. */
static double mean_of_all(const sum_state *s, follower *f, double t) {
    const double n = s->b->people - t, g = s->b->common, first = fmax(0, floor(n * g - s->b->reach));
    const double last = fmin(n, ceil(n * g + s->b->reach));
    follow(f, t, excess_of(s, t, first));
    tail heads = f->heads;
    double sum = 0, since = f->since, summed = heads.beyond, weight = g > 0 ? binomial(n, g, first) : 1;
    for (double z = first; z <= last && heads.at > 0 && weight > 0; z++) {
        const double excess = excess_of(s, t, z);
        for (; heads.from < t / 2 + excess && heads.at > 0; since++)
            tail_raise(&heads);
        if (heads.beyond < summed / 8) {
            heads = tail_beyond(t, excess);
            summed = heads.beyond;
            since = 0;
        }
        sum += weight * term(s, &heads, excess, since);
        weight *= (n - z) / (z + 1) * (g / (1 - g));
    }
    return sum;
}

/*
 * An upper bound of the mean over Z, given T = t, from three terms. A term is a convex function of Z, so that it is at
 * most what the straight lines from the mean to the two ends of the reach say. On average over Z these are the term at
 * the mean plus h = E|Z - mean|/2 times the sum of their slopes away from it, which is not negative, so that h may be
 * replaced by more: by half of the standard deviation, or by the distance to either end.
 */
static double mean_of_three(const sum_state *s, follower f[3], double t) {
    const double n = s->b->people - t, mean = n * s->b->common, half = sqrt(mean * (1 - s->b->common)) / 2;
    const double below = fmin(mean, s->b->reach), above = fmin(n - mean, s->b->reach);
    const double z[3] = {mean, mean - below, mean + above};
    double terms[3];
    for (int i = 0; i < 3; i++) {
        const double excess = excess_of(s, t, z[i]);
        follow(&f[i], t, excess);
        terms[i] = term(s, &f[i].heads, excess, f[i].since);
    }
    if (!(below > 0 && above > 0))
        return terms[0];
    return terms[0] + fmin(half, fmin(below, above)) * ((terms[1] - terms[0]) / below + (terms[2] - terms[0]) / above);
}

static double divergence(const blanket *b, double epsilon) {
    const sum_state s = {b, expm1(epsilon), b->p_less_1 * (2 + expm1(epsilon))};
    const double odds = b->share / (1 - b->share);
    double sum = 0, weight = binomial(b->people, b->share, b->first);
    follower f[3] = {{{0}, 0}};
    for (double t = b->first; t <= b->last; t++) {
        sum += weight * (b->coarse ? mean_of_three(&s, f, t) : mean_of_all(&s, f, t));
        weight *= (b->people - t) / (t + 1) * odds;
    }
    return sum / b->people + 4 * b->missed;
}

/* ---- Epsilon ---- */

#define CLOSE 1e-6

/* Begins where the answer is expected, because far beyond it everything underflows, and halves the interval then. */
static double least_epsilon(const blanket *b, double local, double delta) {
    double high = local / sqrt(b->people), low;
    if (divergence(b, 0) <= delta)
        return 0;
    while (high < local && divergence(b, high) > delta)
        high *= 2;
    high = fmin(high, local); /* epsilon = local is always right */
    for (low = high / 2; low > CLOSE * CLOSE && divergence(b, low) <= delta; low /= 2)
        high = low;
    while (low > CLOSE * CLOSE && high - low > CLOSE * high) {
        const double middle = low + (high - low) / 2;
        *(divergence(b, middle) > delta ? &low : &high) = middle;
    }
    return high;
}

double podium_shuffle_variation(double epsilon) {
    return tanh(epsilon / 2);
}

podium_status podium_shuffle_epsilon(double *epsilon, double local, double variation, uint64_t people, double delta) {
    if (!(local >= PODIUM_EPSILON_MIN && local <= PODIUM_EPSILON_MAX) || !(variation > 0) || people < 1 ||
        !(delta >= PODIUM_SHUFFLE_DELTA_MIN && delta < 1))
        return PODIUM_ERROR_ARGUMENT_WRONG;
    const double counted = (double)(people < PODIUM_SHUFFLE_PEOPLE_MAX ? people : PODIUM_SHUFFLE_PEOPLE_MAX);
    const blanket b = blanket_of(local, fmin(variation, podium_shuffle_variation(local)), counted, delta);
    *epsilon = least_epsilon(&b, local, delta);
    return PODIUM_OK;
}

/* ---- What the reports of a collection do not share ---- */

/*
 * The mass of a cell rises and then falls as the place goes from 0 to the last, so that it is least at one of the two
 * ends, also for a value between two places, which is rounded to either at random. So what the reports of all values
 * share is the lesser one of the two ends, and the rest is the total variation between these. The report of place 0 is
 * the likelier one on the lower half of the cells, or of a pair on the lower half of each of the two halves, so that
 * within a quarter the difference has one sign. For a step it adds up to q min(1, places/width), for a pair to that and
 * the pair's q in the proportion of the coin, and for stairs to the mass by which the nearer half outweighs the other.
 * The last factor and summand are for rounding.
 */
double podium_collection_variation(const podium_collection *collection) {
    const podium_layout *c = podium_layout_of(collection);
    const double places = (double)c->places, quarter = (double)c->cells / 4;
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += fmax(0, podium_mass_between(c, 0, i * quarter, (i + 1) * quarter) -
                           podium_mass_between(c, places, i * quarter, (i + 1) * quarter));
    return fmin(sum * (1 + 1e-12) + 1e-14, podium_shuffle_variation(c->spec.epsilon));
}
