#define _DEFAULT_SOURCE
#include "query.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool refuse(request *r, const char *name, const char *takes) {
    request_refuse(r, PROBLEM_QUERY_WRONG, "The parameter %s takes %s.", name, takes);
    return false;
}

bool query_flag(request *r, const char *name, bool *value) {
    const char *s = request_parameter(r, name);
    if (s == NULL)
        return true;
    *value = strcmp(s, "true") == 0;
    return *value || strcmp(s, "false") == 0 || refuse(r, name, "true or false");
}

bool query_number(request *r, const char *name, double *value) {
    const char *s = request_parameter(r, name);
    if (s == NULL)
        return true;
    const size_t n = strlen(s);
    return (n <= PODIUM_NUMBER_PARSE_MAX && podium_number_parse(value, s, n) == PODIUM_OK && isfinite(*value)) ||
           refuse(r, name, "a number");
}

bool query_count(request *r, const char *name, uint64_t *value, uint64_t least, uint64_t most) {
    double x = -1;
    if (request_parameter(r, name) == NULL)
        return true;
    if (!query_number(r, name, &x))
        return false;
    if (x < (double)least || x > (double)most || x != floor(x)) {
        char takes[96];
        snprintf(takes, sizeof takes, "a whole number from %llu to %llu", (unsigned long long)least,
                 (unsigned long long)most);
        return refuse(r, name, takes);
    }
    *value = (uint64_t)x;
    return true;
}

bool query_numbers(request *r, const char *name, numbers *value, double least, double most) {
    const char *s = request_parameter(r, name);
    if (s == NULL)
        return true;
    for (value->count = 0; value->count < sizeof value->of / sizeof *value->of;) {
        const size_t n = strcspn(s, ",");
        double *x = &value->of[value->count++];
        if (n > PODIUM_NUMBER_PARSE_MAX || podium_number_parse(x, s, n) != PODIUM_OK || !(*x >= least && *x <= most))
            break;
        if (s[n] == '\0')
            return true;
        s += n + 1;
    }
    return refuse(r, name,
                  least == 0 ? "up to 100 numbers from 0 to 1, separated by commas"
                             : "up to 100 numbers, separated by commas");
}

/* Reads exactly n digits, and moves past them. */
static bool digits(const char **s, int n, int *value) {
    *value = 0;
    for (; n > 0; n--, ++*s) {
        if (!isdigit((unsigned char)**s))
            return false;
        *value = 10 * *value + (**s - '0');
    }
    return true;
}

static bool character(const char **s, char c) {
    return *(*s)++ == c;
}

static bool parse_date(const char **s, struct tm *t) {
    const bool good = digits(s, 4, &t->tm_year) && character(s, '-') && digits(s, 2, &t->tm_mon) && character(s, '-') &&
                      digits(s, 2, &t->tm_mday);
    t->tm_year -= 1900;
    t->tm_mon--;
    return good;
}

static bool parse_time(const char **s, struct tm *t) {
    return character(s, 'T') && digits(s, 2, &t->tm_hour) && character(s, ':') && digits(s, 2, &t->tm_min) &&
           character(s, ':') && digits(s, 2, &t->tm_sec) && character(s, 'Z');
}

static bool parse_seconds(const char *s, int64_t *value) {
    const size_t n = strspn(s, "0123456789");
    *value = n > 0 && n <= 12 ? strtoll(s, NULL, 10) : 0;
    return n > 0 && n <= 12 && s[n] == '\0';
}

bool query_time(request *r, const char *name, int64_t *value) {
    const char *s = request_parameter(r, name);
    struct tm t = {.tm_year = 0};
    if (s == NULL || parse_seconds(s, value))
        return true;
    if (parse_date(&s, &t) && (*s == '\0' || (parse_time(&s, &t) && *s == '\0'))) {
        const struct tm given = t;
        const time_t at = timegm(&t); /* brings a 31st of February, or a minute of 99, to another day or hour */
        *value = (int64_t)at;
        if (t.tm_mon == given.tm_mon && t.tm_mday == given.tm_mday && t.tm_hour == given.tm_hour &&
            t.tm_min == given.tm_min)
            return true;
    }
    return refuse(r, name, "a date (2026-01-31), a date and a time (2026-01-31T13:00:00Z), or seconds since 1970");
}

/* ---- Labels ---- */

typedef struct {
    request *request;
    label_set *set;
} labelling;

static enum MHD_Result add_label(void *context, enum MHD_ValueKind kind, const char *name, const char *value) {
    labelling *l = context;
    request *r = l->request;
    char label_name[LABEL_TEXT_MAX];
    (void)kind;
    if (strcmp(name, "label") != 0)
        return MHD_YES;
    const size_t n = strcspn(value, ":");
    if (value[n] == '\0' || n >= sizeof label_name) {
        refuse(r, "label", "NAME:VALUE");
        return MHD_NO;
    }
    memcpy(label_name, value, n);
    label_name[n] = '\0';
    const char *wrong = label_set_add(&r->entry->labels, l->set, label_name, value + n + 1);
    if (wrong == NULL)
        return MHD_YES;
    request_refuse(r, PROBLEM_LABEL_WRONG, "A label is wrong: %s.", wrong);
    return MHD_NO;
}

bool query_labels(request *r, label_set *set) {
    labelling l = {r, set};
    MHD_get_connection_values(r->connection, MHD_GET_ARGUMENT_KIND, add_label, &l);
    return r->status == 0;
}
