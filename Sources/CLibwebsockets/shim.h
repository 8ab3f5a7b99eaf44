#pragma once
#include <string.h>
#include <libwebsockets.h>

// What differs between the library's versions, or does not reach Swift, is here and nowhere else.
// Checked against 4.1.6 (Debian 12) and 4.3.5 (Debian 13).

// The types of an adoption are an enum in C but combined like flags, which Swift has no name for.
static inline struct lws *drawbolt_adopt_http(
    struct lws_vhost *vhost, int fd, const char *head, size_t length) {
  // Adopts as HTTP without TLS and at once gives the library `head` to read, in every version.
  // The library closes the descriptor itself if it fails.
  return lws_adopt_socket_vhost_readbuf(vhost, (lws_sockfd_type)fd, head, length);
}

// LWS_WRITE_HTTP on a WebSocket sends the bytes as they are. The library takes a pointer to
// writable bytes because its other modes put a header in front of them; this one only reads.
static inline int drawbolt_write_raw(struct lws *wsi, const uint8_t *bytes, size_t length) {
  return lws_write(wsi, (unsigned char *)bytes, length, LWS_WRITE_HTTP);
}

// `options` is a uint64_t since 4.0, and the flags are signed or unsigned depending on the version.
static inline uint64_t drawbolt_options(void) {
  return (uint64_t)LWS_SERVER_OPTION_LIBUV | (uint64_t)LWS_SERVER_OPTION_VALIDATE_UTF8;
}

// Compares without depending on which integer the enum is imported as.
static inline int drawbolt_upgrade_is_websocket(struct lws *wsi) {
  char value[16];
  int length = lws_hdr_copy(wsi, value, sizeof value, WSI_TOKEN_UPGRADE);
  return length == 9 && strcasecmp(value, "websocket") == 0;
}

// The library's own heartbeat (300 s by default) is off: a hangup time of 0 says so in 4.1 and 4.3.
static inline const lws_retry_bo_t *drawbolt_no_heartbeat(void) {
  static const lws_retry_bo_t none;
  return &none;
}

// -1 keeps the process's user and group; the fields' type is the system's to choose.
static inline void drawbolt_keep_user(struct lws_context_creation_info *info) {
  info->uid = -1;
  info->gid = -1;
}

// Whether `lws_context_destroy` closes the descriptor by which the library wakes itself though the
// loop's next turn does it too: so 4.1.6 (measured); 4.3.5 closes it once, in that turn. 4.2 was not
// measured and is taken to be like 4.1.
static inline int drawbolt_closes_pipe_twice(void) {
  return LWS_LIBRARY_VERSION_NUMBER < 4003000;
}
