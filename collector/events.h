/* Events: readers of a collection learn what its reports say whenever that changes, as server-sent events. One thread
   looks at the store while anybody listens, and writes each event once for all listeners. A listener keeps no queue:
   one that is slow misses events and gets the latest, and one that does not read at all is closed by the timeout of its
   connection. */
#ifndef PODIUM_COLLECTOR_EVENTS_H
#define PODIUM_COLLECTOR_EVENTS_H

#include "server.h"

events *events_start(server *s); /* NULL on failure */
/* Answers the request with a stream. Returns NULL if too many listen already, or if the server is about to end. */
struct MHD_Response *events_listen(events *e, request *r);
/* Ends all streams, and the thread. Listeners that do not read are cut off. */
void events_stop(events *e);
void events_free(events *e); /* after events_stop and the daemon's end; e may be NULL */

#endif
