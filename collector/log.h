/* Log: a line on standard error for what an operator should know. Nothing that a client sent is ever written there. */
#ifndef PODIUM_COLLECTOR_LOG_H
#define PODIUM_COLLECTOR_LOG_H

#include "config.h"

typedef enum { LOG_INFO, LOG_WARNING, LOG_ERROR } log_level;

void log_format(log_kind kind);
void log_line(log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
