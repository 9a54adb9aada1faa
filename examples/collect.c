/*
 * A collection from end to end. Ten thousand devices each send a report of 4 bytes. Two collectors add up the reports
 * they receive and merge their aggregates. The summary has the mean and the median, with their intervals.
 */
#include <podium_analysis.h>

#include <stdio.h>
#include <stdlib.h>

#define DEVICES 10000

static void require(podium_status status) {
    if (status != PODIUM_OK) {
        fprintf(stderr, "collect: %s\n", podium_status_message(status));
        exit(1);
    }
}

/* Runs on the device: draws a cell for a commute of 5 to 65 minutes. */
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
    podium_aggregate_init(&commute, &east);
    podium_aggregate_init(&commute, &west);
    for (int device = 0; device < DEVICES; device++) {
        uint32_t cell = send_report(&commute, device);
        require(podium_aggregate_add_cells(&commute, device % 3 == 0 ? &east : &west, &cell, 1));
    }
    require(podium_aggregate_merge(&east, &west));

    podium_question question = {.shape = true};
    podium_summary summary;
    require(podium_summary_make(&commute, NULL, &summary, &east, &question));
    podium_limits median = podium_distribution_quantile_limits(&summary.distribution, 0.5);
    printf("%llu reports: mean %.1f minutes (95%%: %.1f to %.1f), median %.0f (95%%: %.0f to %.0f)\n",
           (unsigned long long)summary.count, summary.mean, summary.lower, summary.upper,
           podium_distribution_quantile(&summary.distribution, 0.5), median.lower, median.upper);
    return 0;
}
