package import Core
import FoundationEssentials
import Glibc
import MSAuth
package import Unix

/// A configuration file with a change made to it, before it is written.
///
/// What this version does not know, and what need not change, stays as it was, byte by byte.
package struct ConfigurationDraft: Sendable {
  /// A key whose value changes.
  package struct Change: Sendable, Equatable {
    /// The key, such as `profiles.work.client_id`.
    package let key: String
    /// The value before; nil where there was none.
    package let old: JSON?
    /// The value from now on; nil where it is taken out.
    package let new: JSON?
  }

  /// The file.
  package let path: String
  /// Whether there is no such file yet.
  package let isNew: Bool
  /// Whether the profile is not in the file yet.
  package let isProfileNew: Bool
  /// What changes, in the order of the keys.
  package let changes: [Change]
  /// The content as it was read; nil where there was no file.
  let original: [UInt8]?
  /// The content from now on.
  let document: [UInt8]

  /// How long to wait for another msauth that writes, which takes a fraction of a second.
  package static let lockTimeout: Duration = .seconds(30)

  /// Whether the change takes something away that the file says now.
  package var replaces: Bool { changes.contains { $0.old != nil } }

  /// Reads the file, if there is one, and enters the registration.
  package init(
    entering registration: ClientRegistration,
    profile: String?,
    path: String?,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    let path = try Self.path(path, environment: environment)
    // It must be right as a whole: a wrong file is not made worse.
    let file = try ConfigurationFile(path: path, isOptional: true)
    try self.init(path: path, profile: profile) { members in
      let own = profile.map { file.profiles[$0] ?? Layer() } ?? file.layer
      return try registration.entered(into: members, own: own, base: profile == nil ? Layer() : file.layer)
    }
  }

  /// The file that is meant.
  static func path(_ path: String?, environment: [String: String]) throws -> String {
    try path ?? Layer(environment: environment).config?.value
      ?? ClientConfiguration.standardFile(environment: environment)
  }

  /// Reads the file and changes its members, or those of a profile.
  init(path: String, profile: String?, _ change: (JSON.Object) throws -> JSON.Object) throws {
    original = try ConfigurationFile.document(path: path, isOptional: true)
    var document = original ?? Array("{}\n".utf8)
    do {
      let whole = try JSON.object(parsing: document)
      let place = profile.map { ["profiles", $0] } ?? []
      let known = profile.map { whole["profiles"]?[$0] } ?? .object(whole)
      let before = known?.object ?? JSON.Object()
      let after = try change(before)
      let prefix = place.map { $0.printable(limit: 80) + "." }.joined()
      self.path = path
      isNew = original == nil
      isProfileNew = known == nil
      changes = Set(before.keys + after.keys).sorted().compactMap { key in
        before[key] == after[key] ? nil : Change(key: prefix + key, old: before[key], new: after[key])
      }
      // In the order of their names; first what is new, so that nothing is laid out anew that was there.
      for key in after.keys.sorted() + before.keys.sorted() where before[key] != after[key] {
        document = try JSON.setting(place + [key], to: after[key], in: document)
      }
    } catch {
      guard let error = error as? JSON.ParseError else { throw error }
      throw ConfigurationFile.wrong(path, "cannot be changed: \(error)")
    }
    self.document = document
  }

  /// Makes sure that the file could be written, before anybody is asked anything.
  package func checkWritable() throws {
    // A file behind a symbolic link is written where it lies.
    let directory = resolved(path).parentDirectory.nearestExisting
    // One that is gone by now is made.
    guard access(directory, W_OK | X_OK) == 0 || errno == ENOENT else {
      throw Self.unwritten(FileError(.system(errno), directory), of: path)
    }
  }

  private static func unwritten(_ error: FileError, of path: String) -> AuthenticationError {
    // The file, or the copy of it.
    let directory = error.path.utf8.starts(with: path.utf8) ? path.parentDirectory : error.path
    let hint = error.hint ?? "check who may write there: ls -ld \(directory)"
    let isTaken = error.reason == .inUse
    return ConfigurationFile.wrong(
      error.path,
      "\(error.what); nothing was written",
      hint: isTaken ? "run the command again" : hint
    )
  }

  /// Writes the file in one step; the directory is made if there is none.
  ///
  /// Its group, mode and access list stay as they are, but a new file, and one with a client secret, is this user's alone.
  @discardableResult
  package func write(keepingCopy: Bool, _ cancellation: Cancellation = Cancellation()) throws -> String? {
    try Self.whileLocked(path, within: Self.lockTimeout, cancellation) { try replace(keepingCopy: keepingCopy) }
  }

  /// Makes the file's directory, and keeps every other msauth from writing the file meanwhile.
  static func whileLocked<Result>(
    _ path: String,
    within timeout: Duration,
    _ cancellation: Cancellation,
    _ body: () throws -> Result
  ) throws -> Result {
    do {
      try PrivateDirectory(of: path).create()
      // A symbolic link may lead elsewhere.
      try PathTrust(path: path).check()
      return try Unix.whileLocked(path, within: timeout, cancellation, body)
    } catch let error as FileError {
      throw unwritten(error, of: path)
    }
  }

  /// Writes the file, which is locked.
  func replace(keepingCopy: Bool) throws -> String? {
    // An editor takes no lock.
    guard try ConfigurationFile.document(path: path, isOptional: true) == original else {
      let hint: Hint = "run the command again; nothing was written"
      throw ConfigurationFile.wrong(path, "has been changed meanwhile", hint: hint)
    }
    let backup = replaces && keepingCopy ? try Unix.keepCopy(of: path) : nil
    do throws(FileError) {
      try replaceFile(at: path, with: document, keepsPermissions: !hasSecret)
    } catch {
      if let backup, backup.isNew { unlink(backup.path) }
      throw error
    }
    return backup?.path
  }

  private var hasSecret: Bool {
    guard let file = try? JSON.object(parsing: document) else { return true }
    let profiles = file["profiles"]?.object?.sorted.compactMap(\.value.object) ?? []
    return ([file] + profiles).contains { $0["client_secret"] != nil }
  }
}
