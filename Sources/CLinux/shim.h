#pragma once
#include <sys/prctl.h>

/* prctl is variadic, which Swift cannot call. Answers 0, or -1 with errno set. */
static inline int clinux_set_not_dumpable(void) {
  return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
