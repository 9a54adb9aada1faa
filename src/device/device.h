/* What the files of the device's half share: values to places, places to cells, cells to reports, and random bytes. */
#ifndef PODIUM_DEVICE_H
#define PODIUM_DEVICE_H

#include "collection/layout.h"

/* draw.c: the number of halves of words that a draw takes, and n draws. Half k of draw i is halves[k * stride + i]. */
size_t podium_draw_halves(const podium_layout *c);
void podium_draw(const podium_layout *c, uint32_t *cells, const uint32_t *places, const uint32_t *halves, size_t stride,
                 size_t n);

/* privatize.c: the place of each value. rounding has half a word for each value, and is not read if fraction_bits is
   0. */
void podium_places(const podium_layout *c, uint32_t *places, const double *values, const uint32_t *rounding, size_t n);

/* report.c: the reports of n cells, and whether looking them up in a table is faster than computing each */
void podium_reports(const podium_layout *c, double *reports, const uint32_t *cells, size_t n);
bool podium_reports_want_table(const podium_layout *c);

/* How many bytes a code has, if there are that many cells, and writing one, least significant byte first */
static inline size_t podium_bytes_for(uint64_t cells) {
    const uint32_t last = (uint32_t)(cells - 1);
    return last > 0xffffff ? 4 : last > 0xffff ? 3 : last > 0xff ? 2 : 1;
}

static inline void podium_code_write(unsigned char *code, size_t bytes, uint32_t cell) {
    for (size_t k = 0; k < bytes; k++)
        code[k] = (unsigned char)(cell >> 8 * k);
}

/* random.c: the random bytes of one call. Open the stream, fill as often as needed, and close it even if something
   failed. */
typedef struct podium_stream {
    const podium_random *random;
    void *context;
} podium_stream;
podium_status podium_stream_open(podium_stream *stream, const podium_random *random, size_t bytes);
podium_status podium_stream_fill(podium_stream *stream, uint32_t *halves, size_t n);
void podium_stream_close(podium_stream *stream);

/* Clears memory in a way that the compiler cannot optimise away. */
void podium_wipe(void *memory, size_t n);

#endif
