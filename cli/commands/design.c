/* podium design: fix a collection and write it to a file. */
#include "cli.h"

#include <getopt.h>
#include <string.h>

enum { OPTION_NAME = OPTION_OWN };

static void check_name(const char *name) {
    if (strlen(name) >= PODIUM_NAME_MAX)
        fail_usage("design", "--name takes at most %d bytes", PODIUM_NAME_MAX - 1);
    for (const char *c = name; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            fail_usage("design", "--name takes no control characters");
}

int command_design(int argc, char **argv) {
    static const struct option known[] = {COLLECTION_OPTIONS,
                                          {"name", required_argument, NULL, OPTION_NAME},
                                          {"output", required_argument, NULL, 'o'},
                                          {NULL, 0, NULL, 0}};
    collection_options options = {.command = "design"};
    const char *path = NULL, *name = NULL;
    for (int option; (option = option_next(&options, argc, argv, known)) != -1;) {
        if (option == 'o')
            path = optarg;
        else if (option == OPTION_NAME)
            check_name(name = optarg);
        else
            collection_option(&options, option, optarg);
    }
    if (optind < argc)
        fail_usage("design", "what is '%s'?", argv[optind]);
    if (options.files > 0)
        fail_usage("design", "--collection is what this command writes: see -o");

    char text[PODIUM_COLLECTION_TEXT_MAX], none[PODIUM_NAME_MAX];
    podium_collection collection = collection_from(&options, none);
    size_t n = podium_collection_write(&collection, text, name);
    output *out = output_open(path);
    output_write(out, text, n);
    output_close(out);
    return DONE;
}
