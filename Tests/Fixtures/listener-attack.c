// Attacks a listener on this machine, or sends a browser's requests meanwhile; stops by itself.
//
//   listener-attack KIND PORT CONNECTIONS RATE SECONDS [TARGET]
//
// KIND is one of `kinds` below. CONNECTIONS is the maximum at a time. RATE is in new connections per second, 0 for as
// many as possible. Prints "begun" when the connections are open, and at the end the sent requests and received
// responses as "name number" pairs; `request`, which sends TARGET, also prints its response times in microseconds.
// Stops early when the listener closes.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAXIMUM_CONNECTIONS = 4000, MAXIMUM_SECONDS = 120, MAXIMUM_SAMPLES = 20000 };

typedef enum { SILENT, SLOW, JUNK, HEAD, BODY, CHUNKED, PIPELINE, RESET, REQUEST } kind_t;
static const char *const kinds[] = {
  "silent", "slow", "junk", "head", "body", "chunked", "pipeline", "reset", "request"
};

static kind_t kind;
static struct sockaddr_in listener;
static const char *target = "/";

// Sent at once, and repeated after that.
static char start[256 * 1024];
static size_t start_size;
static char more[64 * 1024];

typedef struct {
  int descriptor;
  size_t sent;
  int64_t began, fed;
  char status[13];
  size_t received;
} connection_t;

static connection_t connections[MAXIMUM_CONNECTIONS];
static long made, responses;
static long samples[MAXIMUM_SAMPLES];
static long sample_count;
static int queue;
static bool is_gone;

static int64_t now_microseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void append(const char *text) {
  size_t size = strlen(text);
  if (start_size + size > sizeof start) abort();
  memcpy(start + start_size, text, size);
  start_size += size;
}

// Several kinds of junk; `turn` chooses.
static void compose(unsigned port, unsigned turn) {
  char host[64], line[8300];
  snprintf(host, sizeof host, "Host: localhost:%u\r\n", port);
  start_size = 0;
  switch (kind) {
  case SILENT: break;
  case SLOW: append("GET / HTTP/1.1\r\n"); break;
  case HEAD: append("GET / HTTP/1.1\r\n"); append(host); append("Cookie: "); break;
  case BODY: append("POST / HTTP/1.1\r\n"); append(host);
    append("Content-Type: application/x-www-form-urlencoded\r\n");
    append(turn % 2 ? "Content-Length: 99999999999\r\n\r\n" : "Content-Length: 65536\r\n\r\n"); break;
  case CHUNKED: append("POST / HTTP/1.1\r\n"); append(host); append("Transfer-Encoding: chunked\r\n\r\nffffff\r\n");
    break;
  case PIPELINE:
    for (int i = 0; i < 1000; i++) { append("GET /?state=wrong HTTP/1.1\r\n"); append(host); append("\r\n"); }
    break;
  case REQUEST:
    snprintf(line, sizeof line, "GET %.8000s HTTP/1.1\r\n", target);
    append(line); append(host); append("\r\n");
    break;
  case RESET:
  case JUNK:
    switch (turn % 8) {
    case 0: append("GET /favicon.ico HTTP/1.1\r\n"); append(host); append("\r\n"); break;
    case 1: append("GET /?code=stolen&state=wrong HTTP/1.1\r\n"); append(host); append("\r\n"); break;
    case 2: append("GET /?code=stolen HTTP/1.1\r\nHost: attacker.example\r\n\r\n"); break;
    case 3: append("POST / HTTP/1.1\r\n"); append(host);
      append("Origin: https://attacker.example\r\nSec-Fetch-Mode: no-cors\r\n"
             "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 23\r\n\r\ncode=stolen&state=wrong");
      break;
    case 4: append("OPTIONS / HTTP/1.1\r\n"); append(host); append("Origin: https://attacker.example\r\n\r\n"); break;
    case 5: append("not HTTP at all\r\n\r\n"); break;
    case 6: append("\x16\x03\x01\x02\x00\x01"); break;
    default: append("GET /?error=access_denied HTTP/1.1\r\n"); append(host); append("\r\n"); break;
    }
  }
}

static void discard(connection_t *connection, bool abruptly) {
  if (abruptly) {
    // Avoids TIME_WAIT, which would use up the ports.
    struct linger linger = {.l_onoff = 1, .l_linger = 0};
    setsockopt(connection->descriptor, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
  }
  close(connection->descriptor);
  connection->descriptor = -1;
}

static void finish(connection_t *connection, int64_t now) {
  bool is_response = connection->received >= sizeof connection->status - 1;
  if (is_response && strncmp(connection->status, "HTTP/1.1 ", 9) == 0) {
    const char *status = connection->status + 9;
    bool is_rejected = strncmp(status, "503", 3) == 0 || strncmp(status, "403", 3) == 0;
    responses++;
    if (kind == REQUEST && !is_rejected && sample_count < MAXIMUM_SAMPLES)
      samples[sample_count++] = now - connection->began;
  }
  discard(connection, false);
}

static bool begin(connection_t *connection, int64_t now) {
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return false;
  if (connect(descriptor, (struct sockaddr *)&listener, sizeof listener) != 0 && errno != EINPROGRESS) {
    is_gone = errno == ECONNREFUSED;
    close(descriptor);
    return false;
  }
  *connection = (connection_t){.descriptor = descriptor, .began = now, .fed = now};
  struct epoll_event event = {
    .events = EPOLLIN | EPOLLRDHUP | (kind == SILENT ? 0 : EPOLLOUT), .data.ptr = connection
  };
  if (epoll_ctl(queue, EPOLL_CTL_ADD, descriptor, &event) != 0) abort();
  made++;
  return true;
}

static void want(connection_t *connection, bool output) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | (output ? EPOLLOUT : 0), .data.ptr = connection};
  epoll_ctl(queue, EPOLL_CTL_MOD, connection->descriptor, &event);
}

// Sends what fits. Returns false if the connection is closed.
static bool feed(connection_t *connection, unsigned port) {
  compose(port, (unsigned)(connection - connections) + (unsigned)(connection->began / 7));
  while (connection->sent < start_size) {
    ssize_t size = send(connection->descriptor, start + connection->sent, start_size - connection->sent, MSG_NOSIGNAL);
    if (size < 0) return errno == EAGAIN;
    connection->sent += (size_t)size;
  }
  switch (kind) {
  case RESET: discard(connection, true); return true;
  case HEAD: case BODY: case CHUNKED: {
    ssize_t size = send(connection->descriptor, more, sizeof more, MSG_NOSIGNAL);
    return size >= 0 || errno == EAGAIN;
  }
  default: want(connection, false); return true;
  }
}

static void handle(connection_t *connection, uint32_t events, unsigned port, int64_t now) {
  if (connection->descriptor < 0) return;
  if (events & EPOLLIN) {
    char buffer[16384];
    for (;;) {
      ssize_t size = recv(connection->descriptor, buffer, sizeof buffer, 0);
      if (size < 0 && errno == EAGAIN) break;
      if (size <= 0) {
        is_gone |= size < 0 && errno == ECONNREFUSED;
        return finish(connection, now);
      }
      for (ssize_t i = 0; i < size && connection->received < sizeof connection->status - 1; i++) {
        connection->status[connection->received++] = buffer[i];
      }
    }
  }
  if (events & (EPOLLERR | EPOLLHUP)) {
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(connection->descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
    is_gone |= error == ECONNREFUSED;
    return finish(connection, now);
  }
  if (events & EPOLLOUT && !feed(connection, port)) {
    // A response may have arrived.
    if (connection->descriptor >= 0) want(connection, false);
  }
}

static int compare(const void *left, const void *right) {
  long difference = *(const long *)left - *(const long *)right;
  return (difference > 0) - (difference < 0);
}

int main(int argc, char **argv) {
  if (argc < 6) return 64;
  int found = -1;
  for (int i = 0; i < (int)(sizeof kinds / sizeof *kinds); i++) if (strcmp(argv[1], kinds[i]) == 0) found = i;
  unsigned port = (unsigned)atoi(argv[2]);
  int slots = atoi(argv[3]);
  double rate = atof(argv[4]), seconds = atof(argv[5]);
  if (found < 0 || port == 0 || port > 65535 || slots < 1 || slots > MAXIMUM_CONNECTIONS || rate < 0
      || seconds <= 0 || seconds > MAXIMUM_SECONDS) return 64;
  if (argc > 6) target = argv[6];
  kind = (kind_t)found;
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  listener = (struct sockaddr_in){
    .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)
  };
  memset(more, 'a', sizeof more);
  for (int i = 0; i < slots; i++) connections[i].descriptor = -1;
  queue = epoll_create1(EPOLL_CLOEXEC);
  int64_t began = now_microseconds(), end = began + (int64_t)(seconds * 1e6), now = began, last_slow = began;
  int next = 0;
  bool has_begun = false;
  while ((now = now_microseconds()) < end && !is_gone) {
    if (!has_begun && kind != REQUEST && (made >= slots || rate > 0) && now - began > 300000) {
      has_begun = true;
      printf("begun\n");
      fflush(stdout);
    }
    // Opens connections that are due, up to the maximum.
    long due = rate == 0 ? slots : (long)((double)(now - began) * rate / 1e6) + 1 - made;
    for (int tried = 0; due > 0 && tried < slots; tried++, next = (next + 1) % slots) {
      if (connections[next].descriptor >= 0) continue;
      if (!begin(&connections[next], now)) break;
      due--;
    }
    struct epoll_event events[256];
    int ready = epoll_wait(queue, events, 256, 1);
    now = now_microseconds();
    for (int i = 0; i < ready; i++) handle(events[i].data.ptr, events[i].events, port, now);
    if (kind == SLOW && now - last_slow > 50000) {
      last_slow = now;
      for (int i = 0; i < slots; i++) {
        if (connections[i].descriptor >= 0) send(connections[i].descriptor, "a", 1, MSG_NOSIGNAL);
      }
    }
  }
  for (int i = 0; i < slots; i++) {
    if (connections[i].descriptor < 0) continue;
    if (kind == REQUEST && sample_count < MAXIMUM_SAMPLES) samples[sample_count++] = now - connections[i].began;
    discard(&connections[i], true);
  }
  printf("made %ld responses %ld", made, responses);
  if (kind == REQUEST && sample_count > 0) {
    qsort(samples, (size_t)sample_count, sizeof *samples, compare);
    printf(" median %ld slowest %ld", samples[sample_count / 2], samples[sample_count - 1]);
  }
  printf("\n");
}
