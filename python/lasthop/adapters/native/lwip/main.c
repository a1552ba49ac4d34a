/* A constrained device on lwIP: does its errand until its input ends, or until it has used up what it has. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "lwip/init.h"

#include "device.h"

static uint64_t busy_since;

void has_paused(void) { busy_since = now_nanos(); }

void work(uint64_t nanos) {
  if (nanos > 0) {
    const struct timespec span = {(time_t)(nanos / 1000000000ULL), (long)(nanos % 1000000000ULL)};
    nanosleep(&span, NULL);
  }
  const uint64_t busy = now_nanos() - busy_since;
  if (settings.watchdog_ns > 0 && busy > settings.watchdog_ns) {
    crash(EXIT_RESET_BY_WATCHDOG, "the watchdog: its task has worked for %llu ms without a pause", (unsigned long long)(busy / 1000000));
  }
}

int main(int count, char **arguments) {
  if (count == 2 && strcmp(arguments[1], "--version") == 0) {
    printf("lwIP %d.%d.%d\n", LWIP_VERSION_MAJOR, LWIP_VERSION_MINOR, LWIP_VERSION_REVISION);
    return 0;
  }
  read_settings();
  listen_to_input();
  start_interface();
  has_paused();
  if (strcmp(settings.role, "mqtt") == 0) {
    run_mqtt_client();
  }
  if (strcmp(settings.role, "http") == 0) {
    run_http_server();
  }
  if (strcmp(settings.role, "coap") == 0) {
    run_coap_server();
  }
  die("it has no role %s", settings.role);
}
