/* For whoever runs the server: is it alive, can it take reports, and what does it do? */
#include "routes.h"

void handle_health(request *r) {
    text_print(&r->out, "{\"status\": \"alive\"}\n");
    request_answer(r, 200);
}

void handle_ready(request *r) {
    if (r->server->stopping) {
        request_refuse(r, PROBLEM_BUSY, "The server is about to end.");
    } else if (metrics_get(r->server->metrics, METRIC_STORE_AWAY) != 0) {
        request_refuse(r, PROBLEM_STORE_AWAY, "The last transaction failed; the log says why.");
    } else {
        text_print(&r->out, "{\"status\": \"ready\"}\n");
        request_answer(r, 200);
    }
}

void handle_metrics(request *r) {
    metrics_print(r->server->metrics, &r->out, r->server->store->does->keys(r->server->store));
    r->type = "text/plain; version=0.0.4; charset=utf-8";
    request_answer(r, 200);
}
