/* Service: what systemd is told, and how it wants to hear it. Elsewhere none of this does anything. */
#ifndef PODIUM_COLLECTOR_SERVICE_H
#define PODIUM_COLLECTOR_SERVICE_H

#include <stdbool.h>

/* Tells the service manager a state such as "READY=1", if it asked to be told. */
void service_notify(const char *state);

/* Does standard error go to the journal? Then a line begins with its priority, and needs no time of its own. */
bool service_has_journal(void);

#endif
