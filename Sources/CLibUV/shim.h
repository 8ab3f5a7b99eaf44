#pragma once
#include <sys/socket.h>
#include <unistd.h>
#include <time.h>
#include <uv.h>

// glibc shows accept4 only under _GNU_SOURCE, which must not leak into the other headers.
extern int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);
