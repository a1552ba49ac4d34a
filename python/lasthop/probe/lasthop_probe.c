/* A client of `lasthop serve probe` in one file: round trip, loss each way, timeout of a NAT for UDP.
 *
 * On POSIX:    cc -std=c99 -O2 -o lasthop_probe lasthop_probe.c
 *              ./lasthop_probe probe.example.net 7777 > device.txt
 *              lasthop probe probe.example.net --read device.txt --out my-network
 * On a board:  compile with -DLHP_NO_MAIN, fill a struct lhp_platform, and call lhp_run.
 *
 * It allocates no memory, and uses no floating point. The largest datagram has 1,172 bytes. The protocol is
 * described in docs/reference/probe-protocol.md.
 */
#ifndef LHP_NO_MAIN
#define _POSIX_C_SOURCE 200112L
#endif

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LHP_HEADER = 32, LHP_LARGEST = 1172, LHP_ECHO = 1, LHP_ECHO_ANSWER = 2, LHP_TIMES = 5, LHP_TIMES_ANSWER = 6 };
enum { LHP_MOST_DATAGRAMS = 2000, LHP_EACH_SIZE = 15, LHP_SPACING_MS = 20, LHP_A_QUESTION = 100, LHP_TRIES = 6 };

/* What a board provides. A function that returns int gives a negative number where it fails. */
struct lhp_platform {
    void *context;
    /* Opens another socket towards the server, which a NAT gives another mapping; closes the one before. */
    int (*open)(void *context);
    int (*send)(void *context, const uint8_t *data, size_t size);
    /* Gives the bytes of the next datagram, or 0 when none came for wait_ms. */
    int (*receive)(void *context, uint8_t *data, size_t capacity, uint32_t wait_ms);
    /* Time that never jumps. */
    uint64_t (*now_us)(void *context);
    /* Takes a piece of the output. */
    void (*write)(void *context, const char *text);
};

struct lhp_plan {
    uint32_t session;        /* Another number for each run. */
    uint32_t header_bytes;   /* Of IP and UDP: 28 for IPv4, 48 for IPv6. */
    uint32_t datagrams;      /* Of the test of loss, at most LHP_MOST_DATAGRAMS. */
    uint32_t patience_ms;    /* How long an answer may take. */
    uint32_t longest_idle_ms; /* The longest time without traffic that is tried; 0 leaves the test out. */
};

struct lhp_run {
    const struct lhp_platform *on;
    const struct lhp_plan *plan;
    uint64_t bytes;
    uint8_t buffer[LHP_LARGEST];
    char fate[LHP_MOST_DATAGRAMS + 1];
};

static void lhp_put16(uint8_t *at, uint32_t value) { at[0] = (uint8_t)(value >> 8); at[1] = (uint8_t)value; }
static void lhp_put32(uint8_t *at, uint32_t value) { lhp_put16(at, value >> 16); lhp_put16(at + 2, value); }
static uint32_t lhp_get16(const uint8_t *at) { return (uint32_t)at[0] << 8 | at[1]; }
static uint32_t lhp_get32(const uint8_t *at) { return lhp_get16(at) << 16 | lhp_get16(at + 2); }

static void lhp_send(struct lhp_run *run, int kind, uint32_t test, uint32_t number, uint32_t size, uint32_t wait_ms) {
    memset(run->buffer, 0, size);
    memcpy(run->buffer, "LHP1", 4);
    run->buffer[4] = (uint8_t)kind;
    lhp_put16(run->buffer + 6, size); /* The answer is to be as large as the request. */
    lhp_put32(run->buffer + 8, run->plan->session);
    lhp_put32(run->buffer + 12, number);
    lhp_put32(run->buffer + 16, wait_ms);
    lhp_put16(run->buffer + 24, test);
    if (run->on->send(run->on->context, run->buffer, size) >= 0) run->bytes += size + run->plan->header_bytes;
}

/* Waits for an answer of a kind and test until an instant: its number, or -1. */
static int64_t lhp_answer(struct lhp_run *run, int kind, uint32_t test, uint64_t until_us) {
    for (;;) {
        uint64_t now = run->on->now_us(run->on->context);
        if (now >= until_us) return -1;
        int got = run->on->receive(run->on->context, run->buffer, LHP_LARGEST, (uint32_t)((until_us - now + 999) / 1000));
        if (got < LHP_HEADER || memcmp(run->buffer, "LHP1", 4) != 0) continue;
        run->bytes += (uint32_t)got + run->plan->header_bytes;
        if (run->buffer[4] == kind && lhp_get32(run->buffer + 8) == run->plan->session &&
            lhp_get16(run->buffer + 24) == test) return lhp_get32(run->buffer + 12);
    }
}

static uint64_t lhp_now(struct lhp_run *run) { return run->on->now_us(run->on->context); }
static uint64_t lhp_patience(struct lhp_run *run) { return (uint64_t)run->plan->patience_ms * 1000; }

/* round_trip IP_BYTES US US - ...: a dash is a datagram without an answer. */
static int lhp_round_trips(struct lhp_run *run) {
    static const uint32_t sizes[] = {60, 300, 1200};
    char text[32];
    if (run->on->open(run->on->context) < 0) return -1;
    for (uint32_t test = 0; test < 3; test++) {
        snprintf(text, sizeof text, "round_trip %u", (unsigned)sizes[test]);
        run->on->write(run->on->context, text);
        for (uint32_t number = 0; number < LHP_EACH_SIZE; number++) {
            uint32_t size = sizes[test] - run->plan->header_bytes;
            if (size < LHP_HEADER) size = LHP_HEADER;
            uint64_t begin = lhp_now(run);
            lhp_send(run, LHP_ECHO, test, number, size, 0);
            int64_t got = -1;
            do got = lhp_answer(run, LHP_ECHO_ANSWER, test, begin + lhp_patience(run));
            while (got >= 0 && got != number);
            if (got < 0) snprintf(text, sizeof text, " -");
            else snprintf(text, sizeof text, " %lu", (unsigned long)(lhp_now(run) - begin));
            run->on->write(run->on->context, text);
        }
        run->on->write(run->on->context, "\n");
    }
    return 0;
}

/* loss FATES: one letter a datagram; a (answered), u (lost on the way up), d (lost on the way down). */
static int lhp_loss(struct lhp_run *run) {
    const uint32_t test = 101, count = run->plan->datagrams;
    if (run->on->open(run->on->context) < 0) return -1;
    memset(run->fate, 'u', count);
    run->fate[count] = 0;
    uint64_t begin = lhp_now(run);
    for (uint32_t number = 0; number <= count; number++) {
        uint64_t until = begin + (uint64_t)(number + 1) * LHP_SPACING_MS * 1000;
        if (number < count) lhp_send(run, LHP_ECHO, test, number, LHP_HEADER, 0);
        else until = lhp_now(run) + lhp_patience(run);
        int64_t got;
        while ((got = lhp_answer(run, LHP_ECHO_ANSWER, test, until)) >= 0)
            if (got < count) run->fate[got] = 'a';
    }
    for (uint32_t first = 0; first < count; first += LHP_A_QUESTION) {
        uint32_t numbers = count - first < LHP_A_QUESTION ? count - first : LHP_A_QUESTION;
        int64_t got = -1;
        for (int tries = 0; tries < LHP_TRIES && got != first; tries++) {
            lhp_send(run, LHP_TIMES, test, first, LHP_HEADER + 4 * numbers, 0);
            uint64_t until = lhp_now(run) + lhp_patience(run);
            do got = lhp_answer(run, LHP_TIMES_ANSWER, test, until);
            while (got >= 0 && got != first);
        }
        if (got != first) return -1; /* Without it a loss up looks like one down. */
        for (uint32_t at = 0; at < numbers; at++)
            if (run->fate[first + at] == 'u' && lhp_get32(run->buffer + LHP_HEADER + 4 * at) != UINT32_MAX)
                run->fate[first + at] = 'd';
    }
    run->on->write(run->on->context, "loss ");
    run->on->write(run->on->context, run->fate);
    run->on->write(run->on->context, "\n");
    return 0;
}

/* Whether an answer comes that the server sends after an idle time. */
static int lhp_is_alive(struct lhp_run *run, uint32_t idle_ms) {
    for (int tries = 0; tries < 2; tries++) {
        if (run->on->open(run->on->context) < 0) return -1;
        for (uint32_t copy = 0; copy < 3; copy++) lhp_send(run, LHP_ECHO, 103, copy, LHP_HEADER, idle_ms);
        if (lhp_answer(run, LHP_ECHO_ANSWER, 103, lhp_now(run) + (uint64_t)idle_ms * 1000 + lhp_patience(run)) >= 0)
            return 1;
    }
    return 0;
}

/* nat ALIVE_MS DEAD_MS LONGEST_MS: a dash is a mapping that outlived the longest time. */
static int lhp_nat(struct lhp_run *run) {
    uint32_t longest = run->plan->longest_idle_ms, alive = 0, dead = 0;
    char text[64];
    for (uint32_t idle = 1000; dead == 0 && alive < longest; idle = 2 * idle < longest ? 2 * idle : longest) {
        int found = lhp_is_alive(run, idle);
        if (found < 0) return -1;
        if (found) alive = idle;
        else dead = idle;
    }
    while (dead != 0 && dead - alive > 500 && dead - alive > dead / 20) {
        uint32_t middle = alive + (dead - alive) / 2;
        int found = lhp_is_alive(run, middle);
        if (found < 0) return -1;
        if (found) alive = middle;
        else dead = middle;
    }
    if (dead == 0) snprintf(text, sizeof text, "nat %lu - %lu\n", (unsigned long)alive, (unsigned long)longest);
    else snprintf(text, sizeof text, "nat %lu %lu %lu\n", (unsigned long)alive, (unsigned long)dead, (unsigned long)longest);
    run->on->write(run->on->context, text);
    return 0;
}

/* Measures, and writes a line for each result. 0, or -1 where the server does not answer or a socket fails. */
int lhp_run(const struct lhp_platform *on, const struct lhp_plan *plan) {
    static struct lhp_run run; /* Too large for the stack of a small board. */
    char text[40];
    memset(&run, 0, sizeof run);
    run.on = on;
    run.plan = plan;
    if (plan->datagrams == 0 || plan->datagrams > LHP_MOST_DATAGRAMS || on->open(on->context) < 0) return -1;
    int answered = 0;
    for (int tries = 0; tries < LHP_TRIES && !answered; tries++) {
        lhp_send(&run, LHP_ECHO, 100, 0, LHP_HEADER, 0);
        answered = lhp_answer(&run, LHP_ECHO_ANSWER, 100, lhp_now(&run) + lhp_patience(&run)) >= 0;
    }
    if (!answered) return -1;
    on->write(on->context, "lasthop-probe 1\n");
    if (lhp_round_trips(&run) < 0 || lhp_loss(&run) < 0) return -1;
    if (plan->longest_idle_ms != 0 && lhp_nat(&run) < 0) return -1;
    snprintf(text, sizeof text, "bytes %lu\n", (unsigned long)run.bytes);
    on->write(on->context, text);
    return 0;
}

#ifndef LHP_NO_MAIN
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct lhp_posix {
    struct addrinfo *server;
    int socket;
};

static int posix_open(void *context) {
    struct lhp_posix *posix = context;
    if (posix->socket >= 0) close(posix->socket);
    posix->socket = socket(posix->server->ai_family, SOCK_DGRAM, 0);
    if (posix->socket < 0) return -1;
    return connect(posix->socket, posix->server->ai_addr, posix->server->ai_addrlen);
}

static int posix_send(void *context, const uint8_t *data, size_t size) {
    return (int)send(((struct lhp_posix *)context)->socket, data, size, 0);
}

static int posix_receive(void *context, uint8_t *data, size_t capacity, uint32_t wait_ms) {
    struct pollfd ready = {((struct lhp_posix *)context)->socket, POLLIN, 0};
    if (poll(&ready, 1, (int)wait_ms) <= 0) return 0;
    return (int)recv(ready.fd, data, capacity, 0);
}

static uint64_t posix_now_us(void *context) {
    struct timespec now;
    (void)context;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void posix_write(void *context, const char *text) {
    (void)context;
    fputs(text, stdout);
    fflush(stdout);
}

static uint32_t number_of(char **arguments, int count, int place, uint32_t usual) {
    return place < count ? (uint32_t)strtoul(arguments[place], NULL, 10) : usual;
}

int main(int count, char **arguments) {
    if (count < 3) {
        fprintf(stderr, "usage: %s HOST PORT [DATAGRAMS [PATIENCE_MS [LONGEST_IDLE_MS]]]\n", arguments[0]);
        return 2;
    }
    struct addrinfo hints = {0};
    struct lhp_posix posix = {NULL, -1};
    hints.ai_socktype = SOCK_DGRAM;
    int failed = getaddrinfo(arguments[1], arguments[2], &hints, &posix.server);
    if (failed != 0) {
        fprintf(stderr, "%s: %s; write the name or the address of a host\n", arguments[1], gai_strerror(failed));
        return 4;
    }
    struct lhp_plan plan = {
        (uint32_t)posix_now_us(NULL) ^ (uint32_t)getpid() << 16,
        posix.server->ai_family == AF_INET6 ? 48 : 28,
        number_of(arguments, count, 3, 500),
        number_of(arguments, count, 4, 2000),
        number_of(arguments, count, 5, 180000),
    };
    struct lhp_platform platform = {&posix, posix_open, posix_send, posix_receive, posix_now_us, posix_write};
    if (plan.datagrams == 0 || plan.datagrams > LHP_MOST_DATAGRAMS) {
        fprintf(stderr, "%s: write 1 to %d datagrams\n", arguments[3], LHP_MOST_DATAGRAMS);
        return 2;
    }
    if (lhp_run(&platform, &plan) < 0) {
        fprintf(stderr, "%s: no answer; start lasthop serve probe there, or look at the network\n", arguments[1]);
        return 4;
    }
    freeaddrinfo(posix.server);
    return 0;
}
#endif
