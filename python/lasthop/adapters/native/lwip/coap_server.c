/* CoAP (RFC 7252) with Observe (RFC 7641) on a socket of lwIP, in one task: what is put or posted becomes a resource. */
#include <stdio.h>
#include <string.h>

#include "lwip/sockets.h"

#include "device.h"

enum { CON, NON, ACK, RST };
enum { EMPTY = 0x00, GET = 0x01, POST = 0x02, PUT = 0x03, CREATED = 0x41, CHANGED = 0x44, CONTENT = 0x45, NOT_FOUND = 0x84, NOT_ALLOWED = 0x85, TOO_LARGE = 0x8d };
enum { OPTION_OBSERVE = 6, OPTION_URI_PATH = 11, OPTION_BLOCK1 = 27 };

#define LARGEST_DATAGRAM 1280
#define LARGEST_CONTENT 1152
#define RESOURCES 256
#define OBSERVERS 16
/* RFC 7252 section 4.8. */
#define ACK_TIMEOUT_NS 2000000000ULL
#define MAX_RETRANSMIT 4

struct resource {
  char path[128];
  unsigned version;
  size_t length;
  unsigned char content[LARGEST_CONTENT];
};

struct observer {
  struct resource *of;
  struct sockaddr_in peer;
  unsigned char token[8];
  size_t token_length;
  /* The notification that is not acknowledged yet; none where there was no try. */
  unsigned id, tries, told_version;
  uint64_t next_ns, span_ns;
};

struct request {
  int type, code, observes;
  unsigned id;
  unsigned char token[8];
  size_t token_length;
  char path[128];
  const unsigned char *payload;
  size_t payload_length;
};

static struct resource resources[RESOURCES];
static struct observer observers[OBSERVERS];
/* Answers to the latest requests, for those that come again. */
static struct {
  struct sockaddr_in peer;
  unsigned id;
  size_t length;
  unsigned char bytes[64];
} answered[16];
static unsigned next_answered, next_id = 1;
static int endpoint;

static int is_same(const struct sockaddr_in *one, const struct sockaddr_in *other) {
  return one->sin_port == other->sin_port && one->sin_addr.s_addr == other->sin_addr.s_addr;
}

static void send_to(const struct sockaddr_in *peer, const unsigned char *bytes, size_t length) {
  lwip_sendto(endpoint, bytes, length, 0, (const struct sockaddr *)peer, sizeof *peer);
}

static size_t put_head(unsigned char *to, int type, int code, unsigned id, const unsigned char *token, size_t length) {
  to[0] = (unsigned char)(0x40 | type << 4 | (int)length);
  to[1] = (unsigned char)code;
  to[2] = (unsigned char)(id >> 8);
  to[3] = (unsigned char)id;
  memcpy(to + 4, token, length);
  return 4 + length;
}

/* The value of an extended delta or length (section 3.1), or -1. */
static long extended(const unsigned char *bytes, size_t length, size_t *at, unsigned nibble) {
  const size_t more = nibble == 13 ? 1 : nibble == 14 ? 2 : 0;
  if (nibble == 15 || *at + more > length) {
    return -1;
  }
  const long value = nibble < 13 ? (long)nibble : nibble == 13 ? bytes[*at] + 13 : (bytes[*at] << 8 | bytes[*at + 1]) + 269;
  *at += more;
  return value;
}

/* Reads a message; tells whether it is one. */
static int read_message(const unsigned char *bytes, size_t length, struct request *into) {
  memset(into, 0, sizeof *into);
  into->observes = -1;
  if (length < 4 || bytes[0] >> 6 != 1 || (bytes[0] & 15) > 8 || length < 4u + (bytes[0] & 15)) {
    return 0;
  }
  into->type = bytes[0] >> 4 & 3;
  into->code = bytes[1];
  into->id = (unsigned)bytes[2] << 8 | bytes[3];
  into->token_length = bytes[0] & 15;
  memcpy(into->token, bytes + 4, into->token_length);
  size_t at = 4 + into->token_length, path = 0;
  long option = 0;
  while (at < length && bytes[at] != 0xff) {
    const unsigned first = bytes[at++];
    const long delta = extended(bytes, length, &at, first >> 4);
    const long size = extended(bytes, length, &at, first & 15);
    if (delta < 0 || size < 0 || at + (size_t)size > length) {
      return 0;
    }
    option += delta;
    if (option == OPTION_OBSERVE) {
      into->observes = size == 0 ? 0 : bytes[at + (size_t)size - 1];
    } else if (option == OPTION_URI_PATH && path + (size_t)size + 2 <= sizeof into->path) {
      into->path[path++] = '/';
      memcpy(into->path + path, bytes + at, (size_t)size);
      path += (size_t)size;
    } else if (option == OPTION_BLOCK1) {
      into->code = -TOO_LARGE;
    }
    at += (size_t)size;
  }
  if (at + 1 < length) {
    into->payload = bytes + at + 1;
    into->payload_length = length - at - 1;
  }
  return 1;
}

static struct resource *resource_at(const char *path) {
  for (size_t at = 0; at < RESOURCES; at++) {
    if (resources[at].version > 0 && strcmp(resources[at].path, path) == 0) {
      return &resources[at];
    }
  }
  return NULL;
}

/* The content of a resource behind a head, with the number of its version where it is observed (RFC 7641 section 2). */
static size_t put_content(unsigned char *to, const struct resource *of, int is_observed) {
  size_t at = 0;
  if (is_observed) {
    to[at++] = OPTION_OBSERVE << 4 | 3;
    to[at++] = (unsigned char)(of->version >> 16);
    to[at++] = (unsigned char)(of->version >> 8);
    to[at++] = (unsigned char)of->version;
  }
  if (of->length > 0) {
    to[at++] = 0xff;
    memcpy(to + at, of->content, of->length);
    at += of->length;
  }
  return at;
}

static void notify(struct observer *observer) {
  static unsigned char bytes[LARGEST_DATAGRAM];
  const int type = settings.confirms ? CON : NON;
  const size_t head = put_head(bytes, type, CONTENT, observer->id, observer->token, observer->token_length);
  send_to(&observer->peer, bytes, head + put_content(bytes + head, observer->of, 1));
}

/* Begins with the notification of the latest version, unless one is on its way. */
static void tell_observer(struct observer *observer) {
  if (observer->of == NULL || observer->tries > 0 || observer->told_version == observer->of->version) {
    return;
  }
  observer->id = next_id++ & 0xffff;
  observer->told_version = observer->of->version;
  notify(observer);
  if (settings.confirms) {
    observer->tries = 1;
    observer->span_ns = ACK_TIMEOUT_NS + ACK_TIMEOUT_NS / 100 * (observer->id * 7 % 50);
    observer->next_ns = now_nanos() + observer->span_ns;
  }
}

/* What is sent again; how long it may wait for the next one, in milliseconds, 0 for ever. */
static int send_again(void) {
  uint64_t next = 0;
  const uint64_t now = now_nanos();
  for (struct observer *it = observers; it < observers + OBSERVERS; it++) {
    if (it->of == NULL || it->tries == 0) {
      continue;
    }
    if (it->next_ns <= now) {
      if (it->tries > MAX_RETRANSMIT) {
        it->of = NULL;
        continue;
      }
      notify(it);
      it->tries += 1;
      it->span_ns *= 2;
      it->next_ns = now + it->span_ns;
    }
    next = next == 0 || it->next_ns < next ? it->next_ns : next;
  }
  return next == 0 ? 0 : (int)((next - now) / 1000000) + 1;
}

/* An acknowledgement, or the refusal of a notification. */
static void hear_empty(const struct request *request, const struct sockaddr_in *peer) {
  for (struct observer *it = observers; it < observers + OBSERVERS; it++) {
    if (it->of != NULL && it->id == request->id && is_same(&it->peer, peer)) {
      it->tries = 0;
      if (request->type == RST) {
        it->of = NULL;
      }
      tell_observer(it);
      return;
    }
  }
}

static int keep(const struct request *request) {
  struct resource *of = resource_at(request->path);
  const int code = of == NULL ? CREATED : CHANGED;
  for (size_t at = 0; of == NULL && at < RESOURCES; at++) {
    of = resources[at].version == 0 ? &resources[at] : NULL;
  }
  if (of == NULL || request->payload_length > sizeof of->content) {
    return TOO_LARGE;
  }
  strcpy(of->path, request->path);
  of->version += 1;
  of->length = request->payload_length;
  memcpy(of->content, request->payload, of->length);
  return code;
}

/* Makes the sender of a request an observer, or none any more; tells whether it is one. */
static int observe(const struct request *request, const struct sockaddr_in *peer, struct resource *of) {
  struct observer *place = NULL;
  for (struct observer *it = observers; it < observers + OBSERVERS; it++) {
    const int is_its = it->of == of && is_same(&it->peer, peer);
    if (is_its || (it->of == NULL && place == NULL)) {
      place = it;
    }
    if (is_its) {
      break;
    }
  }
  if (place == NULL) {
    return 0;
  }
  if (request->observes != 0) {
    place->of = place->of == of ? NULL : place->of;
    return 0;
  }
  *place = (struct observer){.of = of, .peer = *peer, .token_length = request->token_length, .told_version = of->version};
  memcpy(place->token, request->token, request->token_length);
  return 1;
}

static void answer(const struct request *request, const struct sockaddr_in *peer) {
  static unsigned char bytes[LARGEST_DATAGRAM];
  const int is_confirmable = request->type == CON;
  for (size_t at = 0; at < 16; at++) {
    if (answered[at].length > 0 && answered[at].id == request->id && is_same(&answered[at].peer, peer)) {
      send_to(peer, answered[at].bytes, answered[at].length);
      return;
    }
  }
  struct resource *of = resource_at(request->path);
  int code = request->code < 0 ? -request->code : NOT_ALLOWED, is_observed = 0;
  if (request->code == POST || request->code == PUT) {
    code = keep(request);
  } else if (request->code == GET) {
    code = of == NULL ? NOT_FOUND : CONTENT;
    is_observed = of != NULL && request->observes >= 0 && observe(request, peer, of);
  }
  const unsigned id = is_confirmable ? request->id : next_id++ & 0xffff;
  size_t length = put_head(bytes, is_confirmable ? ACK : NON, code, id, request->token, request->token_length);
  if (code == CONTENT) {
    length += put_content(bytes + length, of, is_observed);
  }
  send_to(peer, bytes, length);
  if (length <= sizeof answered[0].bytes) {
    answered[next_answered].peer = *peer;
    answered[next_answered].id = request->id;
    answered[next_answered].length = length;
    memcpy(answered[next_answered].bytes, bytes, length);
    next_answered = (next_answered + 1) % 16;
  }
  for (struct observer *it = observers; it < observers + OBSERVERS; it++) {
    if (it->of != NULL && code != CONTENT && strcmp(it->of->path, request->path) == 0) {
      tell_observer(it);
    }
  }
}

void run_coap_server(void) {
  static unsigned char bytes[LARGEST_DATAGRAM];
  struct sockaddr_in own = {0}, peer;
  endpoint = lwip_socket(AF_INET, SOCK_DGRAM, 0);
  own.sin_family = AF_INET;
  own.sin_port = lwip_htons((u16_t)settings.port);
  if (endpoint < 0 || lwip_bind(endpoint, (struct sockaddr *)&own, sizeof own) != 0) {
    die("it cannot listen at port %u", settings.port);
  }
  tell("listens");
  for (;;) {
    const int wait_ms = send_again();
    socklen_t size = sizeof peer;
    ssize_t length = lwip_recvfrom(endpoint, bytes, sizeof bytes, MSG_DONTWAIT, (struct sockaddr *)&peer, &size);
    if (length < 0) {
      const struct timeval wait = {wait_ms / 1000, wait_ms % 1000 * 1000};
      lwip_setsockopt(endpoint, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
      length = lwip_recvfrom(endpoint, bytes, sizeof bytes, 0, (struct sockaddr *)&peer, &size);
      has_paused();
    }
    if (length <= 0) {
      continue;
    }
    struct request request;
    work(settings.message_ns + (uint64_t)length * settings.byte_ns);
    if (!read_message(bytes, (size_t)length, &request)) {
      continue;
    }
    if (request.code == EMPTY) {
      hear_empty(&request, &peer);
    } else {
      answer(&request, &peer);
    }
  }
}
