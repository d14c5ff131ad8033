import Core
import FoundationEssentials
import MSAuth
import Unix

/// `config.json`: the keys of MSAL's `auth_config.json`, msauth's own, and profiles of the same keys.
struct ConfigurationFile {
  /// Far more than any configuration needs.
  private static let maximumSize = 1 << 20

  /// Takes a mistake: ends the reading by throwing it, or notes it and goes on.
  typealias Report = (AuthenticationError) throws -> Void

  /// A key whose value is about to be written, so that a mistake in it is blamed on who gives it.
  struct Edit {
    var profile: String?
    var key: String
  }

  var layer = Layer()
  var profiles: [String: Layer] = [:]

  /// Reads a file.
  init(path: String, isOptional: Bool) throws {
    guard let document = try Self.document(path: path, isOptional: isOptional) else {
      self.init()
      return
    }
    try self.init(document, path: path) { throw $0 }
  }

  private init() {}

  /// Decodes a file's content.
  init(
    _ document: [UInt8],
    path: String,
    edit: Edit? = nil,
    namesLines: Bool = true,
    report: Report
  ) throws {
    guard var members = try Self.members(of: document, path: path, report: report) else { return }
    let file = FilePlace([], in: path, namesLines ? document : [])
    if let profiles = members.removeValue(forKey: "profiles") {
      let place = file.member("profiles")
      if profiles.object == nil { try report(place.wrong("has \"profiles\" that is not an object")) }
      for (name, value) in profiles.object?.sorted ?? [] {
        let place = place.member(name)
        if let members = value.object {
          let key = edit?.profile.map { $0.isIdentical(to: name) } == true ? edit?.key : nil
          self.profiles[name] = try Self.layer(members, at: place, edited: key, report: report)
        } else {
          try report(place.wrong("has \"\(place.key)\" that is not an object"))
        }
      }
    }
    layer = try Self.layer(members, at: file, edited: edit?.profile == nil ? edit?.key : nil, report: report)
  }

  /// Reads a file's content.
  static func document(path: String, isOptional: Bool) throws -> [UInt8]? {
    do throws(FileError) {
      // The file names the browser's command and the provider: anybody who can replace it decides what runs here.
      return try readTrustedFile(at: path, limit: Self.maximumSize)
    } catch {
      if error.reason == .missing, isOptional { return nil }
      let what = error.path == path ? error.what : "is not trusted, because \(error)"
      let isMissing = error.reason == .missing
      let hint = isMissing ? "msauth init writes one; --config or MSAUTH_CONFIG names another" : error.hint
      throw Self.wrong(path, what, hint: hint)
    }
  }

  private static func members(of document: [UInt8], path: String, report: Report) throws -> JSON.Object? {
    do throws(JSON.ParseError) {
      return try JSON.object(parsing: document)
    } catch {
      guard error.reason != .notAnObject else {
        try report(Self.wrong(path, "is not a JSON object"))
        return nil
      }
      let line = JSON.line(of: error.offset, in: document)
      // Other readers take the last of two members of one name.
      let isDuplicate = if case .duplicateName = error.reason { true } else { false }
      let hint = Hint(isDuplicate ? "remove one of the two" : "check it with: python3 -m json.tool \(path.printable())")
      try report(
        AuthenticationError(
          .invalidConfiguration,
          "\(path.printable()):\(line) is not JSON: \(error)",
          reason: "configuration_file",
          hint: hint
        )
      )
      return nil
    }
  }

  private static func layer(
    _ members: JSON.Object,
    at place: FilePlace,
    edited: String?,
    report: Report
  ) throws -> Layer {
    var layer = Layer()
    // In the order of their names, so that of two mistakes always the same one is reported.
    for (name, value) in members.sorted {
      let isEdited = edited.map { $0.isIdentical(to: name) } == true
      let source = isEdited ? Source.flag(name.printable(limit: 80)) : .file(place.member(name))
      do {
        try Key.named(name, source).decode?(&layer, value, source)
      } catch {
        guard let error = error as? AuthenticationError else { throw error }
        try report(error)
      }
    }
    return layer
  }

  static func wrong(_ path: String, _ what: String, hint: Hint? = nil) -> AuthenticationError {
    AuthenticationError(
      .invalidConfiguration,
      "\(path.printable()) \(what)",
      reason: "configuration_file",
      hint: hint
    )
  }
}
