/// A C library that replaces system functions in a program (`LD_PRELOAD`, ld.so(8)).
package struct PreloadedLibrary: Sendable {
  /// The program's environment.
  package let environment: [String: String]

  package init(_ source: String, in home: Home) async throws {
    let library = home.path("preloaded.so")
    try await ChildProcess.output(of: ["cc", "-shared", "-fPIC", "-o", library, home.write(source, to: "preloaded.c")])
    environment = ["LD_PRELOAD": library]
  }

  /// No file can be locked, as on a network file system without a lock service.
  package static let noLocks = "#include <errno.h>\nint flock(int file, int how) { errno = ENOLCK; return -1; }\n"
  /// Locks always succeed, as if other machines didn't share them.
  package static let localLocks = "int flock(int file, int how) { return 0; }\n"
  /// Locking a file never returns, and prints a line on standard error.
  package static let endlessLocks = """
    #include <unistd.h>
    int flock(int file, int how) { if (write(2, "hangs\\n", 6)) {} for (;;) pause(); }

    """
  /// libcrypto isn't installed.
  package static let noLibcrypto = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <string.h>

    void *dlopen(const char *name, int flags) {
      if (name != NULL && strncmp(name, "libcrypto.so", 12) == 0) return NULL;
      void *(*next)(const char *, int) = dlsym(RTLD_NEXT, "dlopen");
      return next(name, flags);
    }

    """
  /// A clock that is set forward or back.
  ///
  /// Uses the system call: faketime allocates, which deadlocks under a sanitizer that holds its heap lock.
  package static func clock(ahead seconds: Int) -> String {
    """
    #define _GNU_SOURCE
    #include <sys/syscall.h>
    #include <time.h>
    #include <unistd.h>

    int clock_gettime(clockid_t clock, struct timespec *now) {
      int result = syscall(SYS_clock_gettime, clock, now);
      if (result == 0 && clock == CLOCK_REALTIME) now->tv_sec += \(seconds);
      return result;
    }

    time_t time(time_t *seconds) {
      struct timespec now;
      clock_gettime(CLOCK_REALTIME, &now);
      if (seconds) *seconds = now.tv_sec;
      return now.tv_sec;
    }

    """
  }
  /// The kernel doesn't report the owner of a socket.
  package static let noPeerOwners = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <errno.h>
    #include <fcntl.h>
    #include <stdarg.h>
    #include <string.h>
    #include <sys/socket.h>
    #include <sys/types.h>

    static int is_table(const char *path) { return strncmp(path, "/proc/net/tcp", 13) == 0; }
    static int refuse(int number) { errno = number; return -1; }

    int socket(int family, int type, int protocol) {
      if (family == AF_NETLINK) return refuse(EPERM);
      int (*next)(int, int, int) = dlsym(RTLD_NEXT, "socket");
      return next(family, type, protocol);
    }

    int access(const char *path, int how) {
      if (is_table(path)) return refuse(ENOENT);
      int (*next)(const char *, int) = dlsym(RTLD_NEXT, "access");
      return next(path, how);
    }

    int open(const char *path, int flags, ...) {
      va_list list;
      va_start(list, flags);
      mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
      va_end(list);
      if (is_table(path)) return refuse(ENOENT);
      int (*next)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
      return next(path, flags, mode);
    }

    """
}
