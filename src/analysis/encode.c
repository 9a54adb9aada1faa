/* Encode: an aggregate as bytes and as text, and back. A decoded aggregate is checked, because it may be forged. */
#include "analysis/analysis.h"
#include "collection/hex.h"

/*
 * The format, with all numbers least significant byte first:
 *     4 bytes        "PODA"
 *     1 byte each    version, mechanism, bin_bits
 *     4 bytes each   flags, bin_count
 *     8 bytes each   epsilon, min, max (the bits of doubles), fingerprint, count, refused,
 *                    sum (low, high), squares (low, high)
 *     8 bytes        the mechanism's parameter, if the flag HAS_PARAMETER is set: the bits of spread, or cells
 *     1 to 10 bytes  for each bin: 7 bits in a byte, as few bytes as possible; the top bit says that more follow
 */
#define HAS_PARAMETER 1
#define SUBTRACTED 2 /* reports were subtracted */
#define MAGIC "PODA"
#define VERSION 1
#define HEAD (4 + 3 + 2 * 4 + 10 * 8)

typedef struct {
    unsigned char *at;
} writer;

static void write_number(writer *w, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        *w->at++ = (unsigned char)(value >> 8 * i);
}

static void write_bin(writer *w, uint64_t value) {
    for (; value >= 128; value >>= 7)
        *w->at++ = (unsigned char)(value | 128);
    *w->at++ = (unsigned char)value;
}

/* How many bytes write_bin writes */
static size_t bin_bytes(uint64_t value) {
    size_t bytes = 1;
    for (; value >= 128; value >>= 7)
        bytes++;
    return bytes;
}

static bool has_parameter(podium_mechanism mechanism) {
    const podium_row *row = podium_row_of(mechanism);
    return row != NULL && row->parameter != PODIUM_PARAMETER_NONE;
}

static size_t encoded_bytes(const podium_sums *a) {
    size_t bytes = HEAD + (has_parameter(a->spec.mechanism) ? 8 : 0);
    for (uint32_t i = 0; i < a->bin_count; i++)
        bytes += bin_bytes(a->bins[i]);
    return bytes;
}

size_t podium_aggregate_encode(const podium_aggregate *aggregate, unsigned char *bytes, size_t capacity) {
    const podium_sums *a = podium_sums_of(aggregate);
    const bool parameter = has_parameter(a->spec.mechanism);
    const size_t length = encoded_bytes(a);
    if (length > capacity)
        return length;
    writer w = {bytes};
    memcpy(w.at, MAGIC, 4);
    w.at += 4;
    write_number(&w, VERSION, 1);
    write_number(&w, (uint64_t)a->spec.mechanism, 1);
    write_number(&w, a->bin_bits, 1);
    write_number(&w, (parameter ? HAS_PARAMETER : 0) | (a->subtracted ? SUBTRACTED : 0), 4);
    write_number(&w, a->bin_count, 4);
    const uint64_t words[] = {podium_bits_of(a->spec.epsilon),
                              podium_bits_of(a->spec.min),
                              podium_bits_of(a->spec.max),
                              a->fingerprint,
                              a->count,
                              a->refused,
                              a->sum.low,
                              a->sum.high,
                              a->squares.low,
                              a->squares.high};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        write_number(&w, words[i], 8);
    if (parameter)
        write_number(&w, podium_parameter_bits(&a->spec), 8);
    for (uint32_t i = 0; i < a->bin_count; i++)
        write_bin(&w, a->bins[i]);
    return length;
}

typedef struct {
    const unsigned char *at, *end;
    bool bad;
} reader;

static uint64_t read_number(reader *r, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)*r->at++ << 8 * i;
    return value;
}

/* Rejects bytes that write_bin would not have written: more than 64 bits, or a last byte that is 0 and not needed. */
static uint64_t read_bin(reader *r) {
    uint64_t value = 0;
    for (unsigned shift = 0; r->at < r->end; shift += 7) {
        uint64_t byte = *r->at++, part = byte & 127;
        if (shift > 63 || part << shift >> shift != part)
            break;
        value |= part << shift;
        if (byte < 128) {
            r->bad |= byte == 0 && shift > 0;
            return value;
        }
    }
    r->bad = true;
    return 0;
}

static bool minus_zero(double x) {
    return podium_bits_of(x) != podium_bits_of(x + 0.0);
}

/* Sets the mechanism's parameter. Bits that are not a number of its kind become a number that is out of range, so
   that the spec is rejected. */
static void set_parameter(podium_spec *spec, uint64_t bits) {
    const podium_parameter_kind kind = podium_row_of(spec->mechanism)->parameter;
    if (!podium_parameters[kind].whole)
        podium_parameter_set(spec, kind, podium_double_of(bits));
    else
        podium_parameter_set(spec, kind, bits > UINT32_MAX || bits == 0 ? UINT32_MAX : (double)bits);
}

/* Reads the numbers before the bins, in the order in which encode writes them. */
static void read_numbers(reader *r, podium_sums *made) {
    made->bin_count = (uint32_t)read_number(r, 4);
    made->spec.epsilon = podium_double_of(read_number(r, 8));
    made->spec.min = podium_double_of(read_number(r, 8));
    made->spec.max = podium_double_of(read_number(r, 8));
    made->fingerprint = read_number(r, 8);
    made->count = read_number(r, 8);
    made->refused = read_number(r, 8);
    made->sum.low = read_number(r, 8);
    made->sum.high = read_number(r, 8);
    made->squares.low = read_number(r, 8);
    made->squares.high = read_number(r, 8);
}

/* Reads everything before the bins. The spec and its fingerprint are checked here, and the sums later. */
static podium_status read_head(reader *r, podium_sums *made) {
    const size_t n = (size_t)(r->end - r->at);
    if (n < HEAD || memcmp(r->at, MAGIC, 4) != 0)
        return PODIUM_ERROR_TEXT_MALFORMED;
    memset(made, 0, sizeof *made);
    r->at += 4;
    if (read_number(r, 1) != VERSION)
        return PODIUM_ERROR_VERSION_UNKNOWN;
    made->spec.mechanism = (podium_mechanism)read_number(r, 1);
    made->bin_bits = (uint32_t)read_number(r, 1);
    const uint64_t flags = read_number(r, 4);
    if (flags > (HAS_PARAMETER | SUBTRACTED)) /* flags of a later version */
        return PODIUM_ERROR_VERSION_UNKNOWN;
    const bool parameter = (flags & HAS_PARAMETER) != 0;
    made->subtracted = (flags & SUBTRACTED) != 0;
    if (podium_row_of(made->spec.mechanism) == NULL)
        return PODIUM_ERROR_MECHANISM_UNKNOWN;
    if (parameter != has_parameter(made->spec.mechanism) || n < HEAD + (parameter ? 8 : 0))
        return PODIUM_ERROR_TEXT_MALFORMED;
    read_numbers(r, made);
    if (parameter)
        set_parameter(&made->spec, read_number(r, 8));
    podium_status status = podium_spec_check(&made->spec, PODIUM_EPSILON_MAX);
    if (status != PODIUM_OK)
        return status;
    if (made->fingerprint != podium_fingerprint(&made->spec))
        return PODIUM_ERROR_FINGERPRINT_WRONG;
    if (minus_zero(made->spec.min) || minus_zero(made->spec.max) ||
        minus_zero(made->spec.spread)) /* encode never writes -0 */
        return PODIUM_ERROR_TEXT_MALFORMED;
    return PODIUM_OK;
}

static podium_status decode(const podium_layout *c, podium_sums *made, reader *r) {
    if (made->fingerprint != c->fingerprint)
        return PODIUM_ERROR_FINGERPRINT_WRONG;
    if (!podium_bins_fit(made, c->cells) || (made->subtracted && made->count == 0))
        return PODIUM_ERROR_TEXT_MALFORMED;
    for (uint32_t i = 0; i < made->bin_count; i++)
        made->bins[i] = read_bin(r);
    if (r->bad || r->at != r->end || !podium_sums_possible(made, c))
        return PODIUM_ERROR_TEXT_MALFORMED;
    return PODIUM_OK;
}

podium_status podium_aggregate_decode(const podium_collection *collection, podium_aggregate *aggregate,
                                      const unsigned char *bytes, size_t n) {
    podium_sums made;
    podium_collection own;
    reader r = {bytes, bytes + n, false};
    podium_status status = read_head(&r, &made);
    if (status == PODIUM_OK && collection == NULL)
        status = podium_collection_init(&own, &made.spec);
    if (status == PODIUM_OK)
        status = decode(podium_layout_of(collection == NULL ? &own : collection), &made, &r);
    if (status != PODIUM_OK)
        return status;
    memset(aggregate, 0, sizeof *aggregate);
    memcpy(aggregate, &made, sizeof made);
    return PODIUM_OK;
}

/* ---- Text: the bytes in hexadecimal ---- */

size_t podium_aggregate_format(const podium_aggregate *aggregate, char *text, size_t capacity) {
    unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX];
    size_t n = podium_aggregate_encode(aggregate, bytes, sizeof bytes), at = sizeof PODIUM_AGGREGATE_PREFIX - 1;
    const size_t length = at + 2 * n;
    if (length >= capacity)
        return length;
    memcpy(text, PODIUM_AGGREGATE_PREFIX, at);
    for (size_t i = 0; i < n; i++) {
        text[at++] = podium_hex_digits[bytes[i] >> 4];
        text[at++] = podium_hex_digits[bytes[i] & 15];
    }
    text[at] = '\0';
    return length;
}

/* Decodes the bytes of a text, and returns how many there are; 0 if the text is not that of an aggregate. */
static size_t bytes_of_text(unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX], const char *text, size_t n) {
    const size_t prefix = sizeof PODIUM_AGGREGATE_PREFIX - 1;
    if (n < prefix || (n - prefix) % 2 != 0 || (n - prefix) / 2 > PODIUM_AGGREGATE_BYTES_MAX ||
        memcmp(text, PODIUM_AGGREGATE_PREFIX, prefix) != 0)
        return 0;
    for (size_t i = 0; i < n - prefix; i++) {
        const int digit = podium_hex_value(text[prefix + i]);
        if (digit < 0)
            return 0;
        bytes[i / 2] = (unsigned char)((i % 2 == 0 ? 0 : bytes[i / 2] << 4) | digit);
    }
    return (n - prefix) / 2;
}

podium_status podium_aggregate_parse(const podium_collection *collection, podium_aggregate *aggregate, const char *text,
                                     size_t n) {
    unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX];
    return podium_aggregate_decode(collection, aggregate, bytes, bytes_of_text(bytes, text, n));
}

podium_status podium_aggregate_peek(podium_spec *spec, const void *bytes, size_t n) {
    unsigned char of_text[PODIUM_AGGREGATE_BYTES_MAX];
    podium_sums made;
    const size_t text_bytes = bytes_of_text(of_text, bytes, n);
    const unsigned char *at = text_bytes > 0 ? of_text : bytes;
    reader r = {at, at + (text_bytes > 0 ? text_bytes : n), false};
    podium_status status = read_head(&r, &made);
    if (status == PODIUM_OK)
        *spec = made.spec;
    return status;
}
