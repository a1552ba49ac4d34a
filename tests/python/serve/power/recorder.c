/* Notes, in the order in which they happen, what a process does to the files of one folder: for LD_PRELOAD.
 *
 * RECORD_FOLDER names the folder, RECORD_TO the notes. A note is a kind, the length of the file's name, an offset and a
 * length, the name, and what was written. Only the calls of SQLite are heard; its index of the log (-shm) is memory. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kind { WRITE = 'w', TRUNCATE = 't', SYNC = 's', SYNC_FOLDER = 'd', UNLINK = 'u' };

struct note {
    uint8_t kind;
    uint8_t name_length;
    uint8_t unused[6];
    uint64_t offset;
    uint64_t length;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int notes = -1;
static char folder[4096];

/* The name of a file in the folder; "" for the folder itself, NULL for any other. */
static const char *inside(const char *path) {
    size_t length = strlen(folder);
    if (length == 0 || strncmp(path, folder, length) != 0) return NULL;
    if (path[length] == 0) return "";
    if (path[length] != '/') return NULL;
    const char *name = path + length + 1;
    return strncmp(name, "gateway.sqlite", 14) == 0 && !strstr(name, "-shm") ? name : NULL;
}

static const char *name_of(int descriptor, char *path, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, size - 1);
    if (length < 0) return NULL;
    path[length] = 0;
    return inside(path);
}

static void write_fully(const void *bytes, size_t length) {
    while (length > 0) {
        ssize_t written = syscall(SYS_write, notes, bytes, length);
        if (written <= 0) abort();
        bytes = (const char *)bytes + written;
        length -= (size_t)written;
    }
}

static void note(enum kind kind, const char *name, uint64_t offset, const void *bytes, uint64_t length) {
    struct note head = {.kind = (uint8_t)kind, .name_length = (uint8_t)strlen(name), .offset = offset, .length = length};
    size_t size = sizeof head + head.name_length + (bytes ? length : 0);
    char *whole = malloc(size);
    if (!whole) abort();
    memcpy(whole, &head, sizeof head);
    memcpy(whole + sizeof head, name, head.name_length);
    if (bytes) memcpy(whole + sizeof head + head.name_length, bytes, length);
    write_fully(whole, size);
    free(whole);
}

__attribute__((constructor)) static void begin(void) {
    const char *named = getenv("RECORD_FOLDER"), *to = getenv("RECORD_TO");
    if (!named || !to || strlen(named) >= sizeof folder) return;
    strcpy(folder, named);
    notes = open(to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (notes < 0) abort();
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static ssize_t heard_pwrite(ssize_t (*next)(int, const void *, size_t, off64_t), int descriptor, const void *bytes,
                            size_t length, off64_t offset) {
    char path[4096];
    const char *name = notes < 0 ? NULL : name_of(descriptor, path, sizeof path);
    if (!name) return next(descriptor, bytes, length, offset);
    pthread_mutex_lock(&lock);
    ssize_t written = next(descriptor, bytes, length, offset);
    if (written > 0) note(WRITE, name, (uint64_t)offset, bytes, (uint64_t)written);
    pthread_mutex_unlock(&lock);
    return written;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
    return heard_pwrite((ssize_t(*)(int, const void *, size_t, off64_t))NEXT(pwrite64), descriptor, bytes, length, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t offset) {
    return heard_pwrite(NEXT(pwrite64), descriptor, bytes, length, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t length) {
    char path[4096];
    const char *name = notes < 0 ? NULL : name_of(descriptor, path, sizeof path);
    if (!name) return NEXT(write)(descriptor, bytes, length);
    pthread_mutex_lock(&lock);
    off64_t offset = lseek64(descriptor, 0, SEEK_CUR);
    ssize_t written = NEXT(write)(descriptor, bytes, length);
    if (written > 0) note(WRITE, name, (uint64_t)offset, bytes, (uint64_t)written);
    pthread_mutex_unlock(&lock);
    return written;
}

static int heard_truncate(int (*next)(int, off64_t), int descriptor, off64_t size) {
    char path[4096];
    const char *name = notes < 0 ? NULL : name_of(descriptor, path, sizeof path);
    if (!name) return next(descriptor, size);
    pthread_mutex_lock(&lock);
    int done = next(descriptor, size);
    if (done == 0) note(TRUNCATE, name, (uint64_t)size, NULL, 0);
    pthread_mutex_unlock(&lock);
    return done;
}

int ftruncate(int descriptor, off_t size) {
    return heard_truncate((int (*)(int, off64_t))NEXT(ftruncate64), descriptor, size);
}

int ftruncate64(int descriptor, off64_t size) {
    return heard_truncate(NEXT(ftruncate64), descriptor, size);
}

static int heard_sync(int (*next)(int), int descriptor) {
    char path[4096];
    const char *name = notes < 0 ? NULL : name_of(descriptor, path, sizeof path);
    if (!name) return next(descriptor);
    pthread_mutex_lock(&lock);
    int done = next(descriptor);
    if (done == 0) note(*name ? SYNC : SYNC_FOLDER, name, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    return done;
}

int fsync(int descriptor) { return heard_sync(NEXT(fsync), descriptor); }

int fdatasync(int descriptor) { return heard_sync(NEXT(fdatasync), descriptor); }

int unlink(const char *path) {
    const char *name = notes < 0 ? NULL : inside(path);
    if (!name) return NEXT(unlink)(path);
    pthread_mutex_lock(&lock);
    int done = NEXT(unlink)(path);
    if (done == 0) note(UNLINK, name, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    return done;
}
