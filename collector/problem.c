#include "problem.h"

static const struct {
    unsigned status, retry_after;
    const char *type, *title;
} problems[PROBLEMS] = {
    [PROBLEM_NOT_FOUND] = {404, 0, "not-found", "There is nothing at this address"},
    [PROBLEM_METHOD_WRONG] = {405, 0, "method-wrong", "This address does not have that method"},
    [PROBLEM_TOKEN_MISSING] = {401, 0, "token-missing", "The request needs a token"},
    [PROBLEM_TOKEN_UNKNOWN] = {401, 0, "token-unknown", "The server does not know this token"},
    [PROBLEM_TOKEN_WRONG] = {403, 0, "token-wrong", "The token does not allow this request"},
    [PROBLEM_ORIGIN_WRONG] = {403, 0, "origin-wrong", "Web pages of this origin may not call this server"},
    [PROBLEM_HOST_WRONG] = {421, 0, "host-wrong", "This server does not answer to that name"},
    [PROBLEM_QUERY_WRONG] = {400, 0, "query-wrong", "A parameter of the address is wrong"},
    [PROBLEM_BODY_WRONG] = {400, 0, "body-wrong", "The body is not in its format"},
    [PROBLEM_FORMAT_UNKNOWN] = {415, 0, "format-unknown", "Bodies of this type are not understood"},
    [PROBLEM_BODY_TOO_LARGE] = {413, 0, "body-too-large", "The body is too large"},
    [PROBLEM_TOO_MANY_REPORTS] = {413, 0, "too-many-reports", "The batch has too many reports"},
    [PROBLEM_FINGERPRINT_WRONG] = {409, 0, "fingerprint-wrong", "The reports are of another collection"},
    [PROBLEM_LABEL_WRONG] = {422, 0, "label-wrong", "The collection does not declare this label"},
    [PROBLEM_KEY_WRONG] = {400, 0, "key-wrong", "The Idempotency-Key is not a key"},
    [PROBLEM_KEY_REUSED] = {422, 0, "key-reused", "The Idempotency-Key was used for another batch"},
    [PROBLEM_REPORTS_REFUSED] = {422, 0, "reports-refused", "Some of the reports cannot be reports"},
    [PROBLEM_AGGREGATE_FULL] = {422, 0, "aggregate-full", "There are more reports than an aggregate can count"},
    [PROBLEM_NOT_REPORTS] = {409, 0, "not-reports", "No values could have led to these reports"},
    [PROBLEM_MEAN_ONLY] = {422, 0, "mean-only", "The reports of this collection show only the mean"},
    [PROBLEM_TOO_MANY_REQUESTS] = {429, 1, "too-many-requests", "There are too many requests from this address"},
    [PROBLEM_KEYS_FULL] = {503, 60, "keys-full", "No more keys can be kept at the moment"},
    [PROBLEM_BUSY] = {503, 1, "busy", "The server is busy"},
    [PROBLEM_STORE_AWAY] = {503, 5, "store-away", "The store cannot be reached or written at the moment"},
    [PROBLEM_OUTCOME_UNKNOWN] = {500, 0, "outcome-unknown",
                                 "The connection to the database was lost during the commit"},
};

const char *problem_name(problem_kind kind) {
    return problems[kind].type;
}

unsigned problem_status(problem_kind kind) {
    return problems[kind].status;
}

unsigned problem_retry_after(problem_kind kind) {
    return problems[kind].retry_after;
}

void problem_print(text *t, problem_kind kind, const char *detail, const char *more) {
    text_print(t, "{\"type\": \"urn:podium:problem:%s\", \"title\": \"%s\", \"status\": %u, \"detail\": ",
               problems[kind].type, problems[kind].title, problems[kind].status);
    text_string(t, detail);
    text_print(t, "%s}\n", more);
}
