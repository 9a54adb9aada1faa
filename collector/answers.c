#include "answers.h"
#include "problem.h"

bool asked_shape(const asked *a) {
    return a->histogram > 0 || a->quantiles.count > 0 || a->below.count > 0;
}

static const char *word_of(bool x) {
    return x ? "true" : "false";
}

/* ---- The distribution ---- */

static void print_limited(text *t, const char *name, double estimate, podium_limits limits) {
    text_member(t, name, estimate);
    text_member(t, "lower", limits.lower);
    text_member(t, "upper", limits.upper);
    text_add(t, "}", 1);
}

static void print_quantiles(text *t, const podium_distribution *d, const numbers *p) {
    text_print(t, ", \"quantiles\": [");
    for (size_t i = 0; i < p->count; i++) {
        text_print(t, i == 0 ? "{\"p\": " : ", {\"p\": ");
        text_number(t, p->of[i]);
        print_limited(t, "value", podium_distribution_quantile(d, p->of[i]),
                      podium_distribution_quantile_limits(d, p->of[i]));
    }
    text_add(t, "]", 1);
}

static void print_below(text *t, const podium_distribution *d, const numbers *x) {
    text_print(t, ", \"below\": [");
    for (size_t i = 0; i < x->count; i++) {
        text_print(t, i == 0 ? "{\"x\": " : ", {\"x\": ");
        text_number(t, x->of[i]);
        print_limited(t, "share", podium_distribution_below(d, x->of[i]),
                      podium_distribution_below_limits(d, x->of[i]));
    }
    text_add(t, "]", 1);
}

static void print_histogram(text *t, const podium_distribution *d) {
    text_print(t, ", \"histogram\": [");
    for (uint32_t j = 0; j < d->bins; j++) {
        const podium_bin bin = podium_distribution_bin(d, j);
        text_print(t, j == 0 ? "{\"from\": " : ", {\"from\": ");
        text_number(t, bin.from);
        text_member(t, "to", bin.to);
        print_limited(t, "share", bin.share, (podium_limits){bin.lower, bin.upper});
    }
    text_add(t, "]", 1);
}

static void print_shape(text *t, const podium_summary *s, const asked *a) {
    text_print(t, ", \"telling\": %s", word_of(s->shape_known == PODIUM_KNOWN_ESTIMATED));
    if (a->quantiles.count > 0)
        print_quantiles(t, &s->distribution, &a->quantiles);
    if (a->below.count > 0)
        print_below(t, &s->distribution, &a->below);
    if (a->histogram > 0)
        print_histogram(t, &s->distribution);
}

/* ---- The estimate ---- */

static void print_counts(text *t, uint64_t count, uint64_t refused) {
    text_print(t, "\"n\": %llu", (unsigned long long)count);
    if (refused > 0)
        text_print(t, ", \"refused\": %llu", (unsigned long long)refused);
}

void answer_not_reports(text *t, const podium_aggregate *sum) {
    print_counts(t, podium_aggregate_count(sum), podium_aggregate_refused(sum));
    text_print(t, ", \"problem\": \"%s\"", problem_name(PROBLEM_NOT_REPORTS));
}

static void print_mean(text *t, const podium_summary *s) {
    text_member(t, "mean", s->mean);
    text_member(t, "standard_error", s->standard_error);
    text_member(t, "confidence", s->confidence);
    text_print(t, ", \"interval\": \"%s\", \"about\": \"%s\"", podium_interval_name(s->interval),
               podium_summary_about(s));
    text_member(t, "lower", s->lower);
    text_member(t, "upper", s->upper);
    text_member(t, "variance", s->variance);
    text_member(t, "standard_deviation", s->standard_deviation);
    const bool clipped = s->spread_known == PODIUM_KNOWN_TOO_SMALL || s->spread_known == PODIUM_KNOWN_TOO_LARGE;
    text_print(t, ", \"variance_clipped\": %s", word_of(clipped));
}

void answer_estimate(text *t, const podium_summary *s, const asked *a) {
    print_counts(t, s->count, s->refused);
    if (s->mean_known != PODIUM_KNOWN_ESTIMATED)
        return;
    print_mean(t, s);
    if (a->question.dishonest > 0) {
        text_print(t, ", \"dishonest\": %llu", (unsigned long long)a->question.dishonest);
        text_member(t, "influence", s->influence);
    }
    if (asked_shape(a))
        print_shape(t, s, a);
}

void answer_distribution(text *t, const podium_summary *s, const asked *a) {
    print_counts(t, s->count, s->refused);
    if (s->mean_known != PODIUM_KNOWN_ESTIMATED)
        return;
    text_member(t, "confidence", s->confidence);
    print_shape(t, s, a);
}

/* ---- Dishonest reports ---- */

void answer_excess(text *t, const podium_excess *excess, size_t found, size_t shown) {
    uint64_t surplus = 0;
    for (size_t i = 0; i < found; i++)
        surplus += excess[i].count - excess[i].most;
    text_print(t, "\"dishonest\": %llu, \"cells\": [", (unsigned long long)surplus);
    for (size_t i = 0; i < found && i < shown; i++) {
        text_print(t, i == 0 ? "{\"from\": " : ", {\"from\": ");
        text_number(t, excess[i].low);
        text_member(t, "to", excess[i].high);
        text_print(t, ", \"n\": %llu, \"most\": %llu}", (unsigned long long)excess[i].count,
                   (unsigned long long)excess[i].most);
    }
    text_add(t, "]", 1);
}

/* ---- Differences ---- */

void answer_comparison(text *t, const comparison *c, size_t comparisons) {
    const podium_difference *d = &c->difference;
    text_print(t, "{\"a\": ");
    text_string(t, c->a);
    text_print(t, ", \"b\": ");
    text_string(t, c->b);
    text_member(t, "difference", d->difference);
    text_member(t, "standard_error", d->standard_error);
    text_member(t, "confidence", d->confidence);
    text_member(t, "lower", d->lower);
    text_member(t, "upper", d->upper);
    text_member(t, "p_value", d->p_value);
    text_member(t, "p_adjusted", c->p_adjusted);
    text_member(t, "comparisons", (double)comparisons);
    text_print(t, ", \"interval\": \"%s\", \"about\": \"%s\"", podium_interval_name(d->interval),
               podium_summary_about(&(podium_summary){.population = d->population}));
    text_print(t, ", \"refused_a\": %llu, \"refused_b\": %llu}", (unsigned long long)c->refused_a,
               (unsigned long long)c->refused_b);
}
