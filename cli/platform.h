/*
 * Platform: what the program asks of the operating system and C does not have. There is a file for POSIX and a file for
 * Windows, and both keep the promises below. A path is a string of bytes; on Windows it is UTF-8, and so are the
 * arguments of the program. Functions that fail set errno.
 */
#ifndef PODIUM_PLATFORM_H
#define PODIUM_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

/* ---- The program ---- */

/* Called first. Afterwards the standard streams carry bytes as they are, using a standard stream that was closed is an
   error, and a signal or Ctrl-C that ends the program calls output_abandon before. Replaces the arguments where the
   system gave others than UTF-8. */
void platform_begin(int *count, char ***arguments);
/* Between these two, which do not nest, no signal ends the program. Only the main thread calls them. */
void signals_block(void);
void signals_restore(void);
/* Whether a write has failed with this errno because nobody reads any more; and ends the program as the system ends
   programs to which that happens. */
bool is_broken_pipe(int error);
_Noreturn void end_for_broken_pipe(void);
unsigned processor_count(void); /* at least 1 */

/* Returns whether standard error is a terminal that moves its cursor as told. */
bool terminal(void);
/* Returns whether a console shows UTF-8, where the environment says nothing of locales. */
bool console_reads_utf8(void);

/* ---- Files ---- */

typedef enum { FILE_MISSING, FILE_REGULAR, FILE_DIRECTORY, FILE_OTHER } file_kind;
typedef struct {
    file_kind kind; /* FILE_MISSING also if it cannot be looked at */
    uint64_t size;
    time_t changed;
} file_status;
file_status file_look(const char *path);

enum { STANDARD_INPUT = 0 };
int file_open(const char *path); /* for reading; returns -1 on failure, and a directory is one */
int file_open_to_write(const char *path);
ptrdiff_t file_read(int file, void *buffer, size_t n); /* works like read(2) */
void file_close(int file);
bool file_sync(int file); /* waits until the bytes are on the disk */
/* Waits until the name of a new file is on the disk too, where that needs a request of its own. */
bool file_sync_name(const char *path);
int file_of(FILE *stream);
FILE *file_stream(const char *path, const char *mode); /* works like fopen; the mode is "rb", "r+b", "wb", "wbx" or
                                                          "w+bx" */
bool file_lock(int file); /* returns false if another process has locked the file; closing it ends the lock */
void write_message(const char *text); /* to standard error, as it is; safe in a signal handler */

/* ---- Replacing files ---- */

const char *path_name(const char *path); /* what follows the last separator of directories */
/* Returns how much of the path is left without separators at its end; at least one character. */
size_t path_length(const char *path);
bool path_same(const char *a, const char *b); /* of two results of file_target: are they the same file? */
/* Returns a copy of the path of the file to replace, which for a link is its target, with the real path of its
   directory. If the directory does not exist, returns the path itself, and creating the file will fail. Ends the
   program if a link points nowhere. Returns NULL if memory is short. */
char *file_target(const char *path);
bool path_is_device(const char *path); /* is it one by its name, such as /dev/stdout? */

/* Creates an empty file that nobody can read who cannot read the file that it will replace. The path ends with XXXXXX
   and a suffix of that length; the X are replaced, so that the file did not exist before. */
bool file_create_for(char *path, size_t suffix_length, const char *target);
/* Creates a directory likewise, whose path ends with XXXXXX. */
bool directory_create_temporary(char *path);
bool directory_create(const char *path);
/* These move a file to where a file may be, and a directory to where an empty directory may be. Others see the old one
   or the new one, or on Windows for a moment no directory. */
bool file_replace(const char *from, const char *to);
bool directory_replace(const char *from, const char *to);
/* These are safe in a signal handler, and remove a file that is still open for writing. */
void file_remove(const char *path);
void directory_remove(const char *path);

/* ---- Other programs ---- */

bool program_installed(const char *name);
/* Starts a program that reads what is written to the stream that this returns, and whose output goes to the file. */
FILE *program_start(const char *name, int result);
bool program_end(FILE *input); /* waits for it, and returns whether it succeeded */

#endif
