#include "service.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* sd_notify(3) describes the protocol, which is one datagram. It is not worth a library. */
void service_notify(const char *state) {
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    const char *name = getenv("NOTIFY_SOCKET");
    if (name == NULL || strlen(name) >= sizeof to.sun_path)
        return;
    memcpy(to.sun_path, name, strlen(name));
    if (name[0] == '@')
        to.sun_path[0] = '\0';
    const int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (file < 0)
        return;
    const socklen_t n = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
    if (sendto(file, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&to, n) < 0)
        perror("podiumd: NOTIFY_SOCKET");
    close(file);
}

bool service_has_journal(void) {
    const char *stream = getenv("JOURNAL_STREAM");
    char own[64];
    struct stat file;
    if (stream == NULL || fstat(STDERR_FILENO, &file) != 0)
        return false;
    snprintf(own, sizeof own, "%llu:%llu", (unsigned long long)file.st_dev, (unsigned long long)file.st_ino);
    return strcmp(own, stream) == 0;
}
