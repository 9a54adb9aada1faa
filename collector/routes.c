#include "routes.h"

#define V1 "/v1/collections"
#define WHICH "from to label "
#define ASKED "confidence interval population force "

const route routes[] = {
    {"POST", V1 "/*/reports", "reports", SCOPE_WRITE, RUN_AT_ONCE, handle_reports, "fingerprint label atomic "},
    {"DELETE", V1 "/*/reports", "delete", SCOPE_MANAGE, RUN_AT_ONCE, handle_delete, "from to "},
    {"GET", V1, "collections", SCOPE_NONE, RUN_AT_ONCE, handle_collections, ""},
    {"GET", V1 "/*", "collection", SCOPE_NONE, RUN_AT_ONCE, handle_collection, ""},
    {"GET", V1 "/*/estimate", "estimate", SCOPE_READ, RUN_ON_A_WORKER, handle_estimate,
     WHICH ASKED "by histogram quantiles below dishonest "},
    {"GET", V1 "/*/distribution", "distribution", SCOPE_READ, RUN_ON_A_WORKER, handle_distribution,
     WHICH ASKED "histogram quantiles below "},
    {"GET", V1 "/*/history", "history", SCOPE_READ, RUN_ON_A_WORKER, handle_history, WHICH ASKED "by every "},
    {"GET", V1 "/*/difference", "difference", SCOPE_READ, RUN_ON_A_WORKER, handle_difference,
     WHICH ASKED "by baseline "},
    {"GET", V1 "/*/state", "state", SCOPE_READ, RUN_ON_A_WORKER, handle_state, WHICH "format "},
    {"POST", V1 "/*/state", "state-upload", SCOPE_MANAGE, RUN_AT_ONCE, handle_state_upload, "label "},
    {"GET", "/healthz", "healthz", SCOPE_NONE, RUN_AT_ONCE, handle_health, ""},
    {"GET", "/readyz", "readyz", SCOPE_NONE, RUN_AT_ONCE, handle_ready, ""},
    {"GET", "/metrics", "metrics", SCOPE_NONE, RUN_AT_ONCE, handle_metrics, ""},
    {NULL, NULL, NULL, SCOPE_NONE, RUN_AT_ONCE, NULL, NULL},
};
