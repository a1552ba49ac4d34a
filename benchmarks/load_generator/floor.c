// The least that a generator of MQTT load can take: one thread, epoll, no books. N clients connect, each publishes 64 B every
// so many microseconds, their starts spread evenly; one more client subscribes to all of it. CPU time is told per
// connection and per message (published, and received by the subscriber).
//
// floor PORT CLIENTS EVERY_US SECONDS QOS
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PAYLOAD = 64, ROOM = 1 << 16, AT_A_TIME = 64, EVENTS = 256 };

struct client { int fd, kept, ready; unsigned short id; unsigned char *buffer; };

static struct client *clients;
static int poller, qos, number_of_clients, ready;
static long received, sent;

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static void out(struct client *c, const void *bytes, int length) {
  if (write(c->fd, bytes, length) != length) { perror("write"); exit(1); }
}

static void answer(struct client *c, int type, const unsigned char *id) {
  unsigned char packet[4] = {type, 2, id[0], id[1]};
  out(c, packet, 4);
}

static void take(struct client *c, const unsigned char *packet, int head) {
  int is_subscriber = c == clients + number_of_clients;
  switch (packet[0] >> 4) {
    case 2:
      if (is_subscriber) {
        unsigned char subscribe[] = {0x82, 8, 0, 1, 0, 3, 'b', '/', '#', qos};
        out(c, subscribe, sizeof subscribe);
      } else { c->ready = 1; ready++; }
      break;
    case 9: c->ready = 1; ready++; break;
    case 3: {
      received++;
      int granted = packet[0] >> 1 & 3, topic = packet[head] << 8 | packet[head + 1];
      if (granted) answer(c, granted == 1 ? 0x40 : 0x50, packet + head + 2 + topic);
      break;
    }
    case 5: answer(c, 0x62, packet + head); break;
    case 6: answer(c, 0x70, packet + head); break;
  }
}

static void readable(struct client *c) {
  int got = read(c->fd, c->buffer + c->kept, ROOM - c->kept);
  if (got <= 0) { fprintf(stderr, "a connection has ended\n"); exit(1); }
  int end = c->kept + got, at = 0;
  while (end - at >= 2) {
    int length = 0, head = 1, shift = 0;
    while (at + head < end) { int b = c->buffer[at + head++]; length |= (b & 127) << shift; shift += 7; if (b < 128) break; }
    if (at + head + length > end) break;
    take(c, c->buffer + at, head);
    at += head + length;
  }
  memmove(c->buffer, c->buffer + at, end - at);
  c->kept = end - at;
}

static void serve(double wait) {
  struct epoll_event events[EVENTS];
  struct timespec longest = {.tv_sec = (long)wait, .tv_nsec = (long)((wait - (long)wait) * 1e9)};
  int n = epoll_pwait2(poller, events, EVENTS, wait < 0 ? NULL : &longest, NULL);
  for (int i = 0; i < n; i++) readable(clients + events[i].data.u32);
}

static void start(int number, struct sockaddr_in *server) {
  struct client *c = clients + number;
  int yes = 1;
  c->fd = socket(AF_INET, SOCK_STREAM, 0);
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (connect(c->fd, (void *)server, sizeof *server)) { perror("connect"); exit(1); }
  c->buffer = malloc(ROOM);
  unsigned char connect_[64] = {0x10, 22, 0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 60, 0, 10};
  sprintf((char *)connect_ + 14, "f%09d", number);
  out(c, connect_, 24);
  struct epoll_event event = {.events = EPOLLIN, .data.u32 = number};
  epoll_ctl(poller, EPOLL_CTL_ADD, c->fd, &event);
}

static void publish(struct client *c, int number) {
  unsigned char packet[128] = {0x30 | qos << 1, 0, 0, 8};
  int at = 4 + sprintf((char *)packet + 4, "b/%06d", number);
  if (qos) { c->id = c->id % 65535 + 1; packet[at++] = c->id >> 8; packet[at++] = c->id; }
  memset(packet + at, 'x', PAYLOAD);
  at += PAYLOAD;
  packet[1] = at - 2;
  out(c, packet, at);
  sent++;
}

int main(int count, char **arguments) {
  if (count != 6) { fprintf(stderr, "floor PORT CLIENTS EVERY_US SECONDS QOS\n"); return 2; }
  number_of_clients = atoi(arguments[2]);
  double every = atof(arguments[3]) * 1e-6, span = atof(arguments[4]);
  qos = atoi(arguments[5]);
  struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = htons(atoi(arguments[1]))};
  server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  clients = calloc(number_of_clients + 1, sizeof *clients);
  poller = epoll_create1(0);
  double before = seconds(CLOCK_PROCESS_CPUTIME_ID);
  start(number_of_clients, &server);
  while (!ready) serve(-1);
  for (int started = 0; ready <= number_of_clients;) {
    while (started < number_of_clients && started - (ready - 1) < AT_A_TIME) start(started++, &server);
    serve(-1);
  }
  double connected = seconds(CLOCK_PROCESS_CPUTIME_ID), begin = seconds(CLOCK_MONOTONIC);
  double step = every / number_of_clients;
  long due = (long)(span / step);
  for (long next = 0; next < due;) {
    double now = seconds(CLOCK_MONOTONIC) - begin;
    while (next < due && next * step <= now) { publish(clients + next % number_of_clients, next % number_of_clients); next++; }
    double wait = next * step - (seconds(CLOCK_MONOTONIC) - begin);
    serve(wait > 0 ? wait : 0);
  }
  double end = seconds(CLOCK_MONOTONIC) + 2;
  while (received < sent && seconds(CLOCK_MONOTONIC) < end) serve(0.1);
  double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
  for (int i = 0; i <= number_of_clients; i++) {
    unsigned char disconnect[] = {0xe0, 0};
    out(clients + i, disconnect, sizeof disconnect);
    close(clients[i].fd);
  }
  double gone = seconds(CLOCK_PROCESS_CPUTIME_ID);
  printf("{\"us_a_connection\": %.2f, \"us_a_message\": %.3f, \"sent\": %ld, \"received\": %ld}\n",
         (connected - before + gone - cpu) * 1e6 / number_of_clients, (cpu - connected) * 1e6 / sent, sent, received);
  return 0;
}
