/* podium: local differential privacy for numbers, from a shell. */
#include "commands/commands.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const command *const commands[] = {
    &command_design,     &command_privatize, &command_aggregate, &command_merge, &command_estimate,
    &command_difference, &command_show,      &command_compare,   &command_plan,  &command_explain,
    &command_amplify,    &command_params,    &command_paper,     NULL,
};

static const command *find(const char *name) {
    for (const command *const *c = commands; *c != NULL; c++)
        if (strcmp((*c)->name, name) == 0)
            return *c;
    fail_usage("", "no command is called '%s'", name);
}

static void interrupted(int signal_number) {
    output_abandon();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* A signal that ends the program must first remove incomplete output files. Signals that are ignored, as under nohup or
   in a background job, stay ignored, and handlers of a sanitizer or a profiler stay installed. */
static void catch_if_default(int signal_number) {
    struct sigaction action = {.sa_handler = interrupted, .sa_flags = SA_RESTART}, now;
    sigfillset(&action.sa_mask);
    if (sigaction(signal_number, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
        sigaction(signal_number, &action, NULL);
}

static void set_signals(void) {
    static const int harmless[] = {SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU, SIGSTOP, SIGKILL};
    signal(SIGPIPE, SIG_IGN); /* so that the write fails, like any other */
    signal(SIGXFSZ, SIG_IGN);
    for (int n = 1; n < NSIG; n++) {
        bool ends = true;
        for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
            ends = ends && n != harmless[i];
        if (ends)
            catch_if_default(n);
    }
}

/* If a standard stream is closed, the next file that is opened would get its descriptor, and messages would land in
   that file. So closed streams are opened on /dev/null, in the wrong direction, so that using them is still an error.
 */
static void open_closed(void) {
    static const int flags[] = {O_WRONLY, O_RDONLY, O_WRONLY};
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (fcntl(i, F_GETFD) < 0 && open("/dev/null", flags[i]) != i)
            _exit(BAD_IO);
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
    open_closed();
    set_signals();
    if (argc < 2) {
        help_all(stderr, commands);
        return BAD_USAGE;
    }
    return close_stdout(run(argv[1], argv + 2));
}
