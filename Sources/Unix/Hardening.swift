import CLinux
import Glibc

/// What this process does at its start, so that its memory, which holds tokens, is not left behind, so that a crash
/// starts no program, and so that no closed descriptor or pipe ends it halfway or gets what is meant for another.
package enum Hardening {
  /// Applies it to this process alone, before anything opens a descriptor.
  package static func apply() {
    // At a crash, Swift's runtime would start a program `swift-backtrace`. It looks for it where this program lies, which
    // it takes for the current directory when the shell has found this program by `PATH`.
    for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] where !linux_ignores_signal(number) {
      signal(number, SIG_DFL)
    }
    openStandardDescriptors()
    // No core dump, and no other process of this user may attach and read our memory. Unlike a resource limit or the
    // umask, a browser that we start does not inherit it.
    _ = linux_forbid_dumps()
    // A pipe that nobody reads and the limit on the size of files are errors of write(2): neither may end the process
    // between the arrival of a refreshed token and its storage. A handler, since a started program would inherit an
    // ignored signal.
    for number in [SIGPIPE, SIGXFSZ] where !linux_ignores_signal(number) { signal(number) { _ in } }
    // Where it is ignored, the system keeps no exit status of a child (wait(2)).
    signal(SIGCHLD, SIG_DFL)
  }

  /// Opens `/dev/null` on the descriptors 0 to 2 that were closed, so that no file of ours takes their place.
  private static func openStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      // The lowest free number is this one. For reading alone: to write to a closed stdout is still an error.
      _ = open("/dev/null", O_RDONLY)
    }
  }
}

extension String {
  /// Whether the value of an environment variable lost bytes when it was decoded, since they were not UTF-8.
  ///
  /// Swift puts U+FFFD in their place; a path would silently mean another file then. One that has this character itself,
  /// properly encoded, is what it says.
  package func hasLostBytes(of name: String) -> Bool {
    guard unicodeScalars.contains("\u{FFFD}") else { return false }
    guard let raw = getenv(name) else { return true }
    return String(validatingCString: raw).map { !$0.utf8.elementsEqual(utf8) } ?? true
  }
}

/// What stands on a command line before an argument that is not UTF-8.
package enum CommandLineEncoding {
  /// Finds the first argument of this process that is not UTF-8.
  package static func firstFlaw() -> String? {
    let arguments = CommandLine.unsafeArgv
    for index in 0..<Int(CommandLine.argc) {
      guard let argument = arguments[index], String(validatingCString: argument) == nil else { continue }
      let decoded = String(cString: argument)
      if decoded.hasPrefix("--") { return decoded.split(separator: "=", maxSplits: 1).first.map(String.init) }
      if index > 1, let before = arguments[index - 1].flatMap({ String(validatingCString: $0) }), before.hasPrefix("-")
      {
        return before
      }
      return decoded
    }
    return nil
  }
}
