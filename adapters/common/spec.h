/* Spec: the arguments that all SQL functions share, min, max, epsilon and mechanism, as a podium_spec. */
#ifndef PODIUM_SQL_SPEC_H
#define PODIUM_SQL_SPEC_H

#include <podium.h>

#ifndef SQL_MESSAGE_MAX /* the tests try a smaller one */
#define SQL_MESSAGE_MAX 256
#endif

/*
 * The mechanism is a name, or a name and its parameter: 'minimax', 'minimax:1024' (cells), 'podium-tuned:0.05'
 * (spread). NULL is 'podium'. On failure the message says which argument is wrong and what it must be.
 */
bool sql_spec(podium_spec *spec, char message[SQL_MESSAGE_MAX], double min, double max, double epsilon,
              const char *mechanism, size_t mechanism_n);

/* Do both make the same collection? What is kept is found by it. */
bool sql_same_spec(const podium_spec *a, const podium_spec *b);

#endif
