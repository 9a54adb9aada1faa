/* Configuration: one table of options, which may come from a file, from the environment and from the command line. */
#ifndef PODIUM_COLLECTOR_CONFIG_H
#define PODIUM_COLLECTOR_CONFIG_H

#include "clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    char **of;
    size_t count;
} strings;

typedef enum { PERIOD_HOUR, PERIOD_DAY } period_kind;
typedef enum { LOG_TEXT, LOG_JSON } log_kind;

typedef struct {
    char *data, *database;
    strings collections; /* files */
    strings labels;      /* COLLECTION:LABEL=VALUE,VALUE */
    strings questions;   /* COLLECTION:QUESTION */
    uint32_t period;     /* a period_kind */
    bool keep_reports;
    uint32_t roll_up_days; /* 0 for never */
    uint32_t key_hours;
    uint64_t keys_max;

    char *listen;
    bool open;
    char *tls_certificate, *tls_key; /* files; NULL if there is no TLS */
    bool behind_proxy;
    strings origins; /* of web pages that may call this server */
    uint32_t threads, readers;

    uint64_t body_max, reports_max, memory_max;
    uint32_t connections_max, address_connections_max, header_max, timeout, request_timeout, rate;
    uint32_t listeners_max;
    uint32_t queue_max;

    uint32_t log_format; /* a log_kind */
    char *file;
} config;

/* Over how many seconds reports are added up */
static inline uint32_t config_period(const config *c) {
    return c->period == PERIOD_HOUR ? HOUR : DAY;
}

enum { CONFIG_MESSAGE_MAX = 512 };

/* Fills in the configuration from the file that --config or PODIUMD_CONFIG names, the environment and the arguments,
   which end in NULL and do not include the program's name. If an option comes from several of them, the last of these
   counts. What are not options are left in `operands`, which has room for as many as there are arguments. Returns
   false, and writes why, if something is wrong; the configuration is then empty. */
bool config_read(config *c, char **arguments, char **operands, char message[CONFIG_MESSAGE_MAX]);
void config_free(config *c);
/* Returns the name of the next option, from number *from on, that differs although it counts at the start only, and
   moves *from past it; NULL if there is none. */
const char *config_next_change(const config *one, const config *other, size_t *from);

/* Is --help, --version or --list-options among the arguments? Then it is printed. */
bool config_help(FILE *to, char **arguments);

#endif
