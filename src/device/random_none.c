/* No random bytes. A call without a source of its own fails. */
#include "device/backend.h"

#if PODIUM_RANDOM == PODIUM_RANDOM_NONE

const podium_random podium_system_source = {.fill = NULL};
const podium_random podium_default_source = {.fill = NULL};

#endif
