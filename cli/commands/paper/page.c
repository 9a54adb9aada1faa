/* Fills page.html: one page with the figures in it, which needs no other file. */
#include "paper.h"
#include "platform.h"
#include "template.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const unsigned char page_html[]; /* made from page.html by the build */

typedef struct {
    const char *where, *says, *is;
} erratum;

typedef struct {
    const char *directory; /* where the data and the figures are */
    char *errata_text;     /* errata.md, cut into the texts of the errata */
    erratum *errata;
    size_t errata_count;
} page;

/* The whole of a file in the directory, with a 0 at its end; the caller frees it. */
static char *contents(const page *p, const char *name, const char *suffix, size_t *n) {
    const char *path = in_directory(p->directory, name, suffix);
    FILE *file = file_stream(path, "rb");
    size_t room = 1 << 16;
    char *text = allocate(room);
    *n = 0;
    if (file == NULL)
        fail(BAD_IO, "%s: cannot be read again", path);
    for (size_t got; (got = fread(text + *n, 1, room - *n - 1, file)) > 0;) {
        *n += got;
        if (*n + 1 == room)
            text = reallocate(text, room *= 2);
    }
    text[*n] = '\0';
    if (ferror(file))
        fail(BAD_IO, "%s: cannot be read again", path);
    fclose(file);
    return text;
}

/* ---- Figures ---- */

typedef struct {
    const page *page;
    const figure *figure;
} figure_item;

static void fill_width(template_part *to, const void *item) {
    template_print(to, "%d", ((const figure_item *)item)->figure->width);
}

static void fill_height(template_part *to, const void *item) {
    template_print(to, "%d", ((const figure_item *)item)->figure->height);
}

/* The caller frees it. */
static char *base64(const unsigned char *bytes, size_t n) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = allocate((n + 2) / 3 * 4 + 1), *to = text;
    for (size_t i = 0; i < n; i += 3) {
        unsigned long three = (unsigned long)bytes[i] << 16;
        three |= i + 1 < n ? (unsigned long)bytes[i + 1] << 8 : 0;
        three |= i + 2 < n ? (unsigned long)bytes[i + 2] : 0;
        *to++ = digits[three >> 18];
        *to++ = digits[three >> 12 & 63];
        *to++ = i + 1 < n ? digits[three >> 6 & 63] : '=';
        *to++ = i + 2 < n ? digits[three & 63] : '=';
    }
    *to = '\0';
    return text;
}

/* Each figure is an image of its own, because two drawings in one page would share the names that gnuplot gives to
   their parts. The last figure has so many points that it is smaller as a PNG. */
static void fill_image(template_part *to, const void *item) {
    const figure_item *f = item;
    bool dots = f->figure == &figures[FIGURES - 1];
    size_t n;
    char *bytes = contents(f->page, f->figure->name, dots ? ".png" : ".svg", &n);
    char *text = base64((const unsigned char *)bytes, n);
    template_print(to, "data:image/%s;base64,%s", dots ? "png" : "svg+xml", text);
    free(text);
    free(bytes);
}

static const filler figure_fillers[] = {
    {"width", fill_width, NULL}, {"height", fill_height, NULL}, {"image", fill_image, NULL}, {NULL, NULL, NULL}};

static void fill_figure(template_part *part, const void *item) {
    for (const figure *f = figures; f < figures + FIGURES; f++)
        if (strcmp(f->name, part->filler->name) == 0)
            template_item(part, &(figure_item){item, f});
}

/* ---- The paper's tables ---- */

typedef struct {
    const char *epsilon;
    int number;
    entry (*at)(int row, int column);
} row;

static void fill_epsilon(template_part *to, const void *item) {
    template_text(to, ((const row *)item)->epsilon);
}

static void fill_columns(template_part *part, const row *r, int first, int last) {
    for (int column = first; column <= last; column++) {
        entry e = r->at(r->number, column);
        template_item(part, &e);
    }
}

static void fill_exp(template_part *part, const void *item) {
    fill_columns(part, item, 1, 1);
}

static void fill_parameters(template_part *part, const void *item) {
    fill_columns(part, item, 2, 5);
}

static void fill_ratios(template_part *part, const void *item) {
    fill_columns(part, item, 1, 6);
}

static void fill_right(template_part *part, const void *item) {
    if (!((const entry *)item)->wrong)
        template_item(part, item);
}

static void fill_wrong(template_part *part, const void *item) {
    if (((const entry *)item)->wrong)
        template_item(part, item);
}

static void fill_printed(template_part *to, const void *item) {
    template_text(to, ((const entry *)item)->printed);
}

static void fill_cause(template_part *to, const void *item) {
    template_text(to, ((const entry *)item)->cause);
}

static void fill_difference(template_part *to, const void *item) {
    template_print(to, "%.1e", relative_difference(*(const entry *)item));
}

static void fill_17_digits(template_part *to, const void *item) {
    template_print(to, "%.17g", ((const entry *)item)->computed);
}

static void fill_10_decimals(template_part *to, const void *item) {
    template_print(to, "%.10f", ((const entry *)item)->computed);
}

static void fill_4_decimals(template_part *to, const void *item) {
    template_print(to, "%.4f", ((const entry *)item)->computed);
}

static const filler printed_fillers[] = {{"printed", fill_printed, NULL}, {NULL, NULL, NULL}};
static const filler exp_fillers[] = {
    {"right", fill_right, printed_fillers}, {"wrong", fill_wrong, printed_fillers}, {NULL, NULL, NULL}};

static const filler right_parameter[] = {
    {"printed", fill_printed, NULL},
    {"computed", fill_17_digits, NULL},
    {"difference", fill_difference, NULL},
    {NULL, NULL, NULL},
};
static const filler wrong_parameter[] = {
    {"printed", fill_printed, NULL},
    {"computed", fill_17_digits, NULL},
    {"difference", fill_difference, NULL},
    {"cause", fill_cause, NULL},
    {NULL, NULL, NULL},
};
static const filler parameter_fillers[] = {
    {"right", fill_right, right_parameter}, {"wrong", fill_wrong, wrong_parameter}, {NULL, NULL, NULL}};

static const filler table1_fillers[] = {
    {"epsilon", fill_epsilon, NULL},
    {"exp", fill_exp, exp_fillers},
    {"parameter", fill_parameters, parameter_fillers},
    {NULL, NULL, NULL},
};

static void fill_table1(template_part *part, const void *item) {
    (void)item;
    for (int i = 0; i < TABLE1_ROWS; i++)
        template_item(part, &(row){table1[i][0], i, table1_entry});
}

static const filler right_ratio[] = {
    {"printed", fill_printed, NULL}, {"computed", fill_10_decimals, NULL}, {NULL, NULL, NULL}};
static const filler wrong_ratio[] = {
    {"printed", fill_printed, NULL},
    {"computed", fill_4_decimals, NULL},
    {"cause", fill_cause, NULL},
    {NULL, NULL, NULL},
};
static const filler ratio_fillers[] = {
    {"right", fill_right, right_ratio}, {"wrong", fill_wrong, wrong_ratio}, {NULL, NULL, NULL}};

static const filler table2_fillers[] = {
    {"epsilon", fill_epsilon, NULL}, {"ratio", fill_ratios, ratio_fillers}, {NULL, NULL, NULL}};

static void fill_table2(template_part *part, const void *item) {
    (void)item;
    for (int i = 0; i < TABLE2_ROWS; i++)
        template_item(part, &(row){table2[i][0], i, table2_entry});
}

/* ---- Other tables: CSV files, which have no quotes in them ---- */

static void fill_content(template_part *to, const void *item) {
    char *end;
    double x = strtod(item, &end);
    if (*end == '\0' && end != item)
        template_print(to, "%.*g", fabs(x) >= 1e6 ? 4 : 6, x);
    else
        template_text(to, item);
}

static const filler column_fillers[] = {{"content", fill_content, NULL}, {NULL, NULL, NULL}};

/* Ends the text at the separator and returns it; the rest is what follows. Returns NULL if there is no text left. */
static char *next_part(char **rest, char separator) {
    char *part = *rest, *end = part == NULL ? NULL : strchr(part, separator);
    *rest = end == NULL ? NULL : end + 1;
    if (end != NULL)
        *end = '\0';
    return part;
}

static void fill_csv_columns(template_part *part, const void *item) {
    size_t size = strlen(item) + 1;
    char *line = memcpy(allocate(size), item, size), *rest = line;
    for (char *field; (field = next_part(&rest, ',')) != NULL;)
        template_item(part, field);
    free(line);
}

static const filler csv_fillers[] = {{"column", fill_csv_columns, column_fillers}, {NULL, NULL, NULL}};

/* The rows of the file of the part's name, without the first, which names the columns */
static void fill_csv(template_part *part, const void *item) {
    size_t n;
    char *text = contents(item, part->filler->name, ".csv", &n), *rest = text;
    next_part(&rest, '\n');
    for (char *line; (line = next_part(&rest, '\n')) != NULL && *line != '\0';)
        template_item(part, line);
    free(text);
}

/* ---- Numbers in the text ---- */

static void fill_version(template_part *to, const void *item) {
    (void)item;
    template_text(to, podium_version());
}

static podium_shape podium_at_log9(void) {
    return shape_for(PODIUM_MECHANISM_PODIUM, LOG9, -0.5, 0.5);
}

static void fill_m(template_part *to, const void *item) {
    (void)item;
    template_print(to, "%.6f", podium_at_log9().m);
}

static void fill_w(template_part *to, const void *item) {
    (void)item;
    template_print(to, "%.7f", podium_at_log9().w);
}

/* The introduction's example: the report of one age */
#define EXAMPLE_AGE 30.0

static podium_shape ages_with(podium_mechanism mechanism) {
    return shape_for(mechanism, 1, AGE_MIN, AGE_MAX);
}

static double percent_below(podium_mechanism mechanism, double y) {
    podium_shape shape = ages_with(mechanism);
    return 100 * podium_shape_cdf(&shape, EXAMPLE_AGE, y);
}

static void fill_laplace_below(template_part *to, const void *item) {
    (void)item;
    template_print(to, "%.0f", percent_below(PODIUM_MECHANISM_LAPLACE, 0));
}

static void fill_laplace_above(template_part *to, const void *item) {
    (void)item;
    template_print(to, "%.0f", 100 - percent_below(PODIUM_MECHANISM_LAPLACE, AGE_MAX));
}

static void fill_podium_below(template_part *to, const void *item) {
    (void)item;
    template_print(to, "%.0f", percent_below(PODIUM_MECHANISM_PODIUM, 0));
}

static void fill_podium_above(template_part *to, const void *item) {
    (void)item;
    template_print(to, "%.0f", 100 - percent_below(PODIUM_MECHANISM_PODIUM, AGE_MAX));
}

static void fill_podium_lowest(template_part *to, const void *item) {
    podium_shape shape = ages_with(PODIUM_MECHANISM_PODIUM);
    (void)item;
    template_print(to, "%.0f", podium_shape_quantile(&shape, EXAMPLE_AGE, 0));
}

static void fill_podium_highest(template_part *to, const void *item) {
    podium_shape shape = ages_with(PODIUM_MECHANISM_PODIUM);
    (void)item;
    template_print(to, "%.0f", podium_shape_quantile(&shape, EXAMPLE_AGE, 1));
}

static void fill_clamped_mean(template_part *to, const void *item) {
    (void)item;
    template_print(to, "%.1f", laplace_clamped_mean(1, AGE_MAX));
}

/* ---- Errata ---- */

/* Cuts a line of errata.md into its texts: "**Where.** *What the paper says.* What is so." */
static bool parse_erratum(erratum *e, char *line) {
    static const char before_where[] = "**", before_says[] = ".** *", before_is[] = "* ";
    if (strncmp(line, before_where, strlen(before_where)) != 0)
        return false;
    char *where_end = strstr(line, before_says);
    char *says = where_end == NULL ? NULL : where_end + strlen(before_says);
    char *says_end = says == NULL ? NULL : strstr(says, before_is);
    if (says_end == NULL)
        fail(BAD_DATA, "errata.md: no erratum: %s", line);
    *where_end = *says_end = '\0';
    *e = (erratum){line + strlen(before_where), says, says_end + strlen(before_is)};
    return true;
}

static void read_errata(page *p) {
    size_t n, lines = 1;
    p->errata_text = contents(p, "errata", ".md", &n);
    for (const char *c = p->errata_text; *c != '\0'; c++)
        lines += *c == '\n';
    p->errata = allocate(lines * sizeof *p->errata);
    char *rest = p->errata_text;
    for (char *line; (line = next_part(&rest, '\n')) != NULL;)
        p->errata_count += parse_erratum(&p->errata[p->errata_count], line);
}

static void fill_where(template_part *to, const void *item) {
    template_text(to, ((const erratum *)item)->where);
}

static void fill_says(template_part *to, const void *item) {
    template_text(to, ((const erratum *)item)->says);
}

static void fill_is(template_part *to, const void *item) {
    template_text(to, ((const erratum *)item)->is);
}

static const filler erratum_fillers[] = {
    {"where", fill_where, NULL}, {"says", fill_says, NULL}, {"is", fill_is, NULL}, {NULL, NULL, NULL}};

static void fill_errata(template_part *part, const void *item) {
    const page *p = item;
    for (size_t i = 0; i < p->errata_count; i++)
        template_item(part, &p->errata[i]);
}

static void fill_errata_count(template_part *to, const void *item) {
    template_print(to, "%zu", ((const page *)item)->errata_count);
}

/* ---- The page ---- */

static const filler page_fillers[] = {
    {"version", fill_version, NULL},
    {"errata-count", fill_errata_count, NULL},
    {"m", fill_m, NULL},
    {"w", fill_w, NULL},
    {"figure1", fill_figure, figure_fillers},
    {"figure2", fill_figure, figure_fillers},
    {"figure3", fill_figure, figure_fillers},
    {"figure4", fill_figure, figure_fillers},
    {"figure5", fill_figure, figure_fillers},
    {"figure6", fill_figure, figure_fillers},
    {"table1", fill_table1, table1_fillers},
    {"table2", fill_table2, table2_fillers},
    {"privacy", fill_csv, csv_fillers},
    {"high-privacy", fill_csv, csv_fillers},
    {"low-privacy", fill_csv, csv_fillers},
    {"simulation", fill_csv, csv_fillers},
    {"ages", fill_csv, csv_fillers},
    {"truncated-noise", fill_csv, csv_fillers},
    {"laplace-below", fill_laplace_below, NULL},
    {"laplace-above", fill_laplace_above, NULL},
    {"podium-below", fill_podium_below, NULL},
    {"podium-above", fill_podium_above, NULL},
    {"podium-lowest", fill_podium_lowest, NULL},
    {"podium-highest", fill_podium_highest, NULL},
    {"clamped-mean", fill_clamped_mean, NULL},
    {"errata", fill_errata, erratum_fillers},
    {NULL, NULL, NULL},
};

void write_page(const char *directory) {
    page p = {.directory = directory};
    const char *text = (const char *)page_html;
    char message[TEMPLATE_MESSAGE];
    if (!template_check(text, page_fillers, message))
        fail(BAD_DATA, "page.html: %s", message);
    read_errata(&p);
    output *out = output_open(in_directory(directory, "index", ".html"));
    template_write(out, TEMPLATE_HTML, text, page_fillers, &p);
    output_close(out);
    free(p.errata);
    free(p.errata_text);
}
