// What the thread sanitizer must be told of `Synchronization.Mutex`: the compiler puts the lock that
// nobody waits for into our code, where the sanitizer sees it, but the one that somebody waits for is
// in Swift's library, which isn't instrumented. Without this every contended lock is reported as a race.
//
// Built as a library that is loaded first (LD_PRELOAD): its two functions stand in front of the library's.
// Both are Swift methods of `_MutexHandle`, so the handle comes in the register of `self`.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define HANDLE __attribute__((swift_context)) void *handle
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

__attribute__((swiftcall)) typedef void (*Lock)(uint32_t thread, HANDLE);
__attribute__((swiftcall)) typedef void (*Unlock)(HANDLE);

// Missing in the programs that tests start and that are not instrumented.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

static void *next(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);
  if (!function) {
    fprintf(stderr, "contended-locks: this Swift has no %s\n", name);
    abort();
  }
  return function;
}

__attribute__((swiftcall)) void lock(uint32_t thread, HANDLE) __asm__(LOCK);
__attribute__((swiftcall)) void lock(uint32_t thread, HANDLE) {
  static Lock real;
  if (!real) real = (Lock)next(LOCK);
  real(thread, handle);
  if (__tsan_acquire) __tsan_acquire(handle);
}

__attribute__((swiftcall)) void unlock(HANDLE) __asm__(UNLOCK);
__attribute__((swiftcall)) void unlock(HANDLE) {
  static Unlock real;
  if (!real) real = (Unlock)next(UNLOCK);
  if (__tsan_release) __tsan_release(handle);
  real(handle);
}
