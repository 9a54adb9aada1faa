/*
 * Number: converts decimal text to doubles and back, exactly and fast. Reading agrees with strtod to the last bit, and
 * writing agrees with printf to the last byte. Common numbers take a few nanoseconds; the rest is left to those two.
 */
#ifndef PODIUM_CLI_NUMBER_H
#define PODIUM_CLI_NUMBER_H

#include <podium_analysis.h>

/* Returns the text without the blanks and tabs around it, and sets *n to its length. */
const char *without_blanks(const char *text, size_t *n);

/* Reads a finite decimal number of at most 127 characters; blanks and tabs around it are allowed. Returns false, with x
   untouched, if the text is anything else. */
bool number_read(double *x, const char *text, size_t n);

/*
 * Reads a number whose end is not known yet. Returns the first byte that cannot be part of a number, or limit. Returns
 * NULL, with x untouched, unless the number has no blanks, no exponent, and at most 31 characters, 19 significant
 * digits and 27 decimals; the caller must then find the end of the field and call number_read. Never reads at or beyond
 * limit, and is fastest if limit is at least 48 bytes away.
 */
const char *number_scan(double *x, const char *text, const char *limit);

/* Writes x as printf("%.*f") does, without a final 0 byte and with at most NUMBER_DECIMALS_MAX decimals. Returns the
   length. There must be room for NUMBER_TEXT_MAX bytes, all of which may be overwritten. */
#define NUMBER_DECIMALS_MAX 18
#define NUMBER_TEXT_MAX 336
size_t number_write(char *to, double x, int decimals);

/*
 * How the reports of a collection are written: with a fixed number of decimals or, if these would be too many or the
 * numbers too large, as printf's "%.*g" does. There are just enough digits for every report to be read back as its own
 * cell and, if cells are few and far apart, for people who average reports without Podium to get the right mean.
 * number_write_report works like number_write, but writes at most NUMBER_REPORT_MAX characters.
 */
#define NUMBER_REPORT_MAX 40
typedef struct {
    bool fixed;
    int digits; /* decimals if fixed, otherwise significant digits */
} number_format;
number_format number_format_for(const podium_collection *collection);
size_t number_write_report(char *to, double report, number_format format);

#endif
