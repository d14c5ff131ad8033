// Replaces file functions of the C library in a program (ld.so(8), LD_PRELOAD), and makes one call fail or be the last.
// Counts calls on paths below the folders, and on sockets connected to such paths. The program's children aren't
// affected:
//
//   FAILING_FOLDERS=PATH:PATH    the folders
//   FAILING_CALLS=FILE           gets a line for each counted call: its number, function, file, possible kinds, and
//                                whether it failed
//   FAILING_CALL=N:KIND          the Nth call fails, where that function can fail so
//   FAILING_CALL=N+:KIND         and all calls after it
//   FAILING_SCHEDULER=SOCKET     before each counted call, a server gets such a line, and responds with a KIND or "go"
//   FAILING_CLOCK=FILE           the nanoseconds by which the clocks are ahead: sleeps add to them instead of waiting
//   FAILING_STARTER=DESCRIPTOR   the program forks for each request on this socket, before its main function
//
// KIND is kill (the process dies before the call), disk (EIO), space (ENOSPC), access (EACCES), limit (EMFILE, ENOMEM),
// interrupted (EINTR), part (half of the bytes are read or written), peer (ECONNRESET), busy (EBUSY, as a mounted file),
// or unsupported (EOPNOTSUPP, as on some network file systems).
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  KILL = 1, DISK = 2, SPACE = 4, ACCESS = 8, LIMIT = 16, INTERRUPTED = 32, PART = 64, PEER = 128, BUSY = 256,
  UNSUPPORTED = 512
};
static const struct kind { const char *name; int kind, number; } kinds[] = {
  {"kill", KILL, 0},      {"disk", DISK, EIO},     {"space", SPACE, ENOSPC},           {"access", ACCESS, EACCES},
  {"limit", LIMIT, 0},    {"part", PART, 0},       {"interrupted", INTERRUPTED, EINTR}, {"peer", PEER, ECONNRESET},
  {"busy", BUSY, EBUSY},  {"unsupported", UNSUPPORTED, EOPNOTSUPP},
};

enum { MAXIMUM_FOLDERS = 4 };
static char folders[MAXIMUM_FOLDERS][PATH_MAX];
static int calls = -1, first, lasting;
static const struct kind *failure;
static atomic_int counter;
// Open files below the folders.
enum { MAXIMUM_DESCRIPTOR = 1024 };
static char names[MAXIMUM_DESCRIPTOR][128];
static struct sockaddr_un scheduler = {.sun_family = AF_UNIX};
static pid_t scheduled;
// Receiving a message from the bus is invisible to other processes, and waits for the scheduler only if it may fail.
static int schedules_receipt = 1;
// A thread's connection to the scheduler.
static __thread int connection;
static pthread_key_t connection_key;
static _Atomic int64_t none, *ahead = &none;
// Open connections to the provider, whose clock isn't ahead.
static const char *provider = "provider";
static atomic_int providers;

static const struct kind *kind_named(const char *name) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
  return NULL;
}

static void end_connection(void *ended) {
  syscall(SYS_close, *(int *)ended);
  *(int *)ended = 0;
}

// Returns in a child for each request: which calls wait for the scheduler ("all ", "visible " or "none "), and the file
// for its output and errors. Responds with the child's process ID, and at its end with its status (wait(2)).
static void start(int requests) {
  char request[PATH_MAX];
  int status;
  // Loading them takes most of msauth's start.
  dlopen("libcurl.so.4", RTLD_NOW);
  dlopen("libsecret-1.so.0", RTLD_NOW);
  for (ssize_t length; (length = read(requests, request, sizeof request - 1)) > 0;) {
    request[length] = 0;
    pid_t child = fork();
    if (child == 0) {
      close(requests);
      close(STDERR_FILENO);
      open(strchr(request, ' ') + 1, O_WRONLY | O_CREAT | O_TRUNC, 0600);
      dup2(STDERR_FILENO, STDOUT_FILENO);
      if (request[0] == 'n') scheduler.sun_path[0] = 0;
      schedules_receipt = request[0] == 'a';
      return;
    }
    if (write(requests, &child, sizeof child) < 0 || waitpid(child, &status, 0) < 0) break;
    if (write(requests, &status, sizeof status) < 0) break;
  }
  _exit(0);
}

__attribute__((constructor)) static void begin(void) {
  char *list = getenv("FAILING_FOLDERS"), *state = NULL;
  if (!list) return;
  for (int i = 0; i < MAXIMUM_FOLDERS; i++) {
    const char *folder = strtok_r(i == 0 ? list : NULL, ":", &state);
    if (!folder) break;
    snprintf(folders[i], sizeof *folders, "%s", folder);
  }
  unsetenv("FAILING_FOLDERS");
  const char *file = getenv("FAILING_CALLS"), *what = getenv("FAILING_CALL"), *server = getenv("FAILING_SCHEDULER");
  if (server) snprintf(scheduler.sun_path, sizeof scheduler.sun_path, "%s", server);
  if (file) {
    int low = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    // Above the program's own descriptors.
    calls = fcntl(low, F_DUPFD_CLOEXEC, MAXIMUM_DESCRIPTOR);
    if (calls < 0) calls = fcntl(low, F_DUPFD_CLOEXEC, 900);
    syscall(SYS_close, low);
  }
  if (what) {
    char *rest;
    first = strtol(what, &rest, 10);
    lasting = *rest == '+';
    failure = kind_named(strchr(what, ':') + 1);
    if (!failure) abort();
  }
  const char *clock = getenv("FAILING_CLOCK"), *starter = getenv("FAILING_STARTER");
  if (clock) {
    int file = syscall(SYS_openat, AT_FDCWD, clock, O_RDWR | O_CLOEXEC);
    ahead = mmap(NULL, sizeof *ahead, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (ahead == MAP_FAILED) abort();
    syscall(SYS_close, file);
  }
  pthread_key_create(&connection_key, end_connection);
  if (starter) start(atoi(starter));
  scheduled = getpid();
}

// Waits for the scheduler's response; without a scheduler, the call proceeds.
static const struct kind *schedule(const char *line, int length) {
  char response[32] = "";
  // A child that hasn't started its program yet isn't scheduled.
  if (getpid() != scheduled) return NULL;
  if (connection == 0) {
    connection = syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    syscall(SYS_connect, connection, &scheduler, sizeof scheduler);
    pthread_setspecific(connection_key, &connection);
  }
  if (syscall(SYS_sendto, connection, line, length, MSG_NOSIGNAL, NULL, 0) == length)
    while (syscall(SYS_read, connection, response, sizeof response - 1) < 0 && errno == EINTR);
  return kind_named(response);
}

// Counts a call. Returns its error, -1 for a partial transfer, or 0.
static int met(const char *function, const char *file, int possible, int limit) {
  int count = ++counter, saved = errno;
  const struct kind *wanted = count == first || (lasting && count > first) ? failure : NULL;
  char line[400];
  int length = snprintf(line, sizeof line, "%d %s %s ", count, function, file);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if ((possible | KILL) & kinds[i].kind)
      length += snprintf(line + length, sizeof line - length, "%s,", kinds[i].name);
  int is_receipt = strncmp(function, "recv", 4) == 0 && strcmp(file, provider) != 0;
  if (scheduler.sun_path[0] && (schedules_receipt || !is_receipt)) wanted = schedule(line, length);
  int fails = wanted && (possible | KILL) & wanted->kind;
  length += snprintf(line + length, sizeof line - length, "%s\n", fails ? " failed" : "");
  if (calls >= 0) syscall(SYS_write, calls, line, length);
  errno = saved;
  if (!fails) return 0;
  if (wanted->kind == KILL) {
    kill(getpid(), SIGKILL);
    pause();
  }
  return wanted->kind == PART ? -1 : wanted->kind == LIMIT ? limit : wanted->number;
}

static const char *below(const char *path) {
  for (int i = 0; i < MAXIMUM_FOLDERS && folders[i][0]; i++) {
    size_t length = strlen(folders[i]);
    if (strncmp(path, folders[i], length) != 0) continue;
    if (path[length] == 0) return ".";
    if (path[length] == '/') return path + length + 1;
  }
  return NULL;
}

static const char *opened(int descriptor) {
  int is_ours = descriptor >= 0 && descriptor < MAXIMUM_DESCRIPTOR && names[descriptor][0];
  return is_ours ? names[descriptor] : NULL;
}

static int keep(int descriptor, const char *file) {
  if (descriptor >= 0 && descriptor < MAXIMUM_DESCRIPTOR)
    snprintf(names[descriptor], sizeof *names, "%s", file);
  return descriptor;
}

#define NEXT(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))
#define FAIL(result, function, file, possible, limit) \
  do { \
    const char *file_ = file; \
    int code_ = file_ ? met(function, file_, possible, limit) : 0; \
    if (code_ > 0) { errno = code_; return result; } \
  } while (0)

#define OPEN(function) \
  int function(const char *path, int flags, ...) { \
    va_list list; \
    va_start(list, flags); \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; \
    va_end(list); \
    const char *file = below(path); \
    int creates = flags & O_CREAT, possible = DISK | ACCESS | LIMIT | INTERRUPTED | (creates ? SPACE : 0); \
    if ((flags & O_TMPFILE) == O_TMPFILE) possible |= SPACE | UNSUPPORTED; \
    FAIL(-1, creates ? "create" : "open", file, possible, EMFILE); \
    int descriptor = NEXT(function)(path, flags, mode); \
    return file ? keep(descriptor, file) : descriptor; \
  }
OPEN(open)
OPEN(open64)

int close(int descriptor) {
  const char *file = opened(descriptor);
  if (file && strcmp(file, provider) == 0) providers--;
  int code = file ? met("close", file, DISK | SPACE | INTERRUPTED, 0) : 0;
  if (file) names[descriptor][0] = 0;
  // The descriptor is closed in any case (close(2)).
  int result = NEXT(close)(descriptor);
  if (code == 0) return result;
  errno = code;
  return -1;
}

#define TRANSFER(function, name, possible, type, arguments, values) \
  ssize_t function(int descriptor, type, size_t count arguments) { \
    const char *file = opened(descriptor); \
    int code = file ? met(name, file, possible, 0) : 0; \
    if (code > 0) { errno = code; return -1; } \
    return NEXT(function)(descriptor, bytes, code < 0 && count > 1 ? count / 2 : count values); \
  }
#define NOTHING
#define COMMA ,
TRANSFER(read, "read", DISK | INTERRUPTED | PART, void *bytes, NOTHING, NOTHING)
TRANSFER(write, "write", DISK | SPACE | INTERRUPTED | PART, const void *bytes, NOTHING, NOTHING)
TRANSFER(pread, "read", DISK | INTERRUPTED | PART, void *bytes, COMMA off_t offset, COMMA offset)
TRANSFER(pwrite, "write", DISK | SPACE | INTERRUPTED | PART, const void *bytes, COMMA off_t offset, COMMA offset)
TRANSFER(recv, "recv", PEER | INTERRUPTED, void *bytes, COMMA int how, COMMA how)
TRANSFER(send, "send", PEER | INTERRUPTED, const void *bytes, COMMA int how, COMMA how)

#define ON_SOCKET(function, type) \
  ssize_t function(int descriptor, type message, int how) { \
    FAIL(-1, #function, opened(descriptor), PEER | INTERRUPTED, 0); \
    return NEXT(function)(descriptor, message, how); \
  }
ON_SOCKET(recvmsg, struct msghdr *)
ON_SOCKET(sendmsg, const struct msghdr *)

int connect(int descriptor, const struct sockaddr *address, socklen_t length) {
  const char *file = NULL;
  if (address->sa_family == AF_UNIX)
    file = below(((const struct sockaddr_un *)address)->sun_path);
  else if (ahead != &none && !opened(descriptor))
    file = provider, providers++;
  FAIL(-1, "connect", file, ACCESS | LIMIT | INTERRUPTED, ENOMEM);
  if (file) keep(descriptor, file);
  return NEXT(connect)(descriptor, address, length);
}

#define ON_FILE(function, possible, limit, parameters, values) \
  int function parameters { \
    FAIL(-1, #function, opened(descriptor), possible, limit); \
    return NEXT(function) values; \
  }
ON_FILE(fsync, DISK | SPACE | INTERRUPTED, 0, (int descriptor), (descriptor))
ON_FILE(ftruncate, DISK | SPACE | INTERRUPTED, 0, (int descriptor, off_t size), (descriptor, size))
ON_FILE(fchmod, DISK | ACCESS | LIMIT, ENOMEM, (int descriptor, mode_t mode), (descriptor, mode))
ON_FILE(futimens, DISK | ACCESS, 0, (int descriptor, const struct timespec times[2]), (descriptor, times))
ON_FILE(flock, LIMIT | INTERRUPTED, ENOLCK, (int descriptor, int how), (descriptor, how))
ON_FILE(fstat, DISK | LIMIT, ENOMEM, (int descriptor, struct stat *status), (descriptor, status))
ON_FILE(fallocate, DISK | SPACE | INTERRUPTED | UNSUPPORTED, 0, (int descriptor, int mode, off_t offset, off_t length),
        (descriptor, mode, offset, length))

#define ON_PATH(function, possible, limit, parameters, values) \
  int function parameters { \
    FAIL(-1, #function, below(path), possible, limit); \
    return NEXT(function) values; \
  }
ON_PATH(stat, DISK | ACCESS | LIMIT, ENOMEM, (const char *path, struct stat *status), (path, status))
ON_PATH(lstat, DISK | ACCESS | LIMIT, ENOMEM, (const char *path, struct stat *status), (path, status))
ON_PATH(access, DISK | ACCESS | LIMIT, ENOMEM, (const char *path, int how), (path, how))
ON_PATH(mkdir, DISK | SPACE | ACCESS | LIMIT, ENOMEM, (const char *path, mode_t mode), (path, mode))
ON_PATH(rmdir, DISK | ACCESS | LIMIT, ENOMEM, (const char *path), (path))
ON_PATH(unlink, DISK | ACCESS | LIMIT, ENOMEM, (const char *path), (path))
ON_PATH(rename, DISK | SPACE | ACCESS | LIMIT | BUSY, ENOMEM, (const char *path, const char *to), (path, to))

// Names a file that was opened without a name.
int linkat(int from, const char *path, int to, const char *name, int flags) {
  const char *file = below(name);
  FAIL(-1, "linkat", file, DISK | SPACE | ACCESS | LIMIT | UNSUPPORTED, ENOMEM);
  int result = NEXT(linkat)(from, path, to, name, flags), descriptor;
  if (result == 0 && file && sscanf(path, "/proc/self/fd/%d", &descriptor) == 1) keep(descriptor, file);
  return result;
}

DIR *opendir(const char *path) {
  const char *file = below(path);
  FAIL(NULL, "opendir", file, DISK | ACCESS | LIMIT | INTERRUPTED, EMFILE);
  DIR *listing = NEXT(opendir)(path);
  if (listing && file) keep(dirfd(listing), file);
  return listing;
}

// Closes the descriptor without calling close.
int closedir(DIR *listing) {
  int descriptor = dirfd(listing);
  if (opened(descriptor)) names[descriptor][0] = 0;
  return NEXT(closedir)(listing);
}

struct dirent *readdir(DIR *listing) {
  FAIL(NULL, "readdir", opened(dirfd(listing)), DISK, 0);
  return NEXT(readdir)(listing);
}

char *realpath(const char *path, char *result) {
  FAIL(NULL, "realpath", below(path), DISK | ACCESS | LIMIT, ENOMEM);
  return NEXT(realpath)(path, result);
}

ssize_t readlink(const char *path, char *target, size_t size) {
  FAIL(-1, "readlink", below(path), DISK | ACCESS | LIMIT, ENOMEM);
  return NEXT(readlink)(path, target, size);
}

int statfs(const char *path, struct statfs *status) {
  FAIL(-1, "statfs", below(path), DISK | ACCESS | INTERRUPTED, 0);
  return NEXT(statfs)(path, status);
}

char *mkdtemp(char *path) {
  FAIL(NULL, "mkdtemp", below(path), DISK | SPACE | ACCESS, 0);
  return NEXT(mkdtemp)(path);
}

static int64_t nanoseconds(const struct timespec *time) { return time->tv_sec * 1000000000 + time->tv_nsec; }

static struct timespec at(int64_t nanoseconds) {
  return (struct timespec){nanoseconds / 1000000000, nanoseconds % 1000000000};
}

// Handlers of signals call it, which may not call dlsym (signal-safety(7)).
int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = syscall(SYS_clock_gettime, clock, time);
  if (*ahead) *time = at(nanoseconds(time) + *ahead);
  return result;
}

int timerfd_settime(int descriptor, int flags, const struct itimerspec *time, struct itimerspec *before) {
  struct itimerspec real = *time;
  int64_t end = nanoseconds(&time->it_value);
  if (flags & TFD_TIMER_ABSTIME && end > *ahead) real.it_value = at(end - *ahead);
  return NEXT(timerfd_settime)(descriptor, flags, &real, before);
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return nanoseconds(&time);
}

static int sleep_until(int64_t end) {
  if (scheduler.sun_path[0]) schedule("0 sleep . go", 12);
  int64_t rest = end - now();
  if (rest > 0) *ahead += rest;
  return 0;
}

int usleep(useconds_t microseconds) {
  if (ahead == &none || providers > 0) return NEXT(usleep)(microseconds);
  return sleep_until(now() + microseconds * INT64_C(1000));
}

// Python's.
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *rest) {
  if (ahead == &none) return NEXT(clock_nanosleep)(clock, flags, time, rest);
  return sleep_until(nanoseconds(time) + (flags & TIMER_ABSTIME ? 0 : now()));
}
