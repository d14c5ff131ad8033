import Core
import FoundationEssentials
import MSAuth
import Unix

/// `config.json`: the keys of MSAL's `auth_config.json`, msauth's own, and profiles of the same keys.
struct ConfigurationFile {
  /// Far more than any configuration needs.
  private static let maximumSize = 1 << 20

  var layer = Layer()
  var profiles: [String: Layer] = [:]

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - isOptional: Whether it need not exist.
  /// - Throws: ``AuthenticationError`` that names file and key.
  init(path: String, isOptional: Bool) throws {
    guard var members = try Self.members(path: path, isOptional: isOptional) else { return }
    if let profiles = members.removeValue(forKey: "profiles") {
      guard let named = profiles.object else { throw Self.wrong(path, "has \"profiles\" that is not an object") }
      for (name, value) in named.sorted {
        let key = "profiles.\(name.printable(limit: 80))"
        guard let members = value.object else { throw Self.wrong(path, "has \"\(key)\" that is not an object") }
        self.profiles[name] = try Self.layer(members, path, prefix: key + ".")
      }
    }
    layer = try Self.layer(members, path, prefix: "")
  }

  /// Reads a file's members without decoding them.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - isOptional: Whether it need not exist.
  /// - Throws: ``AuthenticationError`` that names the file.
  /// - Returns: The members; nil when there is no file.
  static func members(path: String, isOptional: Bool) throws -> JSON.Object? {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try readFile(at: path, limit: Self.maximumSize, requiring: .configuration).bytes
      // The file names the browser's command and the provider: anybody who can replace it decides what runs here.
      try PathTrust(path: path.parentDirectory).check()
    } catch {
      if error.reason == .missing, isOptional { return nil }
      let what = error.path == path ? error.what : "is not trusted, because \(error)"
      throw Self.wrong(path, what, remedy: error.remedy)
    }
    let value: JSON
    do {
      value = try JSON(parsing: bytes)
    } catch {
      throw Self.wrong(
        path,
        "is not JSON",
        remedy: .advice("check it with: python3 -m json.tool \(path.printable())")
      )
    }
    guard case .object(let members) = value else { throw Self.wrong(path, "is not a JSON object") }
    return members
  }

  private static func layer(_ members: JSON.Object, _ path: String, prefix: String) throws -> Layer {
    var layer = Layer()
    // In the order of their names, so that of two mistakes always the same one is reported.
    for (name, value) in members.sorted {
      let source = Source.file(path: path, key: prefix + name.printable(limit: 80))
      guard let decode = Key.all.first(where: { $0.name == name })?.decode else {
        throw source.unknownKey(named: name, among: Key.all.filter { $0.decode != nil }.map(\.name) + ["profiles"])
      }
      try decode(&layer, value, source)
    }
    return layer
  }

  static func wrong(_ path: String, _ what: String, remedy: Remedy? = nil) -> AuthenticationError {
    AuthenticationError(
      .invalidConfiguration,
      "\(path.printable()) \(what)",
      reason: .configurationFile,
      remedy: remedy
    )
  }
}
