/*
 * Hot: one path of the library, so often as asked, for instructions.sh to count.
 *
 *   hot privatize|aggregate MECHANISM VALUES CALLS      so many calls with so many values each, epsilon 1
 */
#include <podium_analysis.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUES_MAX 10000

static double values[VALUES_MAX], reports[VALUES_MAX];

static void require(podium_status status) {
    if (status != PODIUM_OK) {
        fprintf(stderr, "hot: %s\n", podium_status_message(status));
        exit(1);
    }
}

static podium_collection collection_of(const char *mechanism) {
    podium_spec spec = {.epsilon = 1, .min = 1, .max = 120};
    podium_collection collection;
    require(podium_mechanism_from_name(&spec.mechanism, mechanism, strlen(mechanism)));
    const char *parameter = podium_mechanism_parameter(spec.mechanism);
    spec.spread = parameter != NULL && strcmp(parameter, "spread") == 0 ? 1.0 / 12 : 0;
    require(podium_collection_init(&collection, &spec));
    return collection;
}

int main(int argc, char **argv) {
    const size_t n = argc == 5 ? strtoul(argv[3], NULL, 10) : 0, calls = argc == 5 ? strtoul(argv[4], NULL, 10) : 0;
    if (n == 0 || n > VALUES_MAX) {
        fputs("Usage: hot privatize|aggregate MECHANISM VALUES CALLS\n", stderr);
        return 2;
    }
    podium_collection collection = collection_of(argv[2]);
    podium_aggregate aggregate;
    podium_aggregate_init(&collection, &aggregate);
    for (size_t i = 0; i < n; i++)
        values[i] = (double)(i % 120) + 1;
    require(podium_privatize(&collection, reports, values, n));
    for (size_t i = 0; i < calls; i++)
        require(strcmp(argv[1], "privatize") == 0 ? podium_privatize(&collection, reports, values, n)
                                                  : podium_aggregate_add(&collection, &aggregate, reports, n));
    return 0;
}
