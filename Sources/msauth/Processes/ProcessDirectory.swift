import FoundationEssentials
import Glibc
import MSAuth
import MSAuthDesktop
import MSAuthUnix

/// A file below the login session's directory that is removed when its process ends.
///
/// Its own directory is locked (flock(2)) while the process runs; the next process removes unlocked directories.
struct SessionFile: Sendable {
  let path: String
  /// The directory, open and locked; all processes that inherit the descriptor share the lock.
  let lock: Int32

  private static let fileName = "token"

  /// Creates a directory for a new file, and removes those of processes that have ended.
  init(in parent: String) throws(FileError) {
    try PrivateDirectory(parent).createExclusive()
    _ = Self.running(in: parent)
    while true {
      guard let template = strdup(parent + "/XXXXXX") else { throw .system(parent) }
      defer { free(template) }
      guard mkdtemp(template) != nil else { throw .system(parent) }
      let directory = String(cString: template)
      let descriptor = lockDirectory(directory)
      guard descriptor >= 0 else {
        // Another process found it unlocked, and is removing it.
        if errno == EWOULDBLOCK || errno == ENOENT { continue }
        throw .system(directory)
      }
      self.init(directory: directory, lock: descriptor)
      return
    }
  }

  /// The login session's directory, or why there is none.
  static var sessionDirectory: (path: String?, flaw: String) {
    let directories = try? XDGDirectories(environment: ProcessInfo.processInfo.environment)
    return RuntimeDirectory.usable(directories?.runtime)
  }

  /// Creates a directory for a command's file in the login session's directory.
  init(for command: String, hint: Hint) throws {
    let (directory, flaw) = Self.sessionDirectory
    guard let directory else {
      let message = "the session has no private directory for \(command): \(flaw)"
      throw AuthenticationError(.invalidConfiguration, message, reason: "session_directory_missing", hint: hint)
    }
    try self.init(in: "\(directory)/msauth/\(command)")
  }

  /// The files of running processes; removes the directories of those that have ended.
  static func running(in parent: String) -> [SessionFile] {
    ((try? entries(of: parent)) ?? []).compactMap { name in
      guard let name = String(validating: name, as: UTF8.self) else { return nil }
      let directory = "\(parent)/\(name)"
      let lock = lockDirectory(directory)
      guard lock >= 0 || errno == EWOULDBLOCK else { return nil }
      let file = SessionFile(directory: directory, lock: lock)
      if lock < 0 { return file }
      file.remove()
      close(lock)
      return nil
    }
  }

  /// The file of the process that started this one; descriptor 3 is its locked directory.
  static var inherited: SessionFile? {
    guard Execution.isCompanion else { return nil }
    var status = stat()
    let directory = resolved("/proc/self/fd/\(inheritedLock)")
    guard fstat(inheritedLock, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
      isOpenFile(inheritedLock, at: directory) == true
    else { return nil }
    _ = fcntl(inheritedLock, F_SETFD, FD_CLOEXEC)
    return SessionFile(directory: directory, lock: inheritedLock)
  }

  private static let inheritedLock: Int32 = 3

  private init(directory: String, lock: Int32) {
    path = directory + "/" + Self.fileName
    self.lock = lock
  }

  /// Writes the file; a reader sees the old content or the new.
  func write(_ bytes: [UInt8]) throws(FileError) { try replaceFile(at: path, with: bytes) }

  /// The file's directory, for this user alone.
  var directory: String { path.parentDirectory }

  /// Adds links to this program beside the file.
  func addLinks() throws {
    let program = try Execution.program
    for name in ToolAlias.tools where symlink(program, directory + "/" + name) != 0 {
      throw FileError.system(directory + "/" + name)
    }
  }

  /// Removes the file and its directory.
  func remove() {
    // An interrupted write leaves a temporary file.
    for path in [path] + ((try? companions(of: path)) ?? []).map(\.path) { unlink(path) }
    for name in ToolAlias.tools { unlink(directory + "/" + name) }
    rmdir(directory)
  }
}
