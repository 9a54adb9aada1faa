/*
 * Number: decimal text to double and back, exactly and fast. What is read is what strtod reads, what is written is what
 * printf writes, to the last bit and byte; the common shapes take a few nanoseconds, the others are left to those two.
 */
#ifndef PODIUM_CLI_NUMBER_H
#define PODIUM_CLI_NUMBER_H

#include <podium.h>

/* The text without the blanks and tabs around it, and its length then */
const char *without_blanks(const char *text, size_t *n);

/* Decimal, finite, at most 127 characters, blanks around them allowed. On failure x is untouched. */
bool number_read(double *x, const char *text, size_t n);

/*
 * The same without knowing where the number ends: from text up to the first byte that is in no number, or limit, which
 * is returned. NULL, with x untouched, where this is not a number without blanks and exponent, of at most 31
 * characters, 19 digits that count and 27 decimals: find the end of the field then, and ask number_read. Never reads at
 * limit or beyond; quickest where limit is 48 bytes away or more.
 */
const char *number_scan(double *x, const char *text, const char *limit);

/* As printf("%.*f") does, without the final 0; up to NUMBER_DECIMALS_MAX decimals. Returns how many bytes that were;
   there must be room for NUMBER_TEXT_MAX, and what lies behind the text there may be overwritten. */
#define NUMBER_DECIMALS_MAX 18
#define NUMBER_TEXT_MAX 336
size_t number_write(char *to, double x, int decimals);

/*
 * How the reports of a collection are written: with so many decimals, or in printf's "%.*g" where those would be too
 * many, or the numbers too large. As few digits as let every report be read as its own cell; and where cells are few
 * and far apart, enough that whoever averages reports without Podium has the right mean. number_write_report is as
 * number_write, but for the length, which is at most NUMBER_REPORT_MAX.
 */
#define NUMBER_REPORT_MAX 40
typedef struct {
    bool fixed;
    int digits; /* decimals, or all that count */
} number_format;
number_format number_format_for(const podium_collection *collection);
size_t number_write_report(char *to, double report, number_format format);

#endif
