/* Pages for people, and the browser client for the pages of others: files that never change while the server runs. */
#include "page.h"
#include "routes.h"

#include <stdlib.h>
#include <string.h>

static const page_file *find_file(const char *path) {
    const page_file *f = page_files;
    while (f->path != NULL && strcmp(f->path, path) != 0)
        f++;
    return f->path == NULL ? NULL : f;
}

static bool accepts_gzip(request *r) {
    const char *accept = request_header(r, "Accept-Encoding");
    const char *gzip = accept == NULL ? NULL : strstr(accept, "gzip");
    return gzip != NULL && strncmp(gzip, "gzip;q=0", 8) != 0;
}

/* Sets what the response is: the compressed bytes as they are, or unpacked for the few that cannot unpack them. */
static bool respond(request *r, const page_file *f, bool packed) {
    char *plain = NULL;
    size_t n = 0;
    if (packed) {
        void *bytes = (void *)(uintptr_t)f->bytes;
        r->response = MHD_create_response_from_buffer(f->n, bytes, MHD_RESPMEM_PERSISTENT);
    } else if (body_gunzip(&plain, &n, (const char *)f->bytes, f->n, f->plain_n) == BODY_TAKEN) {
        r->response = MHD_create_response_from_buffer(n, plain, MHD_RESPMEM_MUST_FREE);
    }
    return r->response != NULL;
}

static void add_page_headers(request *r, const page_file *f, bool packed) {
    char tag[64];
    snprintf(tag, sizeof tag, "\"%s%s\"", f->tag, packed ? "-gzip" : "");
    MHD_add_response_header(r->response, "ETag", tag);
    MHD_add_response_header(r->response, "Vary", "Accept-Encoding, Origin");
    MHD_add_response_header(r->response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(r->response, "Cross-Origin-Opener-Policy", "same-origin");
    MHD_add_response_header(r->response, "Permissions-Policy", "camera=(), geolocation=(), microphone=()");
    if (packed && r->status == 200)
        MHD_add_response_header(r->response, "Content-Encoding", "gzip");
}

static void send_file(request *r, const char *path) {
    const page_file *f = find_file(path);
    if (f == NULL) {
        request_refuse(r, PROBLEM_NOT_FOUND, "This server has no such file; the page at / says which pages it has.");
        return;
    }
    const char *known = request_header(r, "If-None-Match");
    const bool packed = accepts_gzip(r), same = known != NULL && strstr(known, f->tag) != NULL;
    if (same)
        r->response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    else if (!respond(r, f, packed)) {
        request_refuse(r, PROBLEM_BUSY, "There is no memory for this page. Ask again later.");
        return;
    }
    request_answer(r, same ? 304 : 200);
    add_page_headers(r, f, packed);
    r->type = f->type;
    r->cache = "no-cache";
    r->policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; "
                "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
}

void handle_live_page(request *r) {
    send_file(r, "/live.html");
}

/* Also for a collection that does not exist: the page says so in words for people. */
void handle_join_page(request *r) {
    send_file(r, find_file("/join.html") == NULL ? "/live.html" : "/join.html");
}

static void send_file_in(request *r, const char *directory, const char *name) {
    char path[PODIUM_NAME_MAX + 16];
    snprintf(path, sizeof path, "%s%s", directory, name);
    send_file(r, path);
}

void handle_page_file(request *r) {
    send_file_in(r, "/page/", r->name);
}

void handle_client_file(request *r) {
    send_file_in(r, "/client/", r->name[0] == '\0' ? "index.js" : r->name);
}
