/*
 * The SQL functions of the PostgreSQL extension: privatize, aggregate, estimate, quantiles, histogram. docs/sql.md is
 * their manual, and podium.sql declares them.
 */
#include "adapter.h"

#include <access/htup_details.h>
#include <catalog/pg_type.h>
#include <funcapi.h>
#include <utils/array.h>
#include <utils/builtins.h>

#include <math.h>

#ifdef PG_MODULE_MAGIC_EXT /* since PostgreSQL 18, whose pg_get_loaded_modules() shows these */
PG_MODULE_MAGIC_EXT(.name = "podium", .version = PODIUM_VERSION);
#else
PG_MODULE_MAGIC;
#endif

PG_FUNCTION_INFO_V1(podium_sql_version);
Datum podium_sql_version(PG_FUNCTION_ARGS) {
    (void)fcinfo;
    PG_RETURN_TEXT_P(cstring_to_text(podium_version()));
}

/* ---- Privatize ---- */

/* Each draw gets its own random words from the operating system, and none are kept, because backends and parallel
   workers are forked and must not share any. */
PG_FUNCTION_INFO_V1(podium_sql_privatize);
Datum podium_sql_privatize(PG_FUNCTION_ARGS) {
    const podium_collection *collection = collection_of_arguments(fcinfo, 1);
    double value = PG_GETARG_FLOAT8(0), report;
    podium_status status = podium_privatize_from(collection, podium_random_system(), &report, &value, 1);
    if (status != PODIUM_OK)
        ereport(ERROR, errcode(ERRCODE_SYSTEM_ERROR),
                errmsg("podium_privatize: %s: there is no report", podium_status_message(status)));
    PG_RETURN_FLOAT8(report);
}

/* ---- Aggregate ---- */

/* The arguments are the aggregate, the report and the parameters. The first report of a group creates its aggregate. */
PG_FUNCTION_INFO_V1(podium_sql_aggregate_add);
Datum podium_sql_aggregate_add(PG_FUNCTION_ARGS) {
    MemoryContext parent;
    if (AggCheckCallContext(fcinfo, &parent) == 0)
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                errmsg("podium_aggregate_add is for aggregate functions only"));
    if (PG_ARGISNULL(1)) {
        if (PG_ARGISNULL(0))
            PG_RETURN_NULL();
        PG_RETURN_DATUM(PG_GETARG_DATUM(0));
    }
    const podium_collection *collection = collection_of_arguments(fcinfo, 2);
    expanded *e = PG_ARGISNULL(0) ? aggregate_new(parent, collection) : aggregate_writable(PG_GETARG_DATUM(0), parent);
    double report = PG_GETARG_FLOAT8(1);
    podium_status status = podium_aggregate_add(collection, &e->aggregate, &report, 1);
    if (status != PODIUM_OK) {
        const podium_spec before = podium_aggregate_spec(&e->aggregate), now = podium_collection_spec(collection);
        require_same(status, &before, &now, "podium: the rows of one group");
    }
    PG_RETURN_DATUM(aggregate_datum(e));
}

/* ---- Estimate ---- */

/* The columns in the order of the type podium_summary */
enum {
    N,
    REFUSED,
    MEAN,
    STANDARD_ERROR,
    LOWER,
    UPPER,
    VARIANCE,
    STANDARD_DEVIATION,
    CONFIDENCE,
    INTERVAL_NAME,
    ABOUT,
    COLUMNS
};

static Datum count_datum(uint64_t count) {
    if (count > PG_INT64_MAX)
        ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                errmsg("podium: the aggregate counts more reports than a bigint holds"));
    return Int64GetDatum((int64)count);
}

/* Sets a column to a number, or to NULL if the number is NaN. */
static void set_number(Datum *values, bool *nulls, int column, double x) {
    nulls[column] = isnan(x);
    values[column] = Float8GetDatum(x);
}

static void set_numbers(Datum *values, bool *nulls, const podium_summary *e) {
    set_number(values, nulls, MEAN, e->mean);
    set_number(values, nulls, STANDARD_ERROR, e->standard_error);
    set_number(values, nulls, LOWER, e->lower);
    set_number(values, nulls, UPPER, e->upper);
    set_number(values, nulls, VARIANCE, e->variance);
    set_number(values, nulls, STANDARD_DEVIATION, e->standard_deviation);
}

static void require_ok(podium_status status, const char *function) {
    if (status != PODIUM_OK)
        ereport(ERROR, errcode(status == PODIUM_ERROR_OUT_OF_MEMORY ? ERRCODE_OUT_OF_MEMORY : ERRCODE_INTERNAL_ERROR),
                errmsg("%s: %s", function, podium_status_message(status)));
}

/* Keeps the channel that was used last, because one query often asks for the quantiles of many groups. */
static const podium_channel *channel_of(const podium_collection *collection, const char *function) {
    static podium_channel *kept;
    static uint64_t fingerprint; /* of its collection */
    if (kept != NULL && fingerprint == podium_collection_fingerprint(collection))
        return kept;
    podium_channel *made;
    require_ok(podium_channel_make(collection, &made), function);
    podium_channel_free(kept);
    kept = made;
    fingerprint = podium_collection_fingerprint(collection);
    return kept;
}

/* Keeps the bounds that were used last, for the same reason. They are cleared if they cannot be computed. */
static const podium_bounds *bounds_of(const podium_collection *collection, const char *function) {
    static podium_bounds kept;
    static uint64_t fingerprint;
    if (fingerprint != podium_collection_fingerprint(collection)) {
        fingerprint = 0;
        require_ok(podium_bounds_init(collection, &kept), function);
        fingerprint = podium_collection_fingerprint(collection);
    }
    return &kept;
}

static podium_summary summary_of(Datum datum, const podium_question *question, const char *function) {
    podium_aggregate room;
    const podium_aggregate *aggregate = aggregate_read(datum, &room);
    const podium_spec spec = podium_aggregate_spec(aggregate);
    const podium_collection *collection = collection_of_spec(&spec);
    const podium_channel *channel = question->shape ? channel_of(collection, function) : NULL;
    podium_question bounded = *question;
    podium_summary summary;
    if (question->interval != PODIUM_INTERVAL_NORMAL)
        bounded.bounds = bounds_of(collection, function);
    podium_status status = podium_summary_make(collection, channel, &summary, aggregate, &bounded);
    require_ok(status, function);
    return summary;
}

static double confidence_of(double confidence, const char *function) {
    if (!(confidence > 0 && confidence < 1))
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("%s: confidence must be between 0 and 1", function));
    return confidence;
}

static podium_interval interval_of(const text *name, const char *function) {
    podium_interval interval;
    if (podium_interval_from_name(&interval, VARDATA_ANY(name), (size_t)VARSIZE_ANY_EXHDR(name)) != PODIUM_OK)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("%s: interval must be normal, guaranteed or anytime", function));
    return interval;
}

/* The arguments from the one at `first` on are the confidence, the interval and whether it is for a population, or
   there are none. */
static podium_question question_of(FunctionCallInfo fcinfo, int first, const char *function) {
    podium_question question = {.confidence = 0};
    if (PG_NARGS() > first) {
        question.confidence = confidence_of(PG_GETARG_FLOAT8(first), function);
        question.interval = interval_of(PG_GETARG_TEXT_PP(first + 1), function);
        question.population = PG_GETARG_BOOL(first + 2);
    }
    return question;
}

/* Returns a row of the type that the function is declared to return. */
static Datum row_datum(FunctionCallInfo fcinfo, Datum *values, bool *nulls) {
    TupleDesc description;
    if (get_call_result_type(fcinfo, NULL, &description) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "podium: this function returns a row");
    return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(description), values, nulls));
}

/* A group of one report must not make a query about many groups fail. So what cannot be estimated is NULL, and n
   shows why. */
PG_FUNCTION_INFO_V1(podium_sql_estimate);
Datum podium_sql_estimate(PG_FUNCTION_ARGS) {
    const podium_question question = question_of(fcinfo, 1, "podium_estimate_at");
    const podium_summary s = summary_of(PG_GETARG_DATUM(0), &question, "podium_estimate");
    Datum values[COLUMNS];
    bool nulls[COLUMNS] = {false};
    values[N] = count_datum(s.count);
    values[REFUSED] = count_datum(s.refused);
    set_numbers(values, nulls, &s);
    values[CONFIDENCE] = Float8GetDatum(s.confidence);
    values[INTERVAL_NAME] = CStringGetTextDatum(podium_interval_name(s.interval));
    values[ABOUT] = CStringGetTextDatum(podium_summary_about(&s));
    PG_RETURN_DATUM(row_datum(fcinfo, values, nulls));
}

/* ---- Difference ---- */

/* The columns in the order of the type podium_comparison; the numbers come first. */
enum { NUMBERS = 6, COMPARISON_INTERVAL_NAME = NUMBERS, COMPARISON_ABOUT, COMPARISON_COLUMNS };

static Datum comparison_datum(FunctionCallInfo fcinfo, const podium_difference *d) {
    const double numbers[NUMBERS] = {d->difference, d->standard_error, d->lower, d->upper, d->p_value, d->confidence};
    Datum values[COMPARISON_COLUMNS];
    bool nulls[COMPARISON_COLUMNS] = {false};
    for (int i = 0; i < NUMBERS; i++)
        set_number(values, nulls, i, numbers[i]);
    values[COMPARISON_INTERVAL_NAME] = CStringGetTextDatum(podium_interval_name(d->interval));
    values[COMPARISON_ABOUT] =
        CStringGetTextDatum(podium_summary_about(&(podium_summary){.population = d->population}));
    return row_datum(fcinfo, values, nulls);
}

PG_FUNCTION_INFO_V1(podium_sql_difference);
Datum podium_sql_difference(PG_FUNCTION_ARGS) {
    podium_question question = question_of(fcinfo, 2, "podium_difference_at");
    podium_aggregate rooms[2];
    const podium_aggregate *a = aggregate_read(PG_GETARG_DATUM(0), &rooms[0]);
    const podium_aggregate *b = aggregate_read(PG_GETARG_DATUM(1), &rooms[1]);
    const podium_spec first = podium_aggregate_spec(a), second = podium_aggregate_spec(b);
    const podium_collection *collection = collection_of_spec(&first);
    if (question.interval != PODIUM_INTERVAL_NORMAL)
        question.bounds = bounds_of(collection, "podium_difference_at");
    podium_difference d;
    podium_status status = podium_difference_make(collection, &d, a, b, &question);
    require_same(status, &first, &second, "podium: aggregates");
    PG_RETURN_DATUM(comparison_datum(fcinfo, &d));
}

/* ---- Quantiles and histogram ---- */

enum { QUANTILE_COLUMNS = 4, BIN_COLUMNS = 6, ROW_COLUMNS_MAX = BIN_COLUMNS };

/* Rows that are computed at once and returned one by one. NaN is returned as NULL. */
typedef struct {
    int columns;
    bool numbered; /* the first column counts the rows */
    double *cells;
} rows;

static double *row(const rows *r, uint64_t i) {
    return r->cells + i * (uint64_t)r->columns;
}

static rows *rows_new(FuncCallContext *call, uint64_t count, int columns, bool numbered) {
    rows *r = palloc(sizeof *r);
    *r = (rows){columns, numbered, palloc(count * (uint64_t)columns * sizeof *r->cells)};
    call->max_calls = count;
    call->user_fctx = r;
    return r;
}

static Datum rows_tuple(const FuncCallContext *call) {
    const rows *r = call->user_fctx;
    Datum values[ROW_COLUMNS_MAX];
    bool nulls[ROW_COLUMNS_MAX];
    for (int i = 0; i < r->columns; i++)
        set_number(values, nulls, i, row(r, call->call_cntr)[i]);
    if (r->numbered)
        values[0] = Int32GetDatum((int32)call->call_cntr + 1);
    return HeapTupleGetDatum(heap_form_tuple(call->tuple_desc, values, nulls));
}

/* Starts a function that returns rows, and makes its memory context the current one. rows_next returns the rows. */
static FuncCallContext *rows_begin(FunctionCallInfo fcinfo, MemoryContext *before) {
    FuncCallContext *call = SRF_FIRSTCALL_INIT();
    TupleDesc description;
    *before = MemoryContextSwitchTo(call->multi_call_memory_ctx);
    if (get_call_result_type(fcinfo, NULL, &description) != TYPEFUNC_COMPOSITE)
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("podium: this function returns a set of rows"));
    call->tuple_desc = BlessTupleDesc(description);
    return call;
}

static Datum rows_next(FunctionCallInfo fcinfo) {
    FuncCallContext *call = SRF_PERCALL_SETUP();
    if (call->call_cntr == call->max_calls)
        SRF_RETURN_DONE(call);
    Datum tuple = rows_tuple(call); /* must precede SRF_RETURN_NEXT, which increments the counter first */
    SRF_RETURN_NEXT(call, tuple);
}

static podium_distribution distribution_of(Datum datum, uint32_t bins, const char *function) {
    const podium_summary s = summary_of(datum, &(podium_question){.shape = true, .bins = bins}, function);
    if (s.shape_known != PODIUM_KNOWN_ESTIMATED)
        ereport(NOTICE,
                errmsg("%s: the distribution is not estimated (%s)", function, podium_known_message(s.shape_known)));
    return s.distribution;
}

/* Returns the numbers of the array, which must be probabilities. */
static double *probabilities(ArrayType *array, int *count) {
    static const char wrong[] = "podium_quantiles: probabilities must be numbers from 0 to 1";
    Datum *elements;
    bool *nulls;
    deconstruct_array(array, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &elements, &nulls, count);
    double *p = palloc((size_t)*count * sizeof *p);
    for (int i = 0; i < *count; i++) {
        p[i] = nulls[i] ? NAN : DatumGetFloat8(elements[i]);
        if (!(p[i] >= 0 && p[i] <= 1))
            ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s", wrong));
    }
    return p;
}

PG_FUNCTION_INFO_V1(podium_sql_quantiles);
Datum podium_sql_quantiles(PG_FUNCTION_ARGS) {
    if (SRF_IS_FIRSTCALL()) {
        MemoryContext before;
        FuncCallContext *call = rows_begin(fcinfo, &before);
        int count;
        const double *p = probabilities(PG_GETARG_ARRAYTYPE_P(1), &count);
        const podium_distribution d = distribution_of(PG_GETARG_DATUM(0), 0, "podium_quantiles");
        rows *r = rows_new(call, (uint64_t)count, QUANTILE_COLUMNS, false);
        for (int i = 0; i < count; i++) {
            const podium_limits limits = podium_distribution_quantile_limits(&d, p[i]);
            const double cells[] = {p[i], podium_distribution_quantile(&d, p[i]), limits.lower, limits.upper};
            memcpy(row(r, (uint64_t)i), cells, sizeof cells);
        }
        MemoryContextSwitchTo(before);
    }
    return rows_next(fcinfo);
}

PG_FUNCTION_INFO_V1(podium_sql_histogram);
Datum podium_sql_histogram(PG_FUNCTION_ARGS) {
    if (SRF_IS_FIRSTCALL()) {
        MemoryContext before;
        FuncCallContext *call = rows_begin(fcinfo, &before);
        int bins = PG_GETARG_INT32(1);
        if (bins < 1 || bins > PODIUM_SHARES)
            ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("podium_histogram: bins must be from 1 to %d", PODIUM_SHARES));
        const podium_distribution d = distribution_of(PG_GETARG_DATUM(0), (uint32_t)bins, "podium_histogram");
        rows *r = rows_new(call, (uint64_t)bins, BIN_COLUMNS, true);
        for (int i = 0; i < bins; i++) {
            const podium_bin bin = podium_distribution_bin(&d, (uint32_t)i);
            const double cells[] = {i + 1, bin.from, bin.to, bin.share, bin.lower, bin.upper};
            memcpy(row(r, (uint64_t)i), cells, sizeof cells);
        }
        MemoryContextSwitchTo(before);
    }
    return rows_next(fcinfo);
}
