/*
 * Collections: finds or makes the collection that the arguments of a call describe. Collections are kept for the life
 * of the backend, because making one can take tens of milliseconds, which a single INSERT should not take. Nothing in a
 * collection is secret.
 */
#include "adapter.h"

#include <lib/stringinfo.h>
#include <libpq/pqformat.h>
#include <utils/builtins.h>
#include <utils/memutils.h>

#include "../common/spec.h"

/* ---- The cache ---- */

#define KEPT_MAX 64 /* 4 KB each; a query that alternates between more of them takes longer */

static podium_collection *kept[KEPT_MAX];
static podium_spec specs[KEPT_MAX]; /* their specs */
static int kept_count, next_out;

/* The arguments of the last call, which are usually those of the next one too, and their collection */
static sql_memo last;
static const podium_collection *last_collection;

static const podium_collection *keep(const podium_collection *made) {
    int place = kept_count < KEPT_MAX ? kept_count : next_out;
    if (kept_count < KEPT_MAX) {
        kept[place] = MemoryContextAlloc(TopMemoryContext, sizeof **kept);
        kept_count++;
    } else {
        next_out = (next_out + 1) % KEPT_MAX;
        last.is_kept = false;
    }
    *kept[place] = *made;
    specs[place] = podium_collection_spec(made);
    return kept[place];
}

const podium_collection *collection_of_spec(const podium_spec *spec) {
    for (int i = 0; i < kept_count; i++)
        if (podium_spec_equal(&specs[i], spec))
            return kept[i];
    podium_collection made;
    podium_status status = podium_collection_init(&made, spec);
    if (status != PODIUM_OK)
        ereport(ERROR,
                errcode(status == PODIUM_ERROR_OUT_OF_MEMORY ? ERRCODE_OUT_OF_MEMORY : ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("podium: %s", podium_status_message(status)));
    return keep(&made);
}

/* ---- Specs, and the types podium_spec and podium_mechanism ---- */

/* Replaces bytes that are not ASCII, because a message may quote half a character, which is invalid in every
   encoding. */
static const char *ascii_only(char *message) {
    for (char *c = message; *c != '\0'; c++)
        if (IS_HIGHBIT_SET(*c))
            *c = '?';
    return message;
}

static podium_spec spec_of(const sql_arguments *arguments) {
    podium_spec spec;
    char message[SQL_MESSAGE_MAX];
    if (!sql_spec(&spec, message, arguments))
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("podium: %s", ascii_only(message)));
    return spec;
}

/*
 * Texts that are checked when they are read: a spec, which is stored as its canonical line, and the name of a
 * mechanism. They are types of their own because text has a collation, and postgres_fdw does not ship a call that may
 * depend on a collation. It would fetch all rows for such an aggregate.
 */
static Datum spec_checked(const char *text, size_t n) {
    static sql_memo before; /* a spec in a column of type text is read again in every row */
    static char line[PODIUM_SPEC_TEXT_MAX];
    const sql_arguments arguments = {.is_line = true, .text = text, .n = n};
    if (!sql_memo_has(&before, &arguments)) {
        const podium_spec spec = spec_of(&arguments);
        podium_spec_format(&spec, line, sizeof line);
        sql_memo_keep(&before, &arguments);
    }
    return PointerGetDatum(cstring_to_text(line));
}

static Datum mechanism_checked(const char *mechanism, size_t n) {
    spec_of(&(sql_arguments){.text = mechanism, .n = n});
    return PointerGetDatum(cstring_to_text_with_len(mechanism, (int)n));
}

static Datum checked_in(FunctionCallInfo fcinfo, Datum (*check)(const char *text, size_t n)) {
    const char *text = PG_GETARG_CSTRING(0);
    return check(text, strlen(text));
}

static Datum checked_recv(FunctionCallInfo fcinfo, Datum (*check)(const char *text, size_t n)) {
    StringInfo message = (StringInfo)PG_GETARG_POINTER(0);
    int n;
    const char *text = pq_getmsgtext(message, message->len - message->cursor, &n);
    return check(text, (size_t)n);
}

PG_FUNCTION_INFO_V1(podium_sql_spec_in);
Datum podium_sql_spec_in(PG_FUNCTION_ARGS) {
    return checked_in(fcinfo, spec_checked);
}

PG_FUNCTION_INFO_V1(podium_sql_spec_recv);
Datum podium_sql_spec_recv(PG_FUNCTION_ARGS) {
    return checked_recv(fcinfo, spec_checked);
}

PG_FUNCTION_INFO_V1(podium_sql_mechanism_in);
Datum podium_sql_mechanism_in(PG_FUNCTION_ARGS) {
    return checked_in(fcinfo, mechanism_checked);
}

PG_FUNCTION_INFO_V1(podium_sql_mechanism_recv);
Datum podium_sql_mechanism_recv(PG_FUNCTION_ARGS) {
    return checked_recv(fcinfo, mechanism_checked);
}

/* ---- From arguments ---- */

static bool is_line(FunctionCallInfo fcinfo, int first) {
    return PG_NARGS() == first + 1;
}

static void complain_of_null(FunctionCallInfo fcinfo, int first) {
    static const char *const names[] = {"min", "max", "epsilon", "mechanism"};
    int i = first;
    while (!PG_ARGISNULL(i))
        i++;
    ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
            errmsg("podium: %s must not be null", is_line(fcinfo, first) ? "spec" : names[i - first]));
}

static void set_text(sql_arguments *arguments, const text *given) {
    arguments->text = VARDATA_ANY(given);
    arguments->n = varlena_bytes(given);
}

static sql_arguments arguments_of(FunctionCallInfo fcinfo, int first) {
    sql_arguments a = {.is_line = is_line(fcinfo, first)};
    for (int i = first; i < PG_NARGS(); i++)
        if (PG_ARGISNULL(i))
            complain_of_null(fcinfo, first);
    if (!a.is_line) {
        a.min = PG_GETARG_FLOAT8(first);
        a.max = PG_GETARG_FLOAT8(first + 1);
        a.epsilon = PG_GETARG_FLOAT8(first + 2);
    }
    int last_argument = PG_NARGS() - 1;
    if (a.is_line || last_argument == first + 3)
        set_text(&a, PG_GETARG_TEXT_PP(last_argument));
    return a;
}

/* This runs for every report, so the usual path is short. */
const podium_collection *collection_of_arguments(FunctionCallInfo fcinfo, int first) {
    const sql_arguments arguments = arguments_of(fcinfo, first);
    if (sql_memo_has(&last, &arguments))
        return last_collection;
    const podium_spec spec = spec_of(&arguments);
    last_collection = collection_of_spec(&spec);
    sql_memo_keep(&last, &arguments);
    return last_collection;
}
