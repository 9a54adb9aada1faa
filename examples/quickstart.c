/* Privatise three ages and print the reports. */
#include <podium.h>
#include <stdio.h>

int main(void) {
    podium_spec spec = {.mechanism = PODIUM_MECHANISM_PODIUM, .epsilon = 1.0, .min = 1, .max = 120};
    podium_collection age;
    double values[] = {23, 45, 67}, reports[3];

    podium_status status = podium_collection_init(&age, &spec);
    if (status == PODIUM_OK)
        status = podium_privatize(&age, reports, values, 3);
    if (status != PODIUM_OK) {
        fprintf(stderr, "podium: %s\n", podium_status_message(status));
        return 1;
    }
    for (int i = 0; i < 3; i++)
        printf("%.2f\n", reports[i]);
    return 0;
}
