/*
 * Adapter: what the files of the PostgreSQL extension share. Like the program, it uses only the public headers and
 * contains no statistics of its own. It converts types, and turns statuses into errors.
 */
#ifndef PODIUM_POSTGRES_ADAPTER_H
#define PODIUM_POSTGRES_ADAPTER_H

#include <postgres.h>
#include <fmgr.h>
#include <utils/expandeddatum.h>
#if PG_VERSION_NUM >= 160000
#include <varatt.h> /* earlier versions have it in postgres.h */
#endif

#include <podium_analysis.h>

/* The number of bytes in a detoasted value, whose header is short or long. VARSIZE_ANY_EXHDR also handles values
   that are stored elsewhere, and since PostgreSQL 16 it mixes signed and unsigned sizes. */
static inline size_t varlena_bytes(const void *value) {
    return VARATT_IS_SHORT(value) ? VARSIZE_SHORT(value) - VARHDRSZ_SHORT : VARSIZE(value) - VARHDRSZ;
}

/* ---- Collections: made once in each backend, because that takes up to tens of milliseconds ---- */

/*
 * Both return a collection that is valid until the next call of either, and raise an error that says what is wrong if
 * there is no such collection.
 *
 * The first reads it from the arguments of the function from number first on: a podium_spec; or min, max and epsilon;
 * or these and a podium_mechanism. None may be NULL.
 */
const podium_collection *collection_of_arguments(FunctionCallInfo fcinfo, int first);
const podium_collection *collection_of_spec(const podium_spec *spec);

/* ---- Aggregates: values of the type podium_aggregate ---- */

/*
 * A flat aggregate, as it is stored and sent, is a varlena that contains the bytes of podium_aggregate_encode and
 * nothing else. While an aggregate function runs, the aggregate is expanded, so that adding a report does not encode
 * and decode it.
 */
typedef struct expanded {
    ExpandedObjectHeader header;
    podium_aggregate aggregate;
} expanded;

/* Returns a new expanded aggregate of no reports, in a memory context of its own below parent. */
expanded *aggregate_new(MemoryContext parent, const podium_collection *collection);

/* Returns the aggregate in a datum for reading only. It is either in the datum itself, or decoded into room. */
const podium_aggregate *aggregate_read(Datum datum, podium_aggregate *room);

/* Returns the aggregate for changing. It is the datum itself if that may be changed, otherwise a copy below parent. */
expanded *aggregate_writable(Datum datum, MemoryContext parent);

Datum aggregate_datum(expanded *e);

/* Raises an error unless the status is PODIUM_OK. If two collections differ, the message has both specs; what names
   the things that differ, such as "podium: aggregates". */
void require_same(podium_status status, const podium_spec *a, const podium_spec *b, const char *what);

#endif
