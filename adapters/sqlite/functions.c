/* Functions of one row: privatising a value, and reading an aggregate. */
#include "extension.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

void fail(sqlite3_context *context, const char *message) {
    const function *f = sqlite3_user_data(context);
    char *text = sqlite3_mprintf("%s: %s", f->name, message);
    if (text == NULL)
        sqlite3_result_error_nomem(context);
    else
        sqlite3_result_error(context, text, -1);
    sqlite3_free(text);
}

void fail_specs(sqlite3_context *context, const podium_spec *a, const podium_spec *b, const char *what) {
    char specs[SQL_MESSAGE_MAX];
    sql_specs_differ(specs, a, b);
    char *message = sqlite3_mprintf("%s have different specs, %s", what, specs);
    if (message == NULL)
        sqlite3_result_error_nomem(context);
    else
        fail(context, message);
    sqlite3_free(message);
}

/* ---- Privatising: the only function that sees a value ---- */

/* The type of the value is checked first. If somebody has swapped the arguments, the message about a wrong spec
   would otherwise quote the value. */
void privatize(sqlite3_context *context, int count, sqlite3_value **values) {
    const function *f = sqlite3_user_data(context);
    char message[SQL_MESSAGE_MAX];
    sql_arguments arguments;
    double value = 0, report;
    const podium_collection *collection = NULL;
    if ((is_null(values[0]) || number_from(&value, message, values[0], "value")) &&
        arguments_from(&arguments, message, count - 1, values + 1))
        collection = collection_from_arguments(f->own, message, &arguments);
    if (collection == NULL) {
        fail(context, message);
        return;
    }
    if (is_null(values[0]))
        return;
    podium_status status = podium_privatize(collection, &report, &value, 1);
    if (status == PODIUM_OK)
        sqlite3_result_double(context, report);
    else
        fail(context, podium_status_message(status));
}

/* ---- Numbers of the summary ---- */

static const struct {
    const char *key;
    size_t at; /* offset in a podium_summary */
} numbers[QUANTITIES] = {
    [MEAN] = {"mean", offsetof(podium_summary, mean)},
    [STANDARD_ERROR] = {"standard_error", offsetof(podium_summary, standard_error)},
    [LOWER] = {"lower", offsetof(podium_summary, lower)},
    [UPPER] = {"upper", offsetof(podium_summary, upper)},
    [VARIANCE] = {"variance", offsetof(podium_summary, variance)},
    [STANDARD_DEVIATION] = {"standard_deviation", offsetof(podium_summary, standard_deviation)},
};

static double number_of(const podium_summary *summary, quantity q) {
    return *(const double *)((const char *)summary + numbers[q].at);
}

static void json_add(sqlite3_str *json, const char *key, double x) {
    char number[PODIUM_NUMBER_TEXT_MAX] = "null";
    if (isfinite(x))
        podium_number_format(number, sizeof number, x);
    sqlite3_str_appendf(json, "%c\"%s\":%s", sqlite3_str_length(json) == 0 ? '{' : ',', key, number);
}

static void json_add_interval(sqlite3_str *json, const podium_summary *summary) {
    json_add(json, "confidence", summary->confidence);
    sqlite3_str_appendf(json, ",\"interval\":\"%s\",\"about\":\"%s\"", podium_interval_name(summary->interval),
                        podium_summary_about(summary));
}

static void json_return(sqlite3_context *context, sqlite3_str *json) {
    sqlite3_str_appendf(json, "}");
    char *text = sqlite3_str_finish(json); /* NULL if one of these calls ran out of memory */
    if (text == NULL)
        sqlite3_result_error_nomem(context);
    else
        sqlite3_result_text(context, text, -1, sqlite3_free);
}

static void return_json(sqlite3_context *context, const podium_summary *summary) {
    sqlite3_str *json = sqlite3_str_new(sqlite3_context_db_handle(context));
    sqlite3_str_appendf(json, "{\"n\":%llu,\"refused\":%llu", (unsigned long long)summary->count,
                        (unsigned long long)summary->refused);
    for (quantity q = MEAN; q < QUANTITIES; q++)
        json_add(json, numbers[q].key, number_of(summary, q));
    json_add_interval(json, summary);
    json_return(context, json);
}

static void return_summary(sqlite3_context *context, quantity returns, const podium_collection *collection,
                           const podium_aggregate *aggregate, const podium_question *question) {
    podium_summary summary;
    podium_status status = podium_summary_make(collection, NULL, &summary, aggregate, question);
    if (status != PODIUM_OK)
        fail(context, podium_status_message(status));
    else if (returns == ESTIMATE)
        return_json(context, &summary);
    else
        sqlite3_result_double(context, number_of(&summary, returns)); /* SQLite turns NaN into NULL */
}

/* ---- The aggregate itself ---- */

static void return_count(sqlite3_context *context, uint64_t count) {
    if (count <= INT64_MAX)
        sqlite3_result_int64(context, (sqlite3_int64)count);
    else
        sqlite3_result_double(context, (double)count);
}

static void return_bytes(sqlite3_context *context, const podium_aggregate *aggregate) {
    unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX];
    size_t n = podium_aggregate_encode(aggregate, bytes, sizeof bytes);
    sqlite3_result_blob(context, bytes, (int)n, SQLITE_TRANSIENT);
}

static void return_text(sqlite3_context *context, const podium_aggregate *aggregate) {
    char text[PODIUM_AGGREGATE_TEXT_MAX];
    size_t n = podium_aggregate_format(aggregate, text, sizeof text);
    sqlite3_result_text(context, text, (int)n, SQLITE_TRANSIENT);
}

static void return_spec(sqlite3_context *context, const podium_aggregate *aggregate) {
    const podium_spec spec = podium_aggregate_spec(aggregate);
    char line[PODIUM_SPEC_TEXT_MAX];
    size_t n = podium_spec_format(&spec, line, sizeof line);
    sqlite3_result_text(context, line, (int)n, SQLITE_TRANSIENT);
}

void return_quantity(sqlite3_context *context, const podium_collection *collection, const podium_aggregate *aggregate,
                     const podium_question *question) {
    const function *f = sqlite3_user_data(context);
    switch (f->returns) {
    case AGGREGATE:
        return_bytes(context, aggregate);
        return;
    case TEXT:
        return_text(context, aggregate);
        return;
    case SPEC:
        return_spec(context, aggregate);
        return;
    case N:
        return_count(context, podium_aggregate_count(aggregate));
        return;
    case REFUSED:
        return_count(context, podium_aggregate_refused(aggregate));
        return;
    default:
        return_summary(context, f->returns, collection, aggregate, question);
    }
}

/* ---- Functions of an aggregate ---- */

static bool confidence_from(double *confidence, char message[SQL_MESSAGE_MAX], sqlite3_value *value) {
    if (!number_from(confidence, message, value, "confidence"))
        return false;
    if (*confidence > 0 && *confidence < 1)
        return true;
    snprintf(message, SQL_MESSAGE_MAX, "confidence must be between 0 and 1, such as 0.95");
    return false;
}

static bool interval_from(podium_interval *interval, char message[SQL_MESSAGE_MAX], sqlite3_value *value) {
    const char *name = (const char *)sqlite3_value_text(value);
    if (name != NULL && podium_interval_from_name(interval, name, strlen(name)) == PODIUM_OK)
        return true;
    snprintf(message, SQL_MESSAGE_MAX, "interval must be 'normal', 'guaranteed' or 'anytime'");
    return false;
}

static bool population_from(bool *population, char message[SQL_MESSAGE_MAX], sqlite3_value *value) {
    *population = sqlite3_value_int64(value) == 1;
    if (sqlite3_value_type(value) == SQLITE_INTEGER && (*population || sqlite3_value_int64(value) == 0))
        return true;
    snprintf(message, SQL_MESSAGE_MAX, "population must be true or false");
    return false;
}

/* The values are those after the aggregates. */
static bool question_from(podium_question *q, char message[SQL_MESSAGE_MAX], int count, sqlite3_value **values) {
    return (count < 1 || confidence_from(&q->confidence, message, values[0])) &&
           (count < 2 || interval_from(&q->interval, message, values[1])) &&
           (count < 3 || population_from(&q->population, message, values[2]));
}

/* Sets the bounds of a question that needs some. Keeps those that were used last, because one query often asks for the
   intervals of many groups. */
static podium_status set_bounds(podium_question *q, connection *own, const podium_collection *collection) {
    if (q->interval == PODIUM_INTERVAL_NORMAL)
        return PODIUM_OK;
    q->bounds = &own->bounds;
    if (own->bounds_fingerprint == podium_collection_fingerprint(collection))
        return PODIUM_OK;
    own->bounds_fingerprint = 0;
    podium_status status = podium_bounds_init(collection, &own->bounds);
    if (status == PODIUM_OK)
        own->bounds_fingerprint = podium_collection_fingerprint(collection);
    return status;
}

void of_aggregate(sqlite3_context *context, int count, sqlite3_value **values) {
    const function *f = sqlite3_user_data(context);
    char message[SQL_MESSAGE_MAX];
    podium_question question = {.confidence = 0};
    podium_aggregate aggregate;
    if (!question_from(&question, message, count - 1, values + 1)) {
        fail(context, message);
        return;
    }
    if (is_null(values[0]))
        return;
    const podium_collection *collection = aggregate_from(&aggregate, f->own, message, values[0]);
    podium_status status = collection == NULL ? PODIUM_OK : set_bounds(&question, f->own, collection);
    if (collection == NULL || status != PODIUM_OK)
        fail(context, collection == NULL ? message : podium_status_message(status));
    else
        return_quantity(context, collection, &aggregate, &question);
}

/* ---- Functions of two aggregates ---- */

static void return_difference(sqlite3_context *context, const podium_difference *d) {
    sqlite3_str *json = sqlite3_str_new(sqlite3_context_db_handle(context));
    json_add(json, "difference", d->difference);
    json_add(json, "standard_error", d->standard_error);
    json_add(json, "lower", d->lower);
    json_add(json, "upper", d->upper);
    json_add(json, "p_value", d->p_value);
    json_add_interval(
        json, &(podium_summary){.confidence = d->confidence, .interval = d->interval, .population = d->population});
    json_return(context, json);
}

static void return_comparison(sqlite3_context *context, const podium_collection *collection, const podium_aggregate *a,
                              const podium_aggregate *b, podium_question *question) {
    const function *f = sqlite3_user_data(context);
    podium_difference made;
    podium_status status = set_bounds(question, f->own, collection);
    if (status == PODIUM_OK)
        status = podium_difference_make(collection, &made, a, b, question);
    const podium_spec first = podium_aggregate_spec(a), second = podium_aggregate_spec(b);
    if (status == PODIUM_ERROR_FINGERPRINT_WRONG)
        fail_specs(context, &first, &second, "the aggregates");
    else if (status != PODIUM_OK)
        fail(context, podium_status_message(status));
    else
        return_difference(context, &made);
}

void difference(sqlite3_context *context, int count, sqlite3_value **values) {
    const function *f = sqlite3_user_data(context);
    char message[SQL_MESSAGE_MAX];
    podium_question question = {.confidence = 0};
    podium_aggregate a, b;
    if (!question_from(&question, message, count - 2, values + 2)) {
        fail(context, message);
        return;
    }
    if (is_null(values[0]) || is_null(values[1]))
        return;
    const podium_collection *collection = aggregate_from(&a, f->own, message, values[0]);
    if (collection != NULL)
        collection = aggregate_from(&b, f->own, message, values[1]); /* the same one, if the specs are equal */
    if (collection == NULL)
        fail(context, message);
    else
        return_comparison(context, collection, &a, &b, &question);
}

void version(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count, (void)values;
    sqlite3_result_text(context, podium_version(), -1, SQLITE_STATIC);
}
