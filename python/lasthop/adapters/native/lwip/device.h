/* What the parts of the device share. */
#ifndef LASTHOP_DEVICE_H
#define LASTHOP_DEVICE_H

#include <stddef.h>
#include <stdint.h>

/* Crashes, which a supervisor may follow by a start: its heap is used up, or its task has not paused. */
#define EXIT_OUT_OF_MEMORY 70
#define EXIT_RESET_BY_WATCHDOG 71

/* A message that is to be sent. */
struct message {
  uint64_t due_ns;
  char flow[64];
  unsigned number;
  unsigned size;
  char topic[128];
};

/* What it is asked to do, and what it has little of. */
struct settings {
  int descriptor;
  /* Where the task of the network shows each second that it goes on; 0 for nowhere. */
  int alive;
  char own[16], server[16], name[64];
  unsigned port;
  char role[16];
  /* MQTT */
  unsigned qos, keep_alive_s;
  unsigned topics;
  char topic[128][128];
  unsigned messages;
  struct message *message;
  /* CoAP: whether notifications are confirmable. */
  int confirms;
  /* The application's task. */
  int first_message_only, answers_first;
  size_t read_bytes;
  uint64_t message_ns, byte_ns, connection_ns, frame_ns;
  /* The rest. */
  uint64_t tick_ns, heap_bytes, connection_bytes, segment_bytes, watchdog_ns;
};

extern struct settings settings;

/* Reads the settings up to an empty line. */
void read_settings(void);
/* Waits for the line that says when the time of the run is zero, and ends with its input, beside all else. */
void listen_to_input(void);
/* When the time of the run is zero; 0 as long as nobody has said so. */
uint64_t zero_nanos(void);

uint64_t now_nanos(void);
/* Prints a line with the instant, at once and whole. */
void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Its last words. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void crash(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Works for so long: the task does nothing else meanwhile. */
void work(uint64_t nanos);
/* The task has paused: it waited for something. */
void has_paused(void);
/* Fails when more is taken of the heap than it has. */
void check_heap(void);

void start_interface(void);
_Noreturn void run_mqtt_client(void);
_Noreturn void run_http_server(void);
_Noreturn void run_coap_server(void);

#endif
