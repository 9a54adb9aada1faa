/* What each route does; the table is in routes.c. */
#ifndef PODIUM_COLLECTOR_ROUTES_H
#define PODIUM_COLLECTOR_ROUTES_H

#include "server.h"

/* routes_reports.c: what comes in */
void handle_reports(request *r);
void handle_state_upload(request *r);
void handle_delete(request *r);

/* routes_collections.c: what is collected */
void handle_collections(request *r);
void handle_collection(request *r);

/* routes_answers.c: what the reports say */
void handle_estimate(request *r);
void handle_distribution(request *r);
void handle_history(request *r);
void handle_difference(request *r);
void handle_state(request *r);

/* routes_health.c: for whoever runs the server */
void handle_health(request *r);
void handle_ready(request *r);
void handle_metrics(request *r);

#endif
