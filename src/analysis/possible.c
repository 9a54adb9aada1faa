/* Possible: could reports of a collection have led to these sums? */
#include "analysis/analysis.h"
#include "analysis/sum.h"
#include "collection/wide.h"

/*
 * An aggregate that was decoded, or that remains after a subtraction, must be one that reports of its collection could
 * have led to. Otherwise one forged report could move the mean by more than podium_collection_influence says. Each
 * report in a bin is worth from least to most. If every bin is one cell, as with up to PODIUM_BINS_MAX cells, the bins
 * therefore determine both sums. Otherwise each sum must lie in a range.
 */
typedef struct {
    uint64_t least, most;
} bin_worths;

/* The sums over all bins if every report were worth the least, or the most, that its bin allows */
typedef struct {
    podium_sum least, most, least_squares, most_squares;
} sum_limits;

/* Returns false if a bin has reports that are impossible, or if the bins do not add up to the count. */
static bool limits_set(sum_limits *limits, bin_worths *worths, const podium_sums *a, const podium_layout *c) {
    podium_sum count = {0, 0};
    *limits = (sum_limits){.least = {0, 0}};
    for (uint32_t i = 0; i < a->bin_count; i++) {
        bin_worths *w = &worths[i];
        const uint64_t n = a->bins[i];
        *w = (bin_worths){0, 0};
        if (!podium_bin_worths(c, i, a->bin_bits, &w->least, &w->most) && n > 0)
            return false;
        podium_sum_add(&count, (podium_sum){n, 0});
        if (count.high > 0)
            return false;
        podium_sum_add(&limits->least, podium_product(n, w->least));
        podium_sum_add(&limits->most, podium_product(n, w->most));
        podium_sum_add(&limits->least_squares, podium_product(n, w->least * w->least));
        podium_sum_add(&limits->most_squares, podium_product(n, w->most * w->most));
    }
    return count.low == a->count;
}

static bool is_between(podium_sum x, podium_sum least, podium_sum most) {
    return podium_sum_at_most(least, x) && podium_sum_at_most(x, most);
}

/* By the Cauchy-Schwarz inequality, n times the sum of squares is at least the square of the sum. estimate.c relies
   on it. */
static bool squares_suffice(uint64_t n, podium_sum sum, podium_sum squares) {
    wide s = wide_from_two(sum.low, sum.high);
    return wide_at_most(wide_multiply(s, s), wide_multiply(wide_from(n), wide_from_two(squares.low, squares.high)));
}

/* floor(a/n) for a < 2^32 n, binary digit by binary digit */
static uint64_t quotient(podium_sum a, uint64_t n) {
    uint64_t q = 0;
    for (uint64_t digit = (uint64_t)1 << 31; digit > 0; digit >>= 1)
        if (podium_sum_at_most(podium_product(n, q | digit), a))
            q |= digit;
    return q;
}

/*
 * The least sum of squares that reports with this sum can have, if the bins are in the order of their worths. All
 * reports start at the least worth that their bins allow, and together they must gain `excess`. The sum of squares
 * stays smallest if the smallest reports gain first, and those of one bin gain together.
 */
static podium_sum squares_least(const podium_sums *a, const bin_worths *worths, podium_sum squares, podium_sum excess) {
    for (uint32_t i = 0; i < a->bin_count; i++) {
        const uint64_t n = a->bins[i], least = worths[i].least, most = worths[i].most;
        const podium_sum room = podium_product(n, most - least);
        if (podium_sum_at_most(room, excess)) {
            podium_sum_add(&squares, podium_product(n, most * most - least * least));
            excess = podium_sum_less(excess, room);
            continue;
        }
        const uint64_t level = least + quotient(excess, n);
        const podium_sum rest =
            podium_sum_less(excess, podium_product(n, level - least)); /* how many of the n gain 1 more */
        podium_sum_add(&squares, podium_product(n, level * level - least * least));
        podium_sum_add(&squares, podium_product(rest.low, 2 * level + 1));
        break;
    }
    return squares;
}

/* The greatest such sum of squares, for which the largest reports gain first, one after the other. This relies on
   bins of equal width, so the last bin counts as if it were full. */
static podium_sum squares_most(const podium_sums *a, const bin_worths *worths, podium_sum squares, podium_sum excess) {
    const uint64_t width = ((uint64_t)1 << a->bin_bits) - 1;
    for (uint32_t i = a->bin_count; i-- > 0 && (excess.low | excess.high) != 0;) {
        const uint64_t n = a->bins[i], least = worths[i].least, most = least + width;
        const podium_sum room = podium_product(n, width);
        if (worths[i].most == least)
            continue;
        if (podium_sum_at_most(room, excess)) {
            podium_sum_add(&squares, podium_product(n, most * most - least * least));
            excess = podium_sum_less(excess, room);
            continue;
        }
        const wide whole = wide_divide_small(wide_from_two(excess.low, excess.high), (uint32_t)width);
        const uint64_t full = wide_to_uint64(whole),
                       last = least + podium_sum_less(excess, podium_product(full, width)).low;
        podium_sum_add(&squares, podium_product(full, most * most - least * least));
        podium_sum_add(&squares, (podium_sum){last * last - least * least, 0});
        break;
    }
    return squares;
}

bool podium_sums_possible(const podium_sums *a, const podium_layout *c) {
    bin_worths worths[PODIUM_BINS_MAX];
    sum_limits limits;
    if (!limits_set(&limits, worths, a, c) || !is_between(a->sum, limits.least, limits.most) ||
        !is_between(a->squares, limits.least_squares, limits.most_squares) ||
        !squares_suffice(a->count, a->sum, a->squares))
        return false;
    if ((a->sum.low ^ a->squares.low) & 1) /* x and x^2 are both odd or both even */
        return false;
    if (!podium_map_of(c)->in_order) /* then each bin is one cell, or the worths of bins overlap */
        return true;
    const podium_sum excess = podium_sum_less(a->sum, limits.least);
    return is_between(a->squares, squares_least(a, worths, limits.least_squares, excess),
                      squares_most(a, worths, limits.least_squares, excess));
}
