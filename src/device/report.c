/* Report: turns cells into reports, or into codes of a few bytes. A cell is public, so it may be used as an index. */
#include "device/device.h"
#include "device/vector.h"

/* Each map has a loop of its own here, and none asks the table of maps, which refers to every solver. A device that
   only draws reports from a finished collection can therefore be linked without them. */
#define REPORTER(name, worth)                                                                                          \
    static void name(const podium_layout *c, double *reports, const uint32_t *cells, size_t n) {                       \
        const double first = c->first, spacing = c->spacing;                                                           \
        for (size_t i = 0; i < n; i++)                                                                                 \
            reports[i] = first + spacing * (double)(int64_t)(worth); /* converting a signed number needs no jump */    \
    }

REPORTER(report_identity, cells[i])
REPORTER(report_pair, podium_pair_worth(c, cells[i]))
REPORTER(report_pieces, podium_piece_worth(&c->worth.pieces, cells[i]))

typedef struct {
    void (*report)(const podium_layout *c, double *reports, const uint32_t *cells, size_t n);
    bool wants_table;
} reporter;

static const reporter reporters[PODIUM_MAPS] = {
    [PODIUM_MAP_IDENTITY] = {report_identity, false},
    [PODIUM_MAP_PAIR] = {report_pair, false},
    [PODIUM_MAP_PIECES] = {report_pieces, true},
};

void podium_reports(const podium_layout *c, double *reports, const uint32_t *cells, size_t n) {
    const size_t done = podium_vector_reports(c, reports, cells, n);
    reporters[c->map].report(c, reports + done, cells + done, n - done);
}

bool podium_reports_want_table(const podium_layout *c) {
    return reporters[c->map].wants_table;
}

/* Cells may come from a device that lies. */
static podium_status check_cells(const podium_layout *c, const uint32_t *cells, size_t n) {
    bool all = true;
    for (size_t i = 0; i < n; i++)
        all &= cells[i] < c->cells;
    return !podium_is_ready(c) ? PODIUM_ERROR_NOT_INITIALISED : all ? PODIUM_OK : PODIUM_ERROR_ARGUMENT_WRONG;
}

podium_status podium_collection_reports(const podium_collection *collection, double *reports, const uint32_t *cells,
                                        size_t n) {
    const podium_status status = check_cells(podium_layout_of(collection), cells, n);
    if (status == PODIUM_OK)
        podium_reports(podium_layout_of(collection), reports, cells, n);
    return status;
}

/* ---- Codes ---- */

size_t podium_code_bytes(const podium_collection *collection) {
    return podium_bytes_for(podium_layout_of(collection)->cells);
}

podium_status podium_codes_encode(const podium_collection *collection, unsigned char *codes, size_t capacity,
                                  const uint32_t *cells, size_t n) {
    const size_t bytes = podium_code_bytes(collection);
    if (n > SIZE_MAX / 4 || n * bytes > capacity) /* no division, because tests/ctime rejects any */
        return PODIUM_ERROR_BUFFER_TOO_SMALL;
    const podium_status status = check_cells(podium_layout_of(collection), cells, n);
    for (size_t i = 0; status == PODIUM_OK && i < n; i++)
        podium_code_write(codes + i * bytes, bytes, cells[i]);
    return status;
}

static uint32_t code_read(const unsigned char *code, size_t bytes) {
    uint32_t cell = 0;
    for (size_t k = 0; k < bytes; k++)
        cell |= (uint32_t)code[k] << 8 * k;
    return cell;
}

static podium_status check_codes(const podium_layout *c, const unsigned char *codes, size_t n, size_t bytes) {
    bool all = true;
    size_t at = 0;
    for (; n - at >= bytes; at += bytes)
        all &= code_read(codes + at, bytes) < c->cells;
    return !podium_is_ready(c) ? PODIUM_ERROR_NOT_INITIALISED
           : all && at == n    ? PODIUM_OK
                               : PODIUM_ERROR_TEXT_MALFORMED;
}

podium_status podium_codes_decode(const podium_collection *collection, uint32_t *cells, size_t capacity,
                                  const unsigned char *codes, size_t n) {
    const size_t bytes = podium_code_bytes(collection);
    const podium_status status = check_codes(podium_layout_of(collection), codes, n, bytes);
    if (status == PODIUM_OK && capacity <= SIZE_MAX / 4 && n > capacity * bytes)
        return PODIUM_ERROR_BUFFER_TOO_SMALL;
    for (size_t at = 0; status == PODIUM_OK && at < n; at += bytes)
        *cells++ = code_read(codes + at, bytes);
    return status;
}
