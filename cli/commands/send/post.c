#include "commands/send/post.h"
#include "commands/send/spool.h"
#include "json.h"
#include "platform.h"

#include <curl/curl.h>

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { BODY_MAX = 1 << 20, TOKEN_MAX = 512, URL_MAX = 8192, DETAIL_MAX = 600 };
#define PAUSE_FIRST 0.25 /* seconds; doubled after every attempt */
#define PAUSE_MOST 30.0
#define CONNECT_SECONDS 15L
#define ANSWER_SECONDS 60L

struct post {
    CURL *curl;
    const post_options *options;
    char *collection; /* its address */
    char authorization[TOKEN_MAX + 32];
    char error[CURL_ERROR_SIZE];
    unsigned requests; /* of the last attempt */
    bool in_doubt;     /* an attempt of the last request may have arrived */
    bool answered;     /* there has been an answer, so the address is right */
    char gave_up[192]; /* why there is no further attempt; "" if the answer is not temporary */
    /* The last answer */
    CURLcode code;
    long status;
    char *body;
    size_t body_n;
};

/* ---- The token ---- */

static void read_token_file(const char *path, char token[TOKEN_MAX]) {
    FILE *file = file_stream(path, "rb");
    if (file == NULL)
        fail(BAD_IO, "%s: %s", path, strerror(errno));
    const size_t n = fread(token, 1, TOKEN_MAX - 1, file);
    if (ferror(file))
        fail(BAD_IO, "%s: %s", path, strerror(errno));
    token[n] = '\0';
    fclose(file);
}

/* Sets the header, or leaves it empty if there is no token. The token is never printed. */
static void set_authorization(post *p) {
    const char *variable = getenv("PODIUM_TOKEN"), *path = p->options->token_file;
    char token[TOKEN_MAX] = "";
    if (path != NULL)
        read_token_file(path, token);
    else if (variable != NULL)
        snprintf(token, sizeof token, "%s", variable);
    size_t n = strlen(token);
    while (n > 0 && isspace((unsigned char)token[n - 1]))
        token[--n] = '\0';
    for (size_t i = 0; i < n; i++)
        if (!isgraph((unsigned char)token[i]))
            fail(BAD_DATA, "%s: a token is one line of letters, digits and signs",
                 path == NULL ? "the variable PODIUM_TOKEN" : path);
    if (path != NULL && n == 0)
        fail(BAD_DATA, "%s: there is no token in this file", path);
    if (n > 0)
        snprintf(p->authorization, sizeof p->authorization, "Authorization: Bearer %s", token);
}

/* ---- The address ---- */

static bool is_loopback(const char *host) {
    static const char *const names[] = {"localhost", "[::1]"};
    const size_t n = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":/");
    for (size_t i = 0; i < LENGTH(names); i++)
        if (n == strlen(names[i]) && strncasecmp(host, names[i], n) == 0)
            return true;
    return strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") == n;
}

static void check_address(const post *p, const char *to) {
    const bool plain = strncasecmp(to, "http://", 7) == 0, safe = strncasecmp(to, "https://", 8) == 0;
    if ((!plain && !safe) || strpbrk(to, "?#@ \n") != NULL)
        fail_usage("send", "--to takes the address of a podiumd, such as https://reports.example.org, not '%s'", to);
    if (plain && p->options->ca != NULL)
        fail_usage("send", "--ca is for an address that begins with https://");
    if (plain && !is_loopback(to + 7))
        say("warning: %s is not encrypted, so that others may read the token on its way; use https://", to);
}

static char *address_of(const char *to, const char *name) {
    char *encoded = percent_encode(name);
    const size_t n = strlen(to) + strlen(encoded) + 32;
    char *address = allocate(n);
    size_t length = strlen(to);
    while (length > 0 && to[length - 1] == '/')
        length--;
    snprintf(address, n, "%.*s/v1/collections/%s", (int)length, to, encoded);
    free(encoded);
    return address;
}

/* ---- One request ---- */

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
    post *p = context;
    const size_t n = size * count;
    if (n > BODY_MAX - p->body_n)
        return 0;
    p->body = reallocate(p->body, p->body_n + n + 1);
    memcpy(p->body + p->body_n, bytes, n);
    p->body_n += n;
    p->body[p->body_n] = '\0';
    return n;
}

/* If a connection that was used before ends without an answer, libcurl sends the request again by itself on a new one.
   The first one may have arrived, so the requests are counted. */
static int count_request(CURL *curl, curl_infotype type, char *bytes, size_t n, void *context) {
    post *p = context;
    (void)curl, (void)bytes, (void)n;
    p->requests += type == CURLINFO_HEADER_OUT;
    return 0;
}

static void set_up(post *p) {
    CURL *c = p->curl;
    curl_easy_setopt(c, CURLOPT_DEBUGFUNCTION, count_request);
    curl_easy_setopt(c, CURLOPT_DEBUGDATA, p);
    curl_easy_setopt(c, CURLOPT_VERBOSE, 1L);
    curl_easy_setopt(c, CURLOPT_ERRORBUFFER, p->error);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, p);
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, CONNECT_SECONDS);
    curl_easy_setopt(c, CURLOPT_TIMEOUT, ANSWER_SECONDS);
    if (p->options->ca != NULL) {
        curl_easy_setopt(c, CURLOPT_CAINFO, p->options->ca);
        curl_easy_setopt(c, CURLOPT_CAPATH, NULL);
    }
}

post *post_open(const post_options *options, const char *name) {
    post *p = allocate(sizeof *p);
    *p = (post){.options = options};
    check_address(p, options->to);
    p->collection = address_of(options->to, name);
    set_authorization(p);
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0 || (p->curl = curl_easy_init()) == NULL)
        fail(BAD_IO, "libcurl cannot be started");
    set_up(p);
    return p;
}

void post_close(post *p) {
    curl_easy_cleanup(p->curl);
    curl_global_cleanup();
    free(p->collection);
    free(p->body);
    free(p);
}

/* ---- Trying again ---- */

/* Whether the other side has answered a TLS greeting by something else, in the words of OpenSSL and GnuTLS */
static bool is_without_tls(const post *p) {
    static const char *const said[] = {"wrong version number", "packet length too long", "unexpected TLS packet"};
    for (size_t i = 0; p->code == CURLE_SSL_CONNECT_ERROR && i < LENGTH(said); i++)
        if (strstr(p->error, said[i]) != NULL)
            return true;
    return false;
}

/* Whether a server that expects TLS may have hung up on, or answered by an alert to, a request without it */
static bool may_need_tls(const post *p) {
    const bool unreadable = p->code == CURLE_GOT_NOTHING || p->code == CURLE_UNSUPPORTED_PROTOCOL ||
                            p->code == CURLE_WEIRD_SERVER_REPLY || p->code == CURLE_RECV_ERROR;
    return unreadable && !p->answered && strncasecmp(p->options->to, "http://", 7) == 0;
}

/* Returns what may be wrong if there is no answer, or NULL if nothing is known. */
static const char *hint(const post *p) {
    if (is_without_tls(p))
        return "the server does not use TLS here; does its address begin with http:// instead of https://?";
    if (may_need_tls(p))
        return "if the server uses TLS, its address begins with https:// instead of http://";
    return NULL;
}

/* Whether the answer proves that the request had no effect. 408 and 425 do not, and neither does 409, by which a server
   says that it knows the key. */
static bool is_refusal(const post *p) {
    return p->code == CURLE_OK && p->status >= 400 && p->status < 500 && p->status != 408 && p->status != 409 &&
           p->status != 425;
}

/* A certificate that is wrong stays wrong; a connection that cannot be made now may be made later. */
static bool is_temporary(const post *p) {
    static const CURLcode codes[] = {CURLE_COULDNT_RESOLVE_PROXY,
                                     CURLE_COULDNT_RESOLVE_HOST,
                                     CURLE_COULDNT_CONNECT,
                                     CURLE_PARTIAL_FILE,
                                     CURLE_OPERATION_TIMEDOUT,
                                     CURLE_SEND_ERROR,
                                     CURLE_RECV_ERROR,
                                     CURLE_GOT_NOTHING,
                                     CURLE_SSL_CONNECT_ERROR,
                                     CURLE_HTTP2,
                                     CURLE_HTTP2_STREAM};
    static const long statuses[] = {408, 425, 429};
    for (size_t i = 0; !is_without_tls(p) && i < LENGTH(codes); i++)
        if (p->code == codes[i])
            return true;
    for (size_t i = 0; p->code == CURLE_OK && i < LENGTH(statuses); i++)
        if (p->status == statuses[i])
            return true;
    return p->code == CURLE_OK && p->status >= 500;
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void pause_for(double seconds) {
    struct timespec left = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

/* The pause is drawn from its upper half, so that many clients do not all come back at the same moment. The server may
   ask for a longer one. */
static double pause_after(post *p, double pause) {
    const podium_random *random = podium_random_system();
    uint32_t bits = 0;
    curl_off_t asked = 0;
    random->fill(random->context, &bits, sizeof bits);
    if (p->code == CURLE_OK)
        curl_easy_getinfo(p->curl, CURLINFO_RETRY_AFTER, &asked);
    pause *= 0.5 + (double)bits / 8589934592.0;
    return (double)asked > pause ? (double)asked : pause;
}

/* ---- What an answer says ---- */

/* Finds a member of the object in the body. Returns false if there is none of this kind. */
static bool find_member(const post *p, const char *name, json_kind kind, json_value *found) {
    json j = {p->body == NULL ? "" : p->body, p->body_n, 0};
    json_value member;
    if (json_read(&j).kind != JSON_OBJECT)
        return false;
    for (bool first = true; json_next_member(&j, first, &member); first = false) {
        const json_value value = json_read(&j);
        if (member.n == strlen(name) && memcmp(member.bytes, name, member.n) == 0) {
            *found = value;
            return value.kind == kind;
        }
        if (!json_skip(&j, value))
            return false;
    }
    return false;
}

static uint64_t number_member(const post *p, const char *name) {
    json_value value;
    if (!find_member(p, name, JSON_NUMBER, &value) || !isdigit((unsigned char)value.bytes[0]))
        fail(BAD_IO, "%s: the answer is not that of a podiumd", p->collection);
    return strtoull(value.bytes, NULL, 10);
}

/* Says what went wrong, in the server's words if it has some. */
static const char *words(const post *p, char said[DETAIL_MAX]) {
    char title[DETAIL_MAX / 3], detail[DETAIL_MAX / 2];
    json_value value;
    if (p->code != CURLE_OK)
        snprintf(said, DETAIL_MAX, "%s", p->error[0] == '\0' ? curl_easy_strerror(p->code) : p->error);
    else if (find_member(p, "title", JSON_STRING, &value) && json_unescape(title, sizeof title, value) &&
             find_member(p, "detail", JSON_STRING, &value) && json_unescape(detail, sizeof detail, value))
        snprintf(said, DETAIL_MAX, "%s (status %ld). %s", title, p->status, detail);
    else
        snprintf(said, DETAIL_MAX, "the answer has status %ld", p->status);
    return said;
}

static double seconds_left(int64_t until) {
    return (double)(until - (int64_t)time(NULL));
}

/* Notes that the next attempt, after such a wait, would be too late. */
static void give_up(post *p, int attempts, double wait, int64_t until) {
    char why[96];
    if (wait > seconds_left(until))
        snprintf(why, sizeof why, "the server may have forgotten the key of this batch by the next one");
    else
        snprintf(why, sizeof why, "the next one would be later than --retry %" PRIu32 " allows", p->options->retry);
    snprintf(p->gave_up, sizeof p->gave_up, "; gave up after %d attempt%s, because %s", attempts,
             attempts == 1 ? "" : "s", why);
}

/* Sends what is set up until it is answered by something that is not temporary, or further attempts would be too late.
   No second attempt begins after `until`, in seconds since 1970. That is looked at again after the pause, in which the
   machine may have slept for hours. */
static void perform(post *p, int64_t until) {
    char said[DETAIL_MAX];
    const double began = seconds_now();
    double pause = PAUSE_FIRST;
    p->in_doubt = false;
    p->gave_up[0] = '\0';
    for (int attempt = 1; p->gave_up[0] == '\0'; attempt++) {
        p->body_n = 0;
        p->requests = 0;
        p->error[0] = '\0';
        p->code = curl_easy_perform(p->curl);
        curl_easy_getinfo(p->curl, CURLINFO_RESPONSE_CODE, &p->status);
        p->in_doubt |= !is_refusal(p) || p->requests > 1;
        p->answered |= p->code == CURLE_OK;
        if (!is_temporary(p))
            return;
        const double wait = pause_after(p, pause), retry = began + p->options->retry - seconds_now();
        const double left = retry < seconds_left(until) ? retry : seconds_left(until);
        if (wait > left) {
            give_up(p, attempt, wait, until);
            return;
        }
        if (attempt == 2) /* the first may be a rate limit, which is nothing to report */
            say("%s: %s; trying again for %.0f s", p->options->to, words(p, said), left);
        if (attempt == 2 && hint(p) != NULL)
            say("%s", hint(p));
        pause_for(wait);
        if (seconds_left(until) < 0)
            give_up(p, attempt, 0, until);
        pause = 2 * pause < PAUSE_MOST ? 2 * pause : PAUSE_MOST;
    }
}

void post_fail(const post *p) {
    char said[DETAIL_MAX];
    const bool token = p->code == CURLE_OK && (p->status == 401 || p->status == 403);
    if (token)
        fail(BAD_IO, "%s: %s\npodium: %s", p->options->to, words(p, said),
             p->authorization[0] == '\0' ? "give the token by --token-file FILE or in the variable PODIUM_TOKEN"
                                         : "look at --token-file or PODIUM_TOKEN");
    if (hint(p) != NULL)
        fail(BAD_IO, "%s: %s%s\npodium: %s", p->options->to, words(p, said), p->gave_up, hint(p));
    fail(BAD_IO, "%s: %s%s", p->options->to, words(p, said), p->gave_up);
}

static bool is_accepted(const post *p) {
    return p->code == CURLE_OK && p->status == 200;
}

/* ---- Describing the collection ---- */

/* Turns {"region": ["north", "south"]} into the declaration "region=north,south". */
static void declare(const post *p, labels *all, json *j, json_value name) {
    char word[LABEL_TEXT_MAX];
    size_t capacity = 256, n;
    char *declaration = allocate(capacity);
    bool right = json_unescape(word, sizeof word, name) && json_read(j).kind == JSON_ARRAY;
    n = (size_t)snprintf(declaration, capacity, "%s=", right ? word : "");
    for (bool first = true; right && json_next_item(j, first); first = false) {
        right = json_unescape(word, sizeof word, json_read(j));
        if (n + sizeof word + 2 > capacity)
            declaration = reallocate(declaration, capacity *= 2);
        n += (size_t)snprintf(declaration + n, capacity - n, "%s%s", first ? "" : ",", right ? word : "");
    }
    if (!right || labels_declare(all, declaration) != NULL)
        fail(BAD_IO, "%s: the answer is not that of a podiumd", p->collection);
    free(declaration);
}

static void read_labels(const post *p, labels *all) {
    json_value value, name;
    if (!find_member(p, "labels", JSON_OBJECT, &value))
        fail(BAD_IO, "%s: the answer is not that of a podiumd", p->collection);
    json j = {p->body, p->body_n, (size_t)(value.bytes + 1 - p->body)};
    for (bool first = true; json_next_member(&j, first, &name); first = false)
        declare(p, all, &j, name);
}

description post_describe(post *p) {
    description d = {.fingerprint = 0};
    json_value value;
    curl_easy_setopt(p->curl, CURLOPT_URL, p->collection);
    curl_easy_setopt(p->curl, CURLOPT_HTTPGET, 1L);
    perform(p, INT64_MAX);
    if (p->code == CURLE_OK && p->status == 404)
        fail(BAD_DATA, "%s: the server does not collect for this collection; %s/v1/collections lists what it has",
             p->collection, p->options->to);
    if (!is_accepted(p))
        post_fail(p);
    if (!find_member(p, "fingerprint", JSON_STRING, &value))
        fail(BAD_IO, "%s: the answer is not that of a podiumd", p->collection);
    d.fingerprint = strtoull(value.bytes, NULL, 16);
    d.reports_max = number_member(p, "reports_max");
    d.body_max = number_member(p, "body_max");
    d.key_hours = number_member(p, "key_hours");
    read_labels(p, &d.labels);
    return d;
}

/* ---- A batch ---- */

bool post_in_doubt(const post *p) {
    return p->in_doubt;
}

bool post_batch(post *p, answer *counted, const char *key, int64_t until, const char *query, const unsigned char *codes,
                size_t n) {
    char url[URL_MAX], header[128];
    snprintf(url, sizeof url, "%s/reports?%s", p->collection, query);
    snprintf(header, sizeof header, "Idempotency-Key: %s", key);
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/vnd.podium.codes");
    headers = curl_slist_append(headers, "Expect:");
    headers = curl_slist_append(headers, header);
    if (p->authorization[0] != '\0')
        headers = curl_slist_append(headers, p->authorization);
    curl_easy_setopt(p->curl, CURLOPT_URL, url);
    curl_easy_setopt(p->curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(p->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)n);
    curl_easy_setopt(p->curl, CURLOPT_POSTFIELDS, codes);
    perform(p, until);
    curl_easy_setopt(p->curl, CURLOPT_HTTPHEADER, NULL);
    curl_slist_free_all(headers);
    if (!is_accepted(p))
        return false;
    *counted = (answer){number_member(p, "accepted"), number_member(p, "refused")};
    return true;
}
