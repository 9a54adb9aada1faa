#include "table/columns.h"
#include "platform.h"
#include "table/number.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAME_SIZE 1024 /* names are compared up to this many bytes */

typedef struct {
    const csv_record *record;
    char separator;
    const char *file;
} first_line;

const char *column_label(const column *c, char text[32]) {
    snprintf(text, 32, "%zu", c->field + 1);
    return c->asked != NULL ? c->asked : text;
}

static _Noreturn void fail_same(const column *a, const column *b) {
    fail(BAD_USAGE, "--column %s and --column %s are the same column", a->asked, b->asked);
}

/* ---- Names ---- */

/* The content of a field, without its quotes and the blanks around it. If n is NAME_SIZE, it may have been cut off. */
typedef struct {
    char plain[NAME_SIZE + 1]; /* ends in a zero byte */
    const char *text;
    size_t n;
} field_name;

static void set_name(field_name *name, const first_line *line, const csv_field *field) {
    name->n = csv_unquote(name->plain, NAME_SIZE, line->record->text + field->from, field->to - field->from);
    name->plain[name->n] = '\0';
    name->text = name->n < NAME_SIZE ? without_blanks(name->plain, &name->n) : name->plain;
}

/* An index of columns, sorted by name, because a line may have millions of fields, each of which is looked up. */
typedef struct {
    const char *text;
    size_t n;
    column *column;
} entry;

static int by_text(const void *a, const void *b) {
    const entry *x = a, *y = b;
    int order = memcmp(x->text, y->text, x->n < y->n ? x->n : y->n);
    return order != 0 ? order : (x->n > y->n) - (x->n < y->n);
}

/* The order of equal elements after qsort depends on the C library, so they are in the order of their options. */
static int by_option(const column *x, const column *y) {
    return (x->option > y->option) - (x->option < y->option);
}

static int by_text_and_option(const void *a, const void *b) {
    const int order = by_text(a, b);
    return order != 0 ? order : by_option(((const entry *)a)->column, ((const entry *)b)->column);
}

static column *find(const entry *index, size_t count, const field_name *name) {
    entry key = {name->text, name->n, NULL};
    const entry *found = count == 0 ? NULL : bsearch(&key, index, count, sizeof key, by_text);
    return found == NULL ? NULL : found->column;
}

static entry entry_for(column *c) {
    size_t n = strlen(c->asked);
    const char *text = without_blanks(c->asked, &n);
    return (entry){text, n, c};
}

/* Indexes the columns by what --column says, and returns how many there are. Ends the program if two are the same. */
static size_t index_asked(entry *index, const column_set *all) {
    size_t count = 0;
    for (; count < all->count && all->column[count].asked != NULL; count++)
        index[count] = entry_for(&all->column[count]);
    qsort(index, count, sizeof *index, by_text_and_option);
    for (size_t i = 1; i < count; i++)
        if (by_text(&index[i - 1], &index[i]) == 0)
            fail_same(index[i - 1].column, index[i].column);
    return count;
}

static void add_match(column *c, size_t field) {
    if (c == NULL)
        return;
    c->field = field;
    c->matches++;
}

/* Counts for each column the fields that have its name, and all fields of the line. */
static void match_names(column_set *all, const first_line *line) {
    entry *index = allocate(all->count * sizeof *index), *by = allocate((all->by_count + 1) * sizeof *by);
    size_t count = index_asked(index, all);
    csv_field field = csv_begin(line->record);
    field_name name;
    for (size_t b = 0; b < all->by_count; b++)
        by[b] = entry_for(&all->by[b]);
    for (all->fields = 0; csv_next(&field, line->record, line->separator); all->fields++) {
        set_name(&name, line, &field);
        add_match(find(index, count, &name), all->fields);
        for (size_t b = 0; b < all->by_count; b++)
            add_match(find(&by[b], 1, &name), all->fields);
    }
    free(by);
    free(index);
}

/*
 * Finds the field of a column, by its name in the header or by its number, from 1. Returns whether it was found by
 * name. Unless the user says that there is a header, a number is never a name, because otherwise a value in the first
 * line could be taken for a header.
 */
static bool resolve(const column_set *all, column *c, const first_line *line) {
    double number;
    bool is_number = number_read(&number, c->asked, strlen(c->asked));
    bool numbered = is_number && number >= 1 && number <= (double)all->fields && number == (double)(size_t)number;
    bool named = all->header == HEADER_YES || (all->header == HEADER_AUTO && !is_number);
    if (named && c->matches > 1)
        fail(BAD_DATA, "%s, line 1: %zu columns are called '%s'; give their numbers instead", line->file, c->matches,
             c->asked);
    if (named && c->matches == 1)
        return true;
    if (is_number && !numbered && !named)
        fail(BAD_DATA, "%s, line 1: there is no column %s, only 1 to %zu%s", line->file, c->asked, all->fields,
             all->header == HEADER_AUTO ? "; if that is a name, use --header yes" : "");
    if (!numbered)
        fail(BAD_DATA, "%s, line 1: none of the %zu columns is called '%s'", line->file, all->fields, c->asked);
    c->field = (size_t)number - 1;
    return false;
}

static int by_field(const void *a, const void *b) {
    size_t x = ((const column *)a)->field, y = ((const column *)b)->field;
    return (x > y) - (x < y);
}

static int by_field_and_option(const void *a, const void *b) {
    const int order = by_field(a, b);
    return order != 0 ? order : by_option(a, b);
}

/* Finds all columns. Returns whether one was found by name, which makes the line a header. */
static bool resolve_all(column_set *all, const first_line *line) {
    bool named = false;
    if (all->column[0].asked == NULL && all->fields != 1)
        fail(BAD_USAGE, "%s has %zu columns; choose one with --column NAME or --column NUMBER", line->file,
             all->fields);
    for (size_t c = 0; c < all->count && all->column[c].asked != NULL; c++)
        named |= resolve(all, &all->column[c], line);
    for (size_t b = 0; b < all->by_count; b++)
        named |= resolve(all, &all->by[b], line);
    qsort(all->column, all->count, sizeof *all->column, by_field_and_option);
    for (size_t c = 1; c < all->count; c++)
        if (all->column[c].field == all->column[c - 1].field)
            fail_same(&all->column[c - 1], &all->column[c]);
    all->least = all->column[all->count - 1].field + 1;
    for (size_t b = 0; b < all->by_count; b++)
        if (all->by[b].field >= all->least)
            all->least = all->by[b].field + 1;
    return named;
}

/* ---- Other columns with the same name ---- */

static column *column_at(const column_set *all, size_t field) {
    const column key = {.field = field};
    return bsearch(&key, all->column, all->count, sizeof key, by_field);
}

/* Indexes the columns by their names in the header, and returns how many have one. */
static size_t index_header(entry *index, const column_set *all, const first_line *line) {
    csv_field field = csv_begin(line->record);
    field_name name;
    size_t count = 0;
    for (size_t i = 0; csv_next(&field, line->record, line->separator); i++) {
        column *c = column_at(all, i);
        set_name(&name, line, &field);
        if (c == NULL || name.n == 0)
            continue;
        char *copy = allocate(name.n);
        memcpy(copy, name.text, name.n);
        index[count++] = (entry){copy, name.n, c};
    }
    qsort(index, count, sizeof *index, by_text_and_option);
    return count;
}

/* If two columns have the same name and one is asked for by its number, the other would be printed in the clear. */
static void refuse_namesakes(const column_set *all, const first_line *line) {
    entry *index = allocate(all->count * sizeof *index);
    size_t count = index_header(index, all, line);
    csv_field field = csv_begin(line->record);
    field_name name;
    for (size_t i = 0; csv_next(&field, line->record, line->separator); i++) {
        set_name(&name, line, &field);
        const column *namesake = find(index, count, &name);
        if (namesake != NULL && column_at(all, i) == NULL)
            fail(BAD_DATA,
                 "%s, line 1: columns %zu and %zu have the same name, and the values of column %zu would be printed; "
                 "give both numbers with --column, or rename one",
                 line->file, namesake->field + 1, i + 1, i + 1);
    }
    for (size_t i = 0; i < count; i++)
        free((char *)index[i].text);
    free(index);
}

/* ---- Does a line look like a header? ---- */

/* Letters of common scripts. None of them has a numeric value, except for the numerals below. */
static const struct {
    uint32_t first, last;
} letters[] = {
    {0x00c0, 0x02af}, {0x0300, 0x052f}, {0x0531, 0x0587}, {0x05d0, 0x05ea}, {0x0620, 0x065f},
    {0x066e, 0x06d3}, {0x0900, 0x0963}, {0x0e01, 0x0e4e}, {0x10a0, 0x10ff}, {0x1e00, 0x1fff},
    {0x3041, 0x30ff}, {0x4e00, 0x9fff}, {0xac00, 0xd7a3},
};
static const char numerals[] =
    "一七万三九二五亖亿什仟仨伍佰億兆兩八六十千卄卅卌叁参參叄四壱壹幺廾廿弌弍弎弐拾捌柒漆玖百肆萬貮貳贰"
    "阡陆陌陸零";

/* Returns the length in bytes of the non-ASCII letter that a text begins with, or 0 if that cannot be part of a name.
 */
static size_t letter_length(const char *text) {
    uint32_t character;
    size_t length = utf8_decode(&character, text);
    char copy[8] = {0};
    memcpy(copy, text, length);
    for (size_t i = 0; length > 0 && i < sizeof letters / sizeof *letters; i++)
        if (character >= letters[i].first && character <= letters[i].last)
            return strstr(numerals, copy) == NULL ? length : 0;
    return 0;
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Does the text begin with a word that stands for a number or for a missing value? */
static bool begins_with_value(const char *text, size_t n) {
    static const char *const words[] = {"na",   "n/a", "n.a",      "nan",     "null",   "nil",
                                        "none", "inf", "infinity", "missing", "unknown"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        if (n >= length && strncasecmp(text, words[i], length) == 0 &&
            (n == length || !(is_letter(text[length]) || text[length] == '_' || (signed char)text[length] < 0)))
            return true;
    }
    return false;
}

/*
 * A header is printed unchanged, so nothing that may be a value is accepted as one: not 12kg, EUR 12, 1.000,50, NA or
 * ４２. A name begins with a letter or an underscore, and contains neither digits nor letters of uncommon scripts. The
 * text must end in a zero byte.
 */
static bool reads_as_name(const char *text, size_t n) {
    if (n == 0 || !(is_letter(*text) || *text == '_' || (signed char)*text < 0) || begins_with_value(text, n))
        return false;
    for (size_t at = 0, length; at < n; at += length) {
        bool digit = text[at] >= '0' && text[at] <= '9';
        length = (signed char)text[at] < 0 ? letter_length(text + at) : !digit;
        if (length == 0)
            return false;
    }
    return true;
}

/* The fields of all columns must read as names, because a value in any of them would be printed. */
static bool looks_like_header(const column_set *all, const first_line *line) {
    csv_field field = csv_begin(line->record);
    field_name name;
    for (size_t index = 0, c = 0; c < all->count && csv_next(&field, line->record, line->separator); index++) {
        if (index != all->column[c].field)
            continue;
        set_name(&name, line, &field);
        if (name.n == NAME_SIZE || !reads_as_name(name.text, name.n))
            return false;
        c++;
    }
    return true;
}

bool columns_read_as_header(const csv_record *record, char separator) {
    const first_line line = {record, separator, NULL};
    csv_field field = csv_begin(record);
    field_name name;
    while (csv_next(&field, record, separator)) {
        set_name(&name, &line, &field);
        if (name.n == NAME_SIZE || !reads_as_name(name.text, name.n))
            return false;
    }
    return true;
}

bool columns_locate(column_set *all, const csv_record *record, char separator, const char *file) {
    const first_line line = {record, separator, file};
    match_names(all, &line);
    bool named = resolve_all(all, &line), header = named || all->header == HEADER_YES;
    if (!named && all->header == HEADER_AUTO) {
        header = looks_like_header(all, &line);
        if (header && terminal())
            say("the first line of %s is read as a header; if it is not one, use --header no", file);
    }
    if (header && all->private)
        refuse_namesakes(all, &line);
    return header;
}
