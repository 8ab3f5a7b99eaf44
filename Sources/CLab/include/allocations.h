#pragma once
#include <stdint.h>

/* How often the calling thread has asked the C library for memory (malloc, calloc, realloc,
   aligned_alloc, memalign, posix_memalign) since it began; always 0 where they are not counted. */
uint64_t lab_allocations(void);

/* Whether they are counted here. */
int lab_counts_allocations(void);
