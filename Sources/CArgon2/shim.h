#pragma once
#include <argon2.h>
#include <stddef.h>
#include <stdint.h>

/* The library asks for its memory by a function that is told nothing but the size, so what to answer is
   kept for the thread that hashes. */
struct cargon2_memory {
  uint8_t *bytes;
  size_t count;
};

/* Swift's import of C emits a function's own variable, but not one of the file. */
static inline struct cargon2_memory *cargon2_of_thread(void) {
  static _Thread_local struct cargon2_memory memory;
  return &memory;
}

static inline int cargon2_take(uint8_t **bytes, size_t count) {
  *bytes = cargon2_of_thread()->bytes;
  return count <= cargon2_of_thread()->count ? ARGON2_OK : ARGON2_MEMORY_ALLOCATION_ERROR;
}

/* The library has wiped it; its owner gives it back. */
static inline void cargon2_leave(uint8_t *bytes, size_t count) {
  (void)bytes;
  (void)count;
}

/* Argon2id, version 1.3, one lane, in memory that the caller owns. The library reads the message and the
   salt only, though its structure cannot say so. Answers ARGON2_OK or an error of the library. */
static inline int cargon2id(
    uint8_t *memory, size_t memory_size, uint32_t passes, const uint8_t *message, uint32_t message_size,
    const uint8_t *salt, uint32_t salt_size, uint8_t *hash, uint32_t hash_size) {
  argon2_context context = {
      .out = hash, .outlen = hash_size,
      .pwd = (uint8_t *)message, .pwdlen = message_size,
      .salt = (uint8_t *)salt, .saltlen = salt_size,
      .t_cost = passes, .m_cost = (uint32_t)(memory_size / 1024),
      .lanes = 1, .threads = 1, .version = ARGON2_VERSION_13,
      .allocate_cbk = cargon2_take, .free_cbk = cargon2_leave};
  *cargon2_of_thread() = (struct cargon2_memory){memory, memory_size};
  return argon2_ctx(&context, Argon2_id);
}
