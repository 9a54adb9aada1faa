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
void handle_dishonest(request *r);
void handle_state(request *r);
void handle_events(request *r);

/* routes_pages.c: for people, and for the pages of others */
void handle_live_page(request *r);
void handle_join_page(request *r);
void handle_page_file(request *r);
void handle_client_file(request *r);

/* routes_health.c: for whoever runs the server */
void handle_health(request *r);
void handle_ready(request *r);
void handle_metrics(request *r);

#endif
