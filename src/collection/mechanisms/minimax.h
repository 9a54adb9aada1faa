/* The solver of minimax, declared here for the tests. */
#ifndef PODIUM_MINIMAX_H
#define PODIUM_MINIMAX_H

#include "collection/mechanism.h"

podium_status podium_minimax_solve(podium_piece_solution *solution, double epsilon, uint32_t cells);

#endif
