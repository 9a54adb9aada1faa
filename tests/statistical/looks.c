/*
 * How often an anytime interval ever misses, if somebody looks after every report.
 *
 * For each mechanism and each way to choose values, 10,000 collections are watched from the first report to the last.
 * The values are all at one end, drift from one end to the other, or are chosen after seeing all earlier reports, so as
 * to push the mean of the reports further from the mean of the values. The share of collections whose 95% interval ever
 * misses may be 5% at most. Over so few reports it is about 1%, so a share above 5% cannot be chance. The test is
 * seeded.
 *
 * The normal interval must miss far more often, because otherwise this test would show nothing.
 */
#include "analysis/interval.h"
#include "support.h"

#define COLLECTIONS 10000
#define REPORTS 1000
#define ALPHA 0.05
#define NORMAL_LEAST 0.15

typedef double chooser(double off, int number);

static double at_end(double off, int number) {
    (void)off, (void)number;
    return 1;
}

static double drifting(double off, int number) {
    (void)off;
    return (double)number / REPORTS;
}

/* Reports above their values are followed by the value whose reports jump upwards most, and the other way round. */
static double against(double off, int number) {
    (void)number;
    return off > 0 ? 0 : 1;
}

static chooser *const choosers[] = {at_end, drifting, against};
static const char *const names[] = {"all at an end", "drifting", "against the mean"};

typedef struct {
    double anytime[REPORTS + 1], normal[REPORTS + 1];
} widths;

static void set_widths(widths *w, const podium_layout *c) {
    podium_noise_bounds b;
    if (podium_noise_bounds_set(&b, c) != PODIUM_OK)
        abort();
    for (int n = 1; n <= REPORTS; n++) {
        w->anytime[n] = podium_width_anytime(&b, n, ALPHA, false);
        w->normal[n] = podium_normal_quantile(ALPHA) * sqrt(c->variance_most / n);
    }
}

typedef struct {
    bool anytime, normal;
} misses;

static misses watch(const podium_collection *collection, const widths *w, chooser *choose, uint64_t *seed) {
    podium_random random = seeded_random(seed);
    misses ever = {false, false};
    double off = 0;
    for (int n = 1; n <= REPORTS && !ever.anytime; n++) {
        const double value = choose(off, n);
        double report;
        if (podium_privatize_from(collection, &random, &report, &value, 1) != PODIUM_OK)
            abort();
        off += report - value;
        ever.anytime |= fabs(off) > n * w->anytime[n];
        ever.normal |= fabs(off) > n * w->normal[n];
    }
    return ever;
}

static bool measure(podium_mechanism m, size_t way, uint64_t *seed) {
    podium_collection collection = collection_of(m, 1, 0, 1);
    widths w;
    int anytime = 0, normal = 0;
    set_widths(&w, podium_layout_of(&collection));
    for (int i = 0; i < COLLECTIONS; i++) {
        const misses ever = watch(&collection, &w, choosers[way], seed);
        anytime += ever.anytime;
        normal += ever.normal;
    }
    const bool good = anytime <= ALPHA * COLLECTIONS && normal >= NORMAL_LEAST * COLLECTIONS;
    printf("%s, values %s: of %d collections, %.2f%% ever miss (normal intervals: %.1f%%)%s\n",
           podium_mechanism_name(m), names[way], COLLECTIONS, 100.0 * anytime / COLLECTIONS,
           100.0 * normal / COLLECTIONS, good ? "" : ": FAILED");
    return good;
}

int main(void) {
    uint64_t seed = 77;
    bool good = true;
    FOR_EACH_MECHANISM (m)
        for (size_t way = 0; way < LENGTH(choosers); way++)
            good = good && measure(m, way, &seed);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
