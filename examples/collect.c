/*
 * A collection from end to end. Ten thousand devices each send a report of 4 bytes; two collectors add up what reaches
 * them; their aggregates are merged, and the mean, its interval and the median come out.
 */
#include <podium.h>

#include <stdio.h>
#include <stdlib.h>

#define DEVICES 10000

static void require(podium_status status) {
    if (status != PODIUM_OK) {
        fprintf(stderr, "collect: %s\n", podium_status_message(status));
        exit(1);
    }
}

/* On the device: a commute of 5 to 65 minutes becomes a cell. */
static uint32_t send_report(const podium_collection *commute, int device) {
    double minutes = 5 + device * 7919 % 6000 / 100.0;
    uint32_t cell;
    require(podium_privatize_cells(commute, NULL, &cell, &minutes, 1));
    return cell;
}

int main(void) {
    podium_spec spec = {.mechanism = PODIUM_MECHANISM_PODIUM, .epsilon = 1, .min = 0, .max = 120};
    podium_collection commute;
    require(podium_collection_init(&commute, &spec));

    static podium_aggregate east, west;
    podium_aggregate_init(&east, &commute);
    podium_aggregate_init(&west, &commute);
    for (int device = 0; device < DEVICES; device++) {
        uint32_t cell = send_report(&commute, device);
        require(podium_aggregate_add_cells(device % 3 == 0 ? &east : &west, &commute, &cell, 1));
    }
    require(podium_aggregate_merge(&east, &west));

    podium_estimate estimate;
    podium_distribution distribution;
    require(podium_estimate_make(&estimate, &commute, &east, PODIUM_INTERVAL_NORMAL, 0.95));
    require(podium_distribution_make(&distribution, &commute, &east, 60));
    printf("%llu reports: mean %.1f minutes (95%%: %.1f to %.1f), median about %.0f\n", (unsigned long long)estimate.n,
           estimate.mean, estimate.lower, estimate.upper, podium_distribution_quantile(&distribution, 0.5));
    return 0;
}
