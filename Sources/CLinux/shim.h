#pragma once
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

/* prctl is variadic, which Swift cannot call. Answers 0, or -1 with errno set. */
static inline int clinux_set_not_dumpable(void) {
  return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/* Answers a descriptor that becomes readable when one of the signals (a sigset_t, of which the kernel
   takes the first 64 bits) is held back, or -1. Including sys/signalfd.h would make sigset_t this
   module's. */
static inline int clinux_signal_file(const void *signals) {
  return (int)syscall(SYS_signalfd4, -1, signals, sizeof(uint64_t), O_CLOEXEC);
}

/* Whether a terminal shows what is typed: 1, 0, or -1 if it is none. Whose struct termios is depends,
   for Swift, on which modules it happens to have loaded, so that it can't be used there. */
static inline int clinux_echoes(int terminal) {
  struct termios settings;
  if (tcgetattr(terminal, &settings) != 0) return -1;
  return (settings.c_lflag & ECHO) != 0;
}

/* Has a terminal show what is typed or not, and forgets what was typed before. */
static inline int clinux_set_echo(int terminal, int on) {
  struct termios settings;
  if (tcgetattr(terminal, &settings) != 0) return -1;
  settings.c_lflag = on ? settings.c_lflag | ECHO : settings.c_lflag & ~(tcflag_t)ECHO;
  return tcsetattr(terminal, TCSAFLUSH, &settings);
}

/* The policies are GNU extensions that Swift's import of sched.h leaves out. All of these are for the
   calling thread and answer 0, or -1 with errno set. */
#ifndef SCHED_BATCH
#define SCHED_BATCH 3
#endif
#ifndef SCHED_IDLE
#define SCHED_IDLE 5
#endif

/* Runs only when nothing else wants the processor. */
static inline int clinux_set_idle_scheduling(void) {
  struct sched_param parameters = {0};
  return sched_setscheduler(0, SCHED_IDLE, &parameters);
}

/* Ends that for a thread (0 is the calling one), which the kernel allows to privileged processes only.
   Takes and answers the numbers of threads. */
static inline int clinux_set_normal_scheduling(int thread) {
  struct sched_param parameters = {0};
  return sched_setscheduler(thread, SCHED_OTHER, &parameters);
}
static inline int clinux_thread_number(void) { return (int)syscall(SYS_gettid); }

/* Runs behind threads that answer people, with a tenth of their share when they take all. */
static inline int clinux_set_background_scheduling(void) {
  struct sched_param parameters = {0};
  if (sched_setscheduler(0, SCHED_BATCH, &parameters) != 0) return -1;
  return setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 10);
}

/* Asks for short turns, which the kernel (6.12 and newer) pays with little waiting; older ones ignore
   it. glibc has no call for sched_setattr. */
static inline int clinux_set_short_turns(void) {
  struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
  } attributes;
  memset(&attributes, 0, sizeof attributes);
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return -1;
  if (attributes.policy != SCHED_OTHER) return 0;
  attributes.size = sizeof attributes;
  attributes.runtime = 100 * 1000;
  return (int)syscall(SYS_sched_setattr, 0, &attributes, 0);
}

/* How many cores the calling thread may run on: of 1024 at most, as in glibc's own cpu_set_t, whose
   macros Swift can't see. Answers -1 with errno set if there are more. */
static inline int clinux_usable_cores(void) {
  unsigned long mask[1024 / (8 * sizeof(unsigned long))];
  long bytes = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
  if (bytes < 0) return -1;
  int count = 0;
  for (size_t index = 0; index < (size_t)bytes / sizeof mask[0]; index++) {
    count += __builtin_popcountl(mask[index]);
  }
  return count;
}
