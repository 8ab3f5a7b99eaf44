/* Counts two system calls of a thread by standing in front of the C library's functions for them.

   Which shared library calls them does not matter: the dynamic linker binds libuv's and
   libwebsockets' calls to the program's own definitions, as it does with malloc (allocations.c). */
#include "calls.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static __thread uint64_t sends, changes;

uint64_t lab_sends(void) { return sends; }

uint64_t lab_epoll_changes(void) { return changes; }

ssize_t send(int descriptor, const void *bytes, size_t length, int flags) {
  sends++;
  return sendto(descriptor, bytes, length, flags, NULL, 0);
}

int epoll_ctl(int epoll, int change, int descriptor, struct epoll_event *event) {
  changes++;
  return (int)syscall(SYS_epoll_ctl, epoll, change, descriptor, event);
}
