/* lwIP as the firmware of a device configures it. What differs between devices comes from the compiler's command. */
#ifndef LASTHOP_LWIPOPTS_H
#define LASTHOP_LWIPOPTS_H

#if !defined(TCP_MSS) || !defined(TCP_WND) || !defined(TCP_SND_BUF) || !defined(TCP_QUEUE_OOSEQ) || \
    !defined(DEVICE_FRAMES) || !defined(DEVICE_MAILBOX) || !defined(DEVICE_CONNECTIONS)
#error "the options of the device are missing"
#endif

#define NO_SYS 0
#define SYS_LIGHTWEIGHT_PROT 1
#define LWIP_SOCKET 1
#define LWIP_NETCONN 1
#define LWIP_COMPAT_SOCKETS 0
#define LWIP_SO_RCVTIMEO 1
#define LWIP_TCPIP_CORE_LOCKING 0

#define LWIP_IPV4 1
#define LWIP_IPV6 0
#define LWIP_ARP 0
#define LWIP_ETHERNET 0
#define LWIP_DHCP 0
#define LWIP_DNS 0
#define LWIP_RAW 0
#define LWIP_ICMP 1
#define IP_REASSEMBLY 0
#define IP_FRAG 0

#define LWIP_TCP_SACK_OUT 0
#define LWIP_WND_SCALE 0
#define LWIP_TCP_TIMESTAMPS 0
#define TCP_SND_QUEUELEN ((4 * (TCP_SND_BUF) + ((TCP_MSS) - 1)) / (TCP_MSS))
#define TCP_MAXRTX 12
#define TCP_SYNMAXRTX 6
#define TCP_LISTEN_BACKLOG 1

/* Connections come from a pool of so many; frames and what is sent from the heap, as long as it lasts. */
#define MEM_ALIGNMENT 8
#define MEM_CUSTOM_ALLOCATOR 1
#define MEM_CUSTOM_MALLOC lasthop_heap_take
#define MEM_CUSTOM_FREE lasthop_heap_give
#define MEM_CUSTOM_CALLOC lasthop_heap_take_zeroed
#define MEMP_MEM_MALLOC 0
#define MEMP_NUM_TCP_PCB DEVICE_CONNECTIONS
#define MEMP_NUM_TCP_PCB_LISTEN 8
#define MEMP_NUM_UDP_PCB 4
#define MEMP_NUM_NETCONN (DEVICE_CONNECTIONS + 4)
#define MEMP_NUM_TCP_SEG (4 * TCP_SND_QUEUELEN)
#define MEMP_NUM_NETBUF 16
#define MEMP_NUM_TCPIP_MSG_INPKT (DEVICE_FRAMES + 8)
#define MEMP_NUM_TCPIP_MSG_API 16
#define PBUF_POOL_SIZE 4
/* Ours shows that the task goes on. */
#define MEMP_NUM_SYS_TIMEOUT (LWIP_NUM_SYS_TIMEOUT_INTERNAL + 1)
#define LWIP_STATS 1
#define MEMP_STATS 1
#define MEM_STATS 0

#define TCPIP_MBOX_SIZE DEVICE_FRAMES
#define DEFAULT_TCP_RECVMBOX_SIZE DEVICE_MAILBOX
#define DEFAULT_UDP_RECVMBOX_SIZE DEVICE_MAILBOX
#define DEFAULT_ACCEPTMBOX_SIZE DEVICE_MAILBOX
#define TCPIP_THREAD_STACKSIZE 0
#define TCPIP_THREAD_PRIO 0

#include <stddef.h>
void *lasthop_heap_take(size_t size);
void *lasthop_heap_take_zeroed(size_t count, size_t size);
void lasthop_heap_give(void *memory);

#endif
