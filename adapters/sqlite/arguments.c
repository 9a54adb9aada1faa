/* Arguments: SQL values as numbers, specs, states and collections. */
#include "extension.h"

#include <stdio.h>
#include <string.h>

static bool wrong(char *message, const char *what) {
    snprintf(message, SQL_MESSAGE_MAX, "%s", what);
    return false;
}

static const char *type_of(sqlite3_value *value) {
    switch (sqlite3_value_type(value)) {
    case SQLITE_NULL:
        return "NULL";
    case SQLITE_TEXT:
        return "text";
    case SQLITE_BLOB:
        return "a blob";
    default:
        return "a number";
    }
}

bool number_from(double *number, char message[SQL_MESSAGE_MAX], sqlite3_value *value, const char *name) {
    if (!is_number(value)) {
        snprintf(message, SQL_MESSAGE_MAX, "%s must be a number, and is %s", name, type_of(value));
        return false;
    }
    *number = sqlite3_value_double(value);
    return true;
}

bool spec_from(podium_spec *spec, char message[SQL_MESSAGE_MAX], int count, sqlite3_value **values) {
    double min, max, epsilon;
    const char *mechanism = NULL;
    if (!number_from(&min, message, values[0], "min") || !number_from(&max, message, values[1], "max") ||
        !number_from(&epsilon, message, values[2], "epsilon"))
        return false;
    bool named = count > 3 && !is_null(values[3]);
    if (named && sqlite3_value_type(values[3]) != SQLITE_TEXT) {
        snprintf(message, SQL_MESSAGE_MAX, "mechanism must be text, and is %s", type_of(values[3]));
        return false;
    }
    if (named && (mechanism = (const char *)sqlite3_value_text(values[3])) == NULL)
        return wrong(message, podium_status_message(PODIUM_ERROR_OUT_OF_MEMORY));
    return sql_spec(spec, message, min, max, epsilon, mechanism, named ? (size_t)sqlite3_value_bytes(values[3]) : 0);
}

const podium_collection *collection_from(connection *own, char message[SQL_MESSAGE_MAX], const podium_spec *spec) {
    for (unsigned i = 0; i < own->kept; i++)
        if (sql_same_spec(&own->collections[i].spec, spec))
            return &own->collections[i];
    podium_collection *oldest = &own->collections[own->next];
    podium_status status = podium_collection_init(oldest, spec);
    if (status != PODIUM_OK) {
        wrong(message, podium_status_message(status));
        return NULL;
    }
    own->next = (own->next + 1) % COLLECTIONS_KEPT;
    own->kept += own->kept < COLLECTIONS_KEPT;
    return oldest;
}

podium_status channel_from(connection *own, const podium_channel **channel, const podium_collection *collection) {
    if (own->channel == NULL || own->channel_fingerprint != collection->fingerprint) {
        podium_channel *made;
        podium_status status = podium_channel_make(&made, collection, PODIUM_SHARES_FINE);
        if (status != PODIUM_OK)
            return status;
        podium_channel_free(own->channel);
        own->channel = made;
        own->channel_fingerprint = collection->fingerprint;
    }
    *channel = own->channel;
    return PODIUM_OK;
}

static bool is_text(const char *bytes, size_t n) {
    const size_t prefix = sizeof PODIUM_AGGREGATE_PREFIX - 1;
    return n >= prefix && memcmp(bytes, PODIUM_AGGREGATE_PREFIX, prefix) == 0;
}

const podium_collection *state_from(podium_aggregate *state, connection *own, char message[SQL_MESSAGE_MAX],
                                    sqlite3_value *value) {
    int type = sqlite3_value_type(value);
    if (type != SQLITE_BLOB && type != SQLITE_TEXT) {
        snprintf(message, SQL_MESSAGE_MAX, "state must be a blob or text, and is %s", type_of(value));
        return NULL;
    }
    const char *bytes = type == SQLITE_TEXT ? (const char *)sqlite3_value_text(value) : sqlite3_value_blob(value);
    size_t n = bytes == NULL ? 0 : (size_t)sqlite3_value_bytes(value);
    const bool text = is_text(bytes, n);
    n -= text && bytes[n - 1] == '\n'; /* a file's only line */
    podium_spec spec;
    podium_status status = podium_aggregate_spec(&spec, bytes, n);
    const podium_collection *collection = status == PODIUM_OK ? collection_from(own, message, &spec) : NULL;
    if (status == PODIUM_OK && collection == NULL)
        return NULL;
    if (status == PODIUM_OK)
        status = text ? podium_aggregate_read(state, collection, bytes, n)
                      : podium_aggregate_decode(state, collection, (const unsigned char *)bytes, n);
    if (status == PODIUM_OK)
        return collection;
    wrong(message, status == PODIUM_ERROR_TEXT_MALFORMED ? "not a state as podium_aggregate or the program makes it"
                                                         : podium_status_message(status));
    return NULL;
}
