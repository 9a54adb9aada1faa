/* What is collected: all that a client needs to make reports. */
#include "routes.h"

static void print_collection(request *r, const entry *e) {
    const podium_spec spec = podium_collection_spec(&e->collection);
    const config *c = &r->server->config;
    text *t = &r->out;
    text_print(t, "{\"name\": \"%s\", \"spec\": \"%s\", \"fingerprint\": \"%s\", \"mechanism\": \"%s\"", e->name,
               e->spec, e->fingerprint, podium_mechanism_name(spec.mechanism));
    text_member(t, "epsilon", spec.epsilon);
    text_member(t, "min", spec.min);
    text_member(t, "max", spec.max);
    text_print(t, ", \"cells\": %llu, \"code_bytes\": %zu, \"labels\": ",
               (unsigned long long)podium_collection_cells(&e->collection), podium_code_bytes(&e->collection));
    labels_print(t, &e->labels);
    text_print(t, ", \"question\": ");
    text_string(t, e->question);
    text_print(t, ", \"period\": \"%s\", \"reports_max\": %llu, \"body_max\": %llu, \"key_hours\": %u}",
               c->period == PERIOD_HOUR ? "hour" : "day", (unsigned long long)c->reports_max,
               (unsigned long long)c->body_max, c->key_hours);
}

void handle_collections(request *r) {
    text_print(&r->out, "{\"collections\": [");
    for (size_t i = 0; i < r->catalogue->count; i++) {
        text_print(&r->out, "%s", i == 0 ? "" : ",\n ");
        print_collection(r, &r->catalogue->of[i]);
    }
    text_print(&r->out, "], \"open\": %s}\n", r->server->config.open ? "true" : "false");
    request_answer(r, 200);
}

void handle_collection(request *r) {
    print_collection(r, r->entry);
    text_add(&r->out, "\n", 1);
    request_answer(r, 200);
}
