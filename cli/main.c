/* podium: local differential privacy for numbers, from a shell. */
#include "commands/commands.h"
#include "platform.h"

#include <string.h>

static const command *const commands[] = {
    &command_design,   &command_privatize,  &command_send,   &command_aggregate, &command_merge,
    &command_estimate, &command_difference, &command_show,   &command_compare,   &command_plan,
    &command_explain,  &command_amplify,    &command_params, &command_paper,     NULL,
};

static const command *find(const char *name) {
    for (const command *const *c = commands; *c != NULL; c++)
        if (strcmp((*c)->name, name) == 0)
            return *c;
    fail_usage("", "no command is called '%s'", name);
}

/* podium help [COMMAND]; and for programs, --list prints the table of all options and --complete completes words. */
static void help(char **arguments) {
    if (arguments[0] == NULL)
        help_all(stdout, commands);
    else if (strcmp(arguments[0], "--list") == 0)
        help_list(stdout, commands);
    else if (strcmp(arguments[0], "--complete") == 0)
        help_complete(stdout, commands, arguments + 1);
    else
        help_command(stdout, find(arguments[0]));
}

static int run(const char *first, char **arguments) {
    if (strcmp(first, "--version") == 0 || strcmp(first, "version") == 0)
        printf("podium %s\n", podium_version());
    else if (strcmp(first, "help") == 0 || strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0)
        help(arguments);
    else
        return find(first)->run(arguments);
    return DONE;
}

int main(int argc, char **argv) {
    platform_begin(&argc, &argv);
    if (argc < 2) {
        help_all(stderr, commands);
        return BAD_USAGE;
    }
    return close_stdout(run(argv[1], argv + 2));
}
