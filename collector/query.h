/* Query: the parameters that several routes share. Each function refuses the request and returns false if its parameter
   is wrong, and leaves the value alone if there is none. */
#ifndef PODIUM_COLLECTOR_QUERY_H
#define PODIUM_COLLECTOR_QUERY_H

#include "server.h"

typedef struct {
    double of[100];
    size_t count;
} numbers;

bool query_flag(request *r, const char *name, bool *value);
bool query_number(request *r, const char *name, double *value);
bool query_count(request *r, const char *name, uint64_t *value, uint64_t least, uint64_t most);
bool query_numbers(request *r, const char *name, numbers *value, double least, double most);
/* A time is a date (2026-01-31), a date and a time (2026-01-31T13:00:00Z), or seconds since 1970. */
bool query_time(request *r, const char *name, int64_t *value);
/* Each `label=NAME:VALUE` */
bool query_labels(request *r, label_set *set);

#endif
