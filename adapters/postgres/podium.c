/*
 * The SQL functions of the PostgreSQL extension: privatize, aggregate, estimate, quantiles, histogram. docs/sql.md is
 * their manual, podium.sql declares them.
 */
#include "adapter.h"

#include <access/htup_details.h>
#include <catalog/pg_type.h>
#include <funcapi.h>
#include <utils/array.h>
#include <utils/builtins.h>

#include <math.h>

#ifdef PG_MODULE_MAGIC_EXT /* since PostgreSQL 18, which shows these in pg_get_loaded_modules() */
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

/* Each draw takes its own random words from the operating system, and none is kept: backends and parallel workers are
   forks of one another, and have nothing to share. */
PG_FUNCTION_INFO_V1(podium_sql_privatize);
Datum podium_sql_privatize(PG_FUNCTION_ARGS) {
    const podium_collection *collection = collection_of_arguments(fcinfo, 1);
    double value = PG_GETARG_FLOAT8(0), report;
    podium_status status = podium_privatize_from(collection, &podium_random_system, &report, &value, 1);
    if (status != PODIUM_OK)
        ereport(ERROR, errcode(ERRCODE_SYSTEM_ERROR),
                errmsg("podium_privatize: %s: there is no report", podium_status_message(status)));
    PG_RETURN_FLOAT8(report);
}

/* ---- Aggregate ---- */

/* State, report and parameters; the first report of a group makes its state. */
PG_FUNCTION_INFO_V1(podium_sql_add);
Datum podium_sql_add(PG_FUNCTION_ARGS) {
    MemoryContext parent;
    if (AggCheckCallContext(fcinfo, &parent) == 0)
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("podium_state_add is for aggregates only"));
    if (PG_ARGISNULL(1)) {
        if (PG_ARGISNULL(0))
            PG_RETURN_NULL();
        PG_RETURN_DATUM(PG_GETARG_DATUM(0));
    }
    const podium_collection *collection = collection_of_arguments(fcinfo, 2);
    state *s = PG_ARGISNULL(0) ? state_new(parent, collection) : state_writable(PG_GETARG_DATUM(0), parent);
    double report = PG_GETARG_FLOAT8(1);
    require_same(podium_aggregate_add(&s->aggregate, collection, &report, 1), &s->aggregate.spec, &collection->spec,
                 "podium: the rows of one group");
    PG_RETURN_DATUM(state_datum(s));
}

/* ---- Estimate ---- */

/* In the order of the type podium_summary */
enum { N, REFUSED, MEAN, STANDARD_ERROR, LOWER, UPPER, VARIANCE, STANDARD_DEVIATION, CONFIDENCE, COLUMNS };

static Datum count_datum(uint64_t count) {
    if (count > PG_INT64_MAX)
        ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                errmsg("podium: the state counts more reports than a bigint holds"));
    return Int64GetDatum((int64)count);
}

/* A column that is a number, or unknown */
static void set_number(Datum *values, bool *nulls, int column, double x) {
    nulls[column] = isnan(x);
    values[column] = Float8GetDatum(x);
}

static void set_numbers(Datum *values, bool *nulls, const podium_estimate *e) {
    set_number(values, nulls, MEAN, e->mean);
    set_number(values, nulls, STANDARD_ERROR, e->standard_error);
    set_number(values, nulls, LOWER, e->lower);
    set_number(values, nulls, UPPER, e->upper);
    set_number(values, nulls, VARIANCE, e->variance);
    set_number(values, nulls, STANDARD_DEVIATION, e->standard_deviation);
}

/* A group of one report must not end a query about many: what cannot be estimated is NULL, and n says why. */
PG_FUNCTION_INFO_V1(podium_sql_estimate);
Datum podium_sql_estimate(PG_FUNCTION_ARGS) {
    podium_aggregate room;
    const podium_aggregate *aggregate = state_read(PG_GETARG_DATUM(0), &room);
    double confidence = PG_NARGS() > 1 ? PG_GETARG_FLOAT8(1) : 0.95;
    if (!(confidence > 0 && confidence < 1))
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("podium_estimate: confidence must be between 0 and 1"));
    podium_estimate e;
    podium_status status =
        podium_estimate_make(&e, collection_of_spec(&aggregate->spec), aggregate, PODIUM_INTERVAL_NORMAL, confidence);
    if (status != PODIUM_OK && status != PODIUM_ERROR_TOO_FEW_REPORTS)
        ereport(ERROR, errmsg("podium_estimate: %s", podium_status_message(status)));
    if (status == PODIUM_ERROR_TOO_FEW_REPORTS)
        e.mean = e.standard_error = e.lower = e.upper = NAN;
    if (status == PODIUM_ERROR_TOO_FEW_REPORTS || e.variance_clipped) /* a 0 would say more than is known */
        e.variance = e.standard_deviation = NAN;

    TupleDesc description;
    if (get_call_result_type(fcinfo, NULL, &description) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "podium_estimate returns a row");
    Datum values[COLUMNS];
    bool nulls[COLUMNS] = {false};
    values[N] = count_datum(aggregate->count);
    values[REFUSED] = count_datum(aggregate->refused);
    set_numbers(values, nulls, &e);
    values[CONFIDENCE] = Float8GetDatum(confidence);
    PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(description), values, nulls)));
}

/* ---- Quantiles and histogram ---- */

/* Rows that are ready, and given out one by one; NaN is shown as NULL. */
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
    Datum values[4];
    bool nulls[4];
    for (int i = 0; i < r->columns; i++)
        set_number(values, nulls, i, row(r, call->call_cntr)[i]);
    if (r->numbered)
        values[0] = Int32GetDatum((int32)call->call_cntr + 1);
    return HeapTupleGetDatum(heap_form_tuple(call->tuple_desc, values, nulls));
}

/* Starts a function that gives rows, whose memory is then current; ends with rows_next. */
static FuncCallContext *rows_begin(FunctionCallInfo fcinfo, MemoryContext *before) {
    FuncCallContext *call = SRF_FIRSTCALL_INIT();
    TupleDesc description;
    *before = MemoryContextSwitchTo(call->multi_call_memory_ctx);
    if (get_call_result_type(fcinfo, NULL, &description) != TYPEFUNC_COMPOSITE)
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("podium: a function that gives rows"));
    call->tuple_desc = BlessTupleDesc(description);
    return call;
}

static Datum rows_next(FunctionCallInfo fcinfo) {
    FuncCallContext *call = SRF_PERCALL_SETUP();
    if (call->call_cntr == call->max_calls)
        SRF_RETURN_DONE(call);
    Datum tuple = rows_tuple(call); /* before SRF_RETURN_NEXT, which counts first */
    SRF_RETURN_NEXT(call, tuple);
}

/* The channel that was used last: one query often asks for the quantiles of many groups. */
static const podium_channel *channel_of(const podium_collection *collection, const char *function) {
    static podium_channel *kept;
    static uint64_t fingerprint; /* of its collection */
    if (kept != NULL && fingerprint == collection->fingerprint)
        return kept;
    podium_channel *made;
    podium_status status = podium_channel_make(&made, collection, PODIUM_SHARES_FINE);
    if (status != PODIUM_OK)
        ereport(ERROR, errcode(status == PODIUM_ERROR_OUT_OF_MEMORY ? ERRCODE_OUT_OF_MEMORY : ERRCODE_INTERNAL_ERROR),
                errmsg("%s: %s", function, podium_status_message(status)));
    podium_channel_free(kept);
    kept = made;
    fingerprint = collection->fingerprint;
    return kept;
}

/* What is asked of a distribution that is not telling is NaN, and so NULL. */
static podium_distribution distribution_of(Datum datum, const char *function) {
    podium_aggregate room;
    const podium_aggregate *aggregate = state_read(datum, &room);
    const podium_collection *collection = collection_of_spec(&aggregate->spec);
    const podium_channel *channel = channel_of(collection, function);
    podium_distribution d = {.min = aggregate->spec.min, .max = aggregate->spec.max};
    podium_status status = podium_distribution_from(&d, channel, aggregate);
    if (status != PODIUM_OK && status != PODIUM_ERROR_TOO_FEW_REPORTS)
        ereport(ERROR, errcode(ERRCODE_INTERNAL_ERROR), errmsg("%s: %s", function, podium_status_message(status)));
    if (!d.telling && collection->cells > 2) /* two outputs never tell more than the mean */
        ereport(NOTICE, errmsg("%s: too few reports to estimate the distribution", function));
    return d;
}

/* The array's numbers, each a probability */
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
        podium_distribution d = distribution_of(PG_GETARG_DATUM(0), "podium_quantiles");
        rows *r = rows_new(call, (uint64_t)count, 2, false);
        for (int i = 0; i < count; i++) {
            row(r, (uint64_t)i)[0] = p[i];
            row(r, (uint64_t)i)[1] = podium_distribution_quantile(&d, p[i]);
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
        if (bins < 1 || bins > PODIUM_SHARES_MAX)
            ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("podium_histogram: bins must be from 1 to %d", PODIUM_SHARES_MAX));
        podium_distribution d = distribution_of(PG_GETARG_DATUM(0), "podium_histogram");
        rows *r = rows_new(call, (uint64_t)bins, 4, true);
        double width = (d.max - d.min) / bins;
        for (int i = 0; i < bins; i++) {
            double lower = d.min + width * i, upper = i + 1 == bins ? d.max : d.min + width * (i + 1);
            double share = podium_distribution_below(&d, upper) - podium_distribution_below(&d, lower);
            memcpy(row(r, (uint64_t)i), (double[]){i + 1, lower, upper, share}, 4 * sizeof(double));
        }
        MemoryContextSwitchTo(before);
    }
    return rows_next(fcinfo);
}
