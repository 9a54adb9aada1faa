/* Vector: calls the code for the instruction set that this processor has. See vector.h. */
#include "device/vector.h"

#if PODIUM_HAS_AVX2

size_t podium_vector_privatize(const podium_layout *c, const podium_block *block) {
    return __builtin_cpu_supports("avx2") ? podium_avx2_privatize(c, block) : 0;
}

size_t podium_vector_reports(const podium_layout *c, double *reports, const uint32_t *cells, size_t n) {
    return __builtin_cpu_supports("avx2") ? podium_avx2_reports(c, reports, cells, n) : 0;
}

#elif PODIUM_HAS_NEON

size_t podium_vector_privatize(const podium_layout *c, const podium_block *block) {
    return podium_neon_privatize(c, block);
}

size_t podium_vector_reports(const podium_layout *c, double *reports, const uint32_t *cells, size_t n) {
    return podium_neon_reports(c, reports, cells, n);
}

#else

size_t podium_vector_privatize(const podium_layout *c, const podium_block *block) {
    (void)c, (void)block;
    return 0;
}

size_t podium_vector_reports(const podium_layout *c, double *reports, const uint32_t *cells, size_t n) {
    (void)c, (void)reports, (void)cells, (void)n;
    return 0;
}

#endif
