/* Counts heap allocations of a thread by standing in front of the C library's own functions.

   A program may define malloc itself (glibc manual, "Replacing malloc"): the dynamic linker then
   binds the Swift runtime's calls to it as well, so every allocation of the process passes here.
   Each goes on to glibc's own entry point of the same duty, so free needs no stand-in. Nothing is
   preloaded and nothing else changes; the price is one addition a call. */
#include "allocations.h"

#include <errno.h>
#include <stddef.h>

static __thread uint64_t count;

uint64_t lab_allocations(void) { return count; }

/* Sanitizers have a malloc of their own, which must not be stood in front of. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

#if defined(__GLIBC__) && !defined(HAS_SANITIZER)
int lab_counts_allocations(void) { return 1; }

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
  count++;
  return __libc_malloc(size);
}

void *calloc(size_t items, size_t size) {
  count++;
  return __libc_calloc(items, size);
}

void *realloc(void *old, size_t size) {
  count++;
  return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
  count++;
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0)
    return EINVAL;
  void *memory = memalign(alignment, size);
  if (memory == NULL) return ENOMEM;
  *result = memory;
  return 0;
}
#else
int lab_counts_allocations(void) { return 0; }
#endif
