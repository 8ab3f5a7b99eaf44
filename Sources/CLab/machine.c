#define _GNU_SOURCE
#include "machine.h"

#include <sched.h>

int lab_pin_to_core(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  return sched_setaffinity(0, sizeof set, &set);
}
