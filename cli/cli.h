/* What the commands of the program share. A pure client of podium.h. */
#ifndef PODIUM_CLI_H
#define PODIUM_CLI_H

#include <podium.h>

#include <stdarg.h>
#include <stdio.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

enum { DONE = 0, BAD_DATA = 1, BAD_USAGE = 2, BAD_IO = 3 }; /* exit statuses */

/* message.c: says "podium: ..." on standard error, where names that the message has in it do no harm. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Says it, removes what is half written, and exits. */
_Noreturn void fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* ... and refers to the help for the command, or in general for "". */
_Noreturn void fail_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void leave_quietly(void); /* as if killed by SIGPIPE: nobody reads any more, and that is no error */
/* Fails unless the status is PODIUM_OK: with BAD_IO where memory is short, else with `otherwise`. */
void require(podium_status status, int otherwise);
void *allocate(size_t n); /* or fail, as the next */
void *reallocate(void *memory, size_t n);
int close_stdout(int status); /* help and version too must have reached their reader */

/* ---- collection.c; its options are in collection.h ---- */

podium_collection collection_for(const podium_spec *spec); /* or fail, as the next */
podium_shape shape_from(const podium_spec *spec);
podium_shape shape_for(podium_mechanism mechanism, double epsilon, double min, double max);

/* ---- input.c: read(2), except that one may look at the beginning of standard input first ---- */

ptrdiff_t input_read(int file, void *buffer, size_t n);
/* The files named_number; where there are none, standard input. */
char **input_files(char **files);
/* Does the file begin like that? "-" is standard input. False also where it cannot be read, and for named pipes. */
bool input_begins(const char *path, const char *prefix);

/* ---- output.c: a file is replaced only when it is complete; failures end the program ---- */

typedef struct output output;
output *output_open(const char *path); /* NULL or "-": standard output */
void output_write(output *out, const void *bytes, size_t n);
void output_print(output *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void output_flush(output *out);
void output_close(output *out); /* commits too */
/* For others that write a file: a path beside the final one; the commit moves all that are staged into their places, so
   that a picture appears together with what is printed, or neither does. */
const char *output_stage(const char *path);
void output_commit(void);
void output_abandon(void); /* removes what is staged; safe in a signal handler */

/* ---- print.c: numbers and names as text, JSON and CSV have them ---- */

/* The character of UTF-8 that text, which ends in a 0, begins with, and its length in bytes; 0 where it is none: a
   stray byte, one written with too many bytes, half of a pair (a surrogate), or one beyond the last. */
size_t utf8_decode(uint32_t *character, const char *text);

/* The fewest digits that read back; none stands for an infinity or a NaN. */
void print_number(output *out, const char *before, double x, const char *none);

/* Numbers that have names, such as the columns of a row. Each of them is printed after a comma: as a member of a JSON
   object, or as a cell of CSV. */
typedef struct {
    const char *name;
    double x;
} named_number;
void print_members(output *out, const named_number *numbers, size_t count);
void print_cells(output *out, const named_number *numbers, size_t count);

/* A name may have any bytes. In text and JSON its control characters, and what turns the direction of text, are written
   as \n, \x1b, \u202e; a byte that is not UTF-8 as \xff in text and as U+FFFD in JSON. CSV has the bytes as they are.
 */
void print_name(output *out, const char *text, int width); /* with blanks up to so many characters */
void print_name_json(output *out, const char *text);       /* in quotes, as the next */
void print_name_csv(output *out, const char *text);
int print_width(const char *text); /* the characters that print_name shows */

typedef enum { ESCAPE_TEXT, ESCAPE_JSON } escaping;
#define ESCAPED_MAX 8
/* The first character of text, as above, as a string; returns where the next one begins. */
const char *escape(char to[ESCAPED_MAX], const char *text, escaping how);

/* ---- progress.c: one line on standard error, where that is a terminal ---- */

void progress_show(const char *what, uint64_t done, uint64_t total, uint64_t rows); /* total 0: not known */
void progress_clear(void);

/* ---- plot.c: pictures by gnuplot ---- */

void plot_check(const char *command, const char *path); /* fails early where it could not be drawn */
/* Where to write the script: the terminal is set, of so many pixels. Then draws it, and leaves it to output_commit. */
FILE *plot_open(const char *path, int width, int height);
void plot_close(FILE *script, const char *path);
void plot_file(FILE *to, const char *path);               /* a file's name as a gnuplot string, in quotes */
const char *mechanism_colour(podium_mechanism mechanism); /* the same in every picture */

/* What is said in place of a shape that is not telling */
#define SHAPE_WITHHELD "Too few reports to estimate the distribution"

typedef struct {
    const char *name; /* of what is collected; may be empty */
    const podium_spec *spec;
    const podium_distribution *distribution;
    const podium_estimate *estimate;
} plot;
void plot_write(const char *path, const plot *plot);

#endif
