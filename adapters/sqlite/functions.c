/* Functions of one row: privatising a value, and what is asked of a state. */
#include "extension.h"

#include <math.h>
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

/* ---- A value: the only function that sees one ---- */

void privatize(sqlite3_context *context, int count, sqlite3_value **values) {
    const function *f = sqlite3_user_data(context);
    char message[SQL_MESSAGE_MAX];
    podium_spec spec;
    double value, report;
    const podium_collection *collection = NULL;
    if (spec_from(&spec, message, count - 1, values + 1))
        collection = collection_from(f->own, message, &spec);
    if (collection == NULL) {
        fail(context, message);
        return;
    }
    if (is_null(values[0]))
        return;
    if (!number_from(&value, message, values[0], "value")) {
        fail(context, message);
        return;
    }
    podium_status status = podium_privatize(collection, &report, &value, 1);
    if (status == PODIUM_OK)
        sqlite3_result_double(context, report);
    else
        fail(context, podium_status_message(status));
}

/* ---- JSON ---- */

static void json_add(sqlite3_str *json, const char *key, double x) {
    char number[PODIUM_NUMBER_TEXT_MAX] = "null";
    if (isfinite(x))
        podium_number_write(number, x);
    sqlite3_str_appendf(json, ",\"%s\":%s", key, number);
}

static void give_json(sqlite3_context *context, const podium_aggregate *aggregate, const podium_estimate *e) {
    sqlite3_str *json = sqlite3_str_new(sqlite3_context_db_handle(context));
    sqlite3_str_appendf(json, "{\"n\":%llu,\"refused\":%llu", (unsigned long long)aggregate->count,
                        (unsigned long long)aggregate->refused);
    json_add(json, "mean", e->mean);
    json_add(json, "standard_error", e->standard_error);
    json_add(json, "lower", e->lower);
    json_add(json, "upper", e->upper);
    json_add(json, "variance", e->variance);
    json_add(json, "standard_deviation", e->standard_deviation);
    json_add(json, "confidence", e->confidence);
    sqlite3_str_appendf(json, "}");
    char *text = sqlite3_str_finish(json); /* NULL where one of these found no memory */
    if (text == NULL)
        sqlite3_result_error_nomem(context);
    else
        sqlite3_result_text(context, text, -1, sqlite3_free);
}

/* ---- What is known of an aggregate ---- */

static void give_count(sqlite3_context *context, uint64_t count) {
    if (count <= INT64_MAX)
        sqlite3_result_int64(context, (sqlite3_int64)count);
    else
        sqlite3_result_double(context, (double)count);
}

static void give_bytes(sqlite3_context *context, const podium_aggregate *aggregate) {
    unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX];
    size_t n = podium_aggregate_encode(aggregate, bytes);
    sqlite3_result_blob(context, bytes, (int)n, SQLITE_TRANSIENT);
}

static void give_estimate(sqlite3_context *context, quantity gives, const podium_aggregate *aggregate,
                          const podium_estimate *e) {
    const double numbers[QUANTITIES] = {
        [MEAN] = e->mean,         [STANDARD_ERROR] = e->standard_error,        [LOWER] = e->lower, [UPPER] = e->upper,
        [VARIANCE] = e->variance, [STANDARD_DEVIATION] = e->standard_deviation};
    if (gives == ESTIMATE)
        give_json(context, aggregate, e);
    else
        sqlite3_result_double(context, numbers[gives]); /* NaN is NULL to SQLite */
}

void give(sqlite3_context *context, const podium_collection *collection, const podium_aggregate *aggregate,
          double confidence) {
    const function *f = sqlite3_user_data(context);
    podium_estimate estimate;
    switch (f->gives) {
    case STATE:
        give_bytes(context, aggregate);
        return;
    case N:
        give_count(context, aggregate->count);
        return;
    case REFUSED:
        give_count(context, aggregate->refused);
        return;
    default:
        break;
    }
    podium_status status = podium_estimate_make(&estimate, collection, aggregate, PODIUM_INTERVAL_NORMAL, confidence);
    if (status == PODIUM_ERROR_TOO_FEW_REPORTS)
        estimate = (podium_estimate){.mean = NAN,
                                     .standard_error = NAN,
                                     .lower = NAN,
                                     .upper = NAN,
                                     .variance = NAN,
                                     .standard_deviation = NAN,
                                     .confidence = confidence};
    else if (status == PODIUM_OK && estimate.variance_clipped) /* a 0 would say more than is known */
        estimate.variance = estimate.standard_deviation = NAN;
    if (status == PODIUM_OK || status == PODIUM_ERROR_TOO_FEW_REPORTS)
        give_estimate(context, f->gives, aggregate, &estimate);
    else
        fail(context, podium_status_message(status));
}

/* ---- A state ---- */

static bool confidence_from(double *confidence, char message[SQL_MESSAGE_MAX], sqlite3_value *value) {
    if (!number_from(confidence, message, value, "confidence"))
        return false;
    if (*confidence > 0 && *confidence < 1)
        return true;
    snprintf(message, SQL_MESSAGE_MAX, "confidence must be between 0 and 1, such as 0.95");
    return false;
}

void of_state(sqlite3_context *context, int count, sqlite3_value **values) {
    const function *f = sqlite3_user_data(context);
    char message[SQL_MESSAGE_MAX];
    double confidence = CONFIDENCE;
    podium_aggregate aggregate;
    if (count > 1 && !confidence_from(&confidence, message, values[1])) {
        fail(context, message);
        return;
    }
    if (is_null(values[0]))
        return;
    const podium_collection *collection = state_from(&aggregate, f->own, message, values[0]);
    if (collection == NULL)
        fail(context, message);
    else
        give(context, collection, &aggregate, confidence);
}

void state_text(sqlite3_context *context, int count, sqlite3_value **values) {
    const function *f = sqlite3_user_data(context);
    char message[SQL_MESSAGE_MAX], text[PODIUM_AGGREGATE_TEXT_MAX];
    podium_aggregate aggregate;
    (void)count;
    if (is_null(values[0]))
        return;
    if (state_from(&aggregate, f->own, message, values[0]) == NULL) {
        fail(context, message);
        return;
    }
    size_t n = podium_aggregate_write(&aggregate, text);
    sqlite3_result_text(context, text, (int)n, SQLITE_TRANSIENT);
}

void version(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count, (void)values;
    sqlite3_result_text(context, podium_version(), -1, SQLITE_STATIC);
}
