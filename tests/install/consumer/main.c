/* Privatises a number and says which version did it. */
#include <podium.h>
#include <stdio.h>
#include <string.h>

int narrow(long number);

int main(void) {
    podium_spec spec = {.mechanism = PODIUM_MECHANISM_PODIUM, .epsilon = 1.0, .min = 1, .max = 120};
    podium_collection age;
    double value = narrow(34), report = 0;
    podium_status status = podium_collection_init(&age, &spec);
    if (status == PODIUM_OK)
        status = podium_privatize(&age, &report, &value, 1);
    if (status != PODIUM_OK || report == 0 || strcmp(podium_version(), PODIUM_VERSION) != 0)
        return 1;
    printf("%d.%d.%d\n", PODIUM_VERSION_MAJOR, PODIUM_VERSION_MINOR, PODIUM_VERSION_PATCH);
    return 0;
}
