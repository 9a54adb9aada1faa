/*
 * How wide the intervals for the mean are, compared with the normal interval. Nothing is drawn: guaranteed and anytime
 * widths depend on the collection and the number of reports alone. (Clopper and Pearson's, for two outputs, depends on
 * the reports as well; half of them count as the upper output here.)
 *
 * The normal width is that for evenly spread values: for these people z standard errors of the noise alone, and for a
 * population of the noise and the values. Fails if the widths are larger than docs/estimation.md promises.
 */
#include "analysis/interval.h"
#include "support.h"

#define ALPHA 0.05

static double normal(const podium_layout *c, double n, bool population) {
    return podium_normal_quantile(ALPHA) * sqrt((c->variance_uniform + (population ? 1 / 12.0 : 0)) / n);
}

static double guaranteed(const podium_layout *c, const podium_noise_bounds *b, double n) {
    if (!c->tells_spread) {
        const podium_limits p = podium_clopper_pearson((uint64_t)n / 2, (uint64_t)n, ALPHA);
        return (p.upper - p.lower) / 2 * podium_support(c);
    }
    return fmin(podium_width_chernoff(b, n, ALPHA, false), podium_width_berry_esseen(b, n, ALPHA, false));
}

static double guaranteed_of_population(const podium_noise_bounds *b, double n) {
    return fmin(podium_width_chernoff(b, n, ALPHA, true), podium_width_berry_esseen(b, n, ALPHA, true));
}

static double anytime(const podium_noise_bounds *b, double n) {
    return podium_width_anytime(b, n, ALPHA, false);
}

static bool print_row(podium_mechanism m, double epsilon) {
    static const double sizes[] = {1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
    podium_layout c = layout_of(m, epsilon, 0, 1);
    podium_noise_bounds b;
    bool good = podium_noise_bounds_set(&b, &c) == PODIUM_OK;
    printf("| %s | %g |", podium_mechanism_name(m), epsilon);
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        const double n = sizes[i], least = normal(&c, n, false);
        const double sure = guaranteed(&c, &b, n) / least, always = anytime(&b, n) / least;
        printf(" %.2f, %.2f |", sure, always);
        if (m == PODIUM_MECHANISM_MINIMAX && epsilon == 1)
            good &= (n < 1e5 || sure <= 1.05) && (n < 1e3 || always <= 2);
    }
    printf(" %.2f, %.2f |%s\n", guaranteed_of_population(&b, 1e5) / normal(&c, 1e5, true),
           podium_width_anytime(&b, 1e5, ALPHA, true) / normal(&c, 1e5, true), good ? "" : " FAILED");
    return good;
}

int main(void) {
    static const double epsilons[] = {0.5, 1, 2, 4};
    bool good = true;
    printf("Widths over the normal one at 95%%: guaranteed, anytime\n\n"
           "| mechanism | epsilon | n = 1e2 | 1e3 | 1e4 | 1e5 | 1e6 | 1e7 | 1e5, of a population |\n"
           "|---|---|---|---|---|---|---|---|---|\n");
    FOR_EACH_MECHANISM (m)
        for (size_t e = 0; e < LENGTH(epsilons); e++)
            good &= print_row(m, epsilons[e]);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
