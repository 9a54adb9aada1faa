/* The functions of stdio.h and stdlib.h that write and read numbers, as far as the library uses them: JavaScript does
   the work. Like the C library's, they round correctly, and like printf they round a tie to an even digit. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes x as printf's %.*g would, and returns how many bytes that takes. */
__attribute__((import_module("podium"), import_name("write"))) size_t host_write(char *text, int digits, double x);
/* Reads the number of n bytes. NaN if they are none. */
__attribute__((import_module("podium"), import_name("read"))) double host_read(const char *text, size_t n);

double strtod(const char *restrict text, char **restrict end) {
    const size_t n = strlen(text);
    const double x = n == 0 ? 0 : host_read(text, n);
    const int is_number = n > 0 && x == x;
    if (end != NULL)
        *end = (char *)(is_number ? text + n : text);
    return is_number ? x : 0;
}

typedef struct {
    char *at;
    size_t capacity, n;
} writer;

/* Writes a text up to its end, but at most n bytes. */
static void write_text(writer *w, const char *text, size_t n) {
    for (size_t i = 0; i < n && text[i] != '\0'; i++, w->n++)
        if (w->n + 1 < w->capacity)
            w->at[w->n] = text[i];
}

/* The library's formats are made of %s, %.*s, %.*g and %.1f, the last of which it applies to 0.5 alone. */
static const char *write_field(writer *w, const char *format, va_list *arguments) {
    char number[32];
    size_t most = (size_t)-1;
    if (*format == '.') {
        most = format[1] == '*' ? (size_t)va_arg(*arguments, int) : 1;
        format += 2;
    }
    if (*format == 's')
        write_text(w, va_arg(*arguments, const char *), most);
    else
        write_text(w, number, host_write(number, (int)most, va_arg(*arguments, double)));
    return format;
}

int snprintf(char *restrict text, size_t capacity, const char *restrict format, ...) {
    writer w = {.at = text, .capacity = capacity};
    va_list arguments;
    va_start(arguments, format);
    for (; *format != '\0'; format++)
        if (*format != '%')
            write_text(&w, format, 1);
        else
            format = write_field(&w, format + 1, &arguments);
    va_end(arguments);
    if (capacity > 0)
        text[w.n < capacity ? w.n : capacity - 1] = '\0';
    return (int)w.n;
}
