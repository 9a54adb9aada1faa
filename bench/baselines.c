/* Baselines: see baselines.h. */
#include "baselines.h"

#include <math.h>

#define BLOCK_WORDS 1024

/* ---- xoshiro256+ (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2018) ---- */

static uint64_t fast_state[4] = {1, 2, 3, 4};

static uint64_t rotated(uint64_t x, unsigned by) {
    return x << by | x >> (64 - by);
}

/* n is a multiple of 8 here: whole words */
static size_t fast_fill(void *context, void *buffer, size_t n) {
    uint64_t *state = context, *words = buffer;
    uint64_t a = state[0], b = state[1], c = state[2], d = state[3];
    for (size_t i = 0; i < n / sizeof *words; i++) {
        uint64_t shifted = b << 17;
        words[i] = a + d;
        c ^= a;
        d ^= b;
        b ^= c;
        a ^= d;
        c ^= shifted;
        d = rotated(d, 45);
    }
    state[0] = a, state[1] = b, state[2] = c, state[3] = d;
    return n;
}

const podium_random fast_random = {.fill = fast_fill, .context = fast_state};

/* ---- The samplers: n reports from a block of words ---- */

typedef void sampler(const podium_shape *shape, double *reports, const double *values, const uint64_t *words, size_t n);

/* Between 0 and 1, never either */
static inline double uniform(uint64_t word) {
    return ((double)(word >> 12) + 0.5) * 0x1p-52;
}

static void nothing(const podium_shape *shape, double *reports, const double *values, const uint64_t *words, size_t n) {
    (void)shape, (void)reports, (void)values, (void)words, (void)n;
}

static void laplace(const podium_shape *shape, double *reports, const double *values, const uint64_t *words, size_t n) {
    const double scale = shape->delta / shape->spec.epsilon;
    for (size_t i = 0; i < n; i++) {
        double u = uniform(words[i]) - 0.5;
        reports[i] = values[i] - copysign(scale * log(1 - 2 * fabs(u)), u);
    }
}

/* In the paper's order and letters; x is counted from the middle of the range. */
static void algorithm_2(const podium_shape *shape, double *reports, const double *values, const uint64_t *words,
                        size_t n) {
    const double w = shape->w, d = shape->d, middle = shape->middle, half = shape->delta * shape->m / 2;
    const double grown = expm1(shape->spec.epsilon), p2 = d * exp(shape->spec.epsilon) * w;
    for (size_t i = 0; i < n; i++) {
        double x = values[i] - middle, y = uniform(words[2 * i]), u = uniform(words[2 * i + 1]);
        double t = (2 * x - w * w * d * grown) / (2 * w * d * grown);
        double p1 = d * (t + half);
        if (y < p1)
            reports[i] = middle - half + u * (t + half);
        else if (y < p1 + p2)
            reports[i] = middle + t + u * w;
        else
            reports[i] = middle + t + w + u * (half - t - w);
    }
}

/* A sign, the geometric number of a stair, a part of the stair and a point of that part (Geng and Viswanath, "The
   optimal mechanism in differential privacy", 2014, Algorithm 1) */
static void staircase(const podium_shape *shape, double *reports, const double *values, const uint64_t *words,
                      size_t n) {
    const double b = exp(-shape->spec.epsilon), gamma = shape->gamma;
    const double inner = gamma / (gamma + (1 - gamma) * b);
    for (size_t i = 0; i < n; i++) {
        const uint64_t *word = words + 4 * i;
        double sign = uniform(word[0]) < 0.5 ? -1 : 1, stair = floor(log(uniform(word[1])) / -shape->spec.epsilon);
        double u = uniform(word[3]), part = uniform(word[2]) < inner ? gamma * u : gamma + (1 - gamma) * u;
        reports[i] = values[i] + sign * (stair + part) * shape->delta;
    }
}

static const struct {
    sampler *sample;
    size_t words; /* a value */
} baselines[BASELINES] = {
    [RANDOM_BITS] = {nothing, 2},
    [NAIVE_LAPLACE] = {laplace, 1},
    [PAPER_PODIUM] = {algorithm_2, 2},
    [NAIVE_STAIRCASE] = {staircase, 4},
};

bool baseline_privatize(baseline which, const podium_shape *shape, const podium_random *random, double *reports,
                        const double *values, size_t n) {
    uint64_t words[BLOCK_WORDS];
    const size_t each = baselines[which].words, block = BLOCK_WORDS / each;
    void *context = random->open == NULL ? random->context : random->open(random->context, n * each * sizeof *words);
    bool filled = random->open == NULL || context != NULL;
    for (size_t done = 0; filled && done < n; done += block) {
        size_t now = n - done < block ? n - done : block, bytes = now * each * sizeof *words;
        filled = random->fill(context, words, bytes) == bytes;
        baselines[which].sample(shape, reports + done, values + done, words, now);
    }
    if (context != NULL && random->close != NULL)
        random->close(context);
    return filled;
}
