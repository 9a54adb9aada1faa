/*
 * How fast reports are made from arrays, beside the random bits they are made of and beside naive samplers. One core.
 *
 * The rates of a machine with neighbours vary by tens of percent from one second to the next. So what is compared is
 * run in turn, round after round, each job keeps its best round, and only jobs of one group are compared. Lines of CSV
 * go to standard output, in the form that report.sh reads.
 */
#define _DEFAULT_SOURCE /* clock_gettime, getrandom */
#include "baselines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define VALUES 1000000
#define MOST_VALUES 100000000 /* in one call */
#define CALL_VALUES 20480     /* where a call has few */
#define ROUNDS 7              /* at least, and until a group has taken so long */
#define GROUP_SECONDS 3.0

#define JOBS_MAX 32

struct job {
    char name[64];
    void (*call)(const struct job *job, double *reports, const double *values, size_t n);
    const podium_collection *collection;
    const podium_shape *shape;
    const podium_random *random;
    baseline which;
    size_t per_call, values; /* values in a round, in calls of per_call */
    double rate;             /* values a second, the best so far */
};

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static _Noreturn void give_up(const char *why) {
    fprintf(stderr, "bench: %s\n", why);
    exit(1);
}

static void require(podium_status status) {
    if (status != PODIUM_OK)
        give_up(podium_status_message(status));
}

/* ---- What a job may call ---- */

static void privatize(const struct job *job, double *reports, const double *values, size_t n) {
    require(podium_privatize_from(job->collection, job->random, reports, values, n));
}

static void by_baseline(const struct job *job, double *reports, const double *values, size_t n) {
    if (!baseline_privatize(job->which, job->shape, job->random, reports, values, n))
        require(PODIUM_ERROR_RANDOM_FAILED);
}

static void system_call(const struct job *job, double *reports, const double *values, size_t n) {
    unsigned char bytes[16];
    (void)job, (void)reports, (void)values, (void)n;
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        require(PODIUM_ERROR_RANDOM_FAILED);
}

static void aggregate(const struct job *job, double *unused, const double *reports, size_t n) {
    podium_aggregate sums;
    (void)unused;
    podium_aggregate_init(job->collection, &sums);
    require(podium_aggregate_add(job->collection, &sums, reports, n));
    if (podium_aggregate_count(&sums) != n)
        give_up("reports were refused");
}

static void plain_sum(const struct job *job, double *unused, const double *reports, size_t n) {
    volatile double result;
    double sum = 0;
    (void)job, (void)unused;
    for (size_t i = 0; i < n; i++)
        sum += reports[i];
    result = sum;
    (void)result;
}

/* ---- Measuring ---- */

static void one_round(struct job *jobs, size_t count, double *reports, const double *values) {
    for (size_t j = 0; j < count; j++) {
        double start = seconds();
        for (size_t done = 0; done < jobs[j].values; done += jobs[j].per_call)
            jobs[j].call(&jobs[j], reports, values, jobs[j].per_call);
        jobs[j].rate = fmax(jobs[j].rate, (double)jobs[j].values / (seconds() - start));
    }
}

static void measure(struct job *jobs, size_t count, double *reports, const double *values) {
    double start = seconds();
    for (int round = 0; round < ROUNDS || seconds() - start < GROUP_SECONDS; round++)
        one_round(jobs, count, reports, values);
}

/* part,job,n,rate,unit,ratio,against,target */
static void line(const char *part, const struct job *job, double beside, const char *against, const char *target) {
    printf("%s,%s,%zu,%.5g,M values/s,", part, job->name, job->per_call, job->rate / 1e6);
    if (against != NULL)
        printf("%.4g,%s,%s\n", job->rate / beside, against, target == NULL ? "" : target);
    else
        printf(",,\n");
    fflush(stdout);
}

/* ---- The groups ---- */

#define MECHANISMS_MAX 32
static podium_collection collections[MECHANISMS_MAX];
static podium_shape laplace, podium, staircase; /* of the baselines */
static double *values, *reports;

/* Whether it is told the spread of the values */
static bool is_tuned(podium_mechanism mechanism) {
    const char *parameter = podium_mechanism_parameter(mechanism);
    return parameter != NULL && strcmp(parameter, "spread") == 0;
}

static podium_spec spec_of(podium_mechanism mechanism, double epsilon) {
    return (podium_spec){
        .mechanism = mechanism, .epsilon = epsilon, .min = 1, .max = 120, .spread = is_tuned(mechanism) ? 1.0 / 12 : 0};
}

static struct job podium_job(podium_mechanism mechanism) {
    struct job made = {.call = privatize, .collection = &collections[mechanism], .per_call = VALUES, .values = VALUES};
    snprintf(made.name, sizeof made.name, "%s", podium_mechanism_name(mechanism));
    return made;
}

static struct job baseline_job(const char *name, baseline which, const podium_shape *shape,
                               const podium_random *random) {
    struct job made = {.call = by_baseline, .shape = shape, .which = which, .per_call = VALUES, .values = VALUES};
    made.random = random;
    snprintf(made.name, sizeof made.name, "%s", name);
    return made;
}

/* A source says how many bytes a call will take when it is opened. */
static void *note_bytes(void *context, size_t bytes) {
    *(size_t *)context = bytes;
    return NULL;
}

static size_t fill_none(void *context, void *buffer, size_t n) {
    (void)context, (void)buffer, (void)n;
    return 0;
}

static double bytes_each(const podium_collection *collection) {
    size_t bytes = 0;
    podium_random counting = {.fill = fill_none, .context = &bytes, .open = note_bytes};
    if (podium_privatize_from(collection, &counting, reports, values, VALUES) != PODIUM_ERROR_RANDOM_FAILED)
        give_up("reports without random bits");
    return (double)bytes / VALUES;
}

static void mechanism_lines(const struct job *made, const struct job *bits, const struct job *naive_laplace) {
    double bytes = bytes_each(made->collection);
    char against[64];
    snprintf(against, sizeof against, "%.4g random bytes alone", bytes);
    bool target = podium_collection_spec(made->collection).mechanism == PODIUM_MECHANISM_PODIUM;
    line("arrays", made, bits->rate, "16 random bytes alone", target ? "ratio>=0.7" : NULL);
    if (bytes != 16)
        line("arrays", made, bits->rate * 16 / bytes, against, NULL);
    if (target)
        line("arrays", made, naive_laplace->rate, naive_laplace->name, "ratio>=2");
}

static void arrays(void) {
    struct job jobs[JOBS_MAX] = {
        baseline_job("16 random bytes alone", RANDOM_BITS, NULL, podium_random_default()),
        baseline_job("naive laplace on the keystream", NAIVE_LAPLACE, &laplace, podium_random_default()),
        baseline_job("the paper's algorithm 2 on the keystream", PAPER_PODIUM, &podium, podium_random_default()),
        baseline_job("naive staircase on the keystream", NAIVE_STAIRCASE, &staircase, podium_random_default()),
        baseline_job("naive laplace on xoshiro256+", NAIVE_LAPLACE, &laplace, &fast_random),
        baseline_job("the paper's algorithm 2 on xoshiro256+", PAPER_PODIUM, &podium, &fast_random),
        baseline_job("naive staircase on xoshiro256+", NAIVE_STAIRCASE, &staircase, &fast_random),
    };
    size_t first = 7, count = first;
    for (size_t m = 0; m < podium_mechanism_count(); m++)
        jobs[count++] = podium_job((podium_mechanism)m);
    struct job insecure = podium_job(PODIUM_MECHANISM_PODIUM);
    insecure.random = &fast_random;
    snprintf(insecure.name, sizeof insecure.name, "podium on xoshiro256+ (not private)");
    jobs[count++] = insecure;
    measure(jobs, count, reports, values);

    line("arrays", &jobs[0], 0, NULL, NULL);
    for (size_t j = first; j < first + podium_mechanism_count(); j++)
        mechanism_lines(&jobs[j], &jobs[0], &jobs[1]);
    for (size_t j = 1; j < first; j++)
        line("arrays", &jobs[j], jobs[first].rate, "podium", NULL);
    line("arrays", &jobs[count - 1], jobs[first].rate, "podium", NULL);
}

/* The same array in and out, so that the largest fits most machines. Targets begin at a thousand. */
static void sizes(void) {
    for (size_t n = 100; n <= MOST_VALUES; n *= 10) {
        bool target = n >= 1000;
        struct job jobs[] = {
            baseline_job("16 random bytes alone", RANDOM_BITS, NULL, podium_random_default()),
            baseline_job("naive laplace on the keystream", NAIVE_LAPLACE, &laplace, podium_random_default()),
            podium_job(PODIUM_MECHANISM_PODIUM),
        };
        for (size_t j = 0; j < 3; j++) {
            jobs[j].per_call = n;
            jobs[j].values = n > VALUES ? n : VALUES;
        }
        measure(jobs, 3, reports, reports);
        line("sizes", &jobs[0], 0, NULL, NULL);
        line("sizes", &jobs[1], jobs[0].rate, jobs[0].name, NULL);
        line("sizes", &jobs[2], jobs[0].rate, jobs[0].name, target ? "ratio>=0.7" : NULL);
        line("sizes", &jobs[2], jobs[1].rate, jobs[1].name, target ? "ratio>=2" : NULL);
    }
}

/* Few values a call, beside one call of the operating system for the 16 bytes of one value */
static void calls(void) {
    struct job jobs[JOBS_MAX] = {
        {.name = "getrandom of 16 bytes", .call = system_call, .per_call = 1, .values = CALL_VALUES}};
    size_t count = 1;
    for (size_t n = 1; n <= 1024; n *= 4) {
        jobs[count] = podium_job(PODIUM_MECHANISM_PODIUM);
        jobs[count].per_call = n;
        jobs[count++].values = CALL_VALUES;
    }
    measure(jobs, count, reports, values);
    line("calls", &jobs[0], 0, NULL, NULL);
    for (size_t j = 1; j < count; j++)
        line("calls", &jobs[j], jobs[0].rate, jobs[0].name, j == 1 ? "ratio>=0.5" : NULL);
}

/* Minimax puts a value at its place by the more ramps, the larger epsilon is. */
static void epsilons(void) {
    static const double tried[] = {0.5, 1, 2, 4, 8};
    enum { COUNT = sizeof tried / sizeof *tried };
    static podium_collection made[2 * COUNT];
    struct job jobs[2 * COUNT];
    for (size_t j = 0; j < 2 * COUNT; j++) {
        podium_spec spec = spec_of(j % 2 == 0 ? PODIUM_MECHANISM_PODIUM : PODIUM_MECHANISM_MINIMAX, tried[j / 2]);
        require(podium_collection_init(&made[j], &spec));
        jobs[j] = podium_job(spec.mechanism);
        jobs[j].collection = &made[j];
        snprintf(jobs[j].name, sizeof jobs[j].name, "%s at epsilon %g", podium_mechanism_name(spec.mechanism),
                 spec.epsilon);
    }
    measure(jobs, 2 * COUNT, reports, values);
    for (size_t j = 1; j < 2 * COUNT; j += 2)
        line("epsilons", &jobs[j], jobs[j - 1].rate, "podium at the same epsilon", NULL);
}

static void aggregates(void) {
    static const podium_mechanism tried[] = {PODIUM_MECHANISM_PODIUM, PODIUM_MECHANISM_MINIMAX};
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        struct job jobs[] = {
            {.name = "a plain sum of doubles", .call = plain_sum, .per_call = VALUES, .values = VALUES},
            {.call = aggregate, .collection = &collections[tried[i]], .per_call = VALUES, .values = VALUES},
        };
        snprintf(jobs[1].name, sizeof jobs[1].name, "podium_aggregate_add of %s reports",
                 podium_mechanism_name(tried[i]));
        require(podium_privatize(jobs[1].collection, reports, values, VALUES));
        measure(jobs, 2, NULL, reports);
        line("aggregates", &jobs[1], jobs[0].rate, jobs[0].name, NULL);
    }
}

/* ---- Are the baselines what they say? ---- */

/* Mean and variance of a million reports of one value within six standard errors of the shape's. The variance's is that
   of Laplace, whose kurtosis is 6. The generator's seed is fixed: this fails always or never. */
static void check_baseline(baseline which, const podium_shape *shape) {
    const double x = 100, variance = podium_shape_variance(shape, x);
    double sum = 0, squares = 0;
    for (size_t i = 0; i < VALUES; i++)
        reports[i] = x;
    baseline_privatize(which, shape, &fast_random, reports, reports, VALUES);
    for (size_t i = 0; i < VALUES; i++) {
        sum += reports[i] - x;
        squares += (reports[i] - x) * (reports[i] - x);
    }
    if (fabs(sum / VALUES) > 6 * sqrt(variance / VALUES) ||
        fabs(squares / VALUES / variance - 1) > 6 * sqrt(5.0 / VALUES))
        give_up("a baseline does not draw from its distribution");
}

/* The arrays, with every page touched before the clock runs, and what is collected */
static void prepare(void) {
    values = malloc(VALUES * sizeof *values);
    reports = malloc(MOST_VALUES * sizeof *reports);
    if (values == NULL || reports == NULL)
        give_up("out of memory");
    for (size_t i = 0; i < VALUES; i++)
        values[i] = (double)(i % 120) + 1;
    for (size_t i = 0; i < MOST_VALUES; i++)
        reports[i] = values[i % VALUES];
    for (size_t m = 0; m < podium_mechanism_count(); m++) {
        podium_spec spec = spec_of((podium_mechanism)m, 1);
        require(podium_collection_init(&collections[m], &spec));
    }
    struct {
        podium_shape *shape;
        podium_mechanism mechanism;
    } baselines[] = {{&laplace, PODIUM_MECHANISM_LAPLACE},
                     {&podium, PODIUM_MECHANISM_PODIUM},
                     {&staircase, PODIUM_MECHANISM_STAIRCASE}};
    for (size_t i = 0; i < sizeof baselines / sizeof *baselines; i++) {
        podium_spec spec = spec_of(baselines[i].mechanism, 1);
        require(podium_shape_init(baselines[i].shape, &spec));
    }
}

int main(void) {
    static const struct {
        const char *name;
        void (*run)(void);
    } groups[] = {
        {"arrays", arrays}, {"sizes", sizes}, {"calls", calls}, {"epsilons", epsilons}, {"aggregates", aggregates}};
    prepare();
    check_baseline(NAIVE_LAPLACE, &laplace);
    check_baseline(PAPER_PODIUM, &podium);
    check_baseline(NAIVE_STAIRCASE, &staircase);
    printf("part,job,n,rate,unit,ratio,against,target\n");
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        fprintf(stderr, "bench: %s\n", groups[g].name);
        groups[g].run();
    }
    free(values);
    free(reports);
    return 0;
}
