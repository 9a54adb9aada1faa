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
     WHICH ASKED "by histogram quantiles below dishonest trim "},
    {"GET", V1 "/*/distribution", "distribution", SCOPE_READ, RUN_ON_A_WORKER, handle_distribution,
     WHICH ASKED "histogram quantiles below trim "},
    {"GET", V1 "/*/history", "history", SCOPE_READ, RUN_ON_A_WORKER, handle_history,
     WHICH ASKED "by every cumulative "},
    {"GET", V1 "/*/difference", "difference", SCOPE_READ, RUN_ON_A_WORKER, handle_difference,
     WHICH ASKED "by baseline "},
    {"GET", V1 "/*/dishonest", "dishonest", SCOPE_READ, RUN_ON_A_WORKER, handle_dishonest, WHICH},
    {"GET", V1 "/*/events", "events", SCOPE_READ, RUN_AT_ONCE, handle_events, ""},
    {"GET", V1 "/*/state", "state", SCOPE_READ, RUN_ON_A_WORKER, handle_state, WHICH "format "},
    {"POST", V1 "/*/state", "state-upload", SCOPE_MANAGE, RUN_AT_ONCE, handle_state_upload, "label "},
    {"GET", "/", "page", SCOPE_NONE, RUN_AT_ONCE, handle_live_page, ""},
    {"GET", "/join/*", "join", SCOPE_NONE, RUN_AT_ONCE, handle_join_page, ""},
    {"GET", "/page/*", "page-file", SCOPE_NONE, RUN_AT_ONCE, handle_page_file, ""},
    {"GET", "/client/", "client", SCOPE_NONE, RUN_AT_ONCE, handle_client_file, ""},
    {"GET", "/client/*", "client", SCOPE_NONE, RUN_AT_ONCE, handle_client_file, ""},
    {"GET", "/healthz", "healthz", SCOPE_NONE, RUN_AT_ONCE, handle_health, ""},
    {"GET", "/readyz", "readyz", SCOPE_NONE, RUN_AT_ONCE, handle_ready, ""},
    {"GET", "/metrics", "metrics", SCOPE_NONE, RUN_AT_ONCE, handle_metrics, ""},
    {NULL, NULL, NULL, SCOPE_NONE, RUN_AT_ONCE, NULL, NULL},
};
