#pragma once
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

// Nearly all that is set on a context is a macro in OpenSSL, which Swift does not see. 0 if the
// library knows one of the groups or versions no more.
static inline int drawbolt_tls_set_up(SSL_CTX *context) {
  // A peer that hangs up without saying so is at its end all the same: neither a request without a body
  // nor a WebSocket can be cut short unnoticed.
  SSL_CTX_set_options(
      context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                   SSL_OP_PRIORITIZE_CHACHA | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(
      context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                   SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // Without it a call takes one record and no more, so that a flood of them has no end in one turn.
  SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
  // Whoever comes back brings a ticket; nothing is kept here.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set1_groups_list(context, "X25519:P-256") == 1;
}


// Whether the error is that of a request in plain HTTP: the library's numbers are macros of its own.
static inline int drawbolt_tls_is_plain_http(unsigned long error) {
  return ERR_GET_LIB(error) == ERR_LIB_SSL && ERR_GET_REASON(error) == SSL_R_HTTP_REQUEST;
}

