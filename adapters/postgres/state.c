/*
 * State: the type podium_state. Its text is the line that `podium aggregate` writes, its bytes are those of
 * podium_aggregate_encode, stored and sent as they are. There is one encoding of an aggregate, so equal states are
 * equal bytes: the type borrows equality and hashing from bytea.
 */
#include "adapter.h"

#include <lib/stringinfo.h>
#include <libpq/pqformat.h>
#include <utils/float.h>
#include <utils/memutils.h>

/* ---- Expanded and flat ---- */

static Size flat_size(ExpandedObjectHeader *header) {
    unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX];
    return VARHDRSZ + podium_aggregate_encode(&((state *)header)->aggregate, bytes);
}

static void flatten_into(ExpandedObjectHeader *header, void *result, Size size) {
    SET_VARSIZE(result, size);
    podium_aggregate_encode(&((state *)header)->aggregate, (unsigned char *)VARDATA(result));
}

static const ExpandedObjectMethods methods = {flat_size, flatten_into};

static state *expand(MemoryContext parent) {
    MemoryContext context = AllocSetContextCreate(parent, "podium_state", ALLOCSET_START_SMALL_SIZES);
    state *s = MemoryContextAlloc(context, sizeof *s);
    EOH_init_header(&s->header, &methods, context);
    return s;
}

state *state_new(MemoryContext parent, const podium_collection *collection) {
    state *s = expand(parent);
    podium_aggregate_init(&s->aggregate, collection);
    return s;
}

Datum state_datum(state *s) {
    return EOHPGetRWDatum(&s->header);
}

/* The collection of a state in bytes or text; where it has none, the status says why. */
static const podium_collection *collection_of_state(podium_status *status, const void *bytes, size_t n) {
    podium_spec spec;
    *status = podium_aggregate_spec(&spec, bytes, n);
    return *status == PODIUM_OK ? collection_of_spec(&spec) : NULL;
}

static void decode(podium_aggregate *aggregate, const char *bytes, size_t n) {
    podium_status status;
    const podium_collection *collection = collection_of_state(&status, bytes, n);
    if (status == PODIUM_OK)
        status = podium_aggregate_decode(aggregate, collection, (const unsigned char *)bytes, n);
    if (status != PODIUM_OK)
        ereport(ERROR, errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
                errmsg("invalid bytes for type podium_state: %s", podium_status_message(status)));
}

const podium_aggregate *state_read(Datum datum, podium_aggregate *room) {
    if (VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(datum))) {
        ExpandedObjectHeader *header = DatumGetEOHP(datum);
        if (header->eoh_methods == &methods)
            return &((state *)header)->aggregate;
    }
    const struct varlena *flat = PG_DETOAST_DATUM_PACKED(datum);
    decode(room, VARDATA_ANY(flat), varlena_bytes(flat));
    return room;
}

state *state_writable(Datum datum, MemoryContext parent) {
    if (VARATT_IS_EXTERNAL_EXPANDED_RW(DatumGetPointer(datum))) {
        ExpandedObjectHeader *header = DatumGetEOHP(datum);
        if (header->eoh_methods == &methods)
            return (state *)header;
    }
    podium_aggregate room;
    const podium_aggregate *from = state_read(datum, &room);
    state *s = expand(parent);
    s->aggregate = *from;
    return s;
}

static Datum flat_datum(const podium_aggregate *aggregate) {
    struct varlena *flat = palloc(VARHDRSZ + PODIUM_AGGREGATE_BYTES_MAX);
    SET_VARSIZE(flat, VARHDRSZ + podium_aggregate_encode(aggregate, (unsigned char *)VARDATA(flat)));
    return PointerGetDatum(flat);
}

/* ---- Text and bytes ---- */

PG_FUNCTION_INFO_V1(podium_sql_state_in);
Datum podium_sql_state_in(PG_FUNCTION_ARGS) {
    const char *text = PG_GETARG_CSTRING(0), *space = " \t\r\n";
    text += strspn(text, space);
    size_t n = strlen(text);
    while (n > 0 && strchr(space, text[n - 1]) != NULL)
        n--;
    podium_aggregate aggregate;
    podium_status status;
    const podium_collection *collection = collection_of_state(&status, text, n);
    if (status == PODIUM_OK)
        status = podium_aggregate_read(&aggregate, collection, text, n);
    if (status != PODIUM_OK)
        ereport(ERROR, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                errmsg("invalid text for type podium_state: %s", podium_status_message(status)),
                errhint("A state begins with \"%s\".", PODIUM_AGGREGATE_PREFIX));
    PG_RETURN_DATUM(flat_datum(&aggregate));
}

PG_FUNCTION_INFO_V1(podium_sql_state_out);
Datum podium_sql_state_out(PG_FUNCTION_ARGS) {
    podium_aggregate room;
    char *text = palloc(PODIUM_AGGREGATE_TEXT_MAX);
    podium_aggregate_write(state_read(PG_GETARG_DATUM(0), &room), text);
    PG_RETURN_CSTRING(text);
}

PG_FUNCTION_INFO_V1(podium_sql_state_recv);
Datum podium_sql_state_recv(PG_FUNCTION_ARGS) {
    StringInfo message = (StringInfo)PG_GETARG_POINTER(0);
    int n = message->len - message->cursor;
    podium_aggregate aggregate;
    decode(&aggregate, pq_getmsgbytes(message, n), (size_t)n);
    PG_RETURN_DATUM(flat_datum(&aggregate));
}

PG_FUNCTION_INFO_V1(podium_sql_state_send);
Datum podium_sql_state_send(PG_FUNCTION_ARGS) {
    PG_RETURN_BYTEA_P(PG_GETARG_BYTEA_P_COPY(0));
}

PG_FUNCTION_INFO_V1(podium_sql_state_from_bytes);
Datum podium_sql_state_from_bytes(PG_FUNCTION_ARGS) {
    const bytea *bytes = PG_GETARG_BYTEA_PP(0);
    podium_aggregate aggregate;
    decode(&aggregate, VARDATA_ANY(bytes), varlena_bytes(bytes));
    PG_RETURN_DATUM(flat_datum(&aggregate));
}

/* ---- Errors ---- */

static int differs(const char *what, const char *parameter, double a, double b) {
    return errmsg("%s differ in %s: %s and %s", what, parameter, float8out_internal(a), float8out_internal(b));
}

static int difference(const podium_spec *a, const podium_spec *b, const char *what) {
    if (a->mechanism != b->mechanism)
        return errmsg("%s differ in mechanism: %s and %s", what, podium_mechanism_name(a->mechanism),
                      podium_mechanism_name(b->mechanism));
    if (a->min != b->min)
        return differs(what, "min", a->min, b->min);
    if (a->max != b->max)
        return differs(what, "max", a->max, b->max);
    if (a->epsilon != b->epsilon)
        return differs(what, "epsilon", a->epsilon, b->epsilon);
    if (a->spread != b->spread)
        return differs(what, "the mechanism's spread", a->spread, b->spread);
    if (a->cells != b->cells)
        return differs(what, "the mechanism's cells", a->cells, b->cells);
    return errmsg("%s differ: they were made by different versions of Podium", what);
}

void require_same(podium_status status, const podium_spec *a, const podium_spec *b, const char *what) {
    if (status == PODIUM_ERROR_FINGERPRINT_WRONG)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), difference(a, b, what));
    if (status != PODIUM_OK)
        ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("%s: %s", what, podium_status_message(status)));
}

/* ---- Merging ---- */

static MemoryContext parent_of_result(FunctionCallInfo fcinfo) {
    MemoryContext context;
    return AggCheckCallContext(fcinfo, &context) == 0 ? CurrentMemoryContext : context;
}

/* The first state, changed by the second */
static Datum changed(FunctionCallInfo fcinfo,
                     podium_status (*change)(podium_aggregate *aggregate, const podium_aggregate *other)) {
    podium_aggregate room;
    const podium_aggregate *other = state_read(PG_GETARG_DATUM(1), &room);
    state *s = state_writable(PG_GETARG_DATUM(0), parent_of_result(fcinfo));
    require_same(change(&s->aggregate, other), &s->aggregate.spec, &other->spec, "podium: states");
    return state_datum(s);
}

/* Transition and combine function of podium_merge, and combine function of all */
PG_FUNCTION_INFO_V1(podium_sql_merge);
Datum podium_sql_merge(PG_FUNCTION_ARGS) {
    return changed(fcinfo, podium_aggregate_merge);
}

/* A plain function of two states, of which NULL is that of no reports */
PG_FUNCTION_INFO_V1(podium_sql_merge_two);
Datum podium_sql_merge_two(PG_FUNCTION_ARGS) {
    if (PG_ARGISNULL(0) && PG_ARGISNULL(1))
        PG_RETURN_NULL();
    if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
        PG_RETURN_DATUM(PG_GETARG_DATUM(PG_ARGISNULL(0) ? 1 : 0));
    return podium_sql_merge(fcinfo);
}

/* The first state without the second, which leaves a window's frame */
static podium_status subtract(podium_aggregate *aggregate, const podium_aggregate *other) {
    return podium_aggregate_subtract(aggregate, collection_of_spec(&other->spec), other);
}

PG_FUNCTION_INFO_V1(podium_sql_unmerge);
Datum podium_sql_unmerge(PG_FUNCTION_ARGS) {
    return changed(fcinfo, subtract);
}
