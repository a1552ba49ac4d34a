/* MQTT 3.1.1 (OASIS) on sockets of lwIP, in one task: it reads, works, answers and sends in turn. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lwip/sockets.h"

#include "device.h"

enum { CONNECT = 1, CONNACK, PUBLISH, PUBACK, PUBREC, PUBREL, PUBCOMP, SUBSCRIBE, SUBACK, PINGREQ = 12, PINGRESP };

/* After a lost connection it waits so long, as esp-mqtt does. */
#define RECONNECT_NS 10000000000ULL
#define LARGEST_MESSAGE 8192
#define LARGEST_SUBSCRIBE 1024
/* How often it looks whether the run has begun. */
#define LOOK_AGAIN_NS 5000000ULL

static unsigned char buffer[2 * LARGEST_MESSAGE];
static size_t kept;
static unsigned answered, next_message, last_packet_id;
static int is_up, was_ready;
static uint64_t sent_at;
static unsigned char known[65536 / 8];
static unsigned message_of[65536];

static int put(int connection, const unsigned char *bytes, size_t length) {
  while (length > 0) {
    const ssize_t written = lwip_send(connection, bytes, length, 0);
    if (written <= 0) {
      return 0;
    }
    bytes += written;
    length -= (size_t)written;
  }
  sent_at = now_nanos();
  return 1;
}

static size_t put_text(unsigned char *to, const char *text) {
  const size_t length = strlen(text);
  to[0] = (unsigned char)(length >> 8);
  to[1] = (unsigned char)length;
  memcpy(to + 2, text, length);
  return length + 2;
}

/* Sends a packet whose fixed header begins with a byte. */
static int put_packet(int connection, unsigned char first, const unsigned char *content, size_t length) {
  static unsigned char packet[LARGEST_MESSAGE + 5];
  size_t at = 0, left = length;
  if (length > LARGEST_MESSAGE) {
    die("a message of %zu B is larger than it sends", length);
  }
  packet[at++] = first;
  do {
    packet[at++] = (unsigned char)(left % 128 | (left >= 128 ? 128 : 0));
    left /= 128;
  } while (left > 0);
  memcpy(packet + at, content, length);
  return put(connection, packet, at + length);
}

static int put_id(int connection, int type, unsigned id) {
  const unsigned char content[] = {(unsigned char)(id >> 8), (unsigned char)id};
  return put_packet(connection, (unsigned char)(type << 4 | (type == PUBREL ? 2 : 0)), content, sizeof content);
}

static unsigned take_packet_id(void) {
  last_packet_id = last_packet_id % 65535 + 1;
  return last_packet_id;
}

static int put_connect(int connection) {
  unsigned char content[128] = {0, 4, 'M', 'Q', 'T', 'T', 4, 2};
  content[8] = (unsigned char)(settings.keep_alive_s >> 8);
  content[9] = (unsigned char)settings.keep_alive_s;
  const size_t length = 10 + put_text(content + 10, settings.name);
  return put_packet(connection, CONNECT << 4, content, length);
}

/* To as many topics as one packet takes, and when they are answered to more, so that no answer stands behind another in a read. */
static int subscribe_next(int connection) {
  static unsigned char content[LARGEST_SUBSCRIBE];
  if (answered == settings.topics) {
    return 1;
  }
  const unsigned id = take_packet_id();
  content[0] = (unsigned char)(id >> 8);
  content[1] = (unsigned char)id;
  size_t length = 2;
  for (unsigned at = answered; at < settings.topics && length + strlen(settings.topic[at]) + 3 <= sizeof content; at++) {
    length += put_text(content + length, settings.topic[at]);
    content[length++] = (unsigned char)settings.qos;
  }
  return put_packet(connection, SUBSCRIBE << 4 | 2, content, length);
}

static int publish(int connection, unsigned number) {
  static unsigned char content[LARGEST_MESSAGE];
  const struct message *message = &settings.message[number];
  size_t length = put_text(content, message->topic);
  if (settings.qos > 0) {
    const unsigned id = take_packet_id();
    message_of[id] = number;
    content[length++] = (unsigned char)(id >> 8);
    content[length++] = (unsigned char)id;
  }
  if (length + message->size + 1 > sizeof content) {
    die("a message of %u B is larger than it sends", message->size);
  }
  const int head = sprintf((char *)content + length, "%s/%s/%u ", settings.name, message->flow, message->number);
  for (size_t at = (size_t)head; at < message->size; at++) {
    content[length + at] = '.';
  }
  const size_t size = (size_t)head > message->size ? (size_t)head : message->size;
  tell("sent %s %u", message->flow, message->number);
  return put_packet(connection, (unsigned char)(PUBLISH << 4 | settings.qos << 1), content, length + size);
}

static void acknowledged(unsigned id) {
  const struct message *message = &settings.message[message_of[id]];
  tell("acknowledged %s %u", message->flow, message->number);
}

static int hear(int connection, unsigned char first, const unsigned char *content, size_t length) {
  const unsigned qos = first >> 1 & 3;
  const size_t topic = length < 2 ? 0 : (size_t)content[0] << 8 | content[1];
  const size_t payload = 2 + topic + (qos > 0 ? 2 : 0);
  if (length < payload) {
    die("a message of %zu B is cut off", length);
  }
  const unsigned id = qos > 0 ? (unsigned)content[payload - 2] << 8 | content[payload - 1] : 0;
  const int answer = qos == 1 ? PUBACK : PUBREC;
  if (qos > 0 && settings.answers_first && !put_id(connection, answer, id)) {
    return 0;
  }
  const int is_known = qos == 2 && (known[id / 8] >> id % 8 & 1);
  if (qos == 2) {
    known[id / 8] |= (unsigned char)(1 << id % 8);
  }
  if (!is_known) {
    size_t end = payload;
    while (end < length && content[end] != ' ') {
      end++;
    }
    tell("heard %.*s", (int)(end - payload), (const char *)content + payload);
  }
  work(settings.message_ns);
  return qos == 0 || settings.answers_first || put_id(connection, answer, id);
}

/* Does what a packet asks for; tells whether the connection still is. */
static int handle(int connection, unsigned char first, const unsigned char *content, size_t length) {
  const unsigned id = length >= 2 ? (unsigned)content[0] << 8 | content[1] : 0;
  switch (first >> 4) {
  case CONNACK:
    if (length < 2 || content[1] != 0) {
      die("the server does not let it in: code %d", length < 2 ? -1 : content[1]);
    }
    is_up = 1;
    return subscribe_next(connection);
  case SUBACK:
    answered += length > 2 ? (unsigned)length - 2 : 0;
    return subscribe_next(connection);
  case PUBLISH:
    return hear(connection, first, content, length);
  case PUBACK:
  case PUBCOMP:
    acknowledged(id);
    return 1;
  case PUBREC:
    return put_id(connection, PUBREL, id);
  case PUBREL:
    known[id / 8] &= (unsigned char)~(1 << id % 8);
    return put_id(connection, PUBCOMP, id);
  default:
    return 1;
  }
}

/* The length of the packet that some bytes begin with, and of its fixed header; 0 when more of them is needed. */
static size_t packet_in(const unsigned char *bytes, size_t length, size_t *header) {
  size_t value = 0, factor = 1;
  for (size_t at = 1; at < length && at < 5; at++) {
    value += (bytes[at] & 127) * factor;
    factor *= 128;
    if (!(bytes[at] & 128)) {
      *header = at + 1;
      return *header + value <= length ? *header + value : 0;
    }
  }
  return 0;
}

/* Whether a message of a server begins so; it may, where too little is there to tell. */
static int makes_sense(const unsigned char *bytes, size_t length) {
  size_t value = 0, factor = 1, at = 1;
  do {
    if (at == length) {
      return 1;
    }
    value += (bytes[at] & 127) * factor;
    factor *= 128;
  } while (bytes[at++] & 128 && at < 5);
  switch (bytes[0]) {
  case CONNACK << 4:
  case PUBACK << 4:
  case PUBREC << 4:
  case PUBREL << 4 | 2:
  case PUBCOMP << 4:
    return value == 2;
  case SUBACK << 4:
    return value >= 3 && value <= 2 + settings.topics;
  case PINGRESP << 4:
    return value == 0;
  }
  if (bytes[0] >> 4 != PUBLISH || at + 2 > length) {
    return bytes[0] >> 4 == PUBLISH;
  }
  const size_t topic = (size_t)bytes[at] << 8 | bytes[at + 1], there = length - at - 2;
  for (unsigned known_topic = 0; known_topic < settings.topics; known_topic++) {
    const char *of_it = settings.topic[known_topic];
    if (topic == strlen(of_it) && topic + 2 <= value && !memcmp(bytes + at + 2, of_it, topic < there ? topic : there)) {
      return 1;
    }
  }
  return 0;
}

/* One read of its task, and what follows from it. The old rule of esp-mqtt takes the first message of a read and throws away what came behind it. */
static int read_once(int connection) {
  if (kept + settings.read_bytes > sizeof buffer) {
    die("a message is larger than it takes");
  }
  const ssize_t length = lwip_recv(connection, buffer + kept, settings.read_bytes, 0);
  if (length <= 0) {
    return 0;
  }
  work((uint64_t)length * settings.byte_ns);
  kept += (size_t)length;
  /* It begins within a message that was thrown away; the old program would take it for what it looks like. */
  if (settings.first_message_only && !makes_sense(buffer, kept)) {
    tell("misread %zu", kept);
    kept = 0;
    return 1;
  }
  size_t at = 0, header = 0, packet;
  while ((packet = packet_in(buffer + at, kept - at, &header)) > 0) {
    if (!handle(connection, buffer[at], buffer + at + header, packet - header)) {
      return 0;
    }
    at += packet;
    if (settings.first_message_only) {
      if (kept > at) {
        tell("thrown_away %zu", kept - at);
      }
      at = kept;
    }
  }
  memmove(buffer, buffer + at, kept - at);
  kept -= at;
  return 1;
}

/* Waits for bytes of the connection, for so long at most; tells whether there are any. */
static int waits_for(int connection, uint64_t nanos) {
  fd_set readable;
  struct timeval none = {0, 0}, some = {(long)(nanos / 1000000000ULL), (long)(nanos % 1000000000ULL / 1000)};
  FD_ZERO(&readable);
  FD_SET(connection, &readable);
  if (lwip_select(connection + 1, &readable, NULL, NULL, &none) > 0) {
    return 1;
  }
  FD_ZERO(&readable);
  FD_SET(connection, &readable);
  const int found = lwip_select(connection + 1, &readable, NULL, NULL, &some);
  has_paused();
  return found > 0;
}

/* Sends what is due; tells how long it may wait for more, or that the connection is gone. */
static int send_due(int connection, uint64_t *wait_ns) {
  const uint64_t zero = zero_nanos();
  *wait_ns = LOOK_AGAIN_NS;
  if (settings.keep_alive_s > 0 && now_nanos() - sent_at > settings.keep_alive_s * 500000000ULL) {
    if (!put_packet(connection, PINGREQ << 4, NULL, 0)) {
      return 0;
    }
  }
  if (!is_up || zero == 0) {
    return 1;
  }
  while (next_message < settings.messages) {
    const uint64_t due = zero + settings.message[next_message].due_ns, now = now_nanos();
    if (due > now) {
      *wait_ns = due - now < 10 * LOOK_AGAIN_NS ? due - now : 10 * LOOK_AGAIN_NS;
      return 1;
    }
    if (!publish(connection, next_message++)) {
      return 0;
    }
  }
  *wait_ns = 10 * LOOK_AGAIN_NS;
  return 1;
}

static int open_connection(void) {
  struct sockaddr_in server = {0};
  const int connection = lwip_socket(AF_INET, SOCK_STREAM, 0), on = 1;
  if (connection < 0) {
    return -1;
  }
  lwip_setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  server.sin_family = AF_INET;
  server.sin_port = lwip_htons((u16_t)settings.port);
  if (!ip4addr_aton(settings.server, (ip4_addr_t *)&server.sin_addr)) {
    die("%s is no address", settings.server);
  }
  if (lwip_connect(connection, (struct sockaddr *)&server, sizeof server) != 0) {
    lwip_close(connection);
    return -1;
  }
  work(settings.connection_ns);
  return connection;
}

void run_mqtt_client(void) {
  for (;;) {
    const int connection = open_connection();
    kept = 0, answered = 0, is_up = 0;
    sent_at = now_nanos();
    int goes_on = connection >= 0 && put_connect(connection);
    while (goes_on) {
      uint64_t wait_ns;
      goes_on = send_due(connection, &wait_ns) && (!waits_for(connection, wait_ns) || read_once(connection));
      if (is_up && !was_ready && answered == settings.topics) {
        was_ready = 1;
        printf("ready\n");
        fflush(stdout);
      }
    }
    if (connection >= 0) {
      lwip_close(connection);
    }
    tell("connection_lost");
    const struct timespec span = {RECONNECT_NS / 1000000000ULL, 0};
    nanosleep(&span, NULL);
    has_paused();
  }
}
