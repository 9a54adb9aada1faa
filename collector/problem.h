/* Problems: everything that can be wrong with a request, as RFC 9457 describes it (application/problem+json). */
#ifndef PODIUM_COLLECTOR_PROBLEM_H
#define PODIUM_COLLECTOR_PROBLEM_H

#include "text.h"

typedef enum {
    PROBLEM_NOT_FOUND,
    PROBLEM_METHOD_WRONG,
    PROBLEM_TOKEN_MISSING,
    PROBLEM_TOKEN_UNKNOWN,
    PROBLEM_TOKEN_WRONG,
    PROBLEM_ORIGIN_WRONG,
    PROBLEM_HOST_WRONG,
    PROBLEM_QUERY_WRONG,
    PROBLEM_BODY_WRONG,
    PROBLEM_FORMAT_UNKNOWN,
    PROBLEM_BODY_TOO_LARGE,
    PROBLEM_TOO_MANY_REPORTS,
    PROBLEM_FINGERPRINT_WRONG,
    PROBLEM_LABEL_WRONG,
    PROBLEM_KEY_WRONG,
    PROBLEM_KEY_REUSED,
    PROBLEM_REPORTS_REFUSED,
    PROBLEM_AGGREGATE_FULL,
    PROBLEM_NOT_REPORTS,
    PROBLEM_MEAN_ONLY,
    PROBLEM_TOO_MANY_REQUESTS,
    PROBLEM_KEYS_FULL,
    PROBLEM_BUSY,
    PROBLEM_STORE_AWAY,
    PROBLEM_OUTCOME_UNKNOWN,
    PROBLEMS
} problem_kind;

/* As the type of the problem ends */
const char *problem_name(problem_kind kind);
unsigned problem_status(problem_kind kind);
/* After how many seconds it is worth while to try again; 0 if it is not, unless something is changed. */
unsigned problem_retry_after(problem_kind kind);
/* Writes the problem as a JSON object. more is further members, each after ", ", or "". */
void problem_print(text *t, problem_kind kind, const char *detail, const char *more);

#endif
