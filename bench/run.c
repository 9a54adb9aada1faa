/*
 * Run: how long a command takes, and the most memory it has at a time.
 *
 *   run RESULT COMMAND...       adds "seconds KiB" as a line to the file RESULT; exits as the command does
 */
#define _DEFAULT_SOURCE /* wait4 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fputs("Usage: run RESULT COMMAND...\n", stderr);
        return 2;
    }
    double start = seconds();
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    int status;
    struct rusage used;
    if (child < 0 || wait4(child, &status, 0, &used) != child) {
        perror("run");
        return 1;
    }
    double taken = seconds() - start;
    FILE *result = fopen(argv[1], "a");
    if (result == NULL || fprintf(result, "%.6f %ld\n", taken, used.ru_maxrss) < 0 || fclose(result) != 0) {
        perror(argv[1]);
        return 1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
