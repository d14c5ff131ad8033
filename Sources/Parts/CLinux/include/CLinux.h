#pragma once
// Swift uses some of these headers directly: its Glibc module lacks them.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/magic.h>
#include <linux/memfd.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

/// An argument of the program, or NULL beyond the last.
const char *linux_argument(int index);

/// Reserves disk space for a file without changing its size (Swift doesn't see GNU's fallocate).
int linux_reserve(int file, int64_t size);

/// Disables core dumps and attaching by other processes of the user (Swift can't call the variadic prctl).
static inline int linux_forbid_dumps(void) {
  return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/// Whether this process ignores the signal, as under nohup(1) (Swift can't compare with SIG_IGN).
static inline bool linux_ignores_signal(int number) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

// These declarations need _GNU_SOURCE, which Swift doesn't define.
#ifndef _GNU_SOURCE
int accept4(int listener, struct sockaddr *address, socklen_t *size, int flags);
int pipe2(int ends[2], int flags);
#endif

union linux_address {
  struct sockaddr any;
  struct sockaddr_in ipv4;
  struct sockaddr_in6 ipv6;
};

/// Listens on a numeric address (NULL: 127.0.0.1 or ::1) without blocking; no child process inherits the socket. A port
/// of 0 becomes the one that the system chooses. Returns -1 and sets errno on failure.
static inline int linux_listen(bool is_ipv4, const char *host, uint16_t *port) {
  union linux_address address = {
    .ipv6 = {.sin6_family = AF_INET6, .sin6_port = htons(*port), .sin6_addr = IN6ADDR_LOOPBACK_INIT},
  };
  if (is_ipv4)
    address.ipv4 = (struct sockaddr_in){AF_INET, htons(*port), {htonl(INADDR_LOOPBACK)}, {0}};
  void *bytes = is_ipv4 ? (void *)&address.ipv4.sin_addr : (void *)&address.ipv6.sin6_addr;
  if (host && inet_pton(address.any.sa_family, host, bytes) != 1) {
    errno = EADDRNOTAVAIL;
    return -1;
  }
  socklen_t size = is_ipv4 ? sizeof address.ipv4 : sizeof address.ipv6;
  int listener = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0) return -1;
  // Connections of an earlier run may still be closing. A second listener would need SO_REUSEPORT, which is never set.
  const int one = 1;
  if (*port != 0) setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(listener, &address.any, size) == 0 && listen(listener, SOMAXCONN) == 0 &&
      getsockname(listener, &address.any, &size) == 0) {
    *port = ntohs(is_ipv4 ? address.ipv4.sin_port : address.ipv6.sin6_port);
    return listener;
  }
  int error = errno;
  close(listener);
  errno = error;
  return -1;
}

/// Accepts a connection without waiting for one; it doesn't block, and no child process inherits it. The peer's port is
/// 0 unless it is on 127.0.0.1 or ::1. Returns -1 and sets errno on failure.
static inline int linux_accept(int listener, uint16_t *port) {
  union linux_address address;
  socklen_t size = sizeof address;
  int connection = accept4(listener, &address.any, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
  *port = 0;
  if (connection < 0) return -1;
  if (address.any.sa_family == AF_INET && address.ipv4.sin_addr.s_addr == htonl(INADDR_LOOPBACK))
    *port = ntohs(address.ipv4.sin_port);
  else if (address.any.sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&address.ipv6.sin6_addr))
    *port = ntohs(address.ipv6.sin6_port);
  return connection;
}

/// Finds the TCP socket with exactly these ports of an IPv4 address or ::1, through a socket of NETLINK_SOCK_DIAG
/// (sock_diag(7), whose macros Swift doesn't import); a remote port of 0 means a listening socket. Returns 0 with the
/// owner and the inode, which is 0 if no process holds the socket anymore, or an errno: ENOENT if there is no such
/// socket.
static inline int linux_tcp_owner(int netlink, uint32_t sequence, bool is_ipv4, uint32_t ipv4, uint16_t local,
                                  uint16_t remote, uint32_t *user, uint32_t *inode) {
  struct {
    struct nlmsghdr header;
    struct inet_diag_req_v2 request;
  } message = {
    .header = {
      .nlmsg_len = sizeof message,
      .nlmsg_type = SOCK_DIAG_BY_FAMILY,
      .nlmsg_flags = NLM_F_REQUEST,
      .nlmsg_seq = sequence,
    },
    .request = {
      .sdiag_family = is_ipv4 ? AF_INET : AF_INET6,
      .sdiag_protocol = IPPROTO_TCP,
      .idiag_states = UINT32_MAX,
      .id = {
        .idiag_sport = htons(local),
        .idiag_dport = htons(remote),
        .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE},
      },
    },
  };
  // An IPv4 address is in the first of the four words, the 1 of ::1 in the last.
  int word = is_ipv4 ? 0 : 3;
  message.request.id.idiag_src[word] = htonl(is_ipv4 ? ipv4 : 1);
  if (remote != 0) message.request.id.idiag_dst[word] = message.request.id.idiag_src[word];
  const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
  if (sendto(netlink, &message, sizeof message, 0, (const struct sockaddr *)&kernel, sizeof kernel) < 0) return errno;
  // The kernel responds before sendto returns, so there is nothing to wait for.
  for (;;) {
    union {
      struct nlmsghdr header;
      uint8_t bytes[4096];
    } reply;
    struct sockaddr_nl sender;
    socklen_t size = sizeof sender;
    ssize_t count = recvfrom(netlink, &reply, sizeof reply, MSG_DONTWAIT, (struct sockaddr *)&sender, &size);
    if (count < 0) return errno;
    // A response to an earlier query, or a message that is not the kernel's.
    if (sender.nl_pid != 0 || !NLMSG_OK(&reply.header, (uint32_t)count) || reply.header.nlmsg_seq != sequence) continue;
    if (reply.header.nlmsg_type == NLMSG_ERROR) {
      if (reply.header.nlmsg_len < NLMSG_LENGTH(sizeof(struct nlmsgerr))) return EBADMSG;
      return -((const struct nlmsgerr *)NLMSG_DATA(&reply.header))->error;
    }
    if (reply.header.nlmsg_type != SOCK_DIAG_BY_FAMILY ||
        reply.header.nlmsg_len < NLMSG_LENGTH(sizeof(struct inet_diag_msg)))
      return EBADMSG;
    const struct inet_diag_msg *found = (const struct inet_diag_msg *)NLMSG_DATA(&reply.header);
    // Without a matching connection, the kernel returns a socket that listens on the local port.
    if (found->id.idiag_sport != htons(local) || found->id.idiag_dport != htons(remote)) return ENOENT;
    *user = found->idiag_uid;
    *inode = found->idiag_inode;
    return 0;
  }
}

/// A descriptor that becomes readable when this process ends, whatever program it executes by then (pidfd_open(2)).
static inline int linux_open_self(void) { return (int)syscall(SYS_pidfd_open, getpid(), 0); }

/// Creates a file in memory (memfd_create(2)).
static inline int linux_memory_file(const char *name) {
  return (int)syscall(SYS_memfd_create, name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

/// Restores the default action of these signals, and unblocks all, before another program is executed.
static inline void linux_reset_signals(const int *signals, size_t count) {
  for (size_t i = 0; i < count; i++) signal(signals[i], SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

/// Starts a program in a new session, and not as a child: a program that this process executes later may wait for all
/// its children. It gets `input` as descriptor 0, `output` (-1: /dev/null) as 1, this standard error, and `kept` as 3.
/// Between fork and exec only async-signal-safe functions are called. Returns 0 once the program runs, or an errno.
static inline int linux_start_detached(const char *path, char *const *arguments, int input, int output, int kept) {
  // The pipe is closed when the program starts; if it can't be started, the errno is written to the pipe.
  int report[2], error = 0;
  if (pipe2(report, O_CLOEXEC) != 0) return errno;
  pid_t child = fork();
  if (child < 0) error = errno;
  if (child == 0) {
    int reporting = fcntl(report[1], F_DUPFD_CLOEXEC, 4);
    setsid();
    pid_t grandchild = fork();
    if (grandchild > 0) _exit(0);
    if (grandchild == 0) {
      const int handled[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
      linux_reset_signals(handled, sizeof handled / sizeof *handled);
      if (output < 0) output = open("/dev/null", O_WRONLY | O_CLOEXEC);
      if (dup2(input, 0) >= 0 && dup2(output, 1) >= 0 && (kept == 3 ? fcntl(3, F_SETFD, 0) : dup2(kept, 3)) >= 0) {
        syscall(SYS_close_range, 4U, ~0U, 4U);  // CLOSE_RANGE_CLOEXEC
        execv(path, arguments);
      }
    }
    error = errno;
    (void)!write(reporting, &error, sizeof error);
    _exit(127);
  }
  close(report[1]);
  while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
  while (child > 0 && read(report[0], &error, sizeof error) < 0 && errno == EINTR) {}
  close(report[0]);
  return error;
}

extern char **environ;

/// Executes another program in this process. Each change is a variable to set (`NAME=value`) or to remove (`NAME`).
/// Returns an errno on failure.
static inline int linux_exec(const char *path, char *const *arguments, char *const *changes) {
  size_t count = 0, changed = 0, used = 0;
  while (environ[count]) count++;
  while (changes[changed]) changed++;
  char **environment = (char **)calloc(count + changed + 1, sizeof *environment);
  if (!environment) return ENOMEM;
  for (size_t i = 0; i < count; i++) {
    size_t length = strcspn(environ[i], "="), same = 0;
    while (same < changed && (strncmp(environ[i], changes[same], length) != 0 || strcspn(changes[same], "=") != length)) same++;
    if (same == changed) environment[used++] = environ[i];
  }
  for (size_t i = 0; i < changed; i++)
    if (strchr(changes[i], '=')) environment[used++] = changes[i];
  execve(path, arguments, environment);
  int error = errno;
  free(environment);
  return error;
}
