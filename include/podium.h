/*
 * Podium: local differential privacy for numbers.
 *
 * A device holds a private number. It describes the collection (which mechanism, which epsilon, which range),
 * initialises it once, and turns each number into a report. Only reports leave the device; the average report
 * is an unbiased estimate of the average value.
 *
 *     podium_spec spec = {.mechanism = PODIUM_MECHANISM_PODIUM, .epsilon = 1.0, .min = 1, .max = 120};
 *     podium_collection age;
 *     if (podium_collection_init(&age, &spec) != PODIUM_OK) ...
 *     if (podium_privatize(&age, reports, values, n) != PODIUM_OK) ...
 *
 * A report is often far outside [min, max]: an age of -91 or 204 is as it should be. Do not clamp, round or drop
 * reports; one alone says next to nothing, and only unaltered ones average to the truth.
 *
 * In every call the collection comes first, then outputs, then inputs; a length follows its array. Pointers must not be
 * NULL unless the comment says what NULL means. Nothing here locks or keeps state, nor allocates where it does not say
 * so: a collection may be shared by threads, copied, and used on both sides of a fork. (OpenSSL, which the default
 * source uses for arrays, allocates and locks inside itself; podium_random_system does not.) Linux, with glibc 2.25 or
 * musl 1.1.20 and later; C11, or C++.
 */
#ifndef PODIUM_H
#define PODIUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PODIUM_API __attribute__((visibility("default")))
#define PODIUM_MUST_USE __attribute__((warn_unused_result))
#else
#define PODIUM_API
#define PODIUM_MUST_USE
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status ---------------------------------------------------------------------------------------------- */

typedef enum podium_status {
    PODIUM_OK = 0,
    PODIUM_ERROR_MECHANISM_UNKNOWN,
    PODIUM_ERROR_EPSILON_NOT_FINITE,
    PODIUM_ERROR_EPSILON_NOT_POSITIVE,
    PODIUM_ERROR_EPSILON_TOO_SMALL, /* below PODIUM_EPSILON_MIN */
    PODIUM_ERROR_EPSILON_TOO_LARGE, /* above PODIUM_EPSILON_MAX (sampling) or PODIUM_EPSILON_MAX_SHAPE (formulas) */
    PODIUM_ERROR_RANGE_NOT_FINITE,
    PODIUM_ERROR_RANGE_EMPTY,       /* min is not below max */
    PODIUM_ERROR_RANGE_ABSURD,      /* a bound beyond PODIUM_BOUND_MAX, or not zero and below PODIUM_BOUND_MIN */
    PODIUM_ERROR_RANGE_TOO_NARROW,  /* see podium_collection_init */
    PODIUM_ERROR_NOT_INITIALISED,   /* a collection that is all zeros: its initialisation was forgotten, or failed */
    PODIUM_ERROR_RANDOM_FAILED,     /* the random source failed: there are no reports */
    PODIUM_ERROR_NOT_PRIVATE,       /* the thresholds failed their own re-check: a defect, please tell us */
    PODIUM_ERROR_TEXT_MALFORMED,    /* a collection's text, or an aggregate's code, is not of its format */
    PODIUM_ERROR_VERSION_UNKNOWN,   /* ... is of a version that this library does not know */
    PODIUM_ERROR_FINGERPRINT_WRONG, /* two things that belong together come from different collections */
    PODIUM_ERROR_AGGREGATE_FULL,    /* more reports than an aggregate can count */
    PODIUM_ERROR_TOO_FEW_REPORTS,   /* nothing to estimate from */
    PODIUM_ERROR_ARGUMENT_WRONG,    /* confidence, probability, number of bins, people, questions ... out of range */
    PODIUM_ERROR_OUT_OF_MEMORY,
    PODIUM_ERROR_SPREAD_WRONG, /* not from 0 to 1/4, or given for another mechanism than PODIUM_MECHANISM_PODIUM_TUNED
                                */
    PODIUM_ERROR_CELLS_WRONG,  /* not from 2 to PODIUM_MINIMAX_CELLS_MAX, or given for another mechanism than
                                  PODIUM_MECHANISM_MINIMAX */
    PODIUM_ERROR_NO_DENSITY,   /* podium_shape_init: the mechanism has no density; ask its collection */
    PODIUM_ERROR_NEVER_ADDED,  /* podium_aggregate_subtract: what is to be taken away is not in there */
    PODIUM_ERROR_NOT_REPORTS   /* podium_aggregate_check: no values give such reports */
} podium_status;

/* What a status means, in constant English words; for an unknown status too. Never NULL. */
PODIUM_API const char *podium_status_message(podium_status status);

/* The version of this header, as numbers and as text. Whatever else has a version takes it from these numbers. */
#define PODIUM_VERSION_MAJOR 0
#define PODIUM_VERSION_MINOR 1
#define PODIUM_VERSION_PATCH 0
#define PODIUM_VERSION PODIUM_VERSION_TEXT(PODIUM_VERSION_MAJOR, PODIUM_VERSION_MINOR, PODIUM_VERSION_PATCH)
#define PODIUM_VERSION_TEXT(major, minor, patch) PODIUM_VERSION_JOIN(major, minor, patch)
#define PODIUM_VERSION_JOIN(major, minor, patch) #major "." #minor "." #patch
/* The version of the library in use */
PODIUM_API const char *podium_version(void);

/* ---- What is collected ----------------------------------------------------------------------------------- */

typedef enum podium_mechanism {
    PODIUM_MECHANISM_PODIUM = 0,         /* Podium, s minimising the worst-case variance */
    PODIUM_MECHANISM_PODIUM_APPROXIMATE, /* Podium, s = epsilon/3 */
    PODIUM_MECHANISM_LAPLACE,
    PODIUM_MECHANISM_STAIRCASE,
    PODIUM_MECHANISM_DUCHI,        /* two outputs */
    PODIUM_MECHANISM_PIECEWISE,    /* Podium's family, s = epsilon/2 */
    PODIUM_MECHANISM_HYBRID,       /* Piecewise or Duchi, by a public coin */
    PODIUM_MECHANISM_PODIUM_TUNED, /* Podium, s minimising the variance expected of data with the given spread */
    PODIUM_MECHANISM_MINIMAX       /* close to the least worst-case variance there is; a report is one of few cells */
} podium_mechanism;                /* docs/mechanisms.md tells when each is best */
#define PODIUM_MECHANISMS 9

/*
 * A collection is public and fixed before the first value is seen. The range must come from knowledge of the
 * question (an age lies in 1..120), never from the data: a range read off the data tells about the data.
 */
typedef struct podium_spec {
    podium_mechanism mechanism;
    double epsilon;
    double min;
    double max;
    double spread;  /* PODIUM_MECHANISM_PODIUM_TUNED: mean square of the values about the middle, in units of (max -
                       min)^2, from 0 (all  in the middle) through 1/12 (uniform) to 1/4 (all at the ends:
                       PODIUM_MECHANISM_PODIUM); else 0 */
    uint32_t cells; /* PODIUM_MECHANISM_MINIMAX: the most cells that a report may have; 0 is
                       PODIUM_MINIMAX_CELLS_DEFAULT; else 0 */
} podium_spec;

#define PODIUM_MINIMAX_CELLS_DEFAULT 256
#define PODIUM_MINIMAX_CELLS_MAX 65536

#define PODIUM_EPSILON_MIN 1e-6
#define PODIUM_EPSILON_MAX 50.0        /* podium_collection_init: what can be sampled */
#define PODIUM_EPSILON_MAX_SHAPE 700.0 /* podium_shape_init: what can be computed */
#define PODIUM_BOUND_MAX 1e140
#define PODIUM_BOUND_MIN 1e-140

/* "podium", "podium-approximate", "laplace", "staircase", "duchi", "piecewise", "hybrid", "podium-tuned", "minimax";
   NULL for an unknown mechanism, so that they can be counted. */
PODIUM_API const char *podium_mechanism_name(podium_mechanism mechanism);

/* ---- Shape: the distribution of a report in closed form --------------------------------------------------- */

/*
 * The continuous distribution that the sampler follows, for analysis and planning, where it has a density: Podium in
 * all its variants, Piecewise, Laplace and Staircase. (podium_collection_variance knows all mechanisms.) Here x is the
 * value and y the report, both in the collection's own units (the paper's x is x - (min + max)/2). An x outside [min,
 * max] counts as the nearer end; a NaN gives a NaN.
 */
typedef struct podium_shape {
    podium_spec spec;
    double delta;  /* max - min */
    double middle; /* (min + max)/2 */
    double alpha;  /* the variance at x is alpha + beta (x - middle)^2 */
    double beta;
    /* Podium and Piecewise only, else 0; the paper's letters */
    double s;      /* step parameter */
    double m;      /* the support is delta*m wide */
    double w;      /* width of the step */
    double d;      /* density beside the step */
    double d_step; /* density on the step, d e^epsilon */
    double q;      /* mass that the step has above the base: lift*w, lift being d (e^epsilon - 1) */
    double lift;
    /* Staircase only, else 0 */
    double gamma;  /* half-width of the middle stair in units of delta */
    double height; /* density of the middle stair */
} podium_shape;

/* Fails as podium_collection_init does, except that epsilon may go up to PODIUM_EPSILON_MAX_SHAPE and no range is
   too narrow. */
PODIUM_API podium_status podium_shape_init(podium_shape *shape, const podium_spec *spec) PODIUM_MUST_USE;

/* Left end of the step at x (the paper's t, shifted to the collection's units). NaN for other mechanisms. */
PODIUM_API double podium_shape_step(const podium_shape *shape, double x);

PODIUM_API double podium_shape_density(const podium_shape *shape, double x, double y);
PODIUM_API double podium_shape_cdf(const podium_shape *shape, double x, double y);

/* The y with podium_shape_cdf(shape, x, y) = p. The ends of the support at p = 0 and 1 (infinite for Laplace and
   Staircase); NaN for any other p outside [0, 1]. */
PODIUM_API double podium_shape_quantile(const podium_shape *shape, double x, double p);

PODIUM_API double podium_shape_mean(const podium_shape *shape, double x);

/* Variance of one report. It is largest at x = min and max (Laplace, Staircase: the same everywhere), so the mean of n
   reports has a standard error of at most sqrt(podium_shape_variance(&shape, shape.spec.max) / n) about the mean of the
   n values. */
PODIUM_API double podium_shape_variance(const podium_shape *shape, double x);

/* Variance of a over variance of b at x: below 1 where a is the better mechanism. */
PODIUM_API double podium_shape_efficiency(const podium_shape *a, const podium_shape *b, double x);

/* ---- Collection: a spec made ready for sampling ------------------------------------------------------------ */

#define PODIUM_COINS_MAX 25
#define PODIUM_KNOTS_MAX 14
#define PODIUM_PIECES_MAX 128
#define PODIUM_INDEX_CELLS 256
#define PODIUM_INDEX_BUCKETS 128
#define PODIUM_INDEX_SLOTS 512

/*
 * Reports live on a grid of cells 0 ... cells-1. A value is put at one of the places 0 ... places, and the cell
 * is drawn around that place by comparing random words with the thresholds below; docs/proof.md shows why any two
 * values then give every cell with probabilities within a factor e^epsilon of each other, exactly. What a cell is worth
 * is public, and so may be anything: the report is first + spacing * worth.
 * Fill it with podium_collection_init and read it as you like; never write to it.
 */
typedef struct podium_collection {
    podium_spec spec;
    uint64_t cells;
    uint64_t places;
    uint64_t width;     /* cells in the step (Laplace, Staircase: in the middle stair) */
    uint64_t threshold; /* of 2^64: how often the step is chosen */
    /* Laplace and Staircase only */
    uint64_t margin;                  /* cells before the middle stair at place 0: where reports are clamped */
    uint64_t tail_threshold;          /* of 2^64: how often a report goes straight to an end cell */
    uint64_t coins[PODIUM_COINS_MAX]; /* of 2^64: thresholds of the binary digits of the stair's number */
    uint32_t coin_count;              /* 0 for the others */
    uint32_t stair_bits;              /* a stair is 2^stair_bits cells wide */
    uint32_t stairs;                  /* stairs in the width of the range: each lowers the mass by e^(epsilon/stairs) */
    /* Hybrid only: the lower half of the cells is Piecewise's, the upper half Duchi's, by a public coin */
    uint64_t pair_coin;      /* of 2^64: how often it is Duchi's; 0 for the others */
    uint64_t pair_threshold; /* of 2^64: how often Duchi's step is chosen */
    uint32_t pair_worth;     /* of Duchi's lower output; the upper one's is worth_most - pair_worth */
    /* all mechanisms; accuracy only, privacy does not depend on what follows */
    uint32_t fraction_bits; /* binary digits of a place kept for random rounding; 0: nearest place */
    /* A value at distance z from the middle is put at the middle place plus or minus the sum of
       slopes[i] * max(z - knots[i], 0), in units of 2^-fraction_bits places. */
    uint32_t knot_count;
    double middle;
    double knots[PODIUM_KNOTS_MAX];
    double slopes[PODIUM_KNOTS_MAX];
    /* What a cell is worth: itself; but with pieces, piece_worth + piece_slope * (number of the cell in its piece) */
    uint64_t worth_most;
    double first;         /* the report that is worth 0: the least */
    double spacing;       /* the report that is worth 1 more is so much larger */
    uint32_t piece_count; /* Minimax only, else 0 */
    uint32_t piece_bits;  /* a piece is 2^piece_bits cells */
    uint32_t piece_worth[PODIUM_PIECES_MAX];
    int32_t piece_slope[PODIUM_PIECES_MAX];
    double piece_square[PODIUM_PIECES_MAX]; /* added to a report's square, as the variance is not alpha everywhere */
    /* A perfect hash from worths to cells, by which a collector finds the cell of a report without a search. Only where
       there are at most PODIUM_INDEX_CELLS cells, else all 0. */
    uint8_t index_shift[PODIUM_INDEX_BUCKETS];
    uint8_t index_cell[PODIUM_INDEX_SLOTS];
    /* The variance of the report of x, as realised on the grid: alpha + beta (x - middle)^2; Minimax: alpha on average
     */
    double alpha;
    double beta;
    double variance_least, variance_most; /* over all x */
    double variance_uniform;              /* on average over the range */
    uint64_t fingerprint; /* of the spec: two collections with the same one are the same (but for what rounding does to
                             Minimax's map, far below its noise) */
} podium_collection;

/*
 * Takes between microseconds and a few milliseconds; for PODIUM_MECHANISM_MINIMAX, which solves for its output map,
 * some tens of milliseconds and memory that it gives back. On failure the collection is untouched.
 *
 * PODIUM_ERROR_RANGE_TOO_NARROW: neighbouring cells must be different doubles. How narrow is too narrow depends on the
 * mechanism and epsilon; max - min of a hundred-thousandth of the larger bound is always enough. A timestamp collected
 * to the minute should have the day's start subtracted first.
 */
PODIUM_API podium_status podium_collection_init(podium_collection *collection, const podium_spec *spec) PODIUM_MUST_USE;

/* Probability of a cell in first ... last - 1 given a place. An analyst's number: a double, exact but for rounding. */
PODIUM_API double podium_collection_mass(const podium_collection *collection, uint64_t place, uint64_t first,
                                         uint64_t last);

/* Variance of the report of x, exactly what the sampler gives but for rounding. An x outside the range counts as the
   nearer end; a NaN gives a NaN. */
PODIUM_API double podium_collection_variance(const podium_collection *collection, double x);

/* The most that k dishonest reports among n can move their mean: any report may be moved across the whole support. */
PODIUM_API double podium_collection_influence(const podium_collection *collection, uint64_t k, uint64_t n);

/*
 * A collection as text: short lines of "key = value", with version and fingerprint, for a file that people can read.
 * name is what the collection is called: up to 63 bytes without control characters, or NULL. Returns the length of the
 * text, which is below PODIUM_COLLECTION_TEXT_MAX, without its final 0.
 */
#define PODIUM_NAME_MAX 64
#define PODIUM_COLLECTION_TEXT_MAX 512
PODIUM_API size_t podium_collection_write(const podium_collection *collection, char *text, const char *name);

/* Back from n bytes of text. line, if not NULL, is where the trouble is, counted from 1 (0: the text as a whole); name,
   if not NULL, has room for PODIUM_NAME_MAX bytes. On failure the outputs but line are untouched. */
PODIUM_API podium_status podium_collection_read(podium_collection *collection, char *name, size_t *line,
                                                const char *text, size_t n) PODIUM_MUST_USE;

/* The reports of cells, as podium_privatize would have given them under the same spec. Every cell must be below
   collection->cells: check what comes from a device that you do not control. */
PODIUM_API void podium_collection_reports(const podium_collection *collection, double *reports, const uint32_t *cells,
                                          size_t n);

/* A cell as a code of podium_code_bytes bytes (1 to 4, the fewest that hold every cell), least significant first.
   Decoding fails with PODIUM_ERROR_TEXT_MALFORMED, cells untouched from there on, at a code that is no cell. */
PODIUM_API size_t podium_code_bytes(const podium_collection *collection);
PODIUM_API void podium_codes_encode(const podium_collection *collection, unsigned char *codes, const uint32_t *cells,
                                    size_t n);
PODIUM_API podium_status podium_codes_decode(const podium_collection *collection, uint32_t *cells,
                                             const unsigned char *codes, size_t n) PODIUM_MUST_USE;

/* ---- Random: where the random bits come from -------------------------------------------------------------- */

/*
 * A source of random bytes. To bring your own, set fill (and context); it must write n unpredictable bytes and
 * return n. A fill that is NULL fails. Any other return is a failure, and the call that wanted the bytes fails with
 * PODIUM_ERROR_RANDOM_FAILED. Where a source has something to set up for each call, open makes the context that fill
 * and close get (it returns NULL on failure); bytes is how much will be asked for in all. Leave open and close NULL
 * where nothing is.
 */
typedef struct podium_random {
    size_t (*fill)(void *context, void *buffer, size_t n);
    void *context;
    void *(*open)(void *context, size_t bytes);
    void (*close)(void *context);
} podium_random;

/* The operating system, by getrandom(2). Best for a few values at a time. */
PODIUM_API extern const podium_random podium_random_system;

/* The default: the operating system for a few values; for arrays AES-256-CTR from OpenSSL, under a new key from the
   operating system each call. The same as podium_random_system in a build without OpenSSL. */
PODIUM_API extern const podium_random podium_random_default;

/* ---- Privatize: the only functions that see a private value ------------------------------------------------ */

/*
 * Turns n values into n reports with the default source. For one value, n is 1. reports may be the same array as
 * values (not one that overlaps it otherwise).
 *
 * Every double is accepted: values outside the range count as its nearer end, and NaN as its middle. The status
 * and the running time depend on the collection, n and the random source, never on a value. If the source fails,
 * all n reports are NaN.
 */
PODIUM_API podium_status podium_privatize(const podium_collection *collection, double *reports, const double *values,
                                          size_t n) PODIUM_MUST_USE;

/* The same with a source of your choice; NULL is podium_random_default. */
PODIUM_API podium_status podium_privatize_from(const podium_collection *collection, const podium_random *random,
                                               double *reports, const double *values, size_t n) PODIUM_MUST_USE;

/* The same, giving cells (podium_codes_encode makes them small). If the source fails, all n cells are 0, which is a
   valid cell like any other: look at the status, and send nothing. cells must not overlap values. */
PODIUM_API podium_status podium_privatize_cells(const podium_collection *collection, const podium_random *random,
                                                uint32_t *cells, const double *values, size_t n) PODIUM_MUST_USE;

/* ---- Aggregate: what reports add up to, exactly ------------------------------------------------------------- */

/*
 * Integers only, so that adding and merging in any order, in any number of threads, machines or attempts, gives the
 * same aggregate to the bit. It carries its spec. A plain struct of 8 KiB: copy it, compare it with memcmp, keep one a
 * group.
 */
#define PODIUM_BINS_MAX 1024

typedef struct podium_sum { /* 128 bits */
    uint64_t low, high;
} podium_sum;

typedef struct podium_aggregate {
    podium_spec spec;
    uint64_t fingerprint;
    uint64_t count;     /* reports taken */
    uint64_t refused;   /* reports outside the support, not taken */
    podium_sum sum;     /* of what their cells are worth */
    podium_sum squares; /* of the squares of that */
    uint32_t bin_count; /* bins of 2^bin_bits cells each */
    uint32_t bin_bits;
    uint64_t bins[PODIUM_BINS_MAX];
} podium_aggregate;

PODIUM_API void podium_aggregate_init(podium_aggregate *aggregate, const podium_collection *collection);

/* Adds n reports, or n cells. Those that the collection cannot have produced (NaN, outside the support, or none of the
   few outputs of Duchi and Minimax) are refused and counted as such. Fails, with nothing added, if the collection is
   another one's or the counters are full. */
PODIUM_API podium_status podium_aggregate_add(podium_aggregate *aggregate, const podium_collection *collection,
                                              const double *reports, size_t n) PODIUM_MUST_USE;
PODIUM_API podium_status podium_aggregate_add_cells(podium_aggregate *aggregate, const podium_collection *collection,
                                                    const uint32_t *cells, size_t n) PODIUM_MUST_USE;

/*
 * Could these be independent reports of the collection? Raw values, reports of another collection, and reports that
 * were clamped, rounded, filtered or repeated would give a confident answer that is wrong. PODIUM_ERROR_NOT_REPORTS
 * says that no values could have given them: more were refused than taken; or, in some part of the support, there are
 * more reports or fewer than the noise allows, by at least 5 reports and 0.2% of all, and by more than chance does once
 * in 10^9 collections. PODIUM_OK proves nothing. Takes up to some milliseconds.
 */
PODIUM_API podium_status podium_aggregate_check(const podium_aggregate *aggregate,
                                                const podium_collection *collection) PODIUM_MUST_USE;

/* The same for many of one collection, such as groups, at hardly more cost than for one; the 10^9 holds for all of them
   together. which is the first that cannot be; it is set with PODIUM_ERROR_NOT_REPORTS alone. */
PODIUM_API podium_status podium_aggregates_check(size_t *which, const podium_aggregate *const *aggregates, size_t count,
                                                 const podium_collection *collection) PODIUM_MUST_USE;

/* Adds other. Fails, with nothing added, if it comes from another collection or the counters are full. */
PODIUM_API podium_status podium_aggregate_merge(podium_aggregate *aggregate,
                                                const podium_aggregate *other) PODIUM_MUST_USE;

/* Takes other away again, whose reports were added or merged before: to the bit as if they had never been there. Fails,
   with nothing taken, if a collection is another one's, or with PODIUM_ERROR_NEVER_ADDED if no reports of the
   collection could have given what would be left: there are fewer than that in all or in a bin, or the sums do not
   allow it. */
PODIUM_API podium_status podium_aggregate_subtract(podium_aggregate *aggregate, const podium_collection *collection,
                                                   const podium_aggregate *other) PODIUM_MUST_USE;

/* As bytes: versioned, with a word of flags, the same on every machine. Returns how many. */
#define PODIUM_AGGREGATE_BYTES_MAX 12288
PODIUM_API size_t podium_aggregate_encode(const podium_aggregate *aggregate, unsigned char *bytes);

/*
 * Back from exactly those n bytes. Anything else is refused: with PODIUM_ERROR_TEXT_MALFORMED, with
 * PODIUM_ERROR_VERSION_UNKNOWN if it is of a later format, or with what is wrong with the spec.
 * PODIUM_ERROR_TEXT_MALFORMED also refuses an aggregate that no reports of its collection could have given: each bin
 * bounds what its reports are worth, and the sums must lie within those bounds. A forged aggregate of k reports can
 * therefore move a mean by no more than k forged reports can (podium_collection_influence). On failure the aggregate is
 * untouched.
 *
 * collection is the aggregate's own; another one's is refused with PODIUM_ERROR_FINGERPRINT_WRONG. If it is NULL, the
 * spec in the bytes is initialised for the occasion, which takes as long as podium_collection_init: where many
 * aggregates are decoded, ask podium_aggregate_spec, and keep the collection.
 */
PODIUM_API podium_status podium_aggregate_decode(podium_aggregate *aggregate, const podium_collection *collection,
                                                 const unsigned char *bytes, size_t n) PODIUM_MUST_USE;

/* As one line of text, the bytes in hexadecimal after "podium-aggregate:"; it ends in a 0, which the length returned
   leaves out. */
#define PODIUM_AGGREGATE_PREFIX "podium-aggregate:"
#define PODIUM_AGGREGATE_TEXT_MAX (2 * PODIUM_AGGREGATE_BYTES_MAX + 32)
PODIUM_API size_t podium_aggregate_write(const podium_aggregate *aggregate, char *text);
PODIUM_API podium_status podium_aggregate_read(podium_aggregate *aggregate, const podium_collection *collection,
                                               const char *text, size_t n) PODIUM_MUST_USE;

/* The spec of an aggregate in n bytes, or in a text of n bytes. Fails where decoding would fail for it; what follows
   the spec is not looked at. */
PODIUM_API podium_status podium_aggregate_spec(podium_spec *spec, const void *state, size_t n) PODIUM_MUST_USE;

/* ---- Estimate: what the reports say about the values ---------------------------------------------------------- */

typedef enum podium_interval {
    PODIUM_INTERVAL_NORMAL = 0, /* mean +- z standard errors: right for many reports */
    PODIUM_INTERVAL_GUARANTEED  /* empirical Bernstein on the bounded support: covers at least as often as it says, for
                                   every n */
} podium_interval;

typedef struct podium_estimate {
    uint64_t n;
    double mean;
    double standard_error; /* from the reports' spread, but no less than their noise alone gives */
    double confidence;
    podium_interval interval;
    double lower, upper; /* of the mean, within [min, max] */
    double variance; /* of the values, not of the reports; within [0, (max - min)^2/4]; NaN where two outputs are all
                        there is (Duchi): they tell the mean and nothing else */
    double standard_deviation;
    bool variance_clipped; /* the estimate fell outside, and was put at the end from which it cannot be told */
} podium_estimate;

/* Needs two reports; 0 < confidence < 1. The collection must be the aggregate's. */
PODIUM_API podium_status podium_estimate_make(podium_estimate *estimate, const podium_collection *collection,
                                              const podium_aggregate *aggregate, podium_interval interval,
                                              double confidence) PODIUM_MUST_USE;

/*
 * A channel is what the shape of the values is estimated through: how likely each report bin is for values in each part
 * of the range. It depends on the collection alone, and takes a megabyte and some tens of milliseconds to make, so make
 * it once for all aggregates of a collection. Threads may share it. bins, from 1 to PODIUM_SHARES_MAX, is how many bins
 * its distributions have. podium_channel_free takes NULL too.
 */
#define PODIUM_SHARES_MAX 512
#define PODIUM_SHARES_FINE 128 /* a good number: what is shown of them can be put together */
typedef struct podium_channel podium_channel;
PODIUM_API podium_status podium_channel_make(podium_channel **channel, const podium_collection *collection,
                                             uint32_t bins) PODIUM_MUST_USE;
PODIUM_API void podium_channel_free(podium_channel *channel);

/*
 * The distribution of the values: shares of equal bins from min to max, by expectation-maximisation over the masses of
 * the report bins, smoothed after each step, in PODIUM_SHARES_FINE bins or more that are then put together. Ends when a
 * step gains less than 1e-3 in log-likelihood, or after PODIUM_STEPS_MAX.
 *
 * Too few reports cannot tell the distribution of the values from an even one. Whether they can is decided by a test
 * that, if the values are in fact spread evenly, errs in at most 5% of all cases, whatever n, epsilon and the mechanism
 * are. Where it says no, telling is false, and the shares and all that is asked of them are NaN. Two outputs (Duchi)
 * tell the mean and nothing else.
 */
#define PODIUM_STEPS_MAX 2000

typedef struct podium_distribution {
    double min, max;
    uint32_t bins;
    uint32_t steps; /* PODIUM_STEPS_MAX: not converged */
    bool telling;
    double share[PODIUM_SHARES_MAX];
} podium_distribution;

PODIUM_API podium_status podium_distribution_from(podium_distribution *distribution, const podium_channel *channel,
                                                  const podium_aggregate *aggregate) PODIUM_MUST_USE;

/* The same for a single aggregate, with a channel of its own. */
PODIUM_API podium_status podium_distribution_make(podium_distribution *distribution,
                                                  const podium_collection *collection,
                                                  const podium_aggregate *aggregate, uint32_t bins) PODIUM_MUST_USE;

/* The value below which a share p lies, 0 <= p <= 1; linear within a bin. NaN for another p. */
PODIUM_API double podium_distribution_quantile(const podium_distribution *distribution, double p);

/* The share of the values below x; linear within a bin. */
PODIUM_API double podium_distribution_below(const podium_distribution *distribution, double x);

/* The same distribution in fewer bins; bins must divide distribution->bins. */
PODIUM_API podium_status podium_distribution_coarsen(podium_distribution *distribution, uint32_t bins) PODIUM_MUST_USE;

/*
 * How much the quantiles p would vary with other reports of the same values, by the bootstrap: the report bins are
 * drawn anew repetitions times, at least podium_bootstrap_least(confidence) (seeded by the aggregate, so the answer is
 * reproducible), and each time the distribution is estimated again. The intervals hold that variation; the bias that
 * comes of smoothing, which widens what is narrow, they cannot show. Where the distribution is not telling they are
 * NaN. progress, if not NULL, is called after each repetition.
 */
PODIUM_API double podium_bootstrap_least(double confidence); /* 2/(1 - confidence), rounded up */
PODIUM_API podium_status podium_distribution_bootstrap(double *lower, double *upper, const podium_channel *channel,
                                                       const podium_aggregate *aggregate, const double *p, size_t count,
                                                       double confidence, uint32_t repetitions,
                                                       void (*progress)(void *context, uint32_t done),
                                                       void *context) PODIUM_MUST_USE;

/* ---- Plan: which mechanism, how many people, what epsilon ------------------------------------------------------ */

typedef enum podium_objective {
    PODIUM_OBJECTIVE_WORST_CASE = 0, /* whatever the values are */
    PODIUM_OBJECTIVE_UNIFORM,        /* values spread evenly over the range */
    PODIUM_OBJECTIVE_MIDDLE          /* values about its middle */
} podium_objective;

/* The variance of a report that the objective looks at. */
PODIUM_API double podium_collection_noise(const podium_collection *collection, podium_objective objective);

/* Sets mechanism, spread and cells to those of the least such variance; epsilon and the range are given, and cells (0
   or the most that a report may have). Takes what initialising every mechanism takes. */
PODIUM_API podium_status podium_choose(podium_spec *spec, podium_objective objective) PODIUM_MUST_USE;

/* About the least worst-case variance that any unbiased mechanism can have, for a range of width 1: the optimum of a
   linear program on a grid of inputs and outputs. NaN where it is not known: it is for 15 values of epsilon from 0.1
   to 10. */
PODIUM_API double podium_lower_bound(double epsilon);

/*
 * Each gives one of people, epsilon and error from the other two. The error is half the width of the interval that
 * podium_estimate_make (PODIUM_INTERVAL_NORMAL) will give, or more: the people are taken for a sample, and their values
 * have mean square at most spread (max - min)^2 about the middle; 1/4 covers everything.
 */
PODIUM_API podium_status podium_plan_error(double *within, const podium_collection *collection, double people,
                                           double spread, double confidence) PODIUM_MUST_USE;
PODIUM_API podium_status podium_plan_people(double *people, const podium_collection *collection, double within,
                                            double spread, double confidence) PODIUM_MUST_USE;
/* The collection of the least epsilon, to a thousandth, that does; spec->epsilon is not looked at. With
   PODIUM_ERROR_TOO_FEW_REPORTS no epsilon does. */
PODIUM_API podium_status podium_plan_epsilon(podium_collection *collection, const podium_spec *spec, double people,
                                             double within, double spread, double confidence) PODIUM_MUST_USE;

/* Several questions to one person, who spends spec->epsilon in all: on each question, epsilon/questions; or on a few of
   them that are chosen at random, more each, while fewer people answer a question. */
typedef struct podium_questions {
    uint32_t each;       /* how many a person should answer */
    double within;       /* the error of each question's mean then */
    double within_split; /* if everybody answers all of them */
    double within_one;   /* if everybody answers one */
} podium_questions;
PODIUM_API podium_status podium_plan_questions(podium_questions *plan, const podium_spec *spec, double people,
                                               uint32_t questions, double spread, double confidence) PODIUM_MUST_USE;

/* ---- Numbers as text: the same in every locale, whose decimal point printf and strtod would take ---------------- */

/* The fewest digits with which printf's %g writes a number that reads back as x, with a dot; an infinity or a NaN is
   "inf", "-inf", "nan" or "-nan", which JSON does not have. text has room for PODIUM_NUMBER_TEXT_MAX bytes. Returns the
   length, without the final 0. */
#define PODIUM_NUMBER_TEXT_MAX 48
PODIUM_API size_t podium_number_write(char *text, double x);

/* Back from exactly n bytes, at most PODIUM_NUMBER_READ_MAX: digits, perhaps a dot, a sign and an exponent, and nothing
   else. What is too large for a double is an infinity. False, with x untouched, if it is no such number. */
#define PODIUM_NUMBER_READ_MAX 127
PODIUM_API bool podium_number_read(double *x, const char *text, size_t n) PODIUM_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
