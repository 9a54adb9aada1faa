/* podium paper: every table and figure of the paper, computed by the library, beside what the paper prints. */
#include "paper.h"

#include "commands/commands.h"
#include "platform.h"

#include <errno.h>
#include <string.h>

const char *in_directory(const char *directory, const char *name, const char *suffix) {
    static char paths[8][4096];
    static int next;
    char *path = paths[next++ % 8];
    if (snprintf(path, sizeof *paths, "%s/%s%s", directory, name, suffix) >= (int)sizeof *paths)
        fail(BAD_IO, "%s: name too long", directory);
    return path;
}

static void make_directory(const char *path) {
    if (!directory_create(path) && (errno != EEXIST || file_look(path).kind != FILE_DIRECTORY))
        fail(BAD_IO, "%s: %s", path, strerror(errno == EEXIST ? ENOTDIR : errno));
}

static void write_panels(const char *path) {
    write_simulation(path, simulation());
}

typedef struct {
    const char *name, *suffix;
    void (*write)(const char *path);
} part;

static const part parts[] = {
    {"table1", ".csv", write_table1},
    {"table2", ".csv", write_table2},
    {"privacy", ".csv", write_privacy},
    {"high-privacy", ".csv", write_high_privacy},
    {"low-privacy", ".csv", write_low_privacy},
    {"ages", ".csv", write_ages},
    {"truncated-noise", ".csv", write_truncation},
    {"simulation", ".csv", write_panels},
    {"errata", ".md", write_errata},
};
#define PARTS (sizeof parts / sizeof *parts)

/* The page is written last. Where it is there, so is everything that it shows and links to. */
static void write_all(const char *directory) {
    const uint64_t total = PARTS + 2 * FIGURES + 1;
    uint64_t done = 0;
    for (size_t i = 0; i < PARTS; i++) {
        progress_show("reproducing", done++, total, 0);
        parts[i].write(in_directory(directory, parts[i].name, parts[i].suffix));
    }
    for (size_t i = 0; i < FIGURES; i++) {
        progress_show("reproducing", done++, total, 0);
        figures[i].data(in_directory(directory, figures[i].name, ".csv"));
        progress_show("reproducing", done++, total, 0);
        draw_figure(&figures[i], directory);
    }
    write_page(directory);
    progress_clear();
}

static const option paper_options[] = {
    {.name = "output",
     .letter = 'o',
     .argument = "DIRECTORY",
     .file = true,
     TO_TEXT(output_options, path),
     .help = "where index.html, the figures and their data go; made if it is not there"},
    {.name = NULL},
};

static int run(char **arguments) {
    output_options to = {.path = NULL};
    options_parse(&command_paper, &to, arguments);
    if (to.path == NULL)
        fail_usage("paper", "-o DIRECTORY is missing");
    plot_check("paper", "figure.svg");
    make_directory(to.path);
    write_all(to.path);
    printf("%s\n", in_directory(to.path, "index", ".html"));
    return DONE;
}

const command command_paper = {
    .name = "paper",
    .summary = "the paper's tables and figures, computed and compared",
    .usage = "-o DIRECTORY",
    .groups = {{.options = paper_options}},
    .run = run,
};
