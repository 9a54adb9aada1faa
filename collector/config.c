#include "config.h"

#include <podium.h>

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- The table ---- */

typedef enum { KIND_FLAG, KIND_TEXT, KIND_TEXTS, KIND_COUNT, KIND_WIDE_COUNT, KIND_CHOICE } kind;

typedef struct {
    const char *name, *argument, *fallback; /* fallback is the value if the option is not given; NULL is none */
    kind kind;
    size_t at;
    uint64_t least, most;
    const char *const *words; /* of a choice; ends in NULL */
    const char *help;
    bool reloads; /* whether a change counts while the server runs */
} option;

/* clang-format off */
#define COUNT(member, from, to) \
    .kind = _Generic(((config *)0)->member, uint32_t: KIND_COUNT, uint64_t: KIND_WIDE_COUNT), \
    .at = offsetof(config, member), .least = (from), .most = (to)
/* clang-format on */
#define TEXT(member) .kind = KIND_TEXT, .at = offsetof(config, member)
#define TEXTS(member) .kind = KIND_TEXTS, .at = offsetof(config, member)
#define FLAG(member) .kind = KIND_FLAG, .at = offsetof(config, member)
#define CHOICE(member, list) .kind = KIND_CHOICE, .at = offsetof(config, member), .words = (list)

static const char *const period_words[] = {"hour", "day", NULL};
static const char *const log_words[] = {"text", "json", NULL};
#define GIB ((uint64_t)1 << 30)

static const option options[] = {
    {"config", "FILE", NULL, TEXT(file), .reloads = true,
     .help = "read options from FILE, one `name = value` to a line"},
    {"data", "DIR", NULL, TEXT(data), .help = "keep the sums in DIR, which is made if it does not exist"},
    {"database", "URL", NULL, TEXT(database),
     .help = "keep them in this PostgreSQL database instead, which several podiumd may share"},
    {"collection", "FILE", NULL, TEXTS(collections), .reloads = true,
     .help = "collect for this collection; may be repeated"},
    {"label", "NAME:LABEL=VALUE,...", NULL, TEXTS(labels), .reloads = true,
     .help = "declare a label of the collection NAME and all values it may have; may be repeated"},
    {"question", "NAME:TEXT", NULL, TEXTS(questions), .reloads = true,
     .help = "ask people this question on the page /join/NAME; may be repeated"},
    {"period", "hour|day", "hour", CHOICE(period, period_words),
     .help = "keep one sum for each hour or each day (UTC)"},
    {"roll-up-days", "N", "0", COUNT(roll_up_days, 0, 36500),
     .help = "add sums by hour up into days when they are older than N days; 0 is never"},
    {"keep-reports", NULL, NULL, FLAG(keep_reports), .help = "keep the single reports too, not only their sums"},
    {"key-hours", "N", "24", COUNT(key_hours, 1, 8760), .help = "recognise an Idempotency-Key for N hours"},
    {"keys-max", "N", "10000000", COUNT(keys_max, 1, 1000000000), .help = "keep at most N such keys"},
    {"listen", "ADDRESS:PORT", "127.0.0.1:8470", TEXT(listen), .help = "listen there; port 0 lets the system choose"},
    {"open", NULL, NULL, FLAG(open), .help = "ask for no tokens; only on a loopback address"},
    {"tls-certificate", "FILE", NULL, TEXT(tls_certificate), .reloads = true,
     .help = "speak TLS with the certificates (PEM) in FILE, the server's own first; needs --tls-key"},
    {"tls-key", "FILE", NULL, TEXT(tls_key), .reloads = true, .help = "the key (PEM) of that certificate"},
    {"origin", "URL", NULL, TEXTS(origins), .reloads = true,
     .help = "allow web pages of this origin to call the server; may be repeated"},
    {"threads", "N", "1", COUNT(threads, 1, 64), .help = "use N threads for the network"},
    {"readers", "N", "2", COUNT(readers, 1, 64), .help = "use N threads for estimates"},
    {"body-max", "BYTES", "1048576", COUNT(body_max, 64, GIB), .help = "accept bodies up to BYTES, also unpacked"},
    {"reports-max", "N", "100000", COUNT(reports_max, 1, 100000000), .help = "accept batches of up to N reports"},
    {"header-max", "BYTES", "16384", COUNT(header_max, 4096, 1048576),
     .help = "use up to BYTES for a connection and the headers of its request"},
    {"connections-max", "N", "2000", COUNT(connections_max, 1, 1000000), .help = "accept up to N connections"},
    {"address-connections-max", "N", "0", COUNT(address_connections_max, 0, 1000000),
     .help = "accept up to N connections from one address; 0 is no limit"},
    {"listeners-max", "N", "200", COUNT(listeners_max, 0, 1000000),
     .help = "let up to N readers listen to events, such as live pages"},
    {"rate", "N", "100", COUNT(rate, 0, 1000000), .reloads = true,
     .help = "accept up to N requests a second from one address; 0 is no limit, which --open implies"},
    {"behind-proxy", NULL, NULL, FLAG(behind_proxy),
     .help = "all requests come through a proxy, which names the client last in X-Forwarded-For"},
    {"timeout", "SECONDS", "30", COUNT(timeout, 1, 3600), .help = "close a connection that is idle for so long"},
    {"request-timeout", "SECONDS", "60", COUNT(request_timeout, 1, 3600),
     .help = "close a connection whose request takes longer to arrive"},
    {"queue-max", "N", "4096", COUNT(queue_max, 1, 1000000), .help = "let up to N batches wait for the store"},
    {"memory-max", "BYTES", "67108864", COUNT(memory_max, 65536, 64 * GIB),
     .help = "hold up to BYTES of bodies in memory at once"},
    {"log-format", "text|json", "text", CHOICE(log_format, log_words), .reloads = true,
     .help = "write the log as text or as JSON"},
};
enum { OPTIONS = sizeof options / sizeof *options, LINE_WIDTH = 100, HELP_COLUMN = 26 };

/* ---- Messages ---- */

/* Where a value comes from: the later the stronger */
typedef enum { LEVEL_NONE, LEVEL_DEFAULT, LEVEL_FILE, LEVEL_ENVIRONMENT, LEVEL_ARGUMENTS } level;

typedef struct {
    config *config;
    char *message;
    level from[OPTIONS]; /* where the value came from */
    level now;           /* the level at hand */
} reading;

static bool refuse(reading *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(reading *r, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->message, CONFIG_MESSAGE_MAX, format, arguments);
    va_end(arguments);
    return false;
}

/* What stands before the name of an option: dashes if it is an argument, nothing in a file or a variable */
static const char *dashes(const reading *r) {
    return r->now == LEVEL_ARGUMENTS ? "--" : "";
}

/* ---- Values ---- */

static void strings_clear(strings *s) {
    for (size_t i = 0; i < s->count; i++)
        free(s->of[i]);
    free(s->of);
    *s = (strings){NULL, 0};
}

static bool set_text(reading *r, char **to, const char *value) {
    char *copy = strdup(value);
    if (copy == NULL)
        return refuse(r, "out of memory");
    free(*to);
    *to = copy;
    return true;
}

static bool add_text(reading *r, strings *to, const char *value) {
    char **grown = realloc(to->of, (to->count + 1) * sizeof *grown);
    if (grown == NULL)
        return refuse(r, "out of memory");
    to->of = grown;
    to->of[to->count] = NULL;
    return set_text(r, &to->of[to->count++], value);
}

static bool set_count(reading *r, const option *o, void *to, const char *value) {
    char *end;
    errno = 0;
    const unsigned long long x = strtoull(value, &end, 10);
    if (!isdigit((unsigned char)value[0]) || *end != '\0' || errno != 0 || x < o->least || x > o->most)
        return refuse(r, "%s%s takes a whole number from %llu to %llu, not '%s'", dashes(r), o->name,
                      (unsigned long long)o->least, (unsigned long long)o->most, value);
    if (o->kind == KIND_COUNT)
        *(uint32_t *)to = (uint32_t)x;
    else
        *(uint64_t *)to = x;
    return true;
}

static bool set_choice(reading *r, const option *o, uint32_t *to, const char *value) {
    for (uint32_t i = 0; o->words[i] != NULL; i++)
        if (strcmp(o->words[i], value) == 0) {
            *to = i;
            return true;
        }
    return refuse(r, "%s%s takes %s, not '%s'", dashes(r), o->name, o->argument, value);
}

static bool set_flag(reading *r, const option *o, bool *to, const char *value) {
    *to = strcmp(value, "true") == 0;
    return *to || strcmp(value, "false") == 0 ||
           refuse(r, "%s%s takes true or false, not '%s'", dashes(r), o->name, value);
}

/* Sets the option at the level at hand. A list from a stronger level replaces that of a weaker one. */
static bool set_option(reading *r, size_t i, const char *value) {
    const option *o = &options[i];
    void *to = (char *)r->config + o->at;
    if (r->from[i] == r->now && o->kind != KIND_TEXTS)
        return refuse(r, "%s%s is given twice", dashes(r), o->name);
    if (r->from[i] != r->now && o->kind == KIND_TEXTS)
        strings_clear(to);
    r->from[i] = r->now;
    switch (o->kind) {
    case KIND_FLAG:
        return set_flag(r, o, to, value);
    case KIND_TEXT:
        return set_text(r, to, value);
    case KIND_TEXTS:
        return add_text(r, to, value);
    case KIND_CHOICE:
        return set_choice(r, o, to, value);
    default:
        return set_count(r, o, to, value);
    }
}

static size_t find_option(const char *name, size_t n) {
    for (size_t i = 0; i < OPTIONS; i++)
        if (strlen(options[i].name) == n && strncmp(options[i].name, name, n) == 0)
            return i;
    return OPTIONS;
}

/* ---- Where values come from ---- */

static bool set_defaults(reading *r) {
    for (size_t i = 0; i < OPTIONS; i++)
        if (options[i].fallback != NULL && !set_option(r, i, options[i].fallback))
            return false;
    return true;
}

static char *trimmed(char *s) {
    s += strspn(s, " \t");
    size_t n = strlen(s);
    while (n > 0 && strchr(" \t\r\n", s[n - 1]) != NULL)
        s[--n] = '\0';
    return s;
}

static bool read_line(reading *r, char *line, const char *path, int number) {
    char *name = trimmed(line), *equals = strchr(name, '=');
    if (*name == '\0' || *name == '#')
        return true;
    if (equals == NULL)
        return refuse(r, "%s: line %d is not `name = value`", path, number);
    *equals = '\0';
    name = trimmed(name);
    const size_t i = find_option(name, strlen(name));
    if (i == OPTIONS || strcmp(name, "config") == 0)
        return refuse(r, "%s: line %d: no option is called '%s'", path, number, name);
    char reason[CONFIG_MESSAGE_MAX - 128];
    if (set_option(r, i, trimmed(equals + 1)))
        return true;
    snprintf(reason, sizeof reason, "%s", r->message);
    return refuse(r, "%.100s: line %d: %s", path, number, reason);
}

static bool read_file(reading *r, const char *path) {
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t capacity = 0;
    bool good = true;
    if (file == NULL)
        return refuse(r, "%s: %s", path, strerror(errno));
    for (int number = 1; good && getline(&line, &capacity, file) >= 0; number++)
        good = read_line(r, line, path, number);
    if (good && ferror(file))
        good = refuse(r, "%s: cannot be read", path);
    free(line);
    fclose(file);
    return good;
}

static const char *environment(const option *o) {
    char name[64] = "PODIUMD_";
    size_t n = strlen(name);
    for (const char *s = o->name; *s != '\0' && n + 1 < sizeof name; s++)
        name[n++] = *s == '-' ? '_' : (char)toupper((unsigned char)*s);
    name[n] = '\0';
    return getenv(name);
}

/* In a variable, the items of a list are separated by semicolons. */
static bool read_variable(reading *r, size_t i, const char *value) {
    if (options[i].kind != KIND_TEXTS)
        return set_option(r, i, value);
    for (size_t n; *value != '\0'; value += n + (value[n] == ';' ? 1 : 0)) {
        n = strcspn(value, ";");
        char *item = strndup(value, n);
        const bool set = item != NULL && (n == 0 || set_option(r, i, item));
        free(item);
        if (!set)
            return false;
    }
    return true;
}

static bool read_environment(reading *r) {
    for (size_t i = 0; i < OPTIONS; i++) {
        const char *value = environment(&options[i]);
        if (value != NULL && !read_variable(r, i, value))
            return false;
    }
    return true;
}

/* Reads --name, --name=value or --name value, and moves past it. */
static bool read_argument(reading *r, char ***arguments) {
    const char *name = *(*arguments)++ + 2;
    const size_t n = strcspn(name, "="), i = find_option(name, n);
    if (i == OPTIONS)
        return refuse(r, "no option is called '--%.*s'; see podiumd --help", (int)n, name);
    if (options[i].kind == KIND_FLAG && name[n] == '\0')
        return set_option(r, i, "true");
    if (name[n] == '=')
        return set_option(r, i, name + n + 1);
    if (**arguments == NULL)
        return refuse(r, "--%s needs an argument: %s", options[i].name, options[i].argument);
    return set_option(r, i, *(*arguments)++);
}

static bool read_arguments(reading *r, char **arguments, char **operands) {
    while (*arguments != NULL)
        if (strncmp(*arguments, "--", 2) != 0)
            *operands++ = *arguments++;
        else if (!read_argument(r, &arguments))
            return false;
    *operands = NULL;
    return true;
}

/* The file has to be known before it can be read, although the arguments count for more than the file. */
static const char *file_named(char **arguments) {
    const char *file = getenv("PODIUMD_CONFIG");
    for (; *arguments != NULL; arguments++)
        if (strncmp(*arguments, "--config=", 9) == 0)
            file = *arguments + 9;
        else if (strcmp(*arguments, "--config") == 0 && arguments[1] != NULL)
            file = *++arguments;
    return file;
}

bool config_read(config *c, char **arguments, char **operands, char message[CONFIG_MESSAGE_MAX]) {
    reading r = {.config = c, .message = message, .now = LEVEL_DEFAULT};
    const char *file = file_named(arguments);
    *c = (config){.data = NULL};
    bool good = set_defaults(&r);
    r.now = LEVEL_FILE;
    good = good && (file == NULL || read_file(&r, file));
    r.now = LEVEL_ENVIRONMENT;
    good = good && read_environment(&r);
    r.now = LEVEL_ARGUMENTS;
    good = good && read_arguments(&r, arguments, operands);
    if (c->open && r.from[find_option("rate", strlen("rate"))] == LEVEL_DEFAULT)
        c->rate = 0; /* all clients are on this machine and have one address; no one else is to be held off */
    if (!good)
        config_free(c);
    return good;
}

static bool is_same(const option *o, const config *one, const config *other) {
    const void *a = (const char *)one + o->at, *b = (const char *)other + o->at;
    if (o->kind == KIND_TEXT) {
        const char *x = *(char *const *)a, *y = *(char *const *)b;
        return x == NULL || y == NULL ? x == y : strcmp(x, y) == 0;
    }
    const size_t n = o->kind == KIND_FLAG         ? sizeof(bool)
                     : o->kind == KIND_WIDE_COUNT ? sizeof(uint64_t)
                                                  : sizeof(uint32_t);
    return memcmp(a, b, n) == 0; /* all lists can be reloaded */
}

const char *config_next_change(const config *one, const config *other, size_t *from) {
    while (*from < OPTIONS) {
        const option *o = &options[(*from)++];
        if (!o->reloads && !is_same(o, one, other))
            return o->name;
    }
    return NULL;
}

void config_free(config *c) {
    for (size_t i = 0; i < OPTIONS; i++) {
        void *at = (char *)c + options[i].at;
        if (options[i].kind == KIND_TEXTS)
            strings_clear(at);
        else if (options[i].kind == KIND_TEXT)
            free(*(char **)at);
    }
    *c = (config){.data = NULL};
}

/* ---- Help ---- */

static void print_wrapped(FILE *to, const char *s, int column) {
    for (size_t n; *s != '\0'; s += n + (s[n] == ' ' ? 1 : 0)) {
        n = strcspn(s, " ");
        if (column > HELP_COLUMN && column + 1 + (int)n > LINE_WIDTH)
            column = fprintf(to, "\n%*s", HELP_COLUMN, "") - 1;
        column += fprintf(to, "%s%.*s", column > HELP_COLUMN ? " " : "", (int)n, s);
    }
    fputc('\n', to);
}

static void print_option(FILE *to, const option *o) {
    char help[256];
    int column =
        fprintf(to, "  --%s%s%s", o->name, o->argument == NULL ? "" : " ", o->argument == NULL ? "" : o->argument);
    fprintf(to, column + 1 < HELP_COLUMN ? "%*s" : "\n%*s",
            column + 1 < HELP_COLUMN ? HELP_COLUMN - column : HELP_COLUMN, "");
    snprintf(help, sizeof help, "%s%s%s%s", o->help, o->fallback == NULL ? "" : " (",
             o->fallback == NULL ? "" : o->fallback, o->fallback == NULL ? "" : " if not given)");
    print_wrapped(to, help, HELP_COLUMN);
}

static void print_help(FILE *to) {
    fputs("Receives reports over HTTP, adds them up, and says what they tell.\n\n"
          "Usage: podiumd --data DIR | --database URL --collection FILE... [OPTIONS]\n"
          "       podiumd token new COLLECTION write|read|manage --data DIR\n"
          "       podiumd token list --data DIR\n"
          "       podiumd token revoke ID --data DIR\n"
          "       podiumd backup FILE --data DIR\n\n"
          "Options, each of which may also be a line of the file or a variable such as PODIUMD_DATA:\n",
          to);
    for (size_t i = 0; i < OPTIONS; i++)
        print_option(to, &options[i]);
    fputs("  --help                  print this help\n  --version               print the version\n", to);
}

bool config_help(FILE *to, char **arguments) {
    for (; *arguments != NULL; arguments++)
        if (strcmp(*arguments, "--help") == 0 || strcmp(*arguments, "-h") == 0) {
            print_help(to);
            return true;
        } else if (strcmp(*arguments, "--version") == 0) {
            fprintf(to, "podiumd %s\n", podium_version());
            return true;
        } else if (strcmp(*arguments, "--list-options") == 0) {
            for (size_t i = 0; i < OPTIONS; i++)
                fprintf(to, "--%s\t%s\t%s\n", options[i].name, options[i].argument == NULL ? "" : options[i].argument,
                        options[i].fallback == NULL ? "" : options[i].fallback);
            return true;
        }
    return false;
}
