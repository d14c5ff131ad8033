import FoundationEssentials
import Glibc
import MSAuth
import MSAuthDesktop
import MSAuthUnix

/// A process's directory in the login session's, which only this user can read; it is removed when the process ends.
///
/// It is locked (flock(2)) while the process runs; the next process removes unlocked directories.
struct ProcessDirectory: Sendable {
  enum Command: String {
    case exec, serve

    /// The names of the files that the command keeps in its directory.
    fileprivate var files: [String] {
      switch self {
      case .exec: [ProcessDirectory.tokenFileName] + StandIn.tools
      case .serve: [ProcessDirectory.stateFileName]
      }
    }
  }

  static let (tokenFileName, stateFileName) = ("token", "state")

  let path: String
  private let command: Command
  /// The open and locked directory; all processes that inherit the descriptor share the lock.
  let lock: Int32

  /// Creates a directory for a process that runs this command, and removes those of processes that have ended.
  init(for command: Command, hint: Hint) throws {
    let (runtime, flaw) = Self.runtimeDirectory
    guard let runtime else {
      let message = "the session has no private directory for \(command.rawValue): \(flaw)"
      throw AuthenticationError(.invalidConfiguration, message, reason: "session_directory_missing", hint: hint)
    }
    try self.init(for: command, in: Self.parent(for: command, in: runtime))
  }

  private init(for command: Command, in parent: String) throws(FileError) {
    try PrivateDirectory(parent).createExclusive()
    Self.removeStale(command)
    while true {
      guard let template = strdup(parent + "/XXXXXX") else { throw .system(parent) }
      defer { free(template) }
      guard mkdtemp(template) != nil else { throw .system(parent) }
      let path = String(cString: template)
      let descriptor = lockDirectory(path)
      guard descriptor >= 0 else {
        // Another process found it unlocked, and is removing it.
        if errno == EWOULDBLOCK || errno == ENOENT { continue }
        throw .system(path)
      }
      self.init(path: path, command: command, lock: descriptor)
      return
    }
  }

  private init(path: String, command: Command, lock: Int32) {
    (self.path, self.command, self.lock) = (path, command, lock)
  }

  /// The login session's directory, or why there is none.
  static var runtimeDirectory: (path: String?, flaw: String) {
    let directories = try? XDGDirectories(environment: ProcessInfo.processInfo.environment)
    return RuntimeDirectory.usable(directories?.runtime)
  }

  private static func parent(for command: Command, in runtime: String) -> String {
    "\(runtime)/msauth/\(command.rawValue)"
  }

  /// Removes the directories of processes that have ended, and returns the paths of the others.
  @discardableResult
  static func removeStale(_ command: Command) -> [String] {
    guard let runtime = runtimeDirectory.path else { return [] }
    let parent = parent(for: command, in: runtime)
    return ((try? entries(of: parent)) ?? []).compactMap { name in
      guard let name = String(validating: name, as: UTF8.self) else { return nil }
      let path = "\(parent)/\(name)"
      let lock = lockDirectory(path)
      guard lock >= 0 else { return errno == EWOULDBLOCK ? path : nil }
      ProcessDirectory(path: path, command: command, lock: lock).remove()
      close(lock)
      return nil
    }
  }

  /// The directory of the process that started this one; descriptor 3 is open and locked.
  static func inherited(for command: Command) -> ProcessDirectory? {
    guard ProcessLauncher.isCompanion, let runtime = runtimeDirectory.path else { return nil }
    let path = resolved("/proc/self/fd/\(inheritedLock)")
    guard path.parentDirectory.isIdentical(to: resolved(parent(for: command, in: runtime))),
      isOpenFile(inheritedLock, at: path) == true
    else { return nil }
    _ = fcntl(inheritedLock, F_SETFD, FD_CLOEXEC)
    return ProcessDirectory(path: path, command: command, lock: inheritedLock)
  }

  private static let inheritedLock: Int32 = 3

  func remove() { Self.remove(path, of: command) }

  /// Removes the command's files, and the directory unless a program has put something else there.
  static func remove(_ path: String, of command: Command) {
    for file in command.files.map({ "\(path)/\($0)" }) {
      unlink(file)
      // An interrupted write leaves a draft.
      Draft.removeStale(beside: file)
    }
    rmdir(path)
  }
}
