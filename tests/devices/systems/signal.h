#ifndef SYSTEMS_SIGNAL_H
#define SYSTEMS_SIGNAL_H

typedef unsigned sigset_t;
enum { SIGKILL = 9, SIGPIPE = 13, SIGURG = 16, SIGSTOP, SIGTSTP, SIGCONT, SIGCHLD, SIGTTIN, SIGTTOU, SIGXFSZ = 25 };
enum { SIGWINCH = 28, NSIG = 32, SA_RESTART = 2, SIG_BLOCK = 1, SIG_SETMASK = 3 };
#define SIGINFO 29
#define SIG_DFL ((void (*)(int))0)
#define SIG_IGN ((void (*)(int))1)
struct sigaction {
    void (*sa_handler)(int);
    int sa_flags;
    sigset_t sa_mask;
};
int sigaction(int number, const struct sigaction *restrict action, struct sigaction *restrict before);
void (*signal(int number, void (*handler)(int)))(int);
int raise(int number);
int sigfillset(sigset_t *set);

#endif
