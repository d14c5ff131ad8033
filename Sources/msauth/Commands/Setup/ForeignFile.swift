import FoundationEssentials
import Glibc
import MSAuth
import MSAuthDesktop
import MSAuthPreferences
import MSAuthUnix

/// Another program's configuration file.
struct ForeignFile {
  let path: String

  /// Large, since Claude Code's file also has the user's history.
  static let sizeLimit = 16 << 20

  /// How long to wait for another msauth that changes the same file.
  private static let lockTimeout: Duration = .seconds(30)

  static var home: String {
    get throws(AuthenticationError) {
      if let home = XDGDirectories.home(in: ProcessInfo.processInfo.environment) { return home }
      throw ForeignProgram.configurationError("there is no home directory").with(hint: "set HOME")
    }
  }

  /// Such as `~/.config`.
  static var configurationDirectory: String {
    get throws(AuthenticationError) { try ClientConfiguration.standardFile().parentDirectory.parentDirectory }
  }

  private var isLink: Bool { (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil }

  /// `nil` if there is no file.
  func content() throws(FileError) -> [UInt8]? {
    access(path, F_OK) == 0 ? try readTrustedFile(at: path, limit: Self.sizeLimit) : nil
  }

  /// Runs work that reads and changes the file, one msauth at a time.
  func locking<Result>(_ change: () async throws -> Result) async throws -> Result {
    do {
      return try await ConfigurationDraft.locking(path, within: Self.lockTimeout, change)
    } catch let error as FileError {
      let isDenied = [.system(EACCES), .system(EPERM)].contains(error.reason)
      let command = ["ls", "-ld", error.path.parentDirectory.pathArgument]
      let hint: Hint? = isDenied ? "check who may write there: \(command: command)" : nil
      throw ForeignProgram.configurationError("the program's configuration can't be changed: \(error)")
        .with(hint: error.hint ?? hint)
    }
  }

  /// Changes the file and keeps a copy of the previous one; returns whether it changed.
  ///
  /// `edit` gets `nil` if there is no file, and returns `nil` for no change. A file that becomes empty is removed
  /// without a copy, unless a symbolic link leads to it.
  func change(part: String, removing: Bool, _ edit: (_ old: [UInt8]?) throws -> [UInt8]?) async throws -> Bool {
    // Without the lock, two calls at once would lose one of the changes.
    let (isChanged, copy): (Bool, String?) = try await locking {
      if !removing { try PrivateDirectory(of: path).create() }
      let old = try content()
      guard let new = try edit(old) else { return (false, nil) }
      if removing, new.isEmpty, !isLink {
        guard unlink(path) == 0 else { throw FileError.system(path) }
        return (true, nil)
      }
      let copy = old == nil ? nil : try keepCopy(of: path).path
      try replaceFile(at: path, with: new, keepsPermissions: true)
      return (true, copy)
    }
    if isChanged {
      Console.notice("\(removing ? "removed \(part) from" : "added \(part) to") \(path.printable())")
    } else {
      Console.notice("\(path.printable()) \(removing ? "doesn't have" : "already has") \(part); nothing was written")
    }
    if let copy { Console.notice(previousFile: copy) }
    return isChanged
  }

  /// Sets an entry of a JSON file, or removes it; `update` throws if the present one isn't msauth's.
  func setEntry(
    _ entryPath: [String],
    part: String,
    removing: Bool,
    hint: Hint? = nil,
    _ update: (_ present: JSONValue?) throws -> JSONValue
  ) async throws -> Bool {
    try await change(part: part, removing: removing) { old in
      let document = (old ?? []).emptyObjectIfBlank
      do {
        let object = try JSONValue(parsing: document, options: .strict(maximumSize: Self.sizeLimit))
        let present = entryPath.reduce(object) { $0?[$1] }
        let updated = try update(present)
        let value = removing ? nil : updated
        if present == value { return nil }
        if removing, let present, !isLink {
          let isAlone = entryPath.reversed().reduce(present) { .object([$1: $0]) } == object
          if isAlone { return [] }
        }
        return try JSONValue.setting(entryPath, to: value, in: document)
      } catch let error as JSONValue.ParseError {
        let rest = document.dropFirst(error.offset)
        // VS Code's files may have comments.
        let isComment = ["//", "/*"].contains { rest.starts(with: $0.utf8) }
        let cause =
          isComment ? "it has a comment at \(error.location(in: document))" : error.description(in: document)
        throw ForeignProgram.configurationError("\(path.printable()) isn't a JSON object that can be changed: \(cause)")
          .with(hint: (removing ? nil : hint) ?? "correct that file, or move it away")
      }
    }
  }
}
