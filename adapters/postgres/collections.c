/*
 * Collections: from the arguments of a call to a collection that is ready. Those in use are kept for the life of the
 * backend: a single INSERT should not take the milliseconds, with Minimax tens of them, that making one takes. Nothing
 * in a collection is secret.
 */
#include "adapter.h"

#include <lib/stringinfo.h>
#include <libpq/pqformat.h>
#include <utils/builtins.h>
#include <utils/memutils.h>

#include "../common/spec.h"

/* ---- Those kept ---- */

#define KEPT_MAX 64 /* some 3 KB each; more parameters than that in one query, in turn, take longer */

static podium_collection *kept[KEPT_MAX];
static int kept_count, next_out;

/* The arguments of the call before this one, most often those of this one too, and their collection */
#define MECHANISM_MAX 64 /* longer than any that is right */
static struct {
    double min, max, epsilon;
    size_t n; /* bytes of the mechanism; 0 where there is no such argument */
    char mechanism[MECHANISM_MAX];
    const podium_collection *collection; /* NULL: none */
} last;

static const podium_collection *keep(const podium_collection *made) {
    int place = kept_count < KEPT_MAX ? kept_count : next_out;
    if (kept_count < KEPT_MAX) {
        kept[place] = MemoryContextAlloc(TopMemoryContext, sizeof **kept);
        kept_count++;
    } else {
        next_out = (next_out + 1) % KEPT_MAX;
        last.collection = NULL;
    }
    *kept[place] = *made;
    return kept[place];
}

const podium_collection *collection_of_spec(const podium_spec *spec) {
    for (int i = 0; i < kept_count; i++)
        if (sql_same_spec(&kept[i]->spec, spec))
            return kept[i];
    podium_collection made;
    podium_status status = podium_collection_init(&made, spec);
    if (status != PODIUM_OK)
        ereport(ERROR,
                errcode(status == PODIUM_ERROR_OUT_OF_MEMORY ? ERRCODE_OUT_OF_MEMORY : ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("podium: %s", podium_status_message(status)));
    return keep(&made);
}

/* ---- Specs, and the type podium_mechanism ---- */

/* A message may quote half a character of a mechanism's name, which no encoding has. */
static const char *ascii_only(char *message) {
    for (char *c = message; *c != '\0'; c++)
        if (IS_HIGHBIT_SET(*c))
            *c = '?';
    return message;
}

static podium_spec spec_of(double min, double max, double epsilon, const char *mechanism, size_t n) {
    podium_spec spec;
    char message[SQL_MESSAGE_MAX];
    if (!sql_spec(&spec, message, min, max, epsilon, mechanism, n))
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("podium: %s", ascii_only(message)));
    return spec;
}

/*
 * A text that names a mechanism. It is a type of its own because text has a collation, and postgres_fdw ships no call
 * that a collation might touch: an aggregate with a mechanism would pull all rows.
 */
static Datum mechanism_datum(const char *mechanism, size_t n) {
    spec_of(0, 1, 1, mechanism, n);
    return PointerGetDatum(cstring_to_text_with_len(mechanism, (int)n));
}

PG_FUNCTION_INFO_V1(podium_sql_mechanism_in);
Datum podium_sql_mechanism_in(PG_FUNCTION_ARGS) {
    const char *mechanism = PG_GETARG_CSTRING(0);
    return mechanism_datum(mechanism, strlen(mechanism));
}

PG_FUNCTION_INFO_V1(podium_sql_mechanism_recv);
Datum podium_sql_mechanism_recv(PG_FUNCTION_ARGS) {
    StringInfo message = (StringInfo)PG_GETARG_POINTER(0);
    int n;
    const char *mechanism = pq_getmsgtext(message, message->len - message->cursor, &n);
    return mechanism_datum(mechanism, (size_t)n);
}

/* ---- From arguments ---- */

static void complain_of_null(FunctionCallInfo fcinfo, int first) {
    static const char *const names[] = {"min", "max", "epsilon", "mechanism"};
    int i = first;
    while (!PG_ARGISNULL(i))
        i++;
    ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("podium: %s must not be null", names[i - first]));
}

static const podium_collection *collection_anew(double min, double max, double epsilon, const char *mechanism,
                                                size_t n) {
    podium_spec spec = spec_of(min, max, epsilon, mechanism, n);
    const podium_collection *collection = collection_of_spec(&spec);
    if (n > MECHANISM_MAX)
        return collection;
    last.min = min;
    last.max = max;
    last.epsilon = epsilon;
    last.n = n;
    memcpy(last.mechanism, mechanism == NULL ? "" : mechanism, n);
    last.collection = collection;
    return collection;
}

/* This runs for every report: the usual way through it is short. */
const podium_collection *collection_of_arguments(FunctionCallInfo fcinfo, int first) {
    bool more = PG_NARGS() > first + 3;
    if (PG_ARGISNULL(first) || PG_ARGISNULL(first + 1) || PG_ARGISNULL(first + 2) || (more && PG_ARGISNULL(first + 3)))
        complain_of_null(fcinfo, first);
    double min = PG_GETARG_FLOAT8(first), max = PG_GETARG_FLOAT8(first + 1), epsilon = PG_GETARG_FLOAT8(first + 2);
    const text *given = more ? PG_GETARG_TEXT_PP(first + 3) : NULL;
    const char *mechanism = more ? VARDATA_ANY(given) : NULL;
    size_t n = more ? varlena_bytes(given) : 0; /* no mechanism has an empty name */
    if (last.collection != NULL && min == last.min && max == last.max && epsilon == last.epsilon && n == last.n &&
        (n == 0 || memcmp(last.mechanism, mechanism, n) == 0))
        return last.collection;
    return collection_anew(min, max, epsilon, mechanism, n);
}
