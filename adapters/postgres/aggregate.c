/*
 * Aggregate: the type podium_aggregate. Its text is the line that `podium aggregate` writes. Its bytes are those of
 * podium_aggregate_encode, and are stored and sent unchanged. An aggregate has only one encoding, so equal aggregates
 * have equal bytes, and the type uses the equality and the hashing of bytea.
 */
#include "adapter.h"

#include <lib/stringinfo.h>
#include <libpq/pqformat.h>
#include <utils/builtins.h>
#include <utils/memutils.h>

#include "../common/spec.h"

/* ---- Expanded and flat ---- */

static Size flat_size(ExpandedObjectHeader *header) {
    return VARHDRSZ + podium_aggregate_encode(&((expanded *)header)->aggregate, NULL, 0);
}

static void flatten_into(ExpandedObjectHeader *header, void *result, Size size) {
    SET_VARSIZE(result, size);
    podium_aggregate_encode(&((expanded *)header)->aggregate, (unsigned char *)VARDATA(result), size - VARHDRSZ);
}

static const ExpandedObjectMethods methods = {flat_size, flatten_into};

static expanded *expand(MemoryContext parent) {
    MemoryContext context = AllocSetContextCreate(parent, "podium_aggregate", ALLOCSET_START_SMALL_SIZES);
    expanded *e = MemoryContextAlloc(context, sizeof *e);
    EOH_init_header(&e->header, &methods, context);
    return e;
}

expanded *aggregate_new(MemoryContext parent, const podium_collection *collection) {
    expanded *e = expand(parent);
    podium_aggregate_init(collection, &e->aggregate);
    return e;
}

Datum aggregate_datum(expanded *e) {
    return EOHPGetRWDatum(&e->header);
}

/* Returns the collection of an aggregate in bytes or text. If there is none, it returns NULL, and the status says
   why. */
static const podium_collection *collection_of_aggregate(podium_status *status, const void *bytes, size_t n) {
    podium_spec spec;
    *status = podium_aggregate_peek(&spec, bytes, n);
    return *status == PODIUM_OK ? collection_of_spec(&spec) : NULL;
}

static void decode(podium_aggregate *aggregate, const char *bytes, size_t n) {
    podium_status status;
    const podium_collection *collection = collection_of_aggregate(&status, bytes, n);
    if (status == PODIUM_OK)
        status = podium_aggregate_decode(collection, aggregate, (const unsigned char *)bytes, n);
    if (status != PODIUM_OK)
        ereport(ERROR, errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
                errmsg("invalid bytes for type podium_aggregate: %s", podium_status_message(status)));
}

const podium_aggregate *aggregate_read(Datum datum, podium_aggregate *room) {
    if (VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(datum))) {
        ExpandedObjectHeader *header = DatumGetEOHP(datum);
        if (header->eoh_methods == &methods)
            return &((expanded *)header)->aggregate;
    }
    const struct varlena *flat = PG_DETOAST_DATUM_PACKED(datum);
    decode(room, VARDATA_ANY(flat), varlena_bytes(flat));
    return room;
}

expanded *aggregate_writable(Datum datum, MemoryContext parent) {
    if (VARATT_IS_EXTERNAL_EXPANDED_RW(DatumGetPointer(datum))) {
        ExpandedObjectHeader *header = DatumGetEOHP(datum);
        if (header->eoh_methods == &methods)
            return (expanded *)header;
    }
    podium_aggregate room;
    const podium_aggregate *from = aggregate_read(datum, &room);
    expanded *e = expand(parent);
    e->aggregate = *from;
    return e;
}

static Datum flat_datum(const podium_aggregate *aggregate) {
    struct varlena *flat = palloc(VARHDRSZ + PODIUM_AGGREGATE_BYTES_MAX);
    SET_VARSIZE(flat, VARHDRSZ + podium_aggregate_encode(aggregate, (unsigned char *)VARDATA(flat),
                                                         PODIUM_AGGREGATE_BYTES_MAX));
    return PointerGetDatum(flat);
}

/* ---- Text and bytes ---- */

PG_FUNCTION_INFO_V1(podium_sql_aggregate_in);
Datum podium_sql_aggregate_in(PG_FUNCTION_ARGS) {
    const char *text = PG_GETARG_CSTRING(0), *space = " \t\r\n";
    text += strspn(text, space);
    size_t n = strlen(text);
    while (n > 0 && strchr(space, text[n - 1]) != NULL)
        n--;
    podium_aggregate aggregate;
    podium_status status;
    const podium_collection *collection = collection_of_aggregate(&status, text, n);
    if (status == PODIUM_OK)
        status = podium_aggregate_parse(collection, &aggregate, text, n);
    if (status != PODIUM_OK)
        ereport(ERROR, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                errmsg("invalid text for type podium_aggregate: %s", podium_status_message(status)),
                errhint("An aggregate begins with \"%s\".", PODIUM_AGGREGATE_PREFIX));
    PG_RETURN_DATUM(flat_datum(&aggregate));
}

PG_FUNCTION_INFO_V1(podium_sql_aggregate_out);
Datum podium_sql_aggregate_out(PG_FUNCTION_ARGS) {
    podium_aggregate room;
    char *text = palloc(PODIUM_AGGREGATE_TEXT_MAX);
    podium_aggregate_format(aggregate_read(PG_GETARG_DATUM(0), &room), text, PODIUM_AGGREGATE_TEXT_MAX);
    PG_RETURN_CSTRING(text);
}

PG_FUNCTION_INFO_V1(podium_sql_aggregate_recv);
Datum podium_sql_aggregate_recv(PG_FUNCTION_ARGS) {
    StringInfo message = (StringInfo)PG_GETARG_POINTER(0);
    int n = message->len - message->cursor;
    podium_aggregate aggregate;
    decode(&aggregate, pq_getmsgbytes(message, n), (size_t)n);
    PG_RETURN_DATUM(flat_datum(&aggregate));
}

PG_FUNCTION_INFO_V1(podium_sql_aggregate_send);
Datum podium_sql_aggregate_send(PG_FUNCTION_ARGS) {
    PG_RETURN_BYTEA_P(PG_GETARG_BYTEA_P_COPY(0));
}

PG_FUNCTION_INFO_V1(podium_sql_aggregate_from_bytes);
Datum podium_sql_aggregate_from_bytes(PG_FUNCTION_ARGS) {
    const bytea *bytes = PG_GETARG_BYTEA_PP(0);
    podium_aggregate aggregate;
    decode(&aggregate, VARDATA_ANY(bytes), varlena_bytes(bytes));
    PG_RETURN_DATUM(flat_datum(&aggregate));
}

PG_FUNCTION_INFO_V1(podium_sql_aggregate_spec);
Datum podium_sql_aggregate_spec(PG_FUNCTION_ARGS) {
    podium_aggregate room;
    const podium_spec spec = podium_aggregate_spec(aggregate_read(PG_GETARG_DATUM(0), &room));
    char line[PODIUM_SPEC_TEXT_MAX];
    podium_spec_format(&spec, line, sizeof line);
    PG_RETURN_TEXT_P(cstring_to_text(line));
}

/* ---- Errors ---- */

static void complain_of_specs(const podium_spec *a, const podium_spec *b, const char *what) {
    char specs[SQL_MESSAGE_MAX];
    sql_specs_differ(specs, a, b);
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s have different specs, %s", what, specs));
}

void require_same(podium_status status, const podium_spec *a, const podium_spec *b, const char *what) {
    if (status == PODIUM_ERROR_FINGERPRINT_WRONG)
        complain_of_specs(a, b, what);
    if (status != PODIUM_OK)
        ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("%s: %s", what, podium_status_message(status)));
}

/* ---- Merging ---- */

static MemoryContext parent_of_result(FunctionCallInfo fcinfo) {
    MemoryContext context;
    return AggCheckCallContext(fcinfo, &context) == 0 ? CurrentMemoryContext : context;
}

/* Returns the first aggregate after the second has been merged into it or subtracted from it. */
static Datum changed(FunctionCallInfo fcinfo,
                     podium_status (*change)(podium_aggregate *aggregate, const podium_aggregate *other)) {
    podium_aggregate room;
    const podium_aggregate *other = aggregate_read(PG_GETARG_DATUM(1), &room);
    expanded *e = aggregate_writable(PG_GETARG_DATUM(0), parent_of_result(fcinfo));
    const podium_spec a = podium_aggregate_spec(&e->aggregate), b = podium_aggregate_spec(other);
    require_same(change(&e->aggregate, other), &a, &b, "podium: aggregates");
    return aggregate_datum(e);
}

/* The transition function of podium_merge, and the combine function of all aggregate functions */
PG_FUNCTION_INFO_V1(podium_sql_merge);
Datum podium_sql_merge(PG_FUNCTION_ARGS) {
    return changed(fcinfo, podium_aggregate_merge);
}

/* A plain function of two aggregates, in which NULL stands for the aggregate of no reports */
PG_FUNCTION_INFO_V1(podium_sql_merge_two);
Datum podium_sql_merge_two(PG_FUNCTION_ARGS) {
    if (PG_ARGISNULL(0) && PG_ARGISNULL(1))
        PG_RETURN_NULL();
    if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
        PG_RETURN_DATUM(PG_GETARG_DATUM(PG_ARGISNULL(0) ? 1 : 0));
    return podium_sql_merge(fcinfo);
}

/* Subtracts an aggregate that leaves the frame of a window. */
static podium_status subtract(podium_aggregate *aggregate, const podium_aggregate *other) {
    const podium_spec spec = podium_aggregate_spec(other);
    return podium_aggregate_subtract(collection_of_spec(&spec), aggregate, other);
}

PG_FUNCTION_INFO_V1(podium_sql_subtract);
Datum podium_sql_subtract(PG_FUNCTION_ARGS) {
    return changed(fcinfo, subtract);
}
