/* podium: local differential privacy for numbers, from a shell. */
#include "cli.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define MECHANISM_HELP                                                                                                 \
    "  --mechanism M           podium (default), podium-approximate, laplace, staircase, duchi, piecewise,\n"          \
    "                          hybrid, minimax, or auto: the best by --objective\n"                                    \
    "  --spread R              podium: tuned to values of mean square R (MAX-MIN)^2 about the middle,\n"               \
    "                          0 to 0.25 (podium-tuned)\n"                                                             \
    "  --cells N               minimax: at most so many outputs, 2 to 65536; 256 if not given\n"                       \
    "  --objective worst|uniform|middle\n"                                                                             \
    "                          auto: the variance to make small; the worst case if not given\n"

#define COLLECTION_HELP                                                                                                \
    "Which collection (either of the two):\n"                                                                          \
    "  --collection FILE       as written by podium design\n"                                                          \
    "  --range MIN:MAX --epsilon E [--mechanism M]\n" MECHANISM_HELP

#define INPUT_HELP                                                                                                     \
    "Input (CSV or TSV; no FILE, or -, is standard input):\n"                                                          \
    "  --column NAME|NUMBER    which column; not needed where there is only one\n"                                     \
    "  --separator C           a character, or tab; found out from the first line if not given\n"                      \
    "  --header yes|no|auto    auto: the first line is a header if --column is a name in it, or if its\n"              \
    "                          cell reads like a name\n"

#define FORCE_HELP "  --force                 take rows even if they cannot be reports of this collection\n"

#define THREADS_HELP "  --threads N             how many work at once; one for each processor if not given\n"

typedef struct {
    const char *name, *summary, *usage, *help;
    int (*run)(int argc, char **argv);
} command;

static const command commands[] = {
    {"design", "fix a collection and write it to a file", "--range MIN:MAX --epsilon E [OPTIONS]",
     "  --range MIN:MAX         the values that count; by default privatize stops at any other\n"
     "  --epsilon E             privacy: less is more; 1e-6 to 50, usually about 1\n" MECHANISM_HELP
     "  --name NAME             what the collection is called\n"
     "  -o, --output FILE       replaced only when complete; standard output if not given\n",
     command_design},
    {"privatize", "replace columns of private values by reports", "[OPTIONS] [FILE...]",
     COLLECTION_HELP
     "Give --column again for each further column, and one collection for all of them, or a --collection\n"
     "for each in the same order. Their epsilons add up: whoever has a row has all of its reports.\n\n" INPUT_HELP
     "  --invalid error|drop|clamp|keep\n"
     "                          cells that are no number, empty or out of range: stop (default), leave\n"
     "                          out the row, clamp what is out of range (the rest is an error), or keep\n"
     "                          cells that are empty, NA or null (the rest is an error)\n"
     "  --codes                 write each report as its code, a small whole number\n" THREADS_HELP "\n"
     "  -o, --output FILE       replaced only when complete; standard output if not given\n",
     command_privatize},
    {"aggregate", "add up reports into a state", "[OPTIONS] [FILE...]",
     COLLECTION_HELP
     "\n" INPUT_HELP "  --invalid error|drop    cells that are no number: stop (default), or leave out the row.\n"
     "                          Reports outside the support are refused and counted.\n"
     "  --codes                 the column has codes, as privatize --codes writes them\n" THREADS_HELP FORCE_HELP "\n"
     "  -o, --output FILE       replaced only when complete; standard output if not given\n",
     command_aggregate},
    {"merge", "add up states into one", "[-o FILE] [STATE...]",
     "  -o, --output FILE       replaced only when complete; standard output if not given\n\n"
     "A file may hold several states, one a line. States of different collections are refused.\n",
     command_merge},
    {"estimate", "mean, interval, spread and shape of the values", "[OPTIONS] [FILE...]",
     "FILE is a file of reports, or of states.\n\n" COLLECTION_HELP
     "A state carries its collection; it need not be given.\n\n" INPUT_HELP
     "  --invalid error|drop    cells that are no number: stop (default), or leave out the row\n"
     "  --codes                 the column has codes, as privatize --codes writes them\n" THREADS_HELP FORCE_HELP
     "  --by COLUMN             one estimate for each value of this column\n\n"
     "What to estimate:\n"
     "  --confidence C          of the interval; 0.95 if not given\n"
     "  --interval normal|guaranteed\n"
     "                          guaranteed: covers at least that often, for any number of reports\n"
     "  --histogram BINS        the shares of BINS equal parts of the range\n"
     "  --quantiles P,P,...     the values below which these shares lie\n"
     "  --bootstrap N           how much the quantiles vary with the reports, from N repetitions\n"
     "  --dishonest K           the most that K dishonest reports can have moved the mean\n\n"
     "Output:\n"
     "  --format text|json|csv  text if not given\n"
     "  --plot FILE.svg|.png    a picture (needs gnuplot)\n"
     "  -o, --output FILE       replaced only when complete; standard output if not given\n",
     command_estimate},
    {"compare", "which mechanism is best, and by how much", "--epsilon E[,E...] [OPTIONS]",
     "  --epsilon E[,E...]      1e-6 to 50\n"
     "  --range MIN:MAX         -0.5:0.5 if not given, so that variances are in units of (MAX-MIN)^2\n"
     "  --spread R              what podium-tuned is tuned to; 0.0833, a uniform prior, if not given\n"
     "  --cells N               of minimax; 256 if not given\n"
     "  --format text|json|csv  text if not given\n"
     "  --plot FILE.svg|.png    variance against the value (at the first E), and against epsilon\n"
     "  -o, --output FILE       replaced only when complete; standard output if not given\n",
     command_compare},
    {"plan", "how many people, which epsilon, what error",
     "--range MIN:MAX [two of --people, --epsilon, --within] [OPTIONS]",
     "Two of these; the third is told, for every mechanism:\n"
     "  --people N              how many answer\n"
     "  --epsilon E             1e-6 to 50\n"
     "  --within W              half the width of the interval of the mean\n\n"
     "  --range MIN:MAX         the values that count\n"
     "  --confidence C          of the interval; 0.95 if not given\n"
     "  --spread R              the people's values have a variance of R (MAX-MIN)^2; 0.0833, as if spread\n"
     "                          evenly, if not given; 0.25 covers everything, 0 is their own mean alone\n"
     "  --response S            the share of the people asked who answer; 1 if not given\n"
     "  --questions D           so many questions to each person, who spends epsilon in all\n"
     "  --cells N               of minimax; 256 if not given\n"
     "  --format text|json|csv  text if not given\n"
     "  -o, --output FILE       replaced only when complete; standard output if not given\n",
     command_plan},
    {"params", "the shape of the Podium distribution",
     "--epsilon E [--range MIN:MAX] [--approximate | --spread R] | --table",
     "  --epsilon E             1e-6 to 700\n"
     "  --range MIN:MAX         -0.5:0.5 if not given\n"
     "  --approximate           s = epsilon/3\n"
     "  --spread R              s for values of mean square R (MAX-MIN)^2 about the middle, 0 to 0.25\n"
     "  --table                 the paper's Table 1, computed\n"
     "  --format text|json|csv  text if not given\n"
     "  -o, --output FILE       replaced only when complete; standard output if not given\n",
     command_params},
    {"paper", "the paper's tables and figures, computed and compared", "-o DIRECTORY",
     "  -o, --output DIRECTORY  where index.html, the figures and their data go; made if it is not there\n",
     command_paper},
};
#define COMMANDS (sizeof commands / sizeof *commands)

static const command *find(const char *name) {
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static void help(FILE *to) {
    fputs("Learn from people's numbers without seeing one.\n\nUsage: podium COMMAND [OPTIONS]\n\n", to);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(to, "  %-10s  %s\n", commands[i].name, commands[i].summary);
    fputs("\npodium help COMMAND tells more; man podium and man podium-COMMAND tell all.\n", to);
}

void help_for(const char *name, FILE *to) {
    const command *c = find(name);
    fprintf(to, "podium %s: %s\n\nUsage: podium %s %s\n\n%s", c->name, c->summary, c->name, c->usage, c->help);
}

/* ---- The program ---- */

static void interrupted(int signal_number) {
    output_abandon();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* Whatever would end the program removes first what is half written. What is ignored, by nohup or a shell in the
   background, stays so, and what a sanitizer or a profiler has taken stays with it. */
static void catch_if_default(int signal_number) {
    struct sigaction action = {.sa_handler = interrupted, .sa_flags = SA_RESTART}, now;
    sigfillset(&action.sa_mask);
    if (sigaction(signal_number, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
        sigaction(signal_number, &action, NULL);
}

static void set_signals(void) {
    static const int harmless[] = {SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU, SIGSTOP, SIGKILL};
    signal(SIGPIPE, SIG_IGN); /* a write that fails, like any other */
    signal(SIGXFSZ, SIG_IGN);
    for (int n = 1; n < NSIG; n++) {
        bool ends = true;
        for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
            ends = ends && n != harmless[i];
        if (ends)
            catch_if_default(n);
    }
}

/* A file that is opened must not get the number of a standard one that is closed: messages would land in it. To read
   from standard input and to write to standard output stay errors. */
static void open_closed(void) {
    static const int flags[] = {O_WRONLY, O_RDONLY, O_WRONLY};
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (fcntl(i, F_GETFD) < 0 && open("/dev/null", flags[i]) != i)
            _exit(BAD_IO);
}

/* getopt repeats an option that it does not know as it stands: what a terminal would obey must not get there. */
static void check_options(const char *name, char **arguments) {
    for (; *arguments != NULL && strcmp(*arguments, "--") != 0; arguments++)
        for (const char *c = *arguments; **arguments == '-' && *c != '\0'; c++)
            if (((unsigned char)*c < ' ' && *c != '\t') || *c == 0x7f)
                fail_usage(name, "an option has a control character in it: '%s'", *arguments);
}

int main(int argc, char **argv) {
    open_closed();
    set_signals();

    const char *first = argc > 1 ? argv[1] : NULL;
    if (first == NULL) {
        help(stderr);
        return BAD_USAGE;
    }
    if (strcmp(first, "--version") == 0 || strcmp(first, "version") == 0) {
        printf("podium %s\n", podium_version());
        return close_stdout(DONE);
    }
    bool asked = strcmp(first, "help") == 0 || strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0;
    if (asked && argc == 2) {
        help(stdout);
        return close_stdout(DONE);
    }
    const char *name = asked ? argv[2] : first;
    const command *c = find(name);
    if (c == NULL)
        fail_usage("", "no command is called '%s'", name);
    if (asked) {
        help_for(name, stdout);
        return close_stdout(DONE);
    }
    check_options(name, argv + 2);
    static char program[] = "podium";
    argv[1] = program; /* for getopt's messages */
    return close_stdout(c->run(argc - 1, argv + 1));
}
