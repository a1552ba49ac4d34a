/* What the device is asked to do, as lines of a key and a value, and what it prints. */
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "device.h"

struct settings settings;

static _Atomic uint64_t zero_ns;
static pthread_mutex_t printing = PTHREAD_MUTEX_INITIALIZER;

uint64_t now_nanos(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
}

uint64_t zero_nanos(void) { return zero_ns; }

void tell(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  pthread_mutex_lock(&printing);
  vprintf(format, arguments);
  printf(" %llu\n", (unsigned long long)now_nanos());
  fflush(stdout);
  pthread_mutex_unlock(&printing);
  va_end(arguments);
}

static _Noreturn void end(int status, const char *format, va_list arguments) {
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  fflush(stderr);
  _exit(status);
}

void die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  end(EXIT_FAILURE, format, arguments);
}

void crash(int status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  end(status, format, arguments);
}

static void copy(char *to, size_t room, const char *value) {
  if (strlen(value) >= room) {
    die("%s is too long", value);
  }
  strcpy(to, value);
}

static void add_message(const char *value) {
  struct message *grown = realloc(settings.message, (settings.messages + 1) * sizeof *grown);
  if (grown == NULL) {
    die("this machine has no memory");
  }
  settings.message = grown;
  struct message *message = &grown[settings.messages++];
  unsigned long long due;
  if (sscanf(value, "%llu %63s %u %u %127s", &due, message->flow, &message->number, &message->size, message->topic) != 5) {
    die("%s is no message", value);
  }
  message->due_ns = due;
}

static const struct {
  const char *key;
  uint64_t *value;
} NUMBERS[] = {
    {"message_ns", &settings.message_ns},
    {"byte_ns", &settings.byte_ns},
    {"connection_ns", &settings.connection_ns},
    {"frame_ns", &settings.frame_ns},
    {"tick_ns", &settings.tick_ns},
    {"heap_bytes", &settings.heap_bytes},
    {"connection_bytes", &settings.connection_bytes},
    {"segment_bytes", &settings.segment_bytes},
    {"watchdog_ns", &settings.watchdog_ns},
};

static int set_number(const char *key, const char *value) {
  for (size_t i = 0; i < sizeof NUMBERS / sizeof NUMBERS[0]; i++) {
    if (strcmp(key, NUMBERS[i].key) == 0) {
      *NUMBERS[i].value = strtoull(value, NULL, 10);
      return 1;
    }
  }
  return 0;
}

static void set(const char *key, const char *value) {
  const int is_number = set_number(key, value);
  if (is_number) {
    return;
  }
  if (strcmp(key, "descriptor") == 0) {
    settings.descriptor = atoi(value);
  } else if (strcmp(key, "alive") == 0) {
    settings.alive = atoi(value);
  } else if (strcmp(key, "own") == 0) {
    copy(settings.own, sizeof settings.own, value);
  } else if (strcmp(key, "server") == 0) {
    copy(settings.server, sizeof settings.server, value);
  } else if (strcmp(key, "port") == 0) {
    settings.port = (unsigned)atoi(value);
  } else if (strcmp(key, "name") == 0) {
    copy(settings.name, sizeof settings.name, value);
  } else if (strcmp(key, "role") == 0) {
    copy(settings.role, sizeof settings.role, value);
  } else if (strcmp(key, "qos") == 0) {
    settings.qos = (unsigned)atoi(value);
  } else if (strcmp(key, "keep_alive_s") == 0) {
    settings.keep_alive_s = (unsigned)atoi(value);
  } else if (strcmp(key, "confirms") == 0) {
    settings.confirms = atoi(value);
  } else if (strcmp(key, "first_message_only") == 0) {
    settings.first_message_only = atoi(value);
  } else if (strcmp(key, "answers_first") == 0) {
    settings.answers_first = atoi(value);
  } else if (strcmp(key, "read_bytes") == 0) {
    settings.read_bytes = strtoull(value, NULL, 10);
  } else if (strcmp(key, "hears") == 0) {
    if (settings.topics == sizeof settings.topic / sizeof settings.topic[0]) {
      die("more topics than it has room for");
    }
    copy(settings.topic[settings.topics++], sizeof settings.topic[0], value);
  } else if (strcmp(key, "sends") == 0) {
    add_message(value);
  } else {
    die("unknown setting %s", key);
  }
}

void read_settings(void) {
  static char line[512];
  while (fgets(line, sizeof line, stdin) != NULL && line[0] != '\n') {
    line[strcspn(line, "\n")] = '\0';
    char *value = strchr(line, ' ');
    if (value == NULL) {
      die("%s has no value", line);
    }
    *value++ = '\0';
    set(line, value);
  }
}

static void *read_on(void *nothing) {
  (void)nothing;
  char line[64];
  while (fgets(line, sizeof line, stdin) != NULL) {
    zero_ns = strtoull(line, NULL, 10);
  }
  _exit(EXIT_SUCCESS);
}

void listen_to_input(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, read_on, NULL) != 0) {
    die("a thread could not be started");
  }
}
