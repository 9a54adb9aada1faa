/* What the reports say: estimates of all of them, of groups and of periods. These run on a worker. */
#include "answers.h"
#include "events.h"
#include "routes.h"
#include "sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Which sums ---- */

static bool read_selection(request *r, sums *s) {
    const char *by = request_parameter(r, "by");
    *s = (sums){.entry = r->entry, .to = INT64_MAX, .by = LABELS_MAX};
    if (!query_time(r, "from", &s->from) || !query_time(r, "to", &s->to) || !query_labels(r, &s->wanted))
        return false;
    if (by == NULL)
        return true;
    s->by = labels_find(&r->entry->labels, by);
    if (s->by == LABELS_MAX)
        request_refuse(r, PROBLEM_LABEL_WRONG,
                       "The parameter by takes the name of a label that the collection declares.");
    return s->by < LABELS_MAX;
}

static bool refuse_status(request *r, podium_status status) {
    if (status == PODIUM_ERROR_OUT_OF_MEMORY)
        request_refuse(r, PROBLEM_BUSY, "There is no memory for this answer. Ask again later.");
    else
        request_refuse(r, PROBLEM_QUERY_WRONG, "The question cannot be answered: %s.", podium_status_message(status));
    return false;
}

static bool read_rows(request *r, sums *s, store_row_reader *reader, void *context) {
    store *from = r->server->store;
    const store_status status = from->does->read(from, s->entry->number, s->from, s->to, reader, context);
    if (status != STORE_OK)
        request_refuse(r, PROBLEM_STORE_AWAY, "The sums cannot be read at the moment.");
    else if (s->failed == PODIUM_ERROR_OUT_OF_MEMORY)
        return refuse_status(r, s->failed);
    else if (s->failed != PODIUM_OK)
        request_refuse(r, PROBLEM_STORE_AWAY, "A stored sum cannot be read: %s.", podium_status_message(s->failed));
    return r->status == 0;
}

/* ---- What is asked ---- */

static bool read_question(request *r, asked *a) {
    const char *interval = request_parameter(r, "interval");
    *a = (asked){.question = {.confidence = 0.95}};
    if (!query_number(r, "confidence", &a->question.confidence) ||
        !query_flag(r, "population", &a->question.population))
        return false;
    if (!(a->question.confidence > 0 && a->question.confidence < 1)) {
        request_refuse(r, PROBLEM_QUERY_WRONG, "The confidence is between 0 and 1, such as 0.95.");
        return false;
    }
    if (interval != NULL && podium_interval_from_name(&a->question.interval, interval, strlen(interval)) != PODIUM_OK) {
        request_refuse(r, PROBLEM_QUERY_WRONG, "The parameter interval takes normal, guaranteed or anytime.");
        return false;
    }
    if (a->question.interval != PODIUM_INTERVAL_NORMAL)
        a->question.bounds = &r->entry->bounds;
    return true;
}

static bool read_shape(request *r, asked *a) {
    if (!query_count(r, "histogram", &a->histogram, 1, PODIUM_SHARES) ||
        !query_numbers(r, "quantiles", &a->quantiles, 0, 1) ||
        !query_numbers(r, "below", &a->below, -HUGE_VAL, HUGE_VAL) ||
        !query_count(r, "dishonest", &a->question.dishonest, 1, (uint64_t)1 << 53))
        return false;
    a->question.shape = asked_shape(a);
    a->question.bins = (uint32_t)a->histogram;
    if (!a->question.shape || podium_collection_tells_spread(&r->entry->collection))
        return true;
    request_refuse(r, PROBLEM_MEAN_ONLY, "Ask for the estimate without histogram, quantiles and below.");
    return false;
}

/* Takes out of each group what honest people cannot have sent. */
static bool trim_groups(request *r, sums *s) {
    const podium_collection *collection = &r->entry->collection;
    for (size_t i = 0; i < GROUPS_MAX && r->status == 0; i++)
        if (s->groups[i] != NULL && podium_aggregate_trim(collection, s->groups[i], &s->trimmed[i]) != PODIUM_OK)
            request_refuse(r, PROBLEM_NOT_REPORTS,
                           "So many reports are dishonest that the others cannot be told from them.");
    return r->status == 0;
}

/* Refuses to answer if these cannot be reports, as podium estimate does, unless force=true. */
static bool check_groups(request *r, sums *s, const char *advice) {
    const podium_aggregate *all[GROUPS_MAX];
    size_t count = 0, which;
    bool force = false;
    if (!query_flag(r, "force", &force))
        return false;
    for (size_t i = 0; i < GROUPS_MAX; i++)
        if (s->groups[i] != NULL)
            all[count++] = s->groups[i];
    if (force || count == 0)
        return true;
    const podium_status status = podium_aggregates_check(&r->entry->collection, &which, all, count);
    if (status == PODIUM_ERROR_NOT_REPORTS)
        request_refuse(r, PROBLEM_NOT_REPORTS,
                       "They may be raw values, rounded or repeated, or of another collection, so that an estimate "
                       "would be wrong. %s Add force=true to get it all the same.",
                       advice);
    else if (status != PODIUM_OK)
        refuse_status(r, status);
    return r->status == 0;
}

static bool summarise(request *r, podium_summary *summary, const podium_aggregate *sum, const asked *a) {
    const podium_channel *channel = a->question.shape ? entry_channel(r->entry) : NULL;
    const podium_status status = podium_summary_make(&r->entry->collection, channel, summary, sum, &a->question);
    return status == PODIUM_OK || refuse_status(r, status);
}

/* ---- Estimate and distribution ---- */

typedef void printer(text *t, const podium_summary *s, const asked *a);

static void print_trimmed(request *r, const podium_trimmed *trimmed, uint64_t left) {
    if (trimmed->removed == 0)
        return;
    text_print(&r->out, "\"trimmed\": %llu, \"suspect\": %llu", (unsigned long long)trimmed->removed,
               (unsigned long long)trimmed->suspect);
    text_member(&r->out, "suspect_influence",
                podium_collection_influence(&r->entry->collection, trimmed->suspect, left));
    text_print(&r->out, ", ");
}

/* Refuses an answer so long that few clients could hold up the others by it. */
static bool check_length(request *r, const sums *s, const asked *a) {
    enum { BINS_ALL_MAX = 50000 };
    uint64_t groups = 0;
    for (size_t i = 0; i < GROUPS_MAX; i++)
        groups += s->groups[i] != NULL;
    if (groups * (a->histogram + a->quantiles.count + a->below.count) <= BINS_ALL_MAX)
        return true;
    request_refuse(r, PROBLEM_QUERY_WRONG,
                   "All groups together would have more than %d bins and quantiles; ask for fewer.", BINS_ALL_MAX);
    return false;
}

/* Writes an object for each group, with its name unless there is only one. */
static void print_groups(request *r, sums *s, const asked *a, printer *print) {
    const bool grouped = s->by < LABELS_MAX;
    podium_summary *summary = malloc(sizeof *summary);
    const char *before = grouped ? "[" : "";
    for (size_t i = 0; i < GROUPS_MAX && r->status == 0; i++) {
        if (s->groups[i] == NULL)
            continue;
        if (summary == NULL)
            refuse_status(r, PODIUM_ERROR_OUT_OF_MEMORY);
        if (summary == NULL || !summarise(r, summary, s->groups[i], a))
            break;
        text_print(&r->out, "%s{", before);
        sums_print_name(&r->out, s, i);
        print_trimmed(r, &s->trimmed[i], summary->count);
        print(&r->out, summary, a);
        text_add(&r->out, "}", 1);
        before = ",\n ";
    }
    free(summary);
    if (r->status > 0)
        return;
    text_print(&r->out, grouped && *before == '[' ? "[]\n" : grouped ? "]\n" : "\n");
    request_answer(r, 200);
}

static void answer_groups(request *r, const asked *a, printer *print) {
    sums s;
    bool trim = false;
    if (!query_flag(r, "trim", &trim) || !read_selection(r, &s))
        return;
    const char *advice = trim ? "What trim=true has left is not possible either."
                              : "Add trim=true to leave out those that honest people cannot have sent (GET dishonest "
                                "shows them).";
    const bool all = s.by == LABELS_MAX && sums_group(&s, &s.wanted) == NULL; /* one group, even of no reports */
    if (!all && read_rows(r, &s, sums_add_row, &s) && check_length(r, &s, a) && (!trim || trim_groups(r, &s)) &&
        check_groups(r, &s, advice))
        print_groups(r, &s, a, print);
    else if (all)
        refuse_status(r, PODIUM_ERROR_OUT_OF_MEMORY);
    sums_clear(&s);
}

void handle_estimate(request *r) {
    asked a;
    if (read_question(r, &a) && read_shape(r, &a))
        answer_groups(r, &a, answer_estimate);
}

void handle_distribution(request *r) {
    asked a;
    if (!read_question(r, &a))
        return;
    a.histogram = PODIUM_BINS_DEFAULT;
    a.quantiles = (numbers){{0.05, 0.25, 0.5, 0.75, 0.95}, 5};
    if (read_shape(r, &a))
        answer_groups(r, &a, answer_distribution);
}

/* ---- History ---- */

enum { POINTS_MAX = 50000, POINTS_AT_ONCE = 128 };

typedef struct {
    podium_aggregate sum;
    int64_t start, length;
    size_t group;
    bool is_wrong; /* it cannot be of reports */
} point;

typedef struct {
    request *request;
    sums sums;
    asked asked;
    int64_t every, start, length; /* of the sums at hand; start is -1 before the first */
    podium_summary summary;
    point points[POINTS_AT_ONCE]; /* that are complete, and not printed yet */
    size_t waiting, printed;
    bool cumulative; /* each point has all reports up to its end */
    bool force;      /* estimate also from what cannot be reports */
} history;

static void print_time(text *t, const char *name, int64_t at) {
    char s[UTC_TEXT_MAX];
    utc_print(s, at);
    text_print(t, "\"%s\": \"%s\", ", name, s);
}

/* One bad hour is no reason to refuse a year, so it is marked. What a check has to know of the collection takes longer
   to compute than the check itself, so that many points are checked at once. */
static bool check_points(history *h) {
    const podium_aggregate *all[POINTS_AT_ONCE];
    size_t from = 0, which;
    for (size_t i = 0; i < h->waiting; i++)
        all[i] = &h->points[i].sum;
    while (!h->force && from < h->waiting) {
        const podium_status status =
            podium_aggregates_check(&h->request->entry->collection, &which, all + from, h->waiting - from);
        if (status == PODIUM_OK)
            break;
        if (status != PODIUM_ERROR_NOT_REPORTS)
            return refuse_status(h->request, status);
        from += which + 1;
        h->points[from - 1].is_wrong = true;
    }
    return true;
}

static bool print_point(history *h, const point *p) {
    request *r = h->request;
    if (h->printed == POINTS_MAX) {
        request_refuse(r, PROBLEM_QUERY_WRONG,
                       "The history has more than %d points; ask for a shorter time, or for days.", POINTS_MAX);
        return false;
    }
    if (!p->is_wrong && !summarise(r, &h->summary, &p->sum, &h->asked))
        return false;
    text_print(&r->out, h->printed++ == 0 ? "{" : ",\n {");
    print_time(&r->out, "from", p->start);
    print_time(&r->out, "to", p->start + p->length);
    sums_print_name(&r->out, &h->sums, p->group);
    if (p->is_wrong)
        answer_not_reports(&r->out, &p->sum);
    else
        answer_estimate(&r->out, &h->summary, &h->asked);
    text_add(&r->out, "}", 1);
    return true;
}

static bool print_waiting(history *h) {
    bool good = check_points(h);
    for (size_t i = 0; good && i < h->waiting; i++)
        good = print_point(h, &h->points[i]);
    h->waiting = 0;
    return good;
}

/* Adds the points of the hour or day that is complete. */
static bool add_points(history *h) {
    for (size_t i = 0; i < GROUPS_MAX; i++) {
        if (h->sums.groups[i] == NULL)
            continue;
        if (h->waiting == POINTS_AT_ONCE && !print_waiting(h))
            return false;
        h->points[h->waiting++] = (point){*h->sums.groups[i], h->start, h->length, i, false};
    }
    if (!h->cumulative)
        sums_clear(&h->sums);
    return true;
}

/* The rows come in the order of time. A sum of a day cannot be divided into hours, so it is a point of its own. */
static bool add_history_row(void *context, const store_row *row) {
    history *h = context;
    const int64_t length = row->period > h->every ? row->period : h->every;
    const int64_t start = row->start - row->start % length;
    if ((start != h->start || length != h->length) && !add_points(h))
        return false;
    h->start = start;
    h->length = length;
    return sums_add_row(&h->sums, row);
}

static bool read_every(request *r, int64_t *every) {
    const char *s = request_parameter(r, "every");
    const bool daily = r->server->config.period == PERIOD_DAY;
    *every = daily ? DAY : HOUR;
    if (s == NULL || strcmp(s, "day") == 0)
        *every = s == NULL ? *every : DAY;
    else if (strcmp(s, "hour") != 0)
        request_refuse(r, PROBLEM_QUERY_WRONG, "The parameter every takes hour or day.");
    else if (daily)
        request_refuse(r, PROBLEM_QUERY_WRONG,
                       "This server keeps one sum for each day, so there is no history by hour.");
    return r->status == 0;
}

void handle_history(request *r) {
    history *h = calloc(1, sizeof *h);
    if (h == NULL) {
        refuse_status(r, PODIUM_ERROR_OUT_OF_MEMORY);
        return;
    }
    h->request = r;
    h->start = -1;
    if (read_every(r, &h->every) && query_flag(r, "cumulative", &h->cumulative) && query_flag(r, "force", &h->force) &&
        read_question(r, &h->asked) && read_selection(r, &h->sums)) {
        text_print(&r->out, "[");
        if (read_rows(r, &h->sums, add_history_row, h) && add_points(h) && print_waiting(h)) {
            text_print(&r->out, "]\n");
            request_answer(r, 200);
        }
    }
    sums_clear(&h->sums);
    free(h);
}

/* ---- Difference ---- */

enum { COMPARISONS_MAX = 10000 };

typedef struct {
    comparison *of;
    double *p;
    size_t count, known;
} comparisons;

static bool compare(request *r, sums *s, comparisons *all, const asked *q, size_t a, size_t b) {
    if (all->count == COMPARISONS_MAX) {
        request_refuse(r, PROBLEM_QUERY_WRONG,
                       "There are more than %d comparisons; compare with one group by baseline.", COMPARISONS_MAX);
        return false;
    }
    comparison *c = &all->of[all->count];
    *c = (comparison){.a = sums_name(s, a),
                      .b = sums_name(s, b),
                      .refused_a = podium_aggregate_refused(s->groups[a]),
                      .refused_b = podium_aggregate_refused(s->groups[b])};
    const podium_status status =
        podium_difference_make(&r->entry->collection, &c->difference, s->groups[a], s->groups[b], &q->question);
    if (status != PODIUM_OK)
        return refuse_status(r, status);
    all->p[all->count++] = c->difference.p_value;
    all->known += isnan(c->difference.p_value) ? 0 : 1;
    return true;
}

/* Sets *baseline to the group that the others are compared with, or to GROUPS_MAX if all are compared with all. */
static bool find_baseline(request *r, sums *s, size_t *baseline) {
    const char *name = request_parameter(r, "baseline");
    *baseline = GROUPS_MAX;
    if (name == NULL)
        return true;
    for (size_t i = 0; i < GROUPS_MAX; i++)
        if (s->groups[i] != NULL && strcmp(sums_name(s, i), name) == 0)
            *baseline = i;
    if (*baseline == GROUPS_MAX)
        request_refuse(r, PROBLEM_LABEL_WRONG, "The baseline is no group that has reports.");
    return *baseline < GROUPS_MAX;
}

static bool compare_all(request *r, sums *s, comparisons *all, const asked *q) {
    size_t base;
    if (!find_baseline(r, s, &base))
        return false;
    for (size_t i = 0; i < GROUPS_MAX; i++) {
        if (s->groups[i] == NULL)
            continue;
        if (base < GROUPS_MAX && i != base && !compare(r, s, all, q, i, base))
            return false;
        for (size_t j = i + 1; base == GROUPS_MAX && j < GROUPS_MAX; j++)
            if (s->groups[j] != NULL && !compare(r, s, all, q, i, j))
                return false;
    }
    const podium_status status = podium_differences_adjust(all->p, all->p, all->count);
    return status == PODIUM_OK || refuse_status(r, status);
}

static void print_comparisons(request *r, comparisons *all) {
    text_print(&r->out, "[");
    for (size_t i = 0; i < all->count; i++) {
        all->of[i].p_adjusted = all->p[i];
        text_print(&r->out, "%s", i == 0 ? "" : ",\n ");
        answer_comparison(&r->out, &all->of[i], all->known);
    }
    text_print(&r->out, "]\n");
    request_answer(r, 200);
}

void handle_difference(request *r) {
    asked q;
    sums s;
    if (!read_question(r, &q) || !read_selection(r, &s))
        return;
    if (s.by == LABELS_MAX) {
        request_refuse(r, PROBLEM_QUERY_WRONG, "Say with the parameter by which label makes the groups.");
        return;
    }
    comparisons all = {.of = malloc(COMPARISONS_MAX * sizeof *all.of), .p = malloc(COMPARISONS_MAX * sizeof *all.p)};
    if (all.of == NULL || all.p == NULL)
        refuse_status(r, PODIUM_ERROR_OUT_OF_MEMORY);
    else if (read_rows(r, &s, sums_add_row, &s) && check_groups(r, &s, "GET dishonest may show which.") &&
             compare_all(r, &s, &all, &q))
        print_comparisons(r, &all);
    free(all.of);
    free(all.p);
    sums_clear(&s);
}

/* ---- Dishonest reports ---- */

void handle_dishonest(request *r) {
    size_t found;
    sums s;
    if (!read_selection(r, &s))
        return;
    const podium_aggregate *sum = sums_group(&s, &s.wanted);
    podium_excess *excess = malloc(EXCESS_MAX * sizeof *excess);
    if (sum == NULL || excess == NULL) {
        refuse_status(r, PODIUM_ERROR_OUT_OF_MEMORY);
    } else if (read_rows(r, &s, sums_add_row, &s)) {
        const podium_status status = podium_aggregate_excess(&r->entry->collection, excess, EXCESS_MAX, &found, sum);
        if (status == PODIUM_OK) {
            text_print(&r->out, "{\"n\": %llu, ", (unsigned long long)podium_aggregate_count(sum));
            answer_excess(&r->out, excess, found, found);
            text_print(&r->out, "}\n");
            request_answer(r, 200);
        } else {
            refuse_status(r, status);
        }
    }
    free(excess);
    sums_clear(&s);
}

/* ---- State ---- */

static void print_state(request *r, const podium_aggregate *sum, bool bytes) {
    unsigned char *buffer = malloc(PODIUM_AGGREGATE_TEXT_MAX);
    if (buffer == NULL) {
        refuse_status(r, PODIUM_ERROR_OUT_OF_MEMORY);
        return;
    }
    const size_t n = bytes ? podium_aggregate_encode(sum, buffer, PODIUM_AGGREGATE_TEXT_MAX)
                           : podium_aggregate_format(sum, (char *)buffer, PODIUM_AGGREGATE_TEXT_MAX);
    text_add(&r->out, (const char *)buffer, n);
    free(buffer);
    if (!bytes)
        text_add(&r->out, "\n", 1);
    r->type = bytes ? "application/vnd.podium.aggregate" : "text/plain; charset=us-ascii";
    request_answer(r, 200);
}

void handle_state(request *r) {
    const char *format = request_parameter(r, "format");
    const bool bytes = format != NULL && strcmp(format, "bytes") == 0;
    sums s;
    if (format != NULL && !bytes && strcmp(format, "text") != 0) {
        request_refuse(r, PROBLEM_QUERY_WRONG, "The parameter format takes text or bytes.");
        return;
    }
    if (!read_selection(r, &s))
        return;
    const podium_aggregate *sum = sums_group(&s, &s.wanted);
    if (sum == NULL)
        refuse_status(r, PODIUM_ERROR_OUT_OF_MEMORY);
    else if (read_rows(r, &s, sums_add_row, &s))
        print_state(r, sum, bytes);
    sums_clear(&s);
}

/* ---- Events ---- */

void handle_events(request *r) {
    r->response = events_listen(r->server->events, r);
    if (r->response == NULL) {
        request_refuse(r, PROBLEM_BUSY, "Too many readers listen to events. Ask again later.");
        return;
    }
    r->type = "text/event-stream";
    snprintf(r->extra_name, sizeof r->extra_name, "X-Accel-Buffering"); /* nginx would hold events back */
    snprintf(r->extra, sizeof r->extra, "no");
    request_answer(r, 200);
}
