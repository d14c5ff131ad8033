import CMSAuthLinux
import Glibc
package import MSAuthCore

/// Protects this process: no core dump, no program started by a crash, no signal or closed descriptor that ends it halfway.
package enum Hardening {
  /// Protects this process alone, not the programs that it starts; nothing may have opened a descriptor before.
  package static func apply() {
    // At a crash, Swift's runtime starts `swift-backtrace`, which it may look for in the current directory.
    for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] where !linux_ignores_signal(number) {
      signal(number, SIG_DFL)
    }
    openStandardDescriptors()
    // No core dump, and no debugger of this user. Unlike a resource limit or the umask, the browser doesn't inherit it.
    _ = linux_forbid_dumps()
    // A closed pipe and the file size limit must not end the process before a refreshed token is stored. Handlers, because
    // started programs would inherit ignored signals.
    for number in [SIGPIPE, SIGXFSZ] where !linux_ignores_signal(number) { signal(number) { _ in } }
    // If SIGCHLD were ignored, the system would discard the exit status of each child (wait(2)).
    signal(SIGCHLD, SIG_DFL)
  }

  /// The descriptors that a sign-in has open at once, with some to spare.
  private static let requiredDescriptors: rlim_t = 32

  /// Raises the limit of open files if it is too low for a sign-in; throws if that isn't allowed.
  package static func requireDescriptors() throws(AuthenticationError) {
    let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard getrlimit(openFiles, &limit) == 0, limit.rlim_cur < requiredDescriptors else { return }
    limit.rlim_cur = requiredDescriptors
    if setrlimit(openFiles, &limit) == 0 { return }
    let message = "the system allows this process only \(limit.rlim_max) open files"
    let hint: Hint = "raise the limit (ulimit -n) to \(requiredDescriptors)"
    throw AuthenticationError(.internalError, message, reason: "too_many_files", hint: hint)
  }

  /// Opens `/dev/null` on the descriptors 0 to 2 that were closed, so that no later file gets these numbers.
  private static func openStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      // open(2) uses the lowest free number, which is this one. Read-only, so that writing to a closed stdout still
      // fails.
      _ = open("/dev/null", O_RDONLY)
    }
  }
}
