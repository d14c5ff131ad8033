import FoundationEssentials
import Glibc
import MSAuth
import MSAuthPreferences
import MSAuthUnix

// The configuration files of other programs.
extension ForeignProgram {
  /// Large, since Claude Code's file also has the user's history.
  static let sizeLimit = 16 << 20

  /// How long to wait for another msauth that changes the same configuration.
  private static let lockTimeout: Duration = .seconds(30)

  private static func isLink(_ path: String) -> Bool {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
  }

  /// Runs work that reads and changes a program's configuration, one msauth at a time.
  static func locking<Result>(_ path: String, _ change: () async throws -> Result) async throws -> Result {
    do {
      return try await ConfigurationDraft.locking(path, within: lockTimeout, change)
    } catch let error as FileError {
      let isDenied = [.system(EACCES), .system(EPERM)].contains(error.reason)
      let command = ["ls", "-ld", error.path.parentDirectory.pathArgument]
      let hint: Hint? = isDenied ? "check who may write there: \(command: command)" : nil
      throw configurationError("the program's configuration can't be changed: \(error)").with(hint: error.hint ?? hint)
    }
  }

  /// Makes a change with a program's own commands, and keeps copies of the files that they change.
  static func keepingCopies(
    of paths: [String],
    _ program: String,
    hint: Hint?,
    _ change: () async throws -> Void
  ) async throws {
    var copies: [(path: String, copy: (path: String, isNew: Bool))] = []
    defer {
      for (path, copy) in copies {
        if FileManager.default.contents(atPath: path) != FileManager.default.contents(atPath: copy.path) {
          Console.notice(previousFile: copy.path)
        } else if copy.isNew {
          unlink(copy.path)
        }
      }
    }
    for path in paths where access(path, F_OK) == 0 {
      do { copies.append((path, try keepCopy(of: path))) } catch {
        throw configurationError("\(program)'s configuration can't be copied: \(error)").with(hint: hint)
      }
    }
    try await change()
  }

  /// Changes a program's file and keeps a copy of the previous one; returns whether it changed.
  ///
  /// `edit` gets `nil` if there is no file, and returns `nil` for no change. A file that becomes empty is removed without a
  /// copy, unless a symbolic link leads to it.
  static func changeFile(
    at path: String,
    part: String,
    removing: Bool,
    _ edit: (_ old: [UInt8]?) throws -> [UInt8]?
  ) async throws -> Bool {
    // Without the lock, two calls at once would lose one of the changes.
    let (isChanged, backup): (Bool, String?) = try await locking(path) {
      if !removing { try PrivateDirectory(of: path).create() }
      let old = access(path, F_OK) == 0 ? try readTrustedFile(at: path, limit: sizeLimit) : nil
      guard let new = try edit(old) else { return (false, nil) }
      if removing, new.isEmpty, !isLink(path) {
        guard unlink(path) == 0 else { throw FileError.system(path) }
        return (true, nil)
      }
      let backup = old == nil ? nil : try keepCopy(of: path).path
      try replaceFile(at: path, with: new, keepsPermissions: true)
      return (true, backup)
    }
    if isChanged {
      Console.notice("\(removing ? "removed \(part) from" : "added \(part) to") \(path.printable())")
    } else {
      Console.notice("\(path.printable()) \(removing ? "doesn't have" : "already has") \(part); nothing was written")
    }
    if let backup { Console.notice(previousFile: backup) }
    return isChanged
  }

  /// Sets an entry of a program's JSON file, or removes it; `update` returns the new entry for the present one, and throws
  /// if that isn't msauth's.
  static func setEntry(
    _ entryPath: [String],
    in path: String,
    part: String,
    removing: Bool,
    hint: Hint? = nil,
    _ update: (_ present: JSONValue?) throws -> JSONValue
  ) async throws -> Bool {
    try await changeFile(at: path, part: part, removing: removing) { old in
      let document = (old ?? []).emptyObjectIfBlank
      do {
        let object = try JSONValue(parsing: document, options: .strict(maximumSize: sizeLimit))
        let present = entryPath.reduce(object) { $0?[$1] }
        let updated = try update(present)
        let value = removing ? nil : updated
        if present == value { return nil }
        if removing, let present, !isLink(path) {
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
        throw configurationError("\(path.printable()) isn't a JSON object that can be changed: \(cause)")
          .with(hint: (removing ? nil : hint) ?? "correct that file, or move it away")
      }
    }
  }
}
