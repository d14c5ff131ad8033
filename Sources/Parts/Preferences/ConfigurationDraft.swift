import FoundationEssentials
import Glibc
import MSAuth
package import MSAuthCore
import MSAuthDesktop
import MSAuthUnix

/// A changed configuration file before it is written; other members keep their bytes.
package struct ConfigurationDraft: Sendable {
  package struct Change: Sendable, Equatable {
    package let key: String
    package let old: JSONValue?
    package let new: JSONValue?
  }

  package let path: String
  package let isProfileNew: Bool
  /// In the order of the keys.
  package let changes: [Change]
  /// The path of the copy of the replaced file.
  package private(set) var copy: String?
  /// `nil` if there was no file.
  let original: [UInt8]?
  let document: [UInt8]

  package var isNew: Bool { original == nil }
  package var replaces: Bool { changes.contains { $0.old != nil } }

  /// The errors of the files that the new values name and that don't exist.
  package var missingFiles: [AuthenticationError] {
    changes.flatMap { change in
      let name = change.key.split(at: ".").last ?? ""
      let layer: Layer = change.new.map { [name: Sourced($0, .flag(change.key))] } ?? [:]
      return layer.missingFiles
    }
  }

  /// The path as given, else as the environment has it, else the standard one.
  static func chosenPath(_ path: String?) throws -> String {
    let environment = ProcessInfo.processInfo.environment
    return try path ?? Layer(environment: environment).string("config")?.value
      ?? ClientConfiguration.standardFile(environment: environment)
  }

  package init(entering registration: ClientRegistration, profile: String?, path: String?) throws {
    let path = try Self.chosenPath(path)
    // Throws if the file has mistakes.
    let file = try ConfigurationFile(path: path, isOptional: true)
    let layers = try file.layers(of: profile, above: .ofSystem())
    try self.init(path: path, profile: profile) { members in
      try registration.enter(into: &members, layer: layers.last ?? [:], base: layers.dropLast().merged)
    }
  }

  /// Sets or removes one key; a file that had mistakes before can be fixed key by key.
  package init(setting name: String, to words: [String]?, profile: String?, path: String?) throws {
    let path = try Self.chosenPath(path)
    var values = try Self.newValues(of: name, words)
    // The user can't fix the system file.
    let system = (try? ConfigurationFile.ofSystem()) ?? ConfigurationFile()
    try self.init(path: path, profile: profile) { members in
      // A type that only repeats what the old URL implied, as `issuer` enters it, is removed with that URL.
      if name.isIdentical(to: "authority"), let url = members["authority"]?.string,
        let implied = try? Authority(url).kind.rawValue, members["authority_type"]?.string == implied
      {
        values.append(("authority_type", nil))
      }
      if name.isIdentical(to: "profiles"), words == nil, let used = members["profile"]?.string,
        members["profiles"]?[used] != nil, system.profiles[used] == nil
      {
        values.append(("profile", nil))
      }
      for (name, value) in values {
        // An unknown key can be removed if the file has it.
        if value == nil, members[name] == nil, name != "profiles" {
          _ = try ConfigurationKey(name, isRemoved: true)
        }
        members[name] = value
      }
    }
    var file = ConfigurationFile(original ?? Array("{}".utf8), path: path)
    if let profile, isProfileNew, words == nil {
      throw Sourced(profile, .flag("--profile")).missingProfile(in: path, known: file.profiles.keys)
    }
    let known = file.allMistakes(above: system).map(\.message)
    for (name, value) in values { file.set(name, to: value, in: profile) }
    let mistakes = file.allMistakes(above: system, checksClientIDs: false)
    guard var error = mistakes.first(where: { !known.contains($0.message) }) else {
      // An authority may be set before its client ID.
      if words != nil, values.contains(where: { $0.name == "client_id" }) {
        try file.layers(of: profile, above: system).merged.checkClientIDAtAuthority()
      }
      return
    }
    if error.specificHint == nil, words != nil, let example = try? ConfigurationKey(name).example {
      error.hint = "for example: \(command: [example])"
    }
    throw error
  }

  /// Removes a profile, unless it is the default one.
  package init(removing profile: String, path: String?) throws {
    let path = try Self.chosenPath(path)
    try self.init(path: path, at: ["profiles"]) { $0[profile] = nil }
    let file = ConfigurationFile(original ?? Array("{}".utf8), path: path)
    let name = Sourced(profile, .flag("--profile"))
    if changes.isEmpty { throw name.missingProfile(in: path, known: file.profiles.keys) }
    guard let used = file.layer.string("profile"), used.value == profile else { return }
    let hint: Hint = "first run \(action: .removeKey("profile"), or: "remove it")"
    throw used.error("is the default profile", reason: "usage", hint: hint)
  }

  /// The new value of each member that the command changes; `nil` removes one.
  ///
  /// An issuer sets the authority and its type, and replaces what names another authority.
  private static func newValues(of name: String, _ words: [String]?) throws -> [(name: String, value: JSONValue?)] {
    let key = ConfigurationKey.canonical(name)
    guard key != name else {
      return [(name, try words.flatMap { try ConfigurationKey(name).value(of: $0) })]
    }
    guard let words else { return [(key, nil), ("authority_type", nil)] }
    let issuer = Sourced(try ConfigurationKey(key).value(of: words), .flag(name))
    let authority = try [key: issuer].chosenAuthority()
    return [
      ("tenant", nil), ("authorities", nil), (key, .string(authority.url)),
      ("authority_type", .string(authority.kind.rawValue)),
    ]
  }

  /// Changes the members of the file or of a profile.
  init(path: String, profile: String?, _ change: (inout JSONValue.Object) throws -> Void) throws {
    try self.init(path: path, at: profile.map { ["profiles", $0] } ?? [], change)
  }

  /// Changes the members of an object.
  private init(path: String, at parent: [String], _ change: (inout JSONValue.Object) throws -> Void) throws {
    original = try ConfigurationFile.document(path: path, isOptional: true)
    var document = original ?? Array("{}\n".utf8)
    do {
      var existing: JSONValue? = .object(try JSONValue.object(parsing: document))
      var location = FileLocation(file: path, document: document)
      for name in parent {
        (existing, location) = (existing?[name], location.member(name))
        if let existing, existing.object == nil { throw Source.file(location).error("must be an object") }
      }
      if existing == nil, let profile = parent.dropFirst().first, Sourced(profile).meansNoProfile {
        let hint: Hint = "omit it, or choose another name"
        throw Source.flag("--profile").error("can't be default, which means no profile", reason: "usage", hint: hint)
      }
      let before = existing?.object ?? JSONValue.Object()
      var after = before
      try change(&after)
      let prefix = parent.map { $0.printable(limit: 80) + "." }.joined()
      self.path = path
      isProfileNew = existing == nil
      changes = Set(before.keys + after.keys).sorted().compactMap { key in
        before[key] == after[key] ? nil : Change(key: prefix + key, old: before[key], new: after[key])
      }
      // New members first, so that existing ones keep their layout.
      for key in after.keys.sorted() + before.keys.sorted() where before[key] != after[key] {
        document = try JSONValue.setting(parent + [key], to: after[key], in: document)
      }
    } catch {
      guard let error = error as? JSONValue.ParseError else { throw error }
      throw ConfigurationFile.mistake(error, in: document, path: path)
    }
    self.document = document
  }
}

extension ConfigurationDraft {
  /// Throws if the file can't be written, before the user is prompted.
  package func checkWritable() throws {
    let directory = resolved(path).parentDirectory.nearestExisting
    // A directory removed just now will be created again.
    guard access(directory, W_OK | X_OK) == 0 || errno == ENOENT else {
      throw Self.notWritten(FileError(.system(errno), directory), of: path)
    }
  }

  /// Writes a draft, made again under the lock to keep what another msauth wrote in the meantime.
  ///
  /// Only the user can read a new file, or one with a client secret.
  package static func write(
    keepingCopy: Bool = false,
    _ makeDraft: @escaping @Sendable () throws -> ConfigurationDraft
  ) async throws -> ConfigurationDraft {
    // Waiting for the file's lock blocks the thread.
    try await BackgroundThread.run { try write(keepingCopy: keepingCopy, $0, makeDraft) }
  }

  static func write(
    within timeout: Duration = .seconds(30),
    keepingCopy: Bool = false,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    _ cancellation: Cancellation,
    _ makeDraft: () throws -> ConfigurationDraft
  ) throws -> ConfigurationDraft {
    // First without the lock: an invalid value must not create the directory.
    let first = try makeDraft()
    if first.changes.isEmpty { return first }
    do {
      try PrivateDirectory(of: first.path).create()
      // A symbolic link may point elsewhere.
      try PathTrust.check(first.path)
      let lock = try waitForLock(of: first.path, in: lockedDirectory(environment), within: timeout, cancellation)
      defer { if lock >= 0 { close(lock) } }
      var draft = try makeDraft()
      if !draft.changes.isEmpty { try draft.replace(keepingCopy: keepingCopy) }
      return draft
    } catch let error as FileError {
      throw notWritten(error, of: first.path)
    }
  }

  /// Runs work that changes another program's configuration, while no other msauth changes a configuration file.
  package static func locking<Result>(
    _ path: String,
    within timeout: Duration,
    _ body: () async throws -> Result
  ) async throws -> Result {
    let directory = lockedDirectory(ProcessInfo.processInfo.environment)
    let lock = try await BackgroundThread.run { cancellation throws(FileError) in
      try waitForLock(of: path, in: directory, within: timeout, cancellation)
    }
    defer { if lock >= 0 { close(lock) } }
    return try await body()
  }

  private static func lockedDirectory(_ environment: [String: String]) -> String? {
    try? XDGDirectories(environment: environment).cache
  }

  private static func notWritten(_ error: FileError, of path: String) -> AuthenticationError {
    let directory = (error.path.utf8.starts(with: path.utf8) ? path.parentDirectory : error.path).nearestExisting
    let hint = error.hint ?? "check who may write there: \(command: ["ls", "-ld", directory.pathArgument])"
    let advice = error.reason == .inUse ? "run the command again" : hint
    return AuthenticationError(in: error.path, "\(error.what); nothing was written", hint: advice)
  }

  private mutating func replace(keepingCopy: Bool) throws {
    // Editors don't lock the file.
    guard try ConfigurationFile.document(path: path, isOptional: true) == original else {
      let hint: Hint = "run the command again; nothing was written"
      throw AuthenticationError(in: path, "has changed in the meantime", hint: hint)
    }
    let backup = replaces && keepingCopy ? try keepCopy(of: path) : nil
    do throws(FileError) {
      try replaceFile(at: path, with: document, keepsPermissions: !hasSecret)
    } catch {
      if let backup, backup.isNew { unlink(backup.path) }
      throw error
    }
    copy = backup?.path
  }

  private var hasSecret: Bool {
    guard let file = try? JSONValue.object(parsing: document) else { return true }
    let profiles = file["profiles"]?.object?.sorted.compactMap(\.value.object) ?? []
    return ([file] + profiles).contains { $0["client_secret"] != nil }
  }
}
