/*
 * Adapter: what the files of the PostgreSQL extension share. Like the program it stands on podium.h alone, and has no
 * statistics of its own: it converts types and turns statuses into errors.
 */
#ifndef PODIUM_POSTGRES_ADAPTER_H
#define PODIUM_POSTGRES_ADAPTER_H

#include <postgres.h>
#include <fmgr.h>
#include <utils/expandeddatum.h>
#if PG_VERSION_NUM >= 160000
#include <varatt.h> /* before, postgres.h had it */
#endif

#include <podium.h>

/* Bytes of a value that has been fetched and unpacked: its header is short or long. VARSIZE_ANY_EXHDR also handles
   values that are stored elsewhere, and since PostgreSQL 16 mixes signed and unsigned sizes in doing so. */
static inline size_t varlena_bytes(const void *value) {
    return VARATT_IS_SHORT(value) ? VARSIZE_SHORT(value) - VARHDRSZ_SHORT : VARSIZE(value) - VARHDRSZ;
}

/* ---- Collections: made once a backend, for they take up to tens of milliseconds ---- */

/*
 * Both are good until the next call of either; what no collection can have is an error that says what it is.
 *
 * Of the arguments min, max, epsilon and, where the function has one more, mechanism. None may be NULL.
 */
const podium_collection *collection_of_arguments(FunctionCallInfo fcinfo, int first);
const podium_collection *collection_of_spec(const podium_spec *spec);

/* ---- States: values of the type podium_state ---- */

/*
 * A flat state, as it is stored and shipped, is a varlena that holds podium_aggregate_encode's bytes and nothing else.
 * While an aggregate runs, the state is expanded: adding a report then costs no more than that.
 */
typedef struct state {
    ExpandedObjectHeader header;
    podium_aggregate aggregate;
} state;

/* A new expanded state, without reports, that lives in a context of its own below parent */
state *state_new(MemoryContext parent, const podium_collection *collection);

/* The aggregate in a state, of which nothing may be changed: it may be the state itself, or else is put into room. */
const podium_aggregate *state_read(Datum datum, podium_aggregate *room);

/* The state as one that may be changed: itself if the datum says that it may be, else a copy below parent */
state *state_writable(Datum datum, MemoryContext parent);

Datum state_datum(state *s);

/* Does nothing if the status is PODIUM_OK. Else it is an error, which for two things of different collections tells in
   which parameter they differ: what is "podium: states", say. */
void require_same(podium_status status, const podium_spec *a, const podium_spec *b, const char *what);

#endif
