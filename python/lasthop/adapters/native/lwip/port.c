/* lwIP's threads, mailboxes and clock on POSIX. Mailboxes hold as many as they are made for, where those of lwIP's own unix port hold 128. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "lwip/err.h"
#include "lwip/opt.h"
#include "lwip/sys.h"

#include "device.h"

struct sys_sem {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  unsigned count;
};

struct sys_mutex {
  pthread_mutex_t mutex;
};

struct sys_mbox {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  unsigned first, count, size;
  void *messages[];
};

static pthread_mutex_t protection;

static void make_condition(pthread_cond_t *condition) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(condition, &attributes);
  pthread_condattr_destroy(&attributes);
}

/* Waits for a change, for so many milliseconds at most (0: for ever); tells whether there may be one. */
static int await(pthread_cond_t *changed, pthread_mutex_t *mutex, const struct timespec *until) {
  if (until == NULL) {
    return pthread_cond_wait(changed, mutex) == 0;
  }
  return pthread_cond_timedwait(changed, mutex, until) != ETIMEDOUT;
}

static const struct timespec *deadline(u32_t timeout_ms, struct timespec *until) {
  if (timeout_ms == 0) {
    return NULL;
  }
  clock_gettime(CLOCK_MONOTONIC, until);
  until->tv_sec += timeout_ms / 1000;
  until->tv_nsec += (long)(timeout_ms % 1000) * 1000000L;
  if (until->tv_nsec >= 1000000000L) {
    until->tv_sec += 1;
    until->tv_nsec -= 1000000000L;
  }
  return until;
}

void sys_init(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&protection, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

/* Timers of the device fire at its ticks. */
u32_t sys_now(void) {
  uint64_t now_ns = now_nanos();
  uint64_t tick_ns = settings.tick_ns;
  if (tick_ns > 0) {
    now_ns -= now_ns % tick_ns;
  }
  return (u32_t)(now_ns / 1000000);
}

u32_t sys_jiffies(void) { return sys_now(); }

unsigned int lwip_port_rand(void) {
  unsigned int drawn = 0;
  (void)!getrandom(&drawn, sizeof drawn, 0);
  return drawn;
}

sys_prot_t sys_arch_protect(void) {
  pthread_mutex_lock(&protection);
  return 1;
}

void sys_arch_unprotect(sys_prot_t value) {
  (void)value;
  pthread_mutex_unlock(&protection);
}

void sys_mark_tcpip_thread(void) {}

err_t sys_sem_new(sys_sem_t *made, u8_t count) {
  struct sys_sem *sem = malloc(sizeof *sem);
  if (sem == NULL) {
    return ERR_MEM;
  }
  pthread_mutex_init(&sem->mutex, NULL);
  make_condition(&sem->changed);
  sem->count = count;
  *made = sem;
  return ERR_OK;
}

void sys_sem_free(sys_sem_t *sem) {
  pthread_mutex_destroy(&(*sem)->mutex);
  pthread_cond_destroy(&(*sem)->changed);
  free(*sem);
}

void sys_sem_signal(sys_sem_t *of) {
  struct sys_sem *sem = *of;
  pthread_mutex_lock(&sem->mutex);
  sem->count = 1;
  pthread_cond_signal(&sem->changed);
  pthread_mutex_unlock(&sem->mutex);
}

u32_t sys_arch_sem_wait(sys_sem_t *of, u32_t timeout_ms) {
  struct sys_sem *sem = *of;
  struct timespec memory;
  const struct timespec *until = deadline(timeout_ms, &memory);
  u32_t result = 0;
  pthread_mutex_lock(&sem->mutex);
  while (sem->count == 0) {
    if (!await(&sem->changed, &sem->mutex, until)) {
      result = SYS_ARCH_TIMEOUT;
      break;
    }
  }
  if (result == 0) {
    sem->count -= 1;
  }
  pthread_mutex_unlock(&sem->mutex);
  return result;
}

err_t sys_mutex_new(sys_mutex_t *made) {
  struct sys_mutex *mutex = malloc(sizeof *mutex);
  if (mutex == NULL) {
    return ERR_MEM;
  }
  pthread_mutex_init(&mutex->mutex, NULL);
  *made = mutex;
  return ERR_OK;
}

void sys_mutex_free(sys_mutex_t *mutex) {
  pthread_mutex_destroy(&(*mutex)->mutex);
  free(*mutex);
}

void sys_mutex_lock(sys_mutex_t *mutex) { pthread_mutex_lock(&(*mutex)->mutex); }

void sys_mutex_unlock(sys_mutex_t *mutex) { pthread_mutex_unlock(&(*mutex)->mutex); }

err_t sys_mbox_new(sys_mbox_t *made, int size) {
  struct sys_mbox *mbox = malloc(sizeof *mbox + (size_t)size * sizeof(void *));
  if (mbox == NULL) {
    return ERR_MEM;
  }
  pthread_mutex_init(&mbox->mutex, NULL);
  make_condition(&mbox->changed);
  mbox->first = mbox->count = 0;
  mbox->size = (unsigned)size;
  *made = mbox;
  return ERR_OK;
}

void sys_mbox_free(sys_mbox_t *mbox) {
  pthread_mutex_destroy(&(*mbox)->mutex);
  pthread_cond_destroy(&(*mbox)->changed);
  free(*mbox);
}

static void put(struct sys_mbox *mbox, void *message) {
  mbox->messages[(mbox->first + mbox->count) % mbox->size] = message;
  mbox->count += 1;
  pthread_cond_broadcast(&mbox->changed);
}

void sys_mbox_post(sys_mbox_t *of, void *message) {
  struct sys_mbox *mbox = *of;
  pthread_mutex_lock(&mbox->mutex);
  while (mbox->count == mbox->size) {
    await(&mbox->changed, &mbox->mutex, NULL);
  }
  put(mbox, message);
  pthread_mutex_unlock(&mbox->mutex);
}

err_t sys_mbox_trypost(sys_mbox_t *of, void *message) {
  struct sys_mbox *mbox = *of;
  err_t result = ERR_MEM;
  pthread_mutex_lock(&mbox->mutex);
  if (mbox->count < mbox->size) {
    put(mbox, message);
    result = ERR_OK;
  }
  pthread_mutex_unlock(&mbox->mutex);
  return result;
}

err_t sys_mbox_trypost_fromisr(sys_mbox_t *of, void *message) { return sys_mbox_trypost(of, message); }

static u32_t fetch(struct sys_mbox *mbox, void **message, const struct timespec *until, int waits) {
  u32_t result = 0;
  pthread_mutex_lock(&mbox->mutex);
  while (mbox->count == 0) {
    if (!waits || !await(&mbox->changed, &mbox->mutex, until)) {
      result = SYS_ARCH_TIMEOUT;
      break;
    }
  }
  if (result == 0) {
    if (message != NULL) {
      *message = mbox->messages[mbox->first];
    }
    mbox->first = (mbox->first + 1) % mbox->size;
    mbox->count -= 1;
    pthread_cond_broadcast(&mbox->changed);
  }
  pthread_mutex_unlock(&mbox->mutex);
  return result;
}

u32_t sys_arch_mbox_fetch(sys_mbox_t *of, void **message, u32_t timeout_ms) {
  struct timespec memory;
  return fetch(*of, message, deadline(timeout_ms, &memory), 1);
}

u32_t sys_arch_mbox_tryfetch(sys_mbox_t *of, void **message) { return fetch(*of, message, NULL, 0); }

sys_thread_t sys_thread_new(const char *name, lwip_thread_fn function, void *argument, int stack, int priority) {
  (void)name;
  (void)stack;
  (void)priority;
  pthread_t thread;
  if (pthread_create(&thread, NULL, (void *(*)(void *))(void (*)(void))function, argument) != 0) {
    die("a thread could not be started");
  }
  pthread_detach(thread);
  return NULL;
}
