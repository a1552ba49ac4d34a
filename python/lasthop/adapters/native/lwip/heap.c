/* A heap of a size that is stated: who takes more of it ends the device. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "lwip/memp.h"
#include "lwip/opt.h"
#include "lwip/pbuf.h"
#include "lwip/stats.h"

#include "device.h"

/* Stands before each block and keeps it aligned. */
union head {
  size_t size;
  max_align_t alignment;
};

static atomic_size_t taken;
static atomic_size_t blocks;

/* A block is a packet behind the head that lwIP gives it, which on this machine is larger than on a device: a packet takes its bytes, and what the
 * device is said to take beside them. So does a connection, whose head comes from a pool. */
void check_heap(void) {
  const uint64_t connections = lwip_stats.memp[MEMP_TCP_PCB]->used;
  const uint64_t heads = blocks * (uint64_t)sizeof(struct pbuf);
  const uint64_t bytes = taken > heads ? taken - heads : 0;
  const uint64_t used = bytes + blocks * settings.segment_bytes + connections * settings.connection_bytes;
  if (settings.heap_bytes > 0 && used > settings.heap_bytes) {
    crash(EXIT_OUT_OF_MEMORY, "the heap of %llu B is used up by %llu connections and %llu segments of %llu B",
          (unsigned long long)settings.heap_bytes, (unsigned long long)connections, (unsigned long long)blocks, (unsigned long long)bytes);
  }
}

void *lasthop_heap_take(size_t size) {
  union head *head = malloc(sizeof *head + size);
  if (head == NULL) {
    die("this machine has no memory");
  }
  head->size = size;
  taken += size;
  blocks += 1;
  check_heap();
  return head + 1;
}

void *lasthop_heap_take_zeroed(size_t count, size_t size) { return memset(lasthop_heap_take(count * size), 0, count * size); }

void lasthop_heap_give(void *memory) {
  if (memory == NULL) {
    return;
  }
  union head *head = (union head *)memory - 1;
  taken -= head->size;
  blocks -= 1;
  free(head);
}
