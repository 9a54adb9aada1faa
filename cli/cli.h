/* What the commands of the program share. The program uses only the public headers of the library. */
#ifndef PODIUM_CLI_H
#define PODIUM_CLI_H

#include "prints.h"

#include <podium_analysis.h>

#include <stdarg.h>
#include <stdio.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

enum { DONE = 0, BAD_DATA = 1, BAD_USAGE = 2, BAD_IO = 3 }; /* exit statuses */

/* ---- message.c ---- */

/* Prints "podium: ..." to standard error. Names in the message are escaped, so that they cannot act on a terminal. */
void say(const char *format, ...) PRINTS(1, 2);
/* Prints the message, removes incomplete output files, and exits with the status. */
_Noreturn void fail(int status, const char *format, ...) PRINTS(2, 3);
/* The same with status BAD_USAGE, and refers to the help of the command, or to the general help if it is "". */
_Noreturn void fail_usage(const char *command, const char *format, ...) PRINTS(2, 3);
_Noreturn void leave_quietly(void); /* as if killed by SIGPIPE, when nobody reads the output any more */
/* Ends the program unless the status is PODIUM_OK: with BAD_IO if memory is short, otherwise with `otherwise`. */
void require(podium_status status, int otherwise);
/* Whenever the program ends early, by fail or by a signal, the function is called, which must be safe in a signal
   handler. NULL calls nothing. say_before_leaving is for message.c and the platform. */
void before_leaving(void (*function)(void));
void say_before_leaving(void);
/* These return memory, or end the program. */
void *allocate(size_t n);
void *reallocate(void *memory, size_t n);
/* Flushes standard output and returns the status. Ends the program if that fails. */
int close_stdout(int status);

/* ---- collection.c; its options are in collection.h ---- */

/* These end the program if the spec is not valid. */
podium_collection collection_for(const podium_spec *spec);
podium_shape shape_from(const podium_spec *spec);
podium_shape shape_for(podium_mechanism mechanism, double epsilon, double min, double max);

/* ---- input.c ---- */

/* Works like read(2), but returns first what input_begins has read from standard input. */
ptrdiff_t input_read(int file, void *buffer, size_t n);
/* Returns the files, or a list with "-" if there are none. */
char **input_files(char **files);
/* Returns whether the file, or standard input for "-", begins with prefix. Returns false for named pipes, and for files
   that cannot be read. */
bool input_begins(const char *path, const char *prefix);

/* ---- output.c: replaces a file only when the new one is complete; failures end the program ---- */

typedef struct output output;
output *output_open(const char *path); /* NULL or "-" is standard output */
/* The same, but holds the output in memory until output_close, so that a failure leaves standard output empty as well.
 */
output *output_open_whole(const char *path);
void output_write(output *out, const void *bytes, size_t n);
void output_print(output *out, const char *format, ...) PRINTS(2, 3);
void output_flush(output *out);
void output_close(output *out); /* also commits */
/* Returns a temporary path beside the final one, for code that writes a file itself. output_commit renames all staged
   files, so that a picture and the printed output are replaced together or not at all. */
const char *output_stage(const char *path);
void output_commit(void);
void output_abandon(void); /* removes all staged files; safe in a signal handler */
/* Makes a directory that appears only when it is complete, and must not exist or be empty. output_open_inside opens one
   of its files, for output_close; a name that occurs twice ends the program. */
void output_directory_begin(const char *path);
output *output_open_inside(const char *name);
void output_directory_end(void);

/* ---- print.c: numbers and names in text, JSON and CSV ---- */

/* Decodes the first character of a UTF-8 string. Returns its length in bytes, or 0 if it is not valid: a stray byte, an
   overlong form, a surrogate, or a character beyond U+10FFFF. */
size_t utf8_decode(uint32_t *character, const char *text);

/* Prints `before` and x with the fewest digits that read back as x, or `none` if x is infinite or NaN. */
void print_number(output *out, const char *before, double x, const char *none);

/* Numbers with names, such as the columns of a row. Each is printed after a comma, as a member of a JSON object or as a
   field of CSV. */
typedef struct {
    const char *name;
    double x;
} named_number;
void print_members(output *out, const named_number *numbers, size_t count);
void print_fields(output *out, const named_number *numbers, size_t count);

/* Formats x with as many decimals as show two digits of its error, or with 6 digits if the error is 0 or absurd. NaN is
   "unknown". Returns text. */
#define ROUNDED_MAX 64
const char *rounded(char text[ROUNDED_MAX], double x, double error);

/* A name may contain any bytes. In text and JSON, control characters and characters that change the direction of text
   are written as \n, \x1b or \u202e. A byte that is not UTF-8 is written as \xff in text and as U+FFFD in JSON. CSV
   keeps the bytes as they are. */
void print_name(output *out, const char *text, int width); /* padded with blanks to `width` characters */
void print_name_json(output *out, const char *text);       /* in quotes */
void print_name_csv(output *out, const char *text);        /* in quotes */
bool blocks_readable(void);                                /* do the terminal's characters include blocks? */
int print_width(const char *text);                         /* the width of the name in print_name, in characters */

typedef enum { ESCAPE_TEXT, ESCAPE_JSON } escaping;
#define ESCAPED_MAX 8
/* Writes the first character of text to `to`, escaped as above. Returns where the next character begins. */
const char *escape(char to[ESCAPED_MAX], const char *text, escaping how);

/* ---- progress.c: one line on standard error, if that is a terminal ---- */

void progress_show(const char *what, uint64_t done, uint64_t total, uint64_t rows); /* total is 0 if it is unknown */
void progress_clear(void);

/* ---- plot.c: pictures drawn by gnuplot ---- */

/* Ends the program early if gnuplot is missing or the path does not end in .svg or .png. */
void plot_check(const char *command, const char *path);
/* plot_open starts gnuplot, sets a terminal of this size in pixels, and returns the file to write the script to.
   plot_close waits for the picture and leaves it staged for output_commit. */
FILE *plot_open(const char *path, int width, int height);
void plot_close(FILE *script, const char *path);
void plot_file(FILE *to, const char *path); /* writes the path as a quoted gnuplot string */

/* Printed instead of a shape if the reports are too few */
#define SHAPE_WITHHELD "Too few reports to estimate the distribution"

/* What every picture of estimates says */
typedef struct {
    const char *title; /* NULL if there is none */
    const char *name;  /* of the collection; may be empty */
    const podium_spec *spec;
    uint64_t reports;
} plot_head;
void plot_title(FILE *to, const plot_head *head);
/* Write a text from a stranger as a gnuplot string, after plot_title. A label of an axis is also a format, so its
   percent signs are doubled. */
void plot_text(FILE *to, const char *text);
void plot_label(FILE *to, const char *text);

typedef struct {
    plot_head head;
    const podium_summary *summary; /* the histogram has the bins of its distribution */
} plot;
void plot_write(const char *path, const plot *plot);

#endif
