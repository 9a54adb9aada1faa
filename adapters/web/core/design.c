/* Designing collections: from a spec to what is drawn from. */
#include "core.h"

static podium_error error;

/* What is wrong with the spec that was parsed last */
EXPORT(errorField) const char *error_field(void) {
    return error.field;
}

EXPORT(errorColumn) uint32_t error_column(void) {
    return error.column;
}

/* Parses the line of n bytes in the page. */
EXPORT(parse) podium_status parse(size_t n) {
    podium_spec spec;
    error = (podium_error){.status = PODIUM_OK};
    const podium_status status = podium_spec_parse(&spec, &error, shared.text, n);
    return status == PODIUM_OK ? podium_collection_init(&collection, &spec) : status;
}

/* Writes the spec's line into the page, and returns its length. */
EXPORT(line) size_t line(void) {
    const podium_spec spec = podium_collection_spec(&collection);
    return podium_spec_format(&spec, shared.text, sizeof shared.text);
}

/* ---- Mechanisms ---- */

EXPORT(mechanismCount) size_t mechanism_count(void) {
    return podium_mechanism_count();
}

EXPORT(mechanismName) const char *mechanism_name(podium_mechanism mechanism) {
    return podium_mechanism_name(mechanism);
}

EXPORT(mechanismSummary) const char *mechanism_summary(podium_mechanism mechanism) {
    return podium_mechanism_summary(mechanism);
}

EXPORT(mechanismColour) const char *mechanism_colour(podium_mechanism mechanism) {
    return podium_mechanism_colour(mechanism);
}

/* "" if there is none */
EXPORT(mechanismParameter) const char *mechanism_parameter(podium_mechanism mechanism) {
    const char *parameter = podium_mechanism_parameter(mechanism);
    return parameter == NULL ? "" : parameter;
}
