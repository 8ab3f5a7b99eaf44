#pragma once
#include <stdint.h>

/* How often the calling thread has called send, and how often epoll_ctl, since it began. */
uint64_t lab_sends(void);
uint64_t lab_epoll_changes(void);
