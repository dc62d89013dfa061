/* Loaded before libc (LD_PRELOAD): counts the calls that touch one folder, and lets the n-th of a kind fail.

   Python arms it by `arm`; until then everything goes through. Fails once, as a disk that is full for a moment does. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NONE, OPEN, WRITE, FSYNC, RENAME, CONNECT, FORK };
static struct { long counts[8]; char where[448]; } nothing;
static typeof(nothing) *seen = &nothing;   /* shared with the program that armed us */
static int armed = 0, kind = NONE, code = 0;
static long at = 0;
static char folder[4096];

void arm(int which, long number, int error, const char *below, void *shared) {
    seen = shared; at = number; code = error;
    strncpy(folder, below, sizeof folder - 1);
    kind = which; armed = 1;
}

static int due(int which, const char *where) {
    if (!armed || __sync_add_and_fetch(&seen->counts[which], 1) != at || which != kind) return 0;
    strncpy(seen->where, where, sizeof seen->where - 1);
    errno = code;
    return 1;
}

static int ours(const char *path) { return path[0] != '/' || !strncmp(path, folder, strlen(folder)); }

static int due_path(int which, const char *path) {
    return armed && path && ours(path) && due(which, path);
}

static int due_file(int which, int file) {
    char link[64], path[4096];
    if (!armed) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return path[0] == '/' && ours(path) && due(which, path);
}

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))
#define MODE va_list rest; va_start(rest, flags); int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, int) : 0; va_end(rest)

int open(const char *path, int flags, ...) { MODE; return due_path(OPEN, path) ? -1 : REAL(open)(path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE; return due_path(OPEN, path) ? -1 : REAL(open64)(path, flags, mode); }
int openat(int at_, const char *path, int flags, ...) { MODE; return due_path(OPEN, path) ? -1 : REAL(openat)(at_, path, flags, mode); }
int openat64(int at_, const char *path, int flags, ...) { MODE; return due_path(OPEN, path) ? -1 : REAL(openat64)(at_, path, flags, mode); }
ssize_t write(int file, const void *data, size_t size) { return due_file(WRITE, file) ? -1 : REAL(write)(file, data, size); }
ssize_t writev(int file, const struct iovec *parts, int number) { return due_file(WRITE, file) ? -1 : REAL(writev)(file, parts, number); }
ssize_t pwrite(int file, const void *data, size_t size, off_t place) { return due_file(WRITE, file) ? -1 : REAL(pwrite)(file, data, size, place); }
ssize_t pwrite64(int file, const void *data, size_t size, off64_t place) { return due_file(WRITE, file) ? -1 : REAL(pwrite64)(file, data, size, place); }
int ftruncate64(int file, off64_t size) { return due_file(WRITE, file) ? -1 : REAL(ftruncate64)(file, size); }
int fsync(int file) { return due_file(FSYNC, file) ? -1 : REAL(fsync)(file); }
int fdatasync(int file) { return due_file(FSYNC, file) ? -1 : REAL(fdatasync)(file); }
int rename(const char *from, const char *to) { return due_path(RENAME, to) ? -1 : REAL(rename)(from, to); }
int renameat(int a, const char *from, int b, const char *to) { return due_path(RENAME, to) ? -1 : REAL(renameat)(a, from, b, to); }
int connect(int file, const struct sockaddr *to, socklen_t size) {
    return (to->sa_family == AF_INET || to->sa_family == AF_INET6) && due(CONNECT, "a server") ? -1 : REAL(connect)(file, to, size);
}
pid_t fork(void) { return due(FORK, "fork") ? -1 : REAL(fork)(); }
int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*begin)(void *), void *given) {
    return due(FORK, "a thread") ? code : REAL(pthread_create)(thread, how, begin, given);
}
/* What shares our memory until it has begun its own program would return into a frame of ours that is gone. */
pid_t vfork(void) { return fork(); }
