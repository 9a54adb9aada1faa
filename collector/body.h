/* Bodies: the bytes that a client sends, turned into reports. Nothing here knows of HTTP, so that it can be fuzzed. */
#ifndef PODIUM_COLLECTOR_BODY_H
#define PODIUM_COLLECTOR_BODY_H

#include "labels.h"

#include <podium_analysis.h>

typedef enum {
    BODY_JSON,   /* {"reports": [34.2, -11.9]} or {"codes": [17, 201]}, with "fingerprint", "labels" and "atomic" */
    BODY_NDJSON, /* a line for each report: a number, {"report": 34.2} or {"code": 17} */
    BODY_CODES,  /* podium_code_bytes for each report */
    BODY_FORMATS
} body_format;

typedef enum {
    BODY_TAKEN,
    BODY_MALFORMED,
    BODY_TOO_LARGE,
    BODY_TOO_MANY,
    BODY_FINGERPRINT_WRONG,
    BODY_LABEL_WRONG,
    BODY_OUT_OF_MEMORY
} body_status;

/* What a body is read for */
typedef struct {
    const podium_collection *collection;
    const labels *labels;
    size_t reports_max; /* in one batch */
} body_rules;

enum { FINGERPRINT_TEXT_MAX = 17, BODY_DETAIL_MAX = 256 };

/* Reports that came together, and are counted together. All zeros is an empty batch. */
typedef struct {
    double *reports; /* NaN for what is not a number, so that the aggregate refuses it and counts it */
    size_t reports_n;
    uint32_t *cells;
    size_t cells_n;
    size_t not_numbers; /* how many of the reports are NaN because they were no numbers */
    label_set labels;
    bool atomic;                                  /* take all of it or nothing */
    char given_fingerprint[FINGERPRINT_TEXT_MAX]; /* "" if none was; kept for the error */
    char detail[BODY_DETAIL_MAX];                 /* what is wrong, for people; never a report */
} batch;

/* Reads the reports of n bytes into the batch, whose labels, atomic and fingerprint may be set already. The batch is
   the caller's to free, whatever is returned. */
body_status body_read(const body_rules *rules, body_format format, batch *b, const char *bytes, size_t n);
void batch_free(batch *b);

/* Compares a fingerprint in hexadecimal with the collection's, and keeps it in the batch. */
body_status batch_set_fingerprint(const body_rules *rules, batch *b, const char *fingerprint);
body_status batch_set_label(const body_rules *rules, batch *b, const char *name, const char *value);

/* Adds the batch to the aggregate. Fails as podium_aggregate_add does, with nothing added. */
podium_status batch_add_to(const podium_collection *collection, podium_aggregate *aggregate, const batch *b);

/* Decompresses n bytes of gzip to at most `most` bytes, which the caller frees. */
body_status body_gunzip(char **plain, size_t *plain_n, const char *bytes, size_t n, size_t most);

#endif
