/* The interface of the device: a descriptor that gives and takes whole IP packets. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lwip/ip.h"
#include "lwip/netif.h"
#include "lwip/tcpip.h"
#include "lwip/timeouts.h"

#include "device.h"

#define LARGEST_PACKET 1500

static struct netif interface;

static err_t put(struct netif *from, struct pbuf *packet, const ip4_addr_t *to) {
  (void)from;
  (void)to;
  unsigned char bytes[LARGEST_PACKET];
  const u16_t length = pbuf_copy_partial(packet, bytes, sizeof bytes, 0);
  /* What the path has no room for is lost. */
  return write(settings.descriptor, bytes, length) == (ssize_t)length ? ERR_OK : ERR_IF;
}

static err_t set_up(struct netif *made) {
  made->name[0] = 'l';
  made->name[1] = 'h';
  made->output = put;
  made->mtu = LARGEST_PACKET;
  made->flags = NETIF_FLAG_LINK_UP;
  return ERR_OK;
}

/* The task of the network takes a frame. */
static err_t take(struct pbuf *packet, struct netif *from) {
  if (settings.frame_ns > 0) {
    const struct timespec span = {(time_t)(settings.frame_ns / 1000000000ULL), (long)(settings.frame_ns % 1000000000ULL)};
    nanosleep(&span, NULL);
  }
  return ip_input(packet, from);
}

/* A frame that finds the mailbox of the network's task full is lost. */
static void *receive(void *nothing) {
  (void)nothing;
  unsigned char bytes[LARGEST_PACKET];
  for (;;) {
    const ssize_t length = recv(settings.descriptor, bytes, sizeof bytes, 0);
    if (length < 0 && errno == EINTR) {
      continue;
    }
    if (length <= 0) {
      die("its path is gone");
    }
    struct pbuf *packet = pbuf_alloc(PBUF_RAW, (u16_t)length, PBUF_RAM);
    if (packet == NULL) {
      continue;
    }
    pbuf_take(packet, bytes, (u16_t)length);
    if (tcpip_inpkt(packet, &interface, take) != ERR_OK) {
      pbuf_free(packet);
      tell("frame_lost");
    }
  }
}

/* The supervisor hears nothing of a task that hangs. */
static void show_alive(void *nothing) {
  if (write(settings.alive, ".", 1) == 1) {
    sys_timeout(1000, show_alive, nothing);
  }
}

static void add(void *nothing) {
  ip4_addr_t own, all, none;
  if (!ip4addr_aton(settings.own, &own)) {
    die("%s is no address", settings.own);
  }
  IP4_ADDR(&all, 255, 255, 255, 255);
  IP4_ADDR(&none, 0, 0, 0, 0);
  netif_add(&interface, &own, &all, &none, NULL, set_up, tcpip_input);
  netif_set_default(&interface);
  netif_set_up(&interface);
  if (settings.alive > 0) {
    show_alive(nothing);
  }
}

void start_interface(void) {
  /* What came while it was off is gone. */
  unsigned char bytes[LARGEST_PACKET];
  while (recv(settings.descriptor, bytes, sizeof bytes, MSG_DONTWAIT) > 0) {
  }
  tcpip_init(add, NULL);
  pthread_t thread;
  if (pthread_create(&thread, NULL, receive, NULL) != 0) {
    die("a thread could not be started");
  }
}
