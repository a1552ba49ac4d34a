/* HTTP/1.1 (RFC 9112) on sockets of lwIP, in one task, which answers a request with what it holds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lwip/sockets.h"

#include "device.h"

#define LARGEST_REQUEST 4096

struct client {
  /* 0 where there is none. */
  int is_there, connection;
  size_t length;
  char bytes[LARGEST_REQUEST];
};

static struct client clients[DEVICE_CONNECTIONS];

static void forget(struct client *client) {
  lwip_close(client->connection);
  client->is_there = 0;
}

static int put(int connection, const char *bytes, size_t length) {
  while (length > 0) {
    const ssize_t written = lwip_send(connection, bytes, length, 0);
    if (written <= 0) {
      return 0;
    }
    bytes += written;
    length -= (size_t)written;
  }
  return 1;
}

/* The value of a field of a head, or nothing. */
static const char *field(const char *head, const char *end, const char *name) {
  const size_t length = strlen(name);
  for (const char *line = strstr(head, "\r\n"); line != NULL && line < end; line = strstr(line + 2, "\r\n")) {
    if (strncasecmp(line + 2, name, length) == 0 && line[2 + length] == ':') {
      const char *value = line + 3 + length;
      return value + strspn(value, " \t");
    }
  }
  return NULL;
}

/* Answers the request that some bytes begin with; how long it is, 0 where more of it is to come, or less where it is none. */
static long answer(struct client *client) {
  client->bytes[client->length] = '\0';
  const char *end = strstr(client->bytes, "\r\n\r\n");
  if (end == NULL) {
    return client->length + 1 < sizeof client->bytes ? 0 : -1;
  }
  const size_t head = (size_t)(end - client->bytes) + 4;
  const char *told = field(client->bytes, end, "content-length"), *stays = field(client->bytes, end, "connection");
  const size_t body = told == NULL ? 0 : strtoul(told, NULL, 10);
  if (head + body + 1 > sizeof client->bytes || field(client->bytes, end, "transfer-encoding") != NULL) {
    return -1;
  }
  if (client->length < head + body) {
    return 0;
  }
  static char text[LARGEST_REQUEST + 128];
  const int is_last = stays != NULL && strncasecmp(stays, "close", 5) == 0;
  const int before = sprintf(text, "HTTP/1.1 200 OK\r\n%scontent-length: %zu\r\n\r\n", is_last ? "connection: close\r\n" : "", body);
  memcpy(text + before, client->bytes + head, body);
  if (!put(client->connection, text, (size_t)before + body) || is_last) {
    return -1;
  }
  return (long)(head + body);
}

/* One read of its task, and what follows from it; tells whether the connection goes on. */
static int read_once(struct client *client) {
  const size_t room = sizeof client->bytes - 1 - client->length;
  const size_t most = settings.read_bytes < room ? settings.read_bytes : room;
  const ssize_t length = lwip_recv(client->connection, client->bytes + client->length, most, 0);
  if (length <= 0) {
    return 0;
  }
  work(settings.message_ns + (uint64_t)length * settings.byte_ns);
  client->length += (size_t)length;
  long taken;
  while ((taken = answer(client)) > 0) {
    client->length -= (size_t)taken;
    memmove(client->bytes, client->bytes + taken, client->length);
  }
  return taken == 0;
}

static void take(int listener) {
  const int connection = lwip_accept(listener, NULL, NULL);
  if (connection < 0) {
    return;
  }
  const int on = 1;
  lwip_setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  work(settings.connection_ns);
  for (size_t at = 0; at < DEVICE_CONNECTIONS; at++) {
    if (!clients[at].is_there) {
      clients[at].is_there = 1;
      clients[at].connection = connection;
      clients[at].length = 0;
      return;
    }
  }
  lwip_close(connection);
}

/* Whom to wait for; the listener too, where there is room for another. */
static int whom(int listener, fd_set *readable) {
  int last = 0, free_places = 0;
  FD_ZERO(readable);
  for (size_t at = 0; at < DEVICE_CONNECTIONS; at++) {
    if (!clients[at].is_there) {
      free_places++;
      continue;
    }
    FD_SET(clients[at].connection, readable);
    last = clients[at].connection > last ? clients[at].connection : last;
  }
  if (free_places > 0) {
    FD_SET(listener, readable);
    last = listener > last ? listener : last;
  }
  return last + 1;
}

void run_http_server(void) {
  struct sockaddr_in own = {0};
  const int listener = lwip_socket(AF_INET, SOCK_STREAM, 0);
  own.sin_family = AF_INET;
  own.sin_port = lwip_htons((u16_t)settings.port);
  if (listener < 0 || lwip_bind(listener, (struct sockaddr *)&own, sizeof own) != 0 || lwip_listen(listener, DEVICE_CONNECTIONS) != 0) {
    die("it cannot listen at port %u", settings.port);
  }
  tell("listens");
  for (;;) {
    fd_set readable;
    struct timeval none = {0, 0};
    int most = whom(listener, &readable);
    if (lwip_select(most, &readable, NULL, NULL, &none) <= 0) {
      most = whom(listener, &readable);
      lwip_select(most, &readable, NULL, NULL, NULL);
      has_paused();
    }
    for (size_t at = 0; at < DEVICE_CONNECTIONS; at++) {
      if (clients[at].is_there && FD_ISSET(clients[at].connection, &readable) && !read_once(&clients[at])) {
        forget(&clients[at]);
      }
    }
    if (FD_ISSET(listener, &readable)) {
      take(listener);
    }
  }
}
