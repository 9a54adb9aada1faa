/* Arguments: converts SQL values into numbers, specs, aggregates and collections. */
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

static bool text_from(sql_arguments *arguments, char message[SQL_MESSAGE_MAX], sqlite3_value *value, const char *name) {
    if (sqlite3_value_type(value) != SQLITE_TEXT) {
        snprintf(message, SQL_MESSAGE_MAX, "%s must be text, and is %s", name, type_of(value));
        return false;
    }
    arguments->text = (const char *)sqlite3_value_text(value);
    arguments->n = (size_t)sqlite3_value_bytes(value);
    return arguments->text != NULL || wrong(message, podium_status_message(PODIUM_ERROR_OUT_OF_MEMORY));
}

bool arguments_from(sql_arguments *arguments, char message[SQL_MESSAGE_MAX], int count, sqlite3_value **values) {
    *arguments = (sql_arguments){.is_line = count == 1};
    if (arguments->is_line)
        return text_from(arguments, message, values[0], "spec");
    return number_from(&arguments->min, message, values[0], "min") &&
           number_from(&arguments->max, message, values[1], "max") &&
           number_from(&arguments->epsilon, message, values[2], "epsilon") &&
           (count == 3 || is_null(values[3]) || text_from(arguments, message, values[3], "mechanism"));
}

const podium_collection *collection_from(connection *own, char message[SQL_MESSAGE_MAX], const podium_spec *spec) {
    for (unsigned i = 0; i < own->kept; i++)
        if (podium_spec_equal(&own->specs[i], spec))
            return &own->collections[i];
    podium_collection *oldest = &own->collections[own->next];
    own->specs[own->next] = (podium_spec){.epsilon = 0}; /* which no valid spec equals */
    own->memo.is_kept = false;
    podium_status status = podium_collection_init(oldest, spec);
    if (status != PODIUM_OK) {
        wrong(message, podium_status_message(status));
        return NULL;
    }
    own->specs[own->next] = *spec;
    own->next = (own->next + 1) % COLLECTIONS_KEPT;
    own->kept += own->kept < COLLECTIONS_KEPT;
    return oldest;
}

const podium_collection *collection_from_arguments(connection *own, char message[SQL_MESSAGE_MAX],
                                                   const sql_arguments *arguments) {
    podium_spec spec;
    if (sql_memo_has(&own->memo, arguments))
        return own->memo_collection;
    if (!sql_spec(&spec, message, arguments))
        return NULL;
    const podium_collection *collection = collection_from(own, message, &spec);
    if (collection != NULL) {
        sql_memo_keep(&own->memo, arguments);
        own->memo_collection = collection;
    }
    return collection;
}

podium_status channel_from(connection *own, const podium_channel **channel, const podium_collection *collection) {
    if (own->channel == NULL || own->channel_fingerprint != podium_collection_fingerprint(collection)) {
        podium_channel *made;
        podium_status status = podium_channel_make(collection, &made);
        if (status != PODIUM_OK)
            return status;
        podium_channel_free(own->channel);
        own->channel = made;
        own->channel_fingerprint = podium_collection_fingerprint(collection);
    }
    *channel = own->channel;
    return PODIUM_OK;
}

static bool is_text(const char *bytes, size_t n) {
    const size_t prefix = sizeof PODIUM_AGGREGATE_PREFIX - 1;
    return n >= prefix && memcmp(bytes, PODIUM_AGGREGATE_PREFIX, prefix) == 0;
}

const podium_collection *aggregate_from(podium_aggregate *aggregate, connection *own, char message[SQL_MESSAGE_MAX],
                                        sqlite3_value *value) {
    int type = sqlite3_value_type(value);
    if (type != SQLITE_BLOB && type != SQLITE_TEXT) {
        snprintf(message, SQL_MESSAGE_MAX, "aggregate must be a blob or text, and is %s", type_of(value));
        return NULL;
    }
    const char *bytes = type == SQLITE_TEXT ? (const char *)sqlite3_value_text(value) : sqlite3_value_blob(value);
    size_t n = bytes == NULL ? 0 : (size_t)sqlite3_value_bytes(value);
    const bool text = bytes != NULL && is_text(bytes, n);
    n -= text && bytes[n - 1] == '\n'; /* the newline at the end of a file */
    podium_spec spec;
    podium_status status = podium_aggregate_peek(&spec, bytes, n);
    const podium_collection *collection = status == PODIUM_OK ? collection_from(own, message, &spec) : NULL;
    if (status == PODIUM_OK && collection == NULL)
        return NULL;
    if (status == PODIUM_OK)
        status = text ? podium_aggregate_parse(collection, aggregate, bytes, n)
                      : podium_aggregate_decode(collection, aggregate, (const unsigned char *)bytes, n);
    if (status == PODIUM_OK)
        return collection;
    wrong(message, status == PODIUM_ERROR_TEXT_MALFORMED
                       ? "not an aggregate as podium_aggregate or the program makes it"
                       : podium_status_message(status));
    return NULL;
}
