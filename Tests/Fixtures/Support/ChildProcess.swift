import Glibc
import Synchronization

/// A process that a test started: its output collected as it comes, its signals, its end.
///
/// Foundation's `Process` may hand one child's pipes to another when several start at once; this one closes everything
/// in the child but the three standard descriptors.
package final class ChildProcess: Sendable {
  /// How a process ended.
  package enum Ending: Sendable, Equatable {
    /// It exited with this code.
    case exited(Int32)
    /// This signal killed it.
    case killed(Int32)
  }

  private struct State {
    var stdout: [UInt8] = []
    var stderr: [UInt8] = []
    var openStreams = 2
    var ending: Ending?
  }

  /// The process, and its process group.
  package let pid: pid_t
  private let stdin: Int32
  private let state = Mutex(State())

  /// Starts a process in a process group of its own.
  ///
  /// - Parameters:
  ///   - arguments: The program, by its absolute path or by a name on `PATH`, then its arguments.
  ///   - environment: All of its environment.
  ///   - folder: Its working directory.
  ///   - holdsInput: Whether its standard input stays open as long as this object lives; otherwise it is empty.
  /// - Throws: ``TestFailure`` when it cannot be started.
  package init(
    _ arguments: [String],
    environment: [String: String] = ChildProcess.minimalEnvironment,
    in folder: String = "/",
    holdsInput: Bool = false
  ) throws {
    let input = try makePipe()
    let output = try makePipe()
    let errors = try makePipe()

    var actions = try SpawnActions(input: input.read, output: output.write, errors: errors.write, folder: folder)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A test runner may ignore or block signals that the child is to receive.
    var all = sigset_t()
    sigfillset(&all)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)
    )

    var pid: pid_t = 0
    let result = withCStrings(arguments) { argv in
      withCStrings(environment.map { "\($0.key)=\($0.value)" }) { envp in
        posix_spawnp(&pid, arguments[0], &actions.raw, &attributes, argv, envp)
      }
    }
    close(input.read)
    close(output.write)
    close(errors.write)
    guard result == 0 else {
      for descriptor in [input.write, output.read, errors.read] { close(descriptor) }
      throw TestFailure("could not start \(arguments[0]): \(String(cString: strerror(result)))")
    }
    self.pid = pid
    if holdsInput {
      self.stdin = input.write
    } else {
      close(input.write)
      self.stdin = -1
    }
    collect(output.read) { $0.stdout += $1 }
    collect(errors.read) { $0.stderr += $1 }
    Task { try await blocking { self.reap() } }
  }

  deinit {
    if stdin >= 0 { close(stdin) }
  }

  /// Enough for the system's programs.
  package static let minimalEnvironment = ["PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"]

  /// Fails where a program isn't installed, for scripts that would wait for its effects.
  package static func require(_ programs: String...) throws {
    let directories = (minimalEnvironment["PATH"] ?? "").split(separator: ":")
    for program in programs where !directories.contains(where: { access("\($0)/\(program)", X_OK) == 0 }) {
      throw TestFailure("\(program) is not installed; Tests/run installs it")
    }
  }

  /// What it has written to its standard output so far, as bytes.
  package var stdoutBytes: [UInt8] { state.withLock { $0.stdout } }
  /// What it has written to its standard output so far.
  package var stdout: String { state.withLock { String(decoding: $0.stdout, as: UTF8.self) } }
  /// What it has written to its standard error so far.
  package var stderr: String { state.withLock { String(decoding: $0.stderr, as: UTF8.self) } }
  /// How it ended, when it has.
  package var ending: Ending? { state.withLock { $0.ending } }

  /// Writes to its standard input, which must have been held open.
  ///
  /// - Parameter text: A short text: what does not fit into a pipe is an error.
  /// - Throws: ``TestFailure`` when it cannot be written.
  package func write(_ text: String) throws {
    let bytes = Array(text.utf8)
    guard Glibc.write(stdin, bytes, bytes.count) == bytes.count else {
      throw TestFailure("process \(pid) does not read: \(String(cString: strerror(errno)))")
    }
  }

  /// Closes the child's input; the descriptor stays in use, so that it can't become another file's.
  package func closeInput() {
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    dup2(null, stdin)
    _ = fcntl(stdin, F_SETFD, FD_CLOEXEC)
    close(null)
  }

  /// Sends a signal to the process alone.
  package func signal(_ number: Int32) {
    state.withLock { if $0.ending == nil { _ = kill(pid, number) } }
  }

  /// Kills the process and all that it started and left in its process group.
  package func killGroup() {
    _ = kill(-pid, SIGKILL)
  }

  /// Waits until it has ended and all that it wrote is there.
  ///
  /// A process that lives longer is killed.
  ///
  /// - Parameter deadline: Until when to wait.
  /// - Returns: How it ended.
  /// - Throws: ``TestFailure`` with its output, when it did not end in time.
  package func end(by deadline: Deadline = .after(stepTimeout)) async throws -> Ending {
    do {
      return try await eventually("the end of process \(pid)", by: deadline) {
        state.withLock { $0.openStreams == 0 ? $0.ending : nil }
      }
    } catch {
      killGroup()
      throw TestFailure("\(error)\nstdout: \(stdout)\nstderr: \(stderr)")
    }
  }

  /// Waits for the first line on standard output, as a sign that it is ready.
  ///
  /// - Returns: The line.
  /// - Throws: ``TestFailure`` when it ends without one, or takes too long.
  package func firstLine() async throws -> String {
    try await eventually("a line on stdout of process \(pid)") {
      let hasEnded = state.withLock { $0.openStreams == 0 && $0.ending != nil }
      let lines = stdout.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      if lines.count > 1 { return String(lines[0]) }
      if hasEnded { throw TestFailure("process \(pid) ended without a line on stdout: \(stderr)") }
      return nil
    }
  }

  /// The id of a process that is gone.
  package static func endedPID() async throws -> pid_t {
    let child = try ChildProcess(["true"])
    _ = try await child.end()
    return child.pid
  }

  /// Waits for a line on standard error, or fails as soon as the process has ended without it.
  ///
  /// - Parameters:
  ///   - what: What the line is, for the failure's text.
  ///   - deadline: Until when to wait.
  ///   - find: What it looks for in a line.
  /// - Returns: The first answer of `find` that is not nil.
  /// - Throws: ``TestFailure`` with what standard error holds instead.
  package func stderrLine<Found: Sendable>(
    _ what: String,
    by deadline: Deadline = .after(stepTimeout),
    _ find: (Substring) -> Found?
  ) async throws -> Found {
    try await eventually("\(what) on stderr", by: deadline) {
      // Ended is asked first: what a process wrote is complete once it has ended.
      let hasEnded = state.withLock { $0.openStreams == 0 && $0.ending != nil }
      let lines = stderr.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      if let found = lines.lazy.compactMap(find).first { return found }
      if hasEnded || deadline.isOver {
        killGroup()
        throw TestFailure("no \(what) on stderr (\(String(describing: ending)))\nstdout: \(stdout)\nstderr: \(stderr)")
      }
      return nil
    }
  }

  private func collect(_ descriptor: Int32, _ keep: @escaping @Sendable (inout State, [UInt8]) -> Void) {
    Task {
      try await blocking { [self] in
        defer {
          close(descriptor)
          state.withLock { $0.openStreams -= 1 }
        }
        while true {
          let bytes = try readSome(descriptor)
          if bytes.isEmpty { return }
          state.withLock { keep(&$0, bytes) }
        }
      }
    }
  }

  private func reap() {
    var information = siginfo_t()
    // Waits without reaping first, so that `signal` can never reach another process that got the same number.
    while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    state.withLock {
      var status: Int32 = 0
      while waitpid(pid, &status, 0) < 0, errno == EINTR {}
      $0.ending = status & 0x7f == 0 ? .exited((status >> 8) & 0xff) : .killed(status & 0x7f)
    }
  }
}

/// Hands C a list of texts that ends with a null pointer.
private func withCStrings<Result>(
  _ texts: [String],
  _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
  let copies = texts.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  return body(copies + [nil])
}

/// What happens in a child between fork and exec, with two calls of glibc that the `Glibc` module does not show.
struct SpawnActions: ~Copyable {
  private typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
  private typealias ChangeFolder =
    @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>) -> Int32

  var raw = posix_spawn_file_actions_t()

  /// Gives the child these three standard descriptors, nothing else that is open here, and a working directory.
  init(input: Int32, output: Int32, errors: Int32, folder: String) throws {
    guard let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np"),
      let changeFolder = dlsym(nil, "posix_spawn_file_actions_addchdir_np")
    else { throw TestFailure("glibc 2.34 or newer is needed to start child processes") }
    posix_spawn_file_actions_init(&raw)
    posix_spawn_file_actions_adddup2(&raw, input, 0)
    posix_spawn_file_actions_adddup2(&raw, output, 1)
    posix_spawn_file_actions_adddup2(&raw, errors, 2)
    _ = unsafeBitCast(closeFrom, to: CloseFrom.self)(&raw, 3)
    _ = unsafeBitCast(changeFolder, to: ChangeFolder.self)(&raw, folder)
  }

  deinit {
    var raw = raw
    posix_spawn_file_actions_destroy(&raw)
  }
}

/// Throws what errno says of a call that answered below zero.
@discardableResult
func check(_ result: Int32, _ call: String) throws -> Int32 {
  guard result >= 0 else { throw TestFailure("\(call): \(String(cString: strerror(errno)))") }
  return result
}

/// Two ends of a pipe that no child process inherits.
func makePipe() throws -> (read: Int32, write: Int32) {
  var ends: [Int32] = [-1, -1]
  try check(pipe(&ends), "pipe")
  for end in ends { try check(fcntl(end, F_SETFD, FD_CLOEXEC), "fcntl") }
  return (ends[0], ends[1])
}

/// Reads what is there, waiting for the first byte.
///
/// - Returns: Bytes; empty at the end of the file.
func readSome(_ descriptor: Int32) throws -> [UInt8] {
  var buffer = [UInt8](repeating: 0, count: 65536)
  while true {
    let count = read(descriptor, &buffer, buffer.count)
    if count < 0, errno == EINTR { continue }
    try check(Int32(count), "read")
    return Array(buffer.prefix(count))
  }
}
