#pragma once
/* epoll.h is not part of Swift's import of the C library. */
#include <sys/epoll.h>

/* Keeps the calling thread, and those that it makes later, on one core; the macros that fill a
   cpu_set_t cannot be called from Swift. Answers 0, or -1 with errno set. */
int lab_pin_to_core(int core);
