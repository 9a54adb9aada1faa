/* podium design: define a collection and write it to a file. */
#include "collection.h"
#include "commands/commands.h"

#include <string.h>

typedef struct {
    collection_options which;
    output_options output;
    const char *name;
} settings;

static const option own_options[] = {
    {.name = "name", .argument = "NAME", TO_TEXT(settings, name), .help = "the name of the collection"},
    {.name = "collection", .kind = OPTION_REFUSED, .help = "is what this command writes; use -o"},
    {.name = NULL},
};

static void check_name(const char *name) {
    if (strlen(name) >= PODIUM_NAME_MAX)
        fail_usage("design", "--name takes at most %d bytes", PODIUM_NAME_MAX - 1);
    for (const char *c = name; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            fail_usage("design", "--name must not contain control characters");
}

static int run(char **arguments) {
    settings s = {.which = {.command = "design"}};
    options_parse(&command_design, &s, arguments);
    if (s.name != NULL)
        check_name(s.name);
    podium_collection collection = collection_described(&s.which, "");
    collection_warn(&collection);
    collection_advise(&s.which, &collection);
    char text[PODIUM_COLLECTION_TEXT_MAX];
    size_t n = podium_collection_format(&collection, text, sizeof text, s.name);
    output *out = output_open(s.output.path);
    output_write(out, text, n);
    output_close(out);
    return DONE;
}

const command command_design = {
    .name = "design",
    .summary = "define a collection and write it to a file",
    .usage = "--range MIN:MAX --epsilon E [OPTIONS]",
    .groups = {{.options = spec_options, .record = offsetof(settings, which)},
               {.options = own_options},
               {.options = output_option, .record = offsetof(settings, output)}},
    .run = run,
};
