/* podium design: define a collection and write it to a file. */
#include "collection.h"
#include "commands/commands.h"

#include <podium_firmware.h>

#include <string.h>

typedef enum { DESIGN_TEXT, DESIGN_C } design_format;
_Static_assert(PODIUM_FIRMWARE_TEXT_MAX >= PODIUM_COLLECTION_TEXT_MAX, "either text must fit");
static const char *const design_words[] = {"text", "c", NULL};

typedef struct {
    collection_options which;
    output_options output;
    const char *name;
    unsigned format; /* a design_format */
    double unit;
    bool unit_given;
} settings;

static const option own_options[] = {
    {.name = "name", .argument = "NAME", TO_TEXT(settings, name), .help = "the name of the collection"},
    {.name = "format",
     TO_CHOICE(settings, format),
     .words = design_words,
     .help = "text for people and podium, or c, a constant for the flash of a device; text if not given"},
    {.name = "unit",
     .argument = "U",
     TO_NUMBER(settings, unit),
     .allowed = is_positive,
     .takes = "must be above 0",
     GIVEN(settings, unit_given),
     .help = "with --format c, what the integer 1 stands for; 1 if not given"},
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

/* The name as an identifier: what cannot be part of one becomes an underscore. */
static void identifier_of(char identifier[PODIUM_NAME_MAX], const char *name) {
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    size_t n = 0;
    for (; name[n] != '\0'; n++)
        identifier[n] = name[n];
    identifier[n] = '\0';
    for (size_t i = strspn(identifier, allowed); i < n; i += strspn(identifier + i, allowed))
        identifier[i] = '_';
}

static void text_c(char text[PODIUM_FIRMWARE_TEXT_MAX], const settings *s, const podium_collection *collection) {
    char identifier[PODIUM_NAME_MAX];
    const podium_spec spec = podium_collection_spec(collection);
    identifier_of(identifier, s->name);
    const podium_status status =
        podium_firmware_format(collection, text, PODIUM_FIRMWARE_TEXT_MAX, identifier, s->unit);
    if (status == PODIUM_ERROR_TEXT_MALFORMED)
        fail_usage("design", "--name: '%s' cannot be the name of a constant in C", identifier);
    if (status == PODIUM_ERROR_ARGUMENT_WRONG)
        fail_usage("design",
                   "--unit: the range is from %g to %g units; it must be at least 1 unit wide, within the "
                   "integers of 32 bits",
                   spec.min / s->unit, spec.max / s->unit);
    require(status, BAD_USAGE);
}

static void check_settings(const settings *s) {
    if (s->name != NULL)
        check_name(s->name);
    if (s->format == DESIGN_C && s->name == NULL)
        fail_usage("design", "--format c needs --name, which becomes the name of the constant");
    if (s->format != DESIGN_C && s->unit_given)
        fail_usage("design", "--unit is for --format c");
}

static int run(char **arguments) {
    settings s = {.which = {.command = "design"}, .unit = 1};
    options_parse(&command_design, &s, arguments);
    check_settings(&s);
    podium_collection collection = collection_described(&s.which, "");
    collection_warn(&collection);
    collection_advise(&s.which, &collection);
    char text[PODIUM_FIRMWARE_TEXT_MAX];
    if (s.format == DESIGN_C)
        text_c(text, &s, &collection);
    else
        podium_collection_format(&collection, text, sizeof text, s.name);
    output *out = output_open(s.output.path);
    output_write(out, text, strlen(text));
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
