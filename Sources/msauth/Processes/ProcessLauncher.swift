import CMSAuthLinux
import Glibc
import MSAuth
import MSAuthUnix

/// Replaces this process with another program, or starts a process beside it.
enum ProcessLauncher {
  /// The path of this program, without symbolic links.
  static var program: String {
    get throws(AuthenticationError) {
      let path = realpath("/proc/self/exe", nil)
      defer { free(path) }
      if let program = path.flatMap({ String(validatingCString: $0) }) { return program }
      throw AuthenticationError(.internalError, "can't determine the path of msauth", reason: "unexpected")
    }
  }

  /// The descriptors above 2 that this process inherited (without FD_CLOEXEC), for the program that replaces it.
  static var inheritedDescriptors: Set<Int32> { Set(openDescriptors.filter { fcntl($0, F_GETFD) == 0 }) }

  /// In practice, no descriptor is larger; checking up to the process's limit could mean millions of calls.
  private static let maximumDescriptor: rlim_t = 65_536

  private static var openDescriptors: [Int32] {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var all = (3..<max(4, Int32(min(limit.rlim_cur, maximumDescriptor)))).map { pollfd(fd: $0, events: 0, revents: 0) }
    poll(&all, nfds_t(all.count), 0)
    return all.filter { $0.revents & Int16(POLLNVAL) == 0 }.map(\.fd)
  }

  /// Starts a detached instance of this program, which keeps running when another program replaces this one.
  ///
  /// Its output is discarded unless `output` is a descriptor.
  static func spawnCompanion(
    _ arguments: [String],
    keeping kept: Int32,
    output: Int32 = -1,
    program: String = "/proc/self/exe"
  ) throws(FileError) {
    let process = linux_open_self()
    guard process >= 0 else { throw .system(program) }
    defer { close(process) }
    let error = withCStrings(["msauth"] + arguments) { linux_start_detached(program, $0, process, output, kept) }
    guard error == 0 else { throw FileError(.system(error), program) }
  }

  /// Starts a companion, and returns a descriptor to read its output from.
  static func spawnCompanionForOutput(_ arguments: [String], keeping kept: Int32) throws(FileError) -> Int32 {
    var ends: [Int32] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC) == 0 else { throw .system("pipe") }
    defer { close(ends[1]) }
    do {
      try spawnCompanion(arguments, keeping: kept, output: ends[1])
    } catch {
      close(ends[0])
      throw error
    }
    return ends[0]
  }

  /// Whether `spawnCompanion` started this process: descriptor 0 is another process (pidfd_open(2)).
  static var isCompanion: Bool {
    var information = siginfo_t()
    // ECHILD: the descriptor is a process, but not this one's child.
    return waitid(P_PIDFD, id_t(STDIN_FILENO), &information, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD
  }

  /// Blocks until the process that called `spawnCompanion` ends.
  static func waitForCommand() {
    var end = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    while poll(&end, 1, -1) < 0, errno == EINTR {}
  }

  /// Replaces this process with another program, with default signals and only these descriptors; returns only if that fails.
  ///
  /// Each change sets (`NAME=value`) or removes (`NAME`) a variable.
  static func exec(
    _ path: String,
    _ arguments: [String],
    changing variables: [String],
    keeping descriptors: Set<Int32>
  ) -> FileError {
    for descriptor in openDescriptors {
      _ = fcntl(descriptor, F_SETFD, descriptors.contains(descriptor) ? 0 : FD_CLOEXEC)
    }
    let handled = Interruption.handledSignals
    linux_reset_signals(handled, handled.count)
    let error = withCStrings(variables) { variables in
      withCStrings(arguments) { linux_exec(path, $0, variables) }
    }
    return FileError(.system(error), path)
  }

  /// Returns an immutable file in memory (memfd_create(2)).
  static func sealedFile(_ bytes: [UInt8]) throws(FileError) -> Int32 {
    let descriptor = linux_memory_file("msauth")
    // F_ADD_SEALS: F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW and F_SEAL_WRITE.
    guard descriptor >= 0, write(descriptor, bytes, bytes.count) == bytes.count, lseek(descriptor, 0, SEEK_SET) == 0,
      fcntl(descriptor, 1033, 15) == 0
    else {
      defer { close(descriptor) }
      throw .system("memfd")
    }
    return descriptor
  }

  /// Passes a null-terminated array of strings to C.
  private static func withCStrings<Result>(
    _ strings: [String],
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var copies = strings.map { strdup($0) } + [nil]
    defer { for copy in copies { free(copy) } }
    return copies.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { preconditionFailure("an array with an element has an address") }
      return body(start)
    }
  }
}

extension AuthenticationError {
  /// A file, a descriptor or a process couldn't be created; its own hint precedes this one.
  init(unableTo action: String, _ error: FileError, reason: Reason = "process_start_failed", hint: Hint? = nil) {
    self.init(.internalError, "can't \(action): \(error)", reason: reason, hint: error.hint ?? hint)
  }
}
