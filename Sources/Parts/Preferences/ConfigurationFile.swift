import FoundationEssentials
import Glibc
package import MSAuth
import MSAuthCore
import MSAuthUnix

/// `config.json`: the keys of MSAL's `auth_config.json`, msauth's own, and profiles of the same keys.
package struct ConfigurationFile {
  private(set) var layer: Layer = [:]
  private(set) var profiles: [String: Layer] = [:]
  /// Mistakes of form, keys and values.
  private(set) var mistakes: [AuthenticationError] = []
  private var reportedMessages: Set<String> = []
  private var path = ""

  init() {}

  /// The system file: the administrator's configuration for all users.
  static func ofSystem() throws -> ConfigurationFile {
    let path = FileLocation.systemFile
    let file = try ConfigurationFile(path: path, isOptional: true)
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IROTH != 0 else { return file }
    for layer in [file.layer] + file.profiles.values {
      guard let secret = layer["client_secret"] else { continue }
      let hint: Hint = "remove it, or run \(command: ["chmod", "o-r", path.pathArgument])"
      throw secret.source.error("can be read by every user", hint: hint)
    }
    return file
  }

  init(path: String, isOptional: Bool) throws {
    try self.init(Self.document(path: path, isOptional: isOptional) ?? Array("{}".utf8), path: path)
    if let mistake = mistakes.first { throw mistake }
  }

  init(_ document: [UInt8], path: String) {
    self.path = path
    do throws(JSONValue.ParseError) {
      var members = try JSONValue.object(parsing: document)
      let location = FileLocation(file: path, document: document)
      if let profiles = members.removeValue(forKey: "profiles") { read(profiles, at: location.member("profiles")) }
      layer = layer(members.sorted, at: location)
    } catch {
      mistakes.append(Self.mistake(error, in: document, path: path))
    }
  }

  /// Sets or removes a key, as the command line does: a mistake in the value isn't one of the file.
  mutating func set(_ name: String, to value: JSONValue?, in profile: String?) {
    var layer = profile.map { profiles[$0] ?? [:] } ?? layer
    layer[name] = nil
    if let value { add(name, value, from: .flag(name.printable(limit: 80)), to: &layer) }
    if let profile { profiles[profile] = layer } else { self.layer = layer }
  }

  static func document(path: String, isOptional: Bool) throws -> [UInt8]? {
    do throws(FileError) {
      // The file decides which browser command runs and which provider is trusted.
      return try readTrustedFile(at: path, limit: 1 << 20).emptyObjectIfBlank
    } catch {
      let isMissing = error.reason == .missing
      if isMissing, isOptional { return nil }
      if error.reason == .system(EACCES) {
        let hint: Hint =
          path == FileLocation.systemFile
          ? "ask the administrator to let your group read it, as with \(command: ["chgrp", "GROUP", path])"
          : "check who may read it: \(command: ["ls", "-ld", path.parentDirectory.pathArgument, path.pathArgument])"
        throw AuthenticationError(in: path, error.what, hint: hint)
      }
      let what = error.path == path ? error.what : "isn't trusted, because \(error)"
      let hint = isMissing ? "\(action: .createConfiguration, or: "create it, or name another")" : error.hint
      throw AuthenticationError(in: path, what, hint: hint)
    }
  }

  static func mistake(_ error: JSONValue.ParseError, in document: [UInt8], path: String) -> AuthenticationError {
    let (location, what) = error.mistake(in: document, of: path)
    let hint: Hint? =
      switch error.reason {
      case .notAnObject: nil
      // Other parsers use the last of two members with one name.
      case .duplicateName: "remove one of the two"
      case _ where error.isTrailingComma(in: document):
        "remove the last comma: JSON doesn't allow one before } or ]"
      default: "check it with: \(command: ["python3", "-m", "json.tool", path.pathArgument])"
      }
    return AuthenticationError(in: location, what, hint: hint)
  }

  private mutating func read(_ profiles: JSONValue, at location: FileLocation) {
    for (name, value) in members(of: profiles, at: location) ?? [] {
      let location = location.member(name)
      if let members = members(of: value, at: location) { self.profiles[name] = layer(members, at: location) }
    }
  }

  /// In the order of their names, so that the same mistake is always reported first.
  private mutating func members(of value: JSONValue, at location: FileLocation) -> [JSONValue.Object.Element]? {
    if value.object == nil { mistakes.append(Source.file(location).error("must be an object")) }
    return value.object?.sorted
  }

  private mutating func layer(_ members: [JSONValue.Object.Element], at location: FileLocation) -> Layer {
    var layer: Layer = [:]
    for (name, value) in members { add(name, value, from: .file(location.member(name)), to: &layer) }
    return layer
  }

  private mutating func add(_ name: String, _ value: JSONValue, from source: Source, to layer: inout Layer) {
    let given = Sourced(value, source)
    note {
      var settings = Settings.unset
      try ConfigurationKey.named(name, source).enter(&settings, given)
      layer[name] = given
    }
  }

  /// Adds the mistake that the check throws.
  private mutating func note(_ check: () throws -> Void) {
    do {
      try check()
    } catch {
      let error = AuthenticationError(wrapping: error)
      // Every profile repeats the mistakes outside the profiles.
      if reportedMessages.insert(error.message).inserted { mistakes.append(error) }
    }
  }

  /// The mistakes of the system file and of the user's file; `files` are those that exist.
  package static func check(
    at path: String?
  ) throws -> (path: String, files: [String], mistakes: [AuthenticationError]) {
    let path = try ConfigurationDraft.chosenPath(path)
    let systemDocument = try document(path: FileLocation.systemFile, isOptional: true)
    let system = systemDocument.map { ConfigurationFile($0, path: FileLocation.systemFile) } ?? ConfigurationFile()
    var mistakes = system.allMistakes()
    if mistakes.isEmpty { do { _ = try ofSystem() } catch let error as AuthenticationError { mistakes = [error] } }
    mistakes += system.missingFiles
    let systemFiles = systemDocument == nil ? [] : [FileLocation.systemFile]
    guard let document = try document(path: path, isOptional: systemDocument != nil) else {
      return (path, systemFiles, mistakes)
    }
    let known = mistakes.map(\.message)
    let file = ConfigurationFile(document, path: path)
    let own = file.allMistakes(above: system, in: Array(system.profiles.keys)) + file.missingFiles
    return (path, systemFiles + [path], mistakes + own.filter { !known.contains($0.message) })
  }

  private var missingFiles: [AuthenticationError] {
    let profiles = profiles.sorted { $0.key < $1.key }.map(\.value)
    return ([layer] + profiles).flatMap(\.missingFiles)
  }

  /// All mistakes, also of settings combined with the system file's: without a profile, and with each profile of this file
  /// and of `others`.
  func allMistakes(
    above system: ConfigurationFile = ConfigurationFile(),
    in others: [String] = [],
    checksClientIDs: Bool = true
  ) -> [AuthenticationError] {
    var file = self
    let known = [self, system].flatMap(\.profiles.keys)
    if let name = layer.string("profile"), !known.contains(name.value), !name.meansNoProfile {
      file.note { throw name.missingProfile(in: path, known: known) }
    }
    let names = Set(profiles.keys).union(others).sorted()
    let layers = ([nil] + names).map { self.layers(of: $0, above: system) }
    for layer in layers.dropFirst().compactMap(\.last) {
      file.note { if let nested = layer["profile"] { throw nested.source.error("has no effect in a profile") } }
    }
    for layers in layers {
      let merged = layers.merged
      file.note { try layers.last?.checkSingleAuthority() }
      file.note {
        try merged.checkClientID()
        if checksClientIDs { try merged.checkClientIDAtAuthority() }
      }
      file.note { try merged.checkRedirectURI() }
      file.note { _ = try merged.chosenAuthority() }
      file.note { _ = try merged.chosenStore() }
    }
    return file.mistakes
  }
}

extension JSONValue.ParseError {
  /// Whether the cause is a comma before a closing bracket.
  fileprivate func isTrailingComma(in document: [UInt8]) -> Bool {
    let (before, after) = (document.prefix(offset), document.dropFirst(offset))
    return before.last { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: ",") && "}]".utf8.contains(after.first ?? 0)
  }
}
