#pragma once
#include <sys/prctl.h>

/* prctl is variadic, which Swift cannot call. Answers 0, or -1 with errno set. */
static inline int clinux_set_not_dumpable(void) {
  return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/* SCHED_IDLE is a GNU extension that Swift's import of sched.h leaves out. For the calling thread;
   answers 0, or -1 with errno set. */
#include <sched.h>
#ifndef SCHED_IDLE
#define SCHED_IDLE 5
#endif
static inline int clinux_set_idle_scheduling(void) {
  struct sched_param parameters = {0};
  return sched_setscheduler(0, SCHED_IDLE, &parameters);
}
