/*
 * Podium: local differential privacy for numbers. This header is the collector's half, which sees reports and never a
 * value.
 *
 *     podium_aggregate sums;
 *     podium_aggregate_init(&age, &sums);
 *     if (podium_aggregate_add(&age, &sums, reports, n) != PODIUM_OK) ...
 *     podium_summary summary;
 *     if (podium_summary_make(&age, NULL, &summary, &sums, NULL) != PODIUM_OK) ...
 *     printf("%g, between %g and %g\n", summary.mean, summary.lower, summary.upper);
 *
 * podium.h defines the words and the order of arguments. No function locks or keeps data between calls.
 */
#ifndef PODIUM_ANALYSIS_H
#define PODIUM_ANALYSIS_H

#include "podium.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Aggregate: what reports add up to, exactly ------------------------------------------------------------- */

/*
 * An aggregate contains only integers, so that adding and merging in any order, in any number of threads, machines or
 * attempts, leads to the same aggregate to the bit. It contains its spec. The struct has a fixed size, so it can be
 * copied and compared with memcmp, and you can keep one for each group.
 */
typedef struct podium_aggregate {
    union {
        unsigned char bytes[8704];
        uint64_t word;
        double number;
    } opaque;
} podium_aggregate;

/* Makes the aggregate of no reports. The collection must be initialised. */
PODIUM_API void podium_aggregate_init(const podium_collection *collection, podium_aggregate *aggregate);

/* The collection's spec and its fingerprint, how many reports were added, and how many were refused because the
   collection cannot have produced them. */
PODIUM_API podium_spec podium_aggregate_spec(const podium_aggregate *aggregate);
PODIUM_API uint64_t podium_aggregate_fingerprint(const podium_aggregate *aggregate);
PODIUM_API uint64_t podium_aggregate_count(const podium_aggregate *aggregate);
PODIUM_API uint64_t podium_aggregate_refused(const podium_aggregate *aggregate);

/* Adds n reports, or n cells. One that the collection cannot have produced is refused, and counted as refused: a
   report that is NaN, outside the support or, if there are few possible outputs, not near any of them; or a number
   that is not a cell. Fails, with nothing added, with PODIUM_ERROR_FINGERPRINT_WRONG if the aggregate belongs to
   another collection, or with PODIUM_ERROR_AGGREGATE_FULL. */
PODIUM_API podium_status podium_aggregate_add(const podium_collection *collection, podium_aggregate *aggregate,
                                              const double *reports, size_t n) PODIUM_MUST_USE;
PODIUM_API podium_status podium_aggregate_add_cells(const podium_collection *collection, podium_aggregate *aggregate,
                                                    const uint32_t *cells, size_t n) PODIUM_MUST_USE;

/* Adds the reports of another aggregate. Fails, with nothing added, with PODIUM_ERROR_FINGERPRINT_WRONG if it
   belongs to another collection, or with PODIUM_ERROR_AGGREGATE_FULL. */
PODIUM_API podium_status podium_aggregate_merge(podium_aggregate *aggregate,
                                                const podium_aggregate *other) PODIUM_MUST_USE;

/* Subtracts reports that were added or merged before, so that the aggregate is, to the bit, what it would be without
   them, except for a mark. An interval that holds at all numbers of reports at once (PODIUM_INTERVAL_ANYTIME) holds
   only if reports are never taken out, so the aggregate remembers that some were, until none are left. Fails, with
   nothing subtracted, with PODIUM_ERROR_FINGERPRINT_WRONG if the three do not belong to one collection, or with
   PODIUM_ERROR_NEVER_ADDED if no reports of the collection could have led to the remainder. */
PODIUM_API podium_status podium_aggregate_subtract(const podium_collection *collection, podium_aggregate *aggregate,
                                                   const podium_aggregate *other) PODIUM_MUST_USE;

/*
 * Checks whether these could be independent reports of the collection. Raw values, reports of another collection, and
 * reports that were clamped, rounded, filtered or repeated would lead to a confident but wrong answer.
 *
 * PODIUM_ERROR_NOT_REPORTS means that no values could have led to such reports. Either at least 5 reports were refused,
 * and more than 1% of all, although honest reports never are; or some part of the support has more reports or fewer
 * than the noise allows, by at least 5 reports and 0.2% of all, and by more than happens by chance in one of 10^9
 * collections. PODIUM_OK proves nothing.
 * PODIUM_ERROR_FINGERPRINT_WRONG means that the aggregate belongs to another collection.
 *
 * Takes up to some milliseconds, and memory that it frees before it returns.
 */
PODIUM_API podium_status podium_aggregate_check(const podium_collection *collection,
                                                const podium_aggregate *aggregate) PODIUM_MUST_USE;

/* The same for many aggregates of one collection, such as groups, at hardly more cost than for one; the rate of one
   in 10^9 is for all of them together. If it fails with PODIUM_ERROR_NOT_REPORTS or
   PODIUM_ERROR_FINGERPRINT_WRONG, it sets *which to the index of the first aggregate that it is about; otherwise *which
   is untouched. */
PODIUM_API podium_status podium_aggregates_check(const podium_collection *collection, size_t *which,
                                                 const podium_aggregate *const *aggregates,
                                                 size_t count) PODIUM_MUST_USE;

/* A part of the support with more reports than honest people can have sent */
typedef struct podium_excess {
    double low, high; /* the least and the greatest report of that part */
    uint64_t count;   /* the reports in it */
    uint64_t most;    /* honest people have not sent more, except with a probability of 1e-9 for all parts together */
} podium_excess;

/* Finds the parts of the support, at most 1,024 in all, that have too many reports: whatever a value is, its
   report lands in such a part with a limited probability. So at least count - most of its reports are dishonest, which
   no values could explain; others, in these parts and elsewhere, may be. Writes at most `capacity` of them, in the
   order of cells, and sets *found to how many there are. Fails with PODIUM_ERROR_FINGERPRINT_WRONG if the aggregate
   belongs to another collection. */
PODIUM_API podium_status podium_aggregate_excess(const podium_collection *collection, podium_excess *excess,
                                                 size_t capacity, size_t *found,
                                                 const podium_aggregate *aggregate) PODIUM_MUST_USE;

/* What podium_aggregate_trim did */
typedef struct podium_trimmed {
    uint64_t removed;   /* reports that it took out */
    uint64_t dishonest; /* at least so many reports were dishonest; podium_aggregate_excess says why */
    uint64_t suspect;   /* reports that are left in the same parts, of which nobody knows how many are dishonest */
} podium_trimmed;

/*
 * Takes the surplus of those parts out of an aggregate, so that each keeps the reports that so many honest people send
 * there on average, at most. It bounds what devices can do that all send the same report, or a few different ones; who
 * spreads dishonest reports as noise does is not found.
 * podium_collection_influence bounds the harm, also that of the suspect reports, for which no interval allows.
 *
 * Without excess nothing changes. Otherwise the aggregate remembers that reports were subtracted. If a part consists of
 * several cells, it is not known which of them the reports were in, and the mean may be wrong by half the width of a
 * part for each report taken out. Fails as podium_aggregate_excess does, or with PODIUM_ERROR_NOT_REPORTS if what
 * remains would be impossible; the aggregate is unchanged then.
 */
PODIUM_API podium_status podium_aggregate_trim(const podium_collection *collection, podium_aggregate *aggregate,
                                               podium_trimmed *trimmed) PODIUM_MUST_USE;

/* Writes an aggregate as bytes, in a versioned format that is the same on every machine. Returns how many bytes
   there are. If that is above the capacity, nothing is written; PODIUM_AGGREGATE_BYTES_MAX is always enough. bytes
   may be NULL if the capacity is 0. */
#define PODIUM_AGGREGATE_BYTES_MAX 12288
PODIUM_API size_t podium_aggregate_encode(const podium_aggregate *aggregate, unsigned char *bytes, size_t capacity);

/*
 * Reads an aggregate from exactly those n bytes. Everything else is rejected: with PODIUM_ERROR_VERSION_UNKNOWN if the
 * format is newer, with the status of its spec if the spec is not valid, with PODIUM_ERROR_FINGERPRINT_WRONG if the
 * fingerprint is not that of the spec, and otherwise with PODIUM_ERROR_TEXT_MALFORMED. That includes an aggregate that
 * no reports of its collection could have led to: each bin bounds what its reports are worth, and the sums must lie
 * within those bounds. A forged aggregate of k reports can therefore move a mean by no more than k forged reports can
 * (podium_collection_influence).
 *
 * collection must be the aggregate's own; if it is another one, the call fails with PODIUM_ERROR_FINGERPRINT_WRONG. If
 * it is NULL, the spec in the bytes is initialised for this call, which takes as long as podium_collection_init. To
 * decode many aggregates, get the spec from podium_aggregate_peek, and keep the collection.
 */
PODIUM_API podium_status podium_aggregate_decode(const podium_collection *collection, podium_aggregate *aggregate,
                                                 const unsigned char *bytes, size_t n) PODIUM_MUST_USE;

/* Writes an aggregate as one line of text: PODIUM_AGGREGATE_PREFIX, then the bytes in hexadecimal. Returns the
   length of the line without the 0 byte that ends it. If the length is not below the capacity, nothing is written;
   PODIUM_AGGREGATE_TEXT_MAX is always enough. text may be NULL if the capacity is 0. */
#define PODIUM_AGGREGATE_PREFIX "podium-aggregate:"
#define PODIUM_AGGREGATE_TEXT_MAX (2 * PODIUM_AGGREGATE_BYTES_MAX + 32)
PODIUM_API size_t podium_aggregate_format(const podium_aggregate *aggregate, char *text, size_t capacity);

/* Reads an aggregate from the n bytes of that line. Fails as podium_aggregate_decode does. */
PODIUM_API podium_status podium_aggregate_parse(const podium_collection *collection, podium_aggregate *aggregate,
                                                const char *text, size_t n) PODIUM_MUST_USE;

/* Reads only the spec of an aggregate in n bytes of either form. Fails if decoding would fail before the end of the
   spec; what follows the spec is not checked. */
PODIUM_API podium_status podium_aggregate_peek(podium_spec *spec, const void *bytes, size_t n) PODIUM_MUST_USE;

/* ---- Distribution: the shape of the values -------------------------------------------------------------------- */

/*
 * A channel says how likely each part of the support is for values in each part of the range; the distribution of the
 * values is estimated with it. It depends on the collection alone. Making one takes some megabytes and some tens of
 * milliseconds, so make it once for all aggregates of a collection. Threads may share it.
 *
 * Fails with PODIUM_ERROR_NOT_INITIALISED or PODIUM_ERROR_OUT_OF_MEMORY. podium_channel_free accepts NULL.
 */
typedef struct podium_channel podium_channel;
PODIUM_API podium_status podium_channel_make(const podium_collection *collection,
                                             podium_channel **channel) PODIUM_MUST_USE;
PODIUM_API void podium_channel_free(podium_channel *channel);

/*
 * The distribution of the values from min to max. The logarithm of its density is a smooth curve, and the reports
 * themselves decide how smooth (docs/estimation.md). Ask the functions below what it says.
 *
 * With too few reports, the distribution of the values cannot be distinguished from an even one. A test decides whether
 * it can be. If the values are in fact spread evenly, the test errs in at most 5% of all cases, for every n, epsilon
 * and mechanism. If the test says no, telling is false, and the functions return NaN.
 */
#define PODIUM_SHARES 512

typedef struct podium_distribution {
    double min, max;
    double confidence; /* of all limits */
    bool telling;
    uint32_t steps;              /* Newton steps of the estimate */
    uint32_t bins;               /* as asked for, see podium_distribution_bin */
    double share[PODIUM_SHARES]; /* of that many equal parts of the range */
    /* Limits of the share below each edge of those parts: as they are, and narrower ones for where a quantile lies. */
    double below_lower[PODIUM_SHARES + 1], below_upper[PODIUM_SHARES + 1];
    double quantile_lower[PODIUM_SHARES + 1], quantile_upper[PODIUM_SHARES + 1];
    double bin_lower[PODIUM_SHARES], bin_upper[PODIUM_SHARES]; /* of the share of each bin */
} podium_distribution;

/* An interval that contains the truth with the confidence that was asked for, approximately. docs/estimation.md has its
   measured coverage. */
typedef struct podium_limits {
    double lower, upper;
} podium_limits;

/* Estimates the distribution, and the shares of equal bins, from 1 to PODIUM_SHARES. Takes some milliseconds, and about
   2 MiB of memory that it frees before it returns. Fails with PODIUM_ERROR_FINGERPRINT_WRONG if the aggregate belongs
   to another collection than the channel, with PODIUM_ERROR_TOO_FEW_REPORTS if it has no reports, with
   PODIUM_ERROR_ARGUMENT_WRONG if the number of bins is out of range or the confidence is not between 0 and 1, or with
   PODIUM_ERROR_OUT_OF_MEMORY. */
PODIUM_API podium_status podium_distribution_make(const podium_channel *channel, podium_distribution *distribution,
                                                  const podium_aggregate *aggregate, uint32_t bins,
                                                  double confidence) PODIUM_MUST_USE;

/* Return the value below which a share p of the values lies, for 0 <= p <= 1, and its limits. NaN for any other p. */
PODIUM_API double podium_distribution_quantile(const podium_distribution *distribution, double p);
PODIUM_API podium_limits podium_distribution_quantile_limits(const podium_distribution *distribution, double p);

/* Return the share of the values below x, and its limits. NaN if x is. */
PODIUM_API double podium_distribution_below(const podium_distribution *distribution, double x);
PODIUM_API podium_limits podium_distribution_below_limits(const podium_distribution *distribution, double x);

/* Returns one of the bins that were asked for, its share, and the limits of the share. number counts from 0. All are
   NaN if number is not below the number of bins. */
typedef struct podium_bin {
    double from, to;
    double share;
    double lower, upper;
} podium_bin;
PODIUM_API podium_bin podium_distribution_bin(const podium_distribution *distribution, uint32_t number);

/* ---- Band: limits of the distribution that are guaranteed ----------------------------------------------------- */

/*
 * Limits of the share of the values below each of the edges of equal parts of the range. With at least the confidence
 * that was asked for, all of them hold at once, for every number of reports and whatever the values are, if that number
 * was not chosen by looking at the reports. Nothing is assumed about the shape of the values, so the band is wide;
 * docs/estimation.md has the proof and the widths. It is about these people, and just as well about a population from
 * which they were drawn at random and independently.
 */
#define PODIUM_BAND_PARTS 64

typedef struct podium_band {
    double min, max;
    double confidence;
    double lower[PODIUM_BAND_PARTS + 1]; /* the least share of values below each edge */
    double upper[PODIUM_BAND_PARTS + 1]; /* the greatest share of values below or at each edge */
} podium_band;

/* Computes the band. If no values fit the reports, not even at a much higher confidence, the band is from 0 to 1.
   Takes some tenths of a second, and about 3 MiB of memory that it frees before it returns. Fails with
   PODIUM_ERROR_FINGERPRINT_WRONG if the aggregate belongs to another collection than the channel, with
   PODIUM_ERROR_TOO_FEW_REPORTS if it has no reports, with PODIUM_ERROR_ARGUMENT_WRONG if the confidence is not between
   0 and 1, or with PODIUM_ERROR_OUT_OF_MEMORY. */
PODIUM_API podium_status podium_band_make(const podium_channel *channel, podium_band *band,
                                          const podium_aggregate *aggregate, double confidence) PODIUM_MUST_USE;

/* Returns the limits of the share of the values below x. They hold with and without the values that equal x. NaN if x
   is. */
PODIUM_API podium_limits podium_band_below(const podium_band *band, double x);

/* Returns limits of the value below which a share p of the values lies, for 0 <= p <= 1. They are edges, so they are no
   closer than one part of the range. NaN for any other p. */
PODIUM_API podium_limits podium_band_quantile(const podium_band *band, double p);

/* ---- Summary: what the reports say about the values ---------------------------------------------------------- */

/*
 * How the interval of the mean is computed, and what it promises. docs/estimation.md has the proofs. Each of them can
 * be for the mean of the values behind the reports, or for the mean of a population from which these people were drawn
 * at random and independently, which makes the interval wider.
 */
typedef enum podium_interval {
    /* mean +- z standard errors. This is accurate for many reports. The standard error contains the spread of the
       values, so for the mean of these people it is a little too large. */
    PODIUM_INTERVAL_NORMAL = 0,
    /* Covers at least as often as it says, for every number of reports, if that number was not chosen by looking at
       the reports. For two outputs it is Clopper and Pearson's interval. Otherwise it is the shorter of Chernoff's
       bound and Berry and Esseen's, or for a population perhaps the empirical Bernstein bound. */
    PODIUM_INTERVAL_GUARANTEED = 1,
    /* Covers at all numbers of reports at once at least as often as it says. So you may look after every report, and
       stop when you like. It supposes that the order of the reports does not depend on what they are. It is withheld
       if reports were subtracted. */
    PODIUM_INTERVAL_ANYTIME = 2
} podium_interval;

/* Returns "normal", "guaranteed" or "anytime"; NULL for any other number. */
PODIUM_API const char *podium_interval_name(podium_interval interval);

/* Finds the interval with that name of n bytes. Fails with PODIUM_ERROR_ARGUMENT_WRONG if there is none. */
PODIUM_API podium_status podium_interval_from_name(podium_interval *interval, const char *name,
                                                   size_t n) PODIUM_MUST_USE;

/*
 * What the noise of a collection can do at most, which is all that guaranteed and anytime intervals are computed from.
 * It depends on the collection alone. It takes some milliseconds at most, and a tenth of a second for 65,536 cells. So
 * if there are many aggregates of a collection, compute it once and put it into the question. Threads may share it. It
 * can be copied.
 */
typedef struct podium_bounds {
    union {
        unsigned char bytes[512];
        uint64_t word;
        double number;
    } opaque;
} podium_bounds;

/* Computes the bounds. On failure, with PODIUM_ERROR_NOT_INITIALISED or PODIUM_ERROR_OUT_OF_MEMORY, they are cleared
   to zeros. */
PODIUM_API podium_status podium_bounds_init(const podium_collection *collection, podium_bounds *bounds) PODIUM_MUST_USE;

#define PODIUM_BINS_DEFAULT 20

/* What a summary shall contain. All zeros asks for a 95% normal interval for the mean of these people and no
   distribution. */
typedef struct podium_question {
    double confidence; /* of the interval, between 0 and 1; 0 stands for 0.95 */
    podium_interval interval;
    bool population; /* whether the interval shall be for a population from which these people were drawn at random */
    const podium_bounds *bounds; /* the collection's; if it is NULL, they are computed for this call if needed */
    bool shape;                  /* whether to estimate the distribution, which takes longer than everything else */
    uint32_t bins;               /* of the distribution, at most PODIUM_SHARES; 0 stands for PODIUM_BINS_DEFAULT */
    uint64_t dishonest;          /* how many reports may be dishonest; 0 to leave influence out */
} podium_question;

/* What is known of a part of the summary. If it is not PODIUM_KNOWN_ESTIMATED, the numbers of that part are NaN. */
typedef enum podium_known {
    PODIUM_KNOWN_ESTIMATED = 0,
    PODIUM_KNOWN_TOO_FEW = 1,   /* too few reports */
    PODIUM_KNOWN_TOO_SMALL = 2, /* the spread is too small to be measured with this many reports */
    PODIUM_KNOWN_TOO_LARGE = 3, /* the spread came out larger than the range allows */
    PODIUM_KNOWN_UNTOLD = 4,    /* reports of this collection say nothing but the mean */
    PODIUM_KNOWN_NOT_ASKED = 5,
    PODIUM_KNOWN_SUBTRACTED = 6 /* reports were subtracted, so that no anytime interval holds */
} podium_known;

/* Returns the same in words that can follow "because" or stand in parentheses. "" for PODIUM_KNOWN_ESTIMATED. Never
   NULL. */
PODIUM_API const char *podium_known_message(podium_known known);

typedef struct podium_summary {
    uint64_t count;   /* reports added */
    uint64_t refused; /* reports refused */
    double confidence;
    podium_interval interval;
    bool population; /* whether the interval is for a population, and not for the mean of these people */

    podium_known mean_known;
    double mean;
    double standard_error; /* from the spread of the reports, but at least what their noise alone causes */
    podium_known interval_known;
    double lower, upper;  /* the interval of the mean, within [min, max] */
    bool mean_is_outside; /* outside [min, max] by more than 6 standard errors, so these are hardly reports of the
                             collection */
    double influence;     /* the most by which the dishonest reports can have moved the mean; NaN if dishonest was 0 */

    podium_known spread_known;
    double variance; /* of the values, not of the reports */
    double standard_deviation;

    /* If the interval is guaranteed, the limits of the distribution are those of a podium_band, so that all of them
       hold at once. If it is anytime, they are still for one look. */
    podium_known shape_known;
    podium_distribution distribution; /* ask podium_distribution_quantile and its neighbours */
} podium_summary;

/* Summarises an aggregate. channel must be the collection's; if it is NULL and the distribution is asked for, the
   call makes a channel of its own. A question that is NULL stands for all zeros. Succeeds for any number of reports,
   including 0. Fails with PODIUM_ERROR_FINGERPRINT_WRONG if the aggregate, the channel or the bounds belong to another
   collection, with PODIUM_ERROR_ARGUMENT_WRONG if the question is not valid, and with PODIUM_ERROR_OUT_OF_MEMORY. */
PODIUM_API podium_status podium_summary_make(const podium_collection *collection, const podium_channel *channel,
                                             podium_summary *summary, const podium_aggregate *aggregate,
                                             const podium_question *question) PODIUM_MUST_USE;

/* Returns whose mean the interval is for, "these people" or "population". */
PODIUM_API const char *podium_summary_about(const podium_summary *summary);

/* ---- Difference: comparing groups -------------------------------------------------------------------------- */

/*
 * The mean of the values of one group minus that of another. The groups must be different people, or the same people
 * with new reports, so that the noise of one group is independent of that of the other.
 *
 * The p-value is the probability that reports of two groups with the same mean differ at least as much as these. It
 * belongs to the interval: it is below 1 - confidence where the interval does not contain 0.
 */
typedef struct podium_difference {
    podium_known known; /* PODIUM_KNOWN_TOO_FEW if a group has fewer than two reports; all numbers below are then NaN */
    double confidence;
    podium_interval interval;
    bool population;   /* whether the interval is for populations, and not for the means of these people */
    double difference; /* the mean of a minus the mean of b */
    double standard_error;
    podium_known interval_known; /* as in a podium_summary; if it is not known, the p-value is not either */
    double lower, upper;         /* the interval of the difference, within [min - max, max - min] */
    double p_value; /* two-sided; unless the interval is normal, an upper bound, to 1% and not below 1e-12 */
} podium_difference;

/* Compares two aggregates of one collection. Of the question, which may be NULL, shape and dishonest do not count. A
   normal interval comes from the standard errors of both means. Any other interval contains all differences between an
   interval for a and one for b, each with half the probability of error. Fails as podium_summary_make does. */
PODIUM_API podium_status podium_difference_make(const podium_collection *collection, podium_difference *difference,
                                                const podium_aggregate *a, const podium_aggregate *b,
                                                const podium_question *question) PODIUM_MUST_USE;

/* Adjusts the p-values of `count` comparisons by Holm's method. To call those differences real whose adjusted p-value
   is at most alpha errs, in any of them, with a probability of at most alpha. A p that is NaN is no comparison, and its
   adjusted one is NaN too. adjusted may be p itself. Fails with PODIUM_ERROR_ARGUMENT_WRONG if a p is not from 0 to 1,
   or with PODIUM_ERROR_OUT_OF_MEMORY. */
PODIUM_API podium_status podium_differences_adjust(double *adjusted, const double *p, size_t count) PODIUM_MUST_USE;

/* ---- Shape: the distribution of a report in closed form --------------------------------------------------- */

/*
 * The continuous distribution that the sampler approximates, for analysis and planning, if the mechanism has a density.
 * (podium_collection_variance works for all mechanisms.) Here x is the value and y the report, both in the collection's
 * own units; the paper's x is x - (min + max)/2. An x outside [min, max] counts as the nearer end. If an argument is
 * NaN, the result is NaN.
 */
typedef struct podium_shape {
    podium_spec spec;
    double delta;  /* max - min */
    double middle; /* (min + max)/2 */
    double alpha;  /* the variance at x is alpha + beta (x - middle)^2 */
    double beta;
    /* For a density of two levels, in the paper's letters; 0 for the other mechanisms */
    double s;      /* step parameter */
    double m;      /* the support is delta*m wide */
    double w;      /* width of the step */
    double d;      /* density beside the step */
    double d_step; /* density on the step, d e^epsilon */
    double q;      /* mass of the step above the base, lift*w */
    double lift;   /* density of the step above the base, d (e^epsilon - 1) */
    /* For stairs; 0 for the other mechanisms */
    double gamma;  /* half-width of the middle stair in units of delta */
    double height; /* density of the middle stair */
} podium_shape;

/* Computes the closed form. Fails as podium_collection_init does, except that epsilon may go up to
   PODIUM_EPSILON_MAX_SHAPE and no range is too narrow. Fails with PODIUM_ERROR_NO_DENSITY if the mechanism has no
   density. */
PODIUM_API podium_status podium_shape_init(podium_shape *shape, const podium_spec *spec) PODIUM_MUST_USE;

/* Returns the left end of the step at x (the paper's t, shifted to the collection's units), or NaN if the mechanism
   has no step. */
PODIUM_API double podium_shape_step(const podium_shape *shape, double x);

/* Returns the density, and the probability of a report up to y, at the value x. */
PODIUM_API double podium_shape_density(const podium_shape *shape, double x, double y);
PODIUM_API double podium_shape_cdf(const podium_shape *shape, double x, double y);

/* Returns the y with podium_shape_cdf(shape, x, y) = p. For p = 0 and p = 1 it is an end of the support, which may
   be infinite; for a p outside [0, 1] it is NaN. */
PODIUM_API double podium_shape_quantile(const podium_shape *shape, double x, double p);

/* Return the mean, which is x, and the variance of the report of x. */
PODIUM_API double podium_shape_mean(const podium_shape *shape, double x);
PODIUM_API double podium_shape_variance(const podium_shape *shape, double x);

/* Returns the variance of a divided by the variance of b at x. It is below 1 where a is the better mechanism. */
PODIUM_API double podium_shape_efficiency(const podium_shape *a, const podium_shape *b, double x);

/* ---- Noise: what is known of the reports before the first one arrives ----------------------------------------- */

/* Returns the probability of a cell in first ... last - 1 given a place, exact except for rounding; 0 if first is
   not below last. */
PODIUM_API double podium_collection_mass(const podium_collection *collection, uint64_t place, uint64_t first,
                                         uint64_t last);

/* Returns the probability that the report of x is this cell, exact except for rounding. Over all x it differs by a
   factor of at most e^epsilon, and these ratios are all that an observer of the report learns. An x outside [min, max]
   counts as the nearer end. NaN if x is NaN, or the cell is not below podium_collection_cells. */
PODIUM_API double podium_collection_likelihood(const podium_collection *collection, double x, uint64_t cell);

/* Returns the most by which k dishonest reports among n can move their mean, because each can be moved across the
   whole support. A k above n counts as n. If n is 0, it is an infinity. */
PODIUM_API double podium_collection_influence(const podium_collection *collection, uint64_t k, uint64_t n);

typedef enum podium_objective {
    PODIUM_OBJECTIVE_WORST_CASE = 0,  /* the maximum over all values */
    PODIUM_OBJECTIVE_UNIFORM = 1,     /* the average over values that are spread evenly over the range */
    PODIUM_OBJECTIVE_MIDDLE = 2,      /* at the middle of the range */
    PODIUM_OBJECTIVE_DISTRIBUTION = 3 /* the error of the shape of the values, instead of a variance */
} podium_objective;

/* Returns the variance of a report under the objective. For PODIUM_OBJECTIVE_DISTRIBUTION it is the least squared error
   that an unbiased estimate of the cumulative distribution can have, on average over the range, for values that are
   spread evenly but for six waves that are to be estimated, times the number of reports (docs/mechanisms.md). That one
   does not depend on the units of the range, takes some milliseconds, and is an infinity if reports tell less than
   that. */
PODIUM_API double podium_collection_noise(const podium_collection *collection, podium_objective objective);

/* ---- Plan: which mechanism, how many people, what epsilon ------------------------------------------------------ */

/* Sets spec to the mechanism and the parameters with the least noise under the objective. epsilon, the range and
   cells (0, or the most cells that the support may have) are those of `given`. Takes as long as initialising every
   mechanism. Fails as podium_collection_init does, or with PODIUM_ERROR_ARGUMENT_WRONG for an unknown objective. */
PODIUM_API podium_status podium_choose(podium_spec *spec, const podium_spec *given,
                                       podium_objective objective) PODIUM_MUST_USE;

/* Returns approximately the least worst-case variance that any unbiased mechanism can have, for a range of width 1.
   It is the optimum of a linear program on a grid of inputs and outputs, and known for 15 values of epsilon from 0.1
   to 10. NaN for every other epsilon. */
PODIUM_API double podium_lower_bound(double epsilon);

/*
 * Each function computes one of people, epsilon and error from the other two. The error `within` is half the width of
 * the interval that podium_summary_make (PODIUM_INTERVAL_NORMAL) will return, or more, because the people count as a
 * sample, and the mean square of their values about the middle is taken to be at most spread (max - min)^2. A spread of
 * 1/4 covers all values. The number of people is at least 2.
 *
 * They fail with PODIUM_ERROR_ARGUMENT_WRONG if people is below 1, within is not positive, the spread is not from 0 to
 * 1/4, or the confidence is not between 0 and 1.
 */
PODIUM_API podium_status podium_plan_error(const podium_collection *collection, double *within, double people,
                                           double spread, double confidence) PODIUM_MUST_USE;
PODIUM_API podium_status podium_plan_people(const podium_collection *collection, double *people, double within,
                                            double spread, double confidence) PODIUM_MUST_USE;
/* Initialises the collection with the least epsilon, to a thousandth, that is enough; spec->epsilon is ignored.
   Fails with PODIUM_ERROR_TOO_FEW_REPORTS if no epsilon is enough, and as podium_collection_init does. On failure
   the collection is cleared to zeros. */
PODIUM_API podium_status podium_plan_epsilon(podium_collection *collection, const podium_spec *spec, double people,
                                             double within, double spread, double confidence) PODIUM_MUST_USE;

/*
 * The same for the distribution: each function computes the error from the number of people, or the people from the
 * error. The error `within` is half the width of the limits that podium_distribution_make will return: of quantile p,
 * in the units of the range; or of the share of a bin, of `bins` equal ones, and then that of the bin with the widest
 * limits. It depends on how the values are spread. The plan is for a normal distribution around the middle of the
 * range, with a standard deviation of a fifth of the range, cut off at both ends. The number of people is rounded up to
 * three digits.
 *
 * One call to compute an error takes as long as podium_distribution_make, and one to compute the people some 20 times
 * that. They fail with PODIUM_ERROR_ARGUMENT_WRONG if people is not from 1 to PODIUM_PLAN_PEOPLE_MAX, within is not
 * positive, p or the confidence is not between 0 and 1, or bins is not from 1 to PODIUM_SHARES; with
 * PODIUM_ERROR_MEAN_ONLY if the reports show no distribution; with PODIUM_ERROR_TOO_FEW_REPORTS if so few people do not
 * show it, or not even that many people are enough; and with PODIUM_ERROR_OUT_OF_MEMORY.
 */
#define PODIUM_PLAN_PEOPLE_MAX 1e12
PODIUM_API podium_status podium_plan_quantile(const podium_channel *channel, double *within, double people, double p,
                                              double confidence) PODIUM_MUST_USE;
PODIUM_API podium_status podium_plan_quantile_people(const podium_channel *channel, double *people, double within,
                                                     double p, double confidence) PODIUM_MUST_USE;
PODIUM_API podium_status podium_plan_histogram(const podium_channel *channel, double *within, double people,
                                               uint32_t bins, double confidence) PODIUM_MUST_USE;
PODIUM_API podium_status podium_plan_histogram_people(const podium_channel *channel, double *people, double within,
                                                      uint32_t bins, double confidence) PODIUM_MUST_USE;

/* Sets difference to the least one between the means of two groups that a test will find with the given power, that is,
   with this probability its p-value is at most 1 - confidence. within is the error of each of these means, as
   podium_plan_error computes it from the people of one group; the difference is proportional to it. If there are more
   than two groups, the p-value is adjusted for all comparisons of two of them. Fails with PODIUM_ERROR_ARGUMENT_WRONG
   if within is not positive, there are fewer than two groups, the confidence is not between 0 and 1, or the power is
   below 1 - confidence, which chance alone has, or not below 1. */
PODIUM_API podium_status podium_plan_difference(double *difference, double within, uint32_t groups, double confidence,
                                                double power) PODIUM_MUST_USE;

/* A plan for several questions to one person, who spends spec->epsilon in all. Either everybody answers every
   question with epsilon/questions, or everybody answers a few that are chosen at random, with more epsilon for each,
   so that fewer people answer each question. */
typedef struct podium_questions {
    uint32_t each;       /* how many questions a person should answer */
    double within;       /* the error of each question's mean with that plan */
    double within_split; /* the error if everybody answers all of them */
    double within_one;   /* the error if everybody answers one */
} podium_questions;
/* Computes the plan. Fails as podium_plan_error does, as podium_collection_init does for epsilon/questions, and with
   PODIUM_ERROR_ARGUMENT_WRONG if there are no questions. */
PODIUM_API podium_status podium_plan_questions(podium_questions *plan, const podium_spec *spec, double people,
                                               uint32_t questions, double spread, double confidence) PODIUM_MUST_USE;

/* ---- Promise: what may be promised to a person who reports ----------------------------------------------------- */

/* How much an epsilon protects, in a word. The limits are a convention, by the factor e^epsilon for the odds. */
typedef enum podium_strength {
    PODIUM_STRENGTH_STRONG = 0,   /* epsilon up to 1: a factor of up to 2.7 */
    PODIUM_STRENGTH_MODERATE = 1, /* up to 2: 7.4 */
    PODIUM_STRENGTH_WEAK = 2,     /* up to 5: 148 */
    PODIUM_STRENGTH_NOMINAL = 3   /* above 5, where there is a promise in name only */
} podium_strength;
PODIUM_API podium_strength podium_strength_of(double epsilon);
PODIUM_API const char *podium_strength_name(podium_strength strength); /* such as "strong"; never NULL */

/* What a report with this epsilon can do to what somebody believes. If something about a value is held true with the
   probability `prior` before the report is seen, the probability afterwards is from least to most, whatever else is
   known. */
typedef struct podium_promise {
    double epsilon;
    double factor; /* e^epsilon, by which the odds p/(1 - p) can rise or fall */
    double prior;
    double least, most;
    podium_strength strength;
} podium_promise;
/* Computes the promise. Fails with PODIUM_ERROR_ARGUMENT_WRONG if epsilon is not positive or above
   PODIUM_EPSILON_MAX_SHAPE, or prior is not between 0 and 1. */
PODIUM_API podium_status podium_promise_make(podium_promise *promise, double epsilon, double prior) PODIUM_MUST_USE;

/* Computes an interval that contains a share of the reports of x, with as many below it as above, to a thousandth of
   the support. An x outside the range counts as the nearer end. Fails with PODIUM_ERROR_NOT_INITIALISED, or with
   PODIUM_ERROR_ARGUMENT_WRONG if x is NaN or the share is not between 0 and 1. */
PODIUM_API podium_status podium_collection_span(const podium_collection *collection, podium_limits *span, double x,
                                                double share) PODIUM_MUST_USE;

/* ---- Shuffle: what a collection promises if the reports are mixed --------------------------------------------- */

/* Returns 1 minus the mass that the reports of all values share, rounded up. It is the total variation between the
   reports of min and max, which is how often, at best, one can be told from the other. */
PODIUM_API double podium_collection_variation(const podium_collection *collection);

/* Returns the largest total variation between two reports of any mechanism with this epsilon, tanh(epsilon/2). */
PODIUM_API double podium_shuffle_variation(double epsilon);

/*
 * Computes the epsilon that all reports together have, at a small probability delta of less, if somebody who is trusted
 * removes the identity, the order and the time of the reports before anybody else sees them. `people` is how many
 * report honestly, including the one who is protected; whoever may be dishonest does not count. local is the epsilon of
 * each report, and variation is podium_collection_variation; podium_shuffle_variation(local), and whatever is above it,
 * is right for every mechanism. docs/promises.md has the theorem.
 *
 * The result is an upper bound, within 1% of the theorem's, and never above local. More people than
 * PODIUM_SHUFFLE_PEOPLE_MAX count as that many. Takes up to a second or two. Fails with PODIUM_ERROR_ARGUMENT_WRONG if
 * local is not an epsilon of a collection, variation is not positive, there are no people, or delta is not from
 * PODIUM_SHUFFLE_DELTA_MIN to below 1.
 */
#define PODIUM_SHUFFLE_PEOPLE_MAX 10000000000
#define PODIUM_SHUFFLE_DELTA_MIN 1e-100
PODIUM_API podium_status podium_shuffle_epsilon(double *epsilon, double local, double variation, uint64_t people,
                                                double delta) PODIUM_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
