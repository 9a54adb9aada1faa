/*
 * Podium: local differential privacy for numbers. This header is the device's half.
 *
 * A device holds a private number. It describes the collection (which mechanism, which epsilon, which range),
 * initialises it once, and turns each number into a report. Only reports leave the device. The average of many reports
 * is an unbiased estimate of the average value.
 *
 *     podium_spec spec = {.mechanism = PODIUM_MECHANISM_PODIUM, .epsilon = 1.0, .min = 1, .max = 120};
 *     podium_collection age;
 *     if (podium_collection_init(&age, &spec) != PODIUM_OK) ...
 *     if (podium_privatize(&age, reports, values, n) != PODIUM_OK) ...
 *
 * A report is often far outside [min, max], and an age of -91 or 204 is no mistake. Do not clamp, round or drop
 * reports, because a single report says next to nothing, and only unaltered reports average to the truth.
 *
 * These words are used throughout. A *value* is a private number. A *collection* is the question that is asked; it is
 * fixed and public. A value is put at a *place* of the range, and a *cell* of the support is drawn around that place. A
 * *report* is the number that the cell is worth; a *code* is the cell in as few bytes as possible. An *aggregate* is
 * the exact sum of many reports, and a *summary* is what the aggregate says about the values; both are in
 * podium_analysis.h.
 *
 * Every function has the same order of arguments: first what it consults (the collection, a channel, a random source,
 * or the struct that the function is named after), then outputs, then inputs. A length or a capacity follows its array,
 * and arrays of one length share it. Pointers must not be NULL unless the comment says what NULL means. If a function
 * fails, its outputs are untouched unless the comment says otherwise.
 *
 * No function locks or keeps data between calls, and none allocates memory unless its comment says so. A collection may
 * therefore be shared by threads, copied, and used on both sides of a fork. (OpenSSL, which the default source uses for
 * arrays, allocates and locks internally; podium_random_system does not.) The header works in C11 and in C++.
 */
#ifndef PODIUM_H
#define PODIUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PODIUM_API __attribute__((visibility("default")))
#define PODIUM_MUST_USE __attribute__((warn_unused_result))
#else
#define PODIUM_API
#define PODIUM_MUST_USE
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Version ---------------------------------------------------------------------------------------------- */

/* The version of this header, as numbers and as text. The build and the packages read their version from these
   numbers. */
#define PODIUM_VERSION_MAJOR 0
#define PODIUM_VERSION_MINOR 1
#define PODIUM_VERSION_PATCH 0
/* As one number, which grows with every version, for comparisons in #if */
#define PODIUM_VERSION_NUMBER (PODIUM_VERSION_MAJOR * 1000000 + PODIUM_VERSION_MINOR * 1000 + PODIUM_VERSION_PATCH)
#define PODIUM_VERSION PODIUM_VERSION_TEXT(PODIUM_VERSION_MAJOR, PODIUM_VERSION_MINOR, PODIUM_VERSION_PATCH)
#define PODIUM_VERSION_TEXT(major, minor, patch) PODIUM_VERSION_JOIN(major, minor, patch)
#define PODIUM_VERSION_JOIN(major, minor, patch) #major "." #minor "." #patch
/* Returns the version of the library that the program runs with, as text such as "0.1.0". It may differ from
   PODIUM_VERSION if the library is shared. */
PODIUM_API const char *podium_version(void);

/* ---- Status ------------------------------------------------------------------------------------------------ */

/* What a function returns if it can fail. The numbers never change. */
typedef enum podium_status {
    PODIUM_OK = 0,
    PODIUM_ERROR_MECHANISM_UNKNOWN = 1,
    PODIUM_ERROR_EPSILON_NOT_FINITE = 2,
    PODIUM_ERROR_EPSILON_NOT_POSITIVE = 3,
    PODIUM_ERROR_EPSILON_TOO_SMALL = 4, /* below PODIUM_EPSILON_MIN */
    PODIUM_ERROR_EPSILON_TOO_LARGE = 5, /* above PODIUM_EPSILON_MAX (reports) or PODIUM_EPSILON_MAX_SHAPE (formulas) */
    PODIUM_ERROR_RANGE_NOT_FINITE = 6,
    PODIUM_ERROR_RANGE_EMPTY = 7,        /* min is not below max */
    PODIUM_ERROR_RANGE_ABSURD = 8,       /* a bound beyond PODIUM_BOUND_MAX, or not zero and below PODIUM_BOUND_MIN */
    PODIUM_ERROR_RANGE_TOO_NARROW = 9,   /* see podium_collection_init */
    PODIUM_ERROR_NOT_INITIALISED = 10,   /* the collection was never initialised, or its initialisation failed */
    PODIUM_ERROR_RANDOM_FAILED = 11,     /* the random source failed, so there are no reports */
    PODIUM_ERROR_NOT_PRIVATE = 12,       /* the thresholds failed their own check; this is a bug, so please report it */
    PODIUM_ERROR_TEXT_MALFORMED = 13,    /* a text, a code or an encoded aggregate is not in its format */
    PODIUM_ERROR_VERSION_UNKNOWN = 14,   /* a text or an encoded aggregate has a format newer than this library */
    PODIUM_ERROR_FINGERPRINT_WRONG = 15, /* two arguments, or a text and its fingerprint, do not fit together */
    PODIUM_ERROR_AGGREGATE_FULL = 16,    /* more reports than an aggregate can count */
    PODIUM_ERROR_TOO_FEW_REPORTS = 17,
    PODIUM_ERROR_ARGUMENT_WRONG = 18, /* a confidence, a probability, a number of bins or people is out of range; or a
                                         spec's reserved is not 0 */
    PODIUM_ERROR_OUT_OF_MEMORY = 19,
    PODIUM_ERROR_SPREAD_WRONG = 20,     /* not from 0 to 1/4, or the mechanism has no such parameter */
    PODIUM_ERROR_CELLS_WRONG = 21,      /* not from 2 to PODIUM_CELLS_MAX, or the mechanism has no such parameter */
    PODIUM_ERROR_NO_DENSITY = 22,       /* podium_shape_init: the mechanism has no density */
    PODIUM_ERROR_NEVER_ADDED = 23,      /* podium_aggregate_subtract: these reports are not in the aggregate */
    PODIUM_ERROR_NOT_REPORTS = 24,      /* podium_aggregate_check: no values could have led to such reports */
    PODIUM_ERROR_BUFFER_TOO_SMALL = 25, /* an output does not fit its buffer */
    PODIUM_ERROR_MEAN_ONLY = 26,        /* the collection has two cells, which show only the mean of the values */
    PODIUM_ERROR_CHECKSUM_WRONG = 27    /* a collection in flash is damaged; see podium_firmware.h */
} podium_status;

/* Returns what a status means, in a few English words. Never NULL; an unknown number returns "unknown status". */
PODIUM_API const char *podium_status_message(podium_status status);

/* Returns the field that a status is about: "mechanism", "epsilon", "range", "spread" or "cells" of a spec, "podium"
   (the version) or "fingerprint" of a collection's text, and "" for every other status. Never NULL. */
PODIUM_API const char *podium_status_field(podium_status status);

/* Says where a text is wrong. */
typedef struct podium_error {
    podium_status status;
    uint32_t line;   /* counted from 1; 0 if the error is not in one line, for example because a line is missing */
    uint32_t column; /* of the first wrong byte, counted from 1; 0 if it is not known */
    char field[32];  /* the key that is wrong, as podium_status_field or the text names it; "" if there is none */
} podium_error;

/* ---- Spec: what is collected --------------------------------------------------------------------------------- */

/* docs/mechanisms.md says when to choose which. The numbers are part of every encoded aggregate, so they never
   change. */
typedef enum podium_mechanism {
    PODIUM_MECHANISM_PODIUM = 0,             /* the least worst-case variance of its family */
    PODIUM_MECHANISM_PODIUM_APPROXIMATE = 1, /* the same with s = epsilon/3 */
    PODIUM_MECHANISM_LAPLACE = 2,
    PODIUM_MECHANISM_STAIRCASE = 3,
    PODIUM_MECHANISM_DUCHI = 4,        /* two outputs */
    PODIUM_MECHANISM_PIECEWISE = 5,    /* Podium's family, s = epsilon/2 */
    PODIUM_MECHANISM_HYBRID = 6,       /* Piecewise or Duchi, by a public coin */
    PODIUM_MECHANISM_PODIUM_TUNED = 7, /* Podium for values of a given spread */
    PODIUM_MECHANISM_MINIMAX = 8,      /* close to the least worst-case variance there is, in few cells */
    PODIUM_MECHANISM_SQUARE_WAVE = 9,  /* made for the shape of the values */
    PODIUM_MECHANISM_DEFAULT = 0       /* the mechanism of a spec that is all zeros */
} podium_mechanism;

/* Mechanisms are numbered from 0 to podium_mechanism_count() - 1. The four functions after it return NULL for any
   other number. */
PODIUM_API size_t podium_mechanism_count(void);
PODIUM_API const char *podium_mechanism_name(podium_mechanism mechanism);    /* such as "podium-tuned" */
PODIUM_API const char *podium_mechanism_summary(podium_mechanism mechanism); /* when to choose it, in a few words */
PODIUM_API const char *podium_mechanism_colour(podium_mechanism mechanism); /* its colour in plots, such as "#0072b2" */
PODIUM_API const char *podium_mechanism_parameter(podium_mechanism mechanism); /* "spread", "cells", or NULL if none */

/* Returns the textbook mechanism with which the others are compared (Laplace). */
PODIUM_API podium_mechanism podium_mechanism_yardstick(void);

/* Sets mechanism to the one whose name is these n bytes. Fails with PODIUM_ERROR_MECHANISM_UNKNOWN if there is none. */
PODIUM_API podium_status podium_mechanism_from_name(podium_mechanism *mechanism, const char *name,
                                                    size_t n) PODIUM_MUST_USE;

/*
 * The description of a collection. It is public, and fixed before the first value is seen. The range must come from
 * knowledge of the question (an age lies in 1..120) and never from the data, because a range computed from the data
 * reveals something about the data.
 */
typedef struct podium_spec {
    podium_mechanism mechanism;
    double epsilon;
    double min;
    double max;
    /* For mechanisms with this parameter; 0 for the others. The mean square of the values about the middle, in units of
       (max - min)^2, from 0 (all in the middle) through 1/12 (spread evenly) to 1/4 (all at the ends). */
    double spread;
    /* For mechanisms with this parameter; 0 for the others. The most cells that the support may have; 0 stands for
       PODIUM_CELLS_DEFAULT. */
    uint32_t cells;
    uint64_t reserved[4]; /* room to grow; must be 0 */
} podium_spec;

#define PODIUM_CELLS_DEFAULT 256
#define PODIUM_CELLS_MAX 65536
#define PODIUM_EPSILON_MIN 1e-6
#define PODIUM_EPSILON_MAX 50.0        /* the largest that podium_collection_init accepts */
#define PODIUM_EPSILON_MAX_SHAPE 700.0 /* the largest that podium_shape_init accepts */
#define PODIUM_BOUND_MAX 1e140
#define PODIUM_BOUND_MIN 1e-140

/* Returns whether two specs make the same collection. 0 and -0 are the same bound, and a default is the same as its
   value. False if either spec is not valid. */
PODIUM_API bool podium_spec_equal(const podium_spec *a, const podium_spec *b);

/*
 * Writes a spec as one readable line, such as "minimax epsilon=1 range=1:120" or "podium-tuned epsilon=0.5 range=0:10
 * spread=0.05". The line is canonical, which means that two specs are equal exactly if their lines are.
 *
 * Returns the length of the line without the 0 byte that ends it, or 0 if the spec is not valid. If the length is not
 * below the capacity, nothing is written; PODIUM_SPEC_TEXT_MAX is always enough. text may be NULL if the capacity is 0.
 */
#define PODIUM_SPEC_TEXT_MAX 256
PODIUM_API size_t podium_spec_format(const podium_spec *spec, char *text, size_t capacity);

/* Reads a spec from n bytes: a mechanism's name, then key=value in any order, separated by blanks. The spec is
   checked as podium_collection_init checks it, except that the range may be too narrow. On failure error, if it is
   not NULL, says which key is wrong and where. */
PODIUM_API podium_status podium_spec_parse(podium_spec *spec, podium_error *error, const char *text,
                                           size_t n) PODIUM_MUST_USE;

/* ---- Collection: a spec made ready ----------------------------------------------------------------------------- */

/* A spec made ready for use. The struct has a fixed size, so that it can be put on the stack, copied, or kept in
   flash. Its bytes are private to the library; the functions below return what people need of it. A struct that is
   all zeros is not initialised. Privatising, making a channel, summarising and planning then fail with
   PODIUM_ERROR_NOT_INITIALISED, and podium_collection_cells returns 0; all other functions need an initialised
   collection. */
typedef struct podium_collection {
    union {
        unsigned char bytes[4096];
        uint64_t word;
        double number;
    } opaque;
} podium_collection;

/*
 * Checks the spec and makes the collection ready. On failure the collection is cleared to zeros.
 *
 * In an optimised build this takes between microseconds and a few milliseconds, and at most 4 KiB of stack. A mechanism
 * that solves for its output map (today only minimax) takes some tens of milliseconds, at most 16 KiB of stack, and up
 * to 1 MiB of heap, which it frees before it returns. If there is no heap, it fails with PODIUM_ERROR_OUT_OF_MEMORY.
 *
 * PODIUM_ERROR_RANGE_TOO_NARROW means that neighbouring reports would not be different doubles. How narrow is too
 * narrow depends on the mechanism and epsilon; a width max - min of a hundred-thousandth of the larger bound is always
 * enough. For example, subtract the start of the day from timestamps that are collected to the minute.
 */
PODIUM_API podium_status podium_collection_init(podium_collection *collection, const podium_spec *spec) PODIUM_MUST_USE;

/* Checks a collection that was initialised elsewhere by the same version of the library, and copied: from a file, from
   flash, from a server. PODIUM_OK means that its reports are as private as the epsilon of its spec says, because the
   inequalities of docs/proof.md hold, and that no function reads beyond its tables. Whether its reports are accurate is
   not checked. Takes microseconds, or some milliseconds for Laplace and Staircase. Fails with
   PODIUM_ERROR_NOT_INITIALISED or PODIUM_ERROR_NOT_PRIVATE. */
PODIUM_API podium_status podium_collection_check(const podium_collection *collection) PODIUM_MUST_USE;

/* The spec with its defaults filled in, and a fingerprint of it by which two sides can check that they mean the same
   collection. */
PODIUM_API podium_spec podium_collection_spec(const podium_collection *collection);
PODIUM_API uint64_t podium_collection_fingerprint(const podium_collection *collection);

/* The numbers of cells and of places. Cells are numbered 0 to cells - 1, and places 0 to places. A collection that
   is not initialised has 0 cells. */
PODIUM_API uint64_t podium_collection_cells(const podium_collection *collection);
PODIUM_API uint64_t podium_collection_places(const podium_collection *collection);

/* The support: the least report, the greatest report, and the spacing. Any two reports differ by a whole multiple of
   the spacing. */
PODIUM_API double podium_collection_least(const podium_collection *collection);
PODIUM_API double podium_collection_most(const podium_collection *collection);
PODIUM_API double podium_collection_spacing(const podium_collection *collection);

/* The variance of the report of x, and its minimum and maximum over all x. These are the variances that the sampler
   really has, not those of a continuous ideal, except for rounding. An x outside the range counts as the nearer end,
   and the variance at NaN is NaN. The mean of n reports differs from the mean of the n values with a standard error
   of at most sqrt(podium_collection_variance_most(&collection) / n). */
PODIUM_API double podium_collection_variance(const podium_collection *collection, double x);
PODIUM_API double podium_collection_variance_least(const podium_collection *collection);
PODIUM_API double podium_collection_variance_most(const podium_collection *collection);

/* Returns whether reports say anything about the values besides their mean. In a collection with two cells they do
   not. */
PODIUM_API bool podium_collection_tells_spread(const podium_collection *collection);

/*
 * Writes a collection as text: short lines of "key = value", with a version and the fingerprint, for a file that people
 * can read. name is what the collection is called, up to 63 bytes without control characters, or NULL if it has no
 * name.
 *
 * Returns the length of the text without the 0 byte that ends it. If the length is not below the capacity, nothing is
 * written; PODIUM_COLLECTION_TEXT_MAX is always enough. text may be NULL if the capacity is 0. Returns 0 if the
 * collection was not initialised, or the name cannot be one.
 */
#define PODIUM_NAME_MAX 64
#define PODIUM_COLLECTION_TEXT_MAX 512
PODIUM_API size_t podium_collection_format(const podium_collection *collection, char *text, size_t capacity,
                                           const char *name);

/* Initialises a collection from n bytes of such a text, or of a line that podium_spec_format wrote. If name is not
   NULL, it receives the collection's name, or "" if there is none; the call fails with PODIUM_ERROR_BUFFER_TOO_SMALL
   if the name and its 0 byte exceed the capacity, and PODIUM_NAME_MAX is always enough. On failure the collection is
   cleared to zeros, and error, if it is not NULL, says which line is wrong. */
PODIUM_API podium_status podium_collection_parse(podium_collection *collection, char *name, size_t capacity,
                                                 podium_error *error, const char *text, size_t n) PODIUM_MUST_USE;

/* ---- Random: where the random bits come from -------------------------------------------------------------- */

/*
 * A source of random bytes. To use your own, set fill, and context if fill needs one. fill must write n unpredictable
 * bytes and return n. Any other return value is a failure, and so is a fill that is NULL; the call that needed the
 * bytes then fails with PODIUM_ERROR_RANDOM_FAILED.
 *
 * The same bytes draw the same cells on every machine, whatever its processor and its byte order.
 *
 * If a source has something to set up for each call, open returns the context that fill and close receive, or NULL on
 * failure; its argument bytes is how many bytes the call will need in all. Leave open and close NULL if there is
 * nothing to set up.
 */
typedef struct podium_random {
    size_t (*fill)(void *context, void *buffer, size_t n);
    void *context;
    void *(*open)(void *context, size_t bytes);
    void (*close)(void *context);
} podium_random;

/* Returns the operating system's source: getrandom(2) or its equivalent. It is the best choice for a few values at a
   time. In a build for machines without an operating system (PODIUM_RANDOM=none) its fill is NULL, and so is the
   default's, so that a caller who brings no source gets PODIUM_ERROR_RANDOM_FAILED. */
PODIUM_API const podium_random *podium_random_system(void);

/* Returns the default source. It uses the operating system for a few values, and for arrays AES-256-CTR from OpenSSL
   under a key that each call gets from the operating system. In a build without OpenSSL it does the same as
   podium_random_system(). */
PODIUM_API const podium_random *podium_random_default(void);

/* ---- Privatize: the only functions that see a private value ------------------------------------------------ */

/*
 * Turns n values into n reports with the default source. For a single value, n is 1. reports may be the same array as
 * values, but may not overlap it in any other way.
 *
 * Every double is accepted. A value outside the range counts as the nearer end, and NaN as the middle. The status and
 * the running time depend on the collection, n and the random source, and never on a value. If the source fails, all n
 * reports are NaN.
 *
 * In an optimised build one value takes at most 1 KiB of stack, and an array at most 16 KiB, plus the stack of a source
 * of your own.
 */
PODIUM_API podium_status podium_privatize(const podium_collection *collection, double *reports, const double *values,
                                          size_t n) PODIUM_MUST_USE;

/* The same with a source of your choice. NULL stands for podium_random_default(). */
PODIUM_API podium_status podium_privatize_from(const podium_collection *collection, const podium_random *random,
                                               double *reports, const double *values, size_t n) PODIUM_MUST_USE;

/* The same, but the output is cells, which podium_codes_encode packs into few bytes. If the source fails, all n
   cells are 0; since 0 is a valid cell, check the status, and send nothing on failure. cells must not overlap
   values. */
PODIUM_API podium_status podium_privatize_cells(const podium_collection *collection, const podium_random *random,
                                                uint32_t *cells, const double *values, size_t n) PODIUM_MUST_USE;

/* ---- Cells as reports, and as codes ---------------------------------------------------------------------------- */

/* Turns n cells into the reports that podium_privatize would have returned for them. Fails with
   PODIUM_ERROR_ARGUMENT_WRONG, with no report written, if a cell is not below podium_collection_cells(collection). */
PODIUM_API podium_status podium_collection_reports(const podium_collection *collection, double *reports,
                                                   const uint32_t *cells, size_t n) PODIUM_MUST_USE;

/* Returns how many bytes a code has, from 1 to 4: the fewest that can hold every cell. */
PODIUM_API size_t podium_code_bytes(const podium_collection *collection);

/* Writes n cells as codes, least significant byte first. capacity is in bytes; fails with PODIUM_ERROR_BUFFER_TOO_SMALL
   if n * podium_code_bytes(collection) exceeds it, and with PODIUM_ERROR_ARGUMENT_WRONG if a cell is not below
   podium_collection_cells(collection). */
PODIUM_API podium_status podium_codes_encode(const podium_collection *collection, unsigned char *codes, size_t capacity,
                                             const uint32_t *cells, size_t n) PODIUM_MUST_USE;

/* Reads the cells of n bytes of codes, one for every podium_code_bytes(collection) bytes. capacity is in cells; fails
   with PODIUM_ERROR_BUFFER_TOO_SMALL if there are more codes, and with PODIUM_ERROR_TEXT_MALFORMED if the bytes are not
   a whole number of codes, or a code is not a cell. */
PODIUM_API podium_status podium_codes_decode(const podium_collection *collection, uint32_t *cells, size_t capacity,
                                             const unsigned char *codes, size_t n) PODIUM_MUST_USE;

/* ---- Numbers as text: unlike printf and strtod, these do not depend on the locale ------------------------------- */

/* Writes x with the fewest digits that printf's %g needs for a number that reads back as x, with a dot. An infinity
   or a NaN is written as "inf", "-inf", "nan" or "-nan", which JSON does not have. Returns the length of the text
   without the 0 byte that ends it. If the length is not below the capacity, nothing is written;
   PODIUM_NUMBER_TEXT_MAX is always enough. text may be NULL if the capacity is 0. */
#define PODIUM_NUMBER_TEXT_MAX 48
PODIUM_API size_t podium_number_format(char *text, size_t capacity, double x);

/* Reads a number from exactly n bytes, at most PODIUM_NUMBER_PARSE_MAX: decimal digits with an optional dot, sign
   and exponent, and nothing else. A number that is too large for a double becomes an infinity. Fails with
   PODIUM_ERROR_TEXT_MALFORMED if the bytes are not such a number. */
#define PODIUM_NUMBER_PARSE_MAX 127
PODIUM_API podium_status podium_number_parse(double *x, const char *text, size_t n) PODIUM_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
