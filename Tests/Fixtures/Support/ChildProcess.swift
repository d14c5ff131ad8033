import Glibc
import Synchronization

/// A process with captured output.
///
/// Foundation's `Process` may leak one child's pipes into another when several start at once.
package final class ChildProcess: Sendable {
  package enum Ending: Sendable, Equatable {
    case exited(Int32)
    case killed(Int32)
  }

  private struct State {
    var stdout: [UInt8] = []
    var stderr: [UInt8] = []
    var openStreams = 2
    var ending: Ending?
  }

  /// The process ID, also of its process group.
  package let pid: pid_t
  let arguments: [String]
  private let stdin: Int32
  private let home: Home?
  private let state = Mutex(State())

  /// Starts a process in a new process group; its standard input is empty unless `holdsInput`,
  /// and its home exists until it ends.
  package init(
    _ arguments: [String],
    environment: [String: String] = ChildProcess.minimalEnvironment,
    in folder: String = "/",
    of home: Home? = nil,
    holdsInput: Bool = false
  ) throws {
    (self.home, self.arguments) = (home, arguments)
    let input = try makePipe()
    let output = try makePipe()
    let errors = try makePipe()

    var actions = try SpawnActions(input: input.read, output: output.write, errors: errors.write, folder: folder)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A test runner may ignore or block signals that the child needs.
    var all = sigset_t()
    sigfillset(&all)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

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
    if !holdsInput { close(input.write) }
    stdin = holdsInput ? input.write : -1
    collect(output.read) { $0.stdout += $1 }
    collect(errors.read) { $0.stderr += $1 }
    Task { try await blocking { self.reap() } }
  }

  deinit {
    if stdin >= 0 { close(stdin) }
  }

  /// Runs a program that has to succeed, and returns its standard output.
  @discardableResult
  package static func output(
    of arguments: [String],
    environment: [String: String] = ChildProcess.minimalEnvironment,
    in folder: String = "/"
  ) async throws -> String {
    let child = try ChildProcess(arguments, environment: environment, in: folder)
    let ending = try await child.end()
    guard ending == .exited(0) else { throw TestFailure("\(arguments): \(ending)\n\(child.stderr)") }
    return child.stdout
  }

  package static let minimalEnvironment = ["PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"]

  /// The command that runs another one as a user.
  package static func becoming(_ user: UInt32, group: UInt32? = nil) -> [String] {
    ["setpriv", "--reuid", "\(user)", "--regid", "\(group ?? user)", "--clear-groups"]
  }

  /// Fails if a program isn't installed, for scripts that would wait for its effects.
  package static func require(_ programs: String...) throws {
    let directories = (minimalEnvironment["PATH"] ?? "").split(separator: ":")
    for program in programs where !directories.contains(where: { access("\($0)/\(program)", X_OK) == 0 }) {
      throw TestFailure("\(program) is not installed; Tests/run installs it")
    }
  }

  package var stdoutBytes: [UInt8] { state.withLock { $0.stdout } }
  package var stdout: String { state.withLock { String(decoding: $0.stdout, as: UTF8.self) } }
  package var stderr: String { state.withLock { String(decoding: $0.stderr, as: UTF8.self) } }
  /// How it ended, if it did.
  package var ending: Ending? { state.withLock { $0.ending } }
  /// Whether it has ended, and its output is complete.
  private var isComplete: Bool { state.withLock { $0.openStreams == 0 && $0.ending != nil } }

  /// Writes a text smaller than a pipe's buffer to its standard input, which must be held open.
  package func write(_ text: String) throws {
    let bytes = Array(text.utf8)
    guard Glibc.write(stdin, bytes, bytes.count) == bytes.count else {
      throw TestFailure("process \(pid) does not read: \(String(cString: strerror(errno)))")
    }
  }

  /// Closes the child's input; the descriptor stays in use, so that it isn't reused for another file.
  package func closeInput() {
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    dup2(null, stdin)
    _ = fcntl(stdin, F_SETFD, FD_CLOEXEC)
    close(null)
  }

  /// Sends a signal to the process only.
  package func signal(_ number: Int32) {
    state.withLock { if $0.ending == nil { _ = kill(pid, number) } }
  }

  /// Kills the process group.
  package func killGroup() {
    _ = kill(-pid, SIGKILL)
  }

  /// Waits until the process has ended with all its output; kills it at the deadline.
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

  /// Waits for the first line on standard output.
  package func firstLine() async throws -> String {
    try await eventually("a line on stdout of process \(pid)") {
      let isComplete = isComplete
      let lines = stdout.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      if lines.count > 1 { return String(lines[0]) }
      if isComplete { throw TestFailure("process \(pid) ended without a line on stdout: \(stderr)") }
      return nil
    }
  }

  /// The ID of a process that has ended.
  package static func endedPID() async throws -> pid_t {
    let child = try ChildProcess(["true"])
    _ = try await child.end()
    return child.pid
  }

  /// Waits for a line on standard error, or fails if the process ends without it.
  package func stderrLine<Found: Sendable>(
    _ what: String,
    by deadline: Deadline = .after(stepTimeout),
    _ find: (Substring) -> Found?
  ) async throws -> Found {
    try await eventually("\(what) on stderr", by: deadline) {
      // Checked first, so that no line is missed.
      let isComplete = isComplete
      let lines = stderr.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      if let found = lines.lazy.compactMap(find).first { return found }
      if isComplete || deadline.isOver {
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
    // Waits without reaping first, so that `signal` never reaches another process with the same ID.
    while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    state.withLock {
      var status: Int32 = 0
      while waitpid(pid, &status, 0) < 0, errno == EINTR {}
      $0.ending = status & 0x7f == 0 ? .exited((status >> 8) & 0xff) : .killed(status & 0x7f)
    }
  }
}

/// Passes an array of C strings that ends with a null pointer.
private func withCStrings<Result>(_ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
  let copies = texts.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  return body(copies + [nil])
}

/// Spawn actions, with two functions that the `Glibc` module doesn't export.
struct SpawnActions: ~Copyable {
  private typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
  private typealias ChangeFolder =
    @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>) -> Int32

  var raw = posix_spawn_file_actions_t()

  /// Sets the standard descriptors and the working directory, and closes all other descriptors.
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

/// Throws errno for a negative result.
@discardableResult
func check(_ result: Int32, _ call: String) throws -> Int32 {
  guard result >= 0 else { throw TestFailure("\(call): \(String(cString: strerror(errno)))") }
  return result
}

/// A pipe that child processes don't inherit.
func makePipe() throws -> (read: Int32, write: Int32) {
  var ends: [Int32] = [-1, -1]
  try check(pipe(&ends), "pipe")
  for end in ends { try check(fcntl(end, F_SETFD, FD_CLOEXEC), "fcntl") }
  return (ends[0], ends[1])
}

/// Reads the available bytes, waiting for the first; empty at the end of the file.
func readSome(_ descriptor: Int32) throws -> [UInt8] {
  var buffer = [UInt8](repeating: 0, count: 65536)
  while true {
    let count = read(descriptor, &buffer, buffer.count)
    if count < 0, errno == EINTR { continue }
    try check(Int32(count), "read")
    return Array(buffer.prefix(count))
  }
}
